import { type Clock, type ClockTimer, US_PER_MS } from "../../base/index.js";
import type { PlaybackChannel } from "./playback-channel.js";
import type { PlaybackClock } from "./playback-clock.js";
import { isWhole } from "./playback-order.js";
import { GAP_US_MIN, type PlaybackUnit, type RecordingGap } from "./playback-reading.js";
import type { PlaybackSink } from "./playback-sink.js";

/** Pictures are sent so much earlier than they are due, in the client's time: it shows them smoothly in spite of the network. */
export const LEAD_MS = 1500;
/** Bytes that may wait for a client; it is waited for, above WHOLE_SPEED_MAX key frames are left out instead. */
export const CLIENT_BYTES_MAX = 4 * 1024 * 1024;
/** A channel whose recording cannot be read holds up the others no longer. */
export const SLOW_READING_MS_MAX = 2000;
/** A stall of the playback is reported when it stood for longer in all. */
const STALL_REPORTED_MS = 250;
/** Timers are not set more closely. */
const TIMER_MS_MIN = 5;

export interface PlaybackPumpOptions {
  readonly channels: () => readonly PlaybackChannel[];
  readonly time: PlaybackClock;
  readonly sink: PlaybackSink;
  readonly clock: Clock;
  readonly onGap: (channel: PlaybackChannel, gap: RecordingGap) => void;
  readonly onError: (channel: PlaybackChannel, error: unknown) => void;
  /** The clock jumped over a gap of all channels. */
  readonly onJump: () => void;
  /** A channel's recording goes on at an earlier time: the clock of the recorder was set back there. */
  readonly onStepBack: (timeUs: number) => void;
  /** The clock goes on, after it stood for a while. */
  readonly onStood: () => void;
  /** The picture that stands was sent of all channels. */
  readonly onPicture: () => void;
  /** All that is recorded in the direction of the playback was shown. */
  readonly onEnd: () => void;
}

/**
 * Sends the units of all channels in order of time, each when it is due by the common clock. The clock stands while a channel's
 * recording is being read that should be shown, and while the client does not read; it jumps where no channel has anything.
 */
export class PlaybackPump {
  readonly #options: PlaybackPumpOptions;
  #mode: "stopped" | "run" | "picture" = "stopped";
  #timer: ClockTimer | undefined;
  #waitsForClient = false;
  #stoodSinceUs: number | undefined;
  /** How long it has stood since the last message with the time. */
  #stoodUs = 0;
  #isPumping = false;

  constructor(options: PlaybackPumpOptions) {
    this.#options = options;
  }

  /** Whether a picture that stands is on its way to a client that reads. */
  get isSendingPicture(): boolean {
    return this.#mode === "picture" && !this.#waitsForClient;
  }

  begin(mode: "run" | "picture"): void {
    this.#mode = mode;
    this.#waitsForClient = false;
    this.#stoodSinceUs = undefined;
    this.#stoodUs = 0;
    if (mode === "run") this.#options.time.run();
    this.pump();
  }

  stop(): void {
    this.#mode = "stopped";
    this.#waitsForClient = false;
    this.#timer?.clear();
    this.#timer = undefined;
    this.#options.time.hold();
  }

  /** The client has read some of what waited. */
  drained(): void {
    if (!this.#waitsForClient || this.#options.sink.waitingBytes > CLIENT_BYTES_MAX / 2) return;
    this.#waitsForClient = false;
    this.pump();
  }

  /** Does what is due, and sets the timer for what is due next. */
  pump(): void {
    if (this.#mode === "stopped" || this.#isPumping) return;
    this.#isPumping = true;
    this.#timer?.clear();
    this.#timer = undefined;
    try {
      do this.#sendDue();
      while (this.#mode === "run" && this.#jump());
      if (this.#mode === "picture") this.#endPicture();
      if (this.#mode === "run") this.#runOrStand();
    } finally {
      this.#isPumping = false;
    }
    if (this.#mode === "run") this.#setTimer();
  }

  get #sign(): 1 | -1 {
    return this.#options.time.speed < 0 ? -1 : 1;
  }

  #sendDue(): void {
    const { sink, clock, onError, onStepBack } = this.#options;
    for (let channel = this.#nextDue(); channel !== undefined; channel = this.#nextDue()) {
      const unit = channel.head;
      if (unit === undefined) return;
      if (this.#isStepBack(channel, unit)) {
        onStepBack(unit.decodeTimeUs);
        return;
      }
      if (sink.waitingBytes >= CLIENT_BYTES_MAX) {
        if (this.#mode === "picture" || isWhole(this.#options.time.speed)) {
          this.#waitsForClient = true;
          return;
        }
        channel.dropped += 1;
        channel.feed.leaveOut();
        this.#passed(channel, unit);
        continue;
      }
      if (unit.gap !== undefined) this.#reportGap(channel, unit.gap);
      this.#reportDropped(channel);
      try {
        if (unit.kind === "picture") channel.feed.picture(unit, clock.nowUs());
        else channel.feed.sound(unit, clock.nowUs());
        this.#passed(channel, unit);
      } catch (error) {
        channel.close();
        onError(channel, error);
      }
    }
  }

  #isStepBack({ isBegun, endUs }: PlaybackChannel, unit: PlaybackUnit): boolean {
    if (this.#mode !== "run" || !isWhole(this.#options.time.speed) || !isBegun) return false;
    return unit.kind === "picture" && unit.discontinuity && endUs - unit.decodeTimeUs >= GAP_US_MIN;
  }

  /** The channel whose next unit is the first of all, if that is due. None goes ahead of one that is being read. */
  #nextDue(): PlaybackChannel | undefined {
    const { channels, time } = this.#options;
    const sign = this.#sign;
    const leadUs = LEAD_MS * US_PER_MS * Math.abs(time.speed);
    let dueUs = Number.POSITIVE_INFINITY;
    if (this.#mode === "run") {
      dueUs = sign * time.timeUs + leadUs;
      for (const { state, isLate, endUs } of channels())
        if (state === "reading" && !isLate) dueUs = Math.min(dueUs, sign * endUs);
    }
    let first: PlaybackChannel | undefined;
    let firstUs = Number.POSITIVE_INFINITY;
    for (const channel of channels()) {
      const { head } = channel;
      if (head === undefined) continue;
      const isBack = this.#isStepBack(channel, head);
      const unitUs = isBack ? channel.endUs : sign * nearUs(head, sign);
      if (unitUs > dueUs || unitUs >= firstUs) continue;
      // What lies behind a gap is due when the clock is there: it may jump over it.
      const jumps = isBack || isBehindGap(channel, sign);
      if (this.#mode === "run" && jumps && unitUs > sign * time.timeUs) continue;
      first = channel;
      firstUs = unitUs;
    }
    return first;
  }

  #passed(channel: PlaybackChannel, unit: PlaybackUnit): void {
    const { decodeTimeUs, durationUs, kind } = unit;
    channel.problem = undefined;
    if (kind === "picture") {
      channel.isBegun = true;
      const endUs = this.#sign > 0 ? decodeTimeUs + durationUs : decodeTimeUs;
      channel.endUs = this.#sign * Math.max(this.#sign * channel.endUs, this.#sign * endUs);
      if (this.#mode === "picture" && channel.order?.scan === undefined) {
        const keyUs = unit.key ? decodeTimeUs : (channel.sentGroup?.keyUs ?? decodeTimeUs);
        channel.sentGroup = { keyUs, lastUs: decodeTimeUs };
      }
    }
    channel.take();
  }

  #reportGap(channel: PlaybackChannel, gap: RecordingGap): void {
    if (channel.reportedGap === gap) return;
    channel.reportedGap = gap;
    this.#options.onGap(channel, gap);
  }

  #reportDropped(channel: PlaybackChannel): void {
    if (channel.dropped === 0) return;
    const count = channel.dropped;
    channel.dropped = 0;
    this.#options.sink.message({ type: "dropped", id: channel.id, count });
  }

  /** Reports gaps that the clock has come to, and jumps where no channel has anything. Answers whether it did. */
  #jump(): boolean {
    const { channels, time, onJump } = this.#options;
    const sign = this.#sign;
    const nowUs = sign * time.timeUs;
    let nextUs = Number.POSITIVE_INFINITY;
    let isAllShown = !this.#waitsForClient;
    for (const channel of channels()) {
      const { head, state } = channel;
      if (state === "reading" || sign * channel.endUs > nowUs) isAllShown = false;
      if (head === undefined) continue;
      if (isBehindGap(channel, sign)) {
        if (head.gap !== undefined && sign * channel.endUs <= nowUs) this.#reportGap(channel, head.gap);
      } else isAllShown = false;
      nextUs = Math.min(nextUs, sign * nearUs(head, sign));
    }
    if (!isAllShown || nextUs === Number.POSITIVE_INFINITY || nextUs <= nowUs) return false;
    time.set(sign * nextUs);
    onJump();
    return true;
  }

  #endPicture(): void {
    const { channels, onPicture } = this.#options;
    const isSent = channels().every(
      ({ state }) => state === "over" || state === "edge" || state === "closed",
    );
    if (!isSent) return;
    this.#mode = "stopped";
    onPicture();
  }

  #runOrStand(): void {
    const { channels, time, clock, onStood, onEnd } = this.#options;
    if (channels().length === 0) return;
    const sign = this.#sign;
    for (const channel of channels()) {
      const { head } = channel;
      if (head !== undefined && sign * nearUs(head, sign) >= sign * time.timeUs) channel.isLate = false;
    }
    const limitUs = this.#limitUs();
    const isAtLimit = sign * time.timeUs >= sign * limitUs;
    if (this.#waitsForClient || isAtLimit) {
      time.hold();
      if (isAtLimit) time.set(limitUs);
      this.#stoodSinceUs ??= clock.monotonicUs();
      const isEnd = channels().every(
        ({ state }) => state === "over" || state === "edge" || state === "closed",
      );
      if (isEnd && !this.#waitsForClient) onEnd();
      return;
    }
    this.#stoodUs += clock.monotonicUs() - (this.#stoodSinceUs ?? clock.monotonicUs());
    this.#stoodSinceUs = undefined;
    time.run();
    if (this.#stoodUs <= STALL_REPORTED_MS * US_PER_MS) return;
    this.#stoodUs = 0;
    onStood();
  }

  /** How far the clock may go with what has been read: further than every channel's end, where that is known. */
  #limitUs(): number {
    const sign = this.#sign;
    let limitUs = Number.POSITIVE_INFINITY;
    let lastUs = Number.NEGATIVE_INFINITY;
    let isAnyToCome = false;
    for (const channel of this.#options.channels()) {
      const { head, state, endUs } = channel;
      lastUs = Math.max(lastUs, sign * endUs);
      if (head !== undefined) isAnyToCome = true;
      if (state === "reading" && !channel.isLate) channel.isLate = this.#stoodMs() >= SLOW_READING_MS_MAX;
      if (state === "reading" && !channel.isLate) {
        isAnyToCome = true;
        limitUs = Math.min(limitUs, sign * endUs);
      }
    }
    return sign * (isAnyToCome ? limitUs : lastUs);
  }

  #stoodMs(): number {
    const since = this.#stoodSinceUs;
    return since === undefined ? 0 : (this.#options.clock.monotonicUs() - since) / US_PER_MS;
  }

  #setTimer(): void {
    const { channels, time } = this.#options;
    if (!time.isRunning) {
      // News of a channel or of the client come by themselves; a reading that takes too long does not.
      const isReading = channels().some(({ state }) => state === "reading");
      const restMs = SLOW_READING_MS_MAX - this.#stoodMs();
      if (isReading && restMs > 0) this.#wakeIn(restMs);
      return;
    }
    const sign = this.#sign;
    const nowUs = sign * time.timeUs;
    const leadUs = LEAD_MS * US_PER_MS * Math.abs(time.speed);
    let nextUs = Number.POSITIVE_INFINITY;
    const consider = (timeUs: number): void => {
      if (timeUs > nowUs) nextUs = Math.min(nextUs, timeUs);
    };
    for (const channel of channels()) {
      consider(sign * channel.endUs);
      const { head } = channel;
      if (head === undefined) continue;
      const behind = isBehindGap(channel, sign);
      consider(sign * nearUs(head, sign) - (behind ? 0 : leadUs));
    }
    if (nextUs !== Number.POSITIVE_INFINITY) this.#wakeIn(time.msTo(sign * nextUs));
  }

  #wakeIn(ms: number): void {
    this.#timer = this.#options.clock.setTimeout(() => this.pump(), Math.max(TIMER_MS_MIN, Math.ceil(ms)));
  }
}

/** Whether what a channel has next does not follow what was shown of it. */
function isBehindGap({ head, endUs }: PlaybackChannel, sign: 1 | -1): boolean {
  return head !== undefined && sign * (nearUs(head, sign) - endUs) >= GAP_US_MIN;
}

/** When a unit is due: backwards, a picture is shown from its end on. */
function nearUs({ decodeTimeUs, durationUs }: PlaybackUnit, sign: 1 | -1): number {
  return sign > 0 ? decodeTimeUs : decodeTimeUs + durationUs;
}
