import { isParameterSet, nalType, type ZooCodec } from "../codecs.js";
import { cut, cutJpeg } from "../cutting.js";
import type { Habit, Piece, ZooPacket, ZooPicture } from "../habit.js";

const PADDING = 0x20;
const EXTENSION = 0x10;
/** RFC 6184, 5.8; RFC 7798, 4.4.3. */
const FU_A = 28;
const FU = 49;

/** Each packet with other fields. */
function each(fields: (packet: ZooPacket, picture: ZooPicture) => Partial<ZooPacket>) {
  return (packets: ZooPacket[], picture: ZooPicture) =>
    packets.map((packet) => ({ ...packet, ...fields(packet, picture) }));
}

/** Fragments with both bits, or with none. */
function bits(codec: ZooCodec, change: (bits: number) => number): NonNullable<Habit["pieces"]> {
  const [at, structure] = codec === "h265" ? [2, FU] : [1, FU_A];
  return (units) =>
    cut(codec, units).map(({ payload, marker }) => {
      const copy = Buffer.from(payload);
      if (nalType(codec, payload) === structure) copy[at] = change(copy[at] ?? 0);
      return { payload: copy, marker };
    });
}

/** The packets of a picture of JPEG, with other offsets. */
function offsets(change: (offset: number, at: number) => number): NonNullable<Habit["pieces"]> {
  return ([picture = Buffer.alloc(0)]) =>
    cutJpeg(picture).map((payload, at, all): Piece => {
      const copy = Buffer.from(payload);
      copy.writeUIntBE(change(copy.readUIntBE(1, 3), at), 1, 3);
      return { payload: copy, marker: at === all.length - 1 };
    });
}

/** Counters of each of two sources, for each session. */
function ownCounters(
  sourceOf: (packet: ZooPacket, picture: ZooPicture) => number,
): NonNullable<Habit["packets"]> {
  const counters = new WeakMap<object, number[]>();
  return (packets, picture, session) => {
    const counter = counters.get(session) ?? [100, 30_000];
    counters.set(session, counter);
    return packets.map((packet) => {
      const source = sourceOf(packet, picture);
      const sequence = counter[source] ?? 0;
      counter[source] = sequence + 1;
      return { ...packet, ssrc: 1000 + source, sequence };
    });
  };
}

/** Bits and numbers that are there and say nothing. */
export const IN_VAIN: readonly Habit[] = [
  {
    name: "sets the bit of padding and pads nothing",
    ...{ kind: "numbering", report: "RFC 3550, 5.1", sound: "pcma" },
    packets: each(() => ({ bits: PADDING })),
    soundPackets: (packets) => packets.map((packet) => ({ ...packet, bits: PADDING })),
    // The first ends of packets may look like padding of a few bytes.
    expect: { mayMiss: ({ index }) => index === 0 },
  },
  {
    name: "sets the bit of a header extension and has none",
    ...{ kind: "numbering", report: "RFC 3550, 5.3.1" },
    packets: each(() => ({ bits: EXTENSION })),
  },
  {
    name: "sends from two sources in turn, each picture from one",
    ...{ kind: "numbering", report: "gortsplib #480" },
    packets: ownCounters((_packet, { index }) => index % 2),
  },
  {
    name: "sends from two sources in turn, each packet from one",
    ...{ kind: "numbering", report: "gortsplib #480", clip: "h265" },
    packets: ownCounters(({ count }) => count % 2),
  },
  {
    name: "sends key frames from a source of their own",
    ...{ kind: "numbering", report: "gortsplib #687" },
    packets: ownCounters((_packet, { key }) => (key ? 1 : 0)),
  },
  {
    name: "sets start and end bit at each fragment",
    ...{ kind: "packets", report: "alohartc #98", codecs: ["h264"] },
    pieces: bits("h264", (all) => all | 0xc0),
  },
  {
    name: "sets start and end bit at each fragment of H.265",
    ...{ kind: "packets", report: "alohartc #98", clip: "h265", codecs: ["h265"] },
    // A unit that is no slice is over with its first end bit.
    units: (units) => units.filter((unit) => isParameterSet("h265", unit) || nalType("h265", unit) < 32),
    pieces: bits("h265", (all) => all | 0xc0),
  },
  {
    name: "sets neither start nor end bit of a fragmented unit of H.265",
    ...{ kind: "packets", report: "mediamtx #1570", clip: "h265", codecs: ["h265"] },
    pieces: bits("h265", (all) => all & 0x3f),
  },
  {
    name: "sends JPEG, and leaves all offsets at 0",
    ...{ kind: "packets", report: "RFC 2435, 3.1.2", clip: "mjpeg" },
    pieces: offsets(() => 0),
  },
  {
    name: "sends JPEG, and counts packets in place of bytes",
    ...{ kind: "packets", report: "RFC 2435, 3.1.2", clip: "mjpeg" },
    pieces: offsets((_offset, at) => at),
  },
  {
    name: "sends JPEG, and counts its tables as bytes of the picture",
    ...{ kind: "packets", report: "RFC 2435, 3.1.2", clip: "mjpeg" },
    pieces: offsets((offset) => (offset === 0 ? 0 : offset + 132)),
  },
];
