import { createHash } from "node:crypto";
import type { Guid } from "../../base/index.js";

/** Header that names a box the hubs that share their boxes: `host:port`, separated by commas. */
export const HUBS_HEADER = "nvrd-hubs";
/** A box is connected to so many of them. */
export const PLACES_MAX = 2;
const HUBS_MAX = 16;
const HEADER_LENGTH_MAX = 4096;
const PORT_MAX = 65_535;
const PLACE = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]{1,253}):(\d{1,5})$/;

/** Where a hub is. IPv6 without brackets. */
export interface HubPlaceName {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, with brackets around IPv6. */
export function placeText({ host, port }: HubPlaceName): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Undefined: it is none. */
export function readPlace(text: string): HubPlaceName | undefined {
  const [, host = "", port = ""] = PLACE.exec(text.trim()) ?? [];
  if (host === "" || Number(port) < 1 || Number(port) > PORT_MAX) return undefined;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}

/** What a hub says of where hubs are, each once; what cannot be read is left out. */
export function readPlaces(header: unknown): readonly HubPlaceName[] {
  if (typeof header !== "string" || header.length > HEADER_LENGTH_MAX) return [];
  const places = header.split(",").flatMap((text) => readPlace(text) ?? []);
  return [...new Map(places.map((place) => [placeText(place), place])).values()].slice(0, HUBS_MAX);
}

/**
 * The hubs that a box connects to, of those that it was offered: the one that it knows first, where that is still one of them, and another
 * one, by chance of its id, so that boxes spread over the hubs.
 */
export function chosenPlaces(
  known: HubPlaceName,
  offered: readonly HubPlaceName[],
  boxId: Guid,
): readonly HubPlaceName[] {
  if (offered.length === 0) return [known];
  const order = (place: HubPlaceName): string =>
    createHash("sha256")
      .update(`${boxId} ${placeText(place)}`)
      .digest("hex");
  const byChance = offered.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  const isKnown = (place: HubPlaceName): boolean => placeText(place) === placeText(known);
  const [first, ...others] = [...byChance.filter(isKnown), ...byChance.filter((place) => !isKnown(place))];
  return first === undefined ? [known] : [first, ...others].slice(0, PLACES_MAX);
}
