import { type Clock, US_PER_MS } from "../../base/index.js";
import { type DeviceAnnouncement, type ScopeNames, scopeNames } from "./discovery-message.js";

/** Maximum number of devices in a table: far above what a site has, so that whoever answers for many hides no camera. */
export const TABLE_DEVICES_MAX = 8192;
/** Maximum number of devices announced from one address: above what a gateway needs, so it only stops floods. */
export const DEVICES_PER_SOURCE_MAX = 256;
/** A full table evicts a device only after not hearing from it for this long; until then it accepts no new one. */
const GIVE_UP_US = 60_000_000;
/** A device is removed after a day of silence; most send Hello only when they start. */
export const DEVICE_AGE_MAX_US = 86_400_000_000;
/** If one of two devices with the same identity was heard this much earlier, it has probably moved to the other address. */
export const MOVED_MS = 30_000;

/** A device on the network, as it announces itself. */
export interface FoundDevice {
  /** Endpoint reference, normalized; empty for a device that only answered over HTTP and did not report it. */
  readonly identity: string;
  /** The address it answered from, or is reached at. */
  readonly address: string;
  /** The address that it was heard from, where that is another one. */
  readonly heardFrom?: string;
  /** Port of its device service. */
  readonly port: number;
  readonly isSecure: boolean;
  /** The path of its device service. */
  readonly path: string;
  readonly names: ScopeNames;
  readonly types: readonly string[];
  /** The interface it was heard on; empty if unknown. */
  readonly interfaceName: string;
  /** Monotonic clock. */
  readonly seenUs: number;
}

/** A device in a table, and whether another address claims its identity at the same time. */
export interface ListedDevice extends FoundDevice {
  readonly isIdentityShared: boolean;
  /** Milliseconds since it was heard. */
  readonly heardAgoMs: number;
}

/** Where an announcement came from. */
export interface AnnouncementSource {
  readonly address: string;
  /** The address of the datagram, where the device is reached at another one. */
  readonly heardFrom?: string;
  readonly interfaceName: string;
}

export type Noted = "new" | "known" | "refused";

/** The devices heard, by identity and address. Only messages from its own address change an entry, or from the one that made it. */
export class DeviceTable {
  readonly #clock: Clock;
  /** The one that was not heard for longest first. */
  readonly #devices = new Map<string, FoundDevice>();
  readonly #perSource = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#devices.size;
  }

  /** Whether a device is known at an address. */
  hasAddress(address: string): boolean {
    return this.#perSource.has(address);
  }

  /** The device described by an announcement. */
  deviceOf(announcement: DeviceAnnouncement, source: AnnouncementSource): FoundDevice {
    return {
      identity: announcement.identity,
      ...serviceOf(announcement, source.address),
      ...source,
      names: scopeNames(announcement.scopes),
      types: announcement.types,
      seenUs: this.#clock.monotonicUs(),
    };
  }

  /** Adds or updates a device. An update keeps the fields that are missing in it. */
  note(device: FoundDevice): Noted {
    const key = keyOf(device);
    const known = this.#devices.get(key);
    if (known === undefined && !this.#makeRoom(device)) return "refused";
    if (known !== undefined && !mayChange(known, device)) return "known";
    const names = known === undefined ? device.names : filledNames(device.names, known.names);
    this.#devices.delete(key);
    this.#devices.set(key, { ...device, names });
    if (known !== undefined) return "known";
    this.#perSource.set(device.address, (this.#perSource.get(device.address) ?? 0) + 1);
    return "new";
  }

  /** Removes a device that sent Bye from `address`; a Bye from another address is ignored. */
  leave(identity: string, address: string): void {
    if (identity === "") return;
    const key = keyOf({ identity, address, port: 0 });
    const device = this.#devices.get(key);
    if (device !== undefined) this.#remove(key, device);
    if (!address.includes(":")) return;
    for (const [other, { heardFrom, ...rest }] of this.#devices)
      if (heardFrom === address && rest.identity === identity) this.#remove(other, rest);
  }

  /** Whether another address than its own said that it is this device. */
  isElsewhere({ identity, address }: FoundDevice): boolean {
    if (identity === "") return false;
    return [...this.#devices.values()].some(
      (other) => other.identity === identity && other.address !== address,
    );
  }

  /**
   * Forgets the addresses that devices have left: all were asked since `sinceUs`, `heard` answered, and one of them is a
   * device that did not answer from an address where it was before.
   */
  forgetLeft(heard: readonly FoundDevice[], sinceUs: number): void {
    const answered = new Set(heard.map(({ identity }) => identity));
    for (const [key, device] of this.#devices) {
      if (device.identity === "" || device.seenUs >= sinceUs) continue;
      if (answered.has(device.identity)) this.#remove(key, device);
    }
  }

  /** Every device that was heard at `sinceUs` (monotonic clock) or later, in the order of addresses. */
  devices(sinceUs = Number.NEGATIVE_INFINITY): ListedDevice[] {
    this.#forgetOld();
    const all = [...this.#devices.values()];
    const heard = all.filter(({ seenUs }) => seenUs >= sinceUs);
    const shared = sharedOf(heard);
    const nowUs = this.#clock.monotonicUs();
    const listed = heard.map((device) => ({
      ...device,
      isIdentityShared: shared.has(device),
      heardAgoMs: (nowUs - device.seenUs) / US_PER_MS,
    }));
    return listed.sort(byAddress);
  }

  #makeRoom({ address, seenUs }: FoundDevice): boolean {
    if ((this.#perSource.get(address) ?? 0) >= DEVICES_PER_SOURCE_MAX) return false;
    if (this.#devices.size < TABLE_DEVICES_MAX) return true;
    const [oldest] = this.#devices;
    if (oldest === undefined || seenUs - oldest[1].seenUs < GIVE_UP_US) return false;
    this.#remove(...oldest);
    return true;
  }

  #forgetOld(): void {
    const beforeUs = this.#clock.monotonicUs() - DEVICE_AGE_MAX_US;
    for (const [key, device] of this.#devices) {
      if (device.seenUs >= beforeUs) return;
      this.#remove(key, device);
    }
  }

  #remove(key: string, { address }: FoundDevice): void {
    if (!this.#devices.delete(key)) return;
    const left = (this.#perSource.get(address) ?? 1) - 1;
    if (left > 0) this.#perSource.set(address, left);
    else this.#perSource.delete(address);
  }
}

/**
 * The location of the device service: the announced address whose host is the one that answered. Behind NAT, or with an
 * outdated announcement, there is none; then port and path of the first are used with the address that answered.
 */
export function serviceOf(
  { xaddrs }: Pick<DeviceAnnouncement, "xaddrs">,
  address: string,
): Pick<FoundDevice, "port" | "isSecure" | "path"> {
  const urls = xaddrs.map((xaddr) => new URL(xaddr));
  const own = urls.filter((url) => url.hostname.replace(/^\[|\]$/g, "") === address.split("%")[0]);
  const candidates = own.length > 0 ? own : urls;
  const url = candidates.find(({ protocol }) => protocol === "http:") ?? candidates[0];
  if (url === undefined) return { port: 80, isSecure: false, path: "/onvif/device_service" };
  const isSecure = url.protocol === "https:";
  return { port: Number(url.port) || (isSecure ? 443 : 80), isSecure, path: url.pathname };
}

/**
 * The devices that share their identity: another address says it is the same one, and neither has just moved away. `heard`
 * has each identity at an address once, by time: who shares it with anybody does so with the one before or behind.
 */
function sharedOf(heard: readonly FoundDevice[]): ReadonlySet<FoundDevice> {
  const shared = new Set<FoundDevice>();
  const last = new Map<string, FoundDevice>();
  for (const device of heard) {
    if (device.identity === "") continue;
    const before = last.get(device.identity);
    if (before !== undefined && device.seenUs - before.seenUs < MOVED_MS * US_PER_MS)
      shared.add(before).add(device);
    last.set(device.identity, device);
  }
  return shared;
}

function keyOf({ identity, address, port }: Pick<FoundDevice, "identity" | "address" | "port">): string {
  return identity === "" ? `${address} ${port}` : `${identity} ${address}`;
}

/** Whether a message is from the address of an entry, or from where the entry is from. */
function mayChange(known: FoundDevice, { address, heardFrom = address }: FoundDevice): boolean {
  return heardFrom === address || known.heardFrom === heardFrom;
}

function filledNames(fresh: ScopeNames, known: ScopeNames): ScopeNames {
  return {
    name: fresh.name || known.name,
    manufacturer: fresh.manufacturer || known.manufacturer,
    model: fresh.model || known.model,
    location: fresh.location || known.location,
  };
}

function byAddress(a: FoundDevice, b: FoundDevice): number {
  return a.address.localeCompare(b.address, "en", { numeric: true }) || a.port - b.port;
}
