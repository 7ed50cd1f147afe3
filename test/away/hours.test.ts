import { afterEach, expect, it } from "vitest";
import { WEEK_DAYS } from "../../src/site/index.js";
import { until } from "../support/api/api-harness.js";
import { AwayBox } from "../support/away/away-box.js";
import { PATIENCE_MS } from "../support/base/patience.js";

/** So many times as fast as it is: the hours are looked at six times a second. */
const TIMES = 60;
const LOOK_MS = 10_000 / TIMES;
const KBPS = 1900;
const SEGMENT_BYTES = 64 * 1024 * 1024;
const PARTS = 4;
const DAY_US = 86_400_000_000;

let box: AwayBox;

afterEach(() => box.stop());

/** Numbers of the parts that were begun, in their order. */
const begun = () =>
  box.store.asked
    .filter(({ method, query }) => method === "PUT" && query.has("partNumber"))
    .map(({ query }) => Number(query.get("partNumber")));

const arrived = () => [...box.store.uploads.values()][0]?.size ?? 0;

it("a segment of 64 MiB under way keeps to the hours of the week, and goes in parts, each once", {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const today = new Date().getDay();
  // Tomorrow too: the test may begin before midnight.
  const closed = [today, (today + 1) % 7].map((day) => ({
    ...{ day: WEEK_DAYS[day] ?? "Sunday", fromMinute: 0, toMinute: 1440, kbpsMax: 0 },
  }));
  box = await AwayBox.start({ kbpsMax: KBPS, hours: closed }, TIMES);
  box.aheadUs = 3 * DAY_US;
  box.record({ bytes: SEGMENT_BYTES });
  box.run();
  await until("a second part to be begun", () => begun().length === 2);
  box.aheadUs = 0;
  await until("the hour to be told", () => box.state?.activity === "paused");
  await until("the part under way to arrive", () => arrived() === 2);
  // Some looks later nothing else has begun.
  await new Promise((resolve) => setTimeout(resolve, 5 * LOOK_MS));
  expect(begun()).toEqual([1, 2]);
  box.aheadUs = 3 * DAY_US;
  await box.sentAll();
  expect(begun()).toEqual(Array.from({ length: PARTS }, (_one, at) => at + 1));
  expect(box.state?.problem).toBeUndefined();
});
