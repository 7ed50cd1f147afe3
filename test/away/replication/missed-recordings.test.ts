import { beforeEach, describe, expect, it } from "vitest";
import type { SegmentSummary } from "../../../src/archive/index.js";
import { MissedRecordings } from "../../../src/away/missed-recordings.js";
import { MINUTE_US, START_US, segmentOf } from "../../support/archive/segment-fixtures.js";
import { awayTarget } from "../../support/away/away-samples.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";
import { silentLog } from "../../support/site/site-samples.js";

/** As many as wait to be asked for. */
const ASKED_MAX = 4096;

let clock: SimulatedClock;
let events: MemoryEventLog;
let isSent: (segment: SegmentSummary) => boolean;
let missed: MissedRecordings;
let isUnderWay: boolean;

beforeEach(() => {
  clock = new SimulatedClock(START_US);
  events = new MemoryEventLog(clock);
  isSent = () => false;
  isUnderWay = false;
  missed = new MissedRecordings({
    ...{ target: awayTarget({ id: "88888888-0000-4000-8000-000000000007" }), events, clock, log: silentLog },
    queue: {
      wants: async (segment) => !isSent(segment),
      remove: () => undefined,
      isTaken: () => isUnderWay,
    },
  });
});

const segment = (number: number) =>
  segmentOf({ stream: 2, sequence: number, fromUs: START_US + number * MINUTE_US, bytes: 1_000_000 });
const comments = () => events.raised.map(({ comment }) => comment);

describe("what retention removed before it was sent", () => {
  it("is reported with its size, and what was sent is not", async () => {
    isSent = ({ fromUs }) => fromUs === START_US;
    for (let number = 0; number < 3; number++) missed.note(segment(number));
    await missed.report();
    expect(comments()).toEqual(["Cellar: 2 recordings, 2 MB"]);
  });

  it("is reported as not known where too much was removed to ask for all of it", async () => {
    isSent = () => true;
    for (let number = 0; number < ASKED_MAX + 5; number++) missed.note(segment(number));
    await missed.report();
    expect(comments()).toEqual(["Cellar: of 5 recordings, 5 MB, it is not known whether they were sent"]);
  });

  it("is not told while it is under way, and is when that fails", async () => {
    isUnderWay = true;
    missed.note(segment(0));
    await missed.report();
    expect(comments()).toEqual([]);
    isUnderWay = false;
    await missed.report();
    expect(comments()).toEqual(["Cellar: 1 recordings, 1 MB"]);
  });

  it("is reported as not known where that cannot be found out", async () => {
    isSent = ({ fromUs }) => {
      if (fromUs > START_US) throw new Error("the journal cannot be read");
      return false;
    };
    for (const number of [0, 1]) missed.note(segment(number));
    await missed.report();
    expect(comments()).toEqual([
      "Cellar: 1 recordings, 1 MB; of 1 more, 1 MB, it is not known whether they were sent",
    ]);
  });
});
