import { afterEach, beforeEach, expect, it } from "vitest";
import { whenKnown } from "../../../src/archive/index.js";
import { US_PER_DAY } from "../../../src/base/index.js";
import { until } from "../../support/archive/archive-fixture.js";
import { START_US, streamOfNumber } from "../../support/archive/segment-fixtures.js";
import { minutes, putDay, startReader, type TestReader } from "../../support/away/bucket-samples.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

/** What a reader of a bucket fetches for somebody who has left. Its clock stands: no request ends by itself. */

const KEY = streamOfNumber(2);
const DAYS = 20;
/** Manifests that are read at once. */
const AT_ONCE = 8;

let store: ScriptedStore;
let directory: TemporaryDirectory;
let clock: SimulatedClock;
let found: TestReader;

beforeEach(async () => {
  store = await new ScriptedStore().start();
  directory = new TemporaryDirectory("nvrd-gone-askers");
  for (let day = 0; day < DAYS; day++) {
    const segments = minutes(START_US + day * US_PER_DAY, 2);
    putDay(store.objects, { prefix: "a/", box: "Harbour", channel: "Gate", segments });
  }
  clock = new SimulatedClock(START_US + DAYS * US_PER_DAY);
  found = await startReader(store, directory, { clock });
  await until(() => found.reader.fault === undefined, "the boxes");
});

afterEach(async () => {
  await found.stop();
  store.stop();
  directory.remove();
});

const asked = (kind: RegExp): number => store.asked.filter(({ key }) => kind.test(key)).length;

/** Asks what is recorded of some days; the answer stays out. */
function ask(days: number): AbortController {
  const gone = new AbortController();
  const question = () => found.archive.fragments(KEY, START_US, START_US + days * US_PER_DAY);
  whenKnown(question, clock, { gone: () => gone.signal }).catch(() => undefined); // nobody is answered
  return gone;
}

it("gives up the manifest of a day with the last who waits for it, and reads it when somebody asks again", async () => {
  store.fault = ({ key }) => (/manifests/.test(key) ? "silence" : undefined);
  const [first, second] = [ask(1), ask(1)];
  await until(() => store.unanswered === 1, "the manifest to be asked for");
  first.abort();
  const third = ask(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(store.unanswered).toBe(1);
  third.abort();
  second.abort();
  await until(() => store.unanswered === 0, "it to be given up");
  store.fault = () => undefined;
  const runs = await whenKnown(() => found.archive.fragments(KEY, START_US, START_US + US_PER_DAY), clock);
  expect(runs).toHaveLength(1);
});

it("asks for none of the days that waited for their turn", async () => {
  const before = asked(/manifests/);
  store.fault = ({ key }) => (/manifests/.test(key) ? "silence" : undefined);
  const gone = ask(DAYS);
  await until(() => store.unanswered === AT_ONCE, "some manifests to be asked for");
  gone.abort();
  await until(() => store.unanswered === 0, "all to be given up");
  expect(asked(/manifests/) - before).toBe(AT_ONCE);
});

it("gives up the manifest for a player that is closed before its first picture", async () => {
  store.fault = ({ key }) => (/manifests/.test(key) ? "silence" : undefined);
  const reader = found.archive.read(KEY, { fromUs: START_US });
  const frames = reader.next();
  await until(() => store.unanswered === 1, "the manifest to be asked for");
  reader.close();
  expect(await frames).toEqual([]);
  await until(() => store.unanswered === 0, "it to be given up");
});

it("gives up the bytes of a recording for who leaves while its file is opened", async () => {
  const query = { fromUs: START_US, toUs: START_US + 1, pieceUsMin: 0 };
  const [segment] = await whenKnown(() => [...found.archive.recorded(KEY, query)], clock);
  if (segment === undefined) throw new Error("nothing is recorded");
  store.fault = ({ key }) => (/streams/.test(key) ? "silence" : undefined);
  const gone = new AbortController();
  const opened = found.archive.openRecorded(segment, gone.signal);
  await until(() => store.unanswered > 0, "bytes to be asked for");
  gone.abort();
  await expect(opened).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  await until(() => store.unanswered === 0, "all to be given up");
  await expect(found.archive.openRecorded(segment, gone.signal)).rejects.toThrow(/nobody waits/);
});
