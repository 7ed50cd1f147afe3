import { expect, it } from "vitest";
import { BoxClaim, CLAIM_KEY } from "../../src/away/box-claim.js";
import type { Guid } from "../../src/base/index.js";
import { ManualClock } from "../support/base/manual-clock.js";

/** Two recorders at one bucket and prefix: at most one of them sends, whatever their clocks say and whoever comes first. */

const A = "11111111-0000-4000-8000-000000000001";
const B = "22222222-0000-4000-8000-000000000002";
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** A bucket's object, and recorders that look at it by their own clocks, which go alike. */
class Bucket {
  content: Buffer | undefined;
  readonly #clocks: ManualClock[] = [];

  box(id: Guid, startUs = Date.UTC(2026, 0, 1) * 1000): BoxClaim {
    const clock = new ManualClock(startUs);
    this.#clocks.push(clock);
    const run = async (order: {
      readonly op: string;
      readonly key: string;
      readonly content?: Uint8Array;
    }) => {
      expect(order.key).toBe(CLAIM_KEY);
      if (order.op === "get") return this.content;
      this.content = Buffer.from(order.content ?? []);
      return undefined;
    };
    return new BoxClaim({ sender: { run: run as never }, self: async () => ({ id, name: "Box" }), clock });
  }

  pass(ms: number): void {
    for (const clock of this.#clocks) clock.advance(ms);
  }
}

const sends = (claim: BoxClaim): Promise<boolean> =>
  claim.hold().then(
    () => true,
    () => false,
  );

it("of two that begin at once one is refused within a minute, and stays so", async () => {
  const bucket = new Bucket();
  const [a, b] = [bucket.box(A), bucket.box(B)];
  await Promise.all([a.hold(), b.hold()]);
  for (let looks = 0; looks < 3; looks += 1) {
    bucket.pass(looks === 0 ? MINUTE_MS : HOUR_MS);
    expect([await sends(a), await sends(b)]).toEqual([false, true]);
  }
});

it("a copy of a recorder, with its identity, is told from the recorder that was started again", async () => {
  const bucket = new Bucket();
  const first = bucket.box(A);
  await first.hold();
  const again = bucket.box(A);
  expect(await sends(again)).toBe(true);
  for (let looks = 0; looks < 3; looks += 1) {
    bucket.pass(HOUR_MS);
    await expect(first.hold()).rejects.toThrow(/a copy of this recorder.*sends to this bucket/);
    expect(await sends(again)).toBe(true);
  }
});

it.each([
  ["was never set", 0],
  ["is years ahead", Date.UTC(2099, 0, 1) * 1000],
  ["has no date", 9e15 * 1000],
])(
  "one whose clock %s sends alone, and another goes on a day after its last word",
  async (_what, startUs) => {
    const bucket = new Bucket();
    const [a, b] = [bucket.box(A, startUs), bucket.box(B)];
    await a.hold();
    for (let hours = 0; hours < 48; hours += 1) {
      bucket.pass(HOUR_MS);
      expect([await sends(a), await sends(b)]).toEqual([true, false]);
    }
    for (let hours = 0; hours < 23; hours += 1) {
      bucket.pass(HOUR_MS);
      expect(await sends(b)).toBe(false);
    }
    bucket.pass(DAY_MS);
    expect(await sends(b)).toBe(true);
  },
);

it("a claim of a former version is its own, and one that cannot be read is nobody's", async () => {
  const bucket = new Bucket();
  const seenUs = Date.UTC(2026, 0, 1) * 1000;
  bucket.content = Buffer.from(JSON.stringify({ id: A, name: "Box", seenUs }));
  expect([await sends(bucket.box(B)), await sends(bucket.box(A))]).toEqual([false, true]);
  for (const text of ["", "{", "[]", "null", '{"id":"x","seenUs":1}', `{"id":"${A}","seenUs":"1"}`]) {
    bucket.content = Buffer.from(text);
    expect(await sends(bucket.box(B)), text).toBe(true);
  }
});
