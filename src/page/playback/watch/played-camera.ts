import { signal } from "@preact/signals";
import type { ProblemReason, StreamMessage } from "../../../contract/answer/index.js";
import type { MediaHeader } from "../../player/media-header.js";
import { PicturePlayer } from "../../player/picture-player.js";
import type { GapMessage, ProblemMessage, Refusal, Watch, WatchListener } from "../../player/watch.js";

/** Gaps of one camera that are remembered: a playback passes them one by one. */
const GAPS_MAX = 100;
/** As long a camera without a picture of the moment holds up the others. */
const WAITED_FOR_MS = 1000;

/** As much is to be there before a clock that was held goes on. */
const IN_HAND_MS = 150;

/** How the clock of a playback stands. */
export interface ClockState {
  readonly speed: number;
  /** It runs, and is not held. */
  readonly isMoving: boolean;
  readonly isRunning: boolean;
}

/** Why a camera shows nothing. */
export type PictureFault =
  | { readonly kind: "problem"; readonly reason: ProblemReason; readonly text: string }
  | { readonly kind: "refused"; readonly text: string };

/** One camera of a playback, with its element. */
export class PlayedCamera implements WatchListener {
  readonly channel: string;
  readonly video: HTMLVideoElement;
  readonly stream = signal<StreamMessage | undefined>(undefined);
  readonly fault = signal<PictureFault | undefined>(undefined);
  /** The gap that the playback is in. */
  readonly gap = signal<GapMessage | undefined>(undefined);
  readonly isShowing = signal(false);
  watch: Watch | undefined;
  readonly #player: PicturePlayer;
  readonly #onGapTold: (message: GapMessage) => void;
  #gaps: readonly GapMessage[] = [];
  #missingSinceMs: number | undefined;

  constructor(channel: string, onGapTold: (message: GapMessage) => void) {
    this.channel = channel;
    this.#onGapTold = onGapTold;
    this.video = document.createElement("video");
    this.video.muted = true;
    this.#player = new PicturePlayer(this.video, "playback", {
      onShowing: () => (this.isShowing.value = true),
      onFault: () => this.watch?.restart(),
    });
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
    this.#onGapTold(message);
  }

  /** The playback is somewhere else: what comes next is of the new place. */
  jump(): void {
    this.#player.jump();
    this.#missingSinceMs = undefined;
  }

  /** Shows the moment of a clock; false while the others are to wait for this camera's picture. */
  follow(wallMs: number, { speed, isMoving, isRunning }: ClockState, nowMs: number): boolean {
    const gap = this.#gaps.findLast(({ from, to }) => from <= wallMs && wallMs < to);
    if (this.gap.peek() !== gap) this.gap.value = gap;
    if (gap !== undefined || this.fault.peek() !== undefined) {
      if (!this.video.paused) this.video.pause();
      return true;
    }
    const isThere = this.#player.follow(wallMs, speed, isMoving);
    // A clock that was held goes on with some pictures in hand, else it would be held again at once.
    const inHandMs = isRunning && !isMoving && speed > 0 ? IN_HAND_MS * speed : 0;
    if (isThere && (inHandMs === 0 || this.#newestMs >= wallMs + inHandMs)) {
      this.#missingSinceMs = undefined;
      return true;
    }
    this.#missingSinceMs ??= nowMs;
    return nowMs - this.#missingSinceMs > WAITED_FOR_MS;
  }

  /** The end of the newest picture that has come. */
  get #newestMs(): number {
    const last = this.#player.times.last;
    return last === undefined ? Number.NEGATIVE_INFINITY : last.wallMs + last.durationS * 1000;
  }

  hear(isHeard: boolean): void {
    this.video.muted = !isHeard;
    this.watch?.change({ sound: isHeard });
  }

  close(): void {
    this.#player.close();
    this.video.remove();
  }
}
