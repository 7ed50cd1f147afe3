import type { ArchivedFrame, RecordedAccess, RecordedFile } from "../../archive/index.js";
import { type Clock, NvrdError, US_PER_SECOND } from "../../base/index.js";
import { type ExportPlan, type PlannedUnit, readRecords, UnitMemory } from "../../compat/index.js";
import { isAudioCodec } from "../../live/index.js";
import type { Codec } from "../../picture/index.js";
import { MovieUnit, VIDEO_TIMESCALE } from "../../player/index.js";
import { ConvertedPictures, pictureRate } from "./converted-pictures.js";
import { type MovieForm, movieFormOf, type PictureForm } from "./movie-form.js";
import { type MediaSink, MovieWriter } from "./movie-writer.js";
import { type Patience, patience } from "./patience.js";
import { CopiedPictures, type PictureTrack } from "./picture-track.js";
import { SoundTrack, soundRateOf } from "./sound-track.js";

/** Memory that recordings are read into; more only for a frame that is longer. */
const READING_BYTES = 4 * 1024 * 1024;
/** What a second of AAC takes at most, about. */
const SOUND_BITS_PER_SECOND = 64_000;

export interface MovieMakingOptions {
  readonly recordings: Pick<RecordedAccess, "openRecorded">;
  readonly codec: Pick<Codec, "prepare" | "openVideoDecoder" | "openVideoEncoder" | "openSoundTranscoder">;
  readonly pictures: PictureForm;
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
  readonly #memory = new UnitMemory(READING_BYTES);
  readonly #patiently: Patience;
  readonly #recordedUs: number;
  #pictures: PictureTrack | undefined;
  #sound: SoundTrack | undefined;
  #file: { readonly segmentId: number; readonly file: RecordedFile } | undefined;
  /** Time of frames minus time in the movie. */
  #originUs = 0;
  /** Where the movie ends so far. */
  #endUs = 0;
  #expectedBytes = 0;
  /** Of a run, nothing was shown yet. */
  #isFirst = true;
  /** In a run: how much later its pictures are shown than decoded, where they are shown in the order of the file. */
  #delayUs = 0;

  constructor(plan: ExportPlan, options: MovieMakingOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#form = movieFormOf(plan, options.pictures);
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
      this.#file?.file.close();
      this.#memory.returnPages();
    }
  }

  async #takeUnit(unit: PlannedUnit): Promise<void> {
    const { piece, options } = unit;
    if (options.followsGap) {
      await this.#pictures?.gap(this.#originUs);
      this.#originUs = options.fromUs - this.#endUs;
      this.#isFirst = true;
    }
    const file = await this.#fileOf(unit);
    const belongs = new MovieUnit(options);
    for (let position = file.start(piece); position < piece.endOffset; ) {
      const at = { file, memory: this.#memory, piece, position };
      const read = await readRecords(at, { memoryBytesMax: READING_BYTES });
      for (const frame of read.frames) {
        if (this.#options.signal.aborted) throw new NvrdError("NOT_AVAILABLE", "nobody wants it any more");
        const kind = belongs.trackOf(frame);
        if (kind === "video") await this.#takePicture(frame, unit, read.frames);
        else if (kind === "audio") await this.#takeSound(frame, file);
      }
      position = read.position;
    }
    this.#endUs = Math.max(this.#endUs, options.toUs + this.#delayUs - this.#originUs);
  }

  async #takePicture(
    frame: ArchivedFrame,
    { options }: PlannedUnit,
    read: readonly ArchivedFrame[],
  ): Promise<void> {
    const format = this.#file?.file.formats.video;
    if (format === undefined) return;
    this.#pictures ??= this.#openPictures(read);
    if (this.#isFirst) {
      this.#delayUs = this.#form.copiesPictures ? 0 : frame.presentationOffsetUs;
      this.#originUs += this.#delayUs;
      this.#isFirst = false;
    }
    const { description } = options.video;
    await this.#pictures.push({ frame, format, description, originUs: this.#originUs });
  }

  #openPictures(read: readonly ArchivedFrame[]): PictureTrack {
    const track = this.#writer.track("video", VIDEO_TIMESCALE);
    const { units, tracks } = this.#plan;
    const { codec } = this.#options;
    const found = tracks.find(({ id }) => id === units[0]?.options.video.id);
    if (this.#form.copiesPictures && found !== undefined) {
      const { entries, width = 0, height = 0 } = found;
      return new CopiedPictures(track, { entries, width, height });
    }
    const times = read.filter((frame) => !isAudioCodec(frame.codec)).map((frame) => frame.decodeTimeUs);
    const seconds = this.#recordedUs / US_PER_SECOND;
    const bytes = units.reduce((sum, { piece }) => sum + piece.bytesMax, 0);
    const soundBits = this.#form.hasSound ? SOUND_BITS_PER_SECOND : 0;
    return new ConvertedPictures({
      ...{ track, codec, patiently: this.#patiently, framesPerSecond: pictureRate(times) },
      sourceBitsPerSecond: (bytes * 8) / Math.max(1, seconds),
      onBitRate: (bits) => {
        this.#expectedBytes = Math.ceil(((bits + soundBits) * seconds) / 8);
      },
    });
  }

  async #takeSound(frame: ArchivedFrame, file: RecordedFile): Promise<void> {
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

  async #fileOf({ segment }: PlannedUnit): Promise<RecordedFile> {
    const { segmentId } = segment;
    if (this.#file?.segmentId === segmentId) return this.#file.file;
    this.#file?.file.close();
    this.#file = undefined;
    const file = await this.#options.recordings.openRecorded(segment, this.#options.signal);
    this.#file = { segmentId, file };
    return file;
  }

  #closeCodecs(): void {
    this.#pictures?.close();
    this.#sound?.close();
  }
}
