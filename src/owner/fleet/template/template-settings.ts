import { isDeepStrictEqual } from "node:util";
import type { Guid } from "../../../base/index.js";
import type { TemplatePart } from "../../../contract/index.js";

/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

interface SettingKind {
  readonly part: TemplatePart;
  /** Names of the members that lead to it in a camera. */
  readonly path: readonly string[];
  /** What counts where a camera does not have it; undefined: it has to have it. */
  readonly usual?: Json;
}

const MOTION = ["AnalyzeSettings", "MotionDetectorSettings"] as const;
const OBJECTS = ["AnalyzeSettings", "ObjectDetectionSettings"] as const;
const EVENTS = ["AnalyzeSettings", "CameraEventSettings"] as const;

function of(part: TemplatePart, before: readonly string[], ...names: readonly string[]): SettingKind[] {
  return names.map((name) => ({ part, path: [...before, name] }));
}

/**
 * What a template may have, by its path in a camera: nothing that is a secret or an address, nothing that belongs to one camera's picture
 * (zones, lines) or to its streams.
 */
const KINDS: readonly SettingKind[] = [
  ...of("Recording", ["ArchiveSettings"], "ArchivingDisabled", "ArchivingMode", "ArchivingSoundDisabled"),
  ...of("Recording", ["ArchiveSettings"], "PreMotionDetectionRecSecs", "PostMotionDetectionRecSecs"),
  ...of("Recording", ["ArchiveSettings"], "LimitRecordFpsAndOnlyIndepFramesEnabled", "LimitedRecordFps"),
  { part: "Schedule", path: ["ArchiveSettings", "Schedule"], usual: null },
  ...of("Retention", ["ArchiveSettings"], "ArchivingMinDeepnessInDays", "ArchivingMaxDeepnessInDays"),
  ...of("Motion", ["AnalyzeSettings"], "MotionDetectorEnabled"),
  ...of("Motion", MOTION, "BuildInCameraDetectorEnabled", "GenerationOfEventMotionStartAndEndEnabled"),
  ...of("Motion", MOTION, "DetectOnlyIndependentFrames", "CustomFpsEnabled", "CustomFpsValue"),
  { part: "Objects", path: [...OBJECTS, "Mode"], usual: "Auto" },
  { part: "Objects", path: [...OBJECTS, "Kinds"], usual: null },
  { part: "Objects", path: [...OBJECTS, "MinScore"], usual: 50 },
  { part: "Objects", path: [...OBJECTS, "Scores"], usual: [] },
  { part: "Objects", path: [...OBJECTS, "MinSize"], usual: 0 },
  { part: "Objects", path: [...OBJECTS, "MaxSize"], usual: 100 },
  { part: "Objects", path: [...OBJECTS, "LoiteringSeconds"], usual: 0 },
  { part: "CameraEvents", path: [...EVENTS, "Marked"], usual: null },
  { part: "CameraEvents", path: [...EVENTS, "Recorded"], usual: null },
  ...of("Analysers", ["AnalyzeSettings"], "FaceDetectorEnabled", "FaceDetectorMode"),
  ...of("Analysers", ["AnalyzeSettings"], "InteractiveSearchEnabled"),
  ...of("Card", ["ArchiveSettings"], "DeviceArchiveEnabled", "DeviceArchiveAutoSynchronizationEnabled"),
];

const BY_NAME: ReadonlyMap<string, SettingKind> = new Map(KINDS.map((kind) => [nameOf(kind), kind]));

/** A setting of a template, by its path as text. */
export interface TemplateSetting {
  readonly setting: string;
  readonly value: Json;
}

/** A camera as `/configure/channels` has it. */
export interface CameraSettings extends JsonObject {
  readonly Id: Guid;
  readonly Name: string;
  readonly ConnectionSettings: { readonly ModelId: string };
}

/** One setting of one camera that becomes another. */
export interface SettingChange {
  readonly camera: Guid;
  readonly setting: string;
  readonly before: Json;
  readonly after: Json;
}

/** Undefined: a template has no such setting. */
export function partOf(setting: string): TemplatePart | undefined {
  return BY_NAME.get(setting)?.part;
}

/** The settings of these parts that all of the cameras have, and have alike. */
export function commonSettings(
  cameras: readonly CameraSettings[],
  parts: readonly TemplatePart[],
): readonly TemplateSetting[] {
  return KINDS.flatMap((kind) => {
    if (!parts.includes(kind.part)) return [];
    const [first, ...others] = cameras.map((camera) => settingOf(camera, kind));
    if (first === undefined || others.some((value) => !isDeepStrictEqual(value, first))) return [];
    return [{ setting: nameOf(kind), value: first }];
  });
}

/** What these settings would change. */
export function changesBy(
  cameras: readonly CameraSettings[],
  settings: readonly TemplateSetting[],
): readonly SettingChange[] {
  return cameras.flatMap((camera) =>
    settings.flatMap(({ setting, value }) => {
      const kind = BY_NAME.get(setting);
      if (kind === undefined) return [];
      const before = settingOf(camera, kind) ?? null;
      return isDeepStrictEqual(before, value) ? [] : [{ camera: camera.Id, setting, before, after: value }];
    }),
  );
}

/** The way back of changes, as far as there is one and nobody has changed the same since; `left`: how many others there are. */
export function changesBack(
  cameras: readonly CameraSettings[],
  changes: readonly SettingChange[],
): { readonly changes: readonly SettingChange[]; readonly left: number } {
  const byId = new Map(cameras.map((camera) => [camera.Id, camera]));
  const back = changes.flatMap(({ camera: id, setting, before, after }) => {
    const camera = byId.get(id);
    const kind = BY_NAME.get(setting);
    if (camera === undefined || kind === undefined) return [];
    // A camera that had nothing of a group cannot be told to have nothing again.
    if (before === null && kind.usual === undefined) return [];
    if (!isDeepStrictEqual(settingOf(camera, kind), after)) return [];
    return [{ camera: id, setting, before: after, after: before }];
  });
  return { changes: back, left: changes.length - back.length };
}

/** The cameras of the body that makes these changes: what stands beside a setting in a group of its own goes along as it is. */
export function changedCameras(
  cameras: readonly CameraSettings[],
  changes: readonly SettingChange[],
): readonly JsonObject[] {
  return cameras.flatMap((camera) => {
    const own = changes.filter((change) => change.camera === camera.Id);
    if (own.length === 0) return [];
    let body: JsonObject = {
      Id: camera.Id,
      ConnectionSettings: { ModelId: camera.ConnectionSettings.ModelId },
    };
    for (const { setting, after } of own) body = withValue(body, { camera, path: setting.split("."), after });
    return [body];
  });
}

function withValue(
  body: JsonObject,
  { camera, path, after }: { camera: JsonObject; path: readonly string[]; after: Json },
): JsonObject {
  const [section = "", ...names] = path;
  const [name = "", inner] = names;
  const before = objectAt(body, section);
  if (inner === undefined) return { ...body, [section]: { ...before, [name]: after } };
  const group = { ...objectAt(objectAt(camera, section), name), ...objectAt(before, name), [inner]: after };
  return { ...body, [section]: { ...before, [name]: group } };
}

function settingOf(camera: JsonObject, { path, usual }: SettingKind): Json | undefined {
  let value: Json | undefined = camera;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value ?? (usual === undefined ? value : usual);
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf({ path }: SettingKind): string {
  return path.join(".");
}
