import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import { type Finding, findingId } from "../../../src/finding/finding.js";
import { findingLine } from "../../../src/finding/finding-line.js";
import { guidOfNumber, START_US, streamOfNumber } from "../../support/archive/segment-fixtures.js";
import { minutes, putDay, startReader, type TestReader } from "../../support/away/bucket-samples.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { until } from "../../support/base/until.js";
import { EVERYTHING } from "../../support/finding/finding-harness.js";

const { channelId: GATE } = streamOfNumber(2);
const DAY = new Date(START_US / 1000).toISOString().slice(0, 10);
const SECOND_US = 1_000_000;
const BOX = { left: 0.2, top: 0.3, width: 0.1, height: 0.2 };

let store: ScriptedStore;
let directory: TemporaryDirectory;
let started: TestReader[];

beforeEach(async () => {
  store = await new ScriptedStore().start();
  directory = new TemporaryDirectory("nvrd-bucket-findings");
  started = [];
});

afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
  store.stop();
  directory.remove();
});

/** Looks at the boxes again and again. */
async function start(): Promise<TestReader> {
  const timing = { freshMs: 50, allMs: 50, retryMs: 50 };
  const reader = await startReader(store, directory, { clock: new SystemClock(), timing });
  started.push(reader);
  await until("the boxes are known", () => reader.reader.fault === undefined);
  await readWhole(reader);
  return reader;
}

async function readWhole({ reader }: TestReader): Promise<void> {
  // The first waits for a reading that may have begun before.
  await reader.findings.read();
  await reader.findings.read();
}

/** What changed in the bucket is known. */
async function listedAgain(reader: TestReader): Promise<void> {
  const before = lists();
  await until("the boxes are listed again", () => lists() > before + 4, { seen: lists });
  await readWhole(reader);
}

function personAt(second: number, label = ""): Finding {
  const beginUs = START_US + second * SECOND_US;
  return {
    ...{ id: findingId(GATE, beginUs), channelId: GATE, kind: "person", label, source: "recorder" },
    ...{ sourceName: "", isLasting: false, beginUs, seenUs: beginUs + SECOND_US, score: 0.9, line: "" },
    ...{ strength: undefined, zones: [], direction: undefined, text: "" },
    path: [{ timeUs: beginUs, box: BOX }],
    best: { timeUs: beginUs, box: BOX },
  };
}

/** A box with a recording and findings of a day. */
function putBox(prefix: string, findings: readonly Finding[], channel = "Gate"): void {
  putDay(store.objects, { prefix, box: prefix, channel, segments: minutes(START_US, 3) });
  putFindings(prefix, findings);
}

function putFindings(prefix: string, findings: readonly Finding[]): void {
  store.objects.set(keyOf(prefix), Buffer.concat(findings.map(findingLine)));
}

const keyOf = (prefix: string): string => `${prefix}findings/${GATE}/${DAY}.findings`;
const lists = (): number => store.asked.filter(({ query }) => query.has("list-type")).length;
const fetched = (): number => store.asked.filter(({ key }) => key.endsWith(".findings")).length;

function channelsOf({ reader }: TestReader): ReadonlyMap<Guid, string> {
  return new Map(reader.boxes.flatMap(({ channels }) => channels.map(({ id, name }) => [id, name] as const)));
}

async function found(reader: TestReader, question: Partial<typeof EVERYTHING> = {}): Promise<Finding[]> {
  const query = { ...EVERYTHING, channels: channelsOf(reader), ...question };
  return [...(await reader.reader.findings.search(query)).findings];
}

describe("what was seen, in a bucket", () => {
  it("is found for each box, also where channels of two have the same id", async () => {
    putBox("a/", [personAt(1)]);
    putBox("b/", [personAt(2), personAt(3)]);
    const reader = await start();
    const all = await found(reader);
    expect(all.map(({ beginUs }) => (beginUs - START_US) / SECOND_US)).toEqual([3, 2, 1]);
    const ids = new Set(all.map(({ channelId }) => channelId));
    expect(ids).toEqual(new Set(channelsOf(reader).keys()));
    expect(ids.size).toBe(2);
  });

  it("is found by its words, and only of the channels that are asked for", async () => {
    putBox("a/", [personAt(1, "courier"), personAt(2)]);
    const reader = await start();
    expect(await found(reader, { text: "courier" })).toHaveLength(1);
    expect(await found(reader, { channels: new Map([[guidOfNumber(1, 1), "Other"]]) })).toEqual([]);
  });

  it("is read whole, with its way", async () => {
    putBox("a/", [personAt(1), personAt(2)]);
    const reader = await start();
    const [newest] = await found(reader);
    const whole = await reader.reader.findings.get(newest?.id ?? "");
    expect(whole?.path.map(({ timeUs }) => timeUs)).toEqual([START_US + 2 * SECOND_US]);
    expect(whole?.path[0]?.box.width).toBeCloseTo(BOX.width);
  });

  it("has what boxes send later, and not what has left the bucket", async () => {
    putBox("a/", [personAt(1)]);
    const reader = await start();
    putFindings("a/", [personAt(1), personAt(2)]);
    await listedAgain(reader);
    expect(await found(reader)).toHaveLength(2);
    store.objects.delete(keyOf("a/"));
    await listedAgain(reader);
    expect(await found(reader)).toEqual([]);
  });

  it("is not fetched again by a reader that is started again", async () => {
    putBox("a/", [personAt(1)]);
    const first = await start();
    await first.stop();
    started.splice(0);
    const before = fetched();
    expect(before).toBe(1);
    expect(await found(await start())).toHaveLength(1);
    expect(fetched()).toBe(before);
  });

  it("is not known to be complete before the bucket was read", async () => {
    putBox("a/", [personAt(1)]);
    const reader = await startReader(store, directory, { clock: new SystemClock() });
    started.push(reader);
    expect(reader.reader.findings.state().unread).toBeGreaterThan(0);
    await until("the boxes are known", () => reader.reader.fault === undefined);
    await readWhole(reader);
    expect(reader.reader.findings.state().unread).toBe(0);
  });
});
