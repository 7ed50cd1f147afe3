import type { Clock, ClockTimer, Guid, Log } from "../../base/index.js";
import type { LiveStream, StreamDirectory } from "../../live/index.js";
import { type Codec, DecodingLoad } from "../../picture/index.js";
import {
  analyseStreamType,
  type Camera,
  cameraOptions,
  type DetectorOptions,
  motionChoice,
  ROTATION_DEGREES,
  type Site,
  type SiteStore,
} from "../../site/index.js";
import type { MotionSource } from "./motion-change.js";
import {
  MOTION_PICTURES_PER_SECOND,
  type MotionDetection,
  MotionDetector,
  type MotionDetectorListener,
} from "./motion-detector.js";
import type { MotionStates } from "./motion-states.js";
import { readMotionZones } from "./motion-zones.js";

const CHECK_MS = 1000;
/** The largest share of the codec's threads for motion detection. */
const MOTION_SHARE_MAX = 0.5;
/** Long, because key frames may be far apart. */
const CLAIM_MS = 120_000;

/** A camera's detector cannot see, or sees again. */
export interface MotionSight {
  readonly channelId: Guid;
  /** Why it cannot see; undefined when it does again. */
  readonly blindBecause: string | undefined;
}

export interface MotionDetectorsOptions {
  readonly site: SiteStore;
  readonly streams: StreamDirectory;
  readonly codec: Codec;
  readonly motion: MotionStates;
  /** Must not throw. */
  readonly onSight: (sight: MotionSight) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface MotionDetectorsState {
  readonly cameras: number;
  /** Those that cannot see. */
  readonly blind: number;
  /** How many times further apart pictures are than the settings ask for. */
  readonly stretch: number;
  /** Far fewer pictures are looked at than wanted: the machine is too slow for so many cameras. */
  readonly isStrained: boolean;
  /** Share of the codec's threads in the last second, 0 to 1. */
  readonly codecShare: number;
}

interface Watched {
  readonly stream: LiveStream;
  /** Its settings when it was created, to detect changes. */
  readonly settings: string;
  readonly detector: MotionDetector;
}

/**
 * The recorder's own motion detectors: one for each camera whose settings enable it and do not leave it to the camera, or
 * whose camera has reported no motion where nobody chose.
 */
export class MotionDetectors {
  readonly #options: MotionDetectorsOptions;
  readonly #load: DecodingLoad;
  readonly #watched = new Map<Guid, Watched>();
  #timer: ClockTimer | undefined;
  #isStrained = false;

  constructor(options: MotionDetectorsOptions) {
    this.#options = options;
    this.#load = new DecodingLoad({
      threads: () => options.codec.load.threads,
      shareMax: MOTION_SHARE_MAX,
    });
    options.site.onChange("motion", (site) => {
      if (this.#timer !== undefined) this.#follow(site);
    });
  }

  start(): void {
    const { clock, site } = this.#options;
    this.#timer = clock.setInterval(() => this.#check(), CHECK_MS);
    this.#follow(site.current);
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    for (const channelId of [...this.#watched.keys()]) this.#remove(channelId);
  }

  /** The camera is moved, and stands still after so long: see `MotionStates.hold`. */
  hold(channelId: Guid, forMs: number): void {
    this.#options.motion.hold(channelId, forMs);
    this.#watched.get(channelId)?.detector.hold();
  }

  /** The detector of a channel; undefined when it has none. */
  of(channelId: Guid): Pick<MotionDetector, "isBlind" | "skipped"> | undefined {
    return this.#watched.get(channelId)?.detector;
  }

  /** How it goes with all of them together. */
  get state(): MotionDetectorsState {
    const detectors = [...this.#watched.values()].map(({ detector }) => detector);
    const { stretch, isStrained, share } = this.#load;
    const blind = detectors.filter(({ isBlind }) => isBlind).length;
    return { cameras: detectors.length, blind, stretch, isStrained, codecShare: share };
  }

  #check(): void {
    // A camera that reports motion itself, or does not any more, where that decides who detects.
    for (const camera of this.#options.site.current.cameras)
      if (motionChoice(camera) === "automatic") this.#followCamera(camera);
    for (const [channelId, { detector }] of this.#watched) {
      if (!this.#options.motion.isHeld(channelId)) detector.release();
      detector.check();
      if (detector.isBlind) this.#claimBlind(channelId);
    }
    this.#checkLoad();
  }

  #checkLoad(): void {
    const { clock, log } = this.#options;
    this.#load.check(clock.monotonicUs());
    const { isStrained, stretch } = this.#load;
    if (isStrained && !this.#isStrained)
      log.warn({ stretch }, "the machine is too slow for motion detection: it looks at fewer pictures");
    // Not said again until there is room for all.
    if (isStrained) this.#isStrained = true;
    else if (stretch === 1) this.#isStrained = false;
  }

  #follow(site: Site): void {
    const cameras = new Map(site.cameras.map((camera) => [camera.id, camera]));
    for (const channelId of [...this.#watched.keys()]) if (!cameras.has(channelId)) this.#remove(channelId);
    for (const camera of site.cameras) this.#followCamera(camera);
  }

  #followCamera(camera: Camera): void {
    const stream = this.#detectsHere(camera)
      ? this.#options.streams.stream(camera.id, analyseStreamType(camera))
      : undefined;
    if (stream === undefined) {
      this.#remove(camera.id);
      return;
    }
    const detection = motionDetection(camera);
    const settings = JSON.stringify(detection);
    const known = this.#watched.get(camera.id);
    if (known?.stream === stream && known.settings === settings) return;
    this.#remove(camera.id);
    const { codec, clock, log } = this.#options;
    const load = this.#load;
    const listener = this.#listener(camera.id);
    const detector = new MotionDetector({ stream, codec, detection, load, listener, clock, log });
    this.#watched.set(camera.id, { stream, settings, detector });
  }

  #detectsHere(camera: Camera): boolean {
    const choice = motionChoice(camera);
    return (
      choice === "recorder" || (choice === "automatic" && !this.#options.motion.reportsMotion(camera.id))
    );
  }

  #remove(channelId: Guid): void {
    this.#watched.get(channelId)?.detector.stop();
    this.#watched.delete(channelId);
  }

  #listener(channelId: Guid): MotionDetectorListener {
    const { motion, onSight } = this.#options;
    const source: MotionSource = "recorder";
    return {
      onMotion: (zone, { left, top, width, height, strength, pieces }, timeUs) => {
        const { name } = zone;
        const box = { left, top, width, height };
        const report = { channelId, source, active: true, timeUs, zone: name, box, pieces, strength };
        motion.report(zone.id === undefined ? report : { ...report, zoneId: zone.id }, CLAIM_MS);
      },
      onQuiet: (zone, timeUs) => motion.report({ channelId, source, active: false, timeUs, zone: zone.name }),
      onBlind: (blindBecause) => {
        if (blindBecause === undefined) motion.forget("blind", channelId);
        else this.#claimBlind(channelId);
        onSight({ channelId, blindBecause });
      },
    };
  }

  #claimBlind(channelId: Guid): void {
    const { motion, clock } = this.#options;
    motion.report({ channelId, source: "blind", active: true, timeUs: clock.nowUs(), zone: "" }, CLAIM_MS);
  }
}

function motionDetection(camera: Camera): MotionDetection {
  const { motionDetector } = cameraOptions(camera).analyze;
  const { rotationMode } = camera.connection.streams[analyseStreamType(camera)];
  const json = motionDetector?.zonesJson ?? null;
  return {
    zones: readMotionZones(json === null ? null : (JSON.parse(json) as unknown)).zones,
    picturesPerSecond: motionDetector?.independentFramesOnly === true ? undefined : rateOf(motionDetector),
    rotation: ROTATION_DEGREES[rotationMode],
  };
}

/** A rate of 0 means not set. */
function rateOf(detector: DetectorOptions | null): number {
  const isCustom = detector?.customFrameRateEnabled === true && detector.customFrameRate > 0;
  return isCustom ? detector.customFrameRate : MOTION_PICTURES_PER_SECOND;
}
