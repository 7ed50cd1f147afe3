import type { Bench } from "./figure.js";
import { runScript } from "./script-bench.js";

/** What `motion.mjs --json` prints. */
interface MotionReport {
  readonly pictures: number;
  readonly moving: number;
  readonly hits: number;
  readonly beyond: number;
  readonly analysisMs: number;
  readonly smallShare: number;
  readonly largeShare: number;
  readonly largeKeysShare: number;
  readonly falseAlarms: readonly {
    readonly scene: string;
    readonly pictures: number;
    readonly hits: number;
  }[];
}

const PERCENT = 100;
/** It is there to say what the detector does not tell apart. */
const TOLD_ONLY = "downpour, 100 bright streaks";

/** The recorder's motion detector: `test/bench/scripts/motion.mjs`. */
export const motionBench: Bench = {
  name: "motion",
  about: "the motion detector: hits on the street clip, false alarms on made scenes, CPU a camera",
  async *run() {
    const report = await runScript<MotionReport>("motion", []);
    const { pictures, moving, hits, falseAlarms } = report;
    const peer = `${moving} of ${pictures} pictures move by a plain reference that knows the whole clip`;
    yield {
      name: "motion: found on the street",
      value: (hits / moving) * PERCENT,
      unit: "%",
      wanted: { atLeast: 95 },
      peer,
    };
    yield { name: "motion: found beyond the reference", value: report.beyond, unit: "pictures", peer };
    for (const { scene, pictures: count, hits: alarms } of falseAlarms)
      yield {
        name: `motion: false in ${scene}`,
        value: alarms,
        unit: "pictures",
        ...(scene === TOLD_ONLY ? {} : { wanted: { atMost: 0 } }),
        peer: `of ${count}`,
      };
    yield { name: "motion: looking at a picture", value: report.analysisMs, unit: "ms", peer: "160x120" };
    const camera = (what: string, share: number) => ({
      name: `motion: a camera of ${what}`,
      value: share * PERCENT,
      unit: "% of a core",
    });
    yield camera("640x480, 10 frames/s", report.smallShare);
    yield camera("1920x1080, 25 frames/s, 4 Mbit/s", report.largeShare);
    yield camera("the same, key frames alone", report.largeKeysShare);
  },
};
