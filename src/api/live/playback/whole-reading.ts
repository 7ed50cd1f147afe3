import type { ArchivedFrame, ArchiveReader } from "../../../archive/index.js";
import { type AudioFormat, isAudioCodec, type VideoFormat } from "../../../live/index.js";
import { isSameVideoFormat } from "../../../picture/index.js";
import {
  GAP_US_MIN,
  type PictureUnit,
  type PlaybackReading,
  type PlaybackUnit,
  type SoundUnit,
} from "./playback-reading.js";

/** Duration of a picture where no other one tells: 25 pictures a second. */
const PICTURE_US_ASSUMED = 40_000;
/** No picture is shown longer than this for want of a next one. */
const PICTURE_US_MAX = 10_000_000;

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
  /** The newest picture, and how long it is shown. */
  #lastUs: number | undefined;
  #intervalUs = PICTURE_US_ASSUMED;
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
    const pictures = frames.filter(({ codec }) => !isAudioCodec(codec));
    const units: PlaybackUnit[] = [];
    let at = 0;
    for (const frame of frames) {
      if (this.#isOver) break;
      const isSound = isAudioCodec(frame.codec);
      if (!isSound) at += 1;
      const unit = isSound ? this.#soundOf(frame) : this.#pictureOf(frame, pictures[at]);
      if (unit !== undefined) units.push(unit);
    }
    return units;
  }

  #soundOf({ format, decodeTimeUs, bytes }: ArchivedFrame): SoundUnit | undefined {
    if (this.#needsKey || format === undefined || !("sampleRate" in format)) return undefined;
    const times = { decodeTimeUs, presentationOffsetUs: 0, durationUs: 0, discontinuity: false };
    return { kind: "sound", format: format as AudioFormat, ...times, bytes };
  }

  /** `next`: the picture behind it, where it is known already. */
  #pictureOf(frame: ArchivedFrame, next: ArchivedFrame | undefined): PictureUnit | undefined {
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
    this.#lastUs = decodeTimeUs;
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
      bytes,
    };
  }

  #formatOf(frame: ArchivedFrame): VideoFormat {
    const known = this.#format;
    if (known !== undefined && !frame.key) return known;
    const format = videoFormatOf(frame);
    if (known !== undefined && isSameVideoFormat(known, format)) return known;
    this.#format = format;
    return format;
  }

  #gapBefore(decodeTimeUs: number): { readonly fromUs: number; readonly toUs: number } | undefined {
    if (!this.#startsFragment || this.#lastUs === undefined) return undefined;
    const fromUs = this.#lastUs + this.#intervalUs;
    return decodeTimeUs - fromUs >= GAP_US_MIN ? { fromUs, toUs: decodeTimeUs } : undefined;
  }

  #durationOf(decodeTimeUs: number, next: ArchivedFrame | undefined): number {
    const untilNextUs = (next?.decodeTimeUs ?? 0) - decodeTimeUs;
    const isKnown = next !== undefined && !next.startsFragment && untilNextUs > 0;
    if (isKnown) this.#intervalUs = Math.min(untilNextUs, PICTURE_US_MAX);
    return this.#intervalUs;
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

/** Where the segment's header does not tell, the key frame itself says what a decoder must know. */
function videoFormatOf({ codec, format }: ArchivedFrame): VideoFormat {
  if (format !== undefined && "width" in format) return format;
  return { codec, width: 0, height: 0, initialization: NONE };
}
