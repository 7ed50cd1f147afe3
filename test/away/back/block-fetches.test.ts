import { getEventListeners } from "node:events";
import { beforeEach, describe, expect, it } from "vitest";
import { BlockFetches } from "../../../src/away/back/block-fetches.js";
import { SendError, type Sender } from "../../../src/away/send/sender.js";
import { guidOfNumber, streamOfNumber } from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const FILE = { key: streamOfNumber(2), segmentId: 4096, fragmentId: guidOfNumber(1) };
const range = (number: number) => ({ from: number * 100, to: number * 100 + 100 });
const NEVER = new AbortController().signal;

interface Asked {
  readonly from: number;
  readonly anew: boolean;
  readonly signal: AbortSignal;
  readonly answer: (bytes: number) => void;
  readonly fail: (fault: SendError["fault"], more?: Partial<SendError>) => void;
}

let asked: Asked[];
let clock: SimulatedClock;
let fetches: BlockFetches;

beforeEach(() => {
  asked = [];
  clock = new SimulatedClock();
  const run = (work: { from: number; anew: boolean }, _onUpload: undefined, signal: AbortSignal) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const how = { isLasting: false, retryAfterMs: undefined };
      asked.push({
        ...{ from: work.from, anew: work.anew, signal, answer: (bytes) => resolve(new Uint8Array(bytes)) },
        fail: (fault, more) => reject(new SendError("no way", { fault, ...how, ...more })),
      });
    });
  fetches = new BlockFetches({ sender: { run } as unknown as Pick<Sender, "run">, name: "Cellar", clock });
});

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe("blocks from a target", () => {
  it("are fetched once for all who read them, and kept", async () => {
    const both = [fetches.read(FILE, range(1), NEVER), fetches.read(FILE, range(1), NEVER)];
    expect(asked).toHaveLength(1);
    asked[0]?.answer(100);
    expect((await Promise.all(both)).map(({ length }) => length)).toEqual([100, 100]);
    expect(await fetches.read(FILE, range(1), NEVER)).toHaveLength(100);
    expect(asked).toHaveLength(1);
  });

  it("that are damaged are fetched anew, once, wherever they are kept", async () => {
    const read = fetches.read(FILE, range(1), NEVER);
    asked[0]?.answer(100);
    await read;
    fetches.doubt(FILE, range(1));
    const again = fetches.read(FILE, range(1), NEVER);
    expect(asked.map(({ anew }) => anew)).toEqual([false, true]);
    asked[1]?.answer(50);
    expect(await again).toHaveLength(50);
    expect(await fetches.read(FILE, range(1), NEVER)).toHaveLength(50);
    expect(asked).toHaveLength(2);
  });

  it("that are damaged and cannot be fetched are so anew the next time", async () => {
    fetches.doubt(FILE, range(1));
    const failed = fetches.read(FILE, range(1), NEVER);
    failed.catch(() => undefined);
    asked[0]?.fail("forbidden");
    await expect(failed).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    clock.advance(4_000_000);
    void fetches.read(FILE, range(1), NEVER);
    expect(asked.map(({ anew }) => anew)).toEqual([true, true]);
  });

  it("are fetched four at a time, those that are waited for before those ahead", async () => {
    for (let number = 0; number < 6; number++) fetches.ahead(FILE, range(number), NEVER);
    // One place is kept for who waits.
    expect(asked.map(({ from }) => from)).toEqual([0, 100, 200]);
    void fetches.read(FILE, range(5), NEVER);
    void fetches.read(FILE, range(9), NEVER);
    expect(asked.map(({ from }) => from)).toEqual([0, 100, 200, 500]);
    asked[0]?.answer(100);
    await settled();
    expect(asked.map(({ from }) => from)).toEqual([0, 100, 200, 500, 900]);
  });

  it("are given up with the last who wants them, and not before", async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const first = fetches.read(FILE, range(1), one.signal);
    const second = fetches.read(FILE, range(1), two.signal);
    fetches.ahead(FILE, range(2), one.signal);
    one.abort();
    await expect(first).rejects.toMatchObject({ code: "CLOSED" });
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false, true]);
    two.abort();
    await expect(second).rejects.toMatchObject({ code: "CLOSED" });
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it("that do not come are answered within 8 s, and at once for a moment after", async () => {
    const late = fetches.read(FILE, range(1), NEVER);
    late.catch(() => undefined);
    clock.advance(8_000_000);
    await expect(late).rejects.toMatchObject({ code: "NOT_AVAILABLE", retryAfterMs: 5000 });
    expect(asked[0]?.signal.aborted).toBe(true);
    await expect(fetches.read(FILE, range(2), NEVER)).rejects.toThrow(
      /off the box at Cellar .* nothing came/,
    );
    expect(asked).toHaveLength(1);
    clock.advance(3_000_000);
    const again = fetches.read(FILE, range(2), NEVER);
    asked[1]?.answer(100);
    expect(await again).toHaveLength(100);
    expect(fetches.problem).toBeUndefined();
  });

  it("are asked for again for some seconds where the target is busy", async () => {
    const block = fetches.read(FILE, range(1), NEVER);
    for (let tries = 0; tries < 5; tries++) {
      asked[tries]?.fail("busy");
      await settled();
      clock.advance(1_000_000);
      await settled();
    }
    asked.at(-1)?.answer(100);
    expect(await block).toHaveLength(100);
    expect(asked.length).toBeGreaterThan(4);
  });

  it("have one listener for all that one reader waits for", async () => {
    const gone = new AbortController();
    for (let at = 0; at < 30; at++) fetches.ahead(FILE, range(at), gone.signal);
    const block = fetches.read(FILE, range(1), gone.signal);
    expect(getEventListeners(gone.signal, "abort")).toHaveLength(1);
    gone.abort();
    await expect(block).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("are asked for again over a new connection where the one that was kept is closed", async () => {
    const block = fetches.read(FILE, range(1), NEVER);
    asked[0]?.fail("unreachable");
    await settled();
    asked[1]?.answer(100);
    expect(await block).toHaveLength(100);
  });

  it.each([
    ["not-found", {}, { code: "ENOENT" }],
    ["busy", { retryAfterMs: 7000 }, { code: "NOT_AVAILABLE", retryAfterMs: 7000 }],
    ["wrong-key", { isLasting: true }, { code: "NOT_AVAILABLE", retryAfterMs: 60_000 }],
  ] as const)("that a target refuses say why: %s", async (fault, more, error) => {
    const block = fetches.read(FILE, range(1), NEVER);
    asked[0]?.fail(fault, more);
    await expect(block).rejects.toMatchObject(error);
  });
});
