import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Replications, sendingHere } from "../../../src/away/index.js";
import { AWAY_TIMING } from "../../../src/away/replication.js";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import type { Site } from "../../../src/site/index.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { awayTarget } from "../../support/away/away-samples.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";
import { silentLog } from "../../support/site/site-samples.js";

const ids = [1, 2].map((number): Guid => `88888888-0000-4000-8000-00000000000${number}`);
const SITE = { awayTargets: [], cameras: [] } as unknown as Site;
const good = (name = "Cellar") => awayTarget({ id: ids[0] ?? "", name });
/** Its address cannot be read: it cannot even be begun. */
const broken = () => awayTarget({ id: ids[1] ?? "", proxy: "no address", proxyLogin: "me" });

let directory: TemporaryDirectory;
let replications: Replications;

beforeEach(() => {
  directory = new TemporaryDirectory("nvrd-replications");
  const clock = new SystemClock();
  replications = new Replications({
    ...{ site: { current: SITE }, index: new MemorySegmentIndex(), isKnown: () => false, clock },
    ages: { isKnown: false, nowUs: 0 },
    ...{ pathsOf: () => [], protectedRanges: () => [], bootTimes: () => new Map(), log: silentLog },
    ...{ events: new MemoryEventLog(clock), dataDir: directory.path, start: sendingHere(clock) },
    findingsOf: async () => undefined,
    factsOf: async () => Promise.reject(new Error("not asked for")),
    timing: AWAY_TIMING,
  });
});

afterEach(async () => {
  await replications.stop();
  directory.remove();
});

const names = () => replications.states().map(({ name }) => name);

describe("replications", () => {
  it("of other targets go on where one cannot be begun, and follow the next change", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): number => unhandled.push(error);
    process.on("unhandledRejection", note);
    onTestFinished(() => {
      process.off("unhandledRejection", note);
    });
    replications.follow([broken(), good()]);
    await expect.poll(names).toEqual(["Cellar"]);
    replications.follow([good("Attic")]);
    await expect.poll(names).toEqual(["Attic"]);
    expect(unhandled).toEqual([]);
  });
});
