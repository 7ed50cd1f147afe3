import { expect, it } from "vitest";
import type { ChannelBytes, RemovalCause } from "../../../src/archive/index.js";
import { archiveReach, type ReachChannel } from "../../../src/health/report/archive-reach.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { FIGURES_TIME_US as NOW_US, volumeStatus } from "../../support/health/health-figures.js";

const DAY_US = 86_400_000_000;
const TODAY = Math.floor(NOW_US / DAY_US);

/** 9 hours of today and all of yesterday at 24 bytes a day. */
const BYTES: ChannelBytes = {
  recordedBytes: 700,
  days: [
    { day: TODAY - 1, bytes: 24, durationUs: DAY_US },
    { day: TODAY, bytes: 9, durationUs: (DAY_US * 9) / 24 },
  ],
};

/** A volume with recordings of Gate since so many days. */
const volume = (depthDays: number, change: Parameters<typeof volumeStatus>[0] = {}) =>
  volumeStatus({
    ...{ usedBytes: 500, allowedBytes: 740, protectedBytes: 20 },
    channels: [{ channelId: GATE_ID, oldestUs: NOW_US - depthDays * DAY_US }],
    ...change,
  });

const gate = (change: Partial<ReachChannel> = {}): ReachChannel => ({
  ...{
    id: GATE_ID,
    name: "Gate",
    bytes: BYTES,
    startedUs: undefined,
    removed: [],
    days: { minDays: 0, maxDays: 0 },
  },
  ...change,
});

const removed = (daysAgo: number, cause: RemovalCause) => [
  { fromUs: NOW_US - 90 * DAY_US, toUs: NOW_US - daysAgo * DAY_US, cause },
];

const reasonOf = (channel: ReachChannel, depthDays = 10) =>
  archiveReach([volume(depthDays)], [channel], NOW_US).channels[0]?.reason;

it("the bytes of a day are those of today and yesterday, by the time that has passed", () => {
  const reach = archiveReach([volume(10)], [gate()], NOW_US);
  expect(reach.channels[0]?.bytesPerDay).toBeCloseTo(24);
  expect(reach.bytesPerDay).toBeCloseTo(24);
});

it("a channel that began an hour ago is rated by that hour", () => {
  const bytes = { recordedBytes: 5, days: [{ day: TODAY, bytes: 5, durationUs: DAY_US / 24 }] };
  const reach = archiveReach([volume(1 / 24)], [gate({ bytes })], NOW_US);
  expect(reach.channels[0]?.bytesPerDay).toBeCloseTo(120);
});

it("while no channel has a rate yet, what is written now says how long recordings last, and nothing of one channel", () => {
  const young = [volume(1 / 24 / 60)];
  const channels = [gate(), gate({ id: YARD_ID, startedUs: NOW_US - DAY_US / 24 / 60 })];
  const reach = archiveReach(young, channels, NOW_US, 144);
  expect(reach.bytesPerDay).toBe(144);
  expect(reach.daysHeld).toBeCloseTo(720 / 144);
  expect(reach.channels.map(({ forecastDays }) => forecastDays)).toEqual([undefined, undefined]);
  expect(archiveReach([volume(10)], [gate()], NOW_US, 144).bytesPerDay).toBeCloseTo(24);
});

it("a channel that began minutes ago has no rate yet, and no forecast", () => {
  const reach = archiveReach([volume(1 / 24 / 60)], [gate()], NOW_US);
  expect(reach.channels[0]).toMatchObject({ bytesPerDay: undefined, forecastDays: undefined });
  expect(reach).toMatchObject({ daysHeld: undefined, fullUs: undefined });
});

it("the disks are full when what is free is used up, and hold what they may at this rate", () => {
  const reach = archiveReach([volume(10)], [gate()], NOW_US);
  expect(reach.daysHeld).toBeCloseTo(30, 3);
  expect(reach.channels[0]?.forecastDays).toBeCloseTo(30, 3);
  expect(((reach.fullUs ?? 0) - NOW_US) / DAY_US).toBeCloseTo(10);
  expect(reach.daysLeft).toBeCloseTo(10);
});

it("a volume that is not recorded onto any more is no room for the future, and its recordings count", () => {
  const reach = archiveReach([volume(3), volume(40, { isRetired: true })], [gate()], NOW_US);
  expect(reach.daysHeld).toBeCloseTo(30, 3);
  expect(reach.channels[0]?.oldestUs).toBe(NOW_US - 40 * DAY_US);
});

it("a recorder without a volume that is recorded onto has no days", () => {
  const reach = archiveReach([volume(10, { isRetired: true })], [gate()], NOW_US);
  expect(reach).toMatchObject({ daysHeld: undefined, fullUs: undefined, daysLeft: undefined });
});

it("limits of age that keep the disks from becoming full leave no date for that", () => {
  const reach = archiveReach([volume(5)], [gate({ days: { minDays: 0, maxDays: 7 } })], NOW_US);
  expect(reach).toMatchObject({ daysHeld: undefined, fullUs: undefined });
  expect(reach.channels[0]?.forecastDays).toBe(7);
});

it("the reason is that recording began then, as long as nothing was removed", () => {
  expect(reasonOf(gate())).toBe("Began");
});

it("the reason is the age or the room by which the last were removed", () => {
  expect(reasonOf(gate({ removed: removed(10, "age") }))).toBe("Age");
  expect(reasonOf(gate({ removed: removed(10, "space") }))).toBe("Space");
});

it("the reason is the minimum where that alone keeps the rest, and says when it is not kept", () => {
  const days = { minDays: 10, maxDays: 0 };
  expect(reasonOf(gate({ days, removed: removed(10, "space") }))).toBe("Minimum");
  expect(reasonOf(gate({ days, removed: removed(6, "space") }), 6)).toBe("MinimumUnmet");
  expect(reasonOf(gate({ days, removed: removed(20, "space") }), 20)).toBe("Space");
});

it("a channel without recordings has nothing, and no reason to look for", () => {
  const reach = archiveReach([volume(10)], [gate({ id: YARD_ID, bytes: undefined })], NOW_US);
  expect(reach.channels[0]).toMatchObject({ reason: "Nothing", oldestUs: undefined, bytesPerDay: undefined });
});

it("it is complete since the last removal: what is older is protected, or on another disk", () => {
  const reach = archiveReach([volume(30)], [gate({ removed: removed(10, "space") })], NOW_US);
  expect(reach.channels[0]).toMatchObject({
    oldestUs: NOW_US - 30 * DAY_US,
    completeSinceUs: NOW_US - 10 * DAY_US,
  });
});

it("a channel whose first segment is still being recorded began with it", () => {
  const channel = gate({ id: YARD_ID, bytes: undefined, startedUs: NOW_US - 5_000_000 });
  const reach = archiveReach([volume(10)], [channel], NOW_US);
  expect(reach.channels[0]).toMatchObject({ reason: "Began", oldestUs: NOW_US - 5_000_000 });
});
