import { type SoundSpec, soundBytes } from "./sound-spec.js";

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

/** The bits of whole numbers, one behind the other, filled up to a byte. */
function bitBytes(fields: readonly (readonly [value: number, bits: number])[]): Buffer {
  const text = fields.map(([value, bits]) => value.toString(2).padStart(bits, "0")).join("");
  const bytes = text.match(/.{1,8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2)));
}

/** ISO/IEC 14496-3, table 1.42: a StreamMuxConfig of AAC LC, 16 kHz, mono, one unit an element. */
const STREAM_MUX = Buffer.from("400028103fc0", "hex");
const STREAM_MUX_BITS = 44;

/** An AudioMuxElement that says how it is made up, or that it is as the one before (table 1.41). */
function element(unit: Buffer, hasConfig: boolean): Buffer {
  const config = bitsOf(STREAM_MUX).slice(0, STREAM_MUX_BITS);
  return bitBytes([[hasConfig ? 0 : 1, 1], ...(hasConfig ? config : []), ...bitsOf(latm(unit))]);
}

function bitsOf(bytes: Buffer): (readonly [number, number])[] {
  return [...bytes].flatMap((byte) =>
    Array.from({ length: 8 }, (_, at) => [(byte >> (7 - at)) & 1, 1] as const),
  );
}

/** ISO/IEC 14496-3, 1.7.2: AudioSyncStream. */
function loas(bytes: Buffer): Buffer {
  const head = bitBytes([
    [0x2b7, 11],
    [bytes.length, 13],
  ]);
  return Buffer.concat([head, bytes]);
}

/** With a checksum, at which nobody looks. */
function adtsWithCrc(unit: Buffer): Buffer {
  const bytes = adts(Buffer.concat([Buffer.from([0x12, 0x34]), unit]));
  bytes[1] = 0xf0;
  return bytes;
}

function adtsCut(index: number): Buffer {
  const cutAt = (at: number): number => 3 + ((at * 31) % 90);
  const before = index === 0 ? Buffer.alloc(0) : adts(aacUnit(index - 1)).subarray(cutAt(index - 1));
  return Buffer.concat([before, adts(aacUnit(index)).subarray(0, cutAt(index))]);
}

const LATM_CONFIG = "config=400028103fc0";
const inElements = (fmtp: string, payload: (index: number) => Buffer): SoundSpec =>
  aac(fmtp, payload, "MP4A-LATM/16000");

/** AAC, wrapped in all ways. */
export const AAC_SOUNDS = {
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
  latm: aac(
    "profile-level-id=1;cpresent=0;config=400028103fc0",
    (index) => latm(aacUnit(index)),
    "MP4A-LATM/16000",
  ),
  latmIn: inElements("profile-level-id=1;cpresent=1", (index) => element(aacUnit(index), true)),
  latmInTenth: inElements("profile-level-id=1", (index) => element(aacUnit(index), index % 10 === 0)),
  latmBoth: inElements(`profile-level-id=1;${LATM_CONFIG}`, (index) => element(aacUnit(index), true)),
  latmSaysOut: inElements(`cpresent=0;${LATM_CONFIG}`, (index) => element(aacUnit(index), true)),
  latmSaysIn: inElements(`cpresent=1;${LATM_CONFIG}`, (index) => latm(aacUnit(index))),
  latmLoas: inElements("profile-level-id=1;cpresent=1", (index) => loas(element(aacUnit(index), true))),
  latmAdts: inElements("profile-level-id=1;cpresent=1", (index) => adts(aacUnit(index))),
  latmAsGeneric: aac(`streamtype=5;profile-level-id=15;${LATM_CONFIG}`, (index) => latm(aacUnit(index))),
  adtsCrc: aac(AAC_HBR, (index) => adtsWithCrc(aacUnit(index))),
  /** A stream of ADTS frames that packets cut anywhere: each has the end of the frame before, and the beginning of the next. */
  adtsCut: {
    ...aac("profile-level-id=1", adtsCut, "MPEG4-GENERIC-ADTS/16000"),
    recorded: (index: number) => (index === 0 ? Buffer.alloc(0) : aacUnit(index - 1)),
  },
  adtsNamed: aac("profile-level-id=1", (index) => adts(aacUnit(index)), "MPEG4-GENERIC-ADTS/16000"),
  aacBare: aac("config=1408", (index) => aacUnit(index)),
} as const satisfies Record<string, SoundSpec>;
