import { signal } from "@preact/signals";
import type { ProblemReason, StreamMessage, Tile } from "../../../contract/answer/index.js";
import type { KeyPicturesOptions } from "../../player/key-pictures.js";
import type { MediaHeader } from "../../player/media-header.js";
import { PicturePlayer } from "../../player/picture-player.js";
import { endMs, momentIn } from "../../player/picture-times.js";
import { PlaybackFollower, type PlaybackPlace } from "../../player/playback-follower.js";
import { Rhythm } from "../../player/rhythm.js";
import { Standing } from "../../player/standing.js";
import type { GapMessage, ProblemMessage, Refusal, Watch, WatchListener } from "../../player/watch.js";
import { keyPictures } from "./key-pictures.js";

/** Gaps of one camera that are remembered: a playback passes them one by one. */
const GAPS_MAX = 100;
/** As long a camera without a picture of the moment holds up the others. */
const WAITED_FOR_MS = 1000;

/** As much is to be there before a clock that was held goes on. */
const IN_HAND_MS = 150;

/**
 * How a camera is with the moment of its playback.
 * - `shown`: its picture of the moment is seen.
 * - `none`: it has none, and says why.
 * - `awaited`: its picture is on the way.
 * - `late`: it has been on the way for so long that the others need not wait.
 */
export type CameraState = "shown" | "none" | "awaited" | "late";

/** Why a camera shows nothing. */
export type PictureFault =
  | { readonly kind: "problem"; readonly reason: ProblemReason; readonly text: string }
  | { readonly kind: "refused"; readonly text: string };

interface PlayedCameraOptions {
  readonly channel: string;
  readonly tile: Tile;
  readonly onGap: (message: GapMessage) => void;
}

/** One camera of a playback, with its element. */
export class PlayedCamera implements WatchListener {
  readonly channel: string;
  /** How large its picture is, device pixels. */
  tile: Tile;
  readonly video: HTMLVideoElement;
  readonly stream = signal<StreamMessage | undefined>(undefined);
  readonly fault = signal<PictureFault | undefined>(undefined);
  /** The gap that the playback is in. */
  readonly gap = signal<GapMessage | undefined>(undefined);
  readonly isShowing = signal(false);
  /** The playback goes on without its picture. */
  readonly isLate = signal(false);
  /** Its picture has been awaited for too long, whatever the others show. */
  readonly isStanding = signal(false);
  watch: Watch | undefined;
  readonly #player: PicturePlayer;
  readonly #follower: PlaybackFollower;
  readonly #onGap: (message: GapMessage) => void;
  #gaps: readonly GapMessage[] = [];
  #awaitedSinceMs: number | undefined;
  readonly #standing = new Standing();
  readonly #rhythm = new Rhythm();
  #isSeen = false;
  /** How many pictures were shown when one was shown last, and until when no other one is missed. */
  #moved = { count: 0, untilMs: 0 };

  constructor({ channel, tile, onGap }: PlayedCameraOptions) {
    this.channel = channel;
    this.tile = tile;
    this.#onGap = onGap;
    this.video = document.createElement("video");
    this.video.muted = true;
    this.#player = new PicturePlayer(this.video, "playback", {
      onShowing: () => (this.isShowing.value = true),
      onFault: () => this.watch?.restart(),
    });
    this.#follower = new PlaybackFollower(this.#player);
  }

  onStream(message: StreamMessage): void {
    this.stream.value = message;
    this.fault.value = undefined;
    this.#player.onStream(message);
  }

  onInit(bytes: Uint8Array): void {
    this.#player.onInit(bytes);
  }

  onFragment(header: MediaHeader, bytes: Uint8Array): void {
    if (this.fault.peek() !== undefined) this.fault.value = undefined;
    if (!header.isSound) this.#rhythm.note(header.wallMs);
    this.#player.onFragment(header, bytes);
  }

  onProblem({ reason, text }: ProblemMessage): void {
    this.fault.value = { kind: "problem", reason, text };
  }

  onDropped(count: number): void {
    this.#player.onDropped(count);
  }

  onEnded({ text }: Refusal): void {
    this.fault.value = { kind: "refused", text };
  }

  onGap(message: GapMessage): void {
    this.#gaps = [...this.#gaps.slice(1 - GAPS_MAX), message];
    this.#onGap(message);
  }

  /** The very picture of a moment is in the buffer. */
  has(wallMs: number): boolean {
    return this.#follower.hasPictureOf(wallMs);
  }

  /** Its element shows the moment that it was told last, or there is none to show. */
  get isReady(): boolean {
    return this.#isSeen || this.gap.peek() !== undefined || this.fault.peek() !== undefined;
  }

  /** It is seen from now on, in the other one's place. */
  comeForward(other: PlayedCamera): void {
    this.video.className = "";
    this.video.ariaHidden = null;
    other.#follower.uncover();
    other.video.className = "spare";
    other.video.ariaHidden = "true";
  }

  /** Its picture is so large now, device pixels. */
  resize(tile: Tile): void {
    this.tile = tile;
    this.watch?.change({ tile });
  }

  /** The playback is somewhere else: what comes next is of the new place. */
  jump(isCoarse = false): void {
    this.#isSeen = false;
    this.#player.jump(isCoarse);
    this.#awaitedSinceMs = undefined;
    this.#standing.reset();
    this.#rhythm.forget();
    this.#moved = { count: this.shownCount, untilMs: 0 };
  }

  /** Shows the moment of a clock. */
  follow(place: PlaybackPlace, nowMs: number): CameraState {
    const { wallMs } = place;
    const gap = this.#gaps.findLast(({ from, to }) => from <= wallMs && wallMs < to);
    if (this.gap.peek() !== gap) this.gap.value = gap;
    if (gap !== undefined || this.fault.peek() !== undefined) {
      if (!this.video.paused) this.video.pause();
      return this.#become("none", nowMs);
    }
    const { isThere, isShown } = this.#follower.follow(place);
    this.#isSeen = isThere && isShown;
    return this.#become(this.#isSeen && this.#isInHand(place) ? "shown" : "awaited", nowMs);
  }

  /** A clock that was held goes on with some pictures in hand, else it would be held again at once. */
  #isInHand({ wallMs, speed, isRunning, isMoving }: PlaybackPlace): boolean {
    if (!isRunning || isMoving || speed < 0) return true;
    return this.#newestMs >= wallMs + IN_HAND_MS * speed;
  }

  #become(state: "shown" | "none" | "awaited", nowMs: number): CameraState {
    if (state !== "awaited") this.#awaitedSinceMs = undefined;
    else this.#awaitedSinceMs ??= nowMs;
    const isLate = this.#awaitedSinceMs !== undefined && nowMs - this.#awaitedSinceMs > WAITED_FOR_MS;
    if (this.isLate.peek() !== isLate) this.isLate.value = isLate;
    return isLate ? "late" : state;
  }

  /** Says that it stands, where its picture should come and does not; answers whether to begin anew now. */
  lookWhetherItMoves(isAwaited: boolean, speed: number, nowMs: number): boolean {
    const count = this.shownCount;
    if (count !== this.#moved.count)
      this.#moved = { count, untilMs: nowMs + this.#rhythm.patienceMs / Math.abs(speed) };
    const isMissed = isAwaited && nowMs >= this.#moved.untilMs;
    const { isStanding, beginsAnew } = this.#standing.look(isMissed, nowMs);
    if (this.isStanding.peek() !== isStanding) this.isStanding.value = isStanding;
    return beginsAnew;
  }

  /** When what it shows was taken, while the playback is at a moment: within a picture that goes on. */
  shownMs(wallMs: number): number | undefined {
    const { seen } = this.#follower;
    return seen === undefined ? undefined : momentIn(seen, wallMs);
  }

  /** When the key frame was taken that a hand sees; undefined where it sees the element itself, or nothing. */
  get drawnMs(): number | undefined {
    return this.#follower.drawn?.wallMs;
  }

  /** Pictures that were shown so far. */
  get shownCount(): number {
    return this.#player.shownCount;
  }

  /** The end of the newest picture that has come. */
  get #newestMs(): number {
    const { newest } = this.#player.times;
    return newest === undefined ? Number.NEGATIVE_INFINITY : endMs(newest);
  }

  /** A hand is drawn along the timeline. */
  beginDrawing(hand: Omit<KeyPicturesOptions, "pixels">): void {
    const pixels = this.tile.width * this.tile.height;
    this.#follower.beginDrawing(() => keyPictures({ ...hand, pixels }));
    this.jump(true);
  }

  endDrawing(): void {
    this.#follower.endDrawing();
  }

  /** The playback begins anew: one that stands in an empty element, any other one behind what it has. */
  beginAnew(nowMs: number): void {
    if (!this.isStanding.peek()) {
      this.jump();
      return;
    }
    this.#player.clear();
    this.#standing.tried(nowMs);
  }

  hear(isHeard: boolean): void {
    this.video.muted = !isHeard;
    this.watch?.change({ sound: isHeard });
  }

  close(): void {
    this.#follower.close();
    this.#player.close();
    this.video.remove();
  }
}
