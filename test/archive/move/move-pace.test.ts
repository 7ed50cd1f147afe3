import { expect, it } from "vitest";
import { MovePace } from "../../../src/archive/move/move-pace.js";
import type { MovingVolume } from "../../../src/archive/move/moving-volume.js";
import { TakeLevel } from "../../../src/archive/write/held-frames.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const MIB = 1024 * 1024;

interface Disk {
  reads: { stallMs: number };
  writer: { level: TakeLevel; writeStallMs: number; syncStallMs: number } | undefined;
}

function setUp(disk: Partial<Disk> = {}) {
  const clock = new SimulatedClock();
  const idle = { level: TakeLevel.ALL, writeStallMs: 0, syncStallMs: 0 };
  const volume: Disk = { reads: { stallMs: 0 }, writer: idle, ...disk };
  const stopping = new AbortController();
  const log: string[] = [];
  const startUs = clock.monotonicUs();
  const note = (what: string): void => void log.push(`${what} ${(clock.monotonicUs() - startUs) / 1000}`);
  /** A piece whose work takes so long. */
  const piece = (bytes: number, tookMs: number): void => {
    const work = async (): Promise<void> => {
      note("work");
      clock.advance(tookMs * 1000);
    };
    const at = { volumes: [volume as unknown as MovingVolume], bytes, signal: stopping.signal };
    new MovePace(clock).piece(work, at).then(
      () => note("done"),
      () => note("given up"),
    );
  };
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 50) {
      await new Promise(setImmediate);
      clock.advance(50_000);
    }
    await new Promise(setImmediate);
  };
  return { clock, volume, stopping, log, piece, pass };
}

it("after a piece the disks are left alone for as long as it took", async () => {
  const { piece, pass, log } = setUp();
  piece(1, 400);
  await pass(2000);
  expect(log).toEqual(["work 0", "done 800"]);
});

it("no more than 32 MiB are moved in a second, however fast the disks are", async () => {
  const { piece, pass, log } = setUp();
  piece(16 * MIB, 0);
  await pass(2000);
  expect(log).toEqual(["work 0", "done 500"]);
});

it.each<[string, Partial<Disk>]>([
  ["reads wait for longer than 500 ms", { reads: { stallMs: 501 } }],
  [
    "writes wait for longer than 500 ms",
    { writer: { level: TakeLevel.ALL, writeStallMs: 501, syncStallMs: 0 } },
  ],
  [
    "syncs wait for longer than 2 s",
    { writer: { level: TakeLevel.ALL, writeStallMs: 0, syncStallMs: 2001 } },
  ],
  ["cameras are thinned out", { writer: { level: TakeLevel.KEY_FRAMES, writeStallMs: 0, syncStallMs: 0 } }],
])("nothing is moved while %s; it is looked every 500 ms", async (_name, disk) => {
  const { piece, pass, log, volume, clock } = setUp(disk);
  piece(1, 0);
  await pass(700);
  expect(log).toEqual([]);
  volume.reads = { stallMs: 500 };
  volume.writer = { level: TakeLevel.ALL, writeStallMs: 500, syncStallMs: 2000 };
  await pass(500);
  expect(log[0]).toBe("work 1000");
  await pass(100);
  expect(clock.timers).toBe(0);
});

it("a volume that is only read has no writer to wait for", async () => {
  const { piece, pass, log } = setUp({ writer: undefined });
  piece(1, 0);
  await pass(100);
  expect(log[0]).toBe("work 0");
});

it("a move that is stopped while the disks are busy does no more work", async () => {
  const { piece, pass, log, stopping } = setUp({ reads: { stallMs: 900 } });
  piece(1, 0);
  await pass(200);
  stopping.abort();
  await pass(100);
  expect(log).toEqual([expect.stringMatching(/^given up/)]);
});
