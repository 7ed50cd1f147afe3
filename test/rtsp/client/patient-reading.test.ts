import { afterEach, expect, it } from "vitest";
import { ReadTicker } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { FakeCamera } from "../../support/rtsp/fake-camera.js";
import { cameraAnswers, interleaved, keyFrames, reply } from "../../support/rtsp/scripted-rtsp-server.js";
import { makeSource, type SourceHarness } from "../../support/rtsp/source-harness.js";

const SECOND_US = 1_000_000;
/** A session is new, and read on each tick, for ten seconds after its first. */
const SETTLED_US = 13 * SECOND_US;

let harness: SourceHarness | undefined;
let clock: SimulatedClock;

afterEach(async () => {
  const stopped = harness?.source.stop();
  await clock.advanceSlowly(2 * SECOND_US, 200_000);
  await stopped;
  harness = undefined;
});

/** Plays a camera that sends `bytesOf(read)` for each read; answers how often it was read within the second after each `changes`. */
async function readsASecond(options: {
  readonly isPatient: boolean;
  readonly bytes?: (read: number) => Buffer;
  readonly changes?: readonly ((harness: SourceHarness) => void)[];
}): Promise<number[]> {
  clock = new SimulatedClock();
  let reads = 0;
  let next = 3;
  const frame = (): Buffer => {
    next += 1;
    return keyFrames(next, next);
  };
  const { bytes = frame } = options;
  const read = (): Buffer => {
    reads += 1;
    return bytes(reads);
  };
  const answers = cameraAnswers({ PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3)]) });
  const ticker = new ReadTicker({ clock, periodMs: 200, patientMs: 400, afterPoll: (run) => run() });
  const { isPatient } = options;
  const url = "rtsp://192.0.2.1/live";
  const timeouts = { frameProgressMs: 60_000 };
  const dialer = new FakeCamera({ answers, read });
  harness = makeSource({ url, clock, ticker, dialer, isPatient, timeouts });
  harness.source.start();
  await clock.advanceSlowly(SETTLED_US, 200_000);
  const counted: number[] = [];
  for (const change of [() => undefined, ...(options.changes ?? [])]) {
    change(harness);
    await clock.advanceSlowly(400_000, 200_000);
    const before = reads;
    await clock.advanceSlowly(2 * SECOND_US, 200_000);
    counted.push((reads - before) / 2);
  }
  return counted;
}

it("a camera of which only the archive takes frames is read on the longer tick", async () => {
  expect(await readsASecond({ isPatient: true })).toEqual([2.5]);
});

it("a camera is read on each tick while somebody else takes its frames, and seldom again after that", async () => {
  const onFrame = (): void => undefined;
  let leave = (): void => undefined;
  const changes = [
    ({ stream }: SourceHarness) => {
      const looking = stream.subscribe({ onFrame }, { fromGop: false, atOnce: false });
      leave = () => looking.close();
    },
    () => leave(),
  ];
  expect(await readsASecond({ isPatient: true, changes })).toEqual([2.5, 5, 2.5]);
});

it("a camera whose frames may not wait is read on each tick", async () => {
  expect(await readsASecond({ isPatient: false })).toEqual([5]);
});

it("a camera that sends less than a packet a tick is read on each tick: its newest frame shows by silence that it is whole", async () => {
  const seldom = (read: number): Buffer => (read % 5 === 0 ? keyFrames(read, read) : Buffer.alloc(0));
  expect(await readsASecond({ isPatient: true, bytes: seldom })).toEqual([5]);
});

it("a camera that sends more than TCP's window should hold is read on each tick", async () => {
  // 0.7 MiB within 200 ms; within the longer tick it would be 1.4, and 1 MiB may wait. On a channel that nobody asked for.
  const big = interleaved(9, Buffer.concat([Buffer.from([0x80]), Buffer.alloc(60_000)]));
  const many = (read: number): Buffer =>
    Buffer.concat([...Array<Buffer>(12).fill(big), keyFrames(read, read)]);
  expect(await readsASecond({ isPatient: true, bytes: many })).toEqual([5]);
});
