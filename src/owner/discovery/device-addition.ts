import type { Guid } from "../../base/index.js";
import {
  camerasOf,
  camerasOfDevice,
  channelNumberOf,
  type DeviceDescription,
  type DeviceDirectory,
  type DeviceReading,
  type DiscoveredDevice,
  deviceHostname,
  hostnameHost,
  modelFor,
  type OnvifCameraOptions,
  sameDevice,
  traitsOf,
  twinsOf,
} from "../../camera/index.js";
import { addCameras } from "../../compat/index.js";
import type { AdditionResult } from "../../contract/answer/index.js";
import { type ArchivingMode, type Camera, SITE_LIMITS, type Site } from "../../site/index.js";

/** A device that is to be added. */
export interface DeviceRequest {
  /** Empty: found by its identity. */
  readonly address: string;
  /** Normalized; empty: any device at the address. */
  readonly identity: string;
  readonly name: string | undefined;
  readonly login: string;
  readonly password: string;
  readonly channelNumbers: readonly number[] | undefined;
}

/** The settings for all devices of a request. */
export interface AdditionDefaults {
  readonly soundReceivingEnabled: boolean | undefined;
  readonly ptzEnabled: boolean | undefined;
  readonly archivingMode: ArchivingMode | undefined;
  /** The security object for the cameras. */
  readonly parentId: Guid;
}

export interface AdditionOutcome {
  readonly result: AdditionResult;
  readonly reason: string;
  readonly warnings: readonly string[];
  /** The cameras' Hostname. */
  readonly address: string;
  readonly identity: string;
  readonly name: string;
  readonly modelId: Guid | null;
  readonly channelIds: readonly Guid[];
}

/** A device with its address, or the reason why it is not read. */
interface PlacedDevice {
  readonly request: DeviceRequest;
  readonly address: string;
  readonly identity: string;
  readonly name: string;
  /** Whether other devices have the same host. */
  readonly sharesHost: boolean;
  /** See `DevicePlace`. */
  readonly twins: readonly string[];
  readonly isAnother: (camera: Camera) => boolean;
  readonly settled?: AdditionOutcome;
}

interface ReadDevice {
  readonly placed: PlacedDevice;
  readonly reading: DeviceReading | undefined;
}

/** Devices that were read, ready to be added to a configuration. */
export class DeviceAddition {
  readonly #devices: readonly ReadDevice[];
  readonly #defaults: AdditionDefaults;
  readonly #known: DeviceDirectory;
  #outcomes: readonly AdditionOutcome[] = [];

  private constructor(
    devices: readonly ReadDevice[],
    options: { readonly defaults: AdditionDefaults; readonly devices: DeviceDirectory },
  ) {
    this.#devices = devices;
    this.#defaults = options.defaults;
    this.#known = options.devices;
  }

  /**
   * Finds and reads the devices; those already in the configuration are not contacted. Rejects with NvrdError NOT_AVAILABLE if
   * others are being read.
   */
  static async read(
    requests: readonly DeviceRequest[],
    options: { readonly site: Site; readonly devices: DeviceDirectory; readonly defaults: AdditionDefaults },
  ): Promise<DeviceAddition> {
    const { devices, site, defaults } = options;
    const known = await knownFor(requests, devices);
    const placed = requests.map((request) => place(request, known, { site, devices }));
    const toRead = placed.filter(({ settled }) => settled === undefined);
    const readings = await devices.read(
      toRead.map(({ address, request }) => ({ address, login: request.login, password: request.password })),
    );
    const read = placed.map((device) => ({ placed: device, reading: readings[toRead.indexOf(device)] }));
    return new DeviceAddition(read, { defaults, devices });
  }

  /** The configuration with the cameras of all devices that could be read. May be called again on a newer one. */
  addTo(site: Site): Site {
    let current = site;
    const added = new Map<Guid, DeviceDescription>();
    this.#outcomes = this.#devices.map((device) => {
      const { site: next, outcome } = this.#addOne(device, current, added);
      current = next;
      return outcome;
    });
    return current;
  }

  /** The result for each device, in the order of the request. */
  get outcomes(): readonly AdditionOutcome[] {
    return this.#outcomes;
  }

  /** `added`: what the devices said whose cameras this request has added already, by camera. */
  #addOne(
    { placed, reading }: ReadDevice,
    site: Site,
    added: Map<Guid, DeviceDescription>,
  ): { site: Site; outcome: AdditionOutcome } {
    if (placed.settled !== undefined) return { site, outcome: placed.settled };
    const description = reading?.description;
    if (reading === undefined || description === undefined) {
      const result = reading?.result ?? "Failed";
      return { site, outcome: settle(placed, result === "Readable" ? "Failed" : result, reading) };
    }
    const { request, address } = placed;
    const identity = description.identity ?? placed.identity;
    const device = { ...placed, identity };
    if (request.identity !== "" && identity !== request.identity) {
      return { site, outcome: settle(device, "OtherDevice", { reason: "another device answers there" }) };
    }
    const all = camerasOfDevice(description, this.#cameraOptions(placed, site));
    const present = site.cameras.filter((camera) => {
      const just = added.get(camera.id);
      const twins = just === undefined ? placed.twins : [];
      const isAnotherOne = (one: Camera): boolean => this.#known.isTwin(one, description);
      const it = { identity, hostname: address, twins, isAnother: isAnotherOne };
      const isOfIt = camerasOf(it, [camera], placed.sharesHost).length > 0;
      return isOfIt && !isAnother(just, description);
    });
    const cameras = all
      .filter((camera) => !present.some((other) => channelNumberOf(other) === channelNumberOf(camera)))
      .map((camera) => this.#withDefaults(camera));
    if (all.length === 0) {
      return {
        site,
        outcome: settle(device, "NoStream", { reason: "it has no such channel with a stream" }),
      };
    }
    if (cameras.length === 0) return { site, outcome: alreadyAdded(device, present) };
    if (site.cameras.length + cameras.length > SITE_LIMITS.camerasMax) {
      const reason = `${SITE_LIMITS.camerasMax} cameras are possible, it has ${cameras.length}`;
      return { site, outcome: settle(device, "TooMany", { reason }) };
    }
    const { parentId } = this.#defaults;
    for (const { id } of cameras) added.set(id, description);
    const next = addCameras(
      site,
      cameras.map((camera) => ({ camera, parentId })),
    );
    const outcome: AdditionOutcome = {
      ...settle(device, "Added", reading),
      name: request.name ?? cameras[0]?.name ?? "",
      modelId: modelFor(description.manufacturer, description.model).id,
      channelIds: cameras.map(({ id }) => id),
    };
    return { site: next, outcome };
  }

  #cameraOptions({ request, address, identity, name }: PlacedDevice, site: Site): OnvifCameraOptions {
    return {
      ownerServerId: site.server.id,
      hostname: address,
      login: request.login,
      password: request.password,
      name,
      channelNumbers: request.channelNumbers,
      soundReceivingEnabled: this.#defaults.soundReceivingEnabled,
      ptzEnabled: this.#defaults.ptzEnabled,
      identity: identity === "" ? undefined : identity,
    };
  }

  #withDefaults(camera: Camera): Camera {
    const { archivingMode = camera.archive.archivingMode } = this.#defaults;
    return { ...camera, archive: { ...camera.archive, archivingMode } };
  }
}

/**
 * What was heard of the devices; a scan when one of them is named by its identity alone, and where it is now is not
 * certain: not heard, heard at several addresses, or not lately.
 */
async function knownFor(
  requests: readonly DeviceRequest[],
  devices: DeviceDirectory,
): Promise<readonly DiscoveredDevice[]> {
  const known = devices.known();
  const isUncertain = ({ address, identity }: DeviceRequest): boolean => {
    if (address !== "") return false;
    const [device, ...others] = known.filter((candidate) => candidate.identity === identity);
    return device === undefined || others.length > 0 || device.heardAgoMs > HEARD_LATELY_MS;
  };
  return requests.some(isUncertain) ? await devices.scan({}) : known;
}

/** A device that was heard so lately is where it was heard. */
const HEARD_LATELY_MS = 60_000;

function place(
  request: DeviceRequest,
  known: readonly DiscoveredDevice[],
  { site, devices }: { readonly site: Site; readonly devices: DeviceDirectory },
): PlacedDevice {
  const heard = known.filter((device) => isMeant(device, request));
  const [found] = heard;
  const address = request.address || (found === undefined ? "" : deviceHostname(found));
  const host = hostnameHost(address);
  const placed: PlacedDevice = {
    request,
    // The discovered address also has the port of the device service.
    address: heard.length === 1 && found !== undefined ? deviceHostname(found) : address,
    identity: request.identity || (heard.length === 1 ? (found?.identity ?? "") : ""),
    name: request.name ?? found?.names.name ?? "",
    sharesHost: known.filter((device) => device.address === host).length > 1,
    twins: heard.length === 1 && found !== undefined ? twinsOf(found, known) : [],
    isAnother: (camera) => heard.length === 1 && found !== undefined && devices.isAnother(found, camera),
  };
  if (request.address === "" && heard.length !== 1) {
    return {
      ...placed,
      settled:
        found === undefined ? settle(placed, "NotFound", NOT_HEARD) : settle(placed, "Ambiguous", SHARED),
    };
  }
  const present = camerasOf({ ...placed, hostname: placed.address }, site.cameras, placed.sharesHost);
  const wanted = request.channelNumbers;
  const has = (number: number): boolean => present.some((camera) => channelNumberOf(camera) === number);
  const isThere = wanted === undefined ? present.length > 0 : wanted.every(has);
  return isThere ? { ...placed, settled: alreadyAdded(placed, present) } : placed;
}

/**
 * Whether two devices that answered just now, at two addresses and with one identity, are two: one with two addresses has one
 * serial number, or one network card.
 */
function isAnother(one: DeviceDescription | undefined, other: DeviceDescription): boolean {
  if (one === undefined) return false;
  const [known, shown] = [traitsOf(one), traitsOf(other)];
  const isOneCard = known.mac !== "" && known.mac === shown.mac;
  return sameDevice({ ...known, identity: "" }, { ...shown, identity: "" }) !== "same" && !isOneCard;
}

const NOT_HEARD = { reason: "no device of this identity answers: give its Address" };
const SHARED = { reason: "several addresses claim this identity: give the Address of the right one" };

function isMeant(device: DiscoveredDevice, { address, identity }: DeviceRequest): boolean {
  if (identity !== "" && device.identity !== identity) return false;
  if (address === "") return true;
  const hostname = deviceHostname(device);
  return hostname === address || (device.address === address && !address.includes(":"));
}

function settle(
  { address, identity, name }: PlacedDevice,
  result: AdditionResult,
  readingState: Partial<Pick<DeviceReading, "reason" | "warnings">> | undefined,
): AdditionOutcome {
  const { reason = "it was not read", warnings = [] } = readingState ?? {};
  return { result, reason, warnings, address, identity, name, modelId: null, channelIds: [] };
}

function alreadyAdded(device: PlacedDevice, present: readonly Camera[]): AdditionOutcome {
  return {
    ...settle(device, "AlreadyAdded", { reason: "" }),
    modelId: present[0]?.connection.modelId ?? null,
    channelIds: present.map(({ id }) => id),
  };
}
