import { type Clock, type Guid, type Log, NvrdError } from "../../base/index.js";
import type { Camera, Site, SiteStore } from "../../site/index.js";
import type { DeviceDescription } from "../description/device-description.js";
import { type CameraDevices, questionOf } from "../device/camera-devices.js";
import { deviceClient, proveLogin } from "../device/device-client.js";
import { attemptLogin } from "../device/login-attempt.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { profileOf, profilesOfChannel } from "../device/profile-choice.js";
import { connectionOf } from "../device/stream-address.js";
import {
  axesOf,
  NO_PTZ,
  PTZ_AXES,
  type PtzCapabilities,
  type PtzCommand,
  type PtzDone,
} from "./ptz-command.js";
import { PtzDevice, ptzPartsOf } from "./ptz-device.js";
import { PtzHead } from "./ptz-head.js";
import type { PtzPosition } from "./ptz-position.js";
import { PtzHolds, type PtzUser } from "./ptz-priority.js";

/** Timeout of a PTZ call. It is short because the user is operating a joystick. */
const PTZ_CALL_MS_MAX = 5000;

export interface PtzRequest {
  readonly channelId: Guid;
  readonly command: PtzCommand;
  readonly user: PtzUser;
  /** Aborted if the client disconnects before the answer. */
  readonly signal: AbortSignal;
}

/** Moves cameras on behalf of users. */
export interface Ptz {
  /** The commands that a channel's camera supports; none if PTZ is switched off. Rejects with NvrdError. */
  capabilities(channelId: Guid): Promise<PtzCapabilities>;
  /** Where it looks; empty for a camera that does not report it, or with PTZ switched off. Rejects with NvrdError. */
  position(channelId: Guid): Promise<PtzPosition>;
  /**
   * Resolves when the camera accepted the command. Rejects with NvrdError: NOT_SUPPORTED; CONFLICT if PTZ is switched off;
   * IN_USE while a user of higher priority moves it; NOT_AVAILABLE with a message for the installer.
   */
  perform(request: PtzRequest): Promise<PtzDone>;
}

interface PtzControlOptions {
  readonly site: SiteStore;
  readonly devices: CameraDevices;
  readonly budgets: LoginBudgets;
  readonly clock: Clock;
  readonly log: Log;
}

interface KnownHead {
  readonly head: PtzHead;
  /** The parameters it was created from; it is replaced when they change. */
  readonly key: string;
  /** How the device is asked, and as whom. */
  readonly asked: string;
}

/** The picture has settled so long after a camera stands still, and so long a camera takes to a place at most. */
const PTZ_SETTLE_MS = 3000;
const PTZ_WAY_MS = 7000;

/** Called when a camera begins to move, with how long its picture moves. Must not throw. */
type PtzMoveListener = (channelId: Guid, forMs: number) => void;

/** Moves ONVIF cameras, with one head per channel. */
export class PtzControl implements Ptz {
  readonly #options: PtzControlOptions;
  readonly #holds: PtzHolds;
  readonly #heads = new Map<Guid, KnownHead>();
  readonly #closing = new Set<Promise<void>>();
  readonly #moveListeners = new Set<PtzMoveListener>();
  #isStopped = false;

  constructor(options: PtzControlOptions) {
    this.#options = options;
    this.#holds = new PtzHolds(options.clock);
    options.site.onChange("ptz", (site) => this.#follow(site));
  }

  onMove(listener: PtzMoveListener): void {
    this.#moveListeners.add(listener);
  }

  /** Stops every moving camera. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const channelId of [...this.#heads.keys()]) this.#close(channelId);
    await Promise.all(this.#closing);
  }

  async capabilities(channelId: Guid): Promise<PtzCapabilities> {
    return (await this.#movable(channelId)?.capabilities()) ?? NO_PTZ;
  }

  async position(channelId: Guid): Promise<PtzPosition> {
    return (await this.#movable(channelId)?.position()) ?? {};
  }

  async perform({ channelId, command, user, signal }: PtzRequest): Promise<PtzDone> {
    const camera = this.#camera(channelId);
    if (!isPtzOn(camera)) {
      const hint = "switch PtzEnabled on, on a model with PTZ";
      throw new NvrdError("CONFLICT", `PTZ is switched off for channel ${camera.name}`, { hint });
    }
    const head = this.#head(camera, this.#description(camera));
    const movesMs = command.kind === "move" || command.kind === "zoom" ? command.forMs : 0;
    const wasTaken = this.#holds.take(channelId, user, movesMs);
    this.#notifyMove(channelId, command);
    if (wasTaken && command.kind !== "stop" && head.isBusy)
      await head.submit({ kind: "stop", axes: PTZ_AXES }, signal);
    return await head.submit(command, signal);
  }

  #notifyMove(channelId: Guid, command: PtzCommand): void {
    if (axesOf(command).length === 0) return;
    const wayMs = "forMs" in command ? command.forMs : command.kind === "stop" ? 0 : PTZ_WAY_MS;
    for (const listener of this.#moveListeners) listener(channelId, wayMs + PTZ_SETTLE_MS);
  }

  /** The head of a channel's camera; undefined if PTZ is switched off, or nothing moves. */
  #movable(channelId: Guid): PtzHead | undefined {
    const camera = this.#camera(channelId);
    if (!isPtzOn(camera)) return undefined;
    const description = this.#description(camera);
    return partsOf(camera, description) === undefined ? undefined : this.#head(camera, description);
  }

  #camera(channelId: Guid): Camera {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined || camera.disabled || this.#isStopped)
      throw new NvrdError("NOT_AVAILABLE", "the channel is switched off", { hint: "" });
    return camera;
  }

  #description(camera: Camera): DeviceDescription {
    const { devices } = this.#options;
    const description = devices.described(camera);
    if (description !== undefined) return description;
    const reason = devices.knowledge(camera).failure?.reason ?? "the camera is being asked what it can do";
    throw new NvrdError("NOT_AVAILABLE", reason, { hint: "try again in some seconds" });
  }

  #head(camera: Camera, description: DeviceDescription): PtzHead {
    const parts = partsOf(camera, description);
    if (parts === undefined)
      throw new NvrdError("NOT_SUPPORTED", `the camera of ${camera.name} cannot be moved`, { hint: "" });
    const question = questionOf(camera);
    const { services, clockOffsetMs, loginClock } = description;
    const key = JSON.stringify([question, parts, services, clockOffsetMs, loginClock]);
    const known = this.#heads.get(camera.id);
    const asked = JSON.stringify(question);
    const isMoving = known?.head.isBusy === true;
    // A moving head is kept: the device is the same, even if it was asked again. One with a former login reaches nothing.
    if (known !== undefined && (known.key === key || (isMoving && known.asked === asked))) return known.head;
    this.#close(camera.id);
    const { devices, clock, budgets, log } = this.#options;
    const { address: device, login, password } = question;
    const of = { question, description, acceptsKey: devices.acceptsKey(camera) };
    const open = () => {
      const client = deviceClient({ ...of, clock, callTimeoutMs: PTZ_CALL_MS_MAX });
      const { imaging: imagingAddress } = description.services;
      const ptz = new PtzDevice({ client, imagingAddress, clock, ...parts });
      return {
        prove: () => proveLogin(client, description),
        perform: (command: PtzCommand, signal: AbortSignal) => ptz.perform(command, signal),
        capabilities: () => ptz.capabilities(),
        position: () => ptz.position(),
        close: () => client.close(),
      };
    };
    const head = new PtzHead({
      open,
      attempt: (run, signal) => attemptLogin(budgets, { login: { device, login, password }, signal }, run),
      clock,
      log: log.child({ channel: camera.id }),
    });
    this.#heads.set(camera.id, { head, key, asked });
    // The stop that the former head owes may be refused.
    if (isMoving) head.stopSoon(PTZ_AXES);
    return head;
  }

  /** Stops cameras for which PTZ was switched off. */
  #follow(site: Site): void {
    for (const channelId of [...this.#heads.keys()]) {
      const camera = site.cameras.find(({ id }) => id === channelId);
      if (camera !== undefined && !camera.disabled && isPtzOn(camera)) continue;
      this.#close(channelId);
      this.#holds.forget(channelId);
    }
  }

  #close(channelId: Guid): void {
    const known = this.#heads.get(channelId);
    this.#heads.delete(channelId);
    if (known === undefined) return;
    const closing = known.head.close();
    this.#closing.add(closing);
    closing.finally(() => this.#closing.delete(closing));
  }
}

function isPtzOn(camera: Camera): boolean {
  return camera.connection.ptzEnabled && connectionOf(camera) === "onvif";
}

/** Prefers the profile of the Main stream, which users watch. */
function partsOf(camera: Camera, description: DeviceDescription) {
  const { profiles } = description;
  const main = profileOf(camera, "Main", profiles);
  const all = profilesOfChannel(camera, profiles);
  return ptzPartsOf(main === undefined ? all : [main, ...all], description);
}
