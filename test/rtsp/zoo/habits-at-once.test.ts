import { expect, it } from "vitest";
import { printedRandom, SeededRandom, testSeed } from "../../support/base/seeded-random.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { combination } from "../../support/rtsp/zoo/combinations.js";
import { problemsOf } from "../../support/rtsp/zoo/expected.js";
import { HABITS } from "../../support/rtsp/zoo/habits/index.js";
import { visitZooOverSockets } from "../../support/rtsp/zoo/socket-world.js";
import type { Outcome, Visit } from "../../support/rtsp/zoo/visitor.js";
import { visitZoo } from "../../support/rtsp/zoo/zoo-world.js";

/** `npm run torture -- zoo` has more, and habits that take longer. */
const MINUTES = Number(process.env.NVRD_TEST_ZOO_MINUTES ?? 0);
const ROUNDS = Math.max(1, MINUTES);
const SIMULATED = MINUTES > 0 ? 100 : 60;
const OVER_SOCKETS = MINUTES > 0 ? 24 : 8;
const SIMULATED_SECONDS = 20;
const SOCKET_SECONDS = MINUTES > 0 ? 60 : 8;
/** What `npm test` draws is the same each time. */
const SEED = 1;
/** How late a busy machine may be. */
const LATE_MS = 2000;

function randomOf(test: string): SeededRandom {
  return MINUTES > 0 ? printedRandom(test) : new SeededRandom(testSeed(SEED));
}

/** A camera with two or three habits, each of which may take so long as is given here. */
function drawn(random: SeededRandom, at: number, secondsMin: number): Visit {
  const transport = at % 2 === 0 ? "tcp" : "udp";
  const isShort = ({ seconds = 0 }: { readonly seconds?: number }): boolean => seconds <= SIMULATED_SECONDS;
  const known = HABITS.filter((habit) => MINUTES > 0 || isShort(habit));
  const habits = combination({ habits: known, count: random.between(2, 3), transport, random });
  const seconds = Math.max(secondsMin, ...habits.map((habit) => (MINUTES > 0 ? (habit.seconds ?? 0) : 0)));
  return { habits, transport, seconds, seed: random.below(1_000_000) };
}

function wrongOf(outcomes: readonly Outcome[], visits: readonly Visit[], lateMs: number): string[] {
  return outcomes.flatMap((outcome, at) => {
    const { habits = [], transport } = visits[at] ?? {};
    const problems = problemsOf(outcome, habits, lateMs);
    const names = habits.map(({ kind, name }) => `${kind}: ${name}`).join(" + ");
    return problems.length === 0 ? [] : [`${transport}, ${names}: ${problems.join("; ")}`];
  });
}

it("what cameras with two and three habits at once send is recorded", {
  timeout: 120_000 + ROUNDS * 120_000,
}, async () => {
  const random = randomOf("zoo");
  for (let round = 0; round < ROUNDS; round += 1) {
    const visits = Array.from({ length: SIMULATED }, (_, at) => drawn(random, at, SIMULATED_SECONDS));
    const outcomes = await visitZoo(await temporaryDirectory(), visits);
    expect(wrongOf(outcomes, visits, 0)).toEqual([]);
  }
});

it("what cameras with two and three habits at once send over sockets is recorded", {
  timeout: 120_000 + ROUNDS * 180_000,
}, async () => {
  const random = randomOf("zoo over sockets");
  for (let round = 0; round < ROUNDS; round += 1) {
    const visits = Array.from({ length: OVER_SOCKETS }, (_, at) => drawn(random, at, SOCKET_SECONDS));
    const outcomes = await visitZooOverSockets(await temporaryDirectory(), visits);
    expect(wrongOf(outcomes, visits, LATE_MS)).toEqual([]);
  }
});
