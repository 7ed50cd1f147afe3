/**
 * The fields of a baseline JPEG's marker segments that RFC 2435 needs. JPEGs that the payload format cannot carry
 * (progressive or 12-bit pictures, other samplings, non-standard Huffman tables) are refused.
 */
export interface JpegPicture {
  /** RFC 2435, 3.1.3: 0 is 4:2:2, 1 is 4:2:0; restart markers are in `restartInterval`. */
  readonly type: 0 | 1;
  /** Width and height in units of 8 pixels, rounded up; 1 to 255, or 0 for more: then the session description has the size. */
  readonly widthBlocks: number;
  readonly heightBlocks: number;
  /** MCUs between restart markers; 0 without them. */
  readonly restartInterval: number;
  /** Luma table, then chroma table, as in DQT: 64 or 128 bytes each. */
  readonly tables: Buffer;
  /** Bit n set: table n has 16-bit values (RFC 2435, 3.1.8). */
  readonly precision: number;
  /** Entropy-coded data, without EOI. */
  readonly scanStart: number;
  readonly scanEnd: number;
}

/** Largest width or height in RFC 2435: 255 blocks of 8 pixels. */
export const RTP_JPEG_SIDE_MAX = 2040;

const MARKER_SEGMENTS_MAX = 64;
const COMPONENTS = 3;
const SOF0 = 0xc0;
const DHT = 0xc4;
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;

/** ITU-T T.81, Annex K.3: class and id, then counts and values, by class and id. */
const STANDARD_HUFFMAN_TABLES: ReadonlyMap<number, Buffer> = new Map([
  [0x00, Buffer.from("00010501010101010100000000000000000102030405060708090a0b", "hex")],
  [0x01, Buffer.from("00030101010101010101010000000000000102030405060708090a0b", "hex")],
  [
    0x10,
    Buffer.from(
      "0002010303020403050504040000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f0243362728209" +
        "0a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a8384" +
        "85868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2" +
        "e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
      "hex",
    ),
  ],
  [
    0x11,
    Buffer.from(
      "0002010204040304070504040001027700010203110405213106124151076171132232810814" +
        "4291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a63" +
        "6465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3" +
        "c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
      "hex",
    ),
  ],
]);

interface Component {
  readonly sampling: number;
  readonly table: number;
}

/** Collects the fields of the marker segments, in any order. */
class JpegHeader {
  readonly #tables = new Map<number, Buffer>();
  #components: Component[] = [];
  #width = 0;
  #height = 0;
  #restartInterval = 0;

  /** Reads a segment's payload; false if RFC 2435 cannot carry such a picture. */
  take(marker: number, payload: Buffer): boolean {
    if (marker === DQT) return this.#takeTables(payload);
    if (marker === DHT) return areStandardHuffmanTables(payload);
    if (marker === SOF0) return this.#takeFrame(payload);
    if (marker === DRI) {
      if (payload.length < 2) return false;
      this.#restartInterval = payload.readUInt16BE(0);
      return true;
    }
    // Other frame types (SOF1 to SOF15) are not baseline; APPn, COM and others do not matter.
    return marker < 0xc1 || marker > 0xcf || marker === 0xc8;
  }

  picture(scanStart: number, scanEnd: number): JpegPicture | undefined {
    const [luma, blue, red] = this.#components;
    if (luma === undefined || blue === undefined || red === undefined) return undefined;
    if (blue.sampling !== 0x11 || red.sampling !== 0x11 || blue.table !== red.table) return undefined;
    if (luma.sampling !== 0x21 && luma.sampling !== 0x22) return undefined;
    const lumaTable = this.#tables.get(luma.table);
    const chromaTable = this.#tables.get(blue.table);
    if (lumaTable === undefined || chromaTable === undefined) return undefined;
    return {
      type: luma.sampling === 0x21 ? 0 : 1,
      widthBlocks: blocksOf(this.#width),
      heightBlocks: blocksOf(this.#height),
      restartInterval: this.#restartInterval,
      tables: Buffer.concat([lumaTable, chromaTable]),
      precision: (lumaTable.length > 64 ? 1 : 0) | (chromaTable.length > 64 ? 2 : 0),
      scanStart,
      scanEnd,
    };
  }

  #takeTables(payload: Buffer): boolean {
    for (let at = 0; at < payload.length; ) {
      const header = payload[at] ?? 0;
      const byteLength = header >> 4 === 0 ? 64 : 128;
      if (at + 1 + byteLength > payload.length || (header & 0x0f) > 3 || header >> 4 > 1) return false;
      this.#tables.set(header & 0x0f, payload.subarray(at + 1, at + 1 + byteLength));
      at += 1 + byteLength;
    }
    return true;
  }

  #takeFrame(payload: Buffer): boolean {
    if (payload.length < 15 || payload[0] !== 8 || payload[5] !== COMPONENTS) return false;
    this.#height = payload.readUInt16BE(1);
    this.#width = payload.readUInt16BE(3);
    this.#components = [6, 9, 12].map((at) => ({
      sampling: payload[at + 1] ?? 0,
      table: payload[at + 2] ?? 0,
    }));
    return this.#width > 0 && this.#height > 0;
  }
}

function blocksOf(pixels: number): number {
  return pixels > RTP_JPEG_SIDE_MAX ? 0 : (pixels + 7) >> 3;
}

function areStandardHuffmanTables(payload: Buffer): boolean {
  for (let at = 0; at < payload.length; ) {
    const standard = STANDARD_HUFFMAN_TABLES.get(payload[at] ?? 0);
    if (standard === undefined) return false;
    if (!payload.subarray(at + 1, at + 1 + standard.length).equals(standard)) return false;
    at += 1 + standard.length;
  }
  return true;
}

/** Reads the headers of `jpeg`; undefined if it is not a complete JPEG, or RFC 2435 cannot carry it. */
export function parseJpegPicture(jpeg: Buffer): JpegPicture | undefined {
  if (jpeg[0] !== 0xff || jpeg[1] !== SOI) return undefined;
  const header = new JpegHeader();
  let at = 2;
  for (let segments = 0; segments < MARKER_SEGMENTS_MAX; segments++) {
    if (at + 4 > jpeg.length || jpeg[at] !== 0xff) return undefined;
    const marker = jpeg[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (end < at + 4 || end > jpeg.length) return undefined;
    if (marker === SOS) {
      const isInterleaved = jpeg[at + 4] === COMPONENTS;
      return isInterleaved ? header.picture(end, endOfScan(jpeg, end)) : undefined;
    }
    if (!header.take(marker, jpeg.subarray(at + 4, end))) return undefined;
    at = end;
  }
  return undefined;
}

/** End of the entropy-coded data: at the last EOI, or at the end of a picture without one. */
function endOfScan(jpeg: Buffer, scanStart: number): number {
  for (let at = jpeg.length - 2; at >= scanStart; at--) {
    if (jpeg[at] === 0xff && jpeg[at + 1] === EOI) return at;
  }
  return jpeg.length;
}
