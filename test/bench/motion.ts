import type { Bench, Figure } from "./figure.js";
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

/** What `motion-cameras.mjs --json` prints. */
interface CamerasReport {
  readonly cameras: number;
  readonly five: CamerasShare;
  readonly fifteen: CamerasShare;
}

interface CamerasShare {
  readonly share: number;
  readonly mainShare: number;
  readonly found: number;
  readonly skipped: number;
}

const PERCENT = 100;
const ANALYSIS_MS_MAX = 0.15;
/** Of one core, for all cameras together. */
const CAMERAS_PERCENT_MAX = 20;
const QUICK_SECONDS = 8;
/** It is there to say what the detector does not tell apart. */
const REPORTED_ONLY = "downpour, 100 bright streaks";

/** The recorder's motion detector: `test/bench/scripts/motion.mjs` and `motion-cameras.mjs`. */
export const motionBench: Bench = {
  name: "motion",
  about: "the motion detector: hits on the street clip, false alarms on made scenes, CPU a camera",
  async *run({ quick }) {
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
        ...(scene === REPORTED_ONLY ? {} : { wanted: { atMost: 0 } }),
        peer: `of ${count}`,
      };
    yield {
      name: "motion: looking at a picture",
      value: report.analysisMs,
      unit: "ms",
      wanted: { atMost: ANALYSIS_MS_MAX },
      peer: "160x120",
    };
    const camera = (what: string, share: number) => ({
      name: `motion: a camera of ${what}`,
      value: share * PERCENT,
      unit: "% of a core",
    });
    yield camera("640x480, 10 frames/s", report.smallShare);
    yield camera("1920x1080, 25 frames/s, 4 Mbit/s", report.largeShare);
    yield camera("the same, key frames alone", report.largeKeysShare);
    const seconds = quick ? ["--seconds", `${QUICK_SECONDS}`] : [];
    yield* camerasFigures(await runScript<CamerasReport>("motion-cameras", seconds));
  },
};

function camerasFigures({ cameras, five, fifteen }: CamerasReport): Figure[] {
  const figures = (what: string, { share, mainShare, found, skipped }: CamerasShare): Figure[] => {
    const peer = `decoding included; ${found} times something moved, ${skipped} skipped`;
    const name = `motion: ${cameras} cameras of 640x360, ${what}`;
    const unit = "% of a core";
    return [
      { name, value: share * PERCENT, unit, wanted: { atMost: CAMERAS_PERCENT_MAX }, peer },
      { name: `${name}: of it the main thread`, value: mainShare * PERCENT, unit, peer },
    ];
  };
  return [...figures("5 frames/s", five), ...figures("15 frames/s, 5 of them analysed", fifteen)];
}
