// Own process: it measures the memory of its process.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LiveStream } from "../../../src/live/index.js";
import { CLIENT_BEHIND_BYTES_MAX, CLIENT_STALLED_MS_MAX } from "../../../src/player/socket/socket-pace.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { pictures } from "../../support/hls/hls-frames.js";

const TILE = { width: 640, height: 360 };
const PICTURE_BYTES = 100_000;
const GOP = 10;

let api: ApiHarness;
let clock: SimulatedClock;
let gate: LiveStream;
let published: number;
const clients: LiveSocketClient[] = [];

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US);
  api = await startApi({ clock, settings: { httpsPort: "any" } });
  gate = api.streams.live(GATE_ID);
  gate.setState({ state: "active" });
  published = 0;
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await api.stop();
});

async function watch(secure = false): Promise<LiveSocketClient> {
  const client = new LiveSocketClient(api.port, secure ? { port: api.httpsPort, tls: {} } : {});
  clients.push(client);
  await client.greet();
  client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
  await until("a subscription", () => client.of("problem").length + client.of("stream").length > 0);
  return client;
}

/** One group of pictures after the other, 40 ms apart, with a turn of the event loop behind each picture. */
async function publish(count: number): Promise<void> {
  for (let at = 0; at < count; at += GOP) {
    for (const frame of pictures(GOP, { from: published, gop: GOP, bytes: PICTURE_BYTES })) {
      gate.publish(frame);
      clock.advance(40_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    published += GOP;
  }
}

/** The places where the client's pictures do not follow one another: each must be a key frame. */
function jumpsOf(
  client: LiveSocketClient,
): { readonly missing: number; readonly key: boolean; readonly marked: boolean }[] {
  const sent = client.pictures();
  return sent.flatMap(({ sequence, key, discontinuity }, at) => {
    const before = sent[at - 1];
    const missing = before === undefined ? 0 : sequence - before.sequence - 1;
    return missing === 0 ? [] : [{ missing, key, marked: discontinuity }];
  });
}

describe("a client of the live socket that reads slowly", () => {
  it.each([
    ["over HTTP", false],
    ["over HTTPS", true],
  ])("loses pictures up to a key frame, and is told how many: %s", async (_, secure) => {
    const client = await watch(secure);
    await publish(20);
    await until("pictures", () => client.pictures().length === 20);
    client.socket.pause();
    await publish(400);
    client.socket.resume();
    await until("what waited", () => client.of("dropped").length > 0);
    // It gets key frames first, and after some seconds all pictures again.
    await publish(200);
    await until("the newest picture", () => client.pictures().at(-1)?.sequence === 620);
    expect(
      client
        .pictures()
        .slice(-50)
        .map(({ sequence }) => sequence),
    ).toEqual(Array.from({ length: 50 }, (_, at) => 571 + at));
    const jumps = jumpsOf(client);
    expect(jumps.length).toBeGreaterThan(0);
    expect(jumps.every(({ key, marked }) => key && marked)).toBe(true);
    expect(client.of("dropped")).toEqual(
      jumps.map(({ missing }) => ({ type: "dropped", id: 1, count: missing })),
    );
    // Whatever the socket holds, what comes is whole.
    expect(client.pictures().every(({ media }) => media.length > PICTURE_BYTES)).toBe(true);
  });

  it("takes a bounded share of the memory, and others lose nothing", async () => {
    const quick = await watch();
    const slow = await Promise.all(Array.from({ length: 10 }, () => watch()));
    await publish(20);
    for (const client of slow) client.socket.pause();
    await publish(100);
    const before = process.memoryUsage().rss;
    await publish(400);
    // 40 MB more for each of ten.
    expect(process.memoryUsage().rss - before).toBeLessThan(10 * CLIENT_BEHIND_BYTES_MAX + 120_000_000);
    await until("all pictures of the quick one", () => quick.pictures().length === 520);
    expect(quick.of("dropped")).toEqual([]);
  });

  it("is disconnected when it takes nothing at all", async () => {
    const client = await watch();
    client.socket.pause();
    await publish(200);
    await clock.advanceSlowly((CLIENT_STALLED_MS_MAX + 2000) * 1000, 500_000);
    await until("nobody watches", () => gate.atOnce === 0);
    expect(api.server.figures().openStreams).toBe(0);
  });

  it("goes on without a loss after a short pause", async () => {
    const client = await watch();
    await publish(10);
    await until("pictures", () => client.pictures().length === 10);
    client.socket.pause();
    await publish(10);
    client.socket.resume();
    await publish(20);
    await until("all", () => client.pictures().length === 40);
    expect(client.of("dropped")).toEqual([]);
  });
});
