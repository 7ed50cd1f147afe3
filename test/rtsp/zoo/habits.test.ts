import { beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { problemsOf } from "../../support/rtsp/zoo/expected.js";
import type { Habit, HabitKind } from "../../support/rtsp/zoo/habit.js";
import { HABITS } from "../../support/rtsp/zoo/habits/index.js";
import type { Outcome } from "../../support/rtsp/zoo/visitor.js";
import { visitZoo } from "../../support/rtsp/zoo/zoo-world.js";

const SECONDS = 20;
const KINDS = [...new Set(HABITS.map(({ kind }) => kind))];

/** All cameras of a kind at once. */
async function visit(kind: HabitKind, transport: "tcp" | "udp"): Promise<Map<Habit, Outcome>> {
  const habits = HABITS.filter((habit) => habit.kind === kind && (habit.over ?? transport) === transport);
  const directory = new TemporaryDirectory();
  try {
    const visits = habits.map((habit, at) => ({
      ...{ habits: [habit], transport, seconds: habit.seconds ?? SECONDS, seed: 1 + at },
    }));
    const outcomes = await visitZoo(directory.path, visits);
    return new Map(
      habits.flatMap((habit, at) => (outcomes[at] === undefined ? [] : [[habit, outcomes[at]]])),
    );
  } finally {
    directory.remove();
  }
}

for (const transport of ["tcp", "udp"] as const)
  describe.each(KINDS)(`%s over ${transport}: a camera that`, (kind) => {
    let outcomes = new Map<Habit, Outcome>();
    beforeAll(async () => {
      outcomes = await visit(kind, transport);
    });
    const habits = HABITS.filter((habit) => habit.kind === kind && (habit.over ?? transport) === transport);
    it.each(habits)("$name", (habit) => {
      const outcome = outcomes.get(habit);
      if (outcome === undefined) throw new Error("it was not visited");
      expect(problemsOf(outcome, [habit])).toEqual([]);
    });
  });

it("has at least 80 habits, 20 of them of H.265 and 15 of sound, each named once", () => {
  const count = (kind: HabitKind) => HABITS.filter((habit) => habit.kind === kind).length;
  expect(HABITS.length).toBeGreaterThanOrEqual(80);
  expect(count("H.265")).toBeGreaterThanOrEqual(20);
  expect(count("sound")).toBeGreaterThanOrEqual(15);
  expect(new Set(HABITS.map(({ kind, name }) => `${kind}: ${name}`)).size).toBe(HABITS.length);
});
