import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { RtspServer } from "../../../src/rtsp/server/index.js";
import { REQUESTS_A_TURN } from "../../../src/rtsp/server/server-connection.js";
import { until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { HandSource } from "../../support/rtsp/hand-source.js";
import { MemoryStrangers } from "../../support/rtsp/memory-strangers.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";

/** A clock of a machine so slow that time passes between two looks at it. */
class SlowClock extends SimulatedClock {
  passesUs = 0;
  #passedUs = 0;

  override monotonicUs(): number {
    this.#passedUs += this.passesUs;
    return super.monotonicUs() + this.#passedUs;
  }
}

const ADDRESS = "127.0.0.1";
const REQUESTS = 800;
const INTERLEAVED = "RTP/AVP/TCP;unicast;interleaved=0-1";

let clock: SlowClock;
let strangers: MemoryStrangers;
let server: RtspServer;
let port: number;
let clients: RawRtspClient[];

beforeEach(() => start(new MemoryStrangers()));
afterEach(async () => {
  for (const client of clients) client.close();
  await server.stop();
});

async function start(given: MemoryStrangers): Promise<void> {
  clients = [];
  clock = new SlowClock();
  strangers = given;
  server = new RtspServer({
    ...{ listen: "127.0.0.1", port: 0, mounts: new Map([["/hand", new HandSource()]]) },
    ...{ clock, log: createLog({ level: "silent" }), strangers },
  });
  ({ port } = await server.start());
}

async function open(): Promise<RawRtspClient> {
  const client = await RawRtspClient.connect(port);
  clients.push(client);
  return client;
}

const url = (): string => `rtsp://127.0.0.1:${port}/hand`;
const spentMs = (): number => strangers.spentMs.get(ADDRESS) ?? 0;

describe("a stranger at the RTSP server", () => {
  it("spends the main thread's time for strangers with each connection", async () => {
    for (let count = 0; count < 4; count += 1) await (await open()).request("OPTIONS", url());
    expect(spentMs()).toBeGreaterThanOrEqual(1);
  });

  it("spends it with what a request takes, before it waits and after", async () => {
    const client = await open();
    await client.request("OPTIONS", url());
    const before = spentMs();
    clock.passesUs = 30_000;
    await client.request("DESCRIBE", url());
    expect(spentMs() - before).toBeGreaterThanOrEqual(60);
  });

  it("spends it with bytes that are no request", async () => {
    const client = await open();
    clock.passesUs = 30_000;
    client.socket.write("x".repeat(100_000));
    await until("the connection is closed", () => client.closed, { seen: () => client.responses });
    expect(spentMs()).toBeGreaterThanOrEqual(30);
  });

  it("who sends many requests at once lets the event loop turn between them", async () => {
    const client = await open();
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    client.socket.write(`OPTIONS ${url()} RTSP/1.0\r\nCSeq: 1\r\n\r\n`.repeat(REQUESTS));
    await until("all are answered", () => client.responses.length === REQUESTS, {
      seen: () => client.responses.length,
    });
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(REQUESTS / REQUESTS_A_TURN);
  });

  it("who had it is answered 503 with the time to wait, and the connection ends", async () => {
    const client = await open();
    strangers.hadTheirs = true;
    const { status, headers } = await client.request("DESCRIBE", url());
    expect([status, headers.get("retry-after")]).toEqual([503, "3"]);
    await until("the connection is closed", () => client.closed);
  });

  it("who has much debt finds no connection at all", async () => {
    strangers.areDropped = true;
    const client = await open();
    await until("the connection is closed", () => client.closed);
    expect(client.responses).toEqual([]);
  });

  it("goes on with a session that was let in", async () => {
    const client = await open();
    const answer = await client.request("SETUP", `${url()}/trackID=0`, { Transport: INTERLEAVED });
    const [session = ""] = (answer.headers.get("session") ?? "").split(";");
    strangers.hadTheirs = true;
    expect((await client.request("PLAY", url(), { Session: session })).status).toBe(200);
    expect((await client.request("GET_PARAMETER", url(), { Session: session })).status).toBe(200);
  });
});

it("an address that somebody has logged in from is answered whatever strangers had", async () => {
  await server.stop();
  await start(new MemoryStrangers([ADDRESS]));
  strangers.hadTheirs = true;
  strangers.areDropped = true;
  expect((await (await open()).request("DESCRIBE", url())).status).toBe(200);
});
