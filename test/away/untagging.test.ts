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
  await expect.poll(() => tagged().length).toBe(2);
  await box.halt();
  const before = box.store.asked.length;
  box.run();
  await expect.poll(() => box.state?.activity).toBe("idle");
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
  await expect.poll(() => box.state?.activity).toBe("idle");
  box.record({ fromUs: START_US + 5 * MINUTE_US });
  await box.sentAll();
  expect(tagged()).toEqual([]);
});

it("takes the tag from what was protected while it was under way, though all else was looked through by then", async () => {
  for (let number = 3; number < 9; number++) box.record({ fromUs: START_US + number * MINUTE_US });
  const newest = `box/${[...box.recorded.keys()].at(-1)}`;
  let arrive: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  box.store.gate = ({ method, key }) => {
    if (method !== "PUT" || !key.startsWith("box/streams/")) return undefined;
    if (key === newest) return held;
    if (box.protectedSpans.length === 0)
      box.protectedSpans.push({ channelId: box.channelId, ...box.spanOf(newest.slice("box/".length)) });
    return undefined;
  };
  box.run(AGEING);
  await expect.poll(() => tagged().length).toBe(8);
  arrive();
  await box.sentAll();
  await expect.poll(() => box.store.asked.some(({ key }) => key === newest)).toBe(true);
  await expect.poll(() => box.store.tags.has(newest)).toBe(false);
  expect(tagged()).toHaveLength(8);
});
