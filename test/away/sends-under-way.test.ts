import { expect, it } from "vitest";
import type { Candidate } from "../../src/away/plan/sent-segment.js";
import { SINGLE_BYTES_MAX } from "../../src/away/send/segment-upload.js";
import { SendError } from "../../src/away/send/sender.js";
import { SendsUnderWay } from "../../src/away/sends-under-way.js";

const MIB = 1024 * 1024;
const DAY_US = 86_400e6;

const candidate = (bytes: number, about: Partial<Candidate> = {}): Candidate =>
  ({ channelId: "a", fromUs: 0, bytes, ...about }) as Candidate;

/** A send that ends when the test says so. */
function send(): { readonly ended: Promise<void>; end(): void; fail(error: unknown): void } {
  let end: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  return { ended, end: () => end(), fail: (error) => fail(error) };
}

const failure = (about: { isLasting?: boolean; retryAfterMs?: number }): SendError =>
  new SendError("no", { fault: "busy", isLasting: false, retryAfterMs: undefined, ...about });

it("knows what is under way, by size, channel and day, until it ends", async () => {
  const sends = new SendsUnderWay();
  const [one, two] = [send(), send()];
  sends.begin(candidate(3), one.ended);
  sends.begin(candidate(4, { channelId: "b", fromUs: DAY_US }), two.ended);
  expect([sends.size, sends.bytes]).toEqual([2, 7]);
  expect([
    sends.hasOf("a", "1970-01-01"),
    sends.hasOf("a", "1970-01-02"),
    sends.hasOf("b", "1970-01-02"),
  ]).toEqual([true, false, true]);
  one.end();
  await sends.atMost(1);
  expect([sends.size, sends.bytes, sends.hasOf("a", "1970-01-01")]).toEqual([1, 4, false]);
});

it("a segment that may go in parts waits for another such one, and for no smaller one", () => {
  const sends = new SendsUnderWay();
  const large = SINGLE_BYTES_MAX - MIB;
  sends.begin(candidate(large - 1), send().ended);
  expect(sends.isHeldUp(candidate(large))).toBe(false);
  sends.begin(candidate(large), send().ended);
  expect([large - 1, large].map((bytes) => sends.isHeldUp(candidate(bytes)))).toEqual([false, true]);
});

it("waits until at most so many are under way, and for all of them once one has failed", async () => {
  const sends = new SendsUnderWay();
  const three = [send(), send(), send()];
  for (const { ended } of three) sends.begin(candidate(1), ended);
  const steps: string[] = [];
  const waiting = sends.atMost(2).then(
    () => steps.push("room"),
    (error: Error) => steps.push(error.message),
  );
  three[0]?.fail(failure({}));
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toEqual([]);
  for (const { end } of three.slice(1)) end();
  await waiting;
  expect([steps, sends.size]).toEqual([["no"], 0]);
  await sends.atMost(0);
});

it.each([
  ["what only somebody can mend", [{ retryAfterMs: 9e12 }, { isLasting: true }, {}], 1],
  ["the longest wait", [{}, { retryAfterMs: 1 }, { retryAfterMs: 2 }], 2],
  ["the first of those alike", [{ retryAfterMs: 5 }, { retryAfterMs: 5 }], 0],
])("of several failures %s counts", async (_what, abouts, at) => {
  const sends = new SendsUnderWay();
  const errors = abouts.map(failure);
  const [first, ...others] = errors;
  for (const error of others) {
    const failing = send();
    sends.begin(candidate(1), failing.ended);
    failing.fail(error);
  }
  expect(await sends.settle(first)).toBe(errors[at]);
  expect(await sends.settle()).toBeUndefined();
});
