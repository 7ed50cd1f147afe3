import { NvrdError } from "../../base/index.js";
import { AAC_RATES, type AacRate } from "../../contract/query/index.js";

export const ADTS_HEADER_BYTES = 7;
/** Of each access unit: what a frame of AAC-LC has. */
export const AAC_SAMPLES = 1024;
const CHECKSUM_BYTES = 2;

/** What a decoder must know of a stream of AAC. */
export interface AacFormat {
  readonly sampleRate: number;
  readonly channels: number;
  /** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). */
  readonly initialization: Buffer;
}

export interface AdtsHeader extends AacFormat {
  /** Of the header, its checksum included. */
  readonly headerBytes: number;
  /** Of header and access unit. */
  readonly bytes: number;
}

/** The format of AAC-LC. */
export function aacFormat(sampleRate: AacRate, channels: number): AacFormat {
  return formatOf(1, AAC_RATES.indexOf(sampleRate), channels);
}

/** Reads the header at the beginning of an ADTS frame (ISO/IEC 13818-7, 6.2); undefined where there is none. */
export function adtsHeader(bytes: Buffer, at = 0): AdtsHeader | undefined {
  if (bytes.length - at < ADTS_HEADER_BYTES) return undefined;
  const sync = bytes.readUInt16BE(at);
  const [second, third, last] = [bytes.readUInt8(at + 2), bytes.readUInt8(at + 3), bytes.readUInt8(at + 6)];
  const rateIndex = (second >> 2) & 15;
  const channels = ((second & 1) << 2) | (third >> 6);
  const headerBytes = (sync & 1) === 1 ? ADTS_HEADER_BYTES : ADTS_HEADER_BYTES + CHECKSUM_BYTES;
  const length = ((third & 3) << 11) | (bytes.readUInt8(at + 4) << 3) | (bytes.readUInt8(at + 5) >> 5);
  const hasOneUnit = (last & 3) === 0;
  const isFrame = (sync & 0xfff6) === 0xfff0 && rateIndex < AAC_RATES.length && channels !== 0;
  if (!isFrame || !hasOneUnit || length <= headerBytes) return undefined;
  return { ...formatOf(second >> 6, rateIndex, channels), headerBytes, bytes: length };
}

function formatOf(profile: number, rateIndex: number, channels: number): AacFormat {
  const config = ((profile + 1) << 11) | (rateIndex << 7) | (channels << 3);
  const initialization = Buffer.from([config >> 8, config & 0xff]);
  return { sampleRate: AAC_RATES[rateIndex] ?? 0, channels, initialization };
}

/** Takes the access units out of an ADTS stream that comes in pieces of any length. It holds one frame at most: 8 KiB. */
export class AdtsReader {
  readonly #format: AacFormat;
  #held = Buffer.alloc(0);

  constructor(format: AacFormat) {
    this.#format = format;
  }

  /** Bytes up to the end of the frame that has begun, or of its header. */
  get missing(): number {
    return (adtsHeader(this.#held)?.bytes ?? ADTS_HEADER_BYTES) - this.#held.length;
  }

  /** The access units that are whole now. Throws NvrdError BAD_REQUEST where the stream is damaged, or of another format. */
  push(bytes: Uint8Array): Buffer[] {
    const all = Buffer.concat([this.#held, bytes]);
    const units: Buffer[] = [];
    let at = 0;
    while (all.length - at >= ADTS_HEADER_BYTES) {
      const header = this.#header(all, at);
      if (at + header.bytes > all.length) break;
      units.push(all.subarray(at + header.headerBytes, at + header.bytes));
      at += header.bytes;
    }
    this.#held = Buffer.from(all.subarray(at));
    return units;
  }

  #header(bytes: Buffer, at: number): AdtsHeader {
    const header = adtsHeader(bytes, at);
    if (header === undefined) throw noAdts();
    if (header.initialization.equals(this.#format.initialization)) return header;
    const [said, is] = [this.#format, header].map(
      ({ sampleRate, channels }) => `${sampleRate} Hz with ${channels} channel${channels === 1 ? "" : "s"}`,
    );
    throw new NvrdError("BAD_REQUEST", `the sound began as AAC-LC of ${said}, and is of ${is}`, {
      hint: "send sound of one format",
    });
  }
}

export function noAdts(): NvrdError {
  return new NvrdError("BAD_REQUEST", "the sound is not AAC in ADTS, or it is damaged", {
    hint: "send ADTS frames of one access unit each",
  });
}
