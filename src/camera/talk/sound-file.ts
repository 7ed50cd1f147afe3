import { NvrdError, US_PER_SECOND } from "../../base/index.js";
import { Codec } from "../../live/index.js";
import { CodecError, type Codec as CodecLibrary } from "../../picture/index.js";
import { AAC_SAMPLES, type AacFormat, adtsHeader } from "./adts.js";
import { ANNOUNCEMENT_SECONDS_MAX } from "./sound-bounds.js";
import { isWav, wavToUlaw } from "./wav.js";

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
  const { sampleRate, channels, initialization } = first;
  await codec.prepare?.();
  const input = { codec: Codec.AAC, sampleRate, channels, initialization };
  const pieces: Uint8Array[] = [];
  try {
    const transcoder = codec.openSoundTranscoder({ input, output: "g711u" });
    try {
      for (const [index, { data }] of units.entries()) {
        const timeUs = Math.round((index * AAC_SAMPLES * US_PER_SECOND) / sampleRate);
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

interface AacUnit extends AacFormat {
  readonly data: Buffer;
}

/**
 * The access units of an ADTS stream, up to the first that is damaged. Throws NvrdError TOO_LARGE as soon as they are too many: a
 * file of the largest size may have millions.
 */
function adtsUnits(bytes: Buffer): AacUnit[] {
  const units: AacUnit[] = [];
  for (let at = 0; at < bytes.length; ) {
    const header = adtsHeader(bytes, at);
    if (header === undefined || at + header.bytes > bytes.length) break;
    const { sampleRate, channels, initialization } = header;
    const data = bytes.subarray(at + header.headerBytes, at + header.bytes);
    units.push({ sampleRate, channels, initialization, data });
    if (units.length * AAC_SAMPLES > ANNOUNCEMENT_SECONDS_MAX * (units[0]?.sampleRate ?? sampleRate))
      throw tooLong();
    at += header.bytes;
  }
  return units;
}

function tooLong(): NvrdError {
  const text = `the sound is longer than ${ANNOUNCEMENT_SECONDS_MAX} s`;
  return new NvrdError("TOO_LARGE", text, { hint: "send a shorter one" });
}
