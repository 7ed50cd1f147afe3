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
    expect(walk({ ...NOTHING, lines: [GATE] }, [0.4, 0.52, 0.48, 0.52, 0.48, 0.52])).toHaveLength(1);
  });

  it("is crossed by somebody whom a look shows exactly on it", () => {
    expect(walk({ ...NOTHING, lines: [GATE] }, [0.4, 0.5, 0.6])).toHaveLength(1);
  });

  it("is not crossed by somebody who comes up to it and goes back", () => {
    expect(walk({ ...NOTHING, lines: [GATE] }, [0.4, 0.5, 0.4])).toEqual([]);
  });

  it("is not crossed by somebody who stands at it for long, whose box is never quite the same", () => {
    const acts = new ThingActs({ ...NOTHING, lines: [GATE] });
    const seen = [0.4, ...Array.from({ length: 40 }, (_, look) => (look % 2 === 0 ? 0.505 : 0.495))].flatMap(
      (x, look) => acts.see(boxAt(x), look * 5 * SECOND, "person"),
    );
    expect(seen).toEqual([]);
  });

  it("is not crossed by somebody who goes along it and around its end", () => {
    const lines = [{ ...GATE, to: { x: 0.5, y: 0.6 } }];
    const acts = new ThingActs({ ...NOTHING, lines });
    const way = [
      [0.4, 0.2],
      [0.495, 0.3],
      [0.495, 0.6],
      [0.5, 0.7],
      [0.6, 0.5],
    ];
    const seen = way.flatMap(([x = 0, foot = 0], look) =>
      acts.see({ ...boxAt(x), top: foot - 0.2 }, look * SECOND, "person"),
    );
    expect(seen).toEqual([]);
  });

  it("that is drawn askew is crossed with its direction", () => {
    const lines = [{ ...GATE, from: { x: 0.2, y: 0.2 }, to: { x: 0.8, y: 0.8 } }];
    expect(walk({ ...NOTHING, lines }, [0.3, 0.4, 0.6, 0.7])).toMatchObject([{ direction: "rightToLeft" }]);
    expect(walk({ ...NOTHING, lines }, [0.7, 0.6, 0.4, 0.3])).toMatchObject([{ direction: "leftToRight" }]);
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

  it("is not left by somebody who stands at its border for long, whose box is never quite the same", () => {
    const acts = new ThingActs({ ...NOTHING, zones: [RIGHT_HALF] });
    const seen = [0.51, 0.495, 0.495, 0.505, 0.495, 0.495, 0.505].flatMap((x, look) =>
      acts.see(boxAt(x), look * 5 * SECOND, "person"),
    );
    expect(seen.map(({ kind }) => kind)).toEqual(["zoneEntered"]);
  });

  it("is entered beside another one, each for itself", () => {
    const zones = [RIGHT_HALF, { name: "Door", has: ({ x }: { x: number }) => x >= 0.7 }];
    const acts = walk({ ...NOTHING, zones }, [0.4, 0.6, 0.6, 0.8, 0.8, 0.8, 0.6, 0.6]);
    expect(acts).toEqual([
      { kind: "zoneEntered", name: "Yard" },
      { kind: "zoneEntered", name: "Door" },
      { kind: "zoneLeft", name: "Door" },
    ]);
  });

  it("is loitered in by somebody who is out of it for two seconds", () => {
    const rules = { ...NOTHING, zones: [RIGHT_HALF], loiteringSeconds: 10 };
    const stay = (seconds: number, x: number) => Array.from({ length: 2 * seconds }, () => x);
    const acts = walk(rules, [...stay(6, 0.7), ...stay(2, 0.3), ...stay(6, 0.7)]);
    expect(acts.map(({ kind }) => kind)).toEqual(["zoneEntered", "zoneLeft", "zoneEntered", "loitering"]);
  });

  it("is not loitered in by somebody who comes again after half a minute", () => {
    const rules = { ...NOTHING, zones: [RIGHT_HALF], loiteringSeconds: 10 };
    const stay = (seconds: number, x: number) => Array.from({ length: 2 * seconds }, () => x);
    const acts = walk(rules, [...stay(6, 0.7), ...stay(30, 0.3), ...stay(6, 0.7)]);
    expect(acts.map(({ kind }) => kind)).toEqual(["zoneEntered", "zoneLeft", "zoneEntered"]);
  });

  it("is loitered in once by somebody who is out of it for moments", () => {
    const rules = { ...NOTHING, zones: [RIGHT_HALF], loiteringSeconds: 5 };
    const stay = (seconds: number, x: number) => Array.from({ length: 2 * seconds }, () => x);
    const acts = walk(rules, [...stay(8, 0.7), ...stay(2, 0.3), ...stay(20, 0.7)]);
    expect(acts.filter(({ kind }) => kind === "loitering")).toHaveLength(1);
  });

  it("is loitered in once, after the configured time", () => {
    const rules = { ...NOTHING, zones: [RIGHT_HALF], loiteringSeconds: 10 };
    const stay = (seconds: number) => Array.from({ length: 2 * seconds }, () => 0.7);
    expect(walk(rules, stay(9)).map(({ kind }) => kind)).toEqual(["zoneEntered"]);
    expect(walk(rules, stay(40)).map(({ kind }) => kind)).toEqual(["zoneEntered", "loitering"]);
  });
});

describe("other rules, while somebody is there", () => {
  const there = (): ThingActs => {
    const acts = new ThingActs({ ...NOTHING, zones: [RIGHT_HALF] });
    walk(NOTHING, [0.7, 0.8], acts);
    return acts;
  };

  it("let a zone that is new be entered", () => {
    const acts = there();
    acts.change({ ...NOTHING, zones: [RIGHT_HALF, { name: "Street", has: () => true }] });
    expect(acts.see(boxAt(0.8), 9 * SECOND, "person")).toEqual([{ kind: "zoneEntered", name: "Street" }]);
  });

  it("forget a zone that is no more", () => {
    const acts = there();
    acts.change({ ...NOTHING, zones: [] });
    expect([acts.zones, acts.end()]).toEqual([[], []]);
  });

  it("let nobody cross a line that is drawn behind him", () => {
    const acts = there();
    acts.change({ ...NOTHING, lines: [GATE] });
    expect(acts.see(boxAt(0.9), 9 * SECOND, "person")).toEqual([]);
  });
});
