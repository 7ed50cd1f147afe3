import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { RtspServer } from "../../../src/rtsp/server/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { HandSource, handSlice } from "../../support/rtsp/hand-source.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { readRtp, reassembleH264 } from "../../support/rtsp/rtp-reassembly.js";

/** A client's pair of ports; what came is kept. */
class ClientPorts {
  readonly sockets: readonly [Socket, Socket] = [createSocket("udp4"), createSocket("udp4")];
  readonly packets: Buffer[][] = [[], []];
  ports: readonly [number, number] = [0, 0];

  async bind(): Promise<void> {
    for (const [at, socket] of this.sockets.entries()) {
      socket.on("message", (packet) => this.packets[at]?.push(packet));
      socket.bind(0, "127.0.0.1");
      await once(socket, "listening");
    }
    this.ports = [this.sockets[0].address().port, this.sockets[1].address().port];
  }

  get transport() {
    return { Transport: `RTP/AVP/UDP;unicast;client_port=${this.ports.join("-")}` };
  }

  close(): void {
    for (const socket of this.sockets) socket.close();
  }
}

let clock: SimulatedClock;
let source: HandSource;
let server: RtspServer;
let client: RawRtspClient;
let ports: ClientPorts;
let url: string;

beforeEach(async () => {
  clock = new SimulatedClock();
  source = new HandSource();
  const mounts = new Map([["/hand", source]]);
  const log = createLog({ level: "silent" });
  server = new RtspServer({ listen: "127.0.0.1", port: 0, mounts, clock, log, udp: true });
  const { port } = await server.start();
  client = await RawRtspClient.connect(port);
  ports = new ClientPorts();
  await ports.bind();
  url = `rtsp://127.0.0.1:${port}/hand`;
});

afterEach(async () => {
  client.close();
  ports.close();
  await server.stop();
});

/** Waits in real time while bursts fall due on the simulated clock. */
async function arrived(holds: () => boolean): Promise<void> {
  while (!holds()) await clock.advanceSlowly(5000, 1000);
}

const nals = () => reassembleH264((ports.packets[0] ?? []).map((packet) => readRtp(packet).payload));

async function play(): Promise<readonly [number, number]> {
  const setup = await client.request("SETUP", `${url}/trackID=0`, ports.transport);
  expect(setup.status).toBe(200);
  const match = /client_port=(\d+)-(\d+);server_port=(\d+)-(\d+);ssrc=/.exec(
    setup.headers.get("transport") ?? "",
  );
  expect([Number(match?.[1]), Number(match?.[2])]).toEqual(ports.ports);
  expect((await client.request("PLAY", url)).status).toBe(200);
  return [Number(match?.[3]), Number(match?.[4])];
}

describe("RTP over UDP", () => {
  it("comes from an even port and the odd one above it, with reports, and ends with BYE", async () => {
    const [rtp, rtcp] = await play();
    expect([rtp % 2, rtcp]).toEqual([0, rtp + 1]);
    source.send({ atUs: 0, bytes: handSlice(true, 1, 5000), key: true });
    await arrived(() => nals().length === 1 && ports.packets[1]?.length === 1);
    expect(nals()[0]).toEqual(handSlice(true, 1, 5000).subarray(4));
    for (const sink of source.sinks) sink.onEnd("over");
    await arrived(() => ports.packets[1]?.length === 2);
    expect(ports.packets[1]?.[1]?.subarray(-8)[1]).toBe(203);
  });

  it("spreads a large picture instead of overflowing the client's buffer, and loses none of it", async () => {
    await play();
    source.send({ atUs: 0, bytes: handSlice(true, 1, 400_000), key: true });
    const burst = async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      return (ports.packets[0] ?? []).reduce((sum, packet) => sum + packet.length, 0);
    };
    expect(await burst()).toBeLessThan(60_000);
    await arrived(() => nals().length === 1);
    expect(nals()[0]).toHaveLength(400_001);
  });

  it("is kept alive by the client's reports alone", async () => {
    const [, rtcp] = await play();
    for (let round = 0; round < 5; round++) {
      const before = server.connections;
      ports.sockets[1].send(Buffer.from("80c90001000000ff", "hex"), rtcp, "127.0.0.1");
      await new Promise((resolve) => setTimeout(resolve, 50));
      await clock.advanceSlowly(30_000_000, 1_000_000);
      expect([before, server.connections]).toEqual([1, 1]);
    }
    await clock.advanceSlowly(70_000_000, 1_000_000);
    expect(server.connections).toBe(0);
  });

  it("is sent only to the address of the RTSP connection, whatever is requested", async () => {
    const elsewhere = { Transport: `${ports.transport.Transport};destination=192.0.2.1` };
    const setup = await client.request("SETUP", `${url}/trackID=0`, elsewhere);
    expect(setup.headers.get("transport")).not.toContain("192.0.2.1");
    await client.request("PLAY", url);
    source.send({ atUs: 0, bytes: handSlice(true, 3), key: true });
    await arrived(() => nals().length === 1);
  });

  it("is not used if the client offers another transport first", async () => {
    const offers = { Transport: `RTP/AVP/TCP;unicast;interleaved=4-5,${ports.transport.Transport}` };
    const setup = await client.request("SETUP", `${url}/trackID=0`, offers);
    expect(setup.headers.get("transport")).toContain("RTP/AVP/TCP;unicast;interleaved=4-5;ssrc=");
  });

  it.each([
    "client_port=0-1",
    "client_port=70000-70001",
    "client_port=5000-5000",
    "multicast;client_port=5000-5001",
  ])("is refused for %s", async (parameter) => {
    const transport = { Transport: `RTP/AVP;unicast;${parameter}` };
    expect((await client.request("SETUP", `${url}/trackID=0`, transport)).status).toBe(461);
  });
});
