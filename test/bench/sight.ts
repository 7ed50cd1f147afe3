import type { Bench, Figure } from "./figure.js";
import { runScript } from "./script-bench.js";

interface Score {
  readonly recall: number;
  readonly precision: number;
  readonly marked: number;
}

/** What `sight.mjs --json` prints. */
interface SightReport {
  readonly whole: readonly (Score & { readonly score: number })[];
  /** At the moment; `whole`: by the whole way of each track, as its finding has it in the end. */
  readonly tracks: readonly (Score & {
    readonly looksPerSecond: number;
    readonly begun: number;
    readonly whole: Score;
  })[];
  /** The clip in bad weather, at three looks a second. */
  readonly weathers: readonly { readonly name: string; readonly whole: Score }[];
  readonly lookCpuMs: number;
  readonly residentMb: number;
}

/** What `sight-scenes.mjs --json` prints. */
interface ScenesReport {
  /** Shares of one processor. */
  readonly crowd: {
    readonly cameras: number;
    readonly looksPerSecond: number;
    readonly share: number;
    readonly detectorShare: number;
  };
  /** Seconds after he entered; null: never. */
  readonly entered: readonly (number | null)[];
  readonly scenes: readonly {
    readonly name: string;
    readonly how: string;
    readonly minutes: number;
    readonly looks: number;
    readonly persons: number;
    readonly others: number;
  }[];
}

const PERCENT = 100;
const REPORTED_SECONDS_MAX = 1.5;
const QUICK_MINUTES = 1;
const CROWD_PERCENT_MAX = 60;

/** The detector of objects and its tracks: `test/bench/scripts/sight.mjs`. */
export const sightBench: Bench = {
  name: "sight",
  about: "objects: persons found on the street clip, false alarms on made scenes, time and memory of a look",
  async *run({ quick }) {
    const { whole, tracks, weathers, lookCpuMs, residentMb } = await runScript<SightReport>("sight", []);
    for (const { score, recall, precision, marked } of whole) {
      const peer = `${marked} marked persons, one look at each whole picture`;
      const name = `sight: a look, score ${score}`;
      yield { name: `${name}: recall`, value: recall * PERCENT, unit: "%", peer };
      yield {
        name: `${name}: precision`,
        value: precision * PERCENT,
        unit: "%",
        wanted: { atLeast: 98 },
        peer,
      };
    }
    for (const { looksPerSecond, begun, whole: ways, ...now } of tracks)
      for (const [when, { recall, precision, marked }] of [
        ["at the moment", now] as const,
        ["by whole tracks", ways] as const,
      ]) {
        const peer = `${marked} marked persons; ${begun} tracks`;
        const name = `sight: ${when}, ${looksPerSecond} looks/s`;
        const wanted = (atLeast: number) => (when === "by whole tracks" ? { wanted: { atLeast } } : {});
        yield { name: `${name}: recall`, value: recall * PERCENT, unit: "%", ...wanted(95), peer };
        yield { name: `${name}: precision`, value: precision * PERCENT, unit: "%", ...wanted(98), peer };
      }
    for (const { name, whole: ways } of weathers)
      for (const measure of ["recall", "precision"] as const)
        yield {
          name: `sight: by whole tracks in ${name}: ${measure}`,
          value: ways[measure] * PERCENT,
          unit: "%",
          peer: `${ways.marked} marked persons, 3 looks/s`,
        };
    yield* sceneFigures(
      await runScript<ScenesReport>("sight-scenes", quick ? ["--minutes", `${QUICK_MINUTES}`] : []),
    );
    yield { name: "sight: a look", value: lookCpuMs, unit: "ms of a processor", peer: "int8, 300x300" };
    yield { name: "sight: the detector's process", value: residentMb, unit: "MB", peer: "resident" };
  },
};

function sceneFigures({ crowd, entered, scenes }: ScenesReport): Figure[] {
  const told = entered.flatMap((seconds) => seconds ?? []);
  const peer = `${entered.length} times, in simulated time, without what decoding and the look take`;
  const { cameras, looksPerSecond, share, detectorShare } = crowd;
  return [
    {
      name: `sight: ${cameras} cameras in motion`,
      value: (share + detectorShare) * PERCENT,
      unit: "% of a core",
      wanted: { atMost: CROWD_PERCENT_MAX },
      peer: `${looksPerSecond} looks/s in all; the detector ${Math.round(detectorShare * PERCENT)} of it`,
    },
    { name: "sight: who enters is never reported", value: entered.length - told.length, unit: "times", peer },
    {
      name: "sight: from entering to the report, longest",
      value: Math.max(...told),
      unit: "s",
      wanted: { atMost: REPORTED_SECONDS_MAX },
      peer,
    },
    ...scenes.map(({ name, how, minutes, looks, persons, others }) => ({
      name: `sight: false persons in ${minutes} min of ${name}`,
      value: persons,
      unit: "persons",
      wanted: { atMost: 0 },
      peer: `${how}, ${looks} looks; ${others} others`,
    })),
  ];
}
