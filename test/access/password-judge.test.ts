import { afterEach, expect, it } from "vitest";
import { PasswordJudge } from "../../src/access/password-judge.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const clock = new SimulatedClock();
const judge = new PasswordJudge(clock);

afterEach(() => judge.stop());

it("a password that is made of words that are known here scores less", async () => {
  const guessed = await judge.judge({ password: "zorblatt-9", words: ["zorblatt-9"] });
  const strong = await judge.judge({ password: "gravel-Mooring7-tepid", words: [] });
  expect(guessed.score).toBeLessThan(strong.score);
});

it("nothing is left behind when it stops, and it judges again", async () => {
  await judge.judge({ password: "one", words: [] });
  expect(clock.timers).toBe(1);
  judge.stop();
  expect(clock.timers).toBe(0);
  await expect(judge.judge({ password: "two", words: [] })).resolves.toMatchObject({ score: 0 });
});

it("a judgement that takes longer than 15 s is refused, and the next one is made by another thread", async () => {
  const slow = judge.judge({ password: "three", words: [] });
  clock.advance(15_000_000);
  await expect(slow).rejects.toMatchObject({ code: "NOT_AVAILABLE", retryAfterMs: 1000 });
  expect(clock.timers).toBe(0);
  await expect(judge.judge({ password: "four", words: [] })).resolves.toMatchObject({ warning: "common" });
});

it("its thread ends 30 s after the last password", async () => {
  await judge.judge({ password: "five", words: [] });
  clock.advance(29_999_999);
  expect(clock.timers).toBe(1);
  await judge.judge({ password: "six", words: [] });
  clock.advance(29_999_999);
  expect(clock.timers).toBe(1);
  clock.advance(1);
  expect(clock.timers).toBe(0);
});

it("more than eight that wait are turned away", async () => {
  const judged = Array.from({ length: 9 }, (_, at) => judge.judge({ password: `${at}`, words: [] }));
  await expect(judge.judge({ password: "over", words: [] })).rejects.toMatchObject({
    code: "TOO_MANY_REQUESTS",
  });
  await expect(Promise.all(judged)).resolves.toHaveLength(9);
});
