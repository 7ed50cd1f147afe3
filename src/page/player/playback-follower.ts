import { follow, type PendingSeek } from "./following.js";
import type { DecodingElement, KeyPictures } from "./key-pictures.js";
import type { PicturePlayer } from "./picture-player.js";
import { endMs, isNear, isOf, type PlacedPicture } from "./picture-times.js";

/** A picture that the browser shows later than this is not of the moment any more. */
const LATE_MS = 400;

/** Where a playback is. */
export interface PlaybackPlace {
  readonly wallMs: number;
  readonly speed: number;
  /** The moment goes on. */
  readonly isMoving: boolean;
  /** It would go on, were it not held. */
  readonly isRunning: boolean;
  /** The service has sent all that it has of a moment that stands. */
  readonly isSent: boolean;
  /** A hand is drawn along the timeline: the first picture of a group is good enough. */
  readonly isDrawn: boolean;
  /** While a hand is drawn: the moment that another camera shows, which all are to show. */
  readonly shownMs?: number | undefined;
}

/** How far an element is with a playback's moment. */
export interface FollowState {
  /** The picture of the moment has come; while moving, also what follows it. */
  readonly isThere: boolean;
  /** It is what the browser shows. */
  readonly isShown: boolean;
}

const NOT_THERE: FollowState = { isThere: false, isShown: false };

/** A hand that goes over so much from one picture of the screen to the next would not see more than the first of each group. */
const SWIFT_MS = 500;

/** Moves a player's element to the moments of a playback, and shows what a hand is drawn over. */
export class PlaybackFollower implements DecodingElement {
  readonly video: HTMLVideoElement;
  readonly #player: PicturePlayer;
  sought: PlacedPicture | undefined;
  #seek: { readonly toS: number; readonly sinceMs: number; readonly stretch: number } | undefined;
  #keys: KeyPictures | undefined;
  #isDrawn = false;
  /** Where it was sent last. */
  #wallMs = 0;

  constructor(player: PicturePlayer) {
    this.#player = player;
    this.video = player.video;
  }

  /** A hand is drawn along the timeline: any of what has come may be shown next, and nothing of it is given back. */
  beginDrawing(pictures: () => KeyPictures | undefined): void {
    this.#isDrawn = true;
    this.#player.keepAll(true);
    if (this.#keys !== undefined) return;
    this.#keys = pictures();
    if (this.#keys !== undefined) this.video.after(this.#keys.canvas);
  }

  /** What was drawn last stays until the element shows its moment. */
  endDrawing(): void {
    this.#isDrawn = false;
    this.#player.keepAll(false);
  }

  /** The element is seen itself. */
  uncover(): void {
    this.#keys?.hide();
    if (this.#isDrawn) return;
    this.#keys?.close();
    this.#keys = undefined;
  }

  close(): void {
    this.#keys?.close();
  }

  /** The picture that is seen. */
  get seen(): PlacedPicture | undefined {
    return this.drawn ?? this.shown;
  }

  /** The key frame that a hand sees in front of the element. */
  get drawn(): PlacedPicture | undefined {
    return this.#keys?.seen;
  }

  get shown(): PlacedPicture | undefined {
    return this.#player.shown;
  }

  get times(): PicturePlayer["times"] {
    return this.#player.times;
  }

  has(mediaS: number): boolean {
    return this.#player.has(mediaS);
  }

  /** Whether the very picture of a moment is there. */
  hasPictureOf(wallMs: number): boolean {
    const picture = this.times.pictureOf(wallMs);
    return picture !== undefined && !picture.isCoarse && isOf(picture, wallMs) && this.has(picture.mediaS);
  }

  /** Moves the element to a playback's moment, at best once for each picture of the screen. */
  follow(place: PlaybackPlace): FollowState {
    const { wallMs, isDrawn, shownMs = wallMs } = place;
    const picture = this.times.pictureOf(wallMs);
    if (picture === undefined || !this.has(picture.mediaS)) return NOT_THERE;
    const isSwift = Math.abs(wallMs - this.#wallMs) > SWIFT_MS;
    this.#wallMs = wallMs;
    // The key frame that is nearest to the moment, or until it is decoded the nearest one that is.
    if (isDrawn && this.#keys !== undefined && (isSwift || picture.isCoarse === true))
      return { isThere: true, isShown: this.#keys.follow(wallMs, shownMs, this) };
    this.#keys?.rest();
    const state = this.#followElement(picture, place);
    if (state.isShown && this.#keys !== undefined) this.uncover();
    return state;
  }

  #followElement(picture: PlacedPicture, place: PlaybackPlace): FollowState {
    const { wallMs, speed, isMoving, isSent, isDrawn } = place;
    const isComplete = isOf(picture, wallMs) || this.#isPassed(place) || (isSent && isNear(picture, wallMs));
    // Pictures on the way to the one that is wanted are not shown: each seek takes as long as many of them.
    if (!isMoving && !isComplete && picture.isCoarse !== true) return NOT_THERE;
    this.#move(picture, place);
    const { shown } = this;
    if (!isMoving) {
      const isShown = shown !== undefined && Math.abs(shown.wallMs - picture.wallMs) < 0.5;
      return { isThere: isDrawn || picture.isCoarse !== true, isShown };
    }
    const { newest } = this.times;
    const slackMs = LATE_MS * Math.max(1, Math.abs(speed));
    const isPast =
      newest === undefined || (speed > 0 ? wallMs > endMs(newest) + 100 : wallMs < newest.wallMs);
    const isShown = shown !== undefined && wallMs - slackMs < endMs(shown) && shown.wallMs < wallMs + slackMs;
    return { isThere: !isPast, isShown };
  }

  /** What runs has come to later pictures already: the one that was found is the last one before them. */
  #isPassed({ wallMs, speed, isRunning }: PlaybackPlace): boolean {
    const { newest } = this.times;
    if (!isRunning || newest === undefined) return false;
    return speed < 0 ? newest.wallMs <= wallMs : newest.wallMs > wallMs;
  }

  #move(picture: PlacedPicture, { wallMs, speed, isMoving }: PlaybackPlace): void {
    const { video, shown } = this;
    const element = { nowS: video.currentTime, seek: this.#pendingSeek, shown };
    const { rate, seekToS } = follow(picture, { wallMs, speed, isMoving }, element);
    if (rate === undefined && !video.paused) video.pause();
    if (seekToS !== undefined) this.seek(picture, seekToS);
    if (rate === undefined) return;
    if (video.playbackRate !== rate) video.playbackRate = rate;
    if (video.paused) this.#player.play();
  }

  seek(picture: PlacedPicture, toS: number): void {
    this.sought = picture;
    this.#seek = { toS, sinceMs: performance.now(), stretch: picture.stretch };
    this.video.currentTime = toS;
  }

  get #pendingSeek(): PendingSeek | undefined {
    if (!this.video.seeking) this.#seek = undefined;
    if (this.#seek === undefined) return undefined;
    const { toS, sinceMs, stretch } = this.#seek;
    return { toS, forMs: performance.now() - sinceMs, stretch };
  }
}
