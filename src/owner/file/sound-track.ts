import { type AudioFormat, adtsUnit, parseAacConfig } from "../../live/index.js";
import {
  type Codec,
  CodecError,
  isSameAudioFormat,
  type SoundTranscoder,
  soundTranscoderOptions,
} from "../../picture/index.js";
import { SoundPlaces, sampleEntry } from "../../player/index.js";
import type { WrittenTrack } from "./movie-writer.js";
import type { Patience } from "./patience.js";

/** AAC of a lower rate is not played by every phone and television. */
const RATE_MIN = 16_000;

/** Samples a second of the AAC in a movie of this sound. `isCopied`: it is AAC, and stays as it is. */
export function soundRateOf(format: AudioFormat, isCopied: boolean): number {
  if (isCopied) return parseAacConfig(format.initialization)?.sampleRate ?? format.sampleRate;
  const { sampleRate = RATE_MIN } = soundTranscoderOptions(format, "aac");
  return Math.max(RATE_MIN, sampleRate);
}

export interface SoundTrackOptions {
  readonly track: WrittenTrack;
  readonly codec: Pick<Codec, "openSoundTranscoder">;
  readonly patiently: Patience;
  /** All of it is AAC of one format, and stays as it is. */
  readonly isCopied: boolean;
}

/** A frame of sound, and how much later than in the movie it was. */
export interface HeardFrame {
  readonly format: AudioFormat;
  readonly bytes: Uint8Array;
  readonly timeUs: number;
  readonly originUs: number;
}

/** The sound of a movie: AAC, whatever was recorded. */
export class SoundTrack {
  readonly #options: SoundTrackOptions;
  readonly #places: SoundPlaces<{ readonly rate: number }>;
  #open: { readonly transcoder: SoundTranscoder; readonly format: AudioFormat } | undefined;

  constructor(options: SoundTrackOptions) {
    this.#options = options;
    this.#places = new SoundPlaces({ rate: options.track.timescale });
  }

  /** Rejects as the codec does; sound that cannot be decoded is left out. */
  async push(heard: HeardFrame): Promise<void> {
    const { format, bytes, timeUs } = heard;
    if (this.#options.isCopied) return await this.#add(format, bytes, timeUs - heard.originUs);
    for (const piece of await this.#convert(heard)) {
      const unit = adtsUnit(piece.data);
      if (unit !== undefined) await this.#add(unit.format, unit.bytes, piece.timeUs - heard.originUs);
    }
  }

  close(): void {
    this.#open?.transcoder.close();
    this.#open = undefined;
  }

  async #convert({ format, bytes, timeUs }: HeardFrame) {
    try {
      return await this.#options.patiently(() => this.#transcoderFor(format).push([bytes], timeUs));
    } catch (error) {
      if (!(error instanceof CodecError) || error.kind === "closed") throw error;
      this.close();
      return [];
    }
  }

  async #add(format: AudioFormat, bytes: Uint8Array, mediaUs: number): Promise<void> {
    const { track } = this.#options;
    const samples = parseAacConfig(format.initialization)?.frameSamples;
    if (samples === undefined || bytes.length === 0) return;
    const ticks = this.#places.place(mediaUs, samples);
    if (ticks === undefined) return;
    if (track.count === 0) track.description = { entries: [sampleEntry(format)] };
    await track.add({ bytes, ticks, compositionTicks: 0, sync: true, description: 1 });
    track.endAt(ticks + samples);
  }

  #transcoderFor(format: AudioFormat): SoundTranscoder {
    if (this.#open !== undefined && isSameAudioFormat(this.#open.format, format))
      return this.#open.transcoder;
    this.close();
    const { codec, track } = this.#options;
    const transcoder = codec.openSoundTranscoder({
      ...{ input: format, output: "aac", sampleRate: track.timescale },
      turn: "when-idle",
    });
    this.#open = { transcoder, format };
    return transcoder;
  }
}
