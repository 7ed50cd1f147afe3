import type { StreamMessage } from "../../contract/answer/index.js";
import { ByteRate } from "./byte-rate.js";
import { MediaBuffer } from "./media-buffer.js";
import type { MediaHeader } from "./media-header.js";
import type { PlacedPicture } from "./picture-times.js";
import { Placement } from "./placement.js";
import { ShownPicture } from "./shown-picture.js";
import { steer } from "./steering.js";

/** What was shown stays in the buffer so long: a step backwards is then at once. */
const KEPT_LIVE_S = 4;
const KEPT_PLAYBACK_S = 30;
/** Longer than anybody plays in one sitting: a month of playing at speed 1, a week at speed 4. */
const PLAYBACK_DURATION_S = 30 * 86_400;
/** Trimmed in steps, as each costs. */
const TRIM_STEP_S = 4;
/** Errors of the browser in a row; then it is no use to begin anew at once. */
const FAULTS_IN_A_ROW_MAX = 3;
const FAULT_PAUSE_MS = 10_000;
/** Pictures so long without an error end a row. */
const FAULTS_FORGOTTEN_MS = 30_000;

export interface PlayerListener {
  /** The browser has taken another picture: it can be seen. */
  onShowing(): void;
  /** Nothing goes on without a new start: the owner calls `restart` of its watch. */
  onFault(text: string): void;
}

export interface PlayerFigures {
  /** From the service's having the picture whole to its display; and from its being taken. Milliseconds. */
  readonly handOverDelayMs?: number;
  readonly delayMs?: number;
  readonly bitsPerSecond: number;
  /** Left out by the service, and by the browser. */
  readonly dropped: number;
  readonly stream?: StreamMessage;
}

/**
 * Shows one stream in a video element. A watch's listener hands its stream, init segments and fragments on. In mode `live` it
 * stays near the newest picture by itself; in mode `playback` a `PlaybackFollower` moves the element (`times` says where to).
 */
export class PicturePlayer {
  readonly video: HTMLVideoElement;
  readonly #mode: "live" | "playback";
  readonly #listener: PlayerListener;
  readonly #buffer: MediaBuffer;
  readonly #placement = new Placement();
  readonly #shown: ShownPicture;
  readonly #rate = new ByteRate();
  #stream: StreamMessage | undefined;
  #lastSequence: number | undefined;
  #pictureS = 0.04;
  /** Where the newest picture begins, when it came, and how long after the one before it. */
  #newest = { mediaS: 0, ms: 0, apartS: 0 };
  /** The end of what the browser has taken. */
  #takenS = 0;
  #droppedByService = 0;
  #faults = 0;
  #faultAtMs = 0;
  #faultTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #keepsAll = false;

  constructor(video: HTMLVideoElement, mode: "live" | "playback", listener: PlayerListener) {
    this.video = video;
    this.#mode = mode;
    this.#listener = listener;
    const listening = {
      onAppended: () => this.#onAppended(),
      onFault: (text: string) => this.#onFault(text),
    };
    this.#buffer = new MediaBuffer(video, listening, mode === "playback" ? PLAYBACK_DURATION_S : undefined);
    this.#shown = new ShownPicture(video, (mediaS) => this.times.at(mediaS));
    video.playsInline = true;
    video.addEventListener("error", this.#onError);
  }

  readonly #onError = (): void => {
    if (this.video.error !== null && !this.#isClosed) {
      this.#buffer.close();
      this.#onFault(this.video.error.message);
    }
  };

  /** Where each picture is in the element's time, and when it was taken. */
  get times(): Placement["times"] {
    return this.#placement.times;
  }

  /** The moment that is shown, Unix milliseconds. */
  get wallMs(): number | undefined {
    return this.times.wallAt(this.video.currentTime);
  }

  onStream(message: StreamMessage): void {
    this.#stream = message;
    this.#lastSequence = undefined;
  }

  onInit(bytes: Uint8Array): void {
    if (this.#stream === undefined) return;
    if (this.#buffer.begin(this.#stream.mime)) this.#forget();
    this.#placement.begin(bytes);
    this.#buffer.append(bytes);
  }

  onFragment(header: MediaHeader, bytes: Uint8Array): void {
    this.#rate.add(bytes.length, performance.now());
    if (this.#isRepeated(header)) return;
    const before = this.#placement.endS;
    const placed = this.#placement.place(header, bytes);
    if (placed === undefined) return;
    if (!header.isSound) this.#notePicture(before);
    this.#buffer.append(bytes);
  }

  #notePicture(startS: number): void {
    this.#pictureS += (this.#placement.endS - startS - this.#pictureS) / 8;
    const nowMs = performance.now();
    const mediaS = this.times.last?.mediaS ?? startS;
    this.#newest = { mediaS, ms: nowMs, apartS: (nowMs - this.#newest.ms) / 1000 };
  }

  /** So many pictures were left out on the way. */
  onDropped(count: number): void {
    this.#droppedByService += count;
  }

  /** Playback: what comes until the next discontinuity is of the old place. `isCoarse`: then key frames come, as of a scan. */
  jump(isCoarse = false): void {
    this.#placement.jump(isCoarse);
  }

  /** Any of what has come may be shown next: nothing of it is given back. */
  keepAll(isKept: boolean): void {
    this.#keepsAll = isKept;
  }

  /** The picture that the browser shows. */
  get shown(): PlacedPicture | undefined {
    return this.#shown.picture;
  }

  /** It is on the screen: what is hidden is not shown. */
  get isSeen(): boolean {
    return document.visibilityState === "visible" && this.video.getClientRects().length > 0;
  }

  /** Pictures that were shown so far. */
  get shownCount(): number {
    return this.#shown.count;
  }

  /** Whether the buffer has what belongs at a time of the element. */
  has(mediaS: number): boolean {
    return this.#buffer.ranges.some(({ startS, endS }) => startS - 0.001 <= mediaS && mediaS < endS);
  }

  /** Takes the picture away: there is no stream any more. */
  clear(): void {
    this.#buffer.close();
    this.#forget();
  }

  /** The element is empty. */
  #forget(): void {
    this.#placement.reset();
    this.#shown.forget();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#faultTimer);
    this.#shown.close();
    this.video.removeEventListener("error", this.#onError);
    this.#buffer.close();
  }

  figures(serviceNowMs: number): PlayerFigures {
    const quality = this.video.getVideoPlaybackQuality();
    const shown = this.times.at(this.video.currentTime);
    const sinceMs = shown === undefined ? 0 : (this.video.currentTime - shown.mediaS) * 1000;
    return {
      bitsPerSecond: this.#rate.bitsPerSecond(performance.now()),
      dropped: this.#droppedByService + quality.droppedVideoFrames,
      ...(this.#stream === undefined ? {} : { stream: this.#stream }),
      // Of the moment at which the picture appeared.
      ...(shown === undefined || this.#mode === "playback"
        ? {}
        : {
            handOverDelayMs: serviceNowMs - sinceMs - shown.handOverMs,
            delayMs: serviceNowMs - sinceMs - shown.wallMs,
          }),
    };
  }

  /** Another client's start of the same stream may repeat what this one has. */
  #isRepeated({ isSound, isPlayback, sequence }: MediaHeader): boolean {
    if (isSound || isPlayback) return false;
    const ahead = this.#lastSequence === undefined ? 1 : (sequence - this.#lastSequence) | 0;
    if (ahead <= 0) return true;
    this.#lastSequence = sequence;
    return false;
  }

  #onAppended(): void {
    const range = this.#buffer.ranges.at(-1);
    if (range === undefined) return;
    if (this.#mode === "live") this.#stayLive(range.startS, range.endS);
    this.#trim();
    if (range.endS === this.#takenS) return;
    this.#takenS = range.endS;
    this.#listener.onShowing();
  }

  #stayLive(startS: number, endS: number): void {
    const { video } = this;
    const { rate, jumpToS } = steer({
      nowS: video.currentTime,
      startS,
      endS,
      pictureS: this.#pictureS,
      newestS: this.#newest.mediaS,
      apartS: this.#newest.apartS,
      isHeard: !video.muted,
    });
    if (jumpToS !== undefined) video.currentTime = jumpToS;
    if (video.playbackRate !== rate) video.playbackRate = rate;
    if (video.paused) this.play();
  }

  /** A browser may refuse sound before somebody touched the page; a picture it never refuses. */
  play(): void {
    void this.video.play().catch(() => this.#playSilently());
  }

  #playSilently(): void {
    if (this.#isClosed || this.video.muted) return;
    this.video.muted = true;
    void this.video.play().catch((error: unknown) => console.warn("the browser does not play", error));
  }

  #trim(): void {
    if (this.#keepsAll) return;
    const kept = this.#mode === "live" ? KEPT_LIVE_S : KEPT_PLAYBACK_S;
    const first = this.#buffer.ranges[0];
    const until = this.video.currentTime - kept;
    if (first === undefined || first.startS + TRIM_STEP_S > until) return;
    this.#buffer.trimBefore(until);
    this.times.trimBefore(until);
  }

  #onFault(text: string): void {
    if (this.#isClosed) return;
    console.warn("the player begins anew:", text);
    this.#forget();
    const now = performance.now();
    this.#faults = now - this.#faultAtMs > FAULTS_FORGOTTEN_MS ? 1 : this.#faults + 1;
    this.#faultAtMs = now;
    clearTimeout(this.#faultTimer);
    const wait = this.#faults > FAULTS_IN_A_ROW_MAX ? FAULT_PAUSE_MS : 0;
    this.#faultTimer = setTimeout(() => this.#listener.onFault(text), wait);
  }
}
