import { invariant, PARTS_PER_MILLION } from "../base/index.js";
import { type Doubt, MediaTimeline } from "./media-timeline.js";

export type TrackKind = "video" | "audio";

/** Greatest slew of stream time toward the wall clock, in parts per million of the elapsed time. */
export const SLEW_PPM_MAX = 500;
/** Greatest slew of audio toward its position relative to the video by sender reports. */
export const AUDIO_TIE_PPM_MAX = 50_000;
/** Sender reports that would place sound this long after its arrival are ignored, */
export const TIE_EARLY_US_MAX = 400_000;
/** and those that would place it this long before. */
export const TIE_LATE_US_MAX = 1_000_000;
/** A report that contradicts the one before by more than this is not used. */
const REPORT_APART_US_MAX = 100_000;
/** Most that pictures are taken to be shown after they are decoded, when it is judged whether they come early or late. */
const REORDER_US_MAX = 350_000;
/** After a pause of this length a recording begins anew in any case. */
const PAUSE_US = 10_000_000;
/** Lateness is its minimum over this time, which is longer than a read tick, a stall or the network's jitter. */
const FILTER_US = 5_000_000;

/**
 * Most that a new anchor is moved back within SETTLE_US when frames arrive early: the first one was late because of a
 * read tick or the network. A camera that begins with old frames runs ahead by more; that is left to the slew.
 */
const SETTLE_US_MAX = 300_000;
const SETTLE_US = 12_000_000;
/** Frames early by no more than this show jitter of network and scheduling: the anchor is not moved. */
const SETTLE_EARLY_US_MIN = 20_000;
/**
 * While the anchor moves back, a frame advances by at least this part of its media step: so many reordered frames keep
 * their order.
 */
const SETTLE_STEP_MIN = 0.97;
const SETTLE_PICTURES = 16;
/** Reordered pictures that are earlier than this followed a first one that had waited for others: they settle as fast as keeps their order. */
const SETTLE_FAST_US = 200_000;

/** Wall clock and monotonic clock read at one moment. */
export interface Arrival {
  readonly wallUs: number;
  readonly monotonicUs: number;
}

/** What the tracks of one stream share; implemented by `StreamClock`. */
export interface StreamReference {
  /** The session's video, when it has one. */
  readonly video: TrackClock | undefined;
  /** Number of wall clock steps seen so far. */
  readonly wallSteps: number;
  /** How far stream time stays ahead of a wall clock that was set back. */
  readonly aheadUs: number;
  arrival(arrivedUs?: number): Arrival;
  lastUs(kind: TrackKind): number;
  given(kind: TrackKind, timeUs: number): void;
  takeWallClock(kind: TrackKind, arrival: Arrival): number;
  settle(stepUs: number): void;
}

/** Time of a frame in its stream. */
export interface StreamTime {
  /**
   * Unix microseconds, a whole number, later than that of the previous frame of its kind; only at a discontinuity of
   * the video, after the wall clock was set back by more than STEP_BACK_US_MAX, it may be earlier.
   */
  readonly timeUs: number;
  readonly discontinuity: boolean;
}

/** What is to be thought of the time of a frame that was stamped (`FramesInDoubt`). */
export interface StampDoubt {
  readonly doubt: Doubt;
  /** How much later the frame came than it is shown. */
  readonly lateUs: number;
  /** See `MediaTimeline.movedUs`. */
  readonly movedUs: number;
}

/**
 * Maps one track's media time to stream time: stream time = media time + offset, the offset slewed so that frames
 * arrive on time. "On time" is judged by the frame that was least late within FILTER_US: ticks, bursts and jitter
 * only ever make frames later.
 */
export class TrackClock {
  readonly #stream: StreamReference;
  readonly #kind: TrackKind;
  #offsetUs: number | undefined;
  #mediaUs = 0;
  #monotonicUs = 0;
  #wallSteps = 0;
  #settleEndUs = 0;
  #settleLeftUs = 0;
  #bucketEndUs = 0;
  #bucketLeastUs = Number.POSITIVE_INFINITY;
  #previousLeastUs: number | undefined;
  /** The camera's media time less its NTP time, by its newest sender report. */
  #reportOffsetUs: number | undefined;
  /** Likewise by the newest report, whether it is used or not. */
  #reportedUs: number | undefined;
  /** The state of the camera's clock that report belongs to. */
  #reportSteps = 0;
  readonly #timeline = new MediaTimeline();
  /** NaN at first, so that V8 expects no small integers. */
  readonly #picture = {
    atUs: Number.NaN,
    nowUs: Number.NaN,
    reorderUs: 0,
    reorderDepth: 0,
    isUnsettled: true,
  };
  /** Both clocks, as `media` has read them for the frame that is stamped next. */
  readonly #read = { wallUs: Number.NaN, monotonicUs: Number.NaN };
  #isRead = false;
  /** NaN at first, so that V8 expects no small integer. */
  readonly #time = { timeUs: Number.NaN, discontinuity: false };
  readonly #doubt = { doubt: "none" as Doubt, lateUs: Number.NaN, movedUs: Number.NaN };

  constructor(stream: StreamReference, kind: TrackKind) {
    this.#stream = stream;
    this.#kind = kind;
  }

  /** Stream time less media time; undefined before the first frame. */
  get offsetUs(): number | undefined {
    return this.#offsetUs;
  }

  /** Of the frame that was stamped last; the object is reused for the next one. */
  get stampDoubt(): StampDoubt {
    return this.#doubt;
  }

  /** Whether the track is anchored to the wall clock since that last stepped. */
  get isAnchored(): boolean {
    return this.#offsetUs !== undefined && this.#wallSteps === this.#stream.wallSteps;
  }

  /** Media time less NTP time, by the newest sender report since the last jump. */
  get reportOffsetUs(): number | undefined {
    const { correctionUs, steps } = this.#timeline;
    if (this.#reportOffsetUs === undefined || correctionUs === undefined) return undefined;
    return steps === this.#reportSteps ? this.#reportOffsetUs + correctionUs : undefined;
  }

  /** A sender report: the camera's NTP time in Unix microseconds, and the corresponding media time of its own clock. */
  senderReport(ntpUs: number, rawUs: number): void {
    const { steps } = this.#timeline;
    const offsetUs = rawUs - ntpUs;
    const before = steps === this.#reportSteps ? this.#reportedUs : undefined;
    this.#reportedUs = offsetUs;
    this.#reportSteps = steps;
    if (before === undefined || Math.abs(offsetUs - before) < REPORT_APART_US_MAX)
      this.#reportOffsetUs = offsetUs;
  }

  /**
   * Media time of a frame that the camera's clock places at `rawUs`, and that arrives now or arrived at `arrivedUs`: the same as
   * long as that clock is sane. `reorderDepth`: how many pictures the stream says it sends before one that is shown before them.
   */
  media(rawUs: number, arrivedUs?: number, reorderDepth = 0): number {
    const arrival = this.#stream.arrival(arrivedUs);
    this.#read.wallUs = arrival.wallUs;
    this.#read.monotonicUs = arrival.monotonicUs;
    this.#isRead = true;
    const offsetUs = this.#offsetUs;
    const isJudged = offsetUs !== undefined && this.#wallSteps === this.#stream.wallSteps;
    if (!isJudged) return this.#timeline.carry(rawUs, arrival.monotonicUs);
    const picture = this.#picture;
    picture.atUs = this.#referenceUs(arrival) - offsetUs;
    picture.nowUs = arrival.monotonicUs;
    picture.reorderDepth = reorderDepth;
    picture.isUnsettled = this.#settleLeftUs > 0 && arrival.monotonicUs < this.#settleEndUs;
    // Until pictures have shown it.
    if (reorderDepth > 0 && picture.reorderUs === 0) picture.reorderUs = REORDER_US_MAX;
    return this.#timeline.next(rawUs, picture);
  }

  /** Media time of a further frame of the packet whose first frame was passed to `media`. */
  mediaFollowing(rawUs: number): number {
    return this.#timeline.follow(rawUs);
  }

  /**
   * Stream time of a frame that arrives now, or arrived at the monotonic time `arrivedUs`. `mediaUs`: its decode time
   * in media time; `presentationUs`: likewise when it is shown. Undefined for audio before the session's first video frame, or
   * before the first one after a step of the wall clock: there is no video time yet to align it with. The object is reused for
   * the next frame.
   */
  stamp(
    mediaUs: number,
    arrivedUs?: number,
    _rtpTimestamp?: number,
    presentationUs = mediaUs,
  ): StreamTime | undefined {
    const video = this.#kind === "audio" ? this.#stream.video : undefined;
    const arrival = this.#isRead ? this.#read : this.#stream.arrival(arrivedUs);
    this.#isRead = false;
    if (video !== undefined && !video.isAnchored) return undefined;
    const before = this.#offsetUs;
    const elapsedUs = Math.max(0, arrival.monotonicUs - this.#monotonicUs);
    const reorderUs = Math.min(presentationUs - mediaUs, REORDER_US_MAX);
    const isNew =
      before === undefined || this.#wallSteps !== this.#stream.wallSteps || this.#mayCatchUp(elapsedUs);
    // With few pictures a second some are decoded long before they are shown, and are not late for that.
    if (!isNew)
      this.#observe(this.#referenceUs(arrival) - presentationUs + reorderUs - before, arrival.monotonicUs);
    const offsetUs = isNew
      ? this.#anchor(mediaUs, arrival)
      : this.#slew(before, mediaUs, arrival, elapsedUs, video);
    this.#offsetUs = offsetUs;
    this.#mediaUs = mediaUs;
    this.#monotonicUs = arrival.monotonicUs;
    this.#picture.reorderUs = Math.max(this.#picture.reorderUs, reorderUs);
    const lastUs = this.#stream.lastUs(this.#kind);
    const timeUs = Math.max(Math.round(mediaUs + offsetUs), lastUs + 1);
    invariant(Number.isSafeInteger(timeUs) && timeUs > lastUs, "frame-time");
    this.#stream.given(this.#kind, timeUs);
    const time = this.#time;
    time.timeUs = timeUs;
    time.discontinuity = isNew && video === undefined;
    const doubt = this.#doubt;
    doubt.doubt = this.#timeline.doubt;
    doubt.lateUs = this.#referenceUs(arrival) - timeUs - (presentationUs - mediaUs);
    doubt.movedUs = this.#timeline.movedUs;
    return time;
  }

  #referenceUs(arrival: Arrival): number {
    return arrival.wallUs + this.#stream.aheadUs;
  }

  /** Whether a wall clock that was set back is waited for no more: no picture has come for long enough. */
  #mayCatchUp(elapsedUs: number): boolean {
    return this.#stream.aheadUs > 0 && elapsedUs > PAUSE_US;
  }

  /** Anchors the track: video to the machine's wall clock, audio to the stream's time. */
  #anchor(mediaUs: number, arrival: Arrival): number {
    const follows = this.#kind === "audio" && this.#stream.video !== undefined;
    const timeUs = follows
      ? Math.max(this.#referenceUs(arrival), this.#stream.lastUs("audio") + 1)
      : this.#stream.takeWallClock(this.#kind, arrival);
    this.#wallSteps = this.#stream.wallSteps;
    this.#reportOffsetUs = undefined;
    this.#bucketLeastUs = Number.POSITIVE_INFINITY;
    this.#previousLeastUs = undefined;
    this.#bucketEndUs = arrival.monotonicUs + FILTER_US;
    this.#settleEndUs = arrival.monotonicUs + SETTLE_US;
    // Audio has several units a packet: those after the first do not show that the first was late.
    this.#settleLeftUs = this.#kind === "video" ? SETTLE_US_MAX : 0;
    return timeUs - mediaUs;
  }

  #slew(
    offsetUs: number,
    mediaUs: number,
    arrival: Arrival,
    elapsedUs: number,
    video: TrackClock | undefined,
  ): number {
    const slewUsMax = (elapsedUs * SLEW_PPM_MAX) / PARTS_PER_MILLION;
    if (this.#kind === "video") this.#stream.settle(slewUsMax);
    const tieUs = this.#tieUs(offsetUs, video);
    const stepUs =
      tieUs !== undefined
        ? clamp(tieUs, (elapsedUs * AUDIO_TIE_PPM_MAX) / PARTS_PER_MILLION)
        : arrival.monotonicUs < this.#settleEndUs
          ? this.#settle(mediaUs)
          : clamp(this.#leastLateUs(), slewUsMax);
    this.#bucketLeastUs -= stepUs;
    if (this.#previousLeastUs !== undefined) this.#previousLeastUs -= stepUs;
    return offsetUs + stepUs;
  }

  /** How far the anchor is moved back now: no frame can arrive before it was captured. */
  #settle(mediaUs: number): number {
    const earlyUs = Math.max(0, -this.#bucketLeastUs - SETTLE_EARLY_US_MIN);
    const { reorderDepth } = this.#picture;
    const isFast = reorderDepth > 0 && earlyUs > SETTLE_FAST_US;
    const part = (1 - SETTLE_STEP_MIN) * (isFast ? SETTLE_PICTURES / (reorderDepth + 1) : 1);
    const stepUs = Math.min(earlyUs, this.#settleLeftUs, (mediaUs - this.#mediaUs) * part);
    this.#settleLeftUs -= stepUs;
    return -stepUs;
  }

  /** Distance of audio from its position by the sender reports of both tracks; undefined without them. */
  #tieUs(offsetUs: number, video: TrackClock | undefined): number | undefined {
    const videoReportUs = video?.reportOffsetUs;
    const videoOffsetUs = video?.offsetUs;
    const reportUs = this.reportOffsetUs;
    if (reportUs === undefined || videoReportUs === undefined || videoOffsetUs === undefined)
      return undefined;
    const tieUs = videoOffsetUs + videoReportUs - reportUs - offsetUs;
    const lateUs = this.#arrivalLateUs() - tieUs;
    return lateUs < -TIE_EARLY_US_MAX || lateUs > TIE_LATE_US_MAX ? undefined : tieUs;
  }

  #observe(lateUs: number, monotonicUs: number): void {
    this.#bucketLeastUs = Math.min(this.#bucketLeastUs, lateUs);
    if (monotonicUs < this.#bucketEndUs) return;
    this.#previousLeastUs = this.#bucketLeastUs;
    this.#bucketLeastUs = lateUs;
    this.#bucketEndUs = monotonicUs + FILTER_US;
  }

  /** Least lateness as far as it is known. */
  #arrivalLateUs(): number {
    return Math.min(this.#previousLeastUs ?? this.#bucketLeastUs, this.#bucketLeastUs);
  }

  /** Least lateness over the last one to two filter times; 0 until one has passed. */
  #leastLateUs(): number {
    if (this.#previousLeastUs === undefined) return 0;
    return Math.min(this.#previousLeastUs, this.#bucketLeastUs);
  }
}

function clamp(value: number, limit: number): number {
  return Math.min(Math.max(value, -limit), limit);
}
