// The way of a recorded picture with a fixed input and nothing of the machine in it: interleaved packets in memory, demuxer,
// H.264, frame, stream with its kept GOP, and batch, as the main thread takes it. `frame-path.mjs GOPS` takes so many
// GOPs of one stream along it. Its instructions are counted (scripts/test/frame-path.mjs). Runs on dist.
import { RECORD_HEADER_BYTES } from "../../../dist/archive/segment/segment-format.js";
import { SlabRegistry, WriteBatch } from "../../../dist/archive/write/write-batch.js";
import { createLog } from "../../../dist/base/index.js";
import { Codec, LiveStream, SlabPool, StreamClock } from "../../../dist/live/index.js";
import { InterleavedDemuxer } from "../../../dist/rtsp/client/socket/interleaved-demuxer.js";
import { createTrackReceiver, FrameBuilder, SlabWindow } from "../../../dist/rtsp/index.js";
import { FragmentRun } from "../../../dist/rtsp/rtp/fragment-run.js";

const SPROP = "Z2QAC6zZQoR+XAWyAAADAAIAAAMAZB4oUyw=,aOvjyyLA";
const PACKET_BYTES = 1400;
const PICTURES = 50;
const PICTURE_BYTES = 18_400;
const KEY_BYTES = 98_400;
/** At 25 pictures a second: how many come between two reads, and between two batches. */
const PICTURES_A_READ = 5;
const PICTURES_A_BATCH = 10;
const TICKS = 3600;
/** Before the turn is looked at, as ReadAllowance has it. */
const RUN_PACKETS_MAX = 64;
const SLOT = 1;
const [, , gops = "1"] = process.argv;

/** The machine's time is not part of the input. */
let nowUs = 1_790_000_000_000_000;
const clock = { nowUs: () => nowUs, monotonicUs: () => nowUs };

/** One picture as FU-A packets (RFC 6184, 5.8), each behind its interleaved header. */
function packetsOf(picture, sequence) {
  const isKey = picture % PICTURES === 0;
  const slice = Buffer.alloc(isKey ? KEY_BYTES : PICTURE_BYTES, 0x35);
  slice[0] = isKey ? 0x88 : 0x9a;
  const packets = [];
  for (let at = 0; at < slice.length; at += PACKET_BYTES) {
    const end = Math.min(slice.length, at + PACKET_BYTES);
    const packet = Buffer.alloc(4 + 12 + 2 + end - at);
    packet[0] = 0x24;
    packet.writeUInt16BE(packet.length - 4, 2);
    packet[4] = 0x80;
    packet[5] = 96 | (end === slice.length ? 0x80 : 0);
    packet.writeUInt16BE((sequence + packets.length) & 0xffff, 6);
    packet.writeUInt32BE(picture * TICKS, 8);
    packet.writeUInt32BE(7, 12);
    packet[16] = 0x7c;
    packet[17] = (at === 0 ? 0x80 : 0) | (end === slice.length ? 0x40 : 0) | (isKey ? 5 : 1);
    slice.copy(packet, 18, at, end);
    packets.push(packet);
  }
  return packets;
}

/** Takes frames as a volume's writer does, up to the message to its thread. */
class Writing {
  writtenBytes = 0;
  #batch = new WriteBatch(new SlabRegistry());
  #waiting = [];

  onFrame(frame) {
    frame.retain();
    this.#waiting.push(frame);
    if (this.#waiting.length === PICTURES_A_BATCH) this.#write();
  }

  #write() {
    const batch = this.#batch;
    batch.reset();
    batch.beginRun(SLOT, this.writtenBytes);
    for (const frame of this.#waiting) {
      batch.addFrame(frame);
      this.writtenBytes += RECORD_HEADER_BYTES + frame.byteLength;
    }
    batch.slabsSent();
    for (const frame of batch.frames) frame.release();
    this.#waiting = [];
  }
}

const stream = new LiveStream({ channelId: "00000000-0000-0000-0000-000000000001", streamType: "Main" });
const writing = new Writing();
stream.subscribe(writing, { fromGop: false, atOnce: false });
const window = new SlabWindow(new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 64 * 1024 * 1024 }));
const receiver = createTrackReceiver({
  keepsOrder: true,
  track: {
    kind: "video",
    payloadType: 96,
    clockRate: 90_000,
    channels: 1,
    control: "",
    codec: Codec.H264,
    fmtp: new Map([["sprop-parameter-sets", SPROP]]),
  },
  builder: new FrameBuilder(window),
  streamClock: new StreamClock(clock),
  clock,
  log: createLog({ level: "silent" }),
  publish: (frame) => stream.publish(frame),
});
const run = new FragmentRun();
const demuxer = new InterleavedDemuxer(window, {
  onPacket: (_channel, buffer, start, end) => receiver.receive(buffer, start, end),
  onRun: (channel, buffer, position, end) => {
    run.begin(buffer, position, end, channel, RUN_PACKETS_MAX);
    receiver.receiveRun(run);
    return run.position;
  },
  onMessage: () => undefined,
  onProtocolError: (reason) => {
    throw new Error(reason);
  },
});
demuxer.addChannel(0);

/** What one GOP sends between two reads each; sequence numbers and timestamps are those of the first. */
const reads = [];
let packetCount = 0;
for (let picture = 0; picture < PICTURES; picture += PICTURES_A_READ) {
  const packets = [];
  for (let at = picture; at < picture + PICTURES_A_READ; at++)
    packets.push(...packetsOf(at, packetCount + packets.length));
  packetCount += packets.length;
  reads.push(Buffer.concat(packets));
}

/** The same packets, a GOP later. */
function goOn(bytes) {
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt16BE(at + 2)) {
    bytes.writeUInt16BE((bytes.readUInt16BE(at + 6) + packetCount) & 0xffff, at + 6);
    bytes.writeUInt32BE(bytes.readUInt32BE(at + 8) + PICTURES * TICKS, at + 8);
  }
}

for (let read = 0; read < Number(gops) * reads.length; read++) {
  const bytes = reads[read % reads.length];
  nowUs += PICTURES_A_READ * 40_000;
  for (let at = 0; at < bytes.length; ) {
    const target = window.target();
    const length = Math.min(target.length, bytes.length - at);
    bytes.copy(target, 0, at, at + length);
    window.committed(length);
    at += length;
    demuxer.run();
  }
  goOn(bytes);
}
// Who counts compares this: the input was taken whole.
console.log(`${stream.counts.pictures} pictures, ${writing.writtenBytes} bytes`);
