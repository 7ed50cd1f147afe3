import type { JpegSegments } from "./jpeg-segments.js";

/** The fields of the RTP/JPEG header (RFC 2435, 3.1) from which the file's header is built. */
export interface JpegHeaderFields {
  /** 0: 4:2:2, 1: 4:2:0 (RFC 2435, 4.1). */
  readonly sampling: 0 | 1;
  readonly width: number;
  readonly height: number;
  /** MCUs between restart markers; 0 without them. */
  readonly restartInterval: number;
  /** Quantization tables one after the other, in zigzag order. */
  readonly tables: Buffer;
  /** Bit n set: table n has 16-bit values. */
  readonly precision: number;
  /** Segments that the camera sent itself. */
  readonly sent?: JpegSegments | undefined;
}

/** Most bytes of quantization tables: twice the 2 tables of RFC 2435 with 16-bit values. */
export const QUANTIZATION_BYTES_MAX = 4 * 128;

/** Table K.1 and K.2 of ITU-T T.81 in zigzag order (RFC 2435, appendix A). */
const LUMA_QUANTIZER = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
  51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
  62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];
const CHROMA_QUANTIZER = [
  17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

/** The typical Huffman tables (ITU-T T.81, K.3): class and id, code counts, values (RFC 2435, appendix B). */
const HUFFMAN_TABLES = Buffer.from(
  "ffc4001f0000010501010101010100000000000000000102030405060708090a0b" +
    "ffc400b5100002010303020403050504040000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f0" +
    "2433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a7374757677" +
    "78797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7" +
    "d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa" +
    "ffc4001f0100030101010101010101010000000000000102030405060708090a0b" +
    "ffc400b51100020102040403040705040400010277000102031104052131061241510761711322328108144291a1b1c109233352f0" +
    "156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a737475" +
    "767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4" +
    "d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  "hex",
);

/** SOI and a JFIF 1.02 APP0 without density or thumbnail: FF D8 FF E0 comes first. */
const START = Buffer.from("ffd8ffe000104a46494600010200000100010000", "hex");

/** The two tables of quality `q`, 1 to 99 (RFC 2435, 4.2 and appendix A). */
export function scaledQuantizers(q: number): Buffer {
  const quality = Math.min(Math.max(q, 1), 99);
  const scale = quality < 50 ? Math.floor(5000 / quality) : 200 - quality * 2;
  const values = [...LUMA_QUANTIZER, ...CHROMA_QUANTIZER];
  return Buffer.from(
    values.map((value) => Math.min(Math.max(Math.floor((value * scale + 50) / 100), 1), 255)),
  );
}

/** Length in bytes of quantization table `index`. */
export function quantizerBytes(precision: number, index: number): 64 | 128 {
  return (precision & (1 << index)) === 0 ? 64 : 128;
}

/** The JFIF header up to the scan data: SOI, APP0, DQT, DRI, SOF, DHT, SOS. Undefined when the tables are too short. */
export function buildJpegHeader(fields: JpegHeaderFields): Buffer | undefined {
  const { sent, precision, tables } = fields;
  const luma = quantizerBytes(precision, 0);
  const chroma = quantizerBytes(precision, 1);
  if (sent?.quantizers === undefined && tables.length < luma) return undefined;
  const count = tables.length >= luma + chroma ? 2 : 1;
  const quantizers = [
    quantizerSegment(fields, 0, 0, luma),
    ...(count === 2 ? [quantizerSegment(fields, 1, luma, chroma)] : []),
  ];
  return Buffer.concat([
    START,
    ...(sent?.quantizers === undefined ? quantizers : [sent.quantizers]),
    sent?.restart ?? restartSegment(fields.restartInterval),
    sent?.frame?.bytes ?? frameSegment(fields, count),
    sent?.huffman ?? HUFFMAN_TABLES,
    scanSegment(sent?.frame?.components ?? COMPONENTS),
  ]);
}

/** The components of the frame header that is made here: Y, Cb, Cr. */
const COMPONENTS = Buffer.from([1, 2, 3]);

/** SOS (ITU-T T.81, B.2.3): all components in one scan, the first with the tables of luma. */
function scanSegment(components: Buffer): Buffer {
  const tables = [...components].flatMap((component, index) => [component, index === 0 ? 0x00 : 0x11]);
  return Buffer.from([0xff, 0xda, 0, 6 + 2 * components.length, components.length, ...tables, 0, 63, 0]);
}

function restartSegment(interval: number): Buffer {
  return Buffer.from(interval > 0 ? [0xff, 0xdd, 0, 4, interval >> 8, interval & 0xff] : []);
}

function quantizerSegment(fields: JpegHeaderFields, index: number, from: number, byteLength: number): Buffer {
  const head = [0xff, 0xdb, 0, 3 + byteLength, (byteLength === 128 ? 0x10 : 0) | index];
  return Buffer.concat([Buffer.from(head), fields.tables.subarray(from, from + byteLength)]);
}

/** SOF0, baseline (ITU-T T.81, B.2.2); with a single table, chroma uses it too. */
function frameSegment(fields: JpegHeaderFields, tables: number): Buffer {
  const { width, height } = fields;
  const lumaSampling = fields.sampling === 0 ? 0x21 : 0x22;
  const chromaTable = tables - 1;
  return Buffer.from([
    ...[0xff, 0xc0, 0, 17, 8, height >> 8, height & 0xff, width >> 8, width & 0xff, 3],
    ...[1, lumaSampling, 0, 2, 0x11, chromaTable, 3, 0x11, chromaTable],
  ]);
}
