import { afterEach, beforeEach, expect, it } from "vitest";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { AwayBox } from "../support/away/away-box.js";

const AGEING = { keepDays: 36_500, ageBy: "bucket" } as const;

let box: AwayBox;

beforeEach(async () => {
  box = await AwayBox.start();
  for (let number = 0; number < 3; number++) box.record({ fromUs: START_US + number * MINUTE_US });
});
afterEach(async () => await box.stop());

const tagged = () => [...box.store.tags].map(([, tag]) => tag);
const protectFirst = () =>
  box.protectedSpans.push({ channelId: box.channelId, fromUs: START_US, toUs: START_US + MINUTE_US });

it("tags what rules of the bucket may remove, and takes the tag from what is protected later, once", async () => {
  box.run(AGEING);
  await box.sentAll();
  expect(tagged()).toEqual(["nvrd=ages", "nvrd=ages", "nvrd=ages"]);
  protectFirst();
  await expect.poll(() => tagged().length, { timeout: 20_000 }).toBe(2);
  await box.halt();
  const before = box.store.asked.length;
  box.run();
  await expect.poll(() => box.state?.activity, { timeout: 20_000 }).toBe("idle");
  expect(box.store.asked.slice(before).filter(({ query }) => query.has("tagging"))).toEqual([]);
});

it("tags nothing that is protected, and nothing where the recorder removes what is old", async () => {
  protectFirst();
  box.run(AGEING);
  await box.sentAll();
  expect(tagged()).toHaveLength(2);
  box.store.tags.clear();
  await box.halt();
  box.run({ ageBy: "recorder" });
  await expect.poll(() => box.state?.activity, { timeout: 20_000 }).toBe("idle");
  box.record({ fromUs: START_US + 5 * MINUTE_US });
  await box.sentAll();
  expect(tagged()).toEqual([]);
});
