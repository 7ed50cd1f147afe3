import { expect, it } from "vitest";
import { Interruptions } from "../../../src/archive/write/interruptions.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const MINUTE_US = 60_000_000;

function setUp() {
  const clock = new SimulatedClock();
  const interruptions = new Interruptions(clock);
  const ended = (count: number): number =>
    Array.from({ length: count }, () => interruptions.endsFragment()).filter(Boolean).length;
  return { clock, ended };
}

it("twenty interruptions in a row end the fragment, then one in ten minutes", () => {
  const { clock, ended } = setUp();
  expect(ended(30)).toBe(20);
  clock.advance(10 * MINUTE_US - 1);
  expect(ended(3)).toBe(0);
  clock.advance(2);
  expect(ended(3)).toBe(1);
  clock.advance(35 * MINUTE_US);
  expect(ended(9)).toBe(3);
});

it("a stream that was quiet for a day may be interrupted twenty times again, and no more", () => {
  const { clock, ended } = setUp();
  clock.advance(1440 * MINUTE_US);
  expect(ended(30)).toBe(20);
  clock.advance(1440 * MINUTE_US);
  expect(ended(30)).toBe(20);
});
