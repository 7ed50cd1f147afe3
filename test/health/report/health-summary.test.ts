import { expect, it } from "vitest";
import { healthSummary, SUMMARY_LENGTH_MAX, type SummaryFigures } from "../../../src/health/index.js";

const WELL: SummaryFigures = {
  camerasOn: 16,
  camerasToRecord: 16,
  camerasRecording: 16,
  daysLeft: 41.7,
  daysHeld: 60,
  problems: [],
};

it.each<[string, Partial<SummaryFigures>, string]>([
  ["all is well", {}, "16 of 16 recording, 41 days left"],
  [
    "there is no camera",
    { camerasOn: 0, camerasToRecord: 0, camerasRecording: 0 },
    "no cameras, 41 days left",
  ],
  [
    "cameras wait for motion or their schedule",
    { camerasToRecord: 12, camerasRecording: 11 },
    "11 of 12 recording, 4 waiting to record, 41 days left",
  ],
  [
    "none is to be recorded now",
    { camerasToRecord: 0, camerasRecording: 0 },
    "16 waiting to record, 41 days left",
  ],
  ["one day is left", { daysLeft: 1.2 }, "16 of 16 recording, 1 day left"],
  ["the archive is full", { daysLeft: 0 }, "16 of 16 recording, holds 60 days"],
  [
    "the disks are far too small",
    { daysLeft: 0, daysHeld: 0.4 },
    "16 of 16 recording, holds less than a day",
  ],
  ["the rate is not known yet", { daysLeft: undefined, daysHeld: undefined }, "16 of 16 recording"],
  [
    "something is wrong",
    { camerasRecording: 15, problems: [{ text: "camera Yard does not answer" }] },
    "15 of 16 recording, 41 days left; camera Yard does not answer",
  ],
  [
    "several things are wrong",
    { problems: [{ text: "disk sda fails" }, { text: "a" }, { text: "b" }] },
    "16 of 16 recording, 41 days left; disk sda fails (and 2 more)",
  ],
])("the summary when %s", (_title, change, text) => {
  expect(healthSummary({ ...WELL, ...change })).toBe(text);
});

it("the summary stays one short line, however long a problem's text is", () => {
  const problems = [{ text: "x".repeat(10_000) }, { text: "y" }];
  const text = healthSummary({ ...WELL, problems });
  expect(text.length).toBe(SUMMARY_LENGTH_MAX);
  expect(text.endsWith("… (and 1 more)")).toBe(true);
});
