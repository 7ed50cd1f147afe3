import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { VIEWER_BEHIND_MS_MAX, VIEWER_QUEUE_BYTES_MAX } from "../../../src/rtsp/server/frame-backlog.js";
import { RtspServer } from "../../../src/rtsp/server/index.js";
import { PacketizedTracks } from "../../../src/rtsp/server/packetized-tracks.js";
import { ServerSession } from "../../../src/rtsp/server/server-session.js";
import { UNSENT_BYTES_MAX } from "../../../src/rtsp/server/track-delivery.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { HandSource, handSlice } from "../../support/rtsp/hand-source.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { readRtp, reassembleH264 } from "../../support/rtsp/rtp-reassembly.js";

/** A viewer's socket that takes what a test lets it take. */
class SlowOutput {
  queuedBytes = 0;
  readonly written: Buffer[] = [];

  write(bytes: Buffer): void {
    this.queuedBytes += bytes.length;
    this.written.push(bytes);
  }

  /** It is no socket. */
  sendableFd(): number {
    return -1;
  }

  finish(): void {
    this.queuedBytes = 0;
  }
}

async function startSession(source: HandSource, output: SlowOutput, clock = new SimulatedClock()) {
  const { formats } = source;
  const tracks = new PacketizedTracks(1400).forFormats(formats);
  const session = new ServerSession({ source, tracks, output, clock, cname: "test" });
  session.setUpInterleaved(0, [0, 1]);
  session.setUpInterleaved(1, [2, 3]);
  session.play();
  output.written.length = 0;
  return session;
}

const GOP = 10;
const FRAME_BYTES = 50_000;

/** Lets the socket take all that waits for it; answers the bytes. */
function drain(session: ServerSession, output: SlowOutput): number {
  const before = output.written.length;
  let bytes = output.queuedBytes;
  for (let written = -1; written !== output.written.length; ) {
    written = output.written.length;
    output.queuedBytes = 0;
    session.onDrained();
    bytes += output.queuedBytes;
  }
  expect(output.written.length).toBeGreaterThanOrEqual(before);
  return bytes;
}

describe("a slow viewer's session", () => {
  it("holds no more than its queue and continues with the first key frame that fits", async () => {
    const [source, output] = [new HandSource(), new SlowOutput()];
    const session = await startSession(source, output);
    for (let index = 0; index < 300; index++) {
      const key = index % GOP === 0;
      source.send({ atUs: index * 40_000, bytes: handSlice(key, 1 + (index % 200), FRAME_BYTES), key });
      expect(output.queuedBytes).toBeLessThan(UNSENT_BYTES_MAX + FRAME_BYTES * 1.1);
    }
    expect(session.droppedFrames).toBeGreaterThan(0);
    expect(drain(session, output)).toBeLessThan((VIEWER_QUEUE_BYTES_MAX + UNSENT_BYTES_MAX) * 1.1);
    output.written.length = 0;
    session.pause();
    session.play();
    for (let index = 300; index < 300 + 2 * GOP; index++) {
      const key = (index + 5) % GOP === 0;
      source.send({ atUs: index * 40_000, bytes: handSlice(key, key ? 250 : 7, FRAME_BYTES), key });
      drain(session, output);
    }
    expect(output.written).toHaveLength(15);
    const first =
      output.written[0]?.subarray(4, 4 + (output.written[0]?.readUInt16BE(2) ?? 0)) ?? Buffer.alloc(0);
    expect(readRtp(first).payload[2]).toBe(250);
  });

  it("accepts one frame larger than its queue when nothing waits, and later frames once that is sent", async () => {
    const [source, output] = [new HandSource(), new SlowOutput()];
    const session = await startSession(source, output);
    source.send({ atUs: 0, bytes: handSlice(true, 1, 5 * 1024 * 1024), key: true });
    source.send({ atUs: 40_000, bytes: handSlice(false, 1) });
    expect([session.droppedFrames, output.written.length]).toEqual([0, 2]);
    drain(session, output);
    expect([session.droppedFrames, output.written.length]).toEqual([0, 3]);
  });

  it("drops its queue, however short, when it is behind for too long", async () => {
    const [source, output, clock] = [new HandSource(), new SlowOutput(), new SimulatedClock()];
    const session = await startSession(source, output, clock);
    output.queuedBytes = UNSENT_BYTES_MAX;
    source.send({ atUs: 0, bytes: handSlice(true, 1), key: true });
    source.send({ atUs: 40_000, bytes: handSlice(false, 2) });
    clock.advance(VIEWER_BEHIND_MS_MAX * 1000 + 1);
    source.send({ atUs: 80_000, bytes: handSlice(false, 3) });
    expect(session.droppedFrames).toBe(3);
    drain(session, output);
    expect(output.written).toHaveLength(0);
  });

  it("leaves out an access unit beyond the largest it sends, and waits for the next key frame", async () => {
    const [source, output] = [new HandSource(), new SlowOutput()];
    await startSession(source, output);
    source.send({ atUs: 0, bytes: handSlice(true, 1, 9 * 1024 * 1024), key: true });
    source.send({ atUs: 40_000, bytes: handSlice(false, 1) });
    expect(output.written).toHaveLength(0);
    source.send({ atUs: 80_000, bytes: handSlice(true, 1), key: true });
    expect(output.written.length).toBeGreaterThan(0);
  });
});

describe("RTSP server with a viewer that stops reading", () => {
  let clock: SimulatedClock;
  let source: HandSource;
  let server: RtspServer;
  const clients: RawRtspClient[] = [];

  beforeEach(() => {
    clock = new SimulatedClock();
    source = new HandSource();
    const mounts = new Map([["/hand", source]]);
    server = new RtspServer({
      listen: "127.0.0.1",
      port: 0,
      mounts,
      clock,
      log: createLog({ level: "silent" }),
    });
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await server.stop();
  });

  async function viewer(port: number): Promise<RawRtspClient> {
    const client = await RawRtspClient.connect(port);
    clients.push(client);
    const uri = `rtsp://127.0.0.1:${port}/hand/trackID=0`;
    await client.request("SETUP", uri, { Transport: "RTP/AVP/TCP;unicast;interleaved=0-1" });
    expect((await client.request("PLAY", uri)).status).toBe(200);
    return client;
  }

  const videoOf = (client: RawRtspClient) =>
    client.packets.filter((one) => one.channel === 0).map((one) => readRtp(one.packet));

  it("delays nobody else, drops up to a key frame, and continues when it reads again", async () => {
    const { port } = await server.start();
    const [lively, stalled] = [await viewer(port), await viewer(port)];
    stalled.socket.pause();
    const frames = 600;
    let scanned = 0;
    let markers = 0;
    const wholeFrames = () => {
      for (; scanned < lively.packets.length; scanned++) {
        const { channel = 1, packet = Buffer.alloc(12) } = lively.packets[scanned] ?? {};
        if (channel === 0 && readRtp(packet).marker) markers += 1;
      }
      return markers;
    };
    for (let index = 0; index < frames; index++) {
      const key = index % GOP === 0;
      source.send({ atUs: index * 40_000, bytes: handSlice(key, 1 + (index % 250), FRAME_BYTES), key });
      await lively.until(() => wholeFrames() > index);
    }
    stalled.socket.resume();
    source.send({ atUs: frames * 40_000, bytes: handSlice(true, 255, 1000), key: true });
    const isLast = (client: RawRtspClient) => client.packets.at(-1)?.packet.at(-1) === 255;
    await lively.until(() => isLast(lively));
    while (!isLast(stalled)) {
      source.send({ atUs: (frames + 1) * 40_000, bytes: handSlice(true, 255, 1000), key: true });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const packets = videoOf(stalled);
    const nals = reassembleH264(packets.map((packet) => packet.payload));
    expect(nals.length).toBeLessThan(frames);
    // What it got is whole: sequence numbers without a gap, and after each drop a key frame.
    packets.slice(1).forEach((packet, at) => {
      expect((packet.sequence - (packets[at]?.sequence ?? 0)) & 0xffff).toBe(1);
    });
    nals.slice(1).forEach((nal, at) => {
      const isNext = nal[1] === 1 + ((nals[at]?.[1] ?? 0) % 250);
      expect(isNext || nal[0] === 0x65).toBe(true);
    });
  });

  it("disconnects a viewer that reads nothing for long", async () => {
    const { port } = await server.start();
    const stalled = await viewer(port);
    stalled.socket.pause();
    for (let index = 0; index < 300; index++) {
      source.send({ atUs: index * 40_000, bytes: handSlice(true, 9, FRAME_BYTES), key: true });
      if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.connections).toBe(1);
    for (let second = 0; second < 32; second++) clock.advance(1_000_000);
    expect(server.connections).toBe(0);
  });

  it("disconnects a client that sends requests and reads no responses", async () => {
    const { port } = await server.start();
    const client = await RawRtspClient.connect(port);
    clients.push(client);
    client.socket.pause();
    const burst = `DESCRIBE rtsp://127.0.0.1:${port}/hand RTSP/1.0\r\nCSeq: 1\r\n\r\n`.repeat(200);
    // The socket is drained by nobody: ended when the server's bound is reached.
    for (let round = 0; round < 400 && server.connections === 1; round++) {
      client.socket.write(burst);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // No more requests are needed: the server may only be late in reading them.
    await expect.poll(() => server.connections).toBe(0);
  });
});
