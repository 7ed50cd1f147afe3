import {
  type Clock,
  endsWithin,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  Semaphore,
} from "../../base/index.js";
import type { Camera } from "../../site/index.js";
import type { DeviceDescription } from "../description/device-description.js";
import type { RelayOutput } from "./relay-device.js";

/** Cameras that are asked at once. */
const ASKED_AT_ONCE_MAX = 16;
/** Who asks waits no longer for cameras that have not said it yet. */
const ANSWER_MS_MAX = 1_500;

/** The outputs of a camera as it named them; undefined while it has not. */
export interface CameraOutputs {
  readonly channelId: Guid;
  readonly outputs: readonly RelayOutput[] | undefined;
}

interface KnownOutputsOptions {
  readonly described: (camera: Camera) => DeviceDescription | undefined;
  /** Asks the camera. */
  readonly ask: (camera: Camera) => Promise<readonly RelayOutput[]>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Which outputs cameras have: each is asked once for what its device is, and again when that has described itself anew. */
export class KnownOutputs {
  readonly #options: KnownOutputsOptions;
  readonly #turns = new Semaphore({ atOnce: ASKED_AT_ONCE_MAX, waitingMax: Number.POSITIVE_INFINITY });
  readonly #known = new WeakMap<DeviceDescription, readonly RelayOutput[]>();
  readonly #asked = new WeakMap<DeviceDescription, Promise<void>>();

  constructor(options: KnownOutputsOptions) {
    this.#options = options;
  }

  /** Never waits long: of a camera that has not answered the outputs are undefined, and it is asked again the next time. */
  async of(cameras: readonly Camera[]): Promise<readonly CameraOutputs[]> {
    const asking = Promise.all(cameras.map((camera) => this.#ask(camera)));
    await endsWithin(asking, { clock: this.#options.clock, ms: ANSWER_MS_MAX });
    return cameras.map((camera) => {
      const description = this.#options.described(camera);
      const outputs = description === undefined ? undefined : this.#known.get(description);
      return { channelId: camera.id, outputs };
    });
  }

  /** Once at a time. Never rejects. */
  async #ask(camera: Camera): Promise<void> {
    const description = this.#options.described(camera);
    if (description === undefined || this.#known.has(description)) return;
    const asked = this.#asked.get(description) ?? this.#turns.run(() => this.#learn(camera, description));
    this.#asked.set(description, asked);
    await asked;
  }

  async #learn(camera: Camera, description: DeviceDescription): Promise<void> {
    const { ask, log } = this.#options;
    try {
      this.#known.set(description, await ask(camera));
    } catch (error) {
      const hasNone = error instanceof NvrdError && error.code === "NOT_SUPPORTED";
      if (hasNone) this.#known.set(description, []);
      else log.debug({ channel: camera.id, error: errorText(error) }, "a camera does not name its outputs");
    } finally {
      this.#asked.delete(description);
    }
  }
}
