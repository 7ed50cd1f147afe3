import type { ArchiveAccess } from "../../archive/index.js";
import { NvrdError, type StreamKey } from "../../base/index.js";

/** Retry-After: normally the index is open within seconds after the start. */
const INDEX_RETRY_MS = 2000;

/** The description of the answer 503 until then. */
export const INDEX_IS_OPENING = "The index of recordings is not open yet (`Retry-After`).";

/**
 * Throws NvrdError NOT_AVAILABLE if it is unknown what is recorded at `timeUs`, because the index is not open. Recordings made
 * since this start are known without the index.
 */
export function requireKnown(archive: ArchiveAccess, key: StreamKey, timeUs: number): void {
  if (archive.indexFault() === undefined || archive.hasArchiveAt(key, timeUs)) return;
  requireIndex(archive);
}

/** Throws NvrdError NOT_AVAILABLE while the recordings made before this start are unknown. */
export function requireIndex(archive: ArchiveAccess): void {
  const fault = archive.indexFault();
  if (fault === undefined) return;
  throw new NvrdError("NOT_AVAILABLE", fault, { retryAfterMs: INDEX_RETRY_MS });
}
