import type { PlacedPicture } from "./picture-times.js";

/**
 * Which picture an element shows: what the browser says it has displayed, not what it was set to. A browser without
 * `requestVideoFrameCallback` is asked for the count of its pictures, and for its time when it does not seek.
 */
export class ShownPicture {
  readonly #video: HTMLVideoElement;
  readonly #pictureAt: (mediaS: number) => PlacedPicture | undefined;
  #picture: PlacedPicture | undefined;
  #count = 0;
  #handle: number | undefined;
  #total = 0;

  constructor(video: HTMLVideoElement, pictureAt: (mediaS: number) => PlacedPicture | undefined) {
    this.#video = video;
    this.#pictureAt = pictureAt;
    if (reportsPictures(video)) this.#handle = video.requestVideoFrameCallback(this.#onPicture);
  }

  /** Undefined before the first one, and after the element was emptied. */
  get picture(): PlacedPicture | undefined {
    this.#ask();
    return this.#picture;
  }

  /** Pictures that were shown so far. */
  get count(): number {
    this.#ask();
    return this.#count;
  }

  /** The element was emptied: it shows nothing. */
  forget(): void {
    this.#picture = undefined;
  }

  close(): void {
    if (this.#handle !== undefined) this.#video.cancelVideoFrameCallback(this.#handle);
  }

  readonly #onPicture = (_nowMs: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
    this.#handle = this.#video.requestVideoFrameCallback(this.#onPicture);
    this.#take(mediaTime);
  };

  #ask(): void {
    if (this.#handle !== undefined || this.#video.seeking) return;
    const { totalVideoFrames } = this.#video.getVideoPlaybackQuality();
    if (totalVideoFrames === this.#total) return;
    this.#total = totalVideoFrames;
    this.#take(this.#video.currentTime);
  }

  #take(mediaS: number): void {
    this.#picture = this.#pictureAt(mediaS);
    this.#count += 1;
  }
}

function reportsPictures(video: HTMLVideoElement): boolean {
  return (video as Partial<HTMLVideoElement>).requestVideoFrameCallback !== undefined;
}
