import { availableParallelism } from "node:os";
import type { OwnMeans } from "../../../reserve/index.js";

/** What recording costs where it is not measured yet, processor seconds a gigabyte: some times of what x86 takes (docs/design/bench.md). */
const SECONDS_PER_GIGABYTE = 12;
const LEAST_SECONDS = 3;
const MOST_SECONDS = 40;
/** Before so much is written, the start counts for more than recording. */
const MEASURED_FROM_BYTES = 1e9;
const GIGABYTE = 1e9;
const US_PER_CPU_SECOND = 1e6;

/** What a recorder has for the cameras of others. All that its process does counts as the cost of what it has written: rather too much. */
export function ownMeans(
  room: { readonly bytes: number; readonly bytesPerSecond: number },
  writtenBytes: number,
  { user, system }: { readonly user: number; readonly system: number } = process.cpuUsage(),
): OwnMeans | undefined {
  if (room.bytes === 0) return undefined;
  const measured = (user + system) / US_PER_CPU_SECOND / (writtenBytes / GIGABYTE);
  return {
    ...{ roomBytes: room.bytes, ownBytesPerSecond: room.bytesPerSecond, processors: availableParallelism() },
    secondsPerGigabyte:
      writtenBytes < MEASURED_FROM_BYTES
        ? SECONDS_PER_GIGABYTE
        : Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, measured)),
  };
}
