import { expect, it } from "vitest";
import { SEEN_MOMENT_MS, SEEN_THINGS_MAX, SeenStates } from "../../src/recording/index.js";
import { ManualClock } from "../support/base/manual-clock.js";

const GATE = "22222222-0000-4000-8000-000000000001";

function states() {
  const clock = new ManualClock();
  const seen = new SeenStates(clock);
  const notified: string[] = [];
  seen.onChange((_, kind, active) => notified.push(`${kind} ${active ? "on" : "off"}`));
  const report = (name: string, active: boolean | undefined): void =>
    seen.report({ channelId: GATE, kind: "person", source: "camera", name, active });
  return { clock, seen, notified, report };
}

it("a kind is so while any of its things is", () => {
  const { notified, report } = states();
  report("A", true);
  report("B", true);
  report("A", false);
  expect(notified).toEqual(["person on"]);
  report("B", false);
  expect(notified).toEqual(["person on", "person off"]);
});

it("what only happens is so for a moment, and again as long when it happens again", () => {
  const { clock, notified, report } = states();
  report("A", undefined);
  clock.advance(SEEN_MOMENT_MS - 1);
  report("A", undefined);
  clock.advance(SEEN_MOMENT_MS - 1);
  expect(notified).toEqual(["person on"]);
  clock.advance(1);
  expect(notified).toEqual(["person on", "person off"]);
});

it("what happens within what lasts does not end it", () => {
  const { clock, notified, report } = states();
  report("A", true);
  report("A", undefined);
  clock.advance(10 * SEEN_MOMENT_MS);
  expect(notified).toEqual(["person on"]);
  report("A", false);
  expect(notified).toEqual(["person on", "person off"]);
});

it("a kind is known before anything of it is seen", () => {
  const { seen, notified } = states();
  seen.know(GATE, "doorbell");
  expect([[...seen.of(GATE)], notified]).toEqual([[["doorbell", false]], []]);
});

it("what nobody hears of any more is over, and stays known", () => {
  const { seen, notified, report } = states();
  report("A", true);
  report("B", undefined);
  seen.forget(GATE, "camera");
  expect([notified, [...seen.of(GATE)]]).toEqual([["person on", "person off"], [["person", false]]]);
});

it("what another source sees stays so when nothing more is heard of one", () => {
  const { seen, notified, report } = states();
  report("A", true);
  seen.report({ channelId: GATE, kind: "person", source: "recorder", name: "A", active: true });
  seen.forget(GATE, "camera");
  expect([notified, [...seen.of(GATE)]]).toEqual([["person on"], [["person", true]]]);
});

it("things without end are bounded, and the first ones end as they began", () => {
  const { notified, report } = states();
  const names = Array.from({ length: SEEN_THINGS_MAX * 2 }, (_, index) => `${index}`);
  for (const name of names) report(name, true);
  for (const name of names) report(name, false);
  expect(notified).toEqual(["person on", "person off"]);
});

it("what only happens is so for five seconds, unless its source says how long", () => {
  const { clock, seen, notified, report } = states();
  report("A", undefined);
  clock.advance(4999);
  expect(notified).toEqual(["person on"]);
  clock.advance(1);
  expect(notified).toEqual(["person on", "person off"]);
  seen.report({
    channelId: GATE,
    kind: "person",
    source: "camera",
    name: "A",
    active: undefined,
    lastsMs: 100,
  });
  clock.advance(100);
  expect(notified.slice(2)).toEqual(["person on", "person off"]);
});
