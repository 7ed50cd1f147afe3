/** Whose volume a directory is by its segments: each names the volume that it was written onto. */
import { join } from "node:path";
import { unpackSegmentHeader } from "../segment/segment-header.js";
import { type Disk, errorCodeOf } from "./disk.js";
import { readSummaries } from "./segment-summaries.js";

/** Most segments that are looked at, each of another stream where there are so many. */
const SEGMENTS_MAX = 16;
const SEGMENT_FILE_PATTERN = /^[0-9a-f]{14}\.seg$/;

/** The id that they have in common; undefined where none can be read, or they differ. Throws the disk's errors of listing. */
export function carriedIdentity(disk: Disk, directory: string): string | undefined {
  const ids = new Set<string>();
  for (const path of someSegments(disk, directory)) {
    const request = { op: "summaries", files: [[path]], deep: false, fromFrames: true } as const;
    const [answer] = readSummaries(disk, directory, request);
    if (answer !== undefined && "header" in answer)
      ids.add(unpackSegmentHeader(Buffer.from(answer.header)).volumeId);
  }
  const [id] = ids;
  return ids.size === 1 ? id : undefined;
}

/** The newest of each stream, and some of those that were being written. */
function someSegments(disk: Disk, directory: string): readonly string[] {
  const found = segmentsIn(disk, directory, "open").slice(0, SEGMENTS_MAX);
  for (const channel of namesIn(disk, directory, "streams"))
    for (const stream of namesIn(disk, directory, `streams/${channel}`)) {
      if (found.length >= SEGMENTS_MAX) return found;
      const days = namesIn(disk, directory, `streams/${channel}/${stream}`);
      const newest = `streams/${channel}/${stream}/${days.at(-1)}`;
      if (days.length > 0) found.push(...segmentsIn(disk, directory, newest).slice(-1));
    }
  return found;
}

function segmentsIn(disk: Disk, directory: string, path: string): string[] {
  return namesIn(disk, directory, path)
    .filter((name) => SEGMENT_FILE_PATTERN.test(name))
    .map((name) => `${path}/${name}`);
}

/** In order; none of what is no directory. */
function namesIn(disk: Disk, directory: string, path: string): string[] {
  try {
    return disk.readdirSync(join(directory, path)).sort();
  } catch (error) {
    const code = errorCodeOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    return [];
  }
}
