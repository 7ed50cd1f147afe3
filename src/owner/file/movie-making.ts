import type { RecordedAccess } from "../../archive/index.js";
import { type Clock, NvrdError, US_PER_SECOND } from "../../base/index.js";
import type { ExportPlan, PlannedUnit } from "../../compat/index.js";
import { isAudioCodec } from "../../live/index.js";
import type { Codec } from "../../picture/index.js";
import { VIDEO_TIMESCALE } from "../../player/index.js";
import { ConvertedPictures, pictureRate } from "./converted-pictures.js";
import { EncodedPictures, PICTURE_BOX } from "./encoded-pictures.js";
import { type MovieEdits, type MovieForm, movieFormOf } from "./movie-form.js";
import { type MediaSink, MovieWriter } from "./movie-writer.js";
import { type Patience, patience } from "./patience.js";
import { PictureDecoding } from "./picture-decoding.js";
import { CopiedPictures, type PictureTrack } from "./picture-track.js";
import { SoundTrack, soundRateOf } from "./sound-track.js";
import { LAPSE_RATE, lapseRate, type TimeLapse, timeLapse } from "./time-lapse.js";
import { type TextDrawing, TimeStamp } from "./time-stamp.js";
import { type ReadFrame, UnitReading } from "./unit-reading.js";

/** Memory that recordings are read into; more only for a frame that is longer. */
const READING_BYTES = 4 * 1024 * 1024;
/** What a second of AAC takes at most, about. */
const SOUND_BITS_PER_SECOND = 64_000;

export interface MovieMakingOptions {
  readonly recordings: Pick<RecordedAccess, "openRecorded">;
  readonly codec: Pick<Codec, "prepare" | "openVideoDecoder" | "openVideoEncoder" | "openSoundTranscoder">;
  readonly edits: MovieEdits;
  /** Draws what is written into pictures. */
  readonly texts: TextDrawing;
  readonly sink: MediaSink;
  readonly clock: Clock;
  /** Aborted: nobody wants it any more; `make` then rejects. */
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (part: number) => void;
  /** About how long the file will be. Called once, as soon as it is known; where it rejects, so does `make`. */
  readonly onExpected: (bytes: number) => Promise<void>;
}

/** What was made: the samples went to the sink, and belong behind the head. */
export interface MadeMovie {
  readonly head: Buffer;
  readonly mediaBytes: number;
}

/**
 * Makes a movie that is whole, of a plan: what is not H.264 or AAC is decoded and encoded, one piece after the other, on the codec's
 * threads and when nothing else waits for these. What was not recorded takes no time in it.
 */
export class MovieMaking {
  readonly #plan: ExportPlan;
  readonly #options: MovieMakingOptions;
  readonly #form: MovieForm;
  readonly #writer: MovieWriter;
  readonly #reading: UnitReading;
  readonly #lapse: TimeLapse;
  readonly #patiently: Patience;
  readonly #recordedUs: number;
  #pictures: PictureTrack | undefined;
  #sound: SoundTrack | undefined;
  /** Time of frames minus time in the movie. */
  #originUs = 0;
  /** Where the movie ends so far. */
  #endUs = 0;
  #expectedBytes = 0;
  /** Of a run, nothing was shown yet. */
  #isFirst = true;
  /** In a run: how much later its pictures are shown than decoded, where they are shown in the order of the file. */
  #delayUs = 0;
  /** In the movie, before its speed: the next key frame that is shown, of a movie of key frames alone. */
  #nextKeyUs = 0;

  constructor(plan: ExportPlan, options: MovieMakingOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#form = movieFormOf(plan, options.edits);
    this.#lapse = timeLapse(plan.units, options.edits.speed);
    const { recordings, signal } = options;
    this.#reading = new UnitReading({ recordings, signal, memoryBytes: READING_BYTES });
    this.#writer = new MovieWriter(options.sink);
    this.#patiently = patience(options.clock, options.signal);
    this.#recordedUs = plan.units.reduce((sum, { options: { fromUs, toUs } }) => sum + toUs - fromUs, 0);
  }

  /** Rejects with NvrdError: what cannot be read, has no pictures, is too long, or needs a codec that is not there. */
  async make(): Promise<MadeMovie> {
    const { copiesPictures, hasSound, copiesSound } = this.#form;
    const { units, request, layout } = this.#plan;
    const { codec, signal } = this.#options;
    if (!copiesPictures || (hasSound && !copiesSound)) await codec.prepare?.();
    if (copiesPictures) await this.#options.onExpected(layout.byteLength);
    const allBytes = units.reduce((sum, { piece }) => sum + piece.bytesMax, 0);
    const abort = (): void => this.#closeCodecs();
    signal.addEventListener("abort", abort, { once: true });
    try {
      let bytes = 0;
      for (const unit of units) {
        await this.#takeUnit(unit);
        if (!copiesPictures && bytes === 0) await this.#options.onExpected(this.#expectedBytes);
        bytes += unit.piece.bytesMax;
        this.#options.onProgress(bytes / allBytes);
      }
      await this.#pictures?.gap(this.#originUs);
      this.#pictures?.end(this.#endUs);
      if (this.#writer.mediaBytes === 0)
        throw new NvrdError("NOT_SUPPORTED", "none of the pictures of this time can be decoded");
      const createdMs = Math.floor((units[0]?.options.fromUs ?? 0) / 1000);
      const head = await this.#writer.end({ createdMs, title: request.channelName });
      return { head, mediaBytes: this.#writer.mediaBytes };
    } finally {
      signal.removeEventListener("abort", abort);
      this.#closeCodecs();
      this.#reading.close();
    }
  }

  async #takeUnit(unit: PlannedUnit): Promise<void> {
    const { options } = unit;
    if (options.followsGap) {
      await this.#pictures?.gap(this.#originUs);
      this.#originUs = options.fromUs - this.#endUs;
      this.#isFirst = true;
    }
    if (!this.#isPassedOver(unit))
      for await (const read of this.#reading.frames(unit, this.#lapse.keysOnly)) {
        if (read.kind === "video") await this.#takePicture(read, unit);
        else if (this.#form.hasSound) await this.#takeSound(read);
      }
    this.#endUs = Math.max(this.#endUs, options.toUs + this.#delayUs - this.#originUs);
  }

  /** Of key frames that come more often than the file shows them, only those that it shows are read. */
  #isPassedOver({ piece, options }: PlannedUnit): boolean {
    if (!this.#lapse.keysOnly) return false;
    const movieUs = options.fromUs - this.#originUs;
    if (!piece.key || movieUs < this.#nextKeyUs) return true;
    this.#nextKeyUs = (Math.floor(movieUs / this.#lapse.stepUs) + 1) * this.#lapse.stepUs;
    return false;
  }

  async #takePicture({ frame, file, read }: ReadFrame, { options }: PlannedUnit): Promise<void> {
    const format = file.formats.video;
    if (format === undefined) return;
    this.#pictures ??= this.#openPictures(
      read.filter(({ codec }) => !isAudioCodec(codec)).map(({ decodeTimeUs }) => decodeTimeUs),
    );
    if (this.#isFirst) {
      this.#delayUs = this.#form.copiesPictures ? 0 : frame.presentationOffsetUs;
      this.#originUs += this.#delayUs;
      this.#isFirst = false;
    }
    const { description } = options.video;
    await this.#pictures.push({ frame, format, description, originUs: this.#originUs });
  }

  /** @param timesUs Of the first frames. */
  #openPictures(timesUs: readonly number[]): PictureTrack {
    const track = this.#writer.track("video", VIDEO_TIMESCALE);
    const { units, tracks, request } = this.#plan;
    const { codec, edits, texts } = this.#options;
    const found = tracks.find(({ id }) => id === units[0]?.options.video.id);
    if (this.#form.copiesPictures && found !== undefined) {
      const { entries, width = 0, height = 0 } = found;
      return new CopiedPictures(track, { entries, width, height });
    }
    const patiently = this.#patiently;
    const lapse = this.#lapse;
    const framesPerSecond = lapseRate(units, lapse, lapse.keysOnly ? LAPSE_RATE : pictureRate(timesUs));
    return new ConvertedPictures({
      lapse,
      decoding: new PictureDecoding({ codec, patiently, box: PICTURE_BOX, turns: true }),
      encoded: new EncodedPictures({
        ...{ track, codec, patiently, framesPerSecond },
        sourceBitsPerSecond: lapse.speed === 1 ? this.#recordedBits() : undefined,
        onBitRate: (bits) => {
          const soundBits = this.#form.hasSound ? SOUND_BITS_PER_SECOND : 0;
          const seconds = this.#recordedUs / US_PER_SECOND / lapse.speed;
          this.#expectedBytes = Math.ceil(((bits + soundBits) * seconds) / 8);
        },
      }),
      stamp: edits.showTime ? new TimeStamp(request.channelName, texts) : undefined,
    });
  }

  /** A second, sound counted in. */
  #recordedBits(): number {
    const bytes = this.#plan.units.reduce((sum, { piece }) => sum + piece.bytesMax, 0);
    return (bytes * 8) / Math.max(1, this.#recordedUs / US_PER_SECOND);
  }

  async #takeSound({ frame, file }: ReadFrame): Promise<void> {
    const format = file.formats.audio;
    if (format === undefined) return;
    const { copiesSound: isCopied } = this.#form;
    const { codec } = this.#options;
    this.#sound ??= new SoundTrack({
      ...{ codec, isCopied, patiently: this.#patiently },
      track: this.#writer.track("audio", soundRateOf(format, isCopied)),
    });
    const { bytes, decodeTimeUs: timeUs } = frame;
    await this.#sound.push({ format, bytes, timeUs, originUs: this.#originUs });
  }

  #closeCodecs(): void {
    this.#pictures?.close();
    this.#sound?.close();
  }
}
