import {
  type Clock,
  type ClockTimer,
  endsUnlessAborted,
  errorText,
  type Log,
  NvrdError,
} from "../../base/index.js";
import { CameraFailure, type CameraFailureKind } from "../description/camera-failure.js";
import { isRefusal } from "../device/login-attempt.js";
import { axesOf, type PtzAxis, type PtzCapabilities, type PtzCommand, replaces } from "./ptz-command.js";

/** How often a stop is tried that does not reach the camera, and how long after one another, in milliseconds. */
const STOP_TRIES_MAX = 10;
const STOP_RETRY_MS = 1000;
/** Longest that the end of the service waits for cameras to stop, in milliseconds. */
const LAST_STOP_MS_MAX = 3000;
/** After these it is unknown whether the camera accepted the command. */
const UNCERTAIN: ReadonlySet<CameraFailureKind> = new Set([
  "unreachable",
  "interrupted",
  "bad-answer",
  "busy",
]);

/** The device as a head asks it: `PtzDevice` behind its login. */
export interface PtzHeadDevice {
  /** Asks what every user may ask: whether the device takes the login. */
  prove(): Promise<void>;
  perform(command: PtzCommand, signal: AbortSignal): Promise<void>;
  capabilities(): Promise<PtzCapabilities>;
  close(): void;
}

export interface PtzHeadOptions {
  /** A device that was not asked yet, not even whether it takes the login. */
  readonly open: () => PtzHeadDevice;
  /** Runs `prove` of a device as one try of its login. */
  readonly attempt: (run: () => Promise<void>, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Waiting {
  readonly command: PtzCommand;
  readonly run: (device: PtzHeadDevice) => Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * One camera that moves: its commands one after the other in the order they came, except that a movement which still
 * waits gives way to the next one. What was set moving is stopped when its time is over, whoever is there by then.
 */
export class PtzHead {
  readonly #options: PtzHeadOptions;
  readonly #closing = new AbortController();
  readonly #stops = new Map<PtzAxis, ClockTimer>();
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #device: PtzHeadDevice | undefined;
  /** The device took the login. */
  #isProven = false;

  constructor(options: PtzHeadOptions) {
    this.#options = options;
  }

  /** It moves, or something waits. */
  get isBusy(): boolean {
    return this.#stops.size > 0 || this.#working !== undefined;
  }

  /**
   * Resolves when the camera took the command, or a newer one took its place. When `signal` ends it first, nobody counts
   * on it any more: it is not done, or stopped.
   */
  submit(command: PtzCommand, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    let isDone = false;
    const leave = (): void => {
      const at = this.#waiting.findIndex((waiting) => waiting.command === command);
      const [left] = at < 0 ? [] : this.#waiting.splice(at, 1);
      left?.resolve();
      const isUnderWay = left === undefined && !isDone;
      if (isUnderWay && (command.kind === "move" || command.kind === "zoom")) this.#stopSoon(axesOf(command));
    };
    signal.addEventListener("abort", leave, { once: true });
    const done = this.#enqueue(command, (device) => this.#perform(device, command));
    return done.finally(() => {
      isDone = true;
      signal.removeEventListener("abort", leave);
    });
  }

  /** What it can do; asked in turn with the commands. */
  async capabilities(): Promise<PtzCapabilities> {
    const asked: { answer?: PtzCapabilities } = {};
    await this.#enqueue(undefined, async (device) => {
      asked.answer = await device.capabilities();
    });
    if (asked.answer === undefined) throw given("the question was given up");
    return asked.answer;
  }

  /** Stops what moves, and ends. Resolves when the camera stands, or after three seconds. */
  async close(): Promise<void> {
    const moving = [...this.#stops.keys()];
    for (const timer of this.#stops.values()) timer.clear();
    this.#stops.clear();
    for (const waiting of this.#waiting.splice(0)) waiting.reject(given("the camera's settings changed"));
    if (moving.length > 0)
      this.#enqueue({ kind: "stop", axes: moving }).catch((error) => this.#untold(error));
    const timer = this.#options.clock.setTimeout(() => this.#closing.abort(), LAST_STOP_MS_MAX);
    await endsUnlessAborted(this.#working ?? Promise.resolve(), this.#closing.signal);
    timer.clear();
    this.#closing.abort();
    this.#dropDevice();
  }

  #enqueue(command: PtzCommand | undefined, run?: (device: PtzHeadDevice) => Promise<void>): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(given("the camera's settings changed"));
    return new Promise((resolve, reject) => {
      const known = command ?? QUESTION;
      if (command !== undefined) {
        const replaced = this.#waiting.filter((waiting) => replaces(command, waiting.command));
        this.#waiting = this.#waiting.filter((waiting) => !replaced.includes(waiting));
        for (const waiting of replaced) waiting.resolve();
      }
      if (this.#waiting.length >= WAITING_MAX) {
        reject(new NvrdError("TOO_MANY_REQUESTS", "too much waits for this camera already"));
        return;
      }
      const work = run ?? ((device) => this.#perform(device, known));
      this.#waiting.push({ command: known, run: work, resolve, reject });
      this.#working ??= this.#work().finally(() => {
        this.#working = undefined;
      });
    });
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await this.#ask(next.run);
        next.resolve();
      } catch (error) {
        next.reject(error);
      }
    }
  }

  async #ask(run: (device: PtzHeadDevice) => Promise<void>): Promise<void> {
    const device = this.#device ?? this.#options.open();
    this.#device = device;
    try {
      if (!this.#isProven) await this.#options.attempt(() => device.prove(), this.#closing.signal);
      this.#isProven = true;
      await run(device);
    } catch (error) {
      // A client whose login was refused sends nothing any more; the next try is another client's.
      if (isRefusal(error)) this.#dropDevice();
      throw error;
    }
  }

  async #perform(device: PtzHeadDevice, command: PtzCommand): Promise<void> {
    const isTimed = command.kind === "move" || command.kind === "zoom";
    const moving = axesOf(command).filter((axis) => this.#stops.has(axis));
    // From here on, not from the answer on: that may never come.
    if (isTimed) for (const axis of axesOf(command)) this.#stopIn(command.forMs, axis);
    try {
      await device.perform(command, this.#closing.signal);
    } catch (error) {
      const isUncertain = error instanceof CameraFailure && UNCERTAIN.has(error.kind);
      if (isTimed && !isUncertain) {
        this.#forgetStops(axesOf(command));
        // What it did before goes on, and its time may be over by now.
        for (const axis of moving) this.#stopIn(0, axis);
      }
      throw error;
    }
    // Whatever replaced a movement is not to be stopped at that one's end.
    if (!isTimed) this.#forgetStops(axesOf(command));
  }

  #forgetStops(axes: readonly PtzAxis[]): void {
    for (const axis of axes) {
      this.#stops.get(axis)?.clear();
      this.#stops.delete(axis);
    }
  }

  #stopIn(delayMs: number, axis: PtzAxis, tries = 0): void {
    this.#stops.get(axis)?.clear();
    const stop = (): void => {
      // A movement that waits brings a stop of its own, and must not be taken out by this one.
      const isReplaced = this.#waiting.some(
        ({ command }) => command.kind !== "stop" && axesOf(command).includes(axis),
      );
      if (isReplaced) return;
      this.#enqueue({ kind: "stop", axes: [axis] }).catch((error: unknown) => {
        this.#untold(error);
        if (this.#closing.signal.aborted || this.#stops.get(axis) !== timer) return;
        if (tries + 1 < STOP_TRIES_MAX) this.#stopIn(STOP_RETRY_MS, axis, tries + 1);
        else this.#stops.delete(axis);
      });
    };
    const timer = this.#options.clock.setTimeout(stop, delayMs);
    this.#stops.set(axis, timer);
  }

  #stopSoon(axes: readonly PtzAxis[]): void {
    this.#enqueue({ kind: "stop", axes }).catch((error: unknown) => {
      this.#untold(error);
      for (const axis of axes) this.#stopIn(STOP_RETRY_MS, axis);
    });
  }

  #untold(error: unknown): void {
    this.#options.log.warn({ reason: errorText(error) }, "the camera could not be told to stop");
  }

  #dropDevice(): void {
    this.#device?.close();
    this.#device = undefined;
    this.#isProven = false;
  }
}

/** What may wait: by their axes commands replace one another, so that only questions add up. */
const WAITING_MAX = 16;
/** Stands for a question among the commands: it moves nothing. */
const QUESTION: PtzCommand = { kind: "stop", axes: [] };

function given(why: string): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `the camera was not asked: ${why}`, { hint: "try again" });
}
