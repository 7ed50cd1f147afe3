import { signal } from "@preact/signals";
import type {
  AdditionItem,
  AdditionResult,
  DiscoveryItem,
  ReadCamera,
  ReadingResult,
} from "../../contract/answer/index.js";

/** What becomes of a camera. */
export type ResultName = ReadingResult | AdditionResult;

/** A camera as the list shows it. The login is in this page alone, until it is sent with the camera. */
export interface Found {
  readonly address: string;
  readonly identity: string;
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  /** It shows itself without a login. */
  readonly isOpen: boolean;
  readonly isAdded: boolean;
  readonly isReading: boolean;
  readonly isChosen: boolean;
  readonly result?: ResultName;
  /** The recorder's own sentence, in English. */
  readonly reason?: string;
  readonly picture?: string;
  /** Of its recorded streams, kbit/s; null where it does not say. */
  readonly rates: readonly (number | null)[];
  readonly login: string;
  readonly password: string;
}

/** By address, in the order in which they answered. */
export const found = signal<readonly Found[]>([]);

export const GROUPS = ["ready", "reading", "login", "unusable", "added"] as const;
export type Group = (typeof GROUPS)[number];

/** Results that another login may mend. */
const LOGIN_RESULTS: ReadonlySet<ResultName> = new Set(["LoginRefused"]);

export function groupOf({ isAdded, isReading, result }: Found): Group {
  if (isAdded) return "added";
  if (isReading) return "reading";
  if (result === undefined || LOGIN_RESULTS.has(result)) return "login";
  return result === "Readable" ? "ready" : "unusable";
}

/**
 * Takes over what a scan has found so far; what is known of a camera stays. One that is slow to answer shows its streams, and who it
 * is, later than its address, or in the next scan.
 */
export function noteScanned(devices: readonly DiscoveryItem[]): void {
  const known = new Map(found.value.map((camera) => [camera.address, camera]));
  for (const device of devices) {
    const before = known.get(device.Address);
    const now = newCamera(device);
    known.set(device.Address, before === undefined ? now : seenAgain(before, now));
  }
  found.value = [...known.values()];
}

function seenAgain(before: Found, now: Found): Found {
  const isNamed = before.name !== before.address;
  return {
    ...before,
    isOpen: before.isOpen || now.isOpen,
    isAdded: now.isAdded,
    identity: before.identity || now.identity,
    name: isNamed ? before.name : now.name,
    manufacturer: before.manufacturer || now.manufacturer,
    model: before.model || now.model,
  };
}

function newCamera(device: DiscoveryItem): Found {
  const { Address, Identity, Name, Manufacturer, Model, Profiles, AlreadyAdded } = device;
  return {
    ...{ address: Address, identity: Identity, manufacturer: Manufacturer, model: Model },
    name: Name === "" ? Address : Name,
    ...{ isOpen: Profiles.length > 0, isAdded: AlreadyAdded, isReading: false, isChosen: !AlreadyAdded },
    ...{ rates: [], login: "", password: "" },
  };
}

/** Changes one camera of the list. */
export function change(address: string, changed: Partial<Found>): void {
  found.value = found.value.map((camera) =>
    camera.address === address ? { ...camera, ...changed } : camera,
  );
}

/** Takes over what cameras have said so far. */
export function noteRead(cameras: readonly ReadCamera[]): void {
  for (const camera of cameras) {
    if (camera.State !== "Read") continue;
    const { Address, Result, Reason, Manufacturer, Model, Streams, Picture } = camera;
    const isKnown = Manufacturer !== "" || Model !== "";
    change(Address, {
      ...{ isReading: false, result: Result, reason: Reason },
      ...(isKnown ? { manufacturer: Manufacturer, model: Model } : {}),
      ...(Picture === null ? {} : { picture: Picture }),
      rates: Streams.map(({ KbitPerSecond }) => KbitPerSecond),
      ...(Result === "Readable" ? { isChosen: true } : {}),
    });
  }
}

/** Takes over what became of cameras that were added. */
export function noteAdded(cameras: readonly AdditionItem[]): void {
  for (const { Address, Result, Reason } of cameras) {
    const isAdded = Result === "Added" || Result === "AlreadyAdded";
    change(Address, isAdded ? { isAdded, isChosen: false } : { result: Result, reason: Reason });
  }
}

/** Cameras of a group by their makers: those usually have one login. */
export function byMaker(cameras: readonly Found[]): readonly (readonly [string, readonly Found[]])[] {
  const makers = new Map<string, Found[]>();
  for (const camera of cameras) {
    const maker = camera.manufacturer;
    makers.set(maker, [...(makers.get(maker) ?? []), camera]);
  }
  return [...makers].toSorted(([one], [other]) => one.localeCompare(other));
}
