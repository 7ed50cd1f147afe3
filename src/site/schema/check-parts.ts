import type { Guid } from "../../base/index.js";
import type { Site } from "../model/model.js";

/** The name in the form used for comparison: case and Unicode composition are ignored. */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** The ids of cameras, by their list: each view, group and scenario is compared with it. */
const KNOWN_IDS = new WeakMap<Site["cameras"], ReadonlySet<Guid>>();

/** Those of `ids` that do not belong to a camera. */
export function unknownChannels({ cameras }: Pick<Site, "cameras">, ids: readonly Guid[]): Guid[] {
  const known = KNOWN_IDS.get(cameras) ?? new Set(cameras.map((camera) => camera.id));
  KNOWN_IDS.set(cameras, known);
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
