// Demuxing alone: interleaved sessions in memory through SlabWindow and the track receivers, no socket, no pacing.
// Runs on dist: npm run build, then node test/bench/scripts/demux.mjs [--json]
import { createLog, SystemClock } from "../../../dist/base/index.js";
import { Codec, SlabPool, StreamClock } from "../../../dist/live/index.js";
import { createTrackReceiver, FrameBuilder, SlabWindow } from "../../../dist/rtsp/index.js";

const PACKET_BYTES = 1400;
const SESSION_BYTES = 24 * 1024 * 1024;
const MEASURE_MS = 1500;
const WARM_PASSES = 5;
const PICTURE_BYTES = 20_000;
const KEY_BYTES = 160_000;
const GOP_PICTURES = 25;

const H264_SPROP = "Z2QAC6zZQoR+XAWyAAADAAIAAAMAZB4oUyw=,aOvjyyLA";
const H265_FMTP = new Map([
  ["sprop-vps", "QAEMAf//AWAAAAMAkAAAAwAAAwAelZAJ"],
  ["sprop-sps", "QgEBAWAAAAMAkAAAAwAAAwAeoBQgeWWVkkkyvAWwIAAAAwAgAAADAyE="],
  ["sprop-pps", "RAHBcrRiQA=="],
]);
const MPEG4_CONFIG = "000001b0f1000001b5a913000001000000012008d48d0800cd05040f14103f";

function fillerBytes(length) {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) bytes[index] = ((index * 37) % 255) + 1;
  return bytes;
}

/** Packets of pictures: `payloads(picture, key)` are the RTP payloads of one. */
function session(payloads) {
  const pieces = [];
  let byteLength = 0;
  let sequence = 0;
  for (let picture = 0; byteLength < SESSION_BYTES || picture % GOP_PICTURES !== 0; picture += 1) {
    const list = payloads(picture % GOP_PICTURES === 0);
    list.forEach((payload, index) => {
      const packet = Buffer.alloc(16 + payload.length);
      packet[0] = 0x24;
      packet.writeUInt16BE(12 + payload.length, 2);
      packet[4] = 0x80;
      packet[5] = 96 | (index === list.length - 1 ? 0x80 : 0);
      packet.writeUInt16BE(sequence & 0xffff, 6);
      packet.writeUInt32BE(picture * 3600, 8);
      packet.writeUInt32BE(7, 12);
      payload.copy(packet, 16);
      pieces.push(packet);
      byteLength += packet.length;
      sequence += 1;
    });
  }
  return Buffer.concat(pieces);
}

function chunks(bytes, head, first) {
  const list = [];
  for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
    const end = Math.min(bytes.length, at + PACKET_BYTES);
    list.push(Buffer.concat([head(at, end, bytes.length), bytes.subarray(at, end)]));
  }
  return first === undefined ? list : [first, ...list];
}

const size = (key) => (key ? KEY_BYTES : PICTURE_BYTES);

const SESSIONS = {
  "H.264": {
    track: { codec: Codec.H264, fmtp: new Map([["sprop-parameter-sets", H264_SPROP]]) },
    payloads: (key) =>
      chunks(Buffer.concat([Buffer.from([key ? 0x88 : 0x9a]), fillerBytes(size(key))]), (at, end, length) => {
        const flags = (at === 0 ? 0x80 : 0) | (end === length ? 0x40 : 0);
        return Buffer.from([0x7c, flags | (key ? 5 : 1)]);
      }),
  },
  "H.265": {
    track: { codec: Codec.H265, fmtp: H265_FMTP },
    payloads: (key) =>
      chunks(Buffer.concat([Buffer.from([0xa0]), fillerBytes(size(key))]), (at, end, length) => {
        const flags = (at === 0 ? 0x80 : 0) | (end === length ? 0x40 : 0);
        return Buffer.from([49 << 1, 1, flags | (key ? 19 : 1)]);
      }),
  },
  "MPEG-4": {
    track: { codec: Codec.MPEG4, fmtp: new Map([["config", MPEG4_CONFIG]]) },
    payloads: (key) =>
      chunks(Buffer.concat([Buffer.from([0, 0, 1, 0xb6, key ? 0x10 : 0x50]), fillerBytes(size(key))]), () =>
        Buffer.alloc(0),
      ),
  },
  MJPEG: {
    track: { codec: Codec.MJPEG, fmtp: new Map() },
    payloads: () =>
      chunks(fillerBytes(60_000), (at) =>
        Buffer.from([0, at >> 16, (at >> 8) & 255, at & 255, 1, 80, 160, 90]),
      ),
  },
};

/**
 * One pass of the session through a connection's memory, in reads as large as the window gives. Answers the CPU
 * microseconds of the demuxing; filling the window is the socket's work and does not count.
 */
function pass(bytes, connection) {
  const { window, receiver } = connection;
  let cpuUs = 0;
  for (let at = 0; at < bytes.length; ) {
    const target = window.target();
    const length = Math.min(target.length, bytes.length - at);
    bytes.copy(target, 0, at, at + length);
    window.committed(length);
    at += length;
    const before = process.cpuUsage();
    const { buffer, rawEnd } = window;
    let start = window.rawStart;
    while (rawEnd - start >= 4) {
      const end = start + 4 + ((buffer[start + 2] << 8) | buffer[start + 3]);
      if (end > rawEnd) break;
      receiver.receive(buffer, start + 4, end);
      start = end;
    }
    window.consume(start);
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
  }
  return cpuUs;
}

function connect(fields, count) {
  const clock = new SystemClock();
  const window = new SlabWindow(new SlabPool({ slabBytes: 512 * 1024, totalBytesMax: 64 * 1024 * 1024 }));
  const receiver = createTrackReceiver({
    keepsOrder: true,
    track: { kind: "video", payloadType: 96, clockRate: 90_000, channels: 1, control: "", ...fields },
    builder: new FrameBuilder(window),
    streamClock: new StreamClock(clock),
    clock,
    log: createLog({ level: "silent" }),
    publish: (frame) => {
      count.frames += 1;
      frame.release();
    },
  });
  return { window, receiver };
}

const rows = [];
for (const [codec, { track, payloads }] of Object.entries(SESSIONS)) {
  const bytes = session(payloads);
  const packets = Math.floor(bytes.length / PACKET_BYTES);
  const count = { frames: 0 };
  // A session's sequence and timestamps go on: each pass is a connection of its own.
  const run = () => {
    const connection = connect(track, count);
    const cpuUs = pass(bytes, connection);
    connection.receiver.flush();
    connection.window.close();
    return cpuUs;
  };
  for (let warm = 0; warm < WARM_PASSES; warm += 1) run();
  const passesUs = [];
  for (const endMs = performance.now() + MEASURE_MS; performance.now() < endMs; ) passesUs.push(run());
  const medianUs = passesUs.sort((a, b) => a - b)[passesUs.length >> 1];
  rows.push({
    codec,
    gigabytesPerSecond: Number((bytes.length / medianUs / 1000).toFixed(2)),
    nanosecondsPerPacket: Math.round((medianUs * 1000) / packets),
    passes: passesUs.length,
    frames: count.frames,
  });
}

if (process.argv.includes("--json"))
  console.log(JSON.stringify({ bench: "demux", packetBytes: PACKET_BYTES, rows }, null, 2));
else console.table(rows);
