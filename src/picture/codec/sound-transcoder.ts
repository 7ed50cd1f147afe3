import { type AudioFormat, Codec, codecName } from "../../live/index.js";
import { type CodecAddon, codecMissing, fromAddon } from "./codec-addon.js";
import { CodecError } from "./codec-error.js";
import type { SoundForm, SoundPiece, SoundTranscoder, SoundTranscoderOptions } from "./codec-types.js";
import { alawToUlaw, type G711Law, g711LawOf, g711ToPcm, pcmToG711, ulawToAlaw } from "./sound-g711.js";

/** Default sample rate of the output; the only one for G.711. */
export const SOUND_RATE_DEFAULT = 8000;
/** Most input channels. */
export const SOUND_CHANNELS_MAX = 8;
/** Highest sample rate of input and output. */
export const SOUND_RATE_MAX = 192_000;
/** Longest G.711 packet accepted: 8 s of mono. */
export const SOUND_UNIT_BYTES_MAX = 64 * 1024;

/** The addon's class (native/codec/sound.cc). */
interface NativeSoundTranscoder {
  push(pieces: readonly Uint8Array[], timeUs: number): Promise<readonly SoundPiece[]>;
  close(): void;
}

type NativeSoundClass = new (settings: {
  readonly input: "pcm" | "aac";
  readonly inputRate: number;
  readonly inputChannels: number;
  readonly config: Uint8Array;
  readonly output: "pcm" | "aac";
  readonly outputRate: number;
}) => NativeSoundTranscoder;

/**
 * Opens a transcoder for one sound track. G.711 of the requested rate is converted to G.711 or PCM here; everything
 * else by the addon, on the codec's threads. Throws CodecError `unsupported` for sound that is neither G.711 nor AAC,
 * for G.711 output at a rate other than 8000, and for rates and channels out of range.
 */
export function openSoundTranscoder(options: SoundTranscoderOptions, addon: CodecAddon): SoundTranscoder {
  const { input, output, sampleRate = SOUND_RATE_DEFAULT } = options;
  const law = g711LawOf(input.codec);
  requireBounds(input, law, sampleRate);
  if (law === undefined && input.codec !== Codec.AAC)
    throw new CodecError("unsupported", `${codecName(input.codec)} is not a sound codec`);
  if (outputLaw(output) !== undefined && sampleRate !== SOUND_RATE_DEFAULT)
    throw new CodecError(
      "unsupported",
      `G.711 has ${SOUND_RATE_DEFAULT} samples a second, not ${sampleRate}`,
    );
  const straight = law !== undefined && input.sampleRate === sampleRate && input.channels === 1;
  if (straight && output !== "aac") return new G711Transcoder(law, output, sampleRate);
  return new AddonSoundTranscoder(input, output, sampleRate, addon);
}

/** Whether `input` can be sent as µ-law of 8 kHz, mono, without a transcoder: at most its law is converted. */
export function isPlainG711(input: AudioFormat): boolean {
  return (
    g711LawOf(input.codec) !== undefined && input.sampleRate === SOUND_RATE_DEFAULT && input.channels === 1
  );
}

function requireBounds(input: AudioFormat, law: G711Law | undefined, sampleRate: number): void {
  const rates = law === undefined ? [sampleRate] : [sampleRate, input.sampleRate];
  const good = rates.every((rate) => Number.isInteger(rate) && rate >= 4000 && rate <= SOUND_RATE_MAX);
  // For AAC, the decoder reads rate and channels from its configuration.
  if (!good || (law !== undefined && !(input.channels >= 1 && input.channels <= SOUND_CHANNELS_MAX)))
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

/** Everything else: the addon converts between PCM and AAC; G.711 is expanded before and compressed after it. */
class AddonSoundTranscoder implements SoundTranscoder {
  readonly #input: AudioFormat;
  readonly #inputLaw: G711Law | undefined;
  readonly #output: SoundForm;
  readonly #sampleRate: number;
  readonly #addon: CodecAddon;
  #native: NativeSoundTranscoder | undefined;
  #closed = false;

  constructor(input: AudioFormat, output: SoundForm, sampleRate: number, addon: CodecAddon) {
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
      const law = this.#inputLaw;
      const unit = law === undefined ? bytes : [g711ToPcm(bytes, law)];
      const pieces = await this.#native.push(unit, decodeTimeUs);
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

  /** Called by the first push, and by the next one if too many were open. */
  #open(native: NativeSoundClass): NativeSoundTranscoder {
    const { codec, sampleRate, channels, initialization } = this.#input;
    const aac = codec === Codec.AAC;
    return new native({
      input: aac ? "aac" : "pcm",
      inputRate: aac ? SOUND_RATE_DEFAULT : sampleRate,
      inputChannels: aac ? 1 : channels,
      config: aac ? initialization : new Uint8Array(0),
      output: this.#output === "aac" ? "aac" : "pcm",
      outputRate: this.#sampleRate,
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
