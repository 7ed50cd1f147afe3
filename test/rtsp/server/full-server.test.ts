import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { RtspServer } from "../../../src/rtsp/server/index.js";
import { until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { HandSource } from "../../support/rtsp/hand-source.js";
import { MemoryStrangers } from "../../support/rtsp/memory-strangers.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";

const CONNECTIONS_MAX = 8;
/** 7 of 8 of them. */
const STRANGERS_MAX = 7;
const KNOWN = "127.0.0.200";
const INTERLEAVED = "RTP/AVP/TCP;unicast;interleaved=0-1";

let server: RtspServer;
let clock: SimulatedClock;
let port: number;
let clients: RawRtspClient[];
let sockets: Socket[];

beforeEach(async () => {
  clients = [];
  sockets = [];
  clock = new SimulatedClock();
  server = new RtspServer({
    ...{ listen: "127.0.0.1", port: 0, mounts: new Map([["/hand", new HandSource()]]) },
    ...{ clock, log: createLog({ level: "silent" }), connectionsMax: CONNECTIONS_MAX },
    strangers: new MemoryStrangers([KNOWN]),
  });
  ({ port } = await server.start());
});
afterEach(async () => {
  for (const client of clients) client.close();
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

const url = (): string => `rtsp://127.0.0.1:${port}/hand`;

async function open(): Promise<RawRtspClient> {
  const client = await RawRtspClient.connect(port);
  clients.push(client);
  return client;
}

/** A client with a session; `plays` it, or leaves it at that. */
async function withSession(plays: boolean): Promise<RawRtspClient> {
  const client = await open();
  const answer = await client.request("SETUP", `${url()}/trackID=0`, { Transport: INTERLEAVED });
  const [session = ""] = (answer.headers.get("session") ?? "").split(";");
  if (plays) await client.request("PLAY", url(), { Session: session });
  return client;
}

async function openFrom(localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

const isAnswered = async (client: RawRtspClient): Promise<boolean> =>
  (await client.request("OPTIONS", url())).status === 200;

describe("a server that is full of sessions that never play", () => {
  it("takes another viewer, and the oldest of them goes", async () => {
    const idle: RawRtspClient[] = [];
    for (let count = 0; count < STRANGERS_MAX; count += 1) idle.push(await withSession(false));
    const viewer = await open();
    expect(await isAnswered(viewer)).toBe(true);
    await until("one has gone", () => idle.some(({ closed }) => closed));
    expect(idle.map(({ closed }) => closed)).toEqual(idle.map((_, index) => index === 0));
  });

  it("keeps who plays", async () => {
    const playing = [await withSession(true), await withSession(true)];
    for (let count = 0; count < 3 * CONNECTIONS_MAX; count += 1) await withSession(false);
    expect(playing.map(({ closed }) => closed)).toEqual([false, false]);
  });

  it("has a place for an address that somebody has logged in from, also while all strangers play", async () => {
    for (let count = 0; count < STRANGERS_MAX; count += 1) await withSession(true);
    const user = await openFrom(KNOWN);
    user.write("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n");
    const [answer] = (await once(user, "data")) as [Buffer];
    expect(answer.toString()).toContain("200 OK");
    const stranger = await open();
    await until("a stranger finds no place", () => stranger.closed);
    expect(user.destroyed).toBe(false);
  });
});

describe("interleaved data", () => {
  const packet = Buffer.concat([Buffer.from([0x24, 1, 0x10, 0]), Buffer.alloc(0x1000)]);

  it("without a session ends the connection", async () => {
    const client = await open();
    client.socket.write(Buffer.concat([packet, packet, packet]));
    await until("the connection is closed", () => client.closed, { seen: () => client.responses });
    await until("it is counted out", () => server.connections === 0, { seen: () => server.connections });
  });

  it("of a few reports after the end of a session does not", async () => {
    const client = await open();
    client.socket.write(Buffer.from([0x24, 1, 0, 2, 0, 0]));
    expect(await isAnswered(client)).toBe(true);
  });

  it("of a session in such amounts as no report has ends the connection", async () => {
    const client = await withSession(true);
    client.socket.write(Buffer.concat(Array.from({ length: 32 }, () => packet)));
    await until("the connection is closed", () => client.closed, { seen: () => client.responses });
  });

  it("of a session as reports come in does not, however long it plays", async () => {
    const client = await withSession(true);
    for (let second = 0; second < 40; second += 1) {
      client.socket.write(packet);
      expect(await isAnswered(client)).toBe(true);
      clock.advance(1_000_000);
    }
    expect(client.closed).toBe(false);
  });
});
