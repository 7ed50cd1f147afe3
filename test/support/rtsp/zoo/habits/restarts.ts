import type { Habit, ZooPacket, ZooPicture, ZooSound } from "../habit.js";

const kind = "numbering";

/** A number that `seed` draws. */
function drawn(seed: number): number {
  return Math.imul(seed + 1, 2_654_435_761) >>> 0;
}

/** Each packet with other fields. */
function each<Unit>(
  fields: (packet: ZooPacket, unit: Unit) => Partial<ZooPacket>,
): (packets: ZooPacket[], unit: Unit) => ZooPacket[] {
  return (packets, unit) => packets.map((packet) => ({ ...packet, ...fields(packet, unit) }));
}

/** All numbers of the pictures are others after each seven seconds. */
const anew = each<ZooPicture>((packet, { atMs }) => {
  const number = drawn(Math.floor(atMs / 7000));
  return {
    ...{ ssrc: number, sequence: packet.sequence + (number & 0xffff) },
    timestamp: packet.timestamp + number,
  };
});

/** Numbers that begin anew, all at once or with each packet, and those of other tracks. */
export const RESTARTS: readonly Habit[] = [
  {
    name: "begins source, sequence and timestamps anew every seven seconds",
    ...{ kind, report: "gortsplib #480", seconds: 40, sound: "pcma", packets: anew },
  },
  {
    name: "begins source, sequence and timestamps of H.265 anew every seven seconds",
    ...{ kind, report: "gortsplib #480", seconds: 40, clip: "h265", packets: anew },
  },
  {
    name: "begins source, sequence and timestamps of JPEG anew every seven seconds",
    ...{ kind, report: "gortsplib #480", seconds: 40, clip: "mjpeg", packets: anew },
  },
  {
    name: "takes a new SSRC with each packet",
    ...{ kind, report: "gortsplib #687", clip: "h265" },
    packets: each(({ count }) => ({ ssrc: 1000 + count })),
  },
  {
    name: "takes a new SSRC with each packet of JPEG",
    ...{ kind, report: "gortsplib #687", clip: "mjpeg" },
    packets: each(({ count }) => ({ ssrc: 1000 + count })),
  },
  {
    name: "takes a new SSRC with each packet of its sound",
    ...{ kind, report: "gortsplib #687", sound: "aac" },
    soundPackets: each(({ count }) => ({ ssrc: 1000 + count })),
  },
  {
    name: "takes a new SSRC where its sequence wraps",
    ...{ kind, report: "RFC 3550, 5.1" },
    packets: each(({ count }) => ({ sequence: 65_530 + count, ssrc: count < 6 ? 7 : 8 })),
  },
  {
    name: "counts the packets of each picture of JPEG from 0",
    ...{ kind, report: "gortsplib #750", clip: "mjpeg" },
    packets: (packets) => packets.map((packet, at) => ({ ...packet, sequence: at })),
  },
  {
    name: "begins the sequence of sliced pictures of H.265 anew with each key frame, all marked",
    ...{ kind, report: "retina #68", clip: "h265Slices" },
    packets: each((packet) => ({ marker: true, sequence: packet.inGop })),
  },
  {
    name: "sends no marker, and a new SSRC with each group, of sliced pictures of H.265",
    ...{ kind, report: "gortsplib #687", clip: "h265Slices" },
    packets: each((_, { gop }: ZooPicture) => ({ ssrc: gop, marker: false })),
  },
  {
    name: "goes ten back in the sequence of its sound each second",
    ...{ kind, report: "gortsplib #750", sound: "pcma" },
    soundPackets: each((packet, { index }: ZooSound) => ({
      sequence: packet.sequence - 10 * Math.floor(index / 25),
    })),
  },
  {
    name: "counts its packets in twos, and those of its sound in threes",
    ...{ kind, report: "gortsplib #750", sound: "pcma" },
    packets: each(({ count }) => ({ sequence: 2 * count })),
    soundPackets: each(({ count }) => ({ sequence: 3 * count })),
  },
  {
    name: "swaps the bytes of its sequence",
    ...{ kind, report: "RtspClientSharp #98" },
    packets: each(({ count }) => ({ sequence: ((count & 255) << 8) | ((count >> 8) & 255) })),
  },
  {
    name: "gives pictures and sound one SSRC",
    ...{ kind, report: "RFC 3550, 5.2", sound: "pcma" },
    packets: each(() => ({ ssrc: 9 })),
    soundPackets: each(() => ({ ssrc: 9 })),
  },
  {
    name: "announces for each track the SSRC of the other",
    ...{ kind, report: "retina #79", sound: "pcmu" },
    reply: ({ headers }, { method, uri }, session) => {
      if (method !== "SETUP") return;
      const other = session.ssrcOf(uri.endsWith("1") ? 1 : 0).toString(16);
      for (const header of headers) if (header[0] === "Transport") header[1] += `;ssrc=${other}`;
    },
  },
  {
    name: "reports for sources that it does not have, with times by chance",
    ...{ kind, report: "janus-gateway PR 3137", sound: "aac" },
    tick: (session) => {
      if (!session.every(400)) return;
      const seed = session.camera.pictures.length;
      const bytes = Buffer.alloc(28);
      bytes.set([0x80, 200, 0, 6]);
      for (const at of [4, 8, 16]) bytes.writeUInt32BE(drawn(seed + at), at);
      for (const track of [0, 1]) session.send(track, true, bytes);
    },
  },
  {
    name: "sends the last two packets of a picture again before the next",
    claims: ["copies"],
    ...{ kind, report: "raptor #43", over: "udp" },
    packets: (() => {
      const before = new WeakMap<object, readonly ZooPacket[]>();
      return (packets: ZooPacket[], _picture: ZooPicture, session: object) => {
        const again = before.get(session) ?? [];
        before.set(
          session,
          packets.slice(-2).map((packet) => ({ ...packet })),
        );
        return [...again, ...packets];
      };
    })(),
  },
  {
    name: "marks its key frames alone",
    ...{ kind, report: "SharpRTSP #57" },
    packets: each((packet, { key }: ZooPicture) => ({ marker: packet.marker && key })),
  },
  {
    name: "marks all pictures of H.265 but key frames",
    ...{ kind, report: "SharpRTSP #57", clip: "h265" },
    packets: each((packet, { key }: ZooPicture) => ({ marker: packet.marker && !key })),
  },
];
