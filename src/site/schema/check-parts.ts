import type { Guid } from "../../base/index.js";
import type { Site } from "../model/model.js";

/** The name as names are compared: those that differ in case or composition only are one. */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Those of `ids` that are no camera's. */
export function unknownChannels(site: Pick<Site, "cameras">, ids: readonly Guid[]): Guid[] {
  const known = new Set(site.cameras.map((camera) => camera.id));
  return ids.filter((id) => !known.has(id));
}

/** The values that stand more than once, each named once. */
export function duplicates<T>(values: readonly T[]): T[] {
  const seen = new Set<T>();
  const twice = new Set<T>();
  for (const value of values) {
    if (seen.has(value)) twice.add(value);
    seen.add(value);
  }
  return [...twice];
}
