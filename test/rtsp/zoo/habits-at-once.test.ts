import { expect, it } from "vitest";
import { printedRandom } from "../../support/base/seeded-random.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { combination } from "../../support/rtsp/zoo/combinations.js";
import { problemsOf } from "../../support/rtsp/zoo/expected.js";
import { HABITS } from "../../support/rtsp/zoo/habits/index.js";
import { lostToday } from "../../support/rtsp/zoo/lost-today.js";
import { visitZooOverSockets } from "../../support/rtsp/zoo/socket-world.js";

/** `npm run torture -- zoo` has more, of which each takes at least a minute. */
const MINUTES = Number(process.env.NVRD_TEST_ZOO_MINUTES ?? 0);
const CAMERAS = MINUTES > 0 ? 24 : 8;
const ROUNDS = Math.max(1, MINUTES);
const SECONDS = MINUTES > 0 ? 60 : 8;
/** How late a busy machine may be. */
const LATE_MS = 2000;

it("all that cameras with two and three habits at once send over sockets is recorded", {
  timeout: 120_000 + ROUNDS * 180_000,
}, async () => {
  const random = printedRandom("zoo");
  for (let round = 0; round < ROUNDS; round += 1) {
    const visits = Array.from({ length: CAMERAS }, (_, at) => {
      const transport = at % 2 === 0 ? ("tcp" as const) : ("udp" as const);
      const known = HABITS.filter((habit) => !lostToday(habit, transport));
      const habits = known.filter(({ seconds = SECONDS }) => MINUTES > 0 || seconds <= 20);
      const chosen = combination({ habits, count: random.between(2, 3), transport, random });
      const seconds = Math.max(SECONDS, ...chosen.map((habit) => (MINUTES > 0 ? (habit.seconds ?? 0) : 0)));
      return { habits: chosen, transport, seconds, seed: random.below(1_000_000) };
    });
    const outcomes = await visitZooOverSockets(await temporaryDirectory(), visits);
    const wrong = outcomes.flatMap((outcome, at) => {
      const { habits = [], transport } = visits[at] ?? {};
      const problems = problemsOf(outcome, habits, LATE_MS);
      const names = habits.map(({ name }) => name).join(" + ");
      return problems.length === 0 ? [] : [`${transport}, ${names}: ${problems.join("; ")}`];
    });
    expect(wrong).toEqual([]);
  }
});
