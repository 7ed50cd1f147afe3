import { readFileSync } from "node:fs";
import { pause, type Service } from "../support/service/service.js";
import type { Bench, Figure } from "./figure.js";
import { comesBackFigures } from "./memory-comes-back.js";
import { withRecordedCameras } from "./recorded-cameras.js";
import { residentFigures } from "./resident.js";

const CAMERAS = 4;
const AT_ONCE = 24;
/** Idle slabs and memory are given back within so long. */
const QUIET_MS = 20_000;
const BURST_MS = 15_000;
const LEFT_OVER_MB_MAX = 60;
const BYTES_PER_MB = 1_000_000;

/**
 * What a start costs and leaves in memory; then resident memory before, in and after a burst of pictures: what was needed for it is
 * to come back.
 */
export const memoryBench: Bench = {
  name: "memory",
  about:
    "cost of a start; resident memory by part: idle, recording, and around bursts of stills, exports and viewers",
  async *run(options) {
    yield* residentFigures(options);
    yield* recording(measure);
    // A service of its own: what another burst left would count as what was there before.
    yield* recording(comesBackFigures);
  },
};

/** Figures of a new service that records some cameras. */
async function* recording(
  figures: (service: Service, ids: readonly string[]) => AsyncGenerator<Figure>,
): AsyncGenerator<Figure> {
  yield* withRecordedCameras(
    { name: "memory", cameras: CAMERAS, recordedUs: 10_000_000 },
    async function* ({ service, ids }) {
      yield* figures(service, ids);
    },
  );
}

async function* measure(service: Service, ids: readonly string[]): AsyncGenerator<Figure> {
  const { pid } = service.process;
  // The libraries for pictures are loaded with the first one, and stay.
  for (const id of ids) await service.get(still(id, 0));
  await pause(QUIET_MS);
  const before = residentMb(pid);
  yield { name: "memory before a burst of pictures", value: before, unit: "MB" };
  let most = 0;
  let made = 0;
  const endMs = performance.now() + BURST_MS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, viewer) => {
      for (let count = 0; performance.now() < endMs; count += 1) {
        const answer = await service.get(still(ids[viewer % ids.length] ?? "", viewer + count * AT_ONCE));
        if (answer.status === 200) made += 1;
        most = Math.max(most, residentMb(pid));
      }
    }),
  );
  yield { name: "pictures of the burst", value: made, unit: "" };
  yield { name: "memory in a burst of pictures: most", value: most, unit: "MB" };
  yield { name: "memory right after it", value: residentMb(pid), unit: "MB" };
  await pause(QUIET_MS);
  const after = residentMb(pid);
  const wanted = { atMost: before + LEFT_OVER_MB_MAX };
  yield { name: "memory 20 s after it", value: after, unit: "MB", wanted, peer: "before it, and 60 MB" };
}

/** A still that no cache has. */
function still(channelId: string, index: number): string {
  const width = 320 + (index % 200) * 8;
  return `/site?channelid=${channelId}&resolutionx=${width}&resolutiony=${Math.round((width * 9) / 16)}`;
}

function residentMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
  return (pages * 4096) / BYTES_PER_MB;
}
