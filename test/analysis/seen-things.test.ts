import { expect, it } from "vitest";
import { type Finding, SeenThings } from "../../src/analysis/index.js";
import { GATE_ID, YARD_ID } from "../support/api/api-fakes.js";

const SECOND = 1_000_000;

function car(left: number): Finding {
  return { kind: "vehicle", label: "car", confidence: 0.9, box: { left, top: 0, width: 0.2, height: 0.2 } };
}

function fresh(
  things: SeenThings,
  seconds: number,
  findings: readonly Finding[],
  channelId = GATE_ID,
): number {
  return things.newOf(channelId, findings, { nowUs: seconds * SECOND, quietUs: 10 * SECOND }).length;
}

it("two of a kind in one picture are both new, and neither again in the quiet time", () => {
  const things = new SeenThings();
  expect(fresh(things, 0, [car(0), car(0.5)])).toBe(2);
  expect(fresh(things, 5, [car(0.3)])).toBe(0);
});

it("what stays where it was is not reported again, and what comes beside it is", () => {
  const things = new SeenThings();
  expect(fresh(things, 0, [car(0), car(0.5)])).toBe(2);
  expect(fresh(things, 20, [car(0.01), car(0.5)])).toBe(0);
  expect(fresh(things, 40, [car(0), car(0.5), car(0.75)])).toBe(1);
});

it("what was gone for ten minutes is new in its old place", () => {
  const things = new SeenThings();
  fresh(things, 0, [car(0)]);
  expect(fresh(things, 590, [car(0)])).toBe(0);
  expect(fresh(things, 590 + 601, [car(0)])).toBe(1);
});

it("cameras, plates and names are distinguished", () => {
  const things = new SeenThings();
  const plate = (number: string): Finding => ({
    kind: "plate",
    label: "plate",
    number,
    confidence: 1,
    box: undefined,
  });
  expect(fresh(things, 0, [plate("A1"), plate("B2")])).toBe(2);
  expect(fresh(things, 1, [plate("A1")], YARD_ID)).toBe(1);
  expect(fresh(things, 1, [plate("A1"), plate("C3")])).toBe(1);
});
