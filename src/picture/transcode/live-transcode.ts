import type { Clock } from "../../base/index.js";
import type { VideoFormat } from "../../live/index.js";
import type { Codec, Picture, PictureTarget } from "../codec/codec-types.js";
import { PictureOutput } from "../codec/picture-output.js";
import { PictureRate } from "../codec/picture-rate.js";
import type { TranscodedPicture, TranscodeSpec } from "../codec/transcode-types.js";
import type { LivePictures, PictureTaker } from "./live-pictures.js";

/** A new viewer gets the newest picture if it is no older than this plus two periods of the transcode. */
const NEWEST_MS_MAX = 100;
/** Least time between key frames requested by viewers of an H.264 stream. */
export const ASKED_KEY_MS_MIN = 500;

/** A viewer of a transcode. Called on the main thread; must not throw. */
export interface TranscodeViewer {
  /** Whether it can take a picture now. Pictures are made only while some viewer is ready. */
  readonly ready: boolean;
  /** Called with every picture, ready or not: it skips what it cannot take. */
  onPicture(picture: TranscodedPicture): void;
  /** Decoding or encoding failed; pictures may follow. */
  onFault(error: unknown): void;
}

export interface LiveTranscodeOptions {
  readonly pictures: LivePictures;
  readonly codec: Codec;
  readonly spec: TranscodeSpec;
  readonly clock: Clock;
}

/** Pictures of one stream in one size, rate and form, made once for all viewers. */
export class LiveTranscode implements PictureTaker {
  readonly #options: LiveTranscodeOptions;
  readonly #rate: PictureRate;
  readonly #output: PictureOutput;
  readonly #viewers = new Set<TranscodeViewer>();
  #newest: { readonly picture: TranscodedPicture; readonly atUs: number } | undefined;
  #started = false;
  #encoding = false;
  #isNew = true;
  /** The newest picture is outdated: the next one is due at once. */
  #catchingUp = false;
  #needsKey = false;
  #keyAskedUs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: LiveTranscodeOptions) {
    this.#options = options;
    this.#rate = new PictureRate(1_000_000 / options.spec.framesPerSecond);
    this.#output = new PictureOutput({ codec: options.codec, spec: options.spec });
  }

  close(): void {
    this.#closed = true;
    this.#options.pictures.remove(this);
    this.#output.close();
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** The first viewer starts it. The viewer gets the newest picture at once, if there is one, and all later ones. */
  join(viewer: TranscodeViewer): void {
    this.#viewers.add(viewer);
    const newest = this.#newest;
    const ageMaxUs = NEWEST_MS_MAX * 1000 + 2 * this.#rate.periodUs;
    const isFresh = newest !== undefined && this.#options.clock.monotonicUs() - newest.atUs <= ageMaxUs;
    if (!isFresh) this.#isNew = true;
    if (!this.#started) this.#start();
    else if (isFresh && newest.picture.key) viewer.onPicture(newest.picture);
    else this.askForKey();
    this.#options.pictures.wake();
  }

  leave(viewer: TranscodeViewer): void {
    this.#viewers.delete(viewer);
  }

  /** A viewer can take pictures again. */
  wake(): void {
    this.#options.pictures.wake();
  }

  /** A viewer of an H.264 stream needs a key frame to continue; granted once in ASKED_KEY_MS_MIN. */
  askForKey(): void {
    this.#needsKey = true;
  }

  /** The first picture is a key frame anyway. */
  #start(): void {
    this.#started = true;
    this.#options.pictures.add(this);
  }

  get periodUs(): number {
    return this.#rate.periodUs;
  }

  get isNew(): boolean {
    return this.#isNew;
  }

  get ready(): boolean {
    for (const viewer of this.#viewers) if (viewer.ready) return true;
    return false;
  }

  target(format: VideoFormat, timeUs: number): PictureTarget | undefined {
    const isDue = this.#catchingUp || this.#rate.isDue(timeUs);
    if (this.#encoding || !isDue || !this.ready) return undefined;
    return this.#output.target(format);
  }

  take(picture: Picture, catchingUp: boolean): void {
    if (this.#closed) return;
    this.#isNew = false;
    this.#catchingUp = catchingUp;
    this.#rate.taken(picture.timeUs);
    this.#encode(picture, catchingUp).catch((error: unknown) => this.fail(error));
  }

  fail(error: unknown): void {
    if (this.#closed) return;
    for (const viewer of [...this.#viewers]) viewer.onFault(error);
  }

  async #encode(picture: Picture, catchingUp: boolean): Promise<void> {
    this.#encoding = true;
    try {
      const options = { forceKey: this.#grantsKey(), catchingUp };
      for (const encoded of await this.#output.encode(picture, options)) this.#publish(encoded);
    } finally {
      this.#encoding = false;
    }
  }

  #grantsKey(): boolean {
    const nowUs = this.#options.clock.monotonicUs();
    if (!this.#needsKey || nowUs - this.#keyAskedUs < ASKED_KEY_MS_MIN * 1000) return false;
    this.#needsKey = false;
    this.#keyAskedUs = nowUs;
    return true;
  }

  #publish(picture: TranscodedPicture): void {
    if (this.#closed) return;
    this.#newest = { picture, atUs: this.#options.clock.monotonicUs() };
    for (const viewer of [...this.#viewers]) viewer.onPicture(picture);
  }
}
