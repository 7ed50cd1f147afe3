import type { Clock, ClockTimer, Guid, Log } from "../base/index.js";
import type { LiveStream } from "../live/index.js";
import { type Codec, DecodingLoad } from "../picture/index.js";
import type { MotionStates } from "../recording/index.js";
import { Detector, type DetectorState } from "./detector/detector.js";
import type { StartDetector } from "./detector/detector-process.js";
import { CameraSight, type SightListener, type SightRules } from "./look/camera-sight.js";
import { LookQueue, type LookRates } from "./look/look-queue.js";

const CHECK_MS = 250;
/** The largest share of the codec's threads for the pictures that are looked at. */
const DECODING_SHARE_MAX = 0.25;

/** A camera that is to be looked at. */
export interface SightCamera {
  readonly channelId: Guid;
  readonly stream: LiveStream;
  readonly rules: SightRules;
  /** Changes with the rules. */
  readonly key: string;
}

export interface SightsOptions {
  readonly startProcess: StartDetector;
  /** Beyond so many bytes of memory the detector's process is ended. */
  readonly detectorBytesMax: number;
  readonly codec: Codec;
  readonly motion: Pick<MotionStates, "seen" | "isHeld" | "onMotion">;
  readonly listener: SightListener;
  readonly clock: Clock;
  readonly log: Log;
}

export interface SightState extends LookRates {
  readonly detector: DetectorState;
  readonly cameras: number;
  /** How many times further apart pictures are than wanted, because decoding has its bound; 1: as wanted. */
  readonly decodingStretch: number;
  /** Looks since the start that failed, and pictures that could not be decoded. */
  readonly failures: number;
}

/** All cameras that are looked at for objects, with the one detector and the one queue. Nothing runs while there are none. */
export class Sights {
  readonly #options: SightsOptions;
  readonly #detector: Detector;
  readonly #queue: LookQueue;
  readonly #load: DecodingLoad;
  readonly #cameras = new Map<Guid, { camera: SightCamera; readonly sight: CameraSight }>();
  #timer: ClockTimer | undefined;
  #beginning: { close(): void } | undefined;
  #failures = 0;

  constructor(options: SightsOptions) {
    this.#options = options;
    const { startProcess, detectorBytesMax, codec, clock, log } = options;
    this.#detector = new Detector({ startProcess, bytesMax: detectorBytesMax, clock, log });
    this.#queue = new LookQueue({ clock, lookMs: () => this.#lookMs() });
    this.#load = new DecodingLoad({ threads: () => codec.load.threads, shareMax: DECODING_SHARE_MAX });
  }

  /** Looks at these cameras from now on. Who is there goes on, unless pictures are other ones now or are turned. */
  follow(cameras: readonly SightCamera[]): void {
    const wanted = new Map(cameras.map((camera) => [camera.channelId, camera]));
    for (const [channelId, known] of this.#cameras) {
      const { camera } = known;
      const now = wanted.get(channelId);
      if (now?.stream !== camera.stream || now.rules.rotation !== camera.rules.rotation)
        this.#remove(channelId);
      else if (now.key !== camera.key) {
        known.sight.change(now.rules);
        known.camera = now;
      }
    }
    for (const camera of cameras) if (!this.#cameras.has(camera.channelId)) this.#add(camera);
    if (this.#cameras.size === 0) this.#rest();
    else if (this.#timer === undefined) {
      this.#detector.start();
      this.#timer = this.#options.clock.setInterval(() => this.#check(), CHECK_MS);
      // Whoever enters is looked at with the next picture.
      this.#beginning = this.#options.motion.onMotion(({ channelId, active }) => {
        if (active) this.#cameras.get(channelId)?.sight.check();
      });
    }
  }

  stop(): void {
    this.follow([]);
  }

  get state(): SightState {
    let failures = this.#failures;
    for (const { sight } of this.#cameras.values()) failures += sight.failures;
    return {
      ...this.#queue.rates,
      detector: this.#detector.state,
      cameras: this.#cameras.size,
      failures,
      decodingStretch: this.#load.stretch,
    };
  }

  #lookMs(): number | undefined {
    const { isReady, lookMs } = this.#detector.state;
    return isReady ? lookMs : undefined;
  }

  #check(): void {
    for (const { sight } of this.#cameras.values()) sight.check();
    this.#load.check(this.#options.clock.monotonicUs());
  }

  #add(camera: SightCamera): void {
    const { codec, motion, listener, clock } = this.#options;
    const common = {
      codec,
      motion,
      listener,
      clock,
      detector: this.#detector,
      queue: this.#queue,
      load: this.#load,
    };
    const { channelId, stream, rules } = camera;
    this.#cameras.set(channelId, {
      camera,
      sight: new CameraSight({ ...common, channelId, stream, rules }),
    });
  }

  #remove(channelId: Guid): void {
    const known = this.#cameras.get(channelId);
    if (known === undefined) return;
    this.#failures += known.sight.failures;
    known.sight.stop();
    this.#cameras.delete(channelId);
  }

  #rest(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#beginning?.close();
    this.#beginning = undefined;
    this.#detector.stop();
  }
}
