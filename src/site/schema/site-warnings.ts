import type { Guid } from "../../base/index.js";
import { cameraOptions } from "../model/camera-settings.js";
import type { Camera, Site } from "../model/model.js";
import { foldName } from "./check-parts.js";

/** What is allowed in a configuration and seldom meant. */
export interface SiteWarning {
  readonly kind: "same-name" | "same-device";
  readonly what: string;
  /** Names of the cameras, in the order of the configuration. */
  readonly names: readonly string[];
  readonly ids: readonly Guid[];
}

/** Whether two cameras are known to be two devices, whatever identity they have. */
export type AreTwoDevices = (one: Camera, other: Camera) => boolean;

/**
 * Cameras that cannot be distinguished, and cameras that are one device: each picture is then recorded twice. Makers are known
 * that give all their devices one identity: `areTwo` knows who is another one all the same.
 */
export function siteWarnings(
  { cameras }: Pick<Site, "cameras">,
  areTwo: AreTwoDevices = () => false,
): readonly SiteWarning[] {
  return [
    ...groupsOf(cameras, ({ name }) => foldName(name)).map((group) =>
      warning("same-name", "cameras with one name, which lists and alarms cannot distinguish", group),
    ),
    ...devicesOf(cameras, areTwo).map((group) =>
      warning("same-device", "cameras that are the same device, so that it is recorded twice", group),
    ),
  ];
}

function warning(kind: SiteWarning["kind"], what: string, group: readonly Camera[]): SiteWarning {
  return { kind, what, names: group.map(({ name }) => name), ids: group.map(({ id }) => id) };
}

/** The cameras that have a key in common; undefined: the camera has none. */
function groupsOf(
  cameras: readonly Camera[],
  keyOf: (camera: Camera) => string | undefined,
): readonly (readonly Camera[])[] {
  const groups = new Map<string, Camera[]>();
  for (const camera of cameras) {
    const key = keyOf(camera);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), camera]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** Cameras at one address, and those of one identity unless they are known to be two. */
function devicesOf(cameras: readonly Camera[], areTwo: AreTwoDevices): readonly (readonly Camera[])[] {
  const groups = new Map<Camera, Set<Camera>>();
  const join = (one: Camera, other: Camera): void => {
    const [into, from] = [groups.get(one) ?? new Set([one]), groups.get(other) ?? new Set([other])];
    for (const camera of from) into.add(camera);
    for (const camera of into) groups.set(camera, into);
  };
  for (const [first, ...others] of groupsOf(cameras, addressOf))
    if (first !== undefined) for (const other of others) join(first, other);
  for (const group of groupsOf(cameras, identityOf)) {
    const devices: Camera[] = [];
    for (const camera of group) {
      const same = devices.find((device) => !areTwo(device, camera));
      if (same === undefined) devices.push(camera);
      else join(same, camera);
    }
  }
  const order = new Map(cameras.map((camera, at) => [camera, at]));
  return [...new Set(groups.values())].map((group) =>
    [...group].sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0)),
  );
}

/** One input of the device with an identity; undefined where it has none. */
function identityOf(camera: Camera): string | undefined {
  const { deviceIdentity = "" } = camera.connection;
  return deviceIdentity === "" ? undefined : JSON.stringify([deviceIdentity.toLowerCase(), inputOf(camera)]);
}

/**
 * One input of the device at an address; undefined where none is known. An address of a stream says nothing of the device: several
 * streams of it may be recorded on purpose.
 */
function addressOf(camera: Camera): string | undefined {
  const { hostname, modelId } = camera.connection;
  const address = hostname.trim().toLowerCase();
  if (address === "" || /^rtsp[a-z+]*:/.test(address)) return undefined;
  return JSON.stringify([modelId, placeOf(address), inputOf(camera)]);
}

/** Host and port, however the address is written. */
function placeOf(address: string): string {
  const isSecure = address.startsWith("https:");
  const url = `http://${address.replace(/^https?:\/\//, "")}`;
  if (!URL.canParse(url)) return address;
  const { hostname, port } = new URL(url);
  const usual = isSecure ? "443" : "";
  return `${hostname}:${port === usual ? "" : port}`;
}

function inputOf(camera: Camera): number {
  const kept = cameraOptions(camera).connection;
  return kept.multiChannelServerEnabled === true ? (kept.multiChannelServerChannelNumber ?? 0) : 0;
}
