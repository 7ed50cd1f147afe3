// Own process: it measures the heap and counts the open files of its process.
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createLog, EMPTY_GUID } from "../../../src/base/index.js";
import { LiveStream, SlabPool } from "../../../src/live/index.js";
import { ReadTicker, RtspSource, type RtspSourceOptions } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { FlappingCamera } from "../../support/rtsp/memory-camera.js";
import { cameraAnswers, ScriptedRtspServer } from "../../support/rtsp/scripted-rtsp-server.js";

/** `npm run torture -- reconnects` asks for more. */
const SESSIONS = Number(process.env.NVRD_TEST_SESSIONS ?? 3000);
/** What 9,000 sessions may leave on the heap: less than 100 bytes each. */
const HEAP_GROWTH_BYTES_MAX = 900_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

function build(options: Pick<RtspSourceOptions, "url" | "dialer">) {
  const clock = new SimulatedClock();
  const pool = new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 16 * 1024 * 1024 });
  const stream = new LiveStream({ channelId: EMPTY_GUID, streamType: "Main" });
  let frames = 0;
  stream.subscribe(
    {
      onFrame: () => {
        frames += 1;
      },
    },
    { fromGop: false, atOnce: false },
  );
  const source = new RtspSource({
    ...options,
    transport: "tcp",
    stream,
    pool,
    clock,
    random: () => 0.5,
    log: createLog({ level: "silent" }),
    ticker: new ReadTicker({ clock }),
    wantAudio: false,
  });
  /** Lets simulated time pass until the camera has seen so many sessions. */
  const untilSessions = async (sessions: () => number, count: number): Promise<void> => {
    while (sessions() < count) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(5000);
    }
  };
  return { clock, pool, source, untilSessions, frames: () => frames };
}

it(`${SESSIONS} sessions of a flapping camera leave heap, slabs and timers flat`, async () => {
  const camera = new FlappingCamera(5);
  const { clock, pool, source, untilSessions, frames } = build({ url: "rtsp://192.0.2.1/a", dialer: camera });
  source.start();
  await untilSessions(() => camera.sessions, 1000);
  const heapBefore = heapBytes();
  const timersBefore = clock.timers;
  const slabBytesBefore = pool.allocatedBytes;
  await untilSessions(() => camera.sessions, SESSIONS);
  expect(heapBytes() - heapBefore).toBeLessThan(HEAP_GROWTH_BYTES_MAX);
  expect(clock.timers).toBeLessThanOrEqual(timersBefore + 2);
  expect(pool.allocatedBytes).toBe(slabBytesBefore);
  expect(frames()).toBeGreaterThan(3 * SESSIONS);
  await source.stop();
  expect(clock.timers).toBe(0);
  expect(camera.open).toBe(0);
  expect(pool.idleBytes).toBe(pool.allocatedBytes);
});

it("reconnecting over the network leaves descriptors flat", async () => {
  const descriptors = () => readdirSync("/proc/self/fd").length;
  const server = await new ScriptedRtspServer(
    cameraAnswers({
      PLAY: (_request, socket) => {
        socket.end();
        return undefined;
      },
    }),
  ).start();
  const { source, untilSessions } = build({ url: server.url, dialer: undefined });
  source.start();
  await untilSessions(() => server.connections, 20);
  const before = descriptors();
  await untilSessions(() => server.connections, 320);
  expect(descriptors()).toBeLessThanOrEqual(before + 6);
  await source.stop();
  await server.stop();
});
