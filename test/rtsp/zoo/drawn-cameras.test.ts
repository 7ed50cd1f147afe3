import { expect, it } from "vitest";
import { printedRandom, SeededRandom, testSeed } from "../../support/base/seeded-random.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { drawnCamera } from "../../support/rtsp/zoo/drawn-cameras.js";
import { problemsOf } from "../../support/rtsp/zoo/expected.js";
import type { Visit } from "../../support/rtsp/zoo/visitor.js";
import { visitZoo } from "../../support/rtsp/zoo/zoo-world.js";

/** `npm run torture -- zoo` has more. */
const MINUTES = Number(process.env.NVRD_TEST_ZOO_MINUTES ?? 0);
const ROUNDS = Math.max(1, MINUTES);
const CAMERAS = MINUTES > 0 ? 200 : 60;
const SECONDS = 30;
/** What `npm test` draws is the same each time. */
const SEED = 1;
/** `test/live/drawn-cameras.test.ts` has how far times are off. */
const TIMES = /^times (?:of sound )?up to/;

it("all that cameras with drawn clocks, deliveries and numbers send is recorded, in one fragment and session", {
  timeout: 120_000 + ROUNDS * 120_000,
}, async () => {
  const random = MINUTES > 0 ? printedRandom("drawn cameras") : new SeededRandom(testSeed(SEED));
  for (let round = 0; round < ROUNDS; round += 1) {
    const visits = Array.from({ length: CAMERAS }, (_, at): Visit => {
      const camera = drawnCamera(random, SECONDS);
      const transport = at % 2 === 0 ? "tcp" : "udp";
      return { habits: [camera], transport, seconds: SECONDS, seed: random.below(1_000_000) };
    });
    const outcomes = await visitZoo(await temporaryDirectory(), visits);
    const wrong = outcomes.flatMap((outcome, at) => {
      const { habits = [], transport } = visits[at] ?? {};
      const problems = problemsOf(outcome, habits).filter((problem) => !TIMES.test(problem));
      return problems.length === 0 ? [] : [`${transport}, ${habits[0]?.name ?? ""}: ${problems.join("; ")}`];
    });
    expect(wrong).toEqual([]);
  }
});
