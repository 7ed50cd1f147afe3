import { parseAacConfig } from "./aac-config.js";
import { type AudioFormat, Codec } from "./codec.js";

/** Bytes of an ADTS header without its checksum. */
const ADTS_HEADER_BYTES = 7;
const CHECKSUM_BYTES = 2;
const RATE_INDEX_MAX = 12;

/** What the header of an ADTS frame says (ISO/IEC 14496-3, 1.A.2.2). */
interface AdtsFrame {
  readonly headerBytes: number;
  /** Of the whole frame, header included. */
  readonly frameBytes: number;
  /** The AudioSpecificConfig. */
  readonly config: Buffer;
}

/** Reads the header at `at`; undefined if there is none before `end`. The frame itself may end later. */
export function readAdtsFrame(bytes: Uint8Array, at: number, end: number): AdtsFrame | undefined {
  if (end - at < ADTS_HEADER_BYTES || bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0)
    return undefined;
  const first = bytes[at + 2] ?? 0;
  const second = bytes[at + 3] ?? 0;
  const objectType = (first >> 6) + 1;
  const rateIndex = (first >> 2) & 15;
  if (rateIndex > RATE_INDEX_MAX) return undefined;
  const channels = ((first & 1) << 2) | (second >> 6);
  const frameBytes = ((second & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5);
  const headerBytes =
    ((bytes[at + 1] ?? 0) & 1) === 1 ? ADTS_HEADER_BYTES : ADTS_HEADER_BYTES + CHECKSUM_BYTES;
  if (frameBytes <= headerBytes) return undefined;
  const config = (objectType << 11) | (rateIndex << 7) | (channels << 3);
  return { headerBytes, frameBytes, config: Buffer.from([config >> 8, config & 0xff]) };
}

/** The raw unit of an ADTS frame and its format; undefined if it is none. */
export function adtsUnit(
  frame: Uint8Array,
): { readonly format: AudioFormat; readonly bytes: Uint8Array } | undefined {
  const adts = readAdtsFrame(frame, 0, frame.length);
  const config = adts === undefined ? undefined : parseAacConfig(adts.config);
  if (adts === undefined || config === undefined) return undefined;
  const { sampleRate, channels } = config;
  return {
    format: { codec: Codec.AAC, sampleRate, channels, initialization: adts.config },
    bytes: frame.subarray(adts.headerBytes),
  };
}
