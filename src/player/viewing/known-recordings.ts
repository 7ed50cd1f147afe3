import type { ArchiveAccess, ArchiveKey } from "../../archive/index.js";
import { NvrdError } from "../../base/index.js";

/** What to do where there is no recording to play. */
export const RECORDED_HINT = "see GET /archivefragments for what is recorded";
/** When to ask again: the index of a well recorder is open within seconds of the start. */
const INDEX_RETRY_MS = 2000;

/** The description of the answer 503 until then. */
export const INDEX_IS_OPENING =
  "The index of recordings is not open yet, or recordings of that time are still being read into it (`Retry-After`).";

/** Throws NvrdError NOT_AVAILABLE if nothing is known to be recorded at `timeUs` as long as not everything is known. */
export function requireKnown(archive: ArchiveAccess, key: ArchiveKey, timeUs: number): void {
  if (archive.indexFault(timeUs) === undefined || archive.hasArchiveAt(key, timeUs)) return;
  requireIndex(archive, timeUs);
}

/**
 * Throws NvrdError NOT_AVAILABLE unless all that was recorded from `fromUs` on (default: ever) is known: for answers that
 * say what is recorded of a time. Recordings made since this start are known without the index.
 */
export function requireIndex(archive: Pick<ArchiveAccess, "indexFault">, fromUs?: number): void {
  const fault = archive.indexFault(fromUs);
  if (fault === undefined) return;
  throw new NvrdError("NOT_AVAILABLE", fault, { retryAfterMs: INDEX_RETRY_MS });
}

/** Nothing of it is recorded, at any time. */
export function nothingRecordedOf(key: ArchiveKey): NvrdError {
  const of = "streamType" in key ? `the channel's stream ${key.streamType}` : "the channel";
  return new NvrdError("NOT_FOUND", `nothing is recorded of ${of}`, { hint: RECORDED_HINT });
}

/**
 * Where whoever asks for `timeUs` begins, at every door: there if it is in a recording; otherwise, in a gap and beyond the ends,
 * at the end or the beginning of the nearest recording. Undefined if nothing is recorded.
 */
export function nearestRecordedUs(
  archive: Pick<ArchiveAccess, "hasArchiveAt" | "nearestFrameUs" | "fragments">,
  key: ArchiveKey,
  timeUs: number,
): number | undefined {
  if (archive.hasArchiveAt(key, timeUs)) return timeUs;
  const keyFrameUs = archive.nearestFrameUs(key, timeUs);
  if (keyFrameUs === undefined) return undefined;
  // Anything nearer than the nearest key frame is the end of the recording before it.
  const reachUs = Math.abs(timeUs - keyFrameUs);
  let nearestUs = keyFrameUs;
  for (const { fromUs, toUs } of archive.fragments(key, timeUs - reachUs, timeUs + reachUs + 1)) {
    const candidateUs = Math.min(Math.max(timeUs, fromUs), toUs - 1);
    if (Math.abs(candidateUs - timeUs) < Math.abs(nearestUs - timeUs)) nearestUs = candidateUs;
  }
  return nearestUs;
}
