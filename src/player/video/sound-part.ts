import { errorText, type Log, NvrdError } from "../../base/index.js";
import { type AudioFormat, Codec, codecName } from "../../live/index.js";
import { isSameAudioFormat, type Codec as NativeCodec, type SoundTranscoder } from "../../picture/index.js";
import type { Part } from "../parts/multipart.js";
import { formatPart } from "./frame-parts.js";

/** The part of the native codec used by `/video`. */
export type SoundCodec = Pick<NativeCodec, "openSoundTranscoder" | "prepare">;

/** One audio frame as stored or received from the camera. */
export interface SoundUnit {
  readonly format: AudioFormat;
  /** Must not change until the conversion has settled. */
  readonly bytes: readonly Uint8Array[];
  readonly decodeTimeUs: number;
}

/** Creates the parts `audio, PCMU` (µ-law, 8 kHz, mono) of one track's sound, whatever its codec and rate. */
export class SoundPartMaker {
  readonly #codec: SoundCodec;
  readonly #log: Log;
  #open: { readonly transcoder: SoundTranscoder; readonly format: AudioFormat } | undefined;
  #isLogged = false;
  #closed = false;

  constructor(codec: SoundCodec, log: Log) {
    this.#codec = codec;
    this.#log = log;
  }

  /**
   * The output for a unit: complete parts in sequence; empty if there is none yet, or if the unit is unusable, which is logged
   * once. Calls are processed in order. Never rejects.
   */
  async convert(unit: SoundUnit): Promise<Part> {
    if (this.#closed) return [];
    try {
      if (this.#open === undefined) await this.#codec.prepare?.();
      if (this.#closed) return [];
      const pieces = await this.#transcoderFor(unit.format).push(unit.bytes, unit.decodeTimeUs);
      return pieces.flatMap((piece) => {
        const fields = { codec: Codec.PCMU, key: true, presentationOffsetUs: 0, decodeTimeUs: piece.timeUs };
        return formatPart(fields, [piece.data]) ?? [];
      });
    } catch (error) {
      this.#logFault(unit.format, error);
      return [];
    }
  }

  close(): void {
    this.#closed = true;
    this.#open?.transcoder.close();
    this.#open = undefined;
  }

  #transcoderFor(format: AudioFormat): SoundTranscoder {
    if (this.#open !== undefined && isSameAudioFormat(this.#open.format, format))
      return this.#open.transcoder;
    this.#open?.transcoder.close();
    this.#open = undefined;
    const transcoder = this.#codec.openSoundTranscoder({ input: format, output: "g711u" });
    this.#open = { transcoder, format };
    return transcoder;
  }

  #logFault(format: AudioFormat, error: unknown): void {
    if (this.#isLogged || this.#closed) return;
    this.#isLogged = true;
    const hint = error instanceof NvrdError && error.code === "NOT_SUPPORTED" ? error.hint : undefined;
    this.#log.warn(
      { codec: codecName(format.codec), reason: errorText(error), hint },
      "sound cannot be converted: only the pictures are sent",
    );
  }
}
