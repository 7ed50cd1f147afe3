import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  MS_PER_SECOND,
  NvrdError,
} from "../../base/index.js";
import { type Camera, cameraOptions, type Site, type SiteStore } from "../../site/index.js";
import type { CameraDevices } from "../device/camera-devices.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { connectionOf } from "../device/stream-address.js";
import { withDevice } from "../device/with-device.js";
import { type CameraOutputs, KnownOutputs } from "./known-outputs.js";
import { RelayDevice, type RelayOutput } from "./relay-device.js";

const CALL_MS_MAX = 5_000;
/** Calls that wait for one camera. */
const WAITING_MAX = 8;
/** A switching back that fails is tried again so often. */
const BACK_TRIES_MAX = 5;
const BACK_RETRY_MS = 5_000;
/** How long stopping the service waits for outputs to be switched back. */
const STOP_MS_MAX = 3_000;

export interface RelayRequest {
  readonly channelId: Guid;
  readonly output: string;
  readonly isOn: boolean;
  /** After so many seconds it is switched back; undefined: it stays. */
  readonly seconds: number | undefined;
  readonly signal: AbortSignal;
}

/** Switches the digital outputs of cameras. */
export interface Relays {
  /** Rejects with NvrdError: CONFLICT where it is switched off, NOT_SUPPORTED, NOT_AVAILABLE. */
  outputs(channelId: Guid, signal: AbortSignal): Promise<readonly RelayOutput[]>;
  /**
   * Those of all cameras whose inputs and outputs are used, as each named them when it was asked last; a camera that has not been is asked
   * now, and not waited for long.
   */
  known(): Promise<readonly CameraOutputs[]>;
  /** As `outputs`, and NOT_FOUND where the camera has no such output. */
  switch(request: RelayRequest): Promise<void>;
}

interface RelayControlOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly devices: Pick<CameraDevices, "described" | "knowledge" | "acceptsKey">;
  readonly budgets: LoginBudgets;
  readonly clock: Clock;
  readonly log: Log;
}

/** The outputs of ONVIF cameras: one call at a time to each of them. */
export class RelayControl implements Relays {
  readonly #options: RelayControlOptions;
  readonly #queues = new Map<Guid, { waiting: number; last: Promise<unknown> }>();
  /** Outputs that are to be switched back, by channel and token. */
  readonly #back = new Map<
    string,
    { readonly timer: ClockTimer; readonly run: (triesLeft: number) => Promise<void> }
  >();
  readonly #known: KnownOutputs;
  #isStopped = false;

  constructor(options: RelayControlOptions) {
    this.#options = options;
    const { devices, clock, log } = options;
    this.#known = new KnownOutputs({
      described: (camera) => devices.described(camera),
      ask: ({ id }) => this.#limited((signal) => this.outputs(id, signal), CALL_MS_MAX * 2),
      ...{ clock, log },
    });
    options.site.onChange("ptz", (site) => this.#follow(site));
  }

  /** Switches back at once what was switched for a time: nobody would do it later. */
  async stop(): Promise<void> {
    const pending = [...this.#back.values()];
    this.#back.clear();
    for (const { timer } of pending) timer.clear();
    await Promise.all(pending.map(({ run }) => run(0)));
    this.#isStopped = true;
  }

  async outputs(channelId: Guid, signal: AbortSignal): Promise<readonly RelayOutput[]> {
    return await this.#inTurn(channelId, signal, (device, both) => device.outputs(both));
  }

  async known(): Promise<readonly CameraOutputs[]> {
    const { cameras } = this.#options.site.current;
    return await this.#known.of(
      cameras.filter((camera) => !camera.disabled && connectionOf(camera) === "onvif" && isOn(camera)),
    );
  }

  async switch({ channelId, output, isOn, seconds, signal }: RelayRequest): Promise<void> {
    await this.#inTurn(channelId, signal, async (device, both) => {
      const known = await device.outputs(both);
      if (!known.some(({ token }) => token === output)) {
        const names = known.map(({ token }) => token).join(", ");
        throw new NvrdError("NOT_FOUND", "the camera has no such output", {
          hint: names === "" ? "it has none" : `its outputs: ${names}`,
        });
      }
      await device.switch(output, isOn, both);
    });
    const key = `${channelId} ${output}`;
    this.#back.get(key)?.timer.clear();
    this.#back.delete(key);
    if (seconds !== undefined) this.#backIn(key, { channelId, output, isOn: !isOn }, seconds * MS_PER_SECOND);
  }

  async #limited<T>(work: (signal: AbortSignal) => Promise<T>, ms: number): Promise<T> {
    const limit = new AbortController();
    const timer = this.#options.clock.setTimeout(() => limit.abort(), ms);
    return await work(limit.signal).finally(() => timer.clear());
  }

  #backIn(key: string, to: Pick<RelayRequest, "channelId" | "output" | "isOn">, ms: number): void {
    const { clock, log } = this.#options;
    const run = async (triesLeft: number): Promise<void> => {
      try {
        const switchBack = (device: RelayDevice, both: AbortSignal) =>
          device.switch(to.output, to.isOn, both);
        const ms = triesLeft === 0 ? STOP_MS_MAX : CALL_MS_MAX * 2;
        await this.#limited((signal) => this.#inTurn(to.channelId, signal, switchBack), ms);
      } catch (error) {
        log.warn({ channel: to.channelId, error: errorText(error) }, "an output cannot be switched back");
        if (triesLeft > 0 && !this.#isStopped) later(triesLeft - 1, BACK_RETRY_MS);
      }
    };
    const later = (triesLeft: number, delayMs: number): void => {
      const timer = clock.setTimeout(() => {
        this.#back.delete(key);
        void run(triesLeft);
      }, delayMs);
      this.#back.set(key, { timer, run });
    };
    later(BACK_TRIES_MAX, ms);
  }

  /** Runs `work` with the channel's device, after what waits for it already. */
  async #inTurn<T>(
    channelId: Guid,
    signal: AbortSignal,
    work: (device: RelayDevice, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const queue = this.#queues.get(channelId) ?? { waiting: 0, last: Promise.resolve() };
    this.#queues.set(channelId, queue);
    if (queue.waiting >= WAITING_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", "too many requests wait for this camera's outputs", {
        retryAfterMs: CALL_MS_MAX,
      });
    queue.waiting += 1;
    const before = queue.last;
    const result = (async () => {
      await before;
      return await this.#withDevice(channelId, signal, work);
    })();
    queue.last = result.catch(() => undefined);
    return await result.finally(() => {
      queue.waiting -= 1;
      if (queue.waiting === 0) this.#queues.delete(channelId);
    });
  }

  async #withDevice<T>(
    channelId: Guid,
    signal: AbortSignal,
    work: (device: RelayDevice, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const asked = { camera: this.#camera(channelId), callTimeoutMs: CALL_MS_MAX, signal };
    return await withDevice(this.#options, asked, (client, { services }) =>
      work(new RelayDevice(client, services), signal),
    );
  }

  #camera(channelId: Guid): Camera {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined || camera.disabled || this.#isStopped)
      throw new NvrdError("NOT_AVAILABLE", "the channel is switched off", { hint: "" });
    if (connectionOf(camera) !== "onvif")
      throw new NvrdError("NOT_SUPPORTED", "only ONVIF cameras have outputs that are switched", { hint: "" });
    if (!isOn(camera))
      throw new NvrdError("CONFLICT", `inputs and outputs are switched off for channel ${camera.name}`, {
        hint: "switch IoProcessingEnabled on",
      });
    return camera;
  }

  /** What a camera that was switched off or deleted has, stays as it is. */
  #follow(site: Site): void {
    for (const [key, { timer }] of this.#back) {
      const camera = site.cameras.find(({ id }) => key.startsWith(id));
      if (camera !== undefined && !camera.disabled && isOn(camera)) continue;
      timer.clear();
      this.#back.delete(key);
    }
  }
}

function isOn(camera: Camera): boolean {
  return cameraOptions(camera).connection.ioProcessingEnabled;
}
