import { US_PER_SECOND } from "../../base/index.js";
import type { Picture } from "../../picture/index.js";
import type { EncodedPictures } from "./encoded-pictures.js";
import type { PictureDecoding } from "./picture-decoding.js";
import type { PictureTrack, SeenFrame } from "./picture-track.js";
import { DuePictures, type TimeLapse } from "./time-lapse.js";
import type { TimeStamp } from "./time-stamp.js";

export interface ConvertedPicturesOptions {
  readonly decoding: PictureDecoding;
  readonly encoded: EncodedPictures;
  readonly lapse: TimeLapse;
  /** What is written into them; undefined: nothing. */
  readonly stamp: TimeStamp | undefined;
}

/** Pictures that are decoded and encoded as H.264: from any codec, and of one size where their stream has one. */
export class ConvertedPictures implements PictureTrack {
  readonly #options: ConvertedPicturesOptions;
  readonly #due: DuePictures;

  constructor(options: ConvertedPicturesOptions) {
    this.#options = options;
    this.#due = new DuePictures(options.lapse.stepUs);
  }

  async push({ format, frame, originUs }: SeenFrame): Promise<void> {
    const { decoding, lapse } = this.#options;
    const isWanted = this.#due.isDue(frame.decodeTimeUs + frame.presentationOffsetUs - originUs);
    const skip = lapse.keysOnly ? "non-key" : isWanted ? "none" : "non-reference";
    await this.#encode(await decoding.decode(frame, format, { isWanted, skip }), originUs);
  }

  /** Pictures that the decoder holds back belong before the gap. */
  async gap(originUs: number): Promise<void> {
    await this.#encode(await this.#options.decoding.end(), originUs);
    this.#options.encoded.gap();
  }

  end(endUs: number): void {
    this.#options.encoded.end(endUs / this.#options.lapse.speed);
  }

  close(): void {
    this.#options.decoding.close();
    this.#options.encoded.close();
  }

  async #encode(pictures: readonly Picture[], originUs: number): Promise<void> {
    const { encoded, lapse, stamp } = this.#options;
    for (const picture of pictures) {
      const movieUs = picture.timeUs - originUs;
      if (!this.#due.isDue(movieUs)) continue;
      this.#due.take(movieUs);
      await stamp?.writeOn(picture);
      await encoded.add(picture, Math.round(movieUs / lapse.speed));
    }
  }
}

/** Pictures a second of frames that follow one another, 1 to 60. */
export function pictureRate(timesUs: readonly number[]): number {
  const lengthUs = (timesUs.at(-1) ?? 0) - (timesUs[0] ?? 0);
  if (lengthUs <= 0) return 1;
  return Math.min(60, Math.max(1, Math.round(((timesUs.length - 1) * US_PER_SECOND) / lengthUs)));
}
