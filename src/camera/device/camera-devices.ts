import { type Clock, type Guid, type Log, Semaphore } from "../../base/index.js";
import { type Camera, cameraOptions, type Site, type SiteStore } from "../../site/index.js";
import type { AcceptsKey } from "../description/device-access.js";
import type { DeviceDescription } from "../description/device-description.js";
import { type DeviceTraits, sameDevice, traitsOf } from "../description/device-traits.js";
import type { CameraKeys } from "./camera-keys.js";
import type { CameraNotes } from "./camera-notes.js";
import { DeviceInspection, type DeviceQuestion, type InspectDevice } from "./device-inspection.js";
import type { DeviceMemory } from "./device-memory.js";
import type { LoginBudgets } from "./login-budget.js";
import { connectionOf, type DeviceKnowledge, deviceOf } from "./stream-address.js";

/** Devices asked concurrently. Those that do not answer must not delay the others for long. */
const ASKED_AT_ONCE_MAX = 16;
/** More than a configuration has cameras. */
const DEVICES_WAITING_MAX = 4096;

export interface CameraDevicesOptions {
  readonly site: SiteStore;
  readonly inspect: InspectDevice;
  readonly budgets: LoginBudgets;
  readonly memory: DeviceMemory;
  readonly notes: CameraNotes;
  /** Whether a camera may be sent its login over a connection with this key; any key when absent. */
  readonly keys?: Pick<CameraKeys, "accepts">;
  readonly clock: Clock;
  /** 0 to 1, for the spread of waits. */
  readonly random: () => number;
  readonly log: Log;
}

/**
 * The ONVIF devices behind the cameras, each asked once, however many cameras and streams it has. Follows the configuration
 * before the streams do.
 */
export class CameraDevices {
  readonly #options: CameraDevicesOptions;
  readonly #turns = new Semaphore({ atOnce: ASKED_AT_ONCE_MAX, waitingMax: DEVICES_WAITING_MAX });
  readonly #inspections = new Map<string, DeviceInspection>();
  /** What devices said to a former login, until they have answered to the present one; by question. */
  readonly #former = new Map<string, DeviceDescription>();
  readonly #stopping = new Set<Promise<void>>();
  readonly #listeners: (() => void)[] = [];

  constructor(options: CameraDevicesOptions) {
    this.#options = options;
  }

  /** What was learned of cameras. */
  get notes(): CameraNotes {
    return this.#options.notes;
  }

  /** Called when what is known of a device has changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Starts asking the devices that are new in the configuration, and stops for those that were removed. */
  follow(site: Site): void {
    const wanted = new Set<string>();
    this.#options.notes.keepOnly(site.cameras);
    for (const camera of site.cameras) {
      this.#note(camera);
      if (camera.disabled || connectionOf(camera) !== "onvif") continue;
      const question = questionOf(camera);
      const key = JSON.stringify(question);
      wanted.add(key);
      if (this.#inspections.has(key)) continue;
      const former = this.#describedAt(question);
      if (former !== undefined) this.#former.set(key, former);
      this.#begin(key, question);
    }
    for (const key of [...this.#inspections.keys()]) if (!wanted.has(key)) this.#remove(key);
  }

  async stop(): Promise<void> {
    for (const key of [...this.#inspections.keys()]) this.#remove(key);
    await Promise.all(this.#stopping);
  }

  /** The device of a camera; undefined if it does not use ONVIF, or is not followed. */
  inspection(camera: Camera): DeviceInspection | undefined {
    return this.#inspections.get(JSON.stringify(questionOf(camera)));
  }

  knowledge(camera: Camera): DeviceKnowledge {
    const inspection = this.inspection(camera);
    if (inspection === undefined) return NOTHING_KNOWN;
    if (!this.isReplaced(camera)) return inspection;
    return { profiles: undefined, failure: { cause: "no-stream", reason: REPLACED } };
  }

  /**
   * What the camera's device said in this run of the service, though it was to a former login; undefined also while another
   * device is at its address.
   */
  described(camera: Camera): DeviceDescription | undefined {
    if (this.isReplaced(camera)) return undefined;
    return this.inspection(camera)?.description ?? this.#former.get(JSON.stringify(questionOf(camera)));
  }

  /** What the device of a channel reported in this run of the service. */
  description(channelId: Guid): DeviceDescription | undefined {
    const camera = this.#options.site.current.cameras.find((candidate) => candidate.id === channelId);
    return camera === undefined ? undefined : this.described(camera);
  }

  /** Whether the device that answers at the camera's address is another one than the camera was. */
  isReplaced(camera: Camera): boolean {
    const shown = this.inspection(camera)?.description;
    const known = this.#options.notes.of(camera)?.device;
    if (shown === undefined || known === undefined) return false;
    return sameDevice(known, traitsOf(shown, known.announced)) === "other";
  }

  /** Whether the camera took its login as a digest: it is never sent the password itself. */
  tookDigest(camera: Camera): boolean {
    return this.#options.notes.of(camera)?.tookDigest === true;
  }

  /** The keys that are accepted of a camera's device. */
  acceptsKey(camera: Camera): AcceptsKey {
    return (port, key) => this.#options.keys?.accepts(camera.id, port, key) ?? true;
  }

  /** Takes note of the device that the camera is; before its streams are chosen it may be any. */
  #note(camera: Camera): void {
    const { notes } = this.#options;
    if (!isSetUp(camera)) notes.forgetDevice(camera);
    if (camera.disabled || !isSetUp(camera) || connectionOf(camera) !== "onvif") return;
    const description = this.described(camera);
    if (description === undefined) return;
    const known = notes.of(camera)?.device;
    const announced = known?.announced ?? "";
    if (!isCertain(camera, known, traitsOf(description, announced))) return;
    const digest = description.tookDigest ? { tookDigest: true } : {};
    notes.learn(camera, { device: traitsOf(description, announced), ...digest });
  }

  #begin(key: string, question: DeviceQuestion): void {
    const { inspect, budgets, memory, notes, clock, random, log } = this.#options;
    const { address: device, login, password } = question;
    const inspection = new DeviceInspection({
      question,
      inspect,
      gate: budgets.gate({ device, login, password }),
      turns: this.#turns,
      remembered: memory.get(device),
      acceptsKey: (port, shown) =>
        this.#camerasOf(key).every((camera) => this.acceptsKey(camera)(port, shown)),
      tookDigest: () => this.#camerasOf(key).some((camera) => notes.of(camera)?.tookDigest === true),
      clock,
      random,
      log,
      onChange: () => {
        const { description } = inspection;
        const isCamera = this.#camerasOf(key).some((camera) => !this.isReplaced(camera));
        if (description !== undefined) this.#former.delete(key);
        if (description !== undefined && isCamera) memory.set(device, description);
        for (const listener of this.#listeners) listener();
      },
    });
    this.#inspections.set(key, inspection);
    inspection.start();
  }

  /** What the device of a question said to another login. */
  #describedAt(question: DeviceQuestion): DeviceDescription | undefined {
    const place = placeOf(question);
    for (const [key, inspection] of this.#inspections) {
      const description = inspection.description ?? this.#former.get(key);
      if (description !== undefined && placeOf(inspection.question) === place) return description;
    }
    return undefined;
  }

  #camerasOf(key: string): Camera[] {
    return this.#options.site.current.cameras.filter((camera) => JSON.stringify(questionOf(camera)) === key);
  }

  #remove(key: string): void {
    const inspection = this.#inspections.get(key);
    this.#inspections.delete(key);
    this.#former.delete(key);
    if (inspection === undefined) return;
    const stopping = inspection.stop();
    this.#stopping.add(stopping);
    stopping.finally(() => this.#stopping.delete(stopping));
  }
}

const NOTHING_KNOWN: DeviceKnowledge = { profiles: undefined, failure: undefined };

/** Said of a camera whose address another device has; what to do is in the guide. */
const REPLACED =
  "another device answers at the camera's address: searching for the camera; if it was replaced, say AcceptDevice";

/** Whether its device was met, and what it offers was chosen: from then on the camera is this device. */
function isSetUp({ connection: { deviceIdentity, streams } }: Camera): boolean {
  return (
    deviceIdentity !== undefined ||
    Object.values(streams).some(({ profileToken }) => profileToken !== undefined)
  );
}

/** Whether the device that answers is the camera beyond doubt: only then is what is known of the camera replaced by it. */
function isCertain({ connection }: Camera, known: DeviceTraits | undefined, shown: DeviceTraits): boolean {
  if (known !== undefined) return sameDevice(known, shown) === "same";
  const { deviceIdentity = "" } = connection;
  return deviceIdentity === "" || shown.identity === "" || shown.identity === deviceIdentity;
}

/** Where a device is asked, whoever asks. */
function placeOf({ login: _login, password: _password, ...place }: DeviceQuestion): string {
  return JSON.stringify(place);
}

/** How the device behind a camera is asked. */
export function questionOf(camera: Camera): DeviceQuestion {
  const { login, password } = camera.connection;
  const { secureConnectionOnly: secureOnly, ipv6Enabled, externalPorts } = cameraOptions(camera).connection;
  return { address: deviceOf(camera), login, password, secureOnly, ipv4Only: !ipv6Enabled, externalPorts };
}
