import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ArchiveFragment,
  fragmentOrigin,
  RecordingsNeeded,
  whenKnown,
} from "../../../src/archive/index.js";
import { newCameraFragmentId } from "../../../src/archive/segment/fragment-origin.js";
import { NvrdError, SystemClock, US_PER_DAY } from "../../../src/base/index.js";
import { AWAY_PLAN_DEFAULT } from "../../../src/site/index.js";
import { readFrames, until } from "../../support/archive/archive-fixture.js";
import { guidOfNumber, MINUTE_US, START_US, streamOfNumber } from "../../support/archive/segment-fixtures.js";
import { minutes, putDay, startReader, type TestReader } from "../../support/away/bucket-samples.js";
import { ReturningBox } from "../../support/away/returning-box.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const KEY = streamOfNumber(2);
const FRAMES = 100;

let store: ScriptedStore;
let directory: TemporaryDirectory;
let clock: SystemClock;
const started: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  store = await new ScriptedStore().start();
  directory = new TemporaryDirectory("nvrd-bucket-reader");
  clock = new SystemClock();
});

afterEach(async () => {
  for (const one of started.splice(0).reverse()) await one.stop();
  store.stop();
  directory.remove();
});

async function start(options: Partial<Parameters<typeof startReader>[2]> = {}): Promise<TestReader> {
  const found = await startReader(store, directory, { clock, ...options });
  started.push(found);
  return found;
}

async function known(options: Parameters<typeof start>[0] = {}): Promise<TestReader> {
  const found = await start(options);
  await until(() => found.reader.fault === undefined, "the boxes");
  return found;
}

const fragments = (
  { archive }: TestReader,
  fromUs: number,
  toUs: number,
  key = KEY,
): Promise<ArchiveFragment[]> => whenKnown(() => archive.fragments(key, fromUs, toUs), clock);

const lists = (): number => store.asked.filter(({ query }) => query.has("list-type")).length;
const gets = (): readonly string[] => store.asked.filter(({ key }) => key !== "").map(({ key }) => key);

async function failure(work: Promise<unknown>): Promise<NvrdError> {
  const error = await work.then(
    (value: unknown) => new Error(`no error, but ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof NvrdError) return error;
  throw error;
}

describe("a reader of many boxes", () => {
  it("knows boxes and channels by the names in their manifests", async () => {
    putDay(store.objects, { prefix: "b/", box: "Station", channel: "Gate", segments: minutes(START_US, 3) });
    const yard = minutes(START_US, 3, { stream: 4 });
    putDay(store.objects, { prefix: "a/", box: "Harbour", channel: "Yard", segments: yard });
    store.objects.set("other/readme.txt", Buffer.from("no box"));
    const { reader } = await known();
    expect(
      reader.boxes.map(({ prefix, name, channels }) => [prefix, name, channels.map((one) => one.name)]),
    ).toEqual([
      ["a/", "Harbour", ["Yard"]],
      ["b/", "Station", ["Gate"]],
    ]);
  });

  it("reads one box where the prefix is its own", async () => {
    putDay(store.objects, { prefix: "b/", box: "Station", channel: "Gate", segments: minutes(START_US, 3) });
    putDay(store.objects, { prefix: "a/", box: "Harbour", channel: "Yard", segments: minutes(START_US, 3) });
    const { reader } = await known({ prefix: "b/" });
    expect(reader.boxes.map(({ prefix, name }) => [prefix, name])).toEqual([["", "Station"]]);
  });

  it("reads what was recorded, byte for byte, of each box", { timeout: 2 * PATIENCE_MS }, async () => {
    const endpoint = `http://127.0.0.1:${store.port}`;
    const boxes = [];
    for (const prefix of ["a/", "b/"]) {
      const box = await new ReturningBox({ endpoint, prefix }).start();
      started.push(box);
      await box.record(FRAMES, { bytes: prefix === "a/" ? 1000 : 1500 });
      await box.send();
      boxes.push(box);
    }
    const { archive } = await known();
    for (const box of boxes) {
      const reader = archive.read(box.key, { fromUs: box.startUs, endsAtEdge: true });
      expect(await readFrames(reader, FRAMES)).toEqual(await box.read(box.startUs, FRAMES));
      reader.close();
    }
  });

  it("reads key frames where a box sent no more, and says that they are", {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    const plan = { ...AWAY_PLAN_DEFAULT, content: "keyFrames", from: "oldest" } as const;
    const endpoint = `http://127.0.0.1:${store.port}`;
    const box = await new ReturningBox({ endpoint, prefix: "a/", plan }).start();
    started.push(box);
    await box.record(FRAMES);
    await box.send();
    const { archive } = await known();
    const reader = archive.read(box.key, { fromUs: box.startUs, endsAtEdge: true });
    const keys = (await box.read(box.startUs, FRAMES)).filter(({ key }) => key);
    const found = await readFrames(reader, keys.length);
    reader.close();
    expect(found.map(({ decodeTimeUs, bytes }) => [decodeTimeUs, bytes])).toEqual(
      keys.map(({ decodeTimeUs, bytes }) => [decodeTimeUs, bytes]),
    );
    const [first, last] = [box.segments[0]?.fromUs ?? 0, box.segments.at(-1)?.toUs ?? 0];
    expect(archive.keyFramesOnly(box.key, first, last)).toEqual([{ fromUs: first, toUs: last }]);
  });

  it("tells channels with the same id apart, the same whatever else is there", async () => {
    const segments = minutes(START_US, 3);
    for (const prefix of ["a/", "b/"])
      putDay(store.objects, { prefix, box: prefix, channel: "Gate", segments });
    const ids = async (): Promise<readonly string[]> => {
      const found = await known();
      const shown = found.reader.boxes.flatMap(({ channels }) => channels.map(({ id }) => id));
      for (const channelId of shown)
        expect(await fragments(found, START_US, START_US + MINUTE_US, { ...KEY, channelId })).toHaveLength(1);
      return shown;
    };
    const both = await ids();
    expect(new Set([...both, KEY.channelId]).size).toBe(3);
    putDay(store.objects, { prefix: "0/", box: "0", channel: "Gate", segments });
    expect((await ids()).slice(1)).toEqual(both);
  });

  it("tells by the manifest what a camera kept, as the box did", async () => {
    const fragmentId = newCameraFragmentId();
    const [live, filled] = [minutes(START_US, 2), minutes(START_US + 5 * MINUTE_US, 2)];
    const segments = [...live, ...filled.map((segment) => ({ ...segment, fragmentId }))];
    putDay(store.objects, { prefix: "a/", box: "A", channel: "Gate", segments });
    const found = await fragments(await known(), START_US, START_US + 10 * MINUTE_US);
    expect(found.map(({ id }) => fragmentOrigin(id))).toEqual(["recorder", "camera"]);
    expect(found.at(-1)?.id).toBe(fragmentId);
  });

  it("asks for a manifest once, and for no list, whatever is asked about its day", async () => {
    const key = putDay(store.objects, {
      prefix: "a/",
      box: "A",
      channel: "Gate",
      segments: minutes(START_US, 30),
    });
    const found = await known();
    store.asked.length = 0;
    for (let minute = 0; minute < 20; minute++) {
      const atUs = START_US + minute * MINUTE_US;
      expect(await fragments(found, atUs, atUs + 1)).toHaveLength(1);
      expect(found.archive.nearestFrameUs(KEY, atUs + 1)).toBe(atUs);
    }
    expect(lists()).toBe(0);
    expect(gets()).toEqual([key]);
  });

  it("sees a newer manifest when its list is a minute old", async () => {
    const simulated = new SimulatedClock();
    putDay(store.objects, { prefix: "a/", box: "A", channel: "Gate", segments: minutes(START_US, 2) });
    const found = await known({ clock: simulated });
    const whole = (): Promise<ArchiveFragment[]> =>
      whenKnown(() => found.archive.fragments(KEY, START_US, START_US + US_PER_DAY), clock);
    expect((await whole())[0]?.toUs).toBe(START_US + 2 * MINUTE_US);
    store.objects.clear();
    putDay(store.objects, {
      prefix: "a/",
      box: "A",
      channel: "Gate",
      segments: minutes(START_US, 5),
      revision: 2,
    });
    expect((await whole())[0]?.toUs).toBe(START_US + 2 * MINUTE_US);
    simulated.advance(MINUTE_US);
    expect((await whole())[0]?.toUs).toBe(START_US + 5 * MINUTE_US);
  });

  it("joins days to one run, and reads no other days than those that are asked about", async () => {
    for (let day = 0; day < 5; day++)
      putDay(store.objects, {
        ...{ prefix: "a/", box: "A", channel: "Gate" },
        segments: minutes(START_US + day * US_PER_DAY, 1440),
      });
    const found = await known();
    store.asked.length = 0;
    const fromUs = START_US + 2 * US_PER_DAY - MINUTE_US;
    expect(await fragments(found, fromUs, fromUs + 2 * MINUTE_US)).toEqual([
      { id: guidOfNumber(1, 4), fromUs: START_US + US_PER_DAY, toUs: START_US + 3 * US_PER_DAY },
    ]);
    expect(gets()).toHaveLength(2);
  });

  it("keeps what was used last within its bound, and reads the rest anew", async () => {
    for (let day = 0; day < 4; day++)
      putDay(store.objects, {
        ...{ prefix: "a/", box: "A", channel: "Gate" },
        segments: minutes(START_US + day * US_PER_DAY, 100),
      });
    const found = await known({ detailBytesMax: 100_000 });
    const nearest = (day: number): Promise<number | undefined> =>
      whenKnown(() => found.archive.nearestFrameUs(KEY, START_US + day * US_PER_DAY + 1), clock);
    for (const day of [0, 1, 2, 3, 0]) expect(await nearest(day)).toBe(START_US + day * US_PER_DAY);
    const asked = gets().length;
    expect(await nearest(0)).toBe(START_US);
    expect(gets().length).toBe(asked);
    expect(asked).toBeGreaterThan(5);
  });

  it("says that it does not know, not that nothing is recorded, while the bucket cannot be listed", async () => {
    putDay(store.objects, { prefix: "a/", box: "A", channel: "Gate", segments: minutes(START_US, 2) });
    store.fault = () => ({ status: 503, code: "SlowDown" });
    const found = await start();
    await until(() => found.reader.problem !== undefined, "the failure");
    expect(found.reader.fault).toMatchObject({ code: "NOT_AVAILABLE", retryAfterMs: 3000 });
    const error = await failure(fragments(found, START_US, START_US + MINUTE_US));
    expect(error).toMatchObject({ code: "NOT_AVAILABLE" });
    expect(error).not.toBeInstanceOf(RecordingsNeeded);
    expect(error.message).toMatch(/cannot be read from the bucket nvrd now: .*busy/);
  });

  it.each([
    ["a server that is busy", { status: 503, code: "SlowDown" } as const, /busy/],
    ["a refusal", { status: 403, code: "AccessDenied" } as const, /may not|denied|refuse/i],
    ["a cut connection", "cut-answer" as const, /./],
  ])("says why where a manifest cannot be fetched: %s", async (_name, fault, text) => {
    putDay(store.objects, { prefix: "a/", box: "A", channel: "Gate", segments: minutes(START_US, 2) });
    const found = await known();
    store.fault = ({ key }) => (key.endsWith(".json") ? fault : undefined);
    const error = await failure(fragments(found, START_US, START_US + MINUTE_US));
    expect(error).toMatchObject({ code: "NOT_AVAILABLE" });
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(error.message).toMatch(text);
  });

  it.each([
    ["nonsense", Buffer.from("<html>no manifest</html>")],
    ["half of it", undefined],
  ])(
    "takes the manifest before where the newest is %s, and says so where there is none",
    async (_name, content) => {
      const sample = { prefix: "a/", box: "A", channel: "Gate" };
      putDay(store.objects, { ...sample, segments: minutes(START_US, 2) });
      const key = putDay(store.objects, { ...sample, segments: minutes(START_US, 3), revision: 2 });
      store.objects.set(key, content ?? (store.objects.get(key) ?? Buffer.alloc(0)).subarray(0, 500));
      const found = await known();
      expect((await fragments(found, START_US, START_US + MINUTE_US))[0]?.toUs).toBe(
        START_US + 2 * MINUTE_US,
      );
      for (const other of store.objects.keys()) if (other !== key) store.objects.delete(other);
      const alone = await known();
      const error = await failure(fragments(alone, START_US, START_US + MINUTE_US));
      expect(error).toMatchObject({ code: "NOT_AVAILABLE" });
      expect(error.message).toMatch(/no manifest that this version can read/);
    },
  );

  it("answers what is recorded of a channel that no box has with nothing", async () => {
    putDay(store.objects, { prefix: "a/", box: "A", channel: "Gate", segments: minutes(START_US, 2) });
    const found = await known();
    expect(await fragments(found, START_US, START_US + MINUTE_US, streamOfNumber(6))).toEqual([]);
  });

  it("refuses a question that needs more days than it may", async () => {
    for (let number = 0; number < 401; number++) {
      const key = putDay(store.objects, {
        ...{ prefix: "a/", box: "A", channel: "Gate" },
        segments: minutes(START_US + number * US_PER_DAY, 1),
      });
      expect(key).toContain("/manifests/");
    }
    const found = await known();
    const error = await failure(fragments(found, 0, START_US + 500 * US_PER_DAY));
    expect(error).toMatchObject({ code: "BAD_REQUEST" });
    expect(error.hint).toMatch(/400 days at most/);
  });

  it("changes its channels when a box comes", async () => {
    const simulated = new SimulatedClock();
    putDay(store.objects, { prefix: "a/", box: "A", channel: "Gate", segments: minutes(START_US, 2) });
    const found = await known({ clock: simulated });
    expect(found.changes()).toBe(1);
    putDay(store.objects, {
      prefix: "b/",
      box: "B",
      channel: "Yard",
      segments: minutes(START_US, 2, { stream: 4 }),
    });
    simulated.advance(5 * MINUTE_US);
    await until(() => found.reader.boxes.length === 2, "the second box");
    expect(found.changes()).toBe(2);
  });
});
