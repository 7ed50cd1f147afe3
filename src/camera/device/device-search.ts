import { type Clock, errorText, type Log, US_PER_MS } from "../../base/index.js";
import type { Camera } from "../../site/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import { parseDeviceHost, urlHost } from "../description/device-host.js";
import { type DeviceTraits, isKnownOpenly, sameDevice, traitsOf } from "../description/device-traits.js";
import type { DeviceProof } from "../onvif/device-proof.js";
import { questionOf } from "./camera-devices.js";
import { attemptLogin } from "./login-attempt.js";
import type { LoginBudgets } from "./login-budget.js";

/** A device as it is heard: anybody may say anything there. */
export interface DevicePlace {
  /** Endpoint reference that it announces; empty where it announces none. */
  readonly identity: string;
  /** Host that answered. */
  readonly host: string;
  /** As a camera's Hostname. */
  readonly hostname: string;
  /** That it announces in its scopes; empty where it announces none. */
  readonly model: string;
}

/** Finds which devices are where; discovery does. */
export interface PlaceFinder {
  /** Looks now; all that answer. */
  look(): Promise<readonly DevicePlace[]>;
  /** What was heard before. */
  known(): readonly DevicePlace[];
  /** Calls `listener` when a device says of itself where it is. */
  onSeen(listener: (place: DevicePlace) => void): void;
}

/** Who answers at an address (`proveDevice`). */
export type DeviceProver = (access: DeviceAccess, signal?: AbortSignal) => Promise<DeviceProof>;

/** A camera whose device is not where it was, and what is known of the device. */
export interface LostCamera {
  readonly camera: Camera;
  /** Its endpoint references, reported and announced; may be empty. */
  readonly identities: ReadonlySet<string>;
  /** Undefined: it was never met by this version. */
  readonly traits: DeviceTraits | undefined;
  /** It took the login where it was: a device that asks for none is another one. */
  readonly takesLogin: boolean;
}

export interface DeviceSearchOptions {
  readonly prove: DeviceProver;
  /** See `macOf`. */
  readonly macOf: (host: string) => Promise<string>;
  readonly budgets: LoginBudgets;
  readonly clock: Clock;
  readonly log: Log;
}

/** A device that is another one is asked again after this, longer each time: accounts lock, and a camera may boot. */
const ASK_AGAIN_MS = 600_000;
const ASK_AGAIN_MS_MAX = 6 * 3_600_000;
/** Devices that are asked for one lost camera in one look. */
const PLACES_MAX = 4;
/** Devices remembered as others. */
const OTHERS_MAX = 1024;

/**
 * Finds the device of a lost camera among those that answer. One that announces the camera's identity is asked first,
 * then those that may be it: a device may have given itself another identity. Believed is what the device shows over
 * HTTP to who logs in, and the login goes as a digest.
 */
export class DeviceSearch {
  readonly #options: DeviceSearchOptions;
  readonly #others = new Map<string, { readonly untilUs: number; readonly times: number }>();

  constructor(options: DeviceSearchOptions) {
    this.#options = options;
  }

  /**
   * The Hostname at which the camera's device is now; undefined when it was not found. `isAlone`: no other lost camera
   * can be the same device, so that a device of its model that takes its login is it.
   */
  async find(
    lost: LostCamera,
    places: readonly DevicePlace[],
    { isAlone, signal }: { readonly isAlone: boolean; readonly signal: AbortSignal },
  ): Promise<string | undefined> {
    const claims = places.filter(({ identity }) => lost.identities.has(identity));
    const others = places.filter((place) => !claims.includes(place) && mayBe(place, lost));
    const [same, likely]: [Set<string>, Set<string>] = [new Set(), new Set()];
    for (const place of [...claims, ...others].slice(0, PLACES_MAX)) {
      const verdict = await this.#verdict(lost, place, signal);
      const hostname = movedHostname(lost.camera.connection.hostname, place.hostname);
      if (hostname === undefined || verdict === "other") continue;
      (verdict === "same" ? same : likely).add(hostname);
      // Who announces nothing of the camera is asked only where nobody proved to be it.
      if (same.size > 0 && !claims.includes(place)) break;
    }
    const [found, ...further] = same.size > 0 ? same : isAlone ? likely : [];
    if (further.length > 0)
      this.#options.log.warn(
        { addresses: [found, ...further] },
        "several devices prove to be the camera: none is followed",
      );
    return further.length > 0 ? undefined : found;
  }

  async #verdict(
    lost: LostCamera,
    place: DevicePlace,
    signal: AbortSignal,
  ): Promise<"same" | "likely" | "other"> {
    const key = JSON.stringify([lost.camera.id, place.hostname, place.identity]);
    const { clock, log } = this.#options;
    const known = this.#others.get(key);
    if (known !== undefined && known.untilUs > clock.monotonicUs()) return "other";
    let verdict: "same" | "likely" | "other" = "other";
    try {
      verdict = await this.#judge(lost, place, signal);
    } catch (error) {
      if (!(error instanceof CameraFailure)) throw error;
      log.info(
        { address: place.hostname, error: errorText(error) },
        "the device found does not prove to be the camera",
      );
      if (error.lostCause !== "unauthorized") return "other";
    }
    if (verdict === "other") this.#isOther(key, known?.times ?? 0, place);
    return verdict;
  }

  async #judge(
    { camera, identities, traits, takesLogin }: LostCamera,
    place: DevicePlace,
    signal: AbortSignal,
  ): Promise<"same" | "likely" | "other"> {
    const { prove, budgets, macOf, clock } = this.#options;
    const { login, password, secureOnly, externalPorts } = questionOf(camera);
    const address = movedHostname(camera.connection.hostname, place.hostname) ?? place.hostname;
    const access = { address, login, password, clock, secureOnly, externalPorts };
    const proof = await attemptLogin(budgets, { login: { device: address, login, password }, signal }, () =>
      prove(access, signal),
    );
    const isUser = proof.tookLogin || login === "";
    const shown = traitsOf({ ...proof, mac: await macOf(place.host) }, place.identity);
    // Where it was announced before is not kept; that it announces what the camera is known by counts the same.
    const announced = identities.has(place.identity) ? place.identity : (traits?.announced ?? "");
    const isNamed = identities.has(shown.identity);
    const known = { ...(traits ?? shown), announced, ...(isNamed ? { identity: shown.identity } : {}) };
    const sameness = traits === undefined && !isNamed ? "other" : sameDevice(known, shown);
    if (sameness === "other") return "other";
    if (sameness === "same") {
      // Some devices ask for a login at their streams alone: nobody can say there that he is the user.
      const isOpen = !takesLogin && traits !== undefined && isKnownOpenly(known, shown);
      return isUser || isOpen ? "same" : "other";
    }
    return proof.tookLogin && isAlike(traits, shown) ? "likely" : "other";
  }

  #isOther(key: string, times: number, place: DevicePlace): void {
    const { clock, log } = this.#options;
    const waitMs = Math.min(ASK_AGAIN_MS * 6 ** times, ASK_AGAIN_MS_MAX);
    this.#others.delete(key);
    this.#others.set(key, { untilUs: clock.monotonicUs() + waitMs * US_PER_MS, times: times + 1 });
    const [oldest] = this.#others.keys();
    if (this.#others.size > OTHERS_MAX && oldest !== undefined) this.#others.delete(oldest);
    log.info(
      { address: place.hostname, identity: place.identity },
      "another device is at the address found: it is left alone",
    );
  }
}

/** Whether a device that announces another identity is worth a login. */
function mayBe({ model }: DevicePlace, { traits }: LostCamera): boolean {
  if (traits === undefined) return false;
  if (model === "" || traits.model === "") return true;
  const [one, other] = [model.toLowerCase(), traits.model.toLowerCase()];
  return one.includes(other) || other.includes(one);
}

/** Devices that report nothing by which one is known: their maker and model are the same, and neither has what the other lacks. */
function isAlike(known: DeviceTraits | undefined, shown: DeviceTraits): boolean {
  if (known === undefined || known.model === "") return false;
  const same = (name: "manufacturer" | "model" | "hardwareId"): boolean => known[name] === shown[name];
  return (
    same("manufacturer") &&
    same("model") &&
    same("hardwareId") &&
    known.identity === "" &&
    shown.identity === ""
  );
}

/** The configured hostname with another address in it: scheme, path and port stay where the news names none. */
function movedHostname(hostname: string, address: string): string | undefined {
  const before = parseDeviceHost(hostname);
  const now = parseDeviceHost(address);
  if (before === undefined || now === undefined) return undefined;
  const port = now.port ?? before.port;
  const place = `${urlHost(now.host)}${port === undefined ? "" : `:${port}`}`;
  const match = /^(https?:\/\/)[^/?#]*(.*)$/i.exec(hostname.trim());
  return match === null ? place : `${match[1] ?? ""}${place}${match[2] ?? ""}`;
}
