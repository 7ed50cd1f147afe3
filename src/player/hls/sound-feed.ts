import { errorText, type Log, NvrdError, Semaphore } from "../../base/index.js";
import { type AudioFormat, adtsUnit, Codec, codecName, parseAacConfig } from "../../live/index.js";
import { isSameAudioFormat, type Codec as NativeCodec, type SoundTranscoder } from "../../picture/index.js";
import type { SoundTrack, SoundUnit } from "./media-unit.js";

/** The part of the native codec that is used. */
export type SoundCodec = Pick<NativeCodec, "openSoundTranscoder" | "prepare">;

/** One unit of sound from the camera. */
export interface CameraSound {
  readonly format: AudioFormat;
  /** Never changes. */
  readonly bytes: Uint8Array;
  readonly timeUs: number;
}

/** Every player supports this rate, a unit of AAC lasts 64 ms, and G.711 has no sound above 4 kHz anyway. */
const AAC_RATE = 16_000;
/** Most units in the codec at once: it accepts no more from one stream. */
const UNITS_IN_WORK_MAX = 8;
/** Most units that wait for the codec; further ones are dropped. */
const UNITS_WAITING_MAX = 4096;

/** Converts one stream's sound to AAC: passes AAC on, and transcodes everything else. */
export class SoundFeed {
  readonly #codec: SoundCodec;
  readonly #log: Log;
  #open: { readonly transcoder: SoundTranscoder; readonly format: AudioFormat } | undefined;
  #track: SoundTrack | undefined;
  readonly #turns = new Semaphore({ atOnce: UNITS_IN_WORK_MAX, waitingMax: UNITS_WAITING_MAX });
  #failureLogged = false;
  #closed = false;

  constructor(codec: SoundCodec, log: Log) {
    this.#codec = codec;
    this.#log = log;
  }

  /** Returns the units that are ready, in order; empty after a failure, which is logged once. Never throws or rejects. */
  convert(sound: CameraSound): readonly SoundUnit[] | Promise<readonly SoundUnit[]> {
    if (this.#closed) return [];
    return sound.format.codec === Codec.AAC ? this.#pass(sound) : this.#transcode(sound);
  }

  close(): void {
    this.#closed = true;
    this.#closeTranscoder();
  }

  #pass({ format, bytes, timeUs }: CameraSound): readonly SoundUnit[] {
    const track = this.#trackOf(format);
    return track === undefined || bytes.length === 0 ? [] : [{ track, timeUs, bytes }];
  }

  async #transcode(sound: CameraSound): Promise<readonly SoundUnit[]> {
    if (this.#turns.waiting >= UNITS_WAITING_MAX) return [];
    return await this.#turns.run(() => this.#transcodeNow(sound));
  }

  async #transcodeNow(sound: CameraSound): Promise<readonly SoundUnit[]> {
    try {
      if (this.#open === undefined) await this.#codec.prepare?.();
      if (this.#closed) return [];
      const transcoder = this.#transcoderFor(sound.format);
      const pieces = await transcoder.push([sound.bytes], sound.timeUs);
      return pieces.flatMap(({ data, timeUs }) => {
        const unit = adtsUnit(data);
        const track = unit === undefined ? undefined : this.#trackOf(unit.format);
        return unit === undefined || track === undefined ? [] : [{ track, timeUs, bytes: unit.bytes }];
      });
    } catch (error) {
      this.#closeTranscoder();
      this.#logFailure(sound.format, error);
      return [];
    }
  }

  #trackOf(format: AudioFormat): SoundTrack | undefined {
    if (this.#track !== undefined && isSameAudioFormat(this.#track.format, format)) return this.#track;
    const config = parseAacConfig(format.initialization);
    if (config === undefined) {
      this.#logFailure(format, new NvrdError("NOT_SUPPORTED", "its configuration cannot be read"));
      return undefined;
    }
    this.#track = { format, rate: config.sampleRate, unitSamples: config.frameSamples };
    return this.#track;
  }

  #transcoderFor(format: AudioFormat): SoundTranscoder {
    if (this.#open !== undefined && isSameAudioFormat(this.#open.format, format))
      return this.#open.transcoder;
    this.#closeTranscoder();
    const transcoder = this.#codec.openSoundTranscoder({
      input: format,
      output: "aac",
      sampleRate: AAC_RATE,
    });
    this.#open = { transcoder, format };
    return transcoder;
  }

  #closeTranscoder(): void {
    this.#open?.transcoder.close();
    this.#open = undefined;
  }

  #logFailure(format: AudioFormat, error: unknown): void {
    if (this.#failureLogged || this.#closed) return;
    this.#failureLogged = true;
    const codec = codecName(format.codec);
    this.#log.warn(
      { codec, reason: errorText(error) },
      "sound cannot be converted to AAC: only the pictures are sent",
    );
  }
}
