import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { READ_AT_ONCE_FIRST_MS } from "../../../src/rtsp/client/rtsp-session.js";
import { ReadTicker } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import {
  cameraAnswers,
  describeReply,
  interleaved,
  keyFrames,
  reply,
  type ScriptedAnswer,
  ScriptedRtspServer,
  VIDEO_SDP,
} from "../../support/rtsp/scripted-rtsp-server.js";
import {
  type HarnessOptions,
  lastReason,
  makeSource,
  type SourceHarness,
} from "../../support/rtsp/source-harness.js";
import { freePorts } from "../../support/service/background-process.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function camera(
  changes: Readonly<Record<string, ScriptedAnswer>> = {},
  port = 0,
): Promise<ScriptedRtspServer> {
  const server = await new ScriptedRtspServer(cameraAnswers(changes)).start(port);
  cleanups.push(() => server.stop());
  return server;
}

function watch(server: { readonly url: string }, options: Partial<HarnessOptions> = {}): SourceHarness {
  const harness = makeSource({ url: server.url, ...options });
  cleanups.push(() => harness.source.stop());
  harness.source.start();
  return harness;
}

const SECOND_US = 1_000_000;

describe("supervision", () => {
  it("keeps a session alive by SET_PARAMETER when that is all the camera offers", async () => {
    const clock = new SimulatedClock();
    const server = await camera({
      OPTIONS: () => reply(200, ["Public: DESCRIBE, SETUP, PLAY, SET_PARAMETER, TEARDOWN"]),
      SETUP: () => reply(200, ["Session: 9;timeout=10"]),
      SET_PARAMETER: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(4, 5)]),
    });
    const harness = watch(server, { clock, timeouts: { frameProgressMs: 60_000 } });
    await harness.until(() => harness.frames.length >= 2);
    await clock.advanceSlowly(4 * SECOND_US);
    expect(server.find("SET_PARAMETER")).toBeUndefined();
    await clock.advanceSlowly(2 * SECOND_US);
    await harness.until(() => server.find("SET_PARAMETER") !== undefined);
    expect(server.find("SET_PARAMETER")?.headers.get("session")).toBe("9");
  });

  it("uses another keep-alive when the camera refuses the first", async () => {
    const clock = new SimulatedClock();
    const server = await camera({
      SETUP: () => reply(200, ["Session: 9;timeout=4"]),
      GET_PARAMETER: () => reply(501),
    });
    const harness = watch(server, { clock, timeouts: { frameProgressMs: 60_000 } });
    await harness.until(() => harness.frames.length >= 2);
    await clock.advanceSlowly(5 * SECOND_US);
    await harness.until(() => server.methods().filter((method) => method === "OPTIONS").length >= 2);
    await clock.advanceSlowly(6 * SECOND_US);
    expect(server.methods().filter((method) => method === "GET_PARAMETER")).toHaveLength(1);
  });

  it("sends receiver reports at once, and then so often that no camera misses them", async () => {
    const clock = new SimulatedClock();
    const reportsUs: number[] = [];
    const server = await camera({
      PLAY: (_request, socket) => {
        socket.on("data", (chunk) => {
          if (chunk[0] === 0x24 && chunk[1] === 1 && chunk[5] === 201) reportsUs.push(clock.monotonicUs());
        });
        return Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3)]);
      },
    });
    const harness = watch(server, { clock, timeouts: { frameProgressMs: 60_000 } });
    await harness.until(() => harness.frames.length >= 2);
    await clock.advanceSlowly(21 * SECOND_US);
    await harness.until(() => reportsUs.length >= 8);
    expect(reportsUs.length).toBeLessThanOrEqual(10);
  });

  it("ends the session when the camera says BYE", async () => {
    const bye = Buffer.concat([Buffer.from([0x81, 203, 0, 1]), Buffer.from("11223344", "hex")]);
    const foreign = Buffer.from([0x81, 203, 0, 1, 1, 2, 3, 4]);
    const server = await camera({
      PLAY: () =>
        Buffer.concat([
          Buffer.from(reply(200)),
          keyFrames(1, 2),
          interleaved(1, foreign),
          keyFrames(3, 3),
          interleaved(1, bye),
        ]),
    });
    const harness = watch(server);
    await harness.until(() => lastReason(harness) !== "");
    expect(harness.frames.length).toBeGreaterThanOrEqual(3);
    expect(lastReason(harness)).toBe("the camera ended the stream");
  });

  it("goes on when the camera says BYE for one source and sends as another", async () => {
    const clock = new SimulatedClock();
    const bye = Buffer.concat([Buffer.from([0x81, 203, 0, 1]), Buffer.from("11223344", "hex")]);
    let cameraSocket: Socket | undefined;
    const server = await camera({
      PLAY: (_request, socket) => {
        cameraSocket = socket;
        return Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 2), interleaved(1, bye)]);
      },
    });
    const harness = watch(server, { clock });
    await harness.until(() => harness.frames.length >= 1);
    const other = keyFrames(3, 6);
    for (let at = 0; at < other.length; at += 4 + other.readUInt16BE(at + 2)) other.writeUInt32BE(7, at + 12);
    cameraSocket?.write(other);
    await harness.until(() => harness.frames.length >= 5);
    await clock.advanceSlowly(3 * SECOND_US);
    expect(lastReason(harness)).toBe("");
    expect(harness.source.attempts).toBe(1);
  });

  it("server that does not respond: gives up in time, reports it, tries again", async () => {
    const clock = new SimulatedClock();
    const server = await camera({ OPTIONS: () => undefined, DESCRIBE: () => undefined });
    const harness = watch(server, { clock });
    await harness.until(() => server.requests.length === 1);
    await clock.advanceSlowly(3 * SECOND_US);
    await harness.until(() => server.find("DESCRIBE") !== undefined);
    await clock.advanceSlowly(11 * SECOND_US);
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toMatch(/does not answer DESCRIBE within 10 s/);
    await clock.advanceSlowly(2 * SECOND_US, 50_000, () => server.connections >= 2);
    await harness.until(() => server.connections >= 2);
  });

  it("server that ignores OPTIONS: DESCRIBE is sent after a short wait", async () => {
    const clock = new SimulatedClock();
    const server = await camera({ OPTIONS: () => undefined });
    const harness = watch(server, { clock });
    await harness.until(() => server.requests.length === 1);
    await clock.advanceSlowly(2.1 * SECOND_US);
    await harness.until(() => harness.frames.length >= 2);
    expect(server.connections).toBe(1);
  });

  it.each([404, 454, 503])(
    "camera that answers %i while it boots: asked each 2 s for a minute",
    async (status) => {
      const clock = new SimulatedClock();
      const server = await camera();
      const harness = watch(server, { clock });
      await harness.until(() => harness.frames.length >= 2);
      server.answer("DESCRIBE", () => reply(status));
      for (const socket of server.sockets) socket.destroy();
      await clock.advanceSlowly(20 * SECOND_US, 20_000);
      const before = harness.source.attempts;
      await clock.advanceSlowly(20 * SECOND_US, 20_000);
      expect(harness.source.attempts - before).toBeGreaterThanOrEqual(10);
      await clock.advanceSlowly(60 * SECOND_US, 20_000);
      const later = harness.source.attempts;
      await clock.advanceSlowly(20 * SECOND_US, 20_000);
      expect(harness.source.attempts - later).toBeLessThanOrEqual(5);
    },
  );

  it("server that closes mid-header", async () => {
    const server = await camera({
      DESCRIBE: (_request, socket) => {
        socket.end("RTSP/1.0 200 OK\r\nContent-");
        return undefined;
      },
    });
    const harness = watch(server);
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toContain("closed the connection");
  });

  it("slowly arriving response: one deadline for all of it", async () => {
    const clock = new SimulatedClock();
    const server = await camera({ DESCRIBE: () => "RTSP/1.0 200 OK\r\nX: " });
    const harness = watch(server, { clock });
    await harness.until(() => server.find("DESCRIBE") !== undefined);
    for (let second = 0; second < 11; second += 1) {
      for (const socket of server.sockets) socket.write("x");
      await clock.advanceSlowly(SECOND_US);
    }
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toMatch(/does not answer DESCRIBE within 10 s/);
  });

  it("endless header: gives up at the limit", async () => {
    const server = await camera({ DESCRIBE: () => `RTSP/1.0 200 OK\r\n${"X: y\r\n".repeat(20_000)}` });
    const harness = watch(server);
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toContain("a message header longer than 65536 bytes");
  });

  it("no frame after PLAY, and frames that stop: both are noticed", async () => {
    const clock = new SimulatedClock();
    let plays = 0;
    const server = await camera({
      PLAY: () => (plays++ === 0 ? reply(200) : Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3)])),
    });
    const harness = watch(server, { clock });
    await harness.until(() => plays === 1);
    await clock.advanceSlowly(15 * SECOND_US, 50_000, () => lastReason(harness) !== "");
    expect(lastReason(harness)).toBe("the camera plays, but no data came within 10 s");
    await clock.advanceSlowly(2 * SECOND_US, 50_000, () => plays === 2);
    await harness.until(() => harness.frames.length >= 2);
    await clock.advanceSlowly(15 * SECOND_US, 50_000, () => lastReason(harness).includes("no frames"));
    expect(lastReason(harness)).toBe("no frames from the camera for 10 s");
    expect(server.methods()).toContain("TEARDOWN");
  });

  it("a camera that comes back is recorded within 3 s, with a discontinuity and rising times", async () => {
    const clock = new SimulatedClock();
    const [port = 0] = await freePorts(1);
    const server = await camera({}, port);
    const harness = watch(server, { clock });
    await harness.until(() => harness.frames.length >= 2);
    const seen = harness.frames.length;
    await server.stop();
    await harness.until(() => lastReason(harness) !== "");
    await clock.advanceSlowly(2.5 * SECOND_US);
    expect(lastReason(harness)).toContain("refuses the connection");
    await camera({}, port);
    // Steps of a millisecond leave the sockets their turns.
    await clock.advanceSlowly(3 * SECOND_US, 1000, () => harness.frames.length > seen);
    expect(harness.frames.length).toBeGreaterThan(seen);
    expect(harness.frames[seen]?.discontinuity).toBe(true);
    const times = harness.frames.map((frame) => frame.decodeTimeUs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(harness.states.at(-1)).toEqual({ state: "active" });
  });

  it("stops within its bound when the camera does not answer TEARDOWN, leaving no timer and no memory", async () => {
    const clock = new SimulatedClock();
    const ticker = new ReadTicker({ clock, periodMs: 20 });
    const server = await camera({ TEARDOWN: () => undefined });
    const harness = watch(server, { clock, ticker });
    await harness.until(() => harness.frames.length >= 2);
    const stopped = harness.source.stop();
    await harness.until(() => server.find("TEARDOWN") !== undefined);
    await clock.advanceSlowly(1.1 * SECOND_US);
    await stopped;
    expect(clock.timers).toBe(0);
    expect(harness.pool.idleBytes).toBe(harness.pool.allocatedBytes);
  });

  it("stops during setup, and closes the session", async () => {
    const server = await camera({ PLAY: () => undefined });
    const harness = watch(server);
    await harness.until(() => server.find("PLAY") !== undefined);
    await harness.source.stop();
    await harness.until(() => server.find("TEARDOWN") !== undefined);
    expect(harness.states.at(-1)).toEqual({ state: "idle" });
  });

  it("stopped from within a frame's delivery, and started and stopped in a row, ends in order", async () => {
    const server = await camera();
    const harness = makeSource({ url: server.url });
    cleanups.push(() => harness.source.stop());
    let stopped: Promise<void> | undefined;
    harness.stream.subscribe(
      {
        onFrame: () => {
          stopped ??= harness.source.stop();
        },
      },
      { fromGop: false, atOnce: true },
    );
    harness.source.start();
    await harness.until(() => stopped !== undefined);
    await stopped;
    expect(harness.states.at(-1)).toEqual({ state: "idle" });
    harness.source.start();
    const first = harness.source.stop();
    harness.source.start();
    await Promise.all([first, harness.source.stop()]);
    expect(harness.states.at(-1)).toEqual({ state: "idle" });
    await harness.until(() => server.sockets.length === 0);
  });

  it("reads on the tick while nobody watches, and at once when somebody does", async () => {
    const clock = new SimulatedClock();
    const server = await camera();
    const harness = watch(server, { clock });
    await harness.until(() => harness.frames.length >= 2);
    await clock.advanceSlowly((READ_AT_ONCE_FIRST_MS + 100) * 1000);
    const before = harness.frames.length;
    // The camera's clock has gone on meanwhile.
    const laterTicks = 90 * (READ_AT_ONCE_FIRST_MS + 100);
    for (const socket of server.sockets) socket.write(keyFrames(4, 8, 0, undefined, laterTicks));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(harness.frames.length).toBe(before);
    const viewer = harness.stream.subscribe({ onFrame: () => undefined }, { fromGop: false, atOnce: true });
    await harness.until(() => harness.frames.length >= before + 4);
    viewer.close();
    const after = harness.frames.length;
    await clock.advanceSlowly(40_000);
    for (const socket of server.sockets) socket.write(keyFrames(9, 12, 0, undefined, laterTicks));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(harness.frames.length).toBe(after);
    await clock.advanceSlowly(100_000);
    await harness.until(() => harness.frames.length >= after + 3);
    // Both ways of reading go on where the other ended: nothing is lost, repeated or written over.
    const seen = harness.frames.map((frame) =>
      Number(/frame (\d+)/.exec(frame.bytes.toString("latin1"))?.[1]),
    );
    expect(seen).toEqual(seen.map((_, index) => index + 1));
  });

  it("a subscriber that throws is dropped; the session goes on for the others", async () => {
    const server = await camera();
    const harness = makeSource({ url: server.url });
    cleanups.push(() => harness.source.stop());
    const options = { fromGop: false, atOnce: true };
    harness.stream.subscribe(
      {
        onFrame: () => {
          throw new Error("bad sink");
        },
      },
      options,
    );
    harness.source.start();
    await harness.until(() => harness.frames.length >= 2);
    expect(server.connections).toBe(1);
    expect(harness.stream.subscribers).toBe(1);
  });

  it("a name that does not resolve and a port that refuses are distinguished", async () => {
    const closed = await new ScriptedRtspServer({}).start();
    const { url } = closed;
    await closed.stop();
    const refused = watch({ url });
    await refused.until(() => lastReason(refused).includes("refuses the connection"));
    const missing = watch(await camera({ DESCRIBE: () => reply(404) }));
    await missing.until(() => lastReason(missing).includes("no stream at this address"));
    const nothing = watch(await camera({ DESCRIBE: () => describeReply(VIDEO_SDP.slice(0, 4)) }));
    await nothing.until(() => lastReason(nothing).includes("has no media"));
  });
});
