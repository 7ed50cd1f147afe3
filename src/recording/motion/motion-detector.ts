import { type Clock, errorText, type Log, NvrdError, US_PER_SECOND } from "../../base/index.js";
import type { LiveStream, Subscription, VideoFormat } from "../../live/index.js";
import {
  type Codec,
  type DecodingLoad,
  LivePictures,
  type MotionWatch,
  motionIn,
  type Picture,
  PictureRate,
  type PictureTaker,
  type PictureTarget,
  type Rotation,
  type ZoneMotion,
} from "../../picture/index.js";
import type { MotionBox } from "./motion-change.js";
import type { MotionZone } from "./motion-zones.js";

/** Pictures a second that are analysed by default. */
export const MOTION_PICTURES_PER_SECOND = 5;
/** Width of the pictures; the height follows from the camera's shape, within its bound. */
export const MOTION_PICTURE_WIDTH = 160;
export const MOTION_PICTURE_HEIGHT_MAX = 320;
/** Pieces of a zone that are distinguished; the largest ones. */
export const MOTION_PIECES_MAX = 16;
/** Motion in a zone ends when nothing was found in it for this long, and in QUIET_PICTURES pictures. */
export const MOTION_QUIET_US = 2_000_000;
const QUIET_PICTURES = 2;
/** An active stream without a picture for this long counts as not seen. */
const BLIND_AFTER_US = 10_000_000;
/** Longer for key frames: some cameras send few. */
const BLIND_KEYS_AFTER_US = 60_000_000;
/** At a slow rate, this many periods without a picture count as not seeing. */
const BLIND_PERIODS = 3;

/** Settings of a camera's motion detection. */
export interface MotionDetection {
  readonly zones: readonly MotionZone[];
  /** Most pictures a second; undefined: every key frame, and no others. */
  readonly picturesPerSecond: number | undefined;
  readonly rotation: Rotation;
}

/** What moves in a zone: the largest piece, with the strength of all. */
interface MotionInZone extends ZoneMotion {
  readonly pieces: readonly MotionBox[];
}

/** A detector's reports. Must not throw. */
export interface MotionDetectorListener {
  /**
   * Something moves in the zone; reported with each picture that shows it: the largest piece, how much of the picture all
   * pieces in the zone are, and the pieces, at most MOTION_PIECES_MAX.
   */
  onMotion(zone: MotionZone, motion: MotionInZone, timeUs: number): void;
  /** Motion in the zone has ended; `timeUs`: of the last picture that showed it. */
  onQuiet(zone: MotionZone, timeUs: number): void;
  /** It cannot see, and why; undefined: it sees again, or has nothing to see. */
  onBlind(reason: string | undefined): void;
}

export interface MotionDetectorOptions {
  readonly stream: LiveStream;
  readonly codec: Codec;
  readonly detection: MotionDetection;
  readonly load: DecodingLoad;
  readonly listener: MotionDetectorListener;
  readonly clock: Clock;
  readonly log: Log;
}

interface Moving {
  foundUs: number;
  quietPictures: number;
}

/**
 * Looks for motion in one stream. Decodes only what it needs, within its rate and the limit of all detectors, and
 * reports when it cannot see. Call `check` about once a second.
 */
export class MotionDetector implements PictureTaker {
  readonly ready = true;
  readonly isNew = false;
  readonly #options: MotionDetectorOptions;
  readonly #pictures: LivePictures;
  readonly #rate: PictureRate;
  readonly #states: Subscription;
  readonly #moving = new Map<MotionZone, Moving>();
  /** Opened with the first picture, when the codec is loaded. */
  #target: (PictureTarget & { readonly watch: MotionWatch }) | undefined;
  #lookedAtUs = Number.NEGATIVE_INFINITY;
  /** On the monotonic clock: the newest picture, or when the wait for one began. */
  #seenUs: number;
  #blind = false;
  #failure: string | undefined;
  #skipped = 0;
  #busyReported = false;
  /** Noted so far. */
  #busyUs = 0;
  #stopped = false;
  #isHeld = false;

  constructor(options: MotionDetectorOptions) {
    const { stream, codec, detection, clock } = options;
    this.#options = options;
    this.#rate = new PictureRate(US_PER_SECOND / (detection.picturesPerSecond ?? 0));
    this.#seenUs = clock.monotonicUs();
    this.#pictures = new LivePictures({ stream, codec, clock, atOnce: false });
    this.#states = stream.onState(({ state }) => {
      if (state !== "active") this.#rest();
    });
    this.#pictures.add(this);
  }

  /** Times at which the codec was too busy or the stream could not be decoded; each skips up to the next key frame. */
  get skipped(): number {
    return this.#skipped;
  }

  get isBlind(): boolean {
    return this.#blind;
  }

  /** Infinity: key frames are enough. */
  get periodUs(): number {
    return this.#rate.periodUs * this.#options.load.stretch;
  }

  /** The camera is moved: what it shows is not looked at, and is learned again afterwards. */
  hold(): void {
    this.#isHeld = true;
    this.#rest();
  }

  /** The camera stands still again. */
  release(): void {
    this.#isHeld = false;
  }

  target(_format: VideoFormat, timeUs: number): PictureTarget | undefined {
    if (this.#isHeld) return undefined;
    const sinceUs = timeUs - this.#lookedAtUs;
    const isStretched = this.#options.load.stretch > 1 && Number.isFinite(this.periodUs);
    if (isStretched && sinceUs >= 0 && sinceUs < this.periodUs) return undefined;
    const isDue = this.#rate.periodUs === Number.POSITIVE_INFINITY || this.#rate.isDue(timeUs);
    return isDue ? this.#openTarget() : undefined;
  }

  /** A partly concealed picture shows objects that are not there. */
  take(picture: Picture): void {
    if (this.#stopped || this.#isHeld || picture.damaged || this.#options.stream.state.state !== "active")
      return;
    this.#see(this.#options.clock.monotonicUs());
    this.#rate.taken(picture.timeUs);
    this.#lookedAtUs = picture.timeUs;
    this.#notify(motionIn(picture), picture.timeUs);
  }

  fail(error: unknown): void {
    this.#skipped += 1;
    this.#failure = errorText(error);
    const isBusy = error instanceof NvrdError && error.code === "NOT_AVAILABLE";
    if (!isBusy || this.#busyReported) return;
    this.#busyReported = true;
    const { log, stream } = this.#options;
    log.warn(
      { stream: stream.toString(), reason: this.#failure },
      "the codec is busy: motion is detected in fewer pictures",
    );
  }

  /** Ends motion without further reports, and detects that nothing is seen. */
  check(): void {
    const { clock, stream, load } = this.#options;
    const { busyUs } = this.#pictures;
    load.note(busyUs - this.#busyUs);
    this.#busyUs = busyUs;
    if (stream.state.state !== "active" || this.#isHeld) {
      this.#rest();
      return;
    }
    const waitedUs = clock.monotonicUs() - this.#seenUs;
    if (waitedUs < this.#blindAfterUs) return;
    if (!this.#blind) {
      this.#blind = true;
      this.#options.listener.onBlind(this.#failure ?? "the camera's video cannot be decoded");
      this.#quietAll();
    }
    // Whatever happened to the decoder: it restarts.
    this.#seenUs = clock.monotonicUs();
    this.#pictures.remove(this);
    this.#pictures.add(this);
  }

  /** Ends the motion that it reported. */
  stop(): void {
    this.#stopped = true;
    this.#pictures.remove(this);
    this.#states.close();
    this.#rest();
  }

  get #blindAfterUs(): number {
    const { periodUs } = this;
    if (Number.isFinite(periodUs)) return Math.max(BLIND_AFTER_US, BLIND_PERIODS * periodUs);
    return this.#failure === undefined ? BLIND_KEYS_AFTER_US : BLIND_AFTER_US;
  }

  #see(nowUs: number): void {
    this.#seenUs = nowUs;
    this.#failure = undefined;
    if (!this.#blind) return;
    this.#blind = false;
    this.#options.listener.onBlind(undefined);
  }

  /** An absent camera shows nothing. When it returns, its scene is learned again. */
  #rest(): void {
    this.#quietAll();
    this.#target?.watch.restart();
    this.#see(this.#options.clock.monotonicUs());
  }

  #openTarget(): PictureTarget {
    const { codec, detection } = this.#options;
    this.#target ??= {
      form: "motion",
      width: MOTION_PICTURE_WIDTH,
      height: MOTION_PICTURE_HEIGHT_MAX,
      fit: "inside",
      rotation: detection.rotation,
      watch: codec.openMotionWatch(detection.zones),
    };
    return this.#target;
  }

  #notify(motions: readonly ZoneMotion[], timeUs: number): void {
    const { listener, detection } = this.#options;
    for (const moving of this.#moving.values()) moving.quietPictures += 1;
    for (const motion of byZone(motions)) {
      const zone = detection.zones[motion.zone];
      if (zone === undefined) continue;
      this.#moving.set(zone, { foundUs: timeUs, quietPictures: 0 });
      listener.onMotion(zone, motion, timeUs);
    }
    for (const [zone, { foundUs, quietPictures }] of this.#moving) {
      const sinceUs = timeUs - foundUs;
      const isQuiet = sinceUs >= MOTION_QUIET_US && quietPictures >= QUIET_PICTURES;
      if (isQuiet || sinceUs < 0) this.#quiet(zone, foundUs);
    }
  }

  #quietAll(): void {
    for (const [zone, { foundUs }] of [...this.#moving]) this.#quiet(zone, foundUs);
  }

  #quiet(zone: MotionZone, foundUs: number): void {
    this.#moving.delete(zone);
    this.#options.listener.onQuiet(zone, foundUs);
  }
}

/** One for each zone: its largest piece, with the strength of all. */
function byZone(motions: readonly ZoneMotion[]): readonly MotionInZone[] {
  const zones = new Map<number, [ZoneMotion, ...ZoneMotion[]]>();
  for (const motion of motions.toSorted((one, other) => areaOf(other) - areaOf(one))) {
    const pieces = zones.get(motion.zone);
    if (pieces === undefined) zones.set(motion.zone, [motion]);
    else pieces.push(motion);
  }
  return [...zones.values()].map((pieces) => ({
    ...pieces[0],
    strength: Math.min(
      1,
      pieces.reduce((sum, piece) => sum + piece.strength, 0),
    ),
    pieces: pieces.slice(0, MOTION_PIECES_MAX).map(boxOf),
  }));
}

function areaOf({ width, height }: ZoneMotion): number {
  return width * height;
}

function boxOf({ left, top, width, height }: ZoneMotion): MotionBox {
  return { left, top, width, height };
}
