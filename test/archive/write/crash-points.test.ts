import { describe, expect, it } from "vitest";
import { HELD_BYTES_MAX_DEFAULT } from "../../../src/archive/write/held-frames.js";
import { errorText } from "../../../src/base/index.js";
import { ArchiveSimulation } from "../../support/archive/archive-simulation.js";
import { BusyDisk } from "../../support/archive/busy-disk.js";
import { FaultWeather } from "../../support/archive/simulated/fault-weather.js";
import { SeededRandom, testSeed } from "../../support/base/seeded-random.js";

/** Crashes in all; `npm run torture -- crash-points` asks for more. */
const POINTS = Number(process.env.NVRD_TEST_CRASH_POINTS ?? 100);
const POINTS_A_LIFE = 10;
/** Lives that fail before it stops. */
const FAILURES_MAX = 5;
const SEED = testSeed(1);
const TIMEOUT_MS = 120_000 + POINTS * 500;
const SECOND_US = 1_000_000;
const QUOTA_BYTES = 400_000;
/** Some seconds of all cameras. */
const BUSY_HELD_BYTES_MAX = 64 * 1024;

/** One machine's life: it crashes, starts again and is asked, ten times. Answers what was wrong first. */
async function live(seed: number): Promise<string | undefined> {
  const random = new SeededRandom(seed);
  const order = random.pick(["journal", "loose"] as const);
  const volumes = random.between(1, 2);
  // In a third of the lives the disks do not only lose their power; in some the only one does not keep up.
  const weather = random.chance(0.33) ? new FaultWeather(random.fork()) : undefined;
  const busy =
    weather === undefined && volumes === 1 && random.chance(0.3) ? new BusyDisk(random.fork()) : undefined;
  const disk = weather === undefined ? { order } : { order, onCall: weather.onCall };
  const heldBytesMax = busy === undefined ? HELD_BYTES_MAX_DEFAULT : BUSY_HELD_BYTES_MAX;
  const simulation = new ArchiveSimulation({ seed, volumes, quotaBytes: QUOTA_BYTES, heldBytesMax, disk });
  let point = 0;
  const failureOf = (what: string) =>
    `${order} order, crash ${point}; replay with NVRD_TEST_SEED=${seed} NVRD_TEST_CRASH_POINTS=${POINTS_A_LIFE}\n${what}`;
  try {
    for (; point < POINTS_A_LIFE; point++) {
      const problems = await crashOnce(simulation, random, { weather, busy });
      if (problems.length > 0) return failureOf(problems.join("\n"));
    }
  } catch (error) {
    return failureOf(errorText(error));
  } finally {
    await simulation.remove();
  }
  return undefined;
}

async function crashOnce(
  simulation: ArchiveSimulation,
  random: SeededRandom,
  { weather, busy }: { readonly weather: FaultWeather | undefined; readonly busy: BusyDisk | undefined },
): Promise<string[]> {
  const duringStart = random.chance(0.15);
  weather?.clear();
  if (await simulation.start(duringStart ? random.between(1, 60) : undefined)) {
    // A service does not wait for recovery before it records; a third of the starts does not either.
    const waits = random.chance(0.67);
    if (!waits || (await simulation.recover())) {
      simulation.boot.supply.cutAt = Number.POSITIVE_INFINITY;
      const problems = waits ? await simulation.problems() : [];
      if (problems.length > 0) return problems;
      simulation.boot.supply.cutAt = simulation.boot.supply.calls + random.between(1, 500);
      simulation.boot.retention.start();
      weather?.brew(simulation);
      busy?.brew(simulation);
      if (random.chance(0.1)) simulation.protectSome();
      await simulation.record(random.between(1, 20) * SECOND_US, random.chance(0.3));
    }
  }
  busy?.crash(simulation);
  simulation.crash(random.chance(0.75) ? "cut" : "kill");
  return simulation.failure === undefined ? [] : [String(simulation.failure)];
}

describe("a recorder that crashes at any call on its disks", () => {
  it(
    `keeps every promise through ${POINTS} crashes`,
    async () => {
      const failures: string[] = [];
      for (let life = 0; life * POINTS_A_LIFE < POINTS && failures.length < FAILURES_MAX; life++) {
        const failure = await live(SEED + life);
        if (failure !== undefined) failures.push(failure);
      }
      expect(failures.join("\n\n")).toBe("");
    },
    TIMEOUT_MS,
  );
});
