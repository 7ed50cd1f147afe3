import { signal, useSignal } from "@preact/signals";
import {
  type ArchivingMode,
  type CameraObject as Camera,
  type CameraInput,
  cameraArchive,
} from "../../../contract/index.js";
import { readChannels } from "../../state/channels.js";
import { request, requestJson } from "../../state/request.js";
import { isOutdated } from "../outdated.js";

/* The cameras as `/configure/channels` has them. */

export const STREAMS = cameraArchive.ArchivingVideoStreamType.of;
export type StreamName = (typeof STREAMS)[number];

export type { CameraObject as Camera, Schedule } from "../../../contract/index.js";
/** What a change may have; what is left out stays as it is. */
export type CameraChange = CameraInput;

type ArchiveSettings = Camera["ArchiveSettings"];

/** Undefined until they are known. */
export const cameras = signal<readonly Camera[] | undefined>(undefined);

/** Of the configuration that a camera was read from. */
const revisions = new WeakMap<Camera, string>();

const CHANNELS = "/configure/channels";

/** Rejects with RequestError. */
export async function readCameras(): Promise<void> {
  const response = await request(CHANNELS);
  const revision = /\d+/.exec(response.headers.get("ETag") ?? "")?.[0] ?? "";
  const list = (await response.json()) as readonly Camera[];
  for (const camera of list) revisions.set(camera, revision);
  cameras.value = list;
}

export function cameraOf(id: string | null): Camera | undefined {
  return cameras.value?.find((camera) => camera.Id === id);
}

/**
 * Changes what the form was filled in from, and reads all anew, whether it succeeds or not. Rejects with RequestError: 409 where
 * somebody else has changed this camera meanwhile.
 */
export async function changeCamera(camera: Camera, change: CameraChange): Promise<void> {
  try {
    await putCamera(camera, change);
  } catch (error) {
    // Something else of the configuration was changed: that is no reason to fill in the form again.
    const now = cameraOf(camera.Id);
    const isSame = now !== undefined && JSON.stringify(now) === JSON.stringify(camera);
    if (!isOutdated(error) || !isSame) throw error;
    await putCamera(now, change);
  }
}

async function putCamera(camera: Camera, change: CameraChange): Promise<void> {
  const { ModelId } = camera.ConnectionSettings;
  const body = { ...change, ConnectionSettings: { ModelId, ...change.ConnectionSettings } };
  const address = `${CHANNELS}/${camera.Id}?revision=${revisions.get(camera)}`;
  await changed(() => request(address, { method: "PUT", body }));
}

/**
 * The camera that a form was filled in from, however often the cameras are read meanwhile, and what gives `fill` the camera as
 * the recorder has it now.
 */
export function useFilled(
  camera: Camera,
  fill: (camera: Camera) => void,
): readonly [from: Camera, fillAgain: () => void] {
  const from = useSignal(camera);
  const fillAgain = (): void => {
    from.value = cameraOf(camera.Id) ?? from.value;
    fill(from.value);
  };
  return [from.value, fillAgain];
}

/**
 * Adds a camera that is known by the address of its stream, or of the device; its id. `id`: that of a former camera, whose recordings it
 * continues. Rejects with RequestError.
 */
export async function addCamera(typed: {
  readonly id?: string;
  readonly name: string;
  readonly address: string;
  readonly login: string;
  readonly password: string;
}): Promise<string> {
  const { SenderId } = await requestJson<{ readonly SenderId: string }>("/configex?responsetype=json");
  const body = {
    ...(typed.id === undefined ? {} : { Id: typed.id }),
    ...(typed.name === "" ? {} : { Name: typed.name }),
    ServerBindingsSettings: { OwnerServerId: SenderId },
    ConnectionSettings: {
      ModelId: modelFor(typed.address, ONVIF_MODEL),
      ...{ Hostname: typed.address, Login: typed.login, Password: typed.password },
    },
  };
  let id = "";
  await changed(async () => {
    const { CreatedObjectsIds } = await requestJson<{ readonly CreatedObjectsIds: readonly string[] }>(
      CHANNELS,
      { method: "POST", body: [body] },
    );
    id = CreatedObjectsIds[0] ?? "";
  });
  return id;
}

/** Its recordings stay as long as others do, or go with it. */
export async function removeCamera({ Id }: Camera, withRecordings: boolean): Promise<void> {
  const archive = withRecordings ? "delete" : "keep";
  await changed(() => request(`${CHANNELS}/${Id}?archive=${archive}`, { method: "DELETE" }));
}

async function changed(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } finally {
    await Promise.all([readCameras(), readChannels()]);
  }
}

/** The model of a camera that is known by the address of its stream. */
export const RTSP_MODEL = "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01";
/** The model of any ONVIF camera. */
const ONVIF_MODEL = "7d0b6f0e-31c4-4f0f-9a52-8c1d7be3a901";

/** The model for an address that was typed: the address of a stream, or of a device. */
export function modelFor(address: string, before: string): string {
  if (/^rtsp(?:s|\+https?)?:\/\//i.test(address)) return RTSP_MODEL;
  return before === RTSP_MODEL ? ONVIF_MODEL : before;
}

/** How a camera is recorded, as people choose it. */
export const MODES = ["always", "schedule", "motion", "manual", "off"] as const;
export type Mode = (typeof MODES)[number];

const ARCHIVING_MODES: Readonly<Record<Exclude<Mode, "off">, ArchivingMode>> = {
  always: "AlwaysOn",
  schedule: "BySchedule",
  motion: "MDandManual",
  manual: "OnlyManual",
};

export function modeOf({ ArchivingDisabled, ArchivingMode }: ArchiveSettings): Mode {
  if (ArchivingDisabled) return "off";
  return MODES.find((mode) => mode !== "off" && ARCHIVING_MODES[mode] === ArchivingMode) ?? "always";
}

/** A camera that is not recorded keeps the mode that it had. */
export function archivingOf(mode: Mode): Partial<ArchiveSettings> {
  if (mode === "off") return { ArchivingDisabled: true };
  return { ArchivingDisabled: false, ArchivingMode: ARCHIVING_MODES[mode] };
}

/** What detects motion; `automatic`: the camera once it reports motion, the recorder until then. */
export const DETECTORS = ["automatic", "recorder", "camera", "none"] as const;
export type Detector = (typeof DETECTORS)[number];

export function detectorOf({ AnalyzeSettings }: Camera): Detector {
  const { MotionDetectorEnabled, MotionDetectorSettings } = AnalyzeSettings;
  if (MotionDetectorSettings?.BuildInCameraDetectorEnabled === true) return "camera";
  if (!MotionDetectorEnabled) return "none";
  return MotionDetectorSettings === null ? "automatic" : "recorder";
}

export function analysisOf(detector: Detector): NonNullable<CameraChange["AnalyzeSettings"]> {
  return {
    MotionDetectorEnabled: detector !== "none",
    MotionDetectorSettings:
      detector === "automatic" ? null : { BuildInCameraDetectorEnabled: detector === "camera" },
  };
}

/** What is done with the sound that a camera sends. */
export const SOUNDS = ["recorded", "live", "off"] as const;
export type Sound = (typeof SOUNDS)[number];

export function soundOf({ ConnectionSettings, ArchiveSettings }: Camera): Sound {
  if (!ConnectionSettings.SoundReceivingEnabled) return "off";
  return ArchiveSettings.ArchivingSoundDisabled ? "live" : "recorded";
}
