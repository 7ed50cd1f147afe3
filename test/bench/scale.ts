import type { Clip } from "../support/service/paced-source.js";
import { CAMERA_CLIP } from "../support/service/paced-source.js";
import { type Bench, type Figure, percentile } from "./figure.js";
import { startBatchedFloor, startNvrd } from "./recorders.js";
import { type CostAtOnce, measureAtOnce, medianShare } from "./recording-at-once.js";

/** So small that all cameras that a recorder takes are no more bytes than a disk of the machines that run benches takes. */
const CLIP: Clip = { ...CAMERA_CLIP, width: 640, height: 360, kilobitsPerSecond: 512 };
/** Up to as many as a recorder takes (CAMERAS_MAX). */
const STREAMS = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;
const QUICK_STREAMS = [1, 16, 128] as const;
const SETTLE_MS = 60_000;
const QUICK_SETTLE_MS = 5000;
const WINDOW_MS = 10_000;
const QUICK_WINDOW_MS = 5000;
const MEBIBYTE = 1024 * 1024;

/**
 * How the cost of a stream grows with their number: the same camera 1 to 256 times, nvrd beside the floor that reads as seldom. Where
 * frames are dropped, the machine is full.
 */
export const scaleBench: Bench = {
  name: "scale",
  about: "cost of one stream of 512 kbit/s among 1 to 256 of them, beside the batched floor",
  async *run({ quick }) {
    for (const streams of quick ? QUICK_STREAMS : STREAMS) {
      const { costs, droppedFrames } = await measureAtOnce(
        [
          ["nvrd", startNvrd],
          ["the batched floor", startBatchedFloor],
        ],
        {
          streams,
          clip: CLIP,
          settleMs: quick ? QUICK_SETTLE_MS : SETTLE_MS,
          windowMs: quick ? QUICK_WINDOW_MS : WINDOW_MS,
        },
      );
      const own = costs.get("nvrd");
      const floor = costs.get("the batched floor");
      if (own === undefined || floor === undefined) throw new RangeError("a recorder was not measured");
      yield* figures({ streams, own, floor, droppedFrames });
    }
  },
};

interface Step {
  readonly streams: number;
  readonly own: CostAtOnce;
  readonly floor: CostAtOnce;
  readonly droppedFrames: number;
}

function* figures({ streams, own, floor, droppedFrames }: Step): Generator<Figure> {
  const name = `scale, ${streams} streams`;
  const bytesASecond = (CLIP.kilobitsPerSecond * 1000) / 8;
  const secondsAGigabyte = percentile(own.cpuSecondsPerGigabyte, 0.5);
  yield {
    name: `${name}: CPU of one`,
    value: (secondsAGigabyte * bytesASecond * 100) / 1e9,
    unit: "% of a core",
  };
  yield { name: `${name}: CPU beside the batched floor`, value: medianShare(own, floor), unit: "x" };
  yield { name: `${name}: memory of one`, value: own.pssBytes / MEBIBYTE / streams, unit: "MiB" };
  yield { name: `${name}: frames the source dropped`, value: droppedFrames, unit: "" };
}
