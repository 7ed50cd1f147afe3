import { expect, it } from "vitest";
import { emptyUs } from "../../../src/archive/index.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";

const DAY_US = 86_400_000_000;
const RETIRED_US = 1_795_251_600_000_000;
const channels = [
  { channelId: GATE_ID, oldestUs: 0 },
  { channelId: YARD_ID, oldestUs: 0 },
];

it("a retired volume is empty when what is kept longest on it is old enough", () => {
  const daysOf = (id: string) => ({ minDays: 0, maxDays: id === GATE_ID ? 7 : 30 });
  expect(emptyUs({ channels }, RETIRED_US, daysOf)).toBe(RETIRED_US + 30 * DAY_US);
});

it("a retired volume with recordings of no limit of age is not emptied by time", () => {
  const daysOf = (id: string) => ({ minDays: 0, maxDays: id === GATE_ID ? 7 : 0 });
  expect(emptyUs({ channels }, RETIRED_US, daysOf)).toBeUndefined();
});

it("a retired volume that holds nothing is empty since then", () => {
  expect(emptyUs({ channels: [] }, RETIRED_US, () => ({ minDays: 0, maxDays: 0 }))).toBe(RETIRED_US);
});
