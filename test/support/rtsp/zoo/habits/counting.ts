import type { Habit, ZooPacket, ZooPicture, ZooSound } from "../habit.js";

const SECOND = 90_000;

/** A number below `end` that `seed` draws. */
function drawn(seed: number, end: number): number {
  return (Math.imul(seed + 1, 2_654_435_761) >>> 0) % end;
}

/** Each packet with other fields. */
function each<Unit>(
  fields: (packet: ZooPacket, unit: Unit, at: number) => Partial<ZooPacket>,
): (packets: ZooPacket[], unit: Unit) => ZooPacket[] {
  return (packets, unit) => packets.map((packet, at) => ({ ...packet, ...fields(packet, unit, at) }));
}

/** Further ways to count packets and time. */
export const COUNTING: readonly Habit[] = [
  {
    name: "counts its packets by two",
    ...{ kind: "numbering", report: "gortsplib #158" },
    packets: each(({ sequence }) => ({ sequence: 2 * sequence })),
  },
  {
    name: "keeps 8 bits of its sequence",
    ...{ kind: "numbering", report: "gortsplib #750" },
    packets: each(({ count }) => ({ sequence: count & 0xff })),
  },
  {
    name: "counts the packets of each picture from 0",
    ...{ kind: "numbering", report: "gortsplib #750", clip: "h265" },
    packets: each((_packet, _picture: ZooPicture, at) => ({ sequence: at })),
  },
  {
    name: "sends pictures and sound of one source",
    ...{ kind: "numbering", report: "gortsplib #687", sound: "pcma" },
    packets: each(() => ({ ssrc: 1 })),
    soundPackets: each(() => ({ ssrc: 1 })),
  },
  {
    name: "sends pictures and sound by one counter",
    ...{ kind: "numbering", report: "gortsplib #158", sound: "aac", over: "tcp" },
    packets: each(({ count }) => ({ ssrc: 1, sequence: 3 * count })),
    soundPackets: each(({ count }) => ({ ssrc: 1, sequence: 5 * count })),
  },
  {
    name: "numbers pictures and sound by one counter, packet by packet",
    ...{ kind: "numbering", report: "gortsplib #158", sound: "aac", clip: "h265" },
    packets: each(({ total }) => ({ sequence: total })),
    soundPackets: each(({ total }) => ({ sequence: total })),
  },
  {
    name: "jumps to another number with each tenth picture, over the end of the numbers",
    ...{ kind: "numbering", report: "gortsplib #158" },
    packets: each(({ sequence }, { index }: ZooPicture) => ({
      sequence: sequence + 31_000 * Math.floor(index / 10),
    })),
  },
  {
    name: "takes the number of a picture for the source of its packets",
    ...{ kind: "numbering", report: "gortsplib #687", clip: "h264B" },
    packets: each((_packet, { index }: ZooPicture) => ({ ssrc: index })),
  },
  {
    name: "begins its clock anew with each group",
    ...{ kind: "clock", report: "Savant #182" },
    stamp: (_ticks, { atMs }) => 90 * (atMs % 2000),
  },
  {
    name: "gives the picture after a key frame the key frame's time",
    ...{ kind: "clock", report: "hls.js #1008" },
    stamp: (ticks, { inGop }) => (inGop === 1 ? ticks - 9000 : ticks),
  },
  {
    name: "stamps key frames by its clock, and others by their number",
    ...{ kind: "clock", report: "mediamtx #622" },
    stamp: (ticks, { inGop }) => ticks - 9000 * inGop + inGop,
  },
  {
    name: "stamps in units of 100 nanoseconds",
    ...{ kind: "clock", report: "smolrtsp PR 39", seconds: 40 },
    stamp: (ticks, { atMs, shownLater }) => ticks + (10_000 - 90) * (atMs + 100 * shownLater),
  },
  {
    name: "runs ten times as fast",
    ...{ kind: "clock", report: "mediamtx #5550", seconds: 30, clip: "h265" },
    stamp: (ticks, { atMs }) => ticks + 9 * 90 * atMs,
  },
  {
    name: "takes pictures at any distance, and stamps them evenly",
    claims: ["pace"],
    ...{ kind: "clock", report: "open-nvr #229", seconds: 60 },
    takenMs: (index) => index * 100 + drawn(index, 90),
  },
  {
    name: "takes pictures at any distance, and counts them",
    claims: ["pace"],
    ...{ kind: "clock", report: "docker-wyze-bridge #749", seconds: 60 },
    takenMs: (index) => index * 100 + drawn(index, 90),
    stamp: (_ticks, { index }) => 3600 * index,
  },
  {
    name: "sets its clock by a minute, forth and back, every three seconds",
    ...{ kind: "clock", report: "retina #64", seconds: 40 },
    stamp: (ticks, { atMs }) => ticks + 60 * SECOND * (Math.floor(atMs / 3000) % 2),
  },
  {
    name: "sets its clock back by half a second at each key frame",
    ...{ kind: "clock", report: "raptor #43", seconds: 40, clip: "h265" },
    stamp: (ticks, { gop }) => ticks - 45_000 * gop,
  },
  {
    name: "stands still for a second in each five, and then makes up for it",
    ...{ kind: "clock", report: "docker-wyze-bridge #183", seconds: 40 },
    stamp: (ticks, { atMs }) => ticks - 90 * Math.max(0, (atMs % 5000) - 4000),
  },
  {
    name: "stamps JPEG by a clock at half its rate",
    ...{ kind: "clock", report: "mediamtx #5550", seconds: 40, clip: "mjpeg" },
    stamp: (ticks, { atMs }) => ticks - 45 * atMs,
  },
  {
    name: "stamps JPEG 0",
    ...{ kind: "clock", report: "docker-wyze-bridge #183", clip: "mjpeg" },
    stamp: () => 0,
  },
  {
    name: "stamps MPEG-4 by the number of the picture",
    ...{ kind: "clock", report: "mediamtx #1002", clip: "mpeg4" },
    stamp: (_ticks, { index }) => index,
  },
  {
    name: "pauses for five seconds that its clock does not count",
    ...{ kind: "clock", report: "docker-wyze-bridge #183", seconds: 40 },
    takenMs: (index) => index * 100 + (index > 100 ? 5000 : 0),
    stamp: (ticks, { index }) => ticks - (index > 100 ? 5 * SECOND : 0),
  },
  {
    name: "pauses for five seconds",
    ...{ kind: "clock", report: "docker-wyze-bridge #183", seconds: 40 },
    takenMs: (index) => index * 100 + (index > 100 ? 5000 : 0),
  },
  {
    name: "stamps its sound backwards",
    ...{ kind: "clock", report: "mistserver #263", sound: "pcma", seconds: 30 },
    stampSound: (_ticks, { index }: ZooSound) => 2 ** 31 - 320 * index,
  },
  {
    name: "gives four packets of sound in turn the same time",
    ...{ kind: "clock", report: "omxplayer #591", sound: "aac", seconds: 30 },
    stampSound: (ticks, { index }: ZooSound) => ticks - 1024 * (index % 4),
  },
];
