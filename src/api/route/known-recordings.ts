import type { ArchiveAccess, ArchiveKey } from "../../archive/index.js";
import { NvrdError } from "../../base/index.js";

/** What to do where there is no recording to play. */
export const RECORDED_HINT = "see GET /archivefragments for what is recorded";
/** When to ask again: the index of a well recorder is open within seconds of the start. */
const INDEX_RETRY_MS = 2000;

/** What a route says of the answer 503 that comes until then. */
export const INDEX_IS_OPENING = "The index of recordings is not open yet (`Retry-After`).";

/**
 * Throws NvrdError NOT_AVAILABLE where it is not known what is recorded at `timeUs`: the index of what was recorded before
 * this start is not open. What was recorded since then, and all behind it, is known without it.
 */
export function requireKnown(archive: ArchiveAccess, key: ArchiveKey, timeUs: number): void {
  if (archive.indexFault() === undefined || archive.hasArchiveAt(key, timeUs)) return;
  requireIndex(archive);
}

/** Throws NvrdError NOT_AVAILABLE as long as what was recorded before this start is not known. */
export function requireIndex(archive: ArchiveAccess): void {
  const fault = archive.indexFault();
  if (fault === undefined) return;
  throw new NvrdError("NOT_AVAILABLE", fault, { retryAfterMs: INDEX_RETRY_MS });
}

/** Nothing of it is recorded, at any time. */
export function nothingRecordedOf(key: ArchiveKey): NvrdError {
  const of = "streamType" in key ? `the channel's stream ${key.streamType}` : "the channel";
  return new NvrdError("NOT_FOUND", `nothing is recorded of ${of}`, { hint: RECORDED_HINT });
}
