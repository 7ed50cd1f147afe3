import type { Guid } from "../../base/index.js";
import type { Site } from "../model/model.js";

/** The name in the form used for comparison: case and Unicode composition are ignored. */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Those of `ids` that do not belong to a camera. */
export function unknownChannels(site: Pick<Site, "cameras">, ids: readonly Guid[]): Guid[] {
  const known = new Set(site.cameras.map((camera) => camera.id));
  return ids.filter((id) => !known.has(id));
}

/** The values that occur more than once, each listed once. */
export function duplicates<T>(values: readonly T[]): T[] {
  const seen = new Set<T>();
  const twice = new Set<T>();
  for (const value of values) {
    if (seen.has(value)) twice.add(value);
    seen.add(value);
  }
  return [...twice];
}
