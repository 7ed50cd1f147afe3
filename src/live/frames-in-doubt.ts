import { Frame } from "./frame.js";
import { PACE_AFTER_US_MAX, PACE_BEFORE_US_MAX } from "./picture-pace.js";
import type { StampDoubt } from "./track-clock.js";

/** Frames wait for so long at most for what comes after them to say what their time is, */
export const DOUBT_WAIT_US_MAX = 3_500_000;
/** so many of them, */
export const DOUBT_FRAMES_MAX = 512;
/** of so many bytes. */
export const DOUBT_BYTES_MAX = 8 * 1024 * 1024;

interface Waiting {
  readonly frame: Frame;
  /** How much later it came than its time says. */
  readonly lateUs: number;
  readonly nowUs: number;
}

/** Whether the frames of one kind wait: until the clock or the link is known to be the cause. */
class KindInDoubt {
  isOpen = false;
  /** No more wait until one is in time. */
  isGivenUp = false;
}

/**
 * Frames that came late by the camera's clock. Either the link held them up, and that clock is right, or it did not count the time, and
 * their time is that of their arrival. What comes after them shows which: so they wait for it, with all that comes of their session
 * meanwhile, in its order. Nothing waits of a camera whose frames come in time.
 */
export class FramesInDoubt {
  readonly #publish: (frame: Frame) => void;
  readonly #video = new KindInDoubt();
  readonly #audio = new KindInDoubt();
  #waiting: Waiting[] = [];
  #bytes = 0;

  constructor(publish: (frame: Frame) => void) {
    this.#publish = publish;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The next frame of the session, which comes at the monotonic time `nowUs`; takes over its lease. */
  take(frame: Frame, stamp: StampDoubt | undefined, nowUs: number): void {
    const isSure = stamp === undefined || stamp.doubt === "none";
    if (isSure && this.#waiting.length === 0) {
      const kind = frame.isAudio ? this.#audio : this.#video;
      kind.isGivenUp = false;
      this.#publish(frame);
      return;
    }
    if (stamp !== undefined) this.#judge(frame, stamp);
    if (!this.#isOpen()) {
      this.release();
      this.#publish(frame);
      return;
    }
    this.#waiting.push({ frame, lateUs: stamp?.lateUs ?? 0, nowUs });
    this.#bytes += frame.byteLength;
    if (this.#waiting.length > DOUBT_FRAMES_MAX || this.#bytes > DOUBT_BYTES_MAX || frame.isMemoryShort)
      this.#giveUp();
    else this.onTick(nowUs);
  }

  onTick(nowUs: number): void {
    const [first] = this.#waiting;
    if (first !== undefined && nowUs - first.nowUs > DOUBT_WAIT_US_MAX) this.#giveUp();
  }

  /** Publishes what waits, with the times that it has. */
  release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#video.isOpen = false;
    this.#audio.isOpen = false;
    for (const { frame } of waiting) this.#publish(frame);
  }

  #isOpen(): boolean {
    return this.#video.isOpen || this.#audio.isOpen;
  }

  #giveUp(): void {
    for (const kind of [this.#video, this.#audio]) kind.isGivenUp ||= kind.isOpen;
    this.release();
  }

  #judge(frame: Frame, { doubt, movedUs }: StampDoubt): void {
    const kind = frame.isAudio ? this.#audio : this.#video;
    if (frame.discontinuity) {
      this.#giveUp();
      return;
    }
    if (doubt === "late") {
      kind.isOpen = !kind.isGivenUp;
    } else if (doubt === "none" || doubt === "moved") {
      if (kind.isOpen && doubt === "moved") this.#move(frame.isAudio, movedUs, frame.decodeTimeUs);
      kind.isOpen = false;
      kind.isGivenUp = false;
    }
  }

  /** The clock was the cause: what waits of the kind is where the next frame, of the time `beforeUs`, goes on from. */
  #move(isAudio: boolean, movedUs: number, beforeUs: number): void {
    let lastUs = Number.NEGATIVE_INFINITY;
    let left = this.#waiting.filter(({ frame }) => frame.isAudio === isAudio).length;
    this.#waiting = this.#waiting.map((each) => {
      const { frame, lateUs } = each;
      if (frame.isAudio !== isAudio) return each;
      const byUs = Math.max(
        0,
        Math.min(Math.max(movedUs, lateUs - PACE_BEFORE_US_MAX), lateUs + PACE_AFTER_US_MAX),
      );
      // Where pictures are reordered, the next one may have to be decoded long before it is shown.
      lastUs = Math.round(Math.min(Math.max(frame.decodeTimeUs + byUs, lastUs + 1), beforeUs - left));
      left -= 1;
      return { ...each, frame: frameAt(frame, lastUs, frame.decodeTimeUs + byUs) };
    });
  }
}

/** The same frame, decoded at another time, and shown as long after `dueUs` as after its time before; takes over the lease. */
function frameAt(frame: Frame, decodeTimeUs: number, dueUs: number): Frame {
  if (decodeTimeUs <= frame.decodeTimeUs) return frame;
  const { format, key, damaged, undecodable, discontinuity, ranges } = frame;
  const presentationOffsetUs = frame.presentationOffsetUs + Math.max(0, Math.round(dueUs - decodeTimeUs));
  const moved = new Frame({
    ...{ format, presentationOffsetUs, key, damaged, undecodable, discontinuity, decodeTimeUs, ranges },
  });
  frame.release();
  return moved;
}
