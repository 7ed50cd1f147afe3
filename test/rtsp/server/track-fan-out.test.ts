import { readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { availableParallelism } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { loadNativeAddon } from "../../../src/base/index.js";
import { DirectSender } from "../../../src/rtsp/message/direct-send.js";
import { PacketBatch } from "../../../src/rtsp/packetize/packetizer-batch.js";
import { type FanOutViewer, TrackFanOut } from "../../../src/rtsp/server/track-fan-out.js";
import { readRtp } from "../../support/rtsp/rtp-reassembly.js";
import { readFrom, SocketPairs } from "../../support/rtsp/socket-pairs.js";

const PACKETS = 3;
const PAYLOAD_BYTES = 1000;
const TIMESTAMP = 0xffff_fff0;
const pairs = new SocketPairs();

afterEach(() => pairs.destroy());

function batchOf(packets: number): PacketBatch {
  const batch = new PacketBatch({ payloadType: 96, payloadBytesMax: 1400 });
  for (let at = 0; at < packets; at++) {
    batch.begin(TIMESTAMP);
    batch.append(Buffer.alloc(PAYLOAD_BYTES, at + 1), 0, PAYLOAD_BYTES);
    batch.finish();
  }
  batch.markLast();
  return batch;
}

/** A viewer on a socket, and what it was asked to send by its output. */
class SocketViewer implements FanOutViewer {
  readonly timestampOffset = 0x20;
  readonly rests: number[] = [];
  readonly failures: unknown[] = [];
  restError: Error | undefined;
  readonly #sender: DirectSender;

  constructor(
    socket: Socket,
    readonly channel: number,
    readonly ssrc: number,
    readonly firstSequence: number,
  ) {
    this.#sender = new DirectSender(socket);
  }

  get sendableFd(): number {
    return this.#sender.fd;
  }

  sendRest(taken: number): void {
    this.rests.push(taken);
    if (this.restError !== undefined) throw this.restError;
  }

  fail(error: unknown): void {
    this.failures.push(error);
  }
}

/** The packets of a connection, and their channels. */
function packetsIn(bytes: Buffer) {
  const found: { readonly channel: number; readonly rtp: ReturnType<typeof readRtp> }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt16BE(at + 2);
    found.push({ channel: bytes[at + 1] ?? -1, rtp: readRtp(bytes.subarray(at + 4, end)) });
    at = end;
  }
  return found;
}

function threadsNamed(name: string): number {
  const names = readdirSync("/proc/self/task").map((id) =>
    readFileSync(`/proc/self/task/${id}/comm`, "utf8"),
  );
  return names.filter((one) => one.trim() === name).length;
}

describe("the newest frame of a track", () => {
  it("reaches each viewer with its own channel, SSRC, sequence numbers and timestamps", async () => {
    const batch = batchOf(PACKETS);
    const fanOut = new TrackFanOut(batch);
    const ends = await Promise.all(Array.from({ length: 40 }, () => pairs.connect()));
    const viewers = ends.map(({ socket }, at) => new SocketViewer(socket, at, 0xf000_0000 + at, 0xffff));
    for (const viewer of viewers) expect(fanOut.add(viewer)).toBe(true);
    fanOut.flush();
    for (const [at, { peer }] of ends.entries()) {
      const packets = packetsIn(await readFrom(peer, batch.byteLength));
      expect(packets.map(({ channel }) => channel)).toEqual([at, at, at]);
      expect(packets.map(({ rtp }) => rtp.sequence)).toEqual([0xffff, 0, 1]);
      expect(packets.map(({ rtp }) => rtp.timestamp)).toEqual([0x10, 0x10, 0x10]);
      expect(packets.map(({ rtp }) => rtp.ssrc)).toEqual(new Array(PACKETS).fill(0xf000_0000 + at));
      expect(packets.map(({ rtp }) => rtp.payload[0])).toEqual([1, 2, 3]);
      expect(packets.map(({ rtp }) => rtp.marker)).toEqual([false, false, true]);
    }
    expect(viewers.flatMap(({ rests }) => rests)).toEqual([]);
  });

  it("is sent by several threads where it is much, and each viewer gets its own packets whole", async () => {
    const packets = 40;
    const batch = batchOf(packets);
    const fanOut = new TrackFanOut(batch);
    const ends = await Promise.all(Array.from({ length: 60 }, () => pairs.connect()));
    const viewers = ends.map(({ socket }, at) => new SocketViewer(socket, at, 0xf000_0000 + at, 7));
    const frames = 4;
    for (let frame = 0; frame < frames; frame++) {
      for (const viewer of viewers) fanOut.add(viewer);
      fanOut.flush();
    }
    expect(viewers.flatMap(({ rests }) => rests)).toEqual([]);
    const numbers = Array.from({ length: frames * packets }, (_, at) => at % packets);
    for (const [at, { peer }] of ends.entries()) {
      const found = packetsIn(await readFrom(peer, frames * batch.byteLength));
      expect(new Set(found.map(({ channel, rtp }) => `${channel} ${rtp.ssrc}`))).toEqual(
        new Set([`${at} ${0xf000_0000 + at}`]),
      );
      expect(found.map(({ rtp }) => rtp.sequence)).toEqual(numbers.map((number) => 7 + number));
      expect(found.map(({ rtp }) => rtp.payload[0])).toEqual(numbers.map((number) => number + 1));
    }
    const helpers = Math.min(3, availableParallelism() - 1);
    expect(threadsNamed("nvrd-helper")).toBeLessThanOrEqual(helpers);
    if (helpers > 0) expect(threadsNamed("nvrd-helper")).toBeGreaterThan(0);
  });

  it("goes out at the end of the turn without being asked for", async () => {
    const batch = batchOf(PACKETS);
    const { socket, peer } = await pairs.connect();
    new TrackFanOut(batch).add(new SocketViewer(socket, 0, 1, 1));
    expect(await readFrom(peer, batch.byteLength)).toHaveLength(batch.byteLength);
  });

  it("is sent once, however often it is asked for", async () => {
    const batch = batchOf(PACKETS);
    const fanOut = new TrackFanOut(batch);
    const { socket, peer } = await pairs.connect();
    fanOut.add(new SocketViewer(socket, 0, 1, 1));
    fanOut.flush();
    fanOut.flush();
    socket.end("end");
    expect(await readFrom(peer, batch.byteLength + 3)).toHaveLength(batch.byteLength + 3);
  });

  it("is left to the output from where a socket is full, and what went before is the viewer's own", async () => {
    const batch = batchOf(16_000);
    const fanOut = new TrackFanOut(batch);
    const [slow, lively] = [await pairs.connect(), await pairs.connect()];
    const [first, second] = [
      new SocketViewer(slow.socket, 0, 1, 1),
      new SocketViewer(lively.socket, 0, 2, 1),
    ];
    fanOut.add(first);
    fanOut.add(second);
    fanOut.flush();
    for (const viewer of [first, second]) {
      const [taken = 0] = viewer.rests;
      expect(taken).toBeGreaterThan(0);
      expect(taken).toBeLessThan(batch.byteLength);
    }
    const taken = second.rests[0] ?? 0;
    const began = await readFrom(lively.peer, taken);
    // As far as it went: the packets of the second viewer alone.
    const ssrcs = new Set<number>();
    for (let at = 0; at + 16 <= began.length; at += 4 + began.readUInt16BE(at + 2))
      ssrcs.add(began.readUInt32BE(at + 12));
    expect([...ssrcs]).toEqual([2]);
  });

  it("is not sent to a connection that ended meanwhile, whoever has its descriptor then", async () => {
    const batch = batchOf(PACKETS);
    const fanOut = new TrackFanOut(batch);
    const [gone, other] = [await pairs.connect(), await pairs.connect()];
    const viewer = new SocketViewer(gone.socket, 0, 1, 1);
    const stays = new SocketViewer(other.socket, 0, 2, 1);
    fanOut.add(viewer);
    fanOut.add(stays);
    gone.socket.destroy();
    fanOut.flush();
    expect(viewer.rests).toEqual([0]);
    expect(packetsIn(await readFrom(other.peer, batch.byteLength))[0]?.rtp.ssrc).toBe(2);
  });

  it("is not taken for a viewer whose stream holds bytes of its own, which come first", async () => {
    const { socket } = await pairs.connect();
    socket.write(Buffer.alloc(16 * 1024 * 1024));
    expect(new TrackFanOut(batchOf(1)).add(new SocketViewer(socket, 0, 1, 1))).toBe(false);
  });

  it("ends a viewer's stream that cannot be sent the rest, and no other's", async () => {
    const batch = batchOf(PACKETS);
    const fanOut = new TrackFanOut(batch);
    const [gone, other] = [await pairs.connect(), await pairs.connect()];
    const failing = new SocketViewer(gone.socket, 0, 1, 1);
    failing.restError = new Error("no memory");
    fanOut.add(failing);
    fanOut.add(new SocketViewer(other.socket, 0, 2, 1));
    gone.socket.destroy();
    fanOut.flush();
    expect(failing.failures).toEqual([failing.restError]);
    expect(await readFrom(other.peer, batch.byteLength)).toHaveLength(batch.byteLength);
  });
});

describe("the addon's sending to several", () => {
  const { sendToEach } = loadNativeAddon().functions as {
    sendToEach: (...args: unknown[]) => boolean;
  };
  const receivers = Uint32Array.from([0, 0, 0, 0, 0]);

  it.each([
    ["packets that begin outside the memory", [Int32Array.of(985), 1, receivers, 1, new Int32Array(1)]],
    ["packets that begin before it", [Int32Array.of(-1), 1, receivers, 1, new Int32Array(1)]],
    ["fewer beginnings than packets", [Int32Array.of(0), 2, receivers, 1, new Int32Array(1)]],
    ["fewer receivers than it is told", [Int32Array.of(0), 1, receivers, 2, new Int32Array(2)]],
    ["no place for what was taken", [Int32Array.of(0), 1, receivers, 1, new Int32Array(0)]],
  ] as const)("refuses %s", (_, [starts, count, to, toCount, taken]) => {
    const timestamps = new Uint32Array(count);
    expect(sendToEach(new Uint8Array(1000), starts, timestamps, count, to, toCount, taken)).toBe(false);
  });
});
