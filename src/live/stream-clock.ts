import type { Clock } from "../base/index.js";
import { type Arrival, type StreamReference, TrackClock, type TrackKind } from "./track-clock.js";

/** If the difference between wall clock and monotonic clock changes by more than this, the wall clock stepped. */
export const WALL_STEP_US = 1_000_000;
/** A smaller change than WALL_STEP_US, but larger than what reading two clocks costs: stream time is slewed to it. */
const WALL_SHIFT_US_MIN = 20_000;
/** If the wall clock is set back by up to this much, stream time is slewed to it; if by more, stream time goes back too. */
export const STEP_BACK_US_MAX = 10_000_000;

/**
 * The time of one stream. It lasts as long as the stream is configured, across sessions, so that stream time does not
 * go back when the camera comes back. Only if the wall clock is set back far does it go back too, with a discontinuity:
 * the archive opens a new epoch there (`docs/design/time.md`).
 *
 * Each session opens one `TrackClock` for video and one for audio; audio follows the video's. See
 * `docs/design/frames.md`.
 */
export class StreamClock implements StreamReference {
  readonly #clock: Clock;
  #wallOffsetUs: number | undefined;
  #wallSteps = 0;
  /** Wall clock steps that `aheadUs` accounts for. */
  #anchoredSteps = 0;
  #aheadUs = 0;
  #lastVideoUs = Number.NEGATIVE_INFINITY;
  #lastAudioUs = Number.NEGATIVE_INFINITY;
  #video: TrackClock | undefined;
  /** NaN at first, so that V8 expects no small integers. */
  readonly #arrival = { wallUs: Number.NaN, monotonicUs: Number.NaN };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a session's track; its first frame gets the wall clock's time. Open video before the first audio frame. */
  openTrack(kind: TrackKind): TrackClock {
    const track = new TrackClock(this, kind);
    if (kind === "video") this.#video = track;
    return track;
  }

  /** Ends a track: the session is over. */
  closeTrack(track: TrackClock): void {
    if (this.#video === track) this.#video = undefined;
  }

  /** For track clocks: the session's video, when it has one. */
  get video(): TrackClock | undefined {
    return this.#video;
  }

  /** For track clocks: number of wall clock steps seen so far. */
  get wallSteps(): number {
    return this.#wallSteps;
  }

  /** For track clocks: how far stream time stays ahead of a wall clock that was set back, or behind one that was set forward a little. */
  get aheadUs(): number {
    return this.#aheadUs;
  }

  /** For track clocks: both clocks, now or at the monotonic time `arrivedUs`; notices a step of the wall clock. Reused by the next call. */
  arrival(arrivedUs?: number): Arrival {
    const nowUs = this.#clock.monotonicUs();
    const offsetUs = this.#clock.nowUs() - nowUs;
    const monotonicUs = arrivedUs === undefined ? nowUs : Math.min(arrivedUs, nowUs);
    const arrival = this.#arrival;
    arrival.wallUs = offsetUs + monotonicUs;
    arrival.monotonicUs = monotonicUs;
    if (this.#wallOffsetUs !== undefined) this.#noticeShift(offsetUs - this.#wallOffsetUs);
    this.#wallOffsetUs = offsetUs;
    return arrival;
  }

  #noticeShift(shiftUs: number): void {
    if (Math.abs(shiftUs) > WALL_STEP_US) this.#wallSteps += 1;
    else if (Math.abs(shiftUs) > WALL_SHIFT_US_MIN) this.#aheadUs -= shiftUs;
  }

  /** For track clocks: newest time given to a frame of this kind. */
  lastUs(kind: TrackKind): number {
    return kind === "video" ? this.#lastVideoUs : this.#lastAudioUs;
  }

  /** For track clocks: records the time given to a frame. */
  given(kind: TrackKind, timeUs: number): void {
    if (kind === "video") this.#lastVideoUs = timeUs;
    else this.#lastAudioUs = timeUs;
  }

  /**
   * For track clocks: sets stream time to the wall clock again, or just after its newest time if that is a little
   * later.
   */
  takeWallClock(kind: TrackKind, arrival: Arrival): number {
    const stepped = this.#anchoredSteps !== this.#wallSteps;
    if (stepped && this.lastUs(kind) - arrival.wallUs > STEP_BACK_US_MAX) this.#forgetTimes();
    const timeUs = Math.max(arrival.wallUs, this.lastUs(kind) + 1);
    const aheadUs = timeUs - arrival.wallUs;
    // During a gap the wall clock caught up: from here on stream time follows it.
    this.#aheadUs = stepped ? aheadUs : Math.max(0, Math.min(this.#aheadUs, aheadUs));
    this.#anchoredSteps = this.#wallSteps;
    return timeUs;
  }

  /** Lets the times of both kinds go back with the wall clock. */
  #forgetTimes(): void {
    this.#lastVideoUs = Number.NEGATIVE_INFINITY;
    this.#lastAudioUs = Number.NEGATIVE_INFINITY;
  }

  /** For track clocks: lets a wall clock that was set catch up, or catches up with it, by at most `stepUs`. */
  settle(stepUs: number): void {
    this.#aheadUs -= Math.min(Math.max(this.#aheadUs, -stepUs), stepUs);
  }
}
