import { afterEach, describe, expect, it } from "vitest";
import { segmentPath } from "../../src/archive/index.js";
import { US_PER_DAY } from "../../src/base/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { AwayBox } from "../support/away/away-box.js";

const FROM_US = START_US;
const DAY_US = US_PER_DAY;

let box: AwayBox | undefined;

afterEach(() => box?.stop());

/** A box whose recordings of two days are in the bucket and named; it runs. */
async function sent(auditPercent = 1): Promise<AwayBox> {
  box = await AwayBox.start();
  for (const fromUs of [FROM_US, FROM_US + MINUTE_US, FROM_US + DAY_US]) box.record({ fromUs });
  box.run({ auditPercent });
  await box.sentAll();
  await expect.poll(() => box?.state?.activity).toBe("idle");
  return box;
}

const manifestsOf = ({ store }: AwayBox): string[] =>
  [...store.objects.keys()].filter((key) => key.startsWith("box/manifests/"));
const damages = ({ events }: AwayBox): string[] =>
  events.raised.flatMap(({ typeId, comment }) =>
    typeId === EVENT_TYPES.awayDamaged.id ? [comment ?? ""] : [],
  );

/** The audit of the next day looks. */
async function audited(running: AwayBox, told: number): Promise<string> {
  running.aheadUs += DAY_US;
  await expect.poll(() => damages(running).length).toBe(told);
  await running.sentAll();
  return damages(running).join("\n");
}

describe("what somebody has deleted in the bucket while the recorder ran", () => {
  it("is named again where it is a manifest, and nothing is sent again", async () => {
    const running = await sent();
    const first = manifestsOf(running).find((key) => key.includes("2026-03-01")) ?? "";
    running.store.objects.delete(first);
    const puts = () => running.store.asked.filter(({ method }) => method === "PUT").length;
    const before = puts();
    expect(await audited(running, 1)).toMatch(
      /manifests\/.*2026-03-01.* is missing: it is written anew; of 2 recordings of the day 0 are missing or changed, 0 are sent again/,
    );
    const segments = running.store.asked.filter(
      ({ method, key }) => method === "PUT" && key.includes("streams/"),
    );
    expect(segments).toHaveLength(3);
    expect(puts()).toBeGreaterThan(before);
  });

  it("is all sent again where it is all, though the audit reads back one of a hundred", async () => {
    const running = await sent();
    running.store.objects.clear();
    expect(await audited(running, 2)).toMatch(
      /of 2 recordings of the day 2 are missing or changed, 2 are sent again/,
    );
    expect(running.unnamed()).toEqual([]);
  });

  it("is said to be lost where it is not here any more either", async () => {
    const running = await sent();
    const segment = running.record({ fromUs: FROM_US + 2 * MINUTE_US });
    await running.sentAll();
    await running.removeHere(segment);
    running.recorded.delete(segmentPath({ ...segment }));
    for (const key of [...running.store.objects.keys()])
      if (key.includes("2026-03-01")) running.store.objects.delete(key);
    expect(await audited(running, 1)).toMatch(
      /of 3 recordings of the day 3 are missing or changed, 2 are sent again/,
    );
  });

  it("is not looked for where nothing is to be audited", async () => {
    const running = await sent(0);
    running.store.objects.delete(manifestsOf(running)[0] ?? "");
    running.aheadUs += DAY_US;
    running.record({ fromUs: FROM_US + DAY_US + MINUTE_US });
    await expect.poll(() => running.state?.sentSegments).toBe(4);
    expect(damages(running)).toEqual([]);
  });
});
