import { NvrdError, US_PER_SECOND } from "../../base/index.js";
import { Codec } from "../../live/index.js";
import { CodecError, type Codec as CodecLibrary } from "../../picture/index.js";
import { isWav, wavToUlaw } from "./wav.js";

/** Longest announcement, and the largest file that is read: 120 s of 48 kHz, stereo, 16 bits. */
export const ANNOUNCEMENT_SECONDS_MAX = 120;
export const SOUND_FILE_BYTES_MAX = 24 * 1024 * 1024;

const ADTS_HEADER_BYTES = 7;
const AAC_SAMPLES = 1024;
/** Sampling frequencies by index (ISO/IEC 14496-3, table 1.18). */
const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];

/**
 * The sound of a file, WAV or AAC (ADTS), as µ-law of 8 kHz, mono. Rejects with NvrdError BAD_REQUEST for what is neither or
 * damaged, TOO_LARGE, NOT_SUPPORTED where the codec is missing.
 */
export async function soundOfFile(bytes: Buffer, codec: CodecLibrary): Promise<Buffer> {
  const sound = isWav(bytes)
    ? await wavToUlaw(bytes, ANNOUNCEMENT_SECONDS_MAX)
    : await aacToUlaw(bytes, codec);
  if (sound.length > 0) return sound;
  throw new NvrdError("BAD_REQUEST", "the file has no sound", { hint: "send a WAV file, or AAC in ADTS" });
}

async function aacToUlaw(bytes: Buffer, codec: CodecLibrary): Promise<Buffer> {
  const units = adtsUnits(bytes);
  const [first] = units;
  if (first === undefined)
    throw new NvrdError("BAD_REQUEST", "the sound is neither a WAV file nor AAC in ADTS", { hint: "" });
  const { rate, channels, initialization } = first;
  await codec.prepare?.();
  const input = { codec: Codec.AAC, sampleRate: rate, channels, initialization };
  const pieces: Uint8Array[] = [];
  try {
    const transcoder = codec.openSoundTranscoder({ input, output: "g711u" });
    try {
      for (const [index, { data }] of units.entries()) {
        const timeUs = Math.round((index * AAC_SAMPLES * US_PER_SECOND) / rate);
        for (const piece of await transcoder.push([data], timeUs)) pieces.push(piece.data);
      }
    } finally {
      transcoder.close();
    }
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const isMissing = error.kind === "unsupported";
    throw new NvrdError(
      isMissing ? "NOT_SUPPORTED" : "BAD_REQUEST",
      `the AAC cannot be decoded: ${error.message}`,
      {
        cause: error,
        hint: "send a WAV file",
      },
    );
  }
  return Buffer.concat(pieces);
}

interface AacUnit {
  readonly rate: number;
  readonly channels: number;
  readonly initialization: Uint8Array;
  readonly data: Buffer;
}

/**
 * The access units of an ADTS stream (ISO/IEC 13818-7, 6.2), up to the first that is damaged. Throws NvrdError TOO_LARGE as soon as
 * they are too many: a file of the largest size may have millions.
 */
function adtsUnits(bytes: Buffer): AacUnit[] {
  const units: AacUnit[] = [];
  for (let at = 0; at + ADTS_HEADER_BYTES <= bytes.length; ) {
    const header = bytes.readUIntBE(at, 6);
    const sync = bytes.readUInt16BE(at);
    if ((sync & 0xfff6) !== 0xfff0) break;
    const second = bytes.readUInt8(at + 2);
    const rate = AAC_RATES[(second >> 2) & 15];
    const channels = ((second & 1) << 2) | (bytes.readUInt8(at + 3) >> 6);
    const length = Math.floor(header / 2 ** 5) % 2 ** 13;
    const skip = (sync & 1) === 1 ? ADTS_HEADER_BYTES : ADTS_HEADER_BYTES + 2;
    if (rate === undefined || channels === 0 || length <= skip || at + length > bytes.length) break;
    const config = (((second >> 6) + 1) << 11) | (((second >> 2) & 15) << 7) | (channels << 3);
    const initialization = Buffer.from([config >> 8, config & 0xff]);
    units.push({ rate, channels, initialization, data: bytes.subarray(at + skip, at + length) });
    if (units.length * AAC_SAMPLES > ANNOUNCEMENT_SECONDS_MAX * (units[0]?.rate ?? rate)) throw tooLong();
    at += length;
  }
  return units;
}

function tooLong(): NvrdError {
  const text = `the sound is longer than ${ANNOUNCEMENT_SECONDS_MAX} s`;
  return new NvrdError("TOO_LARGE", text, { hint: "send a shorter one" });
}
