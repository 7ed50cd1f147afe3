import type { WebhookReach } from "../alarm/index.js";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  MS_PER_SECOND,
  NvrdError,
  setTimeLimit,
  US_PER_MS,
  withAnyOf,
} from "../base/index.js";
import type { MotionBox } from "../recording/index.js";
import { type Analyser, type Camera, cameraOptions, type VisionServer } from "../site/index.js";
import {
  type AnalyserDrops,
  type AnalyserState,
  type AnalyserTrial,
  NO_DROPS,
  type TaskTrial,
} from "./analyser-state.js";
import type { CameraPicture, CameraPictures } from "./camera-pictures.js";
import type { Finding } from "./finding.js";
import { MinuteRate } from "./minute-rate.js";
import { regionOf, WHOLE } from "./picture-region.js";
import type { VisionTask } from "./vision-answer.js";
import { askServer, PICTURE_BYTES_MAX, tasksOf, type VisionPicture } from "./vision-client.js";

/** Pictures of different cameras that a server gets at a time. */
export const AT_ONCE_MAX = 2;
/** How long a camera's picture may take; others go first. */
export const PICTURE_MS_MAX = 10 * MS_PER_SECOND;
/** Longest side of what is sent: enough for objects, and for small letters. */
export const SIDE_MAX = 1280;
export const DETAILED_SIDE_MAX = 2560;
/** How long a server is left alone after failures: doubled from the first to the longest. */
export const PAUSE_FIRST_MS = 2 * MS_PER_SECOND;
export const PAUSE_LONGEST_MS = 60 * MS_PER_SECOND;
/** A server that wants to be left alone for longer is asked again after this. */
export const WAIT_LONGEST_MS = 3600 * MS_PER_SECOND;
/** A single failure is not reported: the next picture may succeed. */
const FAILURES_BEFORE_REPORT = 2;

export type VisionSource = Analyser & { readonly source: VisionServer };

/** `waitMs`: for so long the server wants to be left alone. */
type Asked = TaskTrial & { readonly waitMs: number };

/** What a server found in a camera's picture. */
export interface SeenPicture {
  readonly analyser: Analyser;
  readonly camera: Camera;
  readonly picture: CameraPicture;
  readonly findings: readonly Finding[];
}

export interface VisionAnalyserOptions {
  readonly analyser: VisionSource;
  readonly pictures: CameraPictures;
  readonly reach: WebhookReach;
  readonly clock: Clock;
  /** Returns how many events were made. Must not reject. */
  onSeen(seen: SeenPicture): Promise<number>;
  /** Once when it fails, with the reason, and once when it works again. */
  onChange(problem: string | undefined): void;
}

/** Sends pictures to one server: bounded in rate, number and time; what cannot be sent at once is dropped. */
export class VisionAnalyser {
  readonly #options: VisionAnalyserOptions;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Guid>();
  readonly #rate: MinuteRate;
  readonly #rates = new Map<Guid, MinuteRate>();
  #dropped: AnalyserDrops = NO_DROPS;
  #asked = 0;
  #answered = 0;
  #failed = 0;
  #reportedEvents = 0;
  #lastAnswerUs: number | undefined;
  #problem: string | undefined;
  /** In a row. */
  #failures = 0;
  #pausedUntilUs = 0;

  constructor(options: VisionAnalyserOptions) {
    this.#options = options;
    this.#rate = new MinuteRate(options.clock);
  }

  get state(): Omit<AnalyserState, "id" | "name" | "isEnabled"> {
    return {
      isFailing: this.#problem !== undefined,
      problem: this.#problem,
      asked: this.#asked,
      answered: this.#answered,
      failed: this.#failed,
      reportedEvents: this.#reportedEvents,
      dropped: this.#dropped,
      lastAnswerUs: this.#lastAnswerUs,
    };
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Whether pictures of the camera are sent. */
  covers({ id, disabled }: Camera): boolean {
    const { channelIds } = this.#options.analyser.source;
    return !disabled && (channelIds === "all" || channelIds.includes(id));
  }

  /** Sends the camera's present picture, or what moves in it, if there is room now. Resolves when that is over; never rejects. */
  async offer(camera: Camera, boxes: readonly MotionBox[]): Promise<void> {
    const tasks = this.#tasks(camera);
    if (tasks.length === 0 || this.#stopping.signal.aborted) return;
    const reason = this.#refusal(camera.id);
    if (reason !== undefined) return this.#drop(reason);
    this.#rateOf(camera.id).take();
    this.#rate.take();
    this.#underWay.add(camera.id);
    try {
      await this.#look(camera, { tasks, boxes });
    } finally {
      this.#underWay.delete(camera.id);
    }
  }

  /** One picture, whatever the rates and the pause say; counted nowhere. Rejects with NvrdError where there is no picture. */
  async test(camera: Camera): Promise<AnalyserTrial> {
    const tasks = tasksOf(this.#options.analyser.source);
    const whole = await this.#take(camera, tasks);
    const sent = await this.#part(whole, WHOLE, tasks);
    const trials: TaskTrial[] = [];
    for (const task of tasks) trials.push(await this.#ask(task, sent));
    const { jpeg, width, height } = sent;
    return { channelId: camera.id, picture: { jpeg, width, height }, tasks: trials };
  }

  #tasks(camera: Camera): readonly VisionTask[] {
    const isFaceWanted = cameraOptions(camera).analyze.faceDetectorEnabled;
    return tasksOf(this.#options.analyser.source).filter((task) => task !== "faces" || isFaceWanted);
  }

  #refusal(channelId: Guid): keyof AnalyserDrops | undefined {
    const { clock, analyser } = this.#options;
    const { perMinuteMax, perMinuteOfCameraMax } = analyser.source;
    if (clock.monotonicUs() < this.#pausedUntilUs) return "failing";
    if (this.#underWay.has(channelId) || this.#underWay.size >= AT_ONCE_MAX) return "busy";
    const hasRoom = this.#rate.hasRoom(perMinuteMax) && this.#rateOf(channelId).hasRoom(perMinuteOfCameraMax);
    return hasRoom ? undefined : "rate";
  }

  #rateOf(channelId: Guid): MinuteRate {
    const rate = this.#rates.get(channelId) ?? new MinuteRate(this.#options.clock);
    this.#rates.set(channelId, rate);
    return rate;
  }

  #drop(reason: keyof AnalyserDrops): void {
    this.#dropped = { ...this.#dropped, [reason]: this.#dropped[reason] + 1 };
  }

  async #look(
    camera: Camera,
    { tasks, boxes }: { readonly tasks: readonly VisionTask[]; readonly boxes: readonly MotionBox[] },
  ): Promise<void> {
    let picture: CameraPicture;
    let sent: VisionPicture;
    try {
      picture = await this.#take(camera, tasks);
      sent = await this.#part(picture, regionOf(boxes), tasks);
    } catch {
      // The stream's own events say what is wrong with the camera.
      return this.#drop("noPicture");
    }
    const trials: Asked[] = [];
    this.#asked += 1;
    for (const task of tasks) {
      trials.push(await this.#ask(task, sent));
      if (this.#stopping.signal.aborted) return;
    }
    this.#settle(trials);
    const findings = trials.flatMap((trial) => trial.findings);
    if (findings.length === 0) return;
    const { analyser, onSeen } = this.#options;
    const reported = await onSeen({ analyser, camera, picture, findings });
    this.#reportedEvents += reported;
  }

  async #take(camera: Camera, tasks: readonly VisionTask[]): Promise<CameraPicture> {
    const { pictures, clock } = this.#options;
    const { faceDetectorMode } = cameraOptions(camera).analyze;
    const isDetailed =
      tasks.includes("plates") || (tasks.includes("faces") && faceDetectorMode === "OptimizedQuality");
    return await this.#within(
      PICTURE_MS_MAX,
      (signal) => pictures.present(camera.id, { isDetailed, signal }),
      clock,
    );
  }

  async #part(
    picture: CameraPicture,
    region: MotionBox,
    tasks: readonly VisionTask[],
  ): Promise<VisionPicture> {
    const sideMax = tasks.includes("plates") ? DETAILED_SIDE_MAX : SIDE_MAX;
    const isWhole = region.width >= 1 && region.height >= 1;
    if (isWhole && Math.max(picture.width, picture.height) <= sideMax) return { ...picture, region: WHOLE };
    const { jpeg, width, height, part } = await this.#options.pictures.cut(picture.jpeg, region, sideMax);
    if (jpeg.byteLength > PICTURE_BYTES_MAX) throw new Error("the picture is too large");
    return { jpeg, width, height, region: part };
  }

  /** Never rejects. */
  async #ask(task: VisionTask, picture: VisionPicture): Promise<Asked> {
    const { analyser, reach, clock } = this.#options;
    const { source: server, minConfidence } = analyser;
    const beganUs = clock.monotonicUs();
    const tookMs = (): number => Math.round((clock.monotonicUs() - beganUs) / US_PER_MS);
    const call = { server, task, picture, minConfidence: minConfidence / 100, reach, clock };
    try {
      const findings = await this.#within(
        server.timeoutSeconds * MS_PER_SECOND,
        (signal) => askServer({ ...call, signal }),
        clock,
      );
      return { task, tookMs: tookMs(), findings, problem: undefined, waitMs: 0 };
    } catch (error) {
      const waitMs = error instanceof NvrdError ? (error.retryAfterMs ?? 0) : 0;
      return { task, tookMs: tookMs(), findings: [], problem: errorText(error), waitMs };
    }
  }

  /** Aborts the work when its time is over; rejects in words. */
  async #within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, clock: Clock): Promise<T> {
    const late = new AbortController();
    const timer: ClockTimer = setTimeLimit(clock, () => late.abort(), ms);
    try {
      return await withAnyOf([late.signal, this.#stopping.signal], work);
    } catch (error) {
      if (late.signal.aborted) throw new Error(`no answer within ${ms / MS_PER_SECOND} s`);
      throw error;
    } finally {
      timer.clear();
    }
  }

  #settle(trials: readonly Asked[]): void {
    const { clock, onChange } = this.#options;
    const problem = trials.find((trial) => trial.problem !== undefined)?.problem;
    const hasAnswer = trials.some((trial) => trial.problem === undefined);
    const pauseMs = hasAnswer
      ? 0
      : Math.min(PAUSE_FIRST_MS * 2 ** Math.min(this.#failures, 16), PAUSE_LONGEST_MS);
    const waitMs = Math.min(Math.max(...trials.map((trial) => trial.waitMs)), WAIT_LONGEST_MS);
    this.#pausedUntilUs = clock.monotonicUs() + Math.max(pauseMs, waitMs) * US_PER_MS;
    if (hasAnswer) {
      this.#answered += 1;
      this.#lastAnswerUs = clock.nowUs();
    }
    const wasReported = this.#failures >= FAILURES_BEFORE_REPORT;
    this.#problem = problem;
    this.#failures = problem === undefined ? 0 : this.#failures + 1;
    if (problem !== undefined) this.#failed += 1;
    if (this.#failures === FAILURES_BEFORE_REPORT) onChange(problem);
    else if (wasReported && problem === undefined) onChange(undefined);
  }
}
