import { beforeEach, expect, it } from "vitest";
import { type Finding, LastingFindings, MOTION_PAUSE_MS } from "../../../src/finding/index.js";
import type { MotionSource } from "../../../src/recording/motion/motion-change.js";
import { MotionStates } from "../../../src/recording/motion/motion-states.js";
import { MotionFindings } from "../../../src/service/report/motion-findings.js";
import { GATE_ID, MemorySiteStore } from "../../support/api/api-fakes.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const BOX = { left: 0.1, top: 0.2, width: 0.3, height: 0.4 };

let clock: ManualClock;
let motion: MotionStates;
let findings: LastingFindings;
let over: Finding[];

beforeEach(() => {
  clock = new ManualClock();
  motion = new MotionStates(clock);
  findings = new LastingFindings(clock);
  over = [];
  findings.onChange((finding, change) => {
    if (change === "ended") over.push(finding);
  });
  new MotionFindings({ motion, findings, site: new MemorySiteStore(), clock }).start();
});

function report(active: boolean, zone = "", source: MotionSource = "recorder"): void {
  const found = active ? { box: BOX, strength: 0.2 } : {};
  motion.report({ channelId: GATE_ID, source, active, timeUs: clock.nowUs(), zone, ...found });
}

it("motion of one stay is one finding, through all its zones, with its boxes and strength", () => {
  report(true, "Gate");
  clock.advance(2000);
  report(true, "Path");
  report(false, "Gate");
  clock.advance(2000);
  report(false, "Path");
  clock.advance(MOTION_PAUSE_MS - 5000);
  report(true, "Gate");
  report(false, "Gate");
  clock.advance(MOTION_PAUSE_MS + 1);
  expect(over).toMatchObject([
    {
      kind: "motion",
      source: "motion",
      zones: ["Gate", "Path"],
      strength: 0.2,
      best: { box: { left: 0.1 } },
    },
  ]);
});

it("each source has a finding of its own, and who is blind has none", () => {
  for (const source of ["recorder", "camera", "external", "blind", "seen", "analysis"] as const)
    report(true, "", source);
  expect(findings.lasting().map(({ source }) => source)).toEqual(["motion", "camera", "program"]);
});

it("motion whose end was lost is over when its claim is", () => {
  report(true);
  clock.advance(20 * 60_000);
  expect(over).toHaveLength(1);
});

it("motion that begins by a clock that is off begins now", () => {
  const timeUs = clock.nowUs() - 3_600_000_000;
  motion.report({ channelId: GATE_ID, source: "camera", active: true, timeUs, zone: "" });
  expect(findings.lasting()[0]?.beginUs).toBe(clock.nowUs());
});
