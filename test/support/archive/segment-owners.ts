import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { unpackSegmentHeader } from "../../../src/archive/segment/segment-header.js";

const HEADER_BYTES_MAX = 128 * 1024;

/** Ids of the channels that have a segment in `open/` of a volume. */
export function channelsBeingWritten(volumePath: string): Set<string> {
  const directory = join(volumePath, "open");
  const channels = new Set<string>();
  for (const name of readdirSync(directory)) {
    const header = Buffer.alloc(HEADER_BYTES_MAX);
    const fd = openSync(join(directory, name), "r");
    try {
      const bytes = readSync(fd, header, 0, header.length, 0);
      if (bytes > 0) channels.add(unpackSegmentHeader(header.subarray(0, bytes)).key.channelId);
    } finally {
      closeSync(fd);
    }
  }
  return channels;
}
