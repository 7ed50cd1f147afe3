import type { ArchiveAccess, ArchivedFrame, ArchiveReader } from "../../archive/index.js";
import { NvrdError, type StreamKey, streamKeyText } from "../../base/index.js";
import { isAudioCodec, type VideoFormat } from "../../live/index.js";
import {
  type CodedUnit,
  type Rotation,
  RunBound,
  runUntil,
  type StillMaterial,
  shownAt,
} from "../../picture/index.js";
import { nearestRecordedUs, nothingRecordedOf } from "../../player/index.js";

/**
 * How many earlier GOPs are also read: the picture shown may precede the key frame in decoding order, and where a camera sends no
 * clean key frames (frames.md, "Entries") what is right only at the end of a GOP is right in the next one.
 */
const GOPS_BACK_MAX = 2;

/** The requested recorded picture. */
export interface ArchivePicture {
  readonly archive: ArchiveAccess;
  readonly key: StreamKey;
  readonly rotation: Rotation;
  /** Unix microseconds. */
  readonly atUs: number;
}

/** The start of reading, and the last picture. */
interface Span {
  readonly fromUs: number;
  /** The last picture shown at or before this time; infinite: the fragment's last. */
  readonly untilUs: number;
}

type ArchivedUnit = CodedUnit & { readonly codec: ArchivedFrame["codec"] };

/** The result of a reading. */
interface Reading {
  readonly units: readonly ArchivedUnit[];
  /** A frame after the span was read, so that later recording cannot change the result. */
  readonly complete: boolean;
  /** The first frame is one with which decoding can begin, and what is shown is not right yet. */
  readonly isUnclean: boolean;
}

/**
 * The frames of the picture recorded at or before a time; if nothing is recorded then, of the nearest one: the last before a
 * gap or the first after it. For a GOP longer than RUN_FRAMES_MAX or RUN_BYTES_MAX, the last picture within these limits.
 * Rejects with NvrdError NOT_FOUND if nothing is recorded of the stream, NOT_AVAILABLE if the volume does not answer.
 */
export async function archiveMaterial(picture: ArchivePicture, signal: AbortSignal): Promise<StillMaterial> {
  const { archive, key, atUs } = picture;
  const isRecorded = archive.hasArchiveAt(key, atUs);
  const span = isRecorded ? { fromUs: atUs, untilUs: atUs } : spanOfNearest(picture);
  let reading = await read(picture, span, signal);
  let run = runUntil(reading.units, span.untilUs);
  for (let back = 0; back < GOPS_BACK_MAX && (run === undefined || reading.isUnclean); back++) {
    const [first] = reading.units;
    if (first === undefined || !archive.hasArchiveAt(key, first.decodeTimeUs - 1)) break;
    const longer = await read(picture, { ...span, fromUs: first.decodeTimeUs - 1 }, signal);
    const longerRun = runUntil(longer.units, span.untilUs);
    // Within the bounds of a still the picture itself counts more than how clean it is.
    if (run !== undefined && longerRun?.at(-1)?.decodeTimeUs !== run.at(-1)?.decodeTimeUs) break;
    const isWhole = run !== undefined;
    reading = longer;
    run = longerRun;
    if (isWhole) break;
  }
  const { units, complete } = reading;
  // The recording cannot be read, or the time is before the fragment's first picture: the next key frame is nearest.
  const wanted = run ?? units.slice(0, 1);
  const last = wanted.at(-1);
  if (last === undefined) throw nothingRecordedOf(key);
  return {
    kind: "coded",
    frame: { stream: streamKeyText(key), timeUs: last.decodeTimeUs, rotation: picture.rotation },
    shownUs: shownAt(last),
    format: formatOf(last.codec),
    units: wanted,
    lasting: isRecorded && complete,
    release: () => undefined,
  };
}

/** The end of the fragment before the moment, or the beginning of the one behind it. */
function spanOfNearest({ archive, key, atUs }: ArchivePicture): Span {
  const startUs = nearestRecordedUs(archive, key, atUs);
  if (startUs === undefined) throw nothingRecordedOf(key);
  return { fromUs: startUs, untilUs: startUs < atUs ? Number.POSITIVE_INFINITY : startUs };
}

/** Copies video from the last key frame at or before the span's start on, up to its end, a gap or the live edge. */
async function read(picture: ArchivePicture, span: Span, signal: AbortSignal): Promise<Reading> {
  const { archive, key } = picture;
  const reader = archive.read(key, { fromUs: span.fromUs, videoOnly: true, endsAtEdge: true });
  const leave = (): void => reader.close();
  signal.addEventListener("abort", leave, { once: true });
  try {
    const reading = await collect(reader, span);
    if (signal.aborted) throw new NvrdError("NOT_AVAILABLE", "nobody waits any longer");
    return reading;
  } finally {
    signal.removeEventListener("abort", leave);
    reader.close();
  }
}

async function collect(reader: ArchiveReader, span: Span): Promise<Reading> {
  const units: ArchivedUnit[] = [];
  const bound = new RunBound();
  let isUnclean = false;
  for (;;) {
    const frames = await reader.next();
    if (frames.length === 0) return { units, complete: false, isUnclean };
    for (const frame of frames) {
      if (isAudioCodec(frame.codec) || frame.undecodable) continue;
      const isBehind = frame.decodeTimeUs > span.untilUs || frame.startsFragment;
      const isOtherCodec = units.length > 0 && units[0]?.codec !== frame.codec;
      if (units.length > 0 && (isBehind || isOtherCodec)) return { units, complete: true, isUnclean };
      if (units.length === 0 && !frame.key) continue;
      if (!bound.admit(frame.bytes.byteLength)) return { units, complete: true, isUnclean };
      if (units.length === 0) isUnclean = frame.damaged;
      units.push(unitOf(frame, units.length === 0));
    }
  }
}

/** Copies the frame's bytes, because they belong to the reader. A decoder goes on over a key frame that is not clean. */
function unitOf(frame: ArchivedFrame, isFirst: boolean): ArchivedUnit {
  const { codec, decodeTimeUs, presentationOffsetUs, bytes } = frame;
  const key = frame.key && (isFirst || !frame.damaged);
  return { codec, key, decodeTimeUs, presentationOffsetUs, bytes: [new Uint8Array(bytes)] };
}

/** A recorded key frame contains its parameter sets. */
function formatOf(codec: ArchivedFrame["codec"]): VideoFormat {
  return { codec, width: 0, height: 0, initialization: new Uint8Array(0) };
}
