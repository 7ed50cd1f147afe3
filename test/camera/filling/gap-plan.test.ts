import { expect, it } from "vitest";
import {
  PIECE_US_MAX,
  type PlanSources,
  plannedGaps,
  type ReasonedGap,
} from "../../../src/camera/filling/gap-plan.js";

const S = 1_000_000;
const NOW = Date.UTC(2026, 10, 21, 12) * 1000;

const span = (from: number, to: number) => ({ fromUs: NOW + from * S, toUs: NOW + to * S });
const live = (from: number, to: number) => ({ ...span(from, to), isFromCard: false });
const filled = (from: number, to: number) => ({ ...span(from, to), isFromCard: true });
const because =
  (reason: string) =>
  async (holes: readonly { readonly fromUs: number; readonly toUs: number }[]): Promise<ReasonedGap[]> =>
    holes.map((hole) => ({ ...hole, reason }));

function plan(change: Partial<PlanSources>) {
  return plannedGaps({
    recorded: [live(-600, -500), live(-400, 0)],
    sinceUs: NOW - 86_400 * S,
    nowUs: NOW,
    settled: [],
    explain: because("camera-lost"),
    order: "oldest",
    ...change,
  });
}

it.each(["camera-lost", "interrupted", "service-stopped", "service-crashed", "power-cut"])(
  "a gap by %s is filled",
  async (reason) => {
    expect(await plan({ explain: because(reason) })).toEqual([span(-500, -400)]);
  },
);

it.each([
  "by-schedule",
  "no-motion",
  "switched-off",
  "deleted-age",
  "deleted-space",
  "clock-unknown",
  "unknown",
])("a gap by %s is left", async (reason) => {
  expect(await plan({ explain: because(reason) })).toEqual([]);
});

it("nothing is missing before the first recording", async () => {
  expect(await plan({ recorded: [live(-400, 0)] })).toEqual([]);
});

it("a gap that goes on, or ended just now, waits", async () => {
  expect(await plan({ recorded: [live(-600, -100)] })).toEqual([]);
  expect(await plan({ recorded: [live(-600, -100), live(-5, 0)] })).toEqual([]);
});

it("only the part of a gap in which the camera was lost is filled", async () => {
  const explain = async () => [
    { ...span(-500, -450), reason: "camera-lost" },
    { ...span(-450, -400), reason: "no-motion" },
  ];
  expect(await plan({ explain })).toEqual([span(-500, -450)]);
});

it("parts that follow each other are one gap: the camera was lost, then the power", async () => {
  const explain = async () => [
    { ...span(-500, -450), reason: "camera-lost" },
    { ...span(-450, -400), reason: "power-cut" },
  ];
  expect(await plan({ explain })).toEqual([span(-500, -400)]);
});

it("what was filled or given up is not asked about again", async () => {
  let asked = 0;
  const explain = async () => {
    asked += 1;
    return [];
  };
  expect(await plan({ settled: [span(-501, -399)], explain })).toEqual([]);
  expect(asked).toBe(0);
});

it("what is left where filling was cut short is filled, however little its times leave", async () => {
  const recorded = [live(-600, -500), filled(-500, -400.9), live(-400, 0)];
  expect(await plan({ recorded })).toEqual([span(-400.9, -400)]);
  expect(await plan({ recorded: recorded.map((part) => ({ ...part, isFromCard: false })) })).toEqual([]);
  expect(await plan({ recorded, settled: [span(-500, -400)] })).toEqual([]);
});

it("what is left of a gap that was partly dealt with is filled", async () => {
  expect(await plan({ settled: [span(-500, -450)] })).toEqual([span(-450, -400)]);
});

it("gaps come oldest or newest first, as set", async () => {
  const recorded = [live(-900, -800), live(-700, -500), live(-400, 0)];
  const gaps = [span(-800, -700), span(-500, -400)];
  expect(await plan({ recorded })).toEqual(gaps);
  expect(await plan({ recorded, order: "newest" })).toEqual([...gaps].reverse());
});

it("a long gap is filled in pieces that leave nothing out", async () => {
  const recorded = [live(-20_000, -19_000), live(-1000, 0)];
  const gaps = await plan({ recorded });
  expect(gaps[0]?.fromUs).toBe(NOW - 19_000 * S);
  expect(gaps.at(-1)?.toUs).toBe(NOW - 1000 * S);
  for (const [at, { fromUs, toUs }] of gaps.entries()) {
    expect(toUs - fromUs).toBeLessThanOrEqual(PIECE_US_MAX);
    if (at > 0) expect(gaps[at - 1]?.toUs).toBe(fromUs);
  }
});

it("what is older than the days of the settings is left", async () => {
  expect(await plan({ sinceUs: NOW - 450 * S })).toEqual([span(-450, -400)]);
  expect(await plan({ sinceUs: NOW - 300 * S })).toEqual([]);
});
