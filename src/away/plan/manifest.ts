import { setImmediate } from "node:timers/promises";
import * as v from "valibot";
import { type FarSegment, isKeyFramesFragment, segmentIdOf, segmentPath } from "../../archive/index.js";
import {
  formatIsoTime,
  type Guid,
  NvrdError,
  parseGuid,
  STREAM_TYPES,
  type StreamType,
} from "../../base/index.js";
import { type Codec, codecName } from "../../live/index.js";
import { SEALED_END } from "../seal/sealed-name.js";
import { dayBeginUs, type SentEntry } from "./sent-segment.js";

/** With key frames alone; without, and with an encrypted segment; without either. So older versions read what they can. */
const FORMAT_VERSION = 3;
const FORMAT_WITHOUT_KEY_FRAMES = 2;
const FORMAT_WITHOUT_SEALS = 1;
/** Stands in a name in the place of the last part of a whole segment's: `<segment id>.key.seg`. */
const SEGMENT_END = ".seg";
const KEY_FRAMES_END = ".key.seg";
const REVISION_DIGITS = 10;
/** Read without a pause: a millisecond. */
const ENTRIES_A_TURN = 50;

/** A stretch of the day without recordings, and why. */
export interface ManifestGap {
  readonly fromUs: number;
  readonly toUs: number;
  readonly reason: string;
}

export interface ManifestEvent {
  readonly timeUs: number;
  readonly typeId: Guid;
  readonly name: string;
  readonly comment: string;
}

/** What lies in the bucket of a channel's day. */
export interface DayManifest {
  readonly server: { readonly id: Guid; readonly name: string };
  readonly channel: { readonly id: Guid; readonly name: string };
  readonly day: string;
  /** Rises with each manifest of the day. */
  readonly revision: number;
  readonly createdUs: number;
  readonly segments: readonly SentEntry[];
  readonly gaps: readonly ManifestGap[];
  readonly events: readonly ManifestEvent[];
  /** GOP tables by segment id, as footers have them, base64: who reads from the bucket need not ask each segment for it. */
  readonly gops?: ReadonlyMap<number, string>;
}

/** The key of a segment: its path on a volume, with other endings for key frames alone and where it is encrypted. */
export function segmentKey(
  channelId: Guid,
  entry: Pick<SentEntry, "stream" | "segmentId" | "fragmentId" | "sealedBytes">,
): string {
  const { stream, segmentId, fragmentId, sealedBytes } = entry;
  const path = plainKey({ key: { channelId, streamType: stream }, segmentId, fragmentId });
  return sealedBytes === undefined ? path : `${path}${SEALED_END}`;
}

/** The same of a segment that is not encrypted. A name never means other bytes, so key frames alone have another one. */
export function plainKey({ fragmentId, ...file }: FarSegment): string {
  const path = segmentPath(file);
  if (!isKeyFramesFragment(fragmentId)) return path;
  return `${path.slice(0, -SEGMENT_END.length)}${KEY_FRAMES_END}`;
}

/** The segment whose key frames alone have the key; undefined for another key. */
export function keyFramesIdOf(
  key: string,
): { readonly segmentId: number; readonly isSealed: boolean } | undefined {
  const isSealed = key.endsWith(SEALED_END);
  const plain = isSealed ? key.slice(0, -SEALED_END.length) : key;
  if (!plain.endsWith(KEY_FRAMES_END)) return undefined;
  const segmentId = segmentIdOf(`${plain.slice(0, -KEY_FRAMES_END.length)}${SEGMENT_END}`);
  return segmentId === undefined ? undefined : { segmentId, isSealed };
}

/** Where the segments of a stream are whose ids, which are times, are of the day. */
export function segmentFolder(channelId: Guid, stream: StreamType, day: string): string {
  return `streams/${channelId}/${stream}/${day}/`;
}

/** Where the manifests of a channel's day are. */
export function manifestFolder(channelId: Guid, day: string): string {
  return `manifests/${channelId}/${day}/`;
}

/** Each manifest has a name of its own: one that is there is never changed. */
export function manifestKey(channelId: Guid, day: string, revision: number): string {
  return `${manifestFolder(channelId, day)}${String(revision).padStart(REVISION_DIGITS, "0")}.json`;
}

/** Whose manifest a key names; undefined for another key. */
export function placeOfManifest(key: string): { readonly channelId: Guid; readonly day: string } | undefined {
  const [, channelId, day] = /^manifests\/([0-9a-f-]{36})\/(\d{4}-\d\d-\d\d)\/\d{10}\.json$/.exec(key) ?? [];
  return channelId === undefined || day === undefined ? undefined : { channelId, day };
}

/** The manifests of a channel's day. */
export interface ListedDay {
  /** `<channel>/<day>`. */
  readonly name: string;
  readonly channelId: Guid;
  readonly day: string;
  /** The newest revision first. */
  readonly keys: readonly string[];
}

/** The days whose manifests are among keys of a bucket, the newest day first. Other keys are left out. */
export function listedDays(keys: readonly string[]): readonly ListedDay[] {
  const days = new Map<string, ListedDay>();
  for (const key of [...keys].sort()) {
    const place = placeOfManifest(key);
    if (place === undefined || parseGuid(place.channelId) !== place.channelId) continue;
    if (Number.isNaN(dayBeginUs(place.day))) continue;
    const name = `${place.channelId}/${place.day}`;
    days.set(name, { name, ...place, keys: [key, ...(days.get(name)?.keys ?? [])] });
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? 1 : -1));
}

/** The revision in a manifest's key; undefined for another key. */
export function revisionOf(key: string): number | undefined {
  const digits = /\/(\d{10})\.json$/.exec(key)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function manifestText(manifest: DayManifest): string {
  const { server, channel, day, revision, createdUs, gaps, events } = manifest;
  const head = { nvrdManifest: formatOf(manifest), server, channel, day, revision };
  const lines = manifest.segments.map((segment) =>
    JSON.stringify({
      key: segmentKey(channel.id, segment),
      ...(isKeyFramesFragment(segment.fragmentId) ? { keyFrames: true } : {}),
      ...segment,
      ...gopsOf(manifest, segment),
      codecs: [segment.video, segment.audio].filter((codec) => codec !== 0).map(nameOf),
    }),
  );
  const rest = { created: formatIsoTime(createdUs), gaps, events };
  // A line for each segment: people read it, and tools that compare texts.
  return `${JSON.stringify(head).slice(0, -1)},\n"segments":[\n${lines.join(",\n")}\n],\n${JSON.stringify(rest).slice(1)}\n`;
}

function formatOf({ segments }: DayManifest): number {
  if (segments.some(({ fragmentId }) => isKeyFramesFragment(fragmentId))) return FORMAT_VERSION;
  const isSealed = segments.some(({ sealedBytes }) => sealedBytes !== undefined);
  return isSealed ? FORMAT_WITHOUT_KEY_FRAMES : FORMAT_WITHOUT_SEALS;
}

/** Key frames alone have their own with them. */
function gopsOf({ gops }: DayManifest, segment: SentEntry): { readonly gops?: string } {
  const table = segment.gops ?? gops?.get(segment.segmentId);
  return table === undefined ? {} : { gops: table };
}

function nameOf(codec: number): string {
  return codecName(codec as Codec) ?? String(codec);
}

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const guid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/));
const named = v.object({ id: guid, name: v.string() });

const GOPS_TEXT_MAX = 256 * 1024;
export const sentEntrySchema = v.object({
  stream: v.picklist(STREAM_TYPES),
  segmentId: whole,
  volumeId: guid,
  fragmentId: guid,
  fragmentSequence: whole,
  epoch: whole,
  fromUs: whole,
  toUs: whole,
  bytes: whole,
  videoFrames: whole,
  audioFrames: whole,
  video: whole,
  audio: whole,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  sealedBytes: v.optional(whole),
  gops: v.optional(v.pipe(v.string(), v.maxLength(GOPS_TEXT_MAX))),
});

/** A segment as a manifest names it, with its GOP table. */
export type FoundEntry = v.InferOutput<typeof sentEntrySchema>;

const manifestSchema = v.object({
  nvrdManifest: v.picklist([FORMAT_WITHOUT_SEALS, FORMAT_WITHOUT_KEY_FRAMES, FORMAT_VERSION]),
  server: named,
  channel: named,
  day: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d$/)),
  revision: whole,
  segments: v.array(v.pipe(sentEntrySchema, v.transform(withoutKnownTable))),
});

export type ReadManifest = v.InferOutput<typeof manifestSchema>;

/** The GOP table of a whole segment is in the index while it is here: journals do not keep it. */
function withoutKnownTable(entry: FoundEntry): FoundEntry {
  if (entry.gops === undefined || isKeyFramesFragment(entry.fragmentId)) return entry;
  const { gops: _gops, ...rest } = entry;
  return rest;
}

/** Reads what `manifestText` wrote. Throws NvrdError FORMAT_NEWER, and others where it is no manifest. */
export function readManifest(bytes: Uint8Array): ReadManifest {
  const data: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  refuseNewer(data);
  return v.parse(manifestSchema, data);
}

/** The name that a manifest gives to its channel; empty where it says none. Throws where it is no manifest. */
export function channelNameIn(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("utf8");
  const end = text.indexOf("\n");
  const isInLines = text.startsWith('"segments":[', end + 1);
  const data: unknown = JSON.parse(isInLines ? `${text.slice(0, end - 1)}}` : text);
  return v.parse(v.object({ channel: v.object({ name: v.optional(v.string(), "") }) }), data).channel.name;
}

/** The same for who has other things to do: its segments some at a time. Throws as `readManifest`. */
export async function* foundIn(bytes: Uint8Array): AsyncGenerator<FoundEntry> {
  const lines = Buffer.from(bytes).toString("utf8").split("\n");
  const [head = "", opening] = lines;
  const end = lines.indexOf("],");
  if (opening !== '"segments":[' || end < 0) {
    const data = JSON.parse(lines.join("\n")) as { segments?: unknown } | null;
    refuseNewer(data);
    yield* v.parse(v.array(sentEntrySchema), data?.segments);
    return;
  }
  refuseNewer(JSON.parse(`${head.slice(0, -1)}}`));
  for (let at = 2; at < end; at++) {
    const line = lines[at] ?? "";
    if (line === "") continue;
    yield v.parse(sentEntrySchema, JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line));
    if (at % ENTRIES_A_TURN === 0) await setImmediate();
  }
}

function refuseNewer(data: unknown): void {
  const version = (data as { nvrdManifest?: unknown } | null)?.nvrdManifest;
  if (typeof version === "number" && version > FORMAT_VERSION)
    throw new NvrdError("FORMAT_NEWER", `a manifest in the bucket has format ${version}`);
}
