import type { ArchivedFrame, ArchiveReader } from "../../archive/index.js";
import { type AudioFormat, isAudioCodec, type VideoFormat } from "../../live/index.js";
import { isSameVideoFormat } from "../../picture/index.js";
import { PictureDistance } from "../feed/picture-distance.js";
import {
  GAP_US_MIN,
  type PictureUnit,
  type PlaybackReading,
  type PlaybackUnit,
  type RecordingGap,
  type SoundUnit,
} from "./playback-reading.js";

/** Recordings without sound for this long go on as ones without: a player waits for the track that has nothing. */
const SOUND_GONE_US = 3_000_000;

export interface WholeReadingOptions {
  readonly reader: ArchiveReader;
  /** It ends with the last picture that is decoded at or before this moment; absent: it goes on with the recording. */
  readonly untilUs?: number;
  /** A client has the pictures of this group up to `lastUs` already: they are left out. */
  readonly sent?: SentGroup | undefined;
}

/** A group of pictures that a client was sent up to a picture; decode times. */
export interface SentGroup {
  readonly keyUs: number;
  readonly lastUs: number;
}

const NONE = new Uint8Array(0);

/** All pictures of a recording forwards, and its sound, from the key frame before a moment on. */
export class WholeReading implements PlaybackReading {
  readonly #options: WholeReadingOptions;
  #needsKey = true;
  #discontinuity = true;
  #startsFragment = false;
  /** Where the newest picture ends. */
  #endUs: number | undefined;
  /** Where the next picture is not known. */
  readonly #distance = new PictureDistance();
  #sound: { readonly format: AudioFormat; readonly timeUs: number } | undefined;
  #isOver = false;
  /** The key frame that the client was sent already, while its group goes on. */
  #skipsUntilUs: number | undefined;
  #isFirst = true;
  /** One object as long as nothing changes: each segment says it again. */
  #format: VideoFormat | undefined;

  constructor(options: WholeReadingOptions) {
    this.#options = options;
  }

  async next(): Promise<readonly PlaybackUnit[]> {
    while (!this.#isOver) {
      const frames = await this.#options.reader.next();
      if (frames.length === 0) break;
      const units = this.#unitsOf(frames);
      if (units.length > 0) return units;
    }
    this.close();
    return [];
  }

  close(): void {
    this.#isOver = true;
    this.#options.reader.close();
  }

  #unitsOf(frames: readonly ArchivedFrame[]): PlaybackUnit[] {
    const units: PlaybackUnit[] = [];
    const isPicture = ({ codec }: ArchivedFrame): boolean => !isAudioCodec(codec);
    const pictures = frames.filter(isPicture);
    const sounds = frames.filter((frame) => !isPicture(frame));
    for (const frame of frames) {
      if (this.#isOver) break;
      if (isPicture(frame)) pictures.shift();
      else sounds.shift();
      const unit = isPicture(frame) ? this.#pictureOf(frame, pictures[0], sounds[0]) : this.#soundOf(frame);
      if (unit !== undefined) units.push(unit);
    }
    return units;
  }

  #soundOf({ format, decodeTimeUs, bytes }: ArchivedFrame): SoundUnit | undefined {
    if (this.#needsKey || format === undefined || !("sampleRate" in format)) return undefined;
    this.#sound = { format, timeUs: decodeTimeUs };
    const times = { decodeTimeUs, presentationOffsetUs: 0, durationUs: 0, discontinuity: false };
    return { kind: "sound", format, ...times, bytes };
  }

  /** `next`, `sound`: the picture and the sound behind it, where they are known already. */
  #pictureOf(
    frame: ArchivedFrame,
    next: ArchivedFrame | undefined,
    sound: ArchivedFrame | undefined,
  ): PictureUnit | undefined {
    const { decodeTimeUs, presentationOffsetUs, key, bytes } = frame;
    const { untilUs = Number.POSITIVE_INFINITY } = this.#options;
    this.#startsFragment ||= frame.startsFragment;
    if (decodeTimeUs > untilUs) {
      this.#isOver = true;
      return undefined;
    }
    if (frame.undecodable || (this.#needsKey && !key)) {
      this.#needsKey = true;
      this.#discontinuity = true;
      return undefined;
    }
    this.#needsKey = false;
    const gap = this.#gapBefore(decodeTimeUs);
    const discontinuity = this.#discontinuity || this.#startsFragment;
    this.#discontinuity = false;
    this.#startsFragment = false;
    const durationUs = this.#durationOf(decodeTimeUs, next);
    this.#endUs = decodeTimeUs + durationUs;
    if (this.#isSent(decodeTimeUs)) return undefined;
    const isContinued = this.#skipsUntilUs !== undefined;
    this.#skipsUntilUs = undefined;
    return {
      kind: "picture",
      format: this.#formatOf(frame),
      streamType: frame.streamType,
      key,
      decodeTimeUs,
      presentationOffsetUs,
      durationUs,
      discontinuity: discontinuity && !isContinued,
      gap,
      ...(key ? { sound: this.#soundWith(decodeTimeUs, sound), isUnclean: frame.damaged } : {}),
      bytes,
    };
  }

  #soundWith(decodeTimeUs: number, next: ArchivedFrame | undefined): AudioFormat | undefined {
    const { format, decodeTimeUs: soundUs = 0 } = next ?? {};
    if (format !== undefined && "sampleRate" in format && soundUs - decodeTimeUs < SOUND_GONE_US)
      return format;
    const known = this.#sound;
    return known !== undefined && decodeTimeUs - known.timeUs < SOUND_GONE_US ? known.format : undefined;
  }

  #formatOf(frame: ArchivedFrame): VideoFormat {
    const known = this.#format;
    if (known !== undefined && !frame.key) return known;
    const format = videoFormatOf(frame);
    if (known !== undefined && isSameVideoFormat(known, format)) return known;
    this.#format = format;
    return format;
  }

  #gapBefore(decodeTimeUs: number): RecordingGap | undefined {
    if (!this.#startsFragment || this.#endUs === undefined) return undefined;
    const gap = { fromUs: this.#endUs, toUs: decodeTimeUs };
    return gap.toUs - gap.fromUs >= GAP_US_MIN ? gap : undefined;
  }

  /**
   * Up to the next picture. Players leave pictures out up to a key frame where the next one is further than twice the duration
   * they were given: where it is not known, it is the longest of the newest ones.
   */
  #durationOf(decodeTimeUs: number, next: ArchivedFrame | undefined): number {
    const estimateUs = this.#distance.next(decodeTimeUs);
    const untilNextUs = (next?.decodeTimeUs ?? 0) - decodeTimeUs;
    return next !== undefined && !next.startsFragment && untilNextUs > 0 ? untilNextUs : estimateUs;
  }

  #isSent(decodeTimeUs: number): boolean {
    const { sent } = this.#options;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (sent?.keyUs === decodeTimeUs) this.#skipsUntilUs = sent.lastUs;
    }
    return this.#skipsUntilUs !== undefined && decodeTimeUs <= this.#skipsUntilUs;
  }
}

/** Where the segment's header does not say, the key frame itself says what a decoder must know. */
function videoFormatOf({ codec, format }: ArchivedFrame): VideoFormat {
  if (format !== undefined && "width" in format) return format;
  return { codec, width: 0, height: 0, initialization: NONE };
}
