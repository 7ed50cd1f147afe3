import { type Clock, type ClockTimer, errorText, type Log, NvrdError, US_PER_MS } from "../../base/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import type { DeviceAccess } from "../description/device-access.js";
import { parseDeviceHost, urlHost } from "../description/device-host.js";
import { type CameraDevices, questionOf } from "./camera-devices.js";
import type { DeviceInspection } from "./device-inspection.js";
import { connectionOf } from "./stream-address.js";

/** Finds the address of a device by its identity; implemented by discovery. */
export interface AddressFinder {
  /** Searches now. Returns the address (host, or host:port) the device answers from, undefined if not found. */
  find(identity: string): Promise<string | undefined>;
  /** Calls `listener` when a device announces its address. */
  onMoved(listener: (identity: string, address: string) => void): void;
}

/** Reads the identity of the device at an address, without a login. */
export type IdentityReader = (access: DeviceAccess, signal?: AbortSignal) => Promise<string | undefined>;

/** A device that has not answered for this long is searched for at other addresses. A reboot takes less time. */
export const LOST_MS = 30_000;
/** How often lost devices are detected. */
const CHECK_INTERVAL_MS = 10_000;
/** Minimum time between two searches for one device. */
export const FIND_AGAIN_MS = 60_000;
/** Maximum number of queued tasks. Announcements beyond that are dropped; the next check finds those devices. */
const WAITING_MAX = 64;
/** Maximum number of devices searched for in one check. */
const FINDS_MAX = 8;

export interface AddressFollowerOptions {
  readonly site: SiteStore;
  readonly devices: CameraDevices;
  readonly finder: AddressFinder;
  readonly readIdentity: IdentityReader;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Follows ONVIF cameras whose address changed. A camera is followed only if it does not answer at its address, or another
 * device has that address now, and only to a device that reports the same identity when asked without a login. So an
 * announcement cannot divert a working camera. Until the camera is found, the device that answers at its address is recorded,
 * because some devices change their own identity.
 */
export class AddressFollower {
  readonly #options: AddressFollowerOptions;
  readonly #soughtUs = new Map<string, number>();
  readonly #stop = new AbortController();
  #timer: ClockTimer | undefined;
  #working: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: AddressFollowerOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, finder } = this.#options;
    finder.onMoved((identity, address) => this.#enqueue(() => this.#moved(identity, address)));
    this.#timer = clock.setInterval(() => this.#enqueue(() => this.#checkDevices()), CHECK_INTERVAL_MS);
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
        const words = "unexpected error while searching for a camera's new address";
        this.#options.log.error({ err: error }, words);
      })
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #checkDevices(): Promise<void> {
    const { finder, clock } = this.#options;
    const nowUs = clock.monotonicUs();
    const due = this.#lost(LOST_MS).filter(({ identity }) => {
      const soughtUs = this.#soughtUs.get(identity);
      return soughtUs === undefined || nowUs - soughtUs >= FIND_AGAIN_MS * US_PER_MS;
    });
    for (const { identity, inspection, camera } of due.slice(0, FINDS_MAX)) {
      if (isAnother(inspection, identity) && !this.#soughtUs.has(identity)) {
        const fields = { camera: camera.name, identity, answers: inspection.description?.identity };
        this.#options.log.warn(
          fields,
          "another device answers at the camera's address: searching for the camera",
        );
      }
      this.#soughtUs.set(identity, nowUs);
      const address = await finder.find(identity);
      if (address !== undefined) await this.#moved(identity, address);
      if (this.#stop.signal.aborted) return;
    }
    if (due.length === 0 && this.#lost(0).length === 0) this.#soughtUs.clear();
  }

  /** Cameras with a known identity whose device has not answered for `lostMs`, or has been replaced by another one. */
  #lost(lostMs: number): { camera: Camera; inspection: DeviceInspection; identity: string }[] {
    const { site, devices } = this.#options;
    return site.current.cameras.flatMap((camera) => {
      const { deviceIdentity: identity } = camera.connection;
      if (camera.disabled || identity === undefined || connectionOf(camera) !== "onvif") return [];
      const inspection = devices.inspection(camera);
      if (inspection === undefined) return [];
      if (inspection.unreachableMs <= lostMs && !isAnother(inspection, identity)) return [];
      return [{ camera, inspection, identity }];
    });
  }

  async #moved(identity: string, address: string): Promise<void> {
    const { site, log, readIdentity, clock } = this.#options;
    const lost = this.#lost(0).filter((one) => one.identity === identity);
    const [first] = lost;
    if (first === undefined) return;
    const hostname = movedHostname(first.camera.connection.hostname, address);
    if (hostname === undefined || hostname === first.camera.connection.hostname) return;
    const { secureOnly, externalPorts } = questionOf(first.camera);
    const access = { address: hostname, login: "", password: "", clock, secureOnly, externalPorts };
    const answered = await readIdentity(access, this.#stop.signal).catch((error: unknown) => {
      log.info({ address: hostname, error: errorText(error) }, "no camera answers at the announced address");
      return undefined;
    });
    if (answered !== identity) {
      log.warn(
        { address: hostname, identity },
        "another device answers at the announced address: the camera's address is not changed",
      );
      return;
    }
    await this.#move(new Set(lost.map(({ camera }) => camera.id)), hostname);
    log.info(
      { identity, address: hostname, cameras: lost.length, site: site.current.revision },
      "camera found at a new address",
    );
  }

  async #move(ids: ReadonlySet<string>, hostname: string): Promise<void> {
    const { site, log } = this.#options;
    const names: string[] = [];
    const change = (camera: Camera): Camera => {
      if (!ids.has(camera.id)) return camera;
      names.push(camera.name);
      return { ...camera, connection: { ...camera.connection, hostname } };
    };
    try {
      await site.change(
        (current) => {
          names.length = 0;
          return { ...current, cameras: current.cameras.map(change) };
        },
        { summary: () => `camera found at a new address: ${names.slice(0, 3).join(", ")}` },
      );
    } catch (error) {
      if (!(error instanceof NvrdError)) throw error;
      log.error({ error: errorText(error) }, "a camera's new address cannot be saved");
    }
  }
}

/** Whether the device that answers is not the camera's; false if it does not report its identity. */
function isAnother({ description }: DeviceInspection, identity: string): boolean {
  return description?.identity !== undefined && description.identity !== identity;
}

/** The configured hostname with the new address; scheme, path and port are kept unless `address` names them. */
function movedHostname(hostname: string, address: string): string | undefined {
  const before = parseDeviceHost(hostname);
  const now = parseDeviceHost(address);
  if (before === undefined || now === undefined) return undefined;
  const port = now.port ?? before.port;
  const place = `${urlHost(now.host)}${port === undefined ? "" : `:${port}`}`;
  const match = /^(https?:\/\/)[^/?#]*(.*)$/i.exec(hostname.trim());
  return match === null ? place : `${match[1] ?? ""}${place}${match[2] ?? ""}`;
}
