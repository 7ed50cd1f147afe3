import { type Clock, errorText, type Guid, NvrdError } from "../../base/index.js";
import { type DeviceDescription, fetchSnapshot, type LoginAttempt } from "../../camera/index.js";
import type { LiveStream } from "../../live/index.js";
import { awaitLiveMaterial, type Rotation, type StillSource, type Stills } from "../../picture/index.js";
import { mainProfiles } from "./read-camera-object.js";

const WIDTH = 320;
const PICTURE_MS_MAX = 12_000;
/** Tasks whose pictures are kept, the newest. */
const TASKS_KEPT_MAX = 4;

export interface CameraPicturesOptions {
  readonly stills: Pick<Stills, "make">;
  readonly clock: Clock;
  /** Replaces `fetchSnapshot` in tests. */
  readonly fetch?: typeof fetchSnapshot | undefined;
}

/** A camera that is asked for a snapshot, or one whose stream comes. */
export type PicturedCamera =
  | { readonly login: LoginAttempt; readonly description: DeviceDescription }
  | { readonly stream: LiveStream; readonly rotation: Rotation };

/** Pictures of cameras that are tried: made small by the codec, so that no camera's bytes reach a browser. */
export class CameraPictures {
  readonly #options: CameraPicturesOptions;
  readonly #kept = new Map<Guid, Map<number, Uint8Array>>();
  #made = 0;

  constructor(options: CameraPicturesOptions) {
    this.#options = options;
  }

  /** Keeps a picture for a camera of a task. Rejects with NvrdError NOT_AVAILABLE whose text says why there is none. */
  async take(
    place: { readonly taskId: Guid; readonly index: number },
    camera: PicturedCamera,
    whole: AbortSignal,
  ): Promise<void> {
    const late = new AbortController();
    const timer = this.#options.clock.setTimeout(() => late.abort(), PICTURE_MS_MAX);
    const signal = AbortSignal.any([whole, late.signal]);
    try {
      const source = "stream" in camera ? this.#streamSource(camera) : await this.#snapshot(camera, signal);
      this.#keep(place, (await this.#options.stills.make(source, { width: WIDTH }).still).jpeg);
    } catch (error) {
      throw new NvrdError("NOT_AVAILABLE", `no picture: ${errorText(error)}`, { cause: error });
    } finally {
      timer.clear();
    }
  }

  get(taskId: Guid, index: number): Uint8Array | undefined {
    return this.#kept.get(taskId)?.get(index);
  }

  forget(taskId: Guid): void {
    this.#kept.delete(taskId);
  }

  #streamSource(picture: Extract<PicturedCamera, { stream: LiveStream }>): StillSource {
    const { clock } = this.#options;
    const material = (signal: AbortSignal) =>
      awaitLiveMaterial({ ...picture, exact: false }, { clock, signal });
    return { key: this.#newKey(), prepare: material, open: material };
  }

  async #snapshot(
    { login, description }: Extract<PicturedCamera, { login: LoginAttempt }>,
    signal: AbortSignal,
  ): Promise<StillSource> {
    const profile = mainProfiles(description).find(({ snapshotUri }) => snapshotUri !== undefined);
    if (profile === undefined) throw new NvrdError("NOT_AVAILABLE", "the camera offers no still pictures");
    const { clock, fetch = fetchSnapshot } = this.#options;
    const access = { ...login, clock, digestOnly: description.tookDigest };
    const bytes = await fetch(access, profile, signal);
    const [stream, shownUs] = [this.#newKey(), clock.nowUs()];
    const frame = { stream, timeUs: shownUs, rotation: 0 } as const;
    return {
      key: stream,
      open: () =>
        Promise.resolve({ kind: "jpeg", frame, shownUs, bytes, lasting: false, release: () => undefined }),
    };
  }

  #newKey(): string {
    this.#made += 1;
    return `camera read ${this.#made}`;
  }

  #keep({ taskId, index }: { readonly taskId: Guid; readonly index: number }, jpeg: Uint8Array): void {
    const pictures = this.#kept.get(taskId) ?? new Map<number, Uint8Array>();
    pictures.set(index, jpeg);
    this.#kept.set(taskId, pictures);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > TASKS_KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}
