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

/** Cameras that cannot be distinguished, and cameras that are one device: each picture is then recorded twice. */
export function siteWarnings({ cameras }: Site): readonly SiteWarning[] {
  return [
    ...groupsOf(cameras, ({ name }) => foldName(name)).map((group) =>
      warning("same-name", "cameras with one name, which lists and alarms cannot distinguish", group),
    ),
    ...groupsOf(cameras, deviceOf).map((group) =>
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

/**
 * One input of one device, by its identity, else by its address; undefined where it is not known. An address of a stream says
 * nothing of the device: several streams of it may be recorded on purpose.
 */
function deviceOf(camera: Camera): string | undefined {
  const { hostname, deviceIdentity = "", modelId } = camera.connection;
  const kept = cameraOptions(camera).connection;
  const input = kept.multiChannelServerEnabled === true ? kept.multiChannelServerChannelNumber : 0;
  if (deviceIdentity !== "") return JSON.stringify([deviceIdentity.toLowerCase(), input]);
  const isDevice = hostname !== "" && !/^rtsps?:/i.test(hostname);
  return isDevice ? JSON.stringify([modelId, hostname.toLowerCase(), input]) : undefined;
}
