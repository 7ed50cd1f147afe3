import { readMotionZones, ZONES_MAX } from "../../recording/index.js";
import type { BodyReader, Faults } from "../route/index.js";

/**
 * The body's `Region` and `Sensitivity` as zones of a motion detector (`readMotionZones`): a rectangle becomes a polygon. Adds
 * their faults.
 */
export function readRegion(body: BodyReader, faults: Faults): readonly object[] {
  const sensitivity = body.number("Sensitivity", 1, 100);
  const given = body.value("Region") ?? [];
  if (!Array.isArray(given) || given.length > ZONES_MAX) {
    body.fault("Region", `a list of at most ${ZONES_MAX} areas`);
    return [];
  }
  const areas = given.length === 0 ? [WHOLE] : given;
  const zones = areas.map((area: unknown, index) => {
    return {
      ...polygonOf(area),
      Id: `${index}`,
      ...(sensitivity === undefined ? {} : { Sensitivity: sensitivity }),
    };
  });
  for (const { at, accepted } of readMotionZones(zones).faults) faults.add(`Region${at}`, accepted);
  return zones;
}

const WHOLE = { Left: 0, Top: 0, Width: 1, Height: 1 };

/** Only what a region may have: its points. An area that is none has no points, which is the zones' fault to tell. */
function polygonOf(area: unknown): { readonly Points: unknown } {
  if (typeof area !== "object" || area === null) return { Points: [] };
  const members = new Map(
    Object.entries(area).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
  if (members.has("points")) return { Points: members.get("points") };
  const side = (name: string): number => {
    const value = members.get(name);
    return typeof value === "number" ? value : Number.NaN;
  };
  const [left, top] = [side("left"), side("top")];
  const [right, bottom] = [left + side("width"), top + side("height")];
  const corners = [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ] as const;
  return { Points: corners.map(([x, y]) => ({ X: within(x), Y: within(y) })) };
}

/** Sums of decimal fractions may exceed 1 by their rounding. */
function within(value: number): number {
  return value > 1 && value < 1.000001 ? 1 : value;
}
