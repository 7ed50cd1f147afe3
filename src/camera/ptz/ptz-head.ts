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
import {
  axesOf,
  type PtzAxis,
  type PtzCapabilities,
  type PtzCommand,
  type PtzDone,
  replaces,
} from "./ptz-command.js";
import type { PtzPosition } from "./ptz-position.js";

/** Attempts to send a stop that does not reach the camera, and the delay between them in milliseconds. */
const STOP_TRIES_MAX = 10;
const STOP_RETRY_MS = 1000;
/** How long stopping the service waits for cameras to stop, in milliseconds. */
const LAST_STOP_MS_MAX = 3000;
/** After these it is unknown whether the camera accepted the command. */
const UNCERTAIN: ReadonlySet<CameraFailureKind> = new Set([
  "unreachable",
  "interrupted",
  "bad-answer",
  "busy",
]);

/** The device as used by a head: `PtzDevice` behind its login. */
export interface PtzHeadDevice {
  /** Calls an operation open to every user, to find out whether the device accepts the login. */
  prove(): Promise<void>;
  perform(command: PtzCommand, signal: AbortSignal): Promise<PtzDone>;
  capabilities(): Promise<PtzCapabilities>;
  position(): Promise<PtzPosition>;
  close(): void;
}

export interface PtzHeadOptions {
  /** Creates a device whose login is not proven yet. */
  readonly open: () => PtzHeadDevice;
  /** Runs `prove` of a device as one login attempt. */
  readonly attempt: (run: () => Promise<void>, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Waiting {
  readonly command: PtzCommand;
  readonly run: (device: PtzHeadDevice) => Promise<unknown>;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * One PTZ camera. Commands are executed one at a time in order, except that a waiting movement is replaced by the next one.
 * Each movement is stopped when its time is over, even if the client is gone.
 */
export class PtzHead {
  readonly #options: PtzHeadOptions;
  readonly #closing = new AbortController();
  readonly #stops = new Map<PtzAxis, ClockTimer>();
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #device: PtzHeadDevice | undefined;
  /** The device has accepted the login. */
  #isProven = false;
  /** The question for the position that is under way. */
  #position: Promise<PtzPosition> | undefined;

  constructor(options: PtzHeadOptions) {
    this.#options = options;
  }

  /** It is moving, or commands are waiting. */
  get isBusy(): boolean {
    return this.#stops.size > 0 || this.#working !== undefined;
  }

  /**
   * Resolves when the camera accepted the command, or a newer one replaced it. If `signal` aborts it first, the command is
   * dropped, or its movement stopped.
   */
  submit(command: PtzCommand, signal: AbortSignal): Promise<PtzDone> {
    if (signal.aborted) return Promise.resolve({});
    let result: PtzDone = {};
    let isDone = false;
    const leave = (): void => {
      const at = this.#waiting.findIndex((waiting) => waiting.command === command);
      const [left] = at < 0 ? [] : this.#waiting.splice(at, 1);
      left?.resolve();
      const isUnderWay = left === undefined && !isDone;
      if (isUnderWay && (command.kind === "move" || command.kind === "zoom")) this.stopSoon(axesOf(command));
    };
    signal.addEventListener("abort", leave, { once: true });
    const done = this.#enqueue(command, async (device) => {
      result = await this.#perform(device, command);
    });
    return done
      .then(() => result)
      .finally(() => {
        isDone = true;
        signal.removeEventListener("abort", leave);
      });
  }

  /** Its capabilities; the request is queued with the commands. */
  capabilities(): Promise<PtzCapabilities> {
    return this.#question((device) => device.capabilities());
  }

  /** Where it looks. Whoever asks meanwhile gets the same answer. */
  position(): Promise<PtzPosition> {
    this.#position ??= this.#question((device) => device.position()).finally(() => {
      this.#position = undefined;
    });
    return this.#position;
  }

  async #question<T>(ask: (device: PtzHeadDevice) => Promise<T>): Promise<T> {
    const asked: { answer?: T } = {};
    await this.#enqueue(undefined, async (device) => {
      asked.answer = await ask(device);
    });
    if (asked.answer === undefined) throw notAsked("the request was cancelled");
    return asked.answer;
  }

  /** Stops all movement and closes. Resolves when the camera has stopped, or after three seconds. */
  async close(): Promise<void> {
    const moving = [...this.#stops.keys()];
    for (const timer of this.#stops.values()) timer.clear();
    this.#stops.clear();
    for (const waiting of this.#waiting.splice(0)) waiting.reject(notAsked("the camera's settings changed"));
    if (moving.length > 0)
      this.#enqueue({ kind: "stop", axes: moving }).catch((error) => this.#logFailedStop(error));
    const timer = this.#options.clock.setTimeout(() => this.#closing.abort(), LAST_STOP_MS_MAX);
    await endsUnlessAborted(this.#working ?? Promise.resolve(), this.#closing.signal);
    timer.clear();
    this.#closing.abort();
    this.#dropDevice();
  }

  #enqueue(
    command: PtzCommand | undefined,
    run?: (device: PtzHeadDevice) => Promise<unknown>,
  ): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(notAsked("the camera's settings changed"));
    return new Promise((resolve, reject) => {
      const known = command ?? QUESTION;
      if (command !== undefined) {
        const replaced = this.#waiting.filter((waiting) => replaces(command, waiting.command));
        this.#waiting = this.#waiting.filter((waiting) => !replaced.includes(waiting));
        for (const waiting of replaced) waiting.resolve();
      }
      if (this.#waiting.length >= WAITING_MAX) {
        reject(new NvrdError("TOO_MANY_REQUESTS", "too many commands are waiting for this camera"));
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

  async #ask(run: (device: PtzHeadDevice) => Promise<unknown>): Promise<void> {
    const device = this.#device ?? this.#options.open();
    this.#device = device;
    try {
      if (!this.#isProven) await this.#options.attempt(() => device.prove(), this.#closing.signal);
      this.#isProven = true;
      await run(device);
    } catch (error) {
      // A client whose login was refused sends nothing any more; the next attempt needs a new client.
      if (isRefusal(error)) this.#dropDevice();
      throw error;
    }
  }

  async #perform(device: PtzHeadDevice, command: PtzCommand): Promise<PtzDone> {
    const isTimed = command.kind === "move" || command.kind === "zoom";
    const moving = axesOf(command).filter((axis) => this.#stops.has(axis));
    // The time starts now, not with the answer, which may never arrive.
    if (isTimed) for (const axis of axesOf(command)) this.#stopIn(command.forMs, axis);
    let done: PtzDone;
    try {
      done = await device.perform(command, this.#closing.signal);
    } catch (error) {
      const isUncertain = error instanceof CameraFailure && UNCERTAIN.has(error.kind);
      if (isTimed && !isUncertain) {
        this.#forgetStops(axesOf(command));
        // The previous movement continues, and its time may be over by now.
        for (const axis of moving) this.#stopIn(0, axis);
      }
      throw error;
    }
    // A command that replaced a movement must not be stopped at the end of that movement.
    if (!isTimed) this.#forgetStops(axesOf(command));
    return done;
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
      // A waiting movement has its own stop, and must not be removed by this one.
      const isReplaced = this.#waiting.some(
        ({ command }) => command.kind !== "stop" && axesOf(command).includes(axis),
      );
      if (isReplaced) return;
      this.#enqueue({ kind: "stop", axes: [axis] }).catch((error: unknown) => {
        this.#logFailedStop(error);
        if (this.#closing.signal.aborted || this.#stops.get(axis) !== timer) return;
        if (tries + 1 < STOP_TRIES_MAX) this.#stopIn(STOP_RETRY_MS, axis, tries + 1);
        else this.#stops.delete(axis);
      });
    };
    const timer = this.#options.clock.setTimeout(stop, delayMs);
    this.#stops.set(axis, timer);
  }

  /** Stops it, whoever moved it. */
  stopSoon(axes: readonly PtzAxis[]): void {
    this.#enqueue({ kind: "stop", axes }).catch((error: unknown) => {
      this.#logFailedStop(error);
      for (const axis of axes) this.#stopIn(STOP_RETRY_MS, axis);
    });
  }

  #logFailedStop(error: unknown): void {
    this.#options.log.warn({ reason: errorText(error) }, "the stop command could not be sent to the camera");
  }

  #dropDevice(): void {
    this.#device?.close();
    this.#device = undefined;
    this.#isProven = false;
  }
}

/** Maximum queue length. Commands on the same axes replace each other, so only queries accumulate. */
const WAITING_MAX = 16;
/** A queue entry for a query; it moves nothing. */
const QUESTION: PtzCommand = { kind: "stop", axes: [] };

function notAsked(why: string): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `the camera was not asked: ${why}`, { hint: "try again" });
}
