import { expect, it } from "vitest";
import { plannedGroups } from "../../../src/page/recorders/rollout/plan.js";

const IDS = ["a", "b", "c", "d", "e"];

it.each([
  [["c"], 2, [["c"], ["a", "b"], ["d", "e"]]],
  [[], 2, [["a", "b"], ["c", "d"], ["e"]]],
  [IDS, 3, [IDS]],
  [
    ["e", "a"],
    0,
    [
      ["a", "e"],
      ["b", "c", "d"],
    ],
  ],
  [["b"], Number.NaN, [["b"], ["a", "c", "d", "e"]]],
])("first %j, then groups of %d", (first, size, groups) => {
  expect(plannedGroups(IDS, { first: new Set(first), size })).toEqual(groups);
});
