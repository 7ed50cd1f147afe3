import { expect, it } from "vitest";
import { LateThread } from "../../../src/archive/disk/late-thread.js";
import { VolumeWriter } from "../../../src/archive/write/volume-writer.js";
import { createLog } from "../../../src/base/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const TICK_MS = 400;
const ignore = () => undefined;

/** A writer whose threads hear nothing. */
function startWriter(clock: ManualClock): VolumeWriter {
  const silent = () =>
    new LateThread(() => ({
      postMessage: () => undefined,
      onMessage: () => undefined,
      onFailure: () => undefined,
      terminate: () => Promise.resolve(),
    }));
  const writer = new VolumeWriter({
    thread: silent(),
    syncThread: silent(),
    listener: { onReadable: ignore, onClosed: ignore, onFailed: ignore },
    health: { onSegmentFailure: ignore, onSuccess: ignore },
    clock,
    log: createLog({ level: "fatal" }),
    tickMs: TICK_MS,
    syncIntervalMs: 1000,
    heldBytesMax: 1_000_000,
  });
  writer.start();
  return writer;
}

/** The same, and how often its one stream was asked for frames. */
function startOne(clock: ManualClock): { readonly writer: VolumeWriter; fills(): number } {
  const writer = startWriter(clock);
  let fills = 0;
  const fill = (): boolean => {
    fills += 1;
    return true;
  };
  writer.addSource({ fill, onVolumeLost: ignore, moveAway: ignore });
  return { writer, fills: () => fills };
}

it("a batch is filled after all else that is due then: frames that are read in the same turn come along", async () => {
  const clock = new ManualClock();
  const { writer, fills } = startOne(clock);
  const seenByReader: number[] = [];
  clock.setInterval(() => seenByReader.push(fills()), TICK_MS);
  clock.advance(TICK_MS);
  await Promise.resolve();
  writer.stop();
  expect({ seenByReader, fills: fills() }).toEqual({ seenByReader: [0], fills: 1 });
});

it("no batch is filled when the writer was stopped in that turn", async () => {
  const clock = new ManualClock();
  const { writer, fills } = startOne(clock);
  clock.setInterval(() => writer.stop(), TICK_MS);
  clock.advance(TICK_MS);
  await Promise.resolve();
  expect(fills()).toBe(0);
});

it("the stream that finds a batch full is the first of the next one, and none is left out", async () => {
  const clock = new ManualClock();
  const writer = startWriter(clock);
  const asked: string[] = [];
  let findsFull = "";
  for (const name of ["a", "b", "c", "d"]) {
    const fill = (): boolean => {
      asked.push(name);
      return name !== findsFull;
    };
    writer.addSource({ fill, onVolumeLost: ignore, moveAway: ignore });
  }
  const askedIn = async (full: string): Promise<string> => {
    findsFull = full;
    clock.advance(TICK_MS);
    await Promise.resolve();
    return asked.splice(0).join("");
  };
  expect(await askedIn("c")).toBe("abc");
  expect(await askedIn("")).toBe("cdab");
  expect(await askedIn("c")).toBe("c");
  expect(await askedIn("b")).toBe("cdab");
  expect(await askedIn("")).toBe("bcda");
  writer.stop();
});
