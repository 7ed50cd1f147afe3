import { errorText, type Log, NvrdError, Semaphore } from "../base/index.js";
import { type AudioFormat, Codec, codecName, parseAacConfig } from "../live/index.js";
import { isSameAudioFormat, type Codec as NativeCodec, type SoundTranscoder } from "../picture/index.js";
import type { SoundTrack, SoundUnit } from "./media-unit.js";

/** What is needed of the native codec. */
export type SoundCodec = Pick<NativeCodec, "openSoundTranscoder">;

/** One unit of sound as the camera sent it. */
export interface CameraSound {
  readonly format: AudioFormat;
  /** Never changes. */
  readonly bytes: Uint8Array;
  readonly timeUs: number;
}

/** G.711 has nothing above 4 kHz; a unit of AAC then lasts 64 ms, and every player takes the rate. */
const AAC_RATE = 16_000;
/** Units that the codec has at once: it takes no more of one stream. */
const UNITS_IN_WORK_MAX = 8;
/** Units that wait for the codec; beyond them sound is left out. */
const UNITS_WAITING_MAX = 4096;
const ADTS_HEADER_BYTES = 7;
const ADTS_CRC_BYTES = 2;

/** Makes AAC of one stream's sound: AAC stays as it is, G.711 goes through the codec. */
export class SoundFeed {
  readonly #codec: SoundCodec;
  readonly #log: Log;
  #open: { readonly transcoder: SoundTranscoder; readonly format: AudioFormat } | undefined;
  #track: SoundTrack | undefined;
  readonly #turns = new Semaphore({ atOnce: UNITS_IN_WORK_MAX, waitingMax: UNITS_WAITING_MAX });
  #told = false;
  #closed = false;

  constructor(codec: SoundCodec, log: Log) {
    this.#codec = codec;
    this.#log = log;
  }

  /** What came of it by now, in order; empty when nothing did, then one log line says why. Never throws or rejects. */
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
      if (this.#closed) return [];
      const transcoder = this.#transcoderFor(sound.format);
      const pieces = await transcoder.push([sound.bytes], sound.timeUs);
      return pieces.flatMap(({ data, timeUs }) => {
        const unit = readAdts(data);
        const track = unit === undefined ? undefined : this.#trackOf(unit.format);
        return unit === undefined || track === undefined ? [] : [{ track, timeUs, bytes: unit.bytes }];
      });
    } catch (error) {
      this.#closeTranscoder();
      this.#tell(sound.format, error);
      return [];
    }
  }

  #trackOf(format: AudioFormat): SoundTrack | undefined {
    if (this.#track !== undefined && isSameAudioFormat(this.#track.format, format)) return this.#track;
    const config = parseAacConfig(format.initialization);
    if (config === undefined) {
      this.#tell(format, new NvrdError("NOT_SUPPORTED", "its configuration cannot be read"));
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

  #tell(format: AudioFormat, error: unknown): void {
    if (this.#told || this.#closed) return;
    this.#told = true;
    const codec = codecName(format.codec);
    this.#log.warn(
      { codec, reason: errorText(error) },
      "sound cannot be made AAC: the pictures alone are sent",
    );
  }
}

/** The raw unit of an ADTS frame (ISO/IEC 14496-3, 1.A.2.2) and what its header says of it. */
function readAdts(
  frame: Uint8Array,
): { readonly format: AudioFormat; readonly bytes: Uint8Array } | undefined {
  const [sync = 0, layer = 0, first = 0, second = 0] = frame;
  const headerBytes = ADTS_HEADER_BYTES + ((layer & 1) === 1 ? 0 : ADTS_CRC_BYTES);
  if (sync !== 0xff || (layer & 0xf6) !== 0xf0 || frame.length <= headerBytes) return undefined;
  const objectType = (first >> 6) + 1;
  const rateIndex = (first >> 2) & 15;
  const channels = ((first & 1) << 2) | (second >> 6);
  const config = (objectType << 11) | (rateIndex << 7) | (channels << 3);
  const initialization = Uint8Array.of(config >> 8, config & 0xff);
  const sampleRate = parseAacConfig(initialization)?.sampleRate ?? 0;
  return {
    format: { codec: Codec.AAC, sampleRate, channels, initialization },
    bytes: frame.subarray(headerBytes),
  };
}
