import type { Guid } from "../../base/index.js";

/** Findings of a channel's day in a bucket: the lines of the volumes' files. More are left out. */
export const FINDINGS_BYTES_MAX = 16 * 1024 * 1024;

/** The same as the file's path on a volume, by which it comes back. */
export function findingsKey(channelId: Guid, day: string): string {
  return `findings/${channelId}/${day}.findings`;
}
