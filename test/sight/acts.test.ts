import { describe, expect, it } from "vitest";
import { US_PER_SECOND } from "../../src/base/index.js";
import { type Act, type ActRules, ThingActs, type WatchedLine } from "../../src/sight/track/acts.js";

const SECOND = US_PER_SECOND;
const NOTHING: ActRules = { zones: [], lines: [], loiteringSeconds: 0 };
const RIGHT_HALF = { name: "Yard", has: ({ x }: { x: number }) => x >= 0.5 };
/** From the upper to the lower edge, seen downwards: its right is the picture's left. */
const GATE: WatchedLine = {
  name: "Gate",
  from: { x: 0.5, y: 0 },
  to: { x: 0.5, y: 1 },
  direction: undefined,
  labels: undefined,
};

/** A thing whose foot goes along these columns, a step each half second. */
function walk(rules: ActRules, columns: readonly number[], acts = new ThingActs(rules)): readonly Act[] {
  return columns.flatMap((x, step) => acts.see(boxAt(x), (step * SECOND) / 2, "person"));
}

const boxAt = (x: number) => ({ left: x - 0.02, top: 0.3, width: 0.04, height: 0.2 });

describe("a line", () => {
  it("is crossed with its direction", () => {
    const rules = { ...NOTHING, lines: [GATE] };
    const [there] = walk(rules, [0.3, 0.45, 0.55, 0.7]);
    const [back] = walk(rules, [0.7, 0.55, 0.45, 0.3]);
    expect(there).toEqual({ kind: "lineCrossed", name: "Gate", direction: "rightToLeft" });
    expect(back).toEqual({ kind: "lineCrossed", name: "Gate", direction: "leftToRight" });
  });

  it("with a direction is not crossed in the other", () => {
    const lines = [{ ...GATE, direction: "leftToRight" as const }];
    expect(walk({ ...NOTHING, lines }, [0.3, 0.7])).toEqual([]);
    expect(walk({ ...NOTHING, lines }, [0.7, 0.3])).toHaveLength(1);
  });

  it("for cars is crossed by those alone", () => {
    const rules = { ...NOTHING, lines: [{ ...GATE, labels: new Set(["car" as const]) }] };
    expect(walk(rules, [0.3, 0.7])).toEqual([]);
    const car = new ThingActs(rules);
    const acts = [0.3, 0.7].flatMap((x, step) => car.see(boxAt(x), step * SECOND, "car"));
    expect(acts).toHaveLength(1);
  });

  it("is not crossed where somebody passes beside its end", () => {
    const lines = [{ ...GATE, to: { x: 0.5, y: 0.2 } }];
    expect(walk({ ...NOTHING, lines }, [0.3, 0.7])).toEqual([]);
  });

  it("is crossed once by somebody who sways on it", () => {
    expect(walk({ ...NOTHING, lines: [GATE] }, [0.4, 0.51, 0.49, 0.51, 0.49, 0.51])).toHaveLength(1);
  });
});

it("without zones, a thing loiters in the picture", () => {
  const acts = walk(
    { ...NOTHING, loiteringSeconds: 5 },
    Array.from({ length: 30 }, () => 0.7),
  );
  expect(acts).toEqual([{ kind: "loitering", name: "" }]);
});

describe("a zone", () => {
  it("is entered and left", () => {
    const acts = walk({ ...NOTHING, zones: [RIGHT_HALF] }, [0.3, 0.4, 0.6, 0.7, 0.8, 0.4, 0.3, 0.2]);
    expect(acts.map(({ kind }) => kind)).toEqual(["zoneEntered", "zoneLeft"]);
  });

  it("is not left by a sway at its border", () => {
    const acts = walk({ ...NOTHING, zones: [RIGHT_HALF] }, [0.6, 0.49, 0.6, 0.49, 0.6]);
    expect(acts.map(({ kind }) => kind)).toEqual(["zoneEntered"]);
  });

  it("is left by what is gone", () => {
    const acts = new ThingActs({ ...NOTHING, zones: [RIGHT_HALF] });
    walk(NOTHING, [0.7, 0.8], acts);
    expect(acts.zones).toEqual(["Yard"]);
    expect(acts.end()).toEqual([{ kind: "zoneLeft", name: "Yard" }]);
  });

  it("is loitered in once, after the configured time", () => {
    const rules = { ...NOTHING, zones: [RIGHT_HALF], loiteringSeconds: 10 };
    const stay = (seconds: number) => Array.from({ length: 2 * seconds }, () => 0.7);
    expect(walk(rules, stay(9)).map(({ kind }) => kind)).toEqual(["zoneEntered"]);
    expect(walk(rules, stay(40)).map(({ kind }) => kind)).toEqual(["zoneEntered", "loitering"]);
  });
});
