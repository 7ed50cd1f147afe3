import type { Habit, ZooPacket, ZooPicture, ZooSound } from "../habit.js";

const kind = "numbering";

/** Each packet with other fields. */
function each<Unit>(
  fields: (packet: ZooPacket, unit: Unit) => Partial<ZooPacket>,
): (packets: ZooPacket[], unit: Unit) => ZooPacket[] {
  return (packets, unit) => packets.map((packet) => ({ ...packet, ...fields(packet, unit) }));
}

/** Some packets a second time. */
function twice(isSo: (packet: ZooPacket) => boolean): (packets: ZooPacket[]) => ZooPacket[] {
  return (packets) => packets.flatMap((packet) => (isSo(packet) ? [packet, { ...packet }] : [packet]));
}

/** A packet without bytes at a place among those of each picture, with a number of the sequence. */
function emptyBetween(place: (packets: readonly ZooPacket[]) => number): NonNullable<Habit["packets"]> {
  return (packets, { index }) => {
    const at = place(packets);
    const before = packets.slice(0, at);
    const model = before.at(-1) ?? packets[0];
    if (model === undefined) return packets;
    // A copy has the number of what it is a copy of.
    const isCopy = ({ sequence, payloadType }: ZooPacket): boolean =>
      before.some((one) => one.sequence === sequence && one.payloadType === payloadType);
    const moved = packets.slice(at).filter((packet) => !isCopy(packet));
    const sequence = index + Math.min(...moved.map((packet) => packet.sequence), model.sequence + 1);
    const empty = { ...model, payload: Buffer.alloc(0), marker: false, sequence };
    const numbered = (packet: ZooPacket): ZooPacket => ({
      ...packet,
      sequence: packet.sequence + index + (moved.includes(packet) ? 1 : 0),
    });
    return [...before.map(numbered), empty, ...packets.slice(at).map(numbered)];
  };
}

/** RFC 3550, 6.6. */
function goodbye(...sources: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + 4 * sources.length);
  bytes.set([0x80 | sources.length, 203, 0, sources.length]);
  for (const [at, ssrc] of sources.entries()) bytes.writeUInt32BE(ssrc >>> 0, 4 + 4 * at);
  return bytes;
}

/** SSRC, sequence numbers and markers that do not say what they should. */
export const NUMBERING: readonly Habit[] = [
  {
    name: "takes a new SSRC with each group of pictures",
    ...{ kind, report: "gortsplib #687" },
    packets: each((_, { gop }: ZooPicture) => ({ ssrc: 7919 * gop })),
  },
  {
    name: "takes a new SSRC every ten seconds and begins its sequence anew",
    ...{ kind, report: "gortsplib #480", seconds: 35 },
    packets: each((packet, { atMs }: ZooPicture) => {
      const round = Math.floor(atMs / 10_000);
      return { ssrc: 1 + round, sequence: packet.sequence + 12_345 * round };
    }),
  },
  {
    name: "changes to SSRC 0 after five seconds",
    ...{ kind, report: "gortsplib #480" },
    packets: each((packet, { atMs }: ZooPicture) => ({ ssrc: atMs < 5000 ? packet.ssrc : 0 })),
  },
  {
    name: "announces another SSRC than it sends",
    ...{ kind, report: "retina #79" },
    reply: ({ headers }, { method }) => {
      if (method !== "SETUP") return;
      for (const header of headers) if (header[0] === "Transport") header[1] += ";ssrc=0000A0C6";
    },
  },
  {
    name: "begins its sequence anew with each key frame",
    ...{ kind, report: "gortsplib #750" },
    packets: each((packet) => ({ sequence: packet.inGop })),
  },
  {
    name: "gives all packets the same number",
    ...{ kind, report: "RtspClientSharp #98", over: "tcp" },
    packets: each(() => ({ sequence: 1 })),
  },
  {
    name: "gives two packets in turn the same number",
    ...{ kind, report: "gortsplib #750", over: "tcp" },
    packets: each((packet) => ({ sequence: packet.count >> 1 })),
  },
  {
    name: "sends each packet twice",
    claims: ["copies"],
    ...{ kind, report: "amazon-kinesis-video-streams-producer-sdk-cpp #875", sound: "pcma" },
    packets: twice(() => true),
    soundPackets: twice(() => true),
  },
  {
    name: "sends a packet twice now and then",
    claims: ["copies"],
    ...{ kind, report: "amazon-kinesis-video-streams-producer-sdk-cpp #875" },
    packets: twice(({ count }) => count % 19 === 7),
  },
  {
    name: "sends the packets of each third picture twice, one after the other",
    claims: ["copies"],
    ...{ kind, report: "amazon-kinesis-video-streams-producer-sdk-cpp #875" },
    packets: (packets, { index }) => (index % 3 === 0 ? [...packets, ...packets] : packets),
  },
  {
    name: "counts its packets downwards",
    ...{ kind, report: "gortsplib #750" },
    packets: each((packet) => ({ sequence: 60_000 - packet.count })),
  },
  {
    name: "skips 20,000 numbers every three seconds",
    ...{ kind, report: "gortsplib #750" },
    packets: each((packet, { atMs }: ZooPicture) => ({
      sequence: packet.sequence + 20_000 * Math.floor(atMs / 3000),
    })),
  },
  {
    name: "sends from two counters in turn",
    ...{ kind, report: "gortsplib #480", over: "tcp" },
    packets: each(({ count }) => ({
      ssrc: 1000 + (count % 2),
      sequence: 30_000 * (count % 2) + (count >> 1),
    })),
  },
  {
    name: "sets the marker on each packet",
    ...{ kind, report: "ustreamer PR 119" },
    packets: each(() => ({ marker: true })),
  },
  {
    name: "never sets the marker",
    ...{ kind, report: "SharpRTSP #57" },
    packets: each(() => ({ marker: false })),
  },
  {
    name: "sets the marker now and then",
    ...{ kind, report: "SharpRTSP #57" },
    packets: each((packet, { index }: ZooPicture) => ({ marker: packet.marker && index % 3 === 0 })),
  },
  {
    name: "sets the marker at each slice of a picture",
    ...{ kind, report: "obs-rtspserver PR 199", clip: "h264Slices" },
    pieces: (units) => units.map((payload) => ({ payload, marker: true })),
  },
  {
    name: "sends slices of a picture without any marker",
    ...{ kind, report: "SharpRTSP #57", clip: "h264Slices" },
    pieces: (units) => units.map((payload) => ({ payload, marker: false })),
  },
  {
    name: "mixes in packets of an unannounced payload type",
    claims: ["payload types"],
    ...{ kind, report: "RtspClientSharp #98" },
    packets: (packets) => {
      const [first] = packets;
      if (first === undefined) return packets;
      return [{ ...first, payloadType: 50, payload: Buffer.from([1, 2, 3, 4]), marker: false }, ...packets];
    },
  },
  {
    name: "sends another payload type than it announces",
    claims: ["payload types"],
    ...{ kind, report: "locomote-video-player #165" },
    packets: each(() => ({ payloadType: 119 })),
  },
  {
    name: "changes to a payload type that it does not announce after five seconds",
    claims: ["payload types"],
    ...{ kind, report: "RFC 3550, 5.1" },
    packets: each((_, { atMs }: ZooPicture) => (atMs < 5000 ? {} : { payloadType: 119 })),
  },
  {
    name: "sends each packet of its pictures twice",
    claims: ["copies"],
    ...{ kind, report: "raptor #43", over: "udp" },
    packets: (packets) => packets.flatMap((packet) => [packet, packet]),
  },
  {
    name: "sends each two packets in the wrong order",
    ...{ kind, report: "raptor #43", over: "udp", sound: "pcma" },
    packets: (packets) => packets.map((packet, at) => packets[at ^ 1] ?? packet),
  },
  {
    name: "sends the first two packets of a track in the wrong order",
    ...{ kind, report: "raptor #43", over: "udp", sound: "pcma", clip: "h265" },
    packets: (packets, { index }) => {
      const [first, second, ...others] = packets;
      const isSwapped = index === 0 && first !== undefined && second !== undefined;
      return isSwapped ? [second, first, ...others] : packets;
    },
  },
  {
    name: "repeats its packets by another type and source",
    claims: ["payload types"],
    ...{ kind, report: "RFC 4588, 4" },
    packets: (packets) =>
      packets.flatMap((packet) => {
        const payload = Buffer.concat([
          Buffer.from([packet.sequence >> 8, packet.sequence & 0xff]),
          packet.payload,
        ]);
        return [packet, { ...packet, payload, payloadType: 111, ssrc: 77, marker: false }];
      }),
  },
  {
    name: "sends reports with descriptions, words of its own and lengths that are wrong",
    ...{ kind, report: "RFC 3550, 6.1", sound: "pcmu" },
    tick: (session) => {
      if (!session.every(1000)) return;
      const bytes = Buffer.from("81c900078000000100000002", "hex");
      session.send(
        0,
        true,
        Buffer.concat([bytes, Buffer.alloc(20), Buffer.from("81ca0003000000010104746573740000", "hex")]),
      );
      session.send(0, true, Buffer.from("80cc0002000000014e415645", "hex"));
      session.send(0, true, Buffer.from("80c800ff00000001", "hex"));
      session.send(1, true, Buffer.from("a0c9", "hex"));
    },
  },
  {
    name: "names contributing sources in its packets",
    ...{ kind, report: "RFC 3550, 5.1" },
    packets: each(() => ({ csrc: 2 })),
  },
  {
    name: "pads its packets",
    ...{ kind, report: "sipsorcery PR 608" },
    packets: each(() => ({ padding: 8 })),
  },
  {
    name: "adds header extensions to its packets",
    ...{ kind, report: "androidx/media PR 1225" },
    packets: each(() => ({ extension: { profile: 0xabac, data: Buffer.alloc(12, 7) } })),
  },
  {
    name: "sets the marker one packet too early",
    ...{ kind, report: "moonfire-nvr #352" },
    packets: (packets) =>
      packets.map((packet, at) => ({ ...packet, marker: at === Math.max(0, packets.length - 2) })),
  },
  {
    name: "sets the marker at the first packet of each picture alone",
    ...{ kind, report: "moonfire-nvr #352" },
    packets: (packets) => packets.map((packet, at) => ({ ...packet, marker: at === 0 })),
  },
  {
    name: "counts from 0 with each key frame, with SSRC 0",
    ...{ kind, report: "retina #68" },
    packets: each((packet) => ({ ssrc: 0, sequence: packet.inGop })),
  },
  {
    name: "sends packets without bytes between its pictures",
    ...{ kind, report: "pjproject #388" },
    packets: emptyBetween((packets) => packets.length),
  },
  {
    name: "sends packets without bytes in the middle of its pictures",
    ...{ kind, report: "libdatachannel PR 1140" },
    packets: emptyBetween((packets) => packets.length >> 1),
  },
  {
    name: "adds empty header extensions to its packets",
    ...{ kind, report: "RFC 8285, 4.2" },
    packets: each(() => ({ extension: { profile: 0xbede, data: Buffer.alloc(0) } })),
  },
  {
    name: "pads, extends and lists sources at once",
    ...{ kind, report: "RFC 3550, 5.1" },
    packets: each(({ count }) => ({
      ...{ csrc: count % 16, padding: 1 + (count % 200) },
      extension: { profile: 0x1000, data: Buffer.alloc(4 * (count % 20), 0xff) },
    })),
  },
  {
    name: "sets the marker on each packet of its sound, and pads them",
    ...{ kind, report: "mediamtx #855", sound: "aac" },
    soundPackets: each(() => ({ marker: true, padding: 4 })),
  },
  {
    name: "says goodbye every three seconds, and goes on",
    ...{ kind, report: "sipsorcery #536", sound: "pcmu" },
    tick: (session) => {
      if (session.every(3000)) session.send(0, true, goodbye(session.ssrcOf(0)));
    },
  },
  {
    name: "says goodbye for its sound, and goes on with both",
    ...{ kind, report: "ZLMediaKit PR 2123", sound: "pcma" },
    tick: (session) => {
      if (session.every(3000)) session.send(1, true, goodbye(session.ssrcOf(1)));
    },
  },
  {
    name: "says goodbye at each new SSRC, for the old one and for others",
    ...{ kind, report: "media-server #102" },
    packets: each((packet, { gop }: ZooPicture) => ({ ssrc: packet.ssrc + gop })),
    tick: (session) => {
      if (session.every(2000)) session.send(0, true, goodbye(session.ssrcOf(0) + 1, 7, 99));
    },
  },
  {
    name: "changes the SSRC of its sound every three seconds",
    ...{ kind, report: "gortsplib #687", sound: "pcma" },
    soundPackets: each((_, { atMs }: ZooSound) => ({ ssrc: 50 + Math.floor(atMs / 3000) })),
  },
  {
    name: "begins the sequence of its sound anew every second",
    ...{ kind, report: "gortsplib #750", sound: "pcmu" },
    soundPackets: each((_, { index }: ZooSound) => ({ sequence: index % 25 })),
  },
];
