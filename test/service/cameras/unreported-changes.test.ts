import { expect, it } from "vitest";
import { EMPTY_GUID } from "../../../src/base/value/guid.js";
import { reportChangesBefore } from "../../../src/service/report/unreported-changes.js";
import { createFirstSite } from "../../../src/site/model/first-site.js";
import type { SiteChange } from "../../../src/site/model/site-change.js";
import type { HistoryEntry } from "../../../src/site/store/revision-history.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";
import { silentLog } from "../../support/site/site-samples.js";

const entry = (revision: number): HistoryEntry => ({
  revision,
  appliedAtUs: 0,
  by: { userId: EMPTY_GUID, name: "command line (root)" },
  summary: `change ${revision}`,
});
const HISTORY = [9, 8, 7, 6].map(entry);

/** Comments of the events, the first one first, and what is noted. */
async function reportedChanges(
  reportedRevision: number | undefined,
  changeAtStart?: SiteChange,
  history: () => Promise<readonly HistoryEntry[]> = () => Promise.resolve(HISTORY),
) {
  const events = new MemoryEventLog(new SimulatedClock());
  const noted: number[] = [];
  const site = {
    current: { ...createFirstSite({ serverName: "Depot", nowUs: 0 }), revision: 9 },
    changeAtStart,
    history,
  };
  const runs = { reportedRevision, noteReported: (revision: number) => noted.push(revision) };
  await reportChangesBefore({ site, events, runs, log: silentLog });
  return { comments: events.raised.map(({ initiator, comment }) => `${initiator.name}: ${comment}`), noted };
}

it("each change after the last one that was told has its event, in their order", async () => {
  expect(await reportedChanges(7)).toEqual({
    comments: ["command line (root): revision 8: change 8", "command line (root): revision 9: change 9"],
    noted: [9],
  });
});

it.each([
  ["all are told", 9],
  ["no run is known to have told any", undefined],
  ["an older configuration was put back", 12],
])("there are no events where %s", async (_what, reportedRevision) => {
  expect(await reportedChanges(reportedRevision)).toEqual({ comments: [], noted: [9] });
});

it("the change that the start made is reported once, kept in the history or not", async () => {
  const change = { by: { userId: EMPTY_GUID, name: "command line (root)" }, summary: "change 9" };
  const once = ["command line (root): revision 9: change 9"];
  expect((await reportedChanges(8, change)).comments).toEqual(once);
  expect((await reportedChanges(undefined, change)).comments).toEqual(once);
  expect((await reportedChanges(8, change, () => Promise.resolve(HISTORY.slice(1)))).comments).toEqual(once);
});

it("a history that cannot be read keeps no service from its start", async () => {
  const unreadable = () => Promise.reject(new Error("EIO"));
  expect(await reportedChanges(7, undefined, unreadable)).toEqual({ comments: [], noted: [9] });
});
