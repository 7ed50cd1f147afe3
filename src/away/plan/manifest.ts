import * as v from "valibot";
import { segmentPath } from "../../archive/index.js";
import { formatIsoTime, type Guid, NvrdError, STREAM_TYPES } from "../../base/index.js";
import { type Codec, codecName } from "../../live/index.js";
import type { SentEntry } from "./sent-segment.js";

const FORMAT_VERSION = 1;
const REVISION_DIGITS = 10;

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
}

/** The key of a segment: its path on a volume. */
export function segmentKey(
  channelId: Guid,
  { stream, segmentId }: Pick<SentEntry, "stream" | "segmentId">,
): string {
  return segmentPath({ key: { channelId, streamType: stream }, segmentId });
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

/** The revision in a manifest's key; undefined for another key. */
export function revisionOf(key: string): number | undefined {
  const digits = /\/(\d{10})\.json$/.exec(key)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function manifestText(manifest: DayManifest): string {
  const { server, channel, day, revision, createdUs, gaps, events } = manifest;
  const head = { nvrdManifest: FORMAT_VERSION, server, channel, day, revision };
  const lines = manifest.segments.map((segment) =>
    JSON.stringify({
      key: segmentKey(channel.id, segment),
      ...segment,
      codecs: [segment.video, segment.audio].filter((codec) => codec !== 0).map(nameOf),
    }),
  );
  const rest = { created: formatIsoTime(createdUs), gaps, events };
  // A line for each segment: people read it, and tools that compare texts.
  return `${JSON.stringify(head).slice(0, -1)},\n"segments":[\n${lines.join(",\n")}\n],\n${JSON.stringify(rest).slice(1)}\n`;
}

function nameOf(codec: number): string {
  return codecName(codec as Codec) ?? String(codec);
}

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const guid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/));
const named = v.object({ id: guid, name: v.string() });

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
});

const manifestSchema = v.object({
  nvrdManifest: v.literal(FORMAT_VERSION),
  server: named,
  channel: named,
  day: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d$/)),
  revision: whole,
  segments: v.array(sentEntrySchema),
});

export type ReadManifest = v.InferOutput<typeof manifestSchema>;

/** Reads what `manifestText` wrote. Throws NvrdError FORMAT_NEWER, and others where it is no manifest. */
export function readManifest(bytes: Uint8Array): ReadManifest {
  const data: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  const version = (data as { nvrdManifest?: unknown } | null)?.nvrdManifest;
  if (typeof version === "number" && version > FORMAT_VERSION)
    throw new NvrdError("FORMAT_NEWER", `a manifest in the bucket has format ${version}`);
  return v.parse(manifestSchema, data);
}
