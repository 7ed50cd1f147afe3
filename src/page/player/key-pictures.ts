import { isOf, type PictureTimes, type PlacedPicture } from "./picture-times.js";

/** What all cameras of a screen keep decoded. */
const BYTES_MAX = 96 * 2 ** 20;
const PIXEL_BYTES = 4;
/** What is passed is seen for a moment: so many pixels are sharp enough. */
const PIXELS_MAX = 640 * 360;
/** Key frames of most cameras are so far apart at least; where they are closer, room is made. */
const USUAL_APART_MS = 1000;
/** A browser loses a seek now and then: as long it is waited for. A busy machine takes a part of it. */
const SEEK_MS = 1000;
/** A place within a picture, not on its edge. */
const WITHIN_S = 0.01;

/** The element that decodes. */
export interface DecodingElement {
  readonly video: HTMLVideoElement;
  readonly times: PictureTimes;
  /** The picture that the browser has told of last, and the one that the element was sent to last. */
  readonly shown: PlacedPicture | undefined;
  readonly sought: PlacedPicture | undefined;
  /** Whether its buffer has what belongs at a time of the element. */
  has(mediaS: number): boolean;
  seek(picture: PlacedPicture, toS: number): void;
}

export interface KeyPicturesOptions {
  /** So many share the memory. */
  readonly cameras: number;
  /** So long is what the hand is drawn over, and so far apart its key frames are at least. */
  readonly lengthMs: number;
  readonly apartMs: number;
  /** As large as the camera's place on the screen: no more of them are seen. */
  readonly pixels: number;
}

interface Kept {
  readonly picture: PlacedPicture;
  readonly bitmap: ImageBitmap;
}

/**
 * Key frames of one camera, decoded and small, in front of its element while a hand is drawn along the timeline: a picture that was
 * decoded once is there at once. The element decodes that of the hand, and then those around it, one seek after the other; browsers
 * have no other decoder for pages that are not secure.
 */
export class KeyPictures {
  readonly canvas = document.createElement("canvas");
  readonly #context = this.canvas.getContext("2d", { alpha: false });
  readonly #scratch = new OffscreenCanvas(1, 1);
  readonly #scratchContext = this.#scratch.getContext("2d", { alpha: false });
  readonly #bytesMax: number;
  readonly #pixelsMax: number;
  readonly #lengthMs: number;
  readonly #apartMs: number;
  /** By when they were taken. */
  readonly #kept = new Map<number, Kept>();
  #drawn: PlacedPicture | undefined;
  /** Where the hand is; undefined while the element is not drawn along. */
  #drawnTo: number | undefined;
  #isAwaiting = false;
  #decoding: { readonly picture: PlacedPicture; readonly sinceMs: number } | undefined;

  constructor({ cameras, lengthMs, apartMs, pixels }: KeyPicturesOptions) {
    this.#bytesMax = BYTES_MAX / Math.max(1, cameras);
    this.#pixelsMax = Math.min(PIXELS_MAX, Math.max(1, pixels));
    this.#lengthMs = lengthMs;
    this.#apartMs = Math.max(1, apartMs);
    this.canvas.ariaHidden = "true";
    this.canvas.hidden = true;
  }

  /** What is seen in front of the element; undefined where that is seen itself. */
  get seen(): PlacedPicture | undefined {
    return this.canvas.hidden ? undefined : this.#drawn;
  }

  /**
   * Decodes the picture that is nearest to the hand, and shows of those that are decoded the nearest to `shownMs`. Answers whether that is
   * the nearest of all.
   */
  follow(wallMs: number, shownMs: number, element: DecodingElement): boolean {
    this.#drawnTo = wallMs;
    this.#decode(wallMs, element);
    this.#onNext(element);
    const near = nearest(this.#kept.values(), shownMs, ({ picture }) => picture);
    if (near === undefined) return false;
    this.#draw(near);
    const known = element.times.keyPictures();
    const last = known.at(-1);
    // While they are still coming, one that is nearer may come.
    const isOver = last !== undefined && (shownMs <= last.wallMs || isOf(last, shownMs));
    return isOver && nearest(known, shownMs, itself)?.wallMs === near.picture.wallMs;
  }

  /** The next one is asked for as soon as one is there, not with the next picture of the screen. */
  #onNext(element: DecodingElement): void {
    const { video } = element;
    if (this.#isAwaiting || (video as Partial<HTMLVideoElement>).requestVideoFrameCallback === undefined)
      return;
    this.#isAwaiting = true;
    video.requestVideoFrameCallback(() => {
      this.#isAwaiting = false;
      if (this.#drawnTo === undefined) return;
      this.#decode(this.#drawnTo, element);
      this.#onNext(element);
    });
  }

  /** Takes what the element has decoded, and has it decode the next one. */
  #decode(wallMs: number, element: DecodingElement): void {
    const { video } = element;
    const known = element.times.keyPictures();
    const wanted = this.#decoding?.picture;
    if (wanted !== undefined && isShowing(element, wanted)) {
      this.#decoding = undefined;
      this.#take(video, wanted, this.#expected(known));
      this.#makeRoom(known);
    }
    const nowMs = performance.now();
    if (this.#decoding !== undefined && nowMs - this.#decoding.sinceMs < SEEK_MS) return;
    const picture = this.#missing(wallMs, known, element);
    this.#decoding = picture && { picture, sinceMs: nowMs };
    if (picture === undefined) return;
    if (!video.paused) video.pause();
    if (!isShowing(element, picture))
      element.seek(picture, picture.mediaS + Math.min(picture.durationS / 2, WITHIN_S));
  }

  /** The element is sent elsewhere. */
  rest(): void {
    this.#drawnTo = undefined;
    this.#decoding = undefined;
  }

  /** The element shows what is wanted. */
  hide(): void {
    this.canvas.hidden = true;
  }

  close(): void {
    this.rest();
    this.canvas.remove();
    for (const { bitmap } of this.#kept.values()) bitmap.close();
    this.#kept.clear();
  }

  /** The nearest one that is to be decoded. */
  #missing(
    wallMs: number,
    known: readonly PlacedPicture[],
    element: DecodingElement,
  ): PlacedPicture | undefined {
    const missing = known.filter(
      ({ wallMs: takenMs, mediaS }) => !this.#kept.has(takenMs) && element.has(mediaS),
    );
    return nearest(missing, wallMs, itself);
  }

  /** How many there will be, while they are still coming. */
  #expected(known: readonly PlacedPicture[]): number {
    const [first, last] = [known[0], known.at(-1)];
    const isOne = first === undefined || last === undefined || first === last;
    const seenMs = isOne ? USUAL_APART_MS : (last.wallMs - first.wallMs) / (known.length - 1);
    const apartMs = Math.max(this.#apartMs, seenMs);
    return Math.max(known.length, Math.ceil(this.#lengthMs / apartMs));
  }

  /** So large that all of them have room. */
  #take(video: HTMLVideoElement, picture: PlacedPicture, count: number): void {
    const { videoWidth, videoHeight } = video;
    if (videoWidth === 0 || videoHeight === 0) return;
    const pixels = Math.min(this.#pixelsMax, this.#bytesMax / PIXEL_BYTES / Math.max(1, count));
    const scale = Math.min(1, Math.sqrt(pixels / (videoWidth * videoHeight)));
    const [width, height] = [Math.floor(videoWidth * scale), Math.floor(videoHeight * scale)];
    if (this.#scratch.width !== width) this.#scratch.width = width;
    if (this.#scratch.height !== height) this.#scratch.height = height;
    this.#scratchContext?.drawImage(video, 0, 0, width, height);
    this.#kept.set(picture.wallMs, { picture, bitmap: this.#scratch.transferToImageBitmap() });
  }

  /** Gives back what is not known any more, and then what was taken larger while fewer were known: that comes again. */
  #makeRoom(known: readonly PlacedPicture[]): void {
    let bytes = 0;
    for (const { bitmap } of this.#kept.values()) bytes += bytesOf(bitmap);
    if (bytes <= this.#bytesMax) return;
    const times = new Set(known.map(({ wallMs }) => wallMs));
    const weight = ({ picture, bitmap }: Kept): number =>
      times.has(picture.wallMs) ? bytesOf(bitmap) : Number.POSITIVE_INFINITY;
    for (const kept of [...this.#kept.values()].sort((one, other) => weight(other) - weight(one))) {
      if (bytes <= this.#bytesMax || this.#kept.size === 1) return;
      bytes -= bytesOf(kept.bitmap);
      kept.bitmap.close();
      this.#kept.delete(kept.picture.wallMs);
    }
  }

  #draw({ picture, bitmap }: Kept): void {
    const { canvas } = this;
    if (canvas.hidden) canvas.hidden = false;
    if (this.#drawn?.wallMs === picture.wallMs) return;
    this.#drawn = picture;
    if (canvas.width !== bitmap.width) canvas.width = bitmap.width;
    if (canvas.height !== bitmap.height) canvas.height = bitmap.height;
    this.#context?.drawImage(bitmap, 0, 0);
  }
}

/** Certain to show it: the browser tells late, and may show already what it was sent to after that. */
function isShowing({ video, shown, sought }: DecodingElement, picture: PlacedPicture): boolean {
  return !video.seeking && isSame(shown, picture) && isSame(sought, picture);
}

function isSame(shown: PlacedPicture | undefined, picture: PlacedPicture): boolean {
  return shown?.stretch === picture.stretch && shown.mediaS === picture.mediaS;
}

function bytesOf({ width, height }: ImageBitmap): number {
  return width * height * PIXEL_BYTES;
}

/** Of several pictures the one that was taken nearest to a moment. */
function nearest<T>(all: Iterable<T>, wallMs: number, pictureOf: (one: T) => PlacedPicture): T | undefined {
  let found: T | undefined;
  let foundMs = Number.POSITIVE_INFINITY;
  for (const one of all) {
    const apartMs = Math.abs(pictureOf(one).wallMs - wallMs);
    if (apartMs < foundMs) [found, foundMs] = [one, apartMs];
  }
  return found;
}

function itself(picture: PlacedPicture): PlacedPicture {
  return picture;
}
