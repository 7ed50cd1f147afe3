import { describe, expect, it } from "vitest";
import { streamKeyText } from "../../../src/base/index.js";
import { temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { ClockedRecorder } from "../../support/archive/clocked-recorder.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { SeededRandom, testSeed } from "../../support/base/seeded-random.js";

/** `npm run torture -- models` asks for more. */
const RUNS = Number(process.env.NVRD_TEST_MODEL_RUNS ?? 2);
const STEPS = 14;
const YEAR_S = 31_536_000;

const directory = forEachTest(() => temporaryDirectory());

/** Any step of the wall clock: none, seconds, hours, a year, either way. */
function anyOffset(random: SeededRandom): number {
  const span = random.pick([0, 2, 30, 7200, YEAR_S]);
  return random.between(-span, span);
}

async function anything(recorder: ClockedRecorder, random: SeededRandom): Promise<void> {
  const kind = random.pick([
    "record",
    "record",
    "step",
    "reconnect",
    "media-jump",
    "restart",
    "reboot",
    "sync",
  ]);
  if (kind === "step") recorder.setWall(anyOffset(random));
  else if (kind === "sync") recorder.synchronize();
  else if (kind === "reconnect" || kind === "media-jump") recorder.disturb(kind);
  else if (kind === "restart" || kind === "reboot") {
    if (random.chance(0.5)) await recorder.kill();
    else await recorder.stop();
    if (kind === "reboot")
      recorder.reboot({ offSeconds: random.between(5, 300), wallSecondsOff: anyOffset(random) });
    await recorder.start();
  }
  await recorder.record(random.between(2, 20));
}

/** Decode times of a stream never go back within an epoch: its frames in recorded order go back where an epoch begins. */
async function epochOrder(recorder: ClockedRecorder): Promise<string[]> {
  const problems: string[] = [];
  const summaries = recorder.summaries();
  for (const key of recorder.keys) {
    const text = streamKeyText(key);
    const epochs = new Set(
      summaries.filter((one) => streamKeyText(one.key) === text).map(({ epoch }) => epoch),
    );
    const frames = await recorder.frames(key);
    let backs = 0;
    for (const [at, frame] of frames.entries()) {
      const before = frames[at - 1];
      if (before === undefined || frame.datedUs >= before.datedUs) continue;
      backs += 1;
      if (!frame.startsFragment) problems.push(`${text} goes back within a fragment at ${frame.datedUs}`);
    }
    if (backs > epochs.size) problems.push(`${text} goes back ${backs} times in ${epochs.size} epochs`);
    if (frames.length === 0) problems.push(`${text} has nothing recorded`);
  }
  return problems;
}

describe("whatever the clocks do, across steps, drift, jumps, reconnects, restarts, crashes and reboots", () => {
  const first = testSeed(1);
  it.each(Array.from({ length: RUNS }, (_, at) => first + at))(
    "times do not go back within an epoch, fragments do not overlap, the index is what a rebuild finds (seed %i)",
    async (seed) => {
      const random = new SeededRandom(seed);
      const recorder = new ClockedRecorder({ directory: directory.path, seed, volumes: 2, cameras: 3 });
      recorder.reboot({ offSeconds: 0, wallSecondsOff: anyOffset(random) });
      await recorder.start();
      await recorder.record(10);
      for (let step = 0; step < STEPS; step++) await anything(recorder, random);
      await recorder.running.archive.recovered();
      await recorder.redated();
      expect(await epochOrder(recorder)).toEqual([]);
      expect(await recorder.problems()).toEqual([]);
    },
  );
});
