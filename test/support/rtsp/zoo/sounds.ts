/** What the microphones of the zoo send: units that differ from one another, and how they are announced. */
export interface SoundSpec {
  readonly payloadType: number;
  readonly sdp: readonly string[];
  readonly clockRate: number;
  /** Units of the RTP clock in one packet. */
  readonly ticks: number;
  readonly unitMs: number;
  /** The payload of packet `index`. */
  readonly payload: (index: number) => Buffer;
  /** What is recorded of it: joined, it is what was recorded of several, joined. */
  readonly recorded: (index: number) => Buffer;
  /** Where the recorder decodes it: bytes recorded of a packet, whatever they are. */
  readonly recordedBytes?: number;
}

/** Bytes that differ from unit to unit. */
export function soundBytes(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = (seed * 2654435761 + 97) >>> 0;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

function g711(name: string, payloadType: number, rate = 8000): SoundSpec {
  const samples = rate / 25;
  const payload = (index: number) => soundBytes(samples, index);
  return {
    payloadType,
    sdp: [`m=audio 0 RTP/AVP ${payloadType}`, `a=rtpmap:${payloadType} ${name}/${rate}`],
    ...{ clockRate: rate, ticks: samples, unitMs: 40, payload, recorded: payload },
  };
}

const AAC_TICKS = 1024;
const aacUnit = (index: number) => soundBytes(100 + (index % 50), index);

function aac(fmtp: string, payload: (index: number) => Buffer, name = "mpeg4-generic/16000"): SoundSpec {
  return {
    payloadType: 97,
    sdp: ["m=audio 0 RTP/AVP 97", `a=rtpmap:97 ${name}`, `a=fmtp:97 ${fmtp}`],
    ...{ clockRate: 16_000, ticks: AAC_TICKS, unitMs: 64, payload, recorded: aacUnit },
  };
}

const AAC_HBR =
  "streamtype=5;profile-level-id=1;mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=1408";

/** RFC 3640, 3.2.1: one AU header of 16 bits. */
function auHeader(size: number): Buffer {
  return Buffer.from([0, 16, size >> 5, (size << 3) & 0xff]);
}

/** ISO/IEC 14496-3, 1.A.2.2: AAC LC, 16 kHz, mono. */
export function adts(unit: Buffer): Buffer {
  const length = unit.length + 7;
  const head = [
    0xff,
    0xf1,
    0x60,
    0x40 | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  ];
  return Buffer.concat([Buffer.from(head), unit]);
}

/** ISO/IEC 14496-3, 1.7.3: PayloadLengthInfo and the unit. */
function latm(unit: Buffer): Buffer {
  const length: number[] = [];
  let left = unit.length;
  for (; left >= 255; left -= 255) length.push(255);
  return Buffer.concat([Buffer.from([...length, left]), unit]);
}

/** Three units behind one section of AU headers. */
function threeUnits(index: number): Buffer {
  const units = [0, 1, 2].map((at) => aacUnit(3 * index + at));
  const sizes = units.map(({ length }) => Buffer.from([length >> 5, (length << 3) & 0xff]));
  return Buffer.concat([Buffer.from([0, 48]), ...sizes, ...units]);
}

function l16(rate: number, channels: number, payloadType: number): SoundSpec {
  const samples = rate / 50;
  const payload = (index: number) => soundBytes(samples * channels * 2, index);
  return {
    payloadType,
    sdp: [`m=audio 0 RTP/AVP ${payloadType}`, `a=rtpmap:${payloadType} L16/${rate}/${channels}`],
    ...{ clockRate: rate, ticks: samples, unitMs: 20, payload, recorded: payload },
  };
}

function g726(bits: number, name: string): SoundSpec {
  const payload = (index: number) => soundBytes((320 * bits) / 8, index);
  return {
    payloadType: 98,
    sdp: ["m=audio 0 RTP/AVP 98", `a=rtpmap:98 ${name}/8000`],
    ...{ clockRate: 8000, ticks: 320, unitMs: 40, payload, recorded: payload, recordedBytes: 320 },
  };
}

/** Opus, CELT at 48 kHz, one frame of 20 ms (RFC 6716, 3.1). */
const opusPacket = (index: number) =>
  Buffer.concat([Buffer.from([0xf8]), soundBytes(60 + (index % 20), index)]);

export const SOUNDS = {
  pcmu: g711("PCMU", 0),
  pcma: g711("PCMA", 8),
  pcma16: g711("PCMA", 98, 16_000),
  aac: aac(AAC_HBR, (index) => Buffer.concat([auHeader(aacUnit(index).length), aacUnit(index)])),
  aacAdts: aac(AAC_HBR, (index) =>
    Buffer.concat([auHeader(aacUnit(index).length + 7), adts(aacUnit(index))]),
  ),
  aacBareAdts: aac(AAC_HBR, (index) => adts(aacUnit(index))),
  aacNoSizes: aac("streamtype=5;profile-level-id=1;mode=AAC-hbr;config=1408", (index) =>
    Buffer.concat([auHeader(aacUnit(index).length), aacUnit(index)]),
  ),
  aacShort: aac(
    "streamtype=5;profile-level-id=1;mode=AAC-hbr;sizelength=13;indexlength=0;indexdeltalength=0;config=1408",
    (index) => Buffer.concat([auHeader(aacUnit(index).length).fill(13, 1, 2), aacUnit(index)]),
  ),
  aacThree: {
    ...aac(AAC_HBR, threeUnits),
    ticks: 3 * AAC_TICKS,
    unitMs: 192,
    recorded: (index: number) => Buffer.concat([0, 1, 2].map((at) => aacUnit(3 * index + at))),
  },
  unknown: {
    payloadType: 98,
    sdp: ["m=audio 0 RTP/AVP 98", "a=rtpmap:98 SPEEX/16000"],
    ...{ clockRate: 16_000, ticks: 320, unitMs: 20 },
    payload: (index: number) => soundBytes(50, index),
    recorded: () => Buffer.alloc(0),
  },
  latm: aac(
    "profile-level-id=1;cpresent=0;config=400028103fc0",
    (index) => latm(aacUnit(index)),
    "MP4A-LATM/16000",
  ),
  l16: l16(16_000, 1, 98),
  l16Stereo: l16(44_100, 2, 10),
  opus: {
    payloadType: 98,
    sdp: ["m=audio 0 RTP/AVP 98", "a=rtpmap:98 opus/48000/2"],
    clockRate: 48_000,
    ticks: 960,
    unitMs: 20,
    payload: opusPacket,
    recorded: opusPacket,
  },
  g726: g726(4, "G726-32"),
  g726Aal2: g726(4, "AAL2-G726-32"),
  g726Low: g726(2, "G726-16"),
} as const satisfies Record<string, SoundSpec>;

export type SoundName = keyof typeof SOUNDS;
