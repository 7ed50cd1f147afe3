import { describe, expect, it } from "vitest";
import { Standing } from "../../../src/page/player/standing.js";

/** When it begins anew, seconds, while pictures are awaited from `fromS` on. */
function triesOf(standing: Standing, fromS: number, toS: number): number[] {
  const tries: number[] = [];
  for (let atS = fromS; atS <= toS; atS += 0.5) {
    if (!standing.look(true, atS * 1000).beginsAnew) continue;
    standing.tried(atS * 1000);
    tries.push(atS);
  }
  return tries;
}

describe("pictures that stand still", () => {
  it("are said to after two seconds without the awaited one, and not before", () => {
    const standing = new Standing();
    expect(standing.look(true, 0).isStanding).toBe(false);
    expect(standing.look(true, 1999).isStanding).toBe(false);
    expect(standing.look(true, 2000).isStanding).toBe(true);
    expect(standing.look(false, 2100).isStanding).toBe(false);
  });

  it("begin anew, and more rarely each time that it did not help", () => {
    expect(triesOf(new Standing(), 0, 100)).toEqual([2, 6, 14, 30, 60, 90]);
  });

  it("begin anew as soon as the first time after they went on for a while", () => {
    const standing = new Standing();
    triesOf(standing, 0, 20);
    standing.look(false, 21_000);
    standing.look(false, 31_000);
    expect(triesOf(standing, 32, 35)).toEqual([34]);
  });

  it("begin anew later where they began anew meanwhile for another reason", () => {
    const standing = new Standing();
    standing.look(true, 0);
    standing.tried(1500);
    expect(triesOf(standing, 2, 20)).toEqual([5.5, 13.5]);
  });

  it("are awaited from the beginning when another place is wanted", () => {
    const standing = new Standing();
    standing.look(true, 0);
    standing.reset();
    expect(standing.look(true, 2500).isStanding).toBe(false);
  });
});
