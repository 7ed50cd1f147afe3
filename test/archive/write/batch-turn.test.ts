import { expect, it } from "vitest";
import { LateThread } from "../../../src/archive/disk/late-thread.js";
import { VolumeWriter } from "../../../src/archive/write/volume-writer.js";
import { createLog } from "../../../src/base/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const TICK_MS = 400;

/** A writer whose threads hear nothing, and how often its one stream was asked for frames. */
function startWriter(clock: ManualClock): { readonly writer: VolumeWriter; fills(): number } {
  const silent = () =>
    new LateThread(() => ({
      postMessage: () => undefined,
      onMessage: () => undefined,
      onFailure: () => undefined,
      terminate: () => Promise.resolve(),
    }));
  const ignore = () => undefined;
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
  let fills = 0;
  const fill = (): boolean => {
    fills += 1;
    return true;
  };
  writer.start();
  writer.addSource({ fill, onVolumeLost: ignore, moveAway: ignore });
  return { writer, fills: () => fills };
}

it("a batch is filled after all else that is due then: frames that are read in the same turn come along", async () => {
  const clock = new ManualClock();
  const { writer, fills } = startWriter(clock);
  const seenByReader: number[] = [];
  clock.setInterval(() => seenByReader.push(fills()), TICK_MS);
  clock.advance(TICK_MS);
  await Promise.resolve();
  writer.stop();
  expect({ seenByReader, fills: fills() }).toEqual({ seenByReader: [0], fills: 1 });
});

it("no batch is filled when the writer was stopped in that turn", async () => {
  const clock = new ManualClock();
  const { writer, fills } = startWriter(clock);
  clock.setInterval(() => writer.stop(), TICK_MS);
  clock.advance(TICK_MS);
  await Promise.resolve();
  expect(fills()).toBe(0);
});
