import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  MS_PER_MINUTE,
  MS_PER_SECOND,
  setTimeLimit,
  US_PER_MS,
} from "../../base/index.js";
import type { DetectorProcess, StartDetector } from "./detector-process.js";
import { endWords } from "./end-words.js";
import {
  AnswerReader,
  LOOK_BYTES_MAX,
  LOOK_PIXEL_BYTES,
  type LookAnswer,
  lookHead,
  READY_NUMBER,
} from "./look-wire.js";

/** A small box that does everything at once after power-on takes long to load the library and the weights. */
export const DETECTOR_START_MS_MAX = 90 * MS_PER_SECOND;
/** A look of a tenth of a second gets so long beside other work: it has the lowest priority, and to start anew costs more than to wait. */
export const DETECTOR_LOOK_MS_MAX = 30 * MS_PER_SECOND;
/** Pictures that wait for it, the one in work included. */
export const DETECTOR_WAITING_MAX = 2;
export const DETECTOR_MEMORY_CHECK_MS = 5 * MS_PER_SECOND;
/** The first pause before another start; each further one is twice as long. */
export const DETECTOR_PAUSE_MS = MS_PER_SECOND;
export const DETECTOR_PAUSE_MS_MAX = 5 * MS_PER_MINUTE;
/** After so long without a failure, a failure is a first one. */
const GOOD_MS = 10 * MS_PER_MINUTE;
const BYTES_PER_MIB = 1024 * 1024;
const WORDS_LENGTH_MAX = 300;
const NUMBER_MAX = 0xffff_ffff;
/** Weight of the newest look in the mean. */
const NEWEST_WEIGHT = 0.1;

/** Red, green and blue bytes, line by line, at most 300x300. */
export interface LookPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export interface DetectorOptions {
  readonly startProcess: StartDetector;
  /** Beyond so many bytes of resident memory its process is ended. */
  readonly bytesMax: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface DetectorState {
  readonly isReady: boolean;
  /** Why it ended last, until a look succeeds. */
  readonly problem: string | undefined;
  /** How often it was started after a failure. */
  readonly restarts: number;
  /** Looks that were answered. */
  readonly looks: number;
  /** Mean time of a look, as it passes there; undefined: not known yet. */
  readonly lookMs: number | undefined;
  readonly residentMib: number | undefined;
}

interface Running {
  readonly process: DetectorProcess;
  readonly reader: AnswerReader;
  readonly startedUs: number;
  readonly memoryTimer: ClockTimer;
  isReady: boolean;
  limit: ClockTimer;
  words: string;
}

interface Waiting {
  readonly number: number;
  readonly picture: LookPicture;
  resolve(answer: LookAnswer | undefined): void;
}

/**
 * The detector: looks at one picture after the other, in a process of its own. Whatever that process does, whoever waits here is answered
 * within a time: with nothing where it fails. It is started again after a pause that grows with each failure.
 */
export class Detector {
  readonly #options: DetectorOptions;
  #running: Running | undefined;
  /** The first is being looked at. */
  #waiting: Waiting[] = [];
  #pause: ClockTimer | undefined;
  #isWanted = false;
  #failures = 0;
  #restarts = 0;
  #number = READY_NUMBER;
  #problem: string | undefined;
  #looks = 0;
  #lookMs: number | undefined;
  #residentMib: number | undefined;

  constructor(options: DetectorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isWanted = true;
    if (this.#running === undefined && this.#pause === undefined) this.#launch();
  }

  /** Ends the process; a look that it has is answered with nothing. */
  stop(): void {
    this.#isWanted = false;
    this.#pause?.clear();
    this.#pause = undefined;
    this.#end();
    this.#failures = 0;
    this.#problem = undefined;
  }

  get isReady(): boolean {
    return this.#running?.isReady === true;
  }

  get state(): DetectorState {
    return {
      isReady: this.isReady,
      problem: this.#problem,
      restarts: this.#restarts,
      looks: this.#looks,
      lookMs: this.#lookMs,
      residentMib: this.#residentMib,
    };
  }

  /** What is in the picture; undefined where it cannot look, has enough waiting, or failed. Never rejects. */
  look(picture: LookPicture): Promise<LookAnswer | undefined> {
    const { width, height, data } = picture;
    const isPicture = data.length === width * height * LOOK_PIXEL_BYTES && data.length <= LOOK_BYTES_MAX;
    const hasRoom = this.#waiting.length < DETECTOR_WAITING_MAX;
    if (this.#running?.isReady !== true || !isPicture || !hasRoom) return Promise.resolve(undefined);
    this.#number = this.#number === NUMBER_MAX ? READY_NUMBER + 1 : this.#number + 1;
    const number = this.#number;
    return new Promise((resolve) => {
      this.#waiting.push({ number, picture, resolve });
      if (this.#waiting.length === 1) this.#send();
    });
  }

  #send(): void {
    const [running, waiting] = [this.#running, this.#waiting[0]];
    if (running === undefined || waiting === undefined) return;
    const { number, picture } = waiting;
    running.limit = this.#limit("it did not answer in time", DETECTOR_LOOK_MS_MAX);
    running.process.write(lookHead({ number, width: picture.width, height: picture.height }));
    running.process.write(picture.data);
  }

  #launch(): void {
    const { startProcess, clock } = this.#options;
    let running: Running | undefined;
    const isCurrent = (): boolean => running !== undefined && this.#running === running;
    try {
      const process = startProcess({
        onBytes: (bytes) => {
          if (running !== undefined && isCurrent()) this.#take(running, bytes);
        },
        onWords: (text) => {
          if (running !== undefined) running.words = (running.words + text).slice(0, WORDS_LENGTH_MAX);
        },
        onEnd: (reason) => {
          if (running === undefined || !isCurrent()) return;
          this.#fail(endWords({ reason, words: running.words.trim(), wasReady: running.isReady }));
        },
        onNote: (text) => this.#options.log.debug({ note: text }, "the detector of objects works without"),
      });
      running = {
        ...{ process, reader: new AnswerReader(), startedUs: clock.monotonicUs(), isReady: false, words: "" },
        limit: this.#limit("it was not ready in time", DETECTOR_START_MS_MAX),
        memoryTimer: clock.setInterval(() => void this.#checkMemory(running), DETECTOR_MEMORY_CHECK_MS),
      };
      this.#running = running;
    } catch (error) {
      this.#fail(`it cannot be started: ${errorText(error)}`);
    }
  }

  #take(running: Running, bytes: Buffer): void {
    try {
      for (const answer of running.reader.take(bytes)) this.#takeAnswer(running, answer);
    } catch (error) {
      this.#fail(`it answered what is no answer: ${errorText(error)}`);
    }
  }

  #takeAnswer(running: Running, answer: LookAnswer): void {
    const { number, tookMs } = answer;
    if (!running.isReady) {
      if (number !== READY_NUMBER) throw new Error("it answers before it is ready");
      running.limit.clear();
      running.isReady = true;
      // What libraries say while they are loaded.
      running.words = "";
      this.#lookMs = tookMs;
      return;
    }
    const [waiting, ...others] = this.#waiting;
    if (waiting?.number !== number) throw new Error("nobody asked");
    running.limit.clear();
    this.#waiting = others;
    this.#looks += 1;
    this.#problem = undefined;
    const before = this.#lookMs ?? tookMs;
    this.#lookMs = before + NEWEST_WEIGHT * (tookMs - before);
    waiting.resolve(answer);
    this.#send();
  }

  #limit(reason: string, ms: number): ClockTimer {
    return setTimeLimit(this.#options.clock, () => this.#fail(reason), ms);
  }

  async #checkMemory(running: Running | undefined): Promise<void> {
    try {
      const mib = await running?.process.residentMib();
      if (running === undefined || this.#running !== running || mib === undefined) return;
      this.#residentMib = mib;
      if (mib * BYTES_PER_MIB > this.#options.bytesMax)
        this.#fail(`it takes ${Math.round(mib)} MiB of memory`);
    } catch (error) {
      // It ends at this moment, or the system hides it; its end is detected apart from this.
      this.#options.log.debug({ error: errorText(error) }, "the detector's memory is not known");
    }
  }

  #fail(reason: string): void {
    const { clock, log } = this.#options;
    const running = this.#running;
    const ranMs = running === undefined ? 0 : (clock.monotonicUs() - running.startedUs) / US_PER_MS;
    this.#failures = ranMs >= GOOD_MS ? 1 : this.#failures + 1;
    this.#problem = reason;
    this.#end();
    if (!this.#isWanted) return;
    const pauseMs = Math.min(DETECTOR_PAUSE_MS_MAX, DETECTOR_PAUSE_MS * 2 ** (this.#failures - 1));
    log.warn({ reason, pauseMs }, "the detector of objects failed and is started again after a pause");
    this.#pause = clock.setTimeout(() => {
      this.#pause = undefined;
      this.#restarts += 1;
      this.#launch();
    }, pauseMs);
  }

  #end(): void {
    const [running, waiting] = [this.#running, this.#waiting];
    this.#running = undefined;
    this.#waiting = [];
    this.#residentMib = undefined;
    running?.limit.clear();
    running?.memoryTimer.clear();
    running?.process.kill();
    for (const { resolve } of waiting) resolve(undefined);
  }
}
