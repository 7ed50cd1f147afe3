import {
  type AudioFormat,
  alawToUlaw,
  Codec,
  codecName,
  type G711Law,
  g711LawOf,
  g711ToPcm,
  l16ToPcm,
  pcmToG711,
  ulawToAlaw,
} from "../../live/index.js";
import { type CodecAddon, codecMissing, fromAddon } from "./codec-addon.js";
import { CodecError } from "./codec-error.js";
import type { SoundForm, SoundPiece, SoundTranscoder, SoundTranscoderOptions } from "./codec-types.js";

/** Default sample rate of the output; the only one for G.711. */
export const SOUND_RATE_DEFAULT = 8000;
/** Most input channels. */
export const SOUND_CHANNELS_MAX = 8;
/** Highest sample rate of input and output. */
export const SOUND_RATE_MAX = 192_000;
/** Longest packet accepted: 8 s of mono G.711. */
export const SOUND_UNIT_BYTES_MAX = 64 * 1024;

/** The addon's class (native/codec/sound/sound.cc). */
interface NativeSoundTranscoder {
  push(pieces: readonly Uint8Array[], timeUs: number): Promise<readonly SoundPiece[]>;
  close(): void;
}

type NativeSoundClass = new (settings: {
  readonly input: "pcm" | "aac" | "opus";
  readonly inputRate: number;
  readonly inputChannels: number;
  readonly config: Uint8Array;
  readonly output: "pcm" | "aac";
  readonly outputRate: number;
  readonly whenIdle: boolean;
}) => NativeSoundTranscoder;

/**
 * Opens a transcoder for one sound track. G.711 of the requested rate is converted to G.711 or PCM here; everything
 * else by the addon, on the codec's threads. Throws CodecError `unsupported` for sound that is none of G.711, L16, AAC and Opus,
 * for G.711 output at a rate other than 8000, and for rates and channels out of range.
 */
export function openSoundTranscoder(options: SoundTranscoderOptions, addon: CodecAddon): SoundTranscoder {
  const { input, output, sampleRate = SOUND_RATE_DEFAULT } = options;
  const law = g711LawOf(input.codec);
  requireBounds(input, sampleRate);
  if (!hasFixedSamples(input) && !DECODED.has(input.codec))
    throw new CodecError("unsupported", `${codecName(input.codec)} is not a sound codec`);
  if (outputLaw(output) !== undefined && sampleRate !== SOUND_RATE_DEFAULT)
    throw new CodecError(
      "unsupported",
      `G.711 has ${SOUND_RATE_DEFAULT} samples a second, not ${sampleRate}`,
    );
  const straight = law !== undefined && input.sampleRate === sampleRate && input.channels === 1;
  if (straight && output !== "aac") return new G711Transcoder(law, output, sampleRate);
  return new AddonSoundTranscoder({ ...options, sampleRate }, addon);
}

/** Whether `input` can be sent as µ-law of 8 kHz, mono, without a transcoder: at most its law is converted. */
export function isPlainG711(input: AudioFormat): boolean {
  return (
    g711LawOf(input.codec) !== undefined && input.sampleRate === SOUND_RATE_DEFAULT && input.channels === 1
  );
}

/** What libavcodec decodes; rate and channels are in the stream. */
const DECODED: ReadonlyMap<Codec, "aac" | "opus"> = new Map([
  [Codec.AAC, "aac"],
  [Codec.OPUS, "opus"],
]);

/** G.711 and L16. */
function hasFixedSamples({ codec }: AudioFormat): boolean {
  return g711LawOf(codec) !== undefined || codec === Codec.L16;
}

function requireBounds(input: AudioFormat, sampleRate: number): void {
  const isFixed = hasFixedSamples(input);
  const rates = isFixed ? [sampleRate, input.sampleRate] : [sampleRate];
  const good = rates.every((rate) => Number.isInteger(rate) && rate >= 4000 && rate <= SOUND_RATE_MAX);
  if (!good || (isFixed && !(input.channels >= 1 && input.channels <= SOUND_CHANNELS_MAX)))
    throw new CodecError("unsupported", `sound of ${rates.join(" or ")} Hz, ${input.channels} channels`);
}

function outputLaw(output: SoundForm): G711Law | undefined {
  if (output === "g711u") return "mu";
  return output === "g711a" ? "a" : undefined;
}

/** Converts G.711 to G.711 or PCM with a table, piece by piece, keeping the times. */
class G711Transcoder implements SoundTranscoder {
  readonly #convert: (pieces: readonly Uint8Array[]) => Uint8Array;
  readonly #sampleRate: number;
  #closed = false;

  constructor(law: G711Law, output: SoundForm, sampleRate: number) {
    this.#sampleRate = sampleRate;
    const target = outputLaw(output);
    if (target === undefined) this.#convert = (pieces) => g711ToPcm(pieces, law);
    else if (target === law) this.#convert = (pieces) => Uint8Array.from(Buffer.concat(pieces));
    else {
      const translate = target === "mu" ? alawToUlaw : ulawToAlaw;
      this.#convert = (pieces) => translate(Buffer.concat(pieces));
    }
  }

  async push(bytes: readonly Uint8Array[], decodeTimeUs: number): Promise<readonly SoundPiece[]> {
    if (this.#closed) throw new CodecError("closed", "the sound was closed");
    const samples = byteLengthOf(bytes);
    if (samples === 0) return [];
    requireUnitBounds(samples);
    const durationUs = Math.round((samples * 1e6) / this.#sampleRate);
    return [{ data: this.#convert(bytes), timeUs: decodeTimeUs, durationUs }];
  }

  close(): void {
    this.#closed = true;
  }
}

/** Everything else: the addon converts from PCM, AAC and Opus to PCM and AAC; G.711 is expanded before and compressed after it. */
class AddonSoundTranscoder implements SoundTranscoder {
  readonly #input: AudioFormat;
  readonly #inputLaw: G711Law | undefined;
  readonly #output: SoundForm;
  readonly #sampleRate: number;
  readonly #whenIdle: boolean;
  readonly #addon: CodecAddon;
  #native: NativeSoundTranscoder | undefined;
  #closed = false;

  constructor(options: SoundTranscoderOptions & { readonly sampleRate: number }, addon: CodecAddon) {
    const { input, output, sampleRate, turn } = options;
    this.#whenIdle = turn === "when-idle";
    this.#input = input;
    this.#inputLaw = g711LawOf(input.codec);
    this.#output = output;
    this.#sampleRate = sampleRate;
    this.#addon = addon;
  }

  async push(bytes: readonly Uint8Array[], decodeTimeUs: number): Promise<readonly SoundPiece[]> {
    if (this.#closed) throw new CodecError("closed", "the sound was closed");
    requireUnitBounds(byteLengthOf(bytes));
    const native = this.#addon.functions.SoundTranscoder;
    if (typeof native !== "function") throw codecMissing(this.#addon.missing ?? "it is of another version");
    try {
      this.#native ??= this.#open(native as NativeSoundClass);
      const pieces = await this.#native.push(this.#unit(bytes), decodeTimeUs);
      const target = outputLaw(this.#output);
      if (target === undefined) return pieces;
      return pieces.map((piece) => ({ ...piece, data: pcmToG711(piece.data, target) }));
    } catch (error) {
      throw fromAddon(error);
    }
  }

  close(): void {
    this.#closed = true;
    this.#native?.close();
    this.#native = undefined;
  }

  #unit(bytes: readonly Uint8Array[]): readonly Uint8Array[] {
    const law = this.#inputLaw;
    if (law !== undefined) return [g711ToPcm(bytes, law)];
    return this.#input.codec === Codec.L16 ? [l16ToPcm(bytes)] : bytes;
  }

  /** Called by the first push, and by the next one if too many were open. */
  #open(native: NativeSoundClass): NativeSoundTranscoder {
    const { codec, sampleRate, channels, initialization } = this.#input;
    const decoded = DECODED.get(codec);
    return new native({
      input: decoded ?? "pcm",
      inputRate: decoded === undefined ? sampleRate : SOUND_RATE_DEFAULT,
      inputChannels: decoded === undefined ? channels : 1,
      config: decoded === undefined ? new Uint8Array(0) : initialization,
      output: this.#output === "aac" ? "aac" : "pcm",
      outputRate: this.#sampleRate,
      whenIdle: this.#whenIdle,
    });
  }
}

function byteLengthOf(pieces: readonly Uint8Array[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

function requireUnitBounds(length: number): void {
  if (length > SOUND_UNIT_BYTES_MAX)
    throw new CodecError(
      "too-large",
      `${length} bytes in one piece of sound; at most ${SOUND_UNIT_BYTES_MAX}`,
    );
}
