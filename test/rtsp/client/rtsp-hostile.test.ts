import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlabPool } from "../../../src/live/index.js";
import { ReadTicker } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { FakeCamera, type Slicer } from "../../support/rtsp/fake-camera.js";
import { cameraAnswers, interleaved, keyFrames, reply } from "../../support/rtsp/scripted-rtsp-server.js";
import { makeSource, type SourceHarness } from "../../support/rtsp/source-harness.js";

const SLAB_BYTES = 128 * 1024;
const POOL_BYTES_MAX = 8 * SLAB_BYTES;

/** Plays a camera to a source for some simulated seconds, then stops it; everything must be given back. */
async function play(camera: FakeCamera, seconds = 3): Promise<SourceHarness> {
  const clock = new SimulatedClock();
  const ticker = new ReadTicker({ clock, periodMs: 200, afterPoll: (run) => run() });
  const pool = new SlabPool({ slabBytes: SLAB_BYTES, totalBytesMax: POOL_BYTES_MAX });
  const harness = makeSource({ url: "rtsp://192.0.2.1/live", clock, ticker, pool, dialer: camera });
  harness.source.start();
  await clock.advanceSlowly(seconds * 1_000_000, 250_000);
  const stopped = harness.source.stop();
  await clock.advanceSlowly(1_200_000, 200_000);
  await stopped;
  expect(clock.timers).toBe(0);
  expect(camera.open).toBe(0);
  expect(harness.logLines.filter((line) => line.includes("unexpected"))).toEqual([]);
  expect(pool.idleBytes).toBe(pool.allocatedBytes);
  return harness;
}

describe("bytes of a hostile camera", () => {
  it("a recorded session split at every byte gives the same frames", async () => {
    const answers = cameraAnswers({
      PLAY: () => {
        const report = Buffer.from("80c80006112233440000000100000001000000010000000100000001", "hex");
        return Buffer.concat([
          Buffer.from(reply(200)),
          keyFrames(1, 2),
          interleaved(1, report),
          keyFrames(3, 4),
        ]);
      },
    });
    const lengths = new Map<string, number>();
    const whole = await play(
      new FakeCamera({
        answers,
        slice: (bytes, method) => {
          lengths.set(method, bytes.length);
          return [bytes];
        },
      }),
      1,
    );
    const expected = whole.frames.map((frame) => frame.bytes.toString("hex"));
    expect(expected.length).toBeGreaterThanOrEqual(3);
    for (let at = 1; at < Math.max(...lengths.values()); at += 1) {
      const slice: Slicer = (bytes) => [bytes.subarray(0, at), bytes.subarray(at)];
      const seen = await play(new FakeCamera({ answers, slice }), 1);
      expect(seen.frames.map((frame) => frame.bytes.toString("hex"))).toEqual(expected);
    }
  });

  it("random bytes instead of answers: no end, no hang, no growth", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.uint8Array({ maxLength: 400 }),
        async (greeting, noise) => {
          const answers = { OPTIONS: () => Buffer.from(noise) };
          await play(new FakeCamera({ answers, greeting: Buffer.from(greeting) }));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("mutated sessions: no end, no hang, no growth", async () => {
    const mutation = fc.record({
      at: fc.nat(),
      bytes: fc.uint8Array({ maxLength: 8 }),
      cut: fc.nat({ max: 12 }),
    });
    const methods = fc.constantFrom("OPTIONS", "DESCRIBE", "SETUP", "PLAY", "TEARDOWN");
    await fc.assert(
      fc.asyncProperty(
        methods,
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        async (mutated, mutations) => {
          const slice: Slicer = (bytes, method) => {
            if (method !== mutated) return [bytes];
            return [
              mutations.reduce((done, { at, bytes: inserted, cut }) => {
                const place = at % (done.length + 1);
                return Buffer.concat([done.subarray(0, place), inserted, done.subarray(place + cut)]);
              }, bytes),
            ];
          };
          await play(new FakeCamera({ slice }));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("a flood of requests and stray responses has no effect", async () => {
    const flood = Buffer.concat(
      Array.from({ length: 500 }, (_, index) =>
        Buffer.from(
          `GET_PARAMETER rtsp://x RTSP/1.0\r\nCSeq: ${index}\r\n\r\nRTSP/1.0 200 OK\r\nCSeq: ${index + 1000}\r\n\r\n`,
        ),
      ),
    );
    const answers = cameraAnswers({
      PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 2), flood, keyFrames(3, 4)]),
    });
    const seen = await play(new FakeCamera({ answers }), 3);
    expect(seen.frames.length).toBeGreaterThanOrEqual(3);
  });

  it("an empty pool loses frames, not the session", async () => {
    const clock = new SimulatedClock();
    const ticker = new ReadTicker({ clock, periodMs: 200, afterPoll: (run) => run() });
    const pool = new SlabPool({ slabBytes: SLAB_BYTES, totalBytesMax: SLAB_BYTES });
    const taken = pool.take();
    const camera = new FakeCamera({});
    const harness = makeSource({ url: "rtsp://192.0.2.1/live", clock, ticker, pool, dialer: camera });
    harness.source.start();
    await clock.advanceSlowly(1_000_000, 100_000);
    expect(camera.dials).toBe(1);
    expect(harness.frames).toHaveLength(0);
    const stopped = harness.source.stop();
    await clock.advanceSlowly(1_200_000, 200_000);
    await stopped;
    taken?.release();
    expect(pool.idleBytes).toBe(pool.allocatedBytes);
  });
});
