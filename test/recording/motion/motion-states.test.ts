import { expect, test } from "vitest";
import { newGuid } from "../../../src/base/index.js";
import { MOTION_ZONES_MAX, type MotionSource, MotionStates } from "../../../src/recording/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

function setUp() {
  const clock = new SimulatedClock();
  const states = new MotionStates(clock);
  const notified: string[] = [];
  states.onMotion(({ active, source, zone }) =>
    notified.push(`${active ? "begins" : "ends"} ${source} ${zone}`),
  );
  const channelId = newGuid();
  const report = (active: boolean, source: MotionSource = "camera", zone = "", channel = channelId) =>
    states.report({ channelId: channel, source, active, timeUs: clock.nowUs(), zone });
  return { clock, states, notified, channelId, report };
}

test("motion begins with the first source that sees it and ends with the last", () => {
  const { states, notified, channelId, report } = setUp();
  report(true, "camera");
  report(true, "recorder");
  report(false, "camera");
  expect(states.isActive(channelId)).toBe(true);
  report(false, "recorder");
  expect(states.isActive(channelId)).toBe(false);
  expect(notified).toEqual(["begins camera ", "ends recorder "]);
});

test("a source's zones are claims of their own; an end without a zone ends them all", () => {
  const { notified, report } = setUp();
  report(true, "camera", "Gate");
  report(true, "camera", "Door");
  report(false, "camera", "Gate");
  expect(notified).toEqual(["begins camera Gate"]);
  report(true, "camera", "Gate");
  report(false, "camera");
  expect(notified).toEqual(["begins camera Gate", "ends camera "]);
});

test("a moment within what lasts does not cut it short, and a longer one lengthens it", () => {
  const { clock, states, notified, channelId, report } = setUp();
  const moment = (claimMs: number): void =>
    states.report(
      { channelId, source: "camera", active: true, timeUs: clock.nowUs(), zone: "Gate" },
      claimMs,
    );
  report(true, "camera", "Gate");
  moment(5000);
  clock.advance(60_000_000);
  expect(states.isActive(channelId)).toBe(true);
  report(false, "camera", "Gate");
  moment(5000);
  moment(35_000);
  clock.advance(34_000_000);
  expect(notified).toEqual(["begins camera Gate", "ends camera Gate", "begins camera Gate"]);
  clock.advance(2_000_000);
  expect(notified.at(-1)).toBe("ends camera Gate");
});

test("a repeated report is passed on once, and an end without motion is not", () => {
  const { notified, report } = setUp();
  report(false);
  report(true);
  report(true);
  report(false);
  report(false);
  expect(notified).toEqual(["begins camera ", "ends camera "]);
});

test("a claim that is never ended expires after ten minutes; renewing it keeps it", () => {
  const { clock, states, notified, channelId, report } = setUp();
  report(true, "camera", "Gate");
  clock.advance(599_999_000);
  report(true, "camera", "Gate");
  clock.advance(599_999_000);
  expect(states.isActive(channelId)).toBe(true);
  clock.advance(1000);
  expect(notified).toEqual(["begins camera Gate", "ends camera Gate"]);
  expect(clock.timers).toBe(0);
});

test("forgetting a source ends its claims on that channel only", () => {
  const { states, channelId, report } = setUp();
  const other = newGuid();
  report(true, "camera", "Gate");
  report(true, "external");
  report(true, "camera", "Gate", other);
  states.forget("camera", channelId);
  expect([states.isActive(channelId), states.isActive(other)]).toEqual([true, true]);
  states.forget("external", channelId);
  expect([states.isActive(channelId), states.isActive(other)]).toEqual([false, true]);
});

test("zones without end hold bounded memory, and motion still ends", () => {
  const { clock, states, channelId, report } = setUp();
  for (let zone = 0; zone < MOTION_ZONES_MAX * 10; zone += 1) report(true, "camera", `zone ${zone}`);
  expect(clock.timers).toBeLessThanOrEqual(MOTION_ZONES_MAX + 1);
  states.forget("camera", channelId);
  expect(states.isActive(channelId)).toBe(false);
  expect(clock.timers).toBe(0);
});

test("a closed listener gets no further changes", () => {
  const { states, report } = setUp();
  let heard = 0;
  const subscription = states.onMotion(() => {
    heard += 1;
  });
  report(true);
  subscription.close();
  report(false);
  expect(heard).toBe(1);
});

test("while the camera is moved, nothing moves for it and the recorder; what others report does", () => {
  const { clock, states, notified, channelId, report } = setUp();
  report(true, "recorder", "Gate");
  report(true, "camera");
  states.hold(channelId, 3000);
  expect(notified).toEqual(["begins recorder Gate", "ends camera "]);
  report(true, "recorder", "Gate");
  report(true, "camera");
  expect(states.isActive(channelId)).toBe(false);
  report(false, "camera");
  report(true, "external");
  report(false, "external");
  // A second movement lengthens it, a shorter one does not shorten it.
  states.hold(channelId, 5000);
  states.hold(channelId, 1000);
  clock.advance(4_999_000);
  expect(states.isHeld(channelId)).toBe(true);
  clock.advance(1000);
  report(true, "recorder", "Gate");
  expect(notified.at(-1)).toBe("begins recorder Gate");
  states.stop();
});

test("what the camera says moves, before it is moved or meanwhile, counts again once it stands still", () => {
  const { clock, states, notified, channelId, report } = setUp();
  report(true, "camera", "Gate");
  report(true, "camera", "Road");
  report(true, "recorder", "Door");
  states.hold(channelId, 3000);
  report(false, "camera", "Road");
  report(true, "camera", "Yard");
  clock.advance(2_999_000);
  expect(states.isActive(channelId)).toBe(false);
  clock.advance(1000);
  expect(states.seen(channelId).map(({ source, zone }) => [source, zone])).toEqual([
    ["camera", "Gate"],
    ["camera", "Yard"],
  ]);
  expect(notified.at(-1)).toBe("begins camera Gate");
  states.stop();
});

test("a moment that the camera reports while it is moved is over with it", () => {
  const { clock, states, channelId } = setUp();
  states.hold(channelId, 3000);
  states.report({ channelId, source: "camera", active: true, timeUs: clock.nowUs(), zone: "" }, 10_000);
  clock.advance(3_000_000);
  expect(states.isActive(channelId)).toBe(false);
});

test("what a camera said that is not followed any more does not count once it stands still", () => {
  const { clock, states, channelId, report } = setUp();
  report(true, "camera");
  states.hold(channelId, 3000);
  states.forget("camera", channelId);
  clock.advance(3_000_000);
  expect([states.isActive(channelId), clock.timers]).toEqual([false, 0]);
});

test("a camera has told of motion once it did, and until it is forgotten", () => {
  const { states, channelId, report } = setUp();
  report(false, "camera");
  report(true, "recorder");
  expect(states.reportsMotion(channelId)).toBe(false);
  report(true, "camera");
  report(false, "camera");
  expect(states.reportsMotion(channelId)).toBe(true);
  states.forget("camera", channelId);
  expect(states.reportsMotion(channelId)).toBe(false);
  states.stop();
});

test("a further zone is reported beside the channel, as it begins and ends", () => {
  const { states, report } = setUp();
  const zones: string[] = [];
  states.onZone(({ active, zone }) => zones.push(`${active ? "begins" : "ends"} ${zone}`));
  report(true, "recorder", "Gate");
  report(true, "recorder", "Door");
  report(true, "recorder", "Door");
  report(false, "recorder", "Gate");
  report(false, "recorder", "Door");
  expect(zones).toEqual(["begins Door", "ends Gate"]);
});
