import { type Clock, type ClockTimer, errorText, type Log, NvrdError, US_PER_MS } from "../../base/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import { parseDeviceHost } from "../description/device-host.js";
import { type CameraDevices, questionOf } from "./camera-devices.js";
import type { CameraNotes } from "./camera-notes.js";
import {
  type DevicePlace,
  DeviceSearch,
  type DeviceSearchOptions,
  type LostCamera,
  type PlaceFinder,
} from "./device-search.js";
import { connectionOf } from "./stream-address.js";

/** A device that has not answered for this long is looked for elsewhere: one that boots is back by then. */
export const LOST_MS = 30_000;
/** How often lost devices are detected. */
const LOOK_MS = 10_000;
/** A device that was looked for is not looked for again sooner. */
export const FIND_AGAIN_MS = 60_000;
/** Works that wait: announcements beyond them are left out, the next look finds the same. */
const WAITING_MAX = 64;
/** Cameras looked for in one look. */
const FINDS_MAX = 64;

export interface AddressFollowerOptions extends Omit<DeviceSearchOptions, "clock" | "log"> {
  readonly site: SiteStore;
  readonly devices: CameraDevices;
  readonly notes: CameraNotes;
  readonly finder: PlaceFinder;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Follows ONVIF cameras whose address changed. Only a camera that does not answer where it was, or whose address another
 * device has now, is followed, and only to a device that proves to be it (`DeviceSearch`): so no announcement takes a
 * working camera away.
 */
export class AddressFollower {
  readonly #options: AddressFollowerOptions;
  readonly #search: DeviceSearch;
  /** When a camera was looked for, by its id. */
  readonly #soughtUs = new Map<string, number>();
  readonly #stop = new AbortController();
  #timer: ClockTimer | undefined;
  #working: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: AddressFollowerOptions) {
    this.#options = options;
    this.#search = new DeviceSearch(options);
  }

  start(): void {
    const { clock, finder } = this.#options;
    finder.onSeen((place) => this.#enqueue(() => this.#seen(place)));
    this.#timer = clock.setInterval(() => this.#enqueue(() => this.#look()), LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer?.clear();
    await this.#working;
  }

  #enqueue(work: () => Promise<void>): void {
    if (this.#stop.signal.aborted || this.#waiting >= WAITING_MAX) return;
    this.#waiting += 1;
    this.#working = this.#working
      .then(work)
      .catch((error: unknown) => {
        if (error instanceof NvrdError) return;
        const words = "looking for a camera's new address failed in an unforeseen way";
        this.#options.log.error({ err: error }, words);
      })
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #look(): Promise<void> {
    const { finder, clock } = this.#options;
    this.#noteAnnounced(finder.known());
    const lost = this.#lost(LOST_MS);
    if (lost.length === 0) this.#soughtUs.clear();
    const nowUs = clock.monotonicUs();
    const due = lost.filter(({ camera: { id } }) => {
      const soughtUs = this.#soughtUs.get(id);
      return soughtUs === undefined || nowUs - soughtUs >= FIND_AGAIN_MS * US_PER_MS;
    });
    if (due.length === 0) return;
    for (const { camera } of due) {
      if (!this.#soughtUs.has(camera.id)) this.#reportSearch(camera);
      this.#soughtUs.set(camera.id, nowUs);
    }
    const places = await finder.look();
    for (const one of due.slice(0, FINDS_MAX)) {
      if (this.#stop.signal.aborted) return;
      await this.#follow(one, lost, places);
    }
  }

  /** A device says Hello, or is heard where it was not known: news of a camera that does not answer, if it is one. */
  async #seen(place: DevicePlace): Promise<void> {
    const lost = this.#lost(0);
    for (const one of lost) {
      if (one.identities.has(place.identity)) await this.#follow(one, lost, [place]);
    }
  }

  async #follow(lost: LostCamera, all: readonly LostCamera[], places: readonly DevicePlace[]): Promise<void> {
    const { site, log } = this.#options;
    // The channels of one device are followed together, with the first of them.
    const camera = site.current.cameras.find(({ id }) => id === lost.camera.id);
    if (camera?.connection.hostname !== lost.camera.connection.hostname) return;
    if (this.#isAtHome(lost, places)) return;
    const taken = this.#takenHosts();
    const free = places.filter(({ host }) => !taken.has(host));
    const isAlone = this.#lost(0).every((other) => isOneDevice(other, lost) || !isLike(other, lost));
    const hostname = await this.#search.find(lost, free, { isAlone, signal: this.#stop.signal });
    if (hostname === undefined || hostname === camera.connection.hostname) return;
    const moved = all.filter((other) => isOneDevice(other, lost)).map((other) => other.camera);
    await this.#move(moved, hostname);
    const fields = { address: hostname, cameras: moved.length, site: site.current.revision };
    log.info(fields, "camera found at a new address");
  }

  /** It answers where it was: what is wrong with it is something else. */
  #isAtHome({ camera, identities }: LostCamera, places: readonly DevicePlace[]): boolean {
    const home = parseDeviceHost(camera.connection.hostname)?.host;
    if (this.#options.devices.isReplaced(camera)) return false;
    return places.some(({ host, identity }) => host === home && identities.has(identity));
  }

  /** Where cameras answer that are what they were. */
  #takenHosts(): Set<string> {
    const { site, devices } = this.#options;
    const hosts = site.current.cameras.flatMap((camera) => {
      const inspection = devices.inspection(camera);
      const isWell = inspection?.description !== undefined && inspection.failingMs === 0;
      return isWell && !this.#isStrange(camera)
        ? [parseDeviceHost(camera.connection.hostname)?.host ?? ""]
        : [];
    });
    return new Set(hosts);
  }

  /** Cameras whose device has not been described for `lostMs`, or is another one than it was. */
  #lost(lostMs: number): LostCamera[] {
    const { site, devices, notes } = this.#options;
    return site.current.cameras.flatMap((camera) => {
      if (camera.disabled || connectionOf(camera) !== "onvif") return [];
      const inspection = devices.inspection(camera);
      if (inspection === undefined) return [];
      if (inspection.failingMs <= lostMs && !this.#isStrange(camera)) return [];
      const { device: traits, tookDigest: takesLogin = false } = notes.of(camera) ?? {};
      const known = [camera.connection.deviceIdentity, traits?.identity, traits?.announced];
      const identities = new Set(known.filter((identity) => identity !== undefined && identity !== ""));
      if (identities.size === 0 && traits === undefined) return [];
      return [{ camera, identities: identities as ReadonlySet<string>, traits, takesLogin }];
    });
  }

  /** Another device answers, or one with another identity: a device may have given itself a new one. */
  #isStrange(camera: Camera): boolean {
    const { devices, notes } = this.#options;
    if (devices.isReplaced(camera)) return true;
    const describedIdentity = devices.inspection(camera)?.description?.identity;
    const known = notes.of(camera)?.device?.identity || camera.connection.deviceIdentity;
    return describedIdentity !== undefined && known !== undefined && describedIdentity !== known;
  }

  #reportSearch(camera: Camera): void {
    if (!this.#isStrange(camera)) return;
    const { identity } = this.#options.devices.inspection(camera)?.description ?? {};
    const fields = { camera: camera.name, identity: camera.connection.deviceIdentity, answers: identity };
    this.#options.log.warn(
      fields,
      "another device answers at the camera's address: searching for the camera",
    );
  }

  /** What cameras announce where they are well, so that they are known by it elsewhere. */
  #noteAnnounced(places: readonly DevicePlace[]): void {
    const { site, devices, notes } = this.#options;
    for (const camera of site.current.cameras) {
      const device = notes.of(camera)?.device;
      const inspection = devices.inspection(camera);
      if (device === undefined || inspection?.failingMs !== 0 || this.#isStrange(camera)) continue;
      const home = parseDeviceHost(camera.connection.hostname)?.host;
      const [place, ...others] = places.filter(({ host }) => host === home);
      if (place === undefined || others.length > 0 || place.identity === "") continue;
      notes.learn(camera, { device: { ...device, announced: place.identity } });
    }
  }

  async #move(cameras: readonly Camera[], hostname: string): Promise<void> {
    const { site, notes, log } = this.#options;
    const ids = new Set(cameras.map(({ id }) => id));
    const names = cameras.map(({ name }) => name).slice(0, 3);
    for (const camera of cameras) notes.moved(camera, hostname);
    const change = (camera: Camera): Camera =>
      ids.has(camera.id) ? { ...camera, connection: { ...camera.connection, hostname } } : camera;
    try {
      await site.change((current) => ({ ...current, cameras: current.cameras.map(change) }), {
        summary: () => `camera found at a new address: ${names.join(", ")}`,
      });
    } catch (error) {
      if (!(error instanceof NvrdError)) throw error;
      log.error({ error: errorText(error) }, "a camera's new address cannot be written down");
    }
  }
}

/** Whether two cameras are channels of one device. */
function isOneDevice(one: LostCamera, other: LostCamera): boolean {
  const known = ({ camera, identities }: LostCamera): string =>
    JSON.stringify([questionOf(camera), [...identities].sort()]);
  return known(one) === known(other);
}

/** Whether two lost cameras could be each other's device, by what is known of them. */
function isLike(one: LostCamera, other: LostCamera): boolean {
  return one.traits?.model === other.traits?.model && one.traits?.manufacturer === other.traits?.manufacturer;
}
