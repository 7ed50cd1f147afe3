import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newGuid } from "../../../src/base/value/guid.js";
import { fillsFromCard } from "../../../src/camera/card/card-control.js";
import { CameraFailure } from "../../../src/camera/description/camera-failure.js";
import { fillHours } from "../../../src/camera/filling/fill-hours.js";
import { type FillSettings, GapFills } from "../../../src/camera/filling/gap-fills.js";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { cameraOptions } from "../../../src/site/model/camera-settings.js";
import type { Camera, Site } from "../../../src/site/model/model.js";
import type { Task } from "../../../src/task/task.js";
import { Tasks } from "../../../src/task/tasks.js";
import { SILENT_LOG, until } from "../../support/archive/archive-fixture.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { CardCamera, FRAME_US } from "../../support/card/card-camera.js";
import { CardRecorder } from "../../support/card/card-recorder.js";
import { sampleCamera } from "../../support/site/site-samples.js";

const S = 1_000_000;
const MINUTE = 60 * S;
const LOOK_US = 10 * S;
const PICTURES = 900;
/** Pictures that are not recorded. */
const FIRST = { from: 250, to: 400 };
const SECOND = { from: 600, to: 750 };
const SETTINGS: FillSettings = { order: "oldest", hours: undefined, bytesPerSecondMax: 1e6, days: 7 };

let camera: CardCamera;
let recorder: CardRecorder;
let clock: SimulatedClock;
let tasks: Tasks;
let site: { current: Pick<Site, "cameras"> };
let events: { readonly type: string; readonly comment: string }[];
let fills: GapFills | undefined;

beforeEach(async () => {
  // An hour ago, at full seconds.
  const startUs = (Math.floor(Date.now() / 1000) - 3600) * S;
  clock = new SimulatedClock(startUs + 10 * MINUTE);
  camera = new CardCamera({ startUs, pictures: PICTURES });
  recorder = new CardRecorder(camera);
  await recorder.start();
  await recorder.record(0, FIRST.from);
  await recorder.record(FIRST.to, SECOND.from);
  await recorder.record(SECOND.to, PICTURES);
  tasks = new Tasks({ clock, log: SILENT_LOG, onNotice: () => undefined });
  site = { current: { cameras: [cameraOf({})] } };
  events = [];
});

afterEach(async () => {
  camera.onPlay = () => undefined;
  await fills?.stop();
  fills = undefined;
  await recorder.close();
});

function cameraOf(change: Partial<Camera>, isFilled = true): Camera {
  const sample = sampleCamera({ server: { id: newGuid() } } as Site, {
    id: recorder.key.channelId,
    ...change,
  });
  const kept = cameraOptions(sample);
  const flags = { deviceArchiveEnabled: isFilled, deviceArchiveSynchronizationEnabled: isFilled };
  return { ...sample, kept: { ...kept, archive: { ...kept.archive, ...flags } } };
}

function start(change: Partial<FillSettings> = {}): GapFills {
  fills = new GapFills({
    settings: { ...SETTINGS, ...change },
    site: site as { current: Site },
    cards: camera,
    isWanted: fillsFromCard,
    archive: recorder.archive,
    removed: { of: () => [] },
    explain: async (_, holes) => holes.map((hole) => ({ ...hole, reason: "camera-lost" })),
    tasks,
    events: {
      raise: ({ typeId, comment = "" }) => {
        const [type = ""] = Object.entries(EVENT_TYPES).find(([, { id }]) => id === typeId) ?? [];
        events.push({ type, comment });
        return {} as never;
      },
    },
    knowledge: { isKnown: true },
    dataDir: recorder.path,
    clock,
    log: SILENT_LOG,
  });
  fills.start();
  return fills;
}

/** Lets it look for gaps, and waits until what it began has ended. */
async function look(): Promise<Task | undefined> {
  const before = tasks.list()[0]?.id;
  clock.advance(LOOK_US);
  await settled();
  const [newest] = tasks.list();
  if (newest === undefined || newest.id === before) return undefined;
  await until(() => !["Waiting", "Running"].includes(tasks.get(newest.id)?.state ?? ""), "the task to end");
  await settled();
  return tasks.get(newest.id);
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when a playback has come to a picture; it waits there until `go`. */
function heldAt(index: number): { readonly reached: Promise<void>; readonly go: () => void } {
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    camera.onPlay = async (at) => {
      if (at < index) return;
      resolve();
      await held;
    };
  });
  return { reached, go };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const channel = () => recorder.key.channelId;
const stateOf = (of: GapFills) => of.state(channel()).gaps.map(({ state, tries }) => ({ state, tries }));

it("the event of a gap that is filled but for its beginning says how much could not be filled", async () => {
  await recorder.close();
  recorder = new CardRecorder(camera);
  await recorder.start();
  site.current = { cameras: [cameraOf({})] };
  // Cut in the middle of a group of pictures.
  await recorder.record(0, FIRST.from + 10);
  await recorder.record(FIRST.to, PICTURES);
  start();
  await look();
  expect(events).toHaveLength(1);
  expect(events[0]?.comment).toMatch(/: 5 s, 1 s could not be filled$/);
});

it("fills all gaps, tells each, and then leaves the camera alone", async () => {
  start();
  const task = await look();
  expect(task).toMatchObject({
    kind: "FillGaps",
    state: "Done",
    subject: "Gate",
    result: { Gaps: 2, Filled: 2 },
  });
  expect(await recorder.numbers()).toEqual(range(0, PICTURES));
  expect(events.map(({ type }) => type)).toEqual(["gapFilled", "gapFilled"]);
  const asked = camera.requests.length;
  expect(await look()).toBeUndefined();
  expect(camera.requests).toHaveLength(asked);
});

it.each([
  { order: "oldest", first: FIRST },
  { order: "newest", first: SECOND },
] as const)("begins with the $order gap", async ({ order, first }) => {
  start({ order });
  await look();
  const [request] = camera.requests;
  expect(request?.fromUs).toBeLessThan(camera.timeUs(first.from));
  expect(request?.toUs).toBeGreaterThan(camera.timeUs(first.to));
});

it("asks for no more bytes a second than the setting allows", async () => {
  start({ bytesPerSecondMax: 125_000 });
  await look();
  expect(camera.requests.map(({ bytesPerSecondMax }) => bytesPerSecondMax)).toEqual([125_000, 125_000]);
});

it("a user who cancels it gives up the gaps of that run, and keeps what was filled", async () => {
  const running = start();
  const { reached, go } = heldAt(FIRST.from + 100);
  clock.advance(LOOK_US);
  await reached;
  tasks.remove(tasks.list()[0]?.id ?? "");
  go();
  await until(() => stateOf(running).length === 2, "the gaps to be given up");
  await settled();
  expect(stateOf(running).map(({ state }) => state)).toEqual(["given-up", "given-up"]);
  expect(events.map(({ type }) => type)).toEqual(["gapGivenUp", "gapGivenUp"]);
  expect(events[0]?.comment).toContain("cancelled by a user");
  expect(camera.playing).toBe(0);
  camera.onPlay = () => undefined;
  expect(await look()).toBeUndefined();
  const numbers = await recorder.numbers();
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

/** Seconds of each gap that are told to be filled. */
const filledSeconds = (of: GapFills) =>
  of.state(channel()).gaps.map(({ filledUs }) => Math.round(filledUs / S));

/** Seconds of the first gap that are recorded. */
async function recordedOfFirst(): Promise<number> {
  const numbers = (await recorder.numbers()).filter((number) => number >= FIRST.from && number < FIRST.to);
  return Math.round((numbers.length * FRAME_US) / S);
}

it("a try that failed in the middle tells how much came", async () => {
  const running = start();
  camera.onPlay = (at) => {
    if (at >= FIRST.from + 100) throw new Error("the camera is gone");
  };
  await look();
  expect(stateOf(running)[0]).toEqual({ state: "waiting", tries: 1 });
  expect(await recordedOfFirst()).toBe(4);
  expect(filledSeconds(running)).toEqual([4, 0]);
});

it("a gap that is given up by a user tells how much came", async () => {
  const running = start();
  const { reached, go } = heldAt(FIRST.from + 100);
  clock.advance(LOOK_US);
  await reached;
  tasks.remove(tasks.list()[0]?.id ?? "");
  go();
  await until(() => stateOf(running).length === 2, "the gaps to be given up");
  expect(await recordedOfFirst()).toBe(4);
  expect(filledSeconds(running)).toEqual([4, 0]);
  expect(events[0]?.comment).toMatch(/: 4 s, 2 s could not be filled, cancelled by a user/);
});

/** `HH:mm` of the machine's zone, some minutes from now. */
function localTime(minutes: number): string {
  const date = new Date(clock.nowUs() / 1000 + minutes * 60_000);
  return [date.getHours(), date.getMinutes()].map((part) => `${part}`.padStart(2, "0")).join(":");
}

it("outside of its hours it does nothing", async () => {
  start({ hours: fillHours(`${localTime(30)}-${localTime(60)}`) });
  expect(await look()).toBeUndefined();
  clock.advance(31 * MINUTE);
  await settled();
  expect(await look()).toBeDefined();
  expect(await recorder.numbers()).toEqual(range(0, PICTURES));
});

it("at the end of its hours it stops, gives nothing up, and goes on the next time", async () => {
  const running = start({ hours: fillHours(`${localTime(-5)}-${localTime(2)}`) });
  const { reached, go } = heldAt(FIRST.from + 100);
  clock.advance(LOOK_US);
  await reached;
  clock.advance(3 * MINUTE);
  go();
  await until(() => tasks.list()[0]?.state === "Done", "the task to end");
  await settled();
  expect(stateOf(running)).toEqual([]);
  expect(events).toEqual([]);
  expect(camera.playing).toBe(0);
  camera.onPlay = () => undefined;
  expect(await look()).toBeUndefined();
  clock.advance(24 * 60 * MINUTE - 5 * MINUTE);
  await settled();
  clock.advance(LOOK_US);
  await until(() => stateOf(running).length === 2, "the gaps to be filled");
  expect(await recorder.numbers()).toEqual(range(0, PICTURES));
});

it.each([
  { what: "deleted", cameras: () => [] },
  { what: "switched off", cameras: () => [cameraOf({ disabled: true })] },
  { what: "not to be filled any more", cameras: () => [cameraOf({}, false)] },
])("of a camera that is $what nothing more is fetched", async ({ cameras }) => {
  const running = start();
  const { reached, go } = heldAt(FIRST.from + 50);
  clock.advance(LOOK_US);
  await reached;
  site.current = { cameras: cameras() };
  running.follow();
  go();
  await until(() => tasks.list()[0]?.state === "Done", "the task to end");
  expect(camera.playing).toBe(0);
  expect(camera.requests).toHaveLength(1);
  expect(events).toEqual([]);
  const filled = (await recorder.numbers()).filter((number) => number < FIRST.to);
  expect(Math.max(...filled)).toBeLessThan(FIRST.from + 51);
});

it("a stop of the service ends the playback, gives nothing up, and the next start goes on", async () => {
  const running = start();
  const { reached, go } = heldAt(FIRST.from + 100);
  clock.advance(LOOK_US);
  await reached;
  const stopped = running.stop();
  go();
  await stopped;
  expect(camera.playing).toBe(0);
  expect(events).toEqual([]);
  camera.onPlay = () => undefined;
  await recorder.restart();
  start();
  await look();
  expect(await recorder.numbers()).toEqual(range(0, PICTURES));
});

it("a camera that refuses is tried less and less often, and then its gaps are given up with the reason", async () => {
  const running = start();
  camera.failure = new CameraFailure("refused", "the camera refuses the question");
  for (const minutes of [0, 1, 5, 15, 60, 180]) {
    clock.advance(minutes * MINUTE);
    await settled();
    await look();
  }
  expect(stateOf(running)).toEqual([
    { state: "given-up", tries: 6 },
    { state: "given-up", tries: 6 },
  ]);
  expect(events.map(({ type }) => type)).toEqual(["gapGivenUp", "gapGivenUp"]);
  expect(events[0]?.comment).toContain("the camera refuses the question");
  camera.failure = undefined;
  clock.advance(300 * MINUTE);
  await settled();
  expect(await look()).toBeUndefined();
});

it("a camera that is away for days is filled when it is back", async () => {
  const running = start();
  camera.failure = new CameraFailure("unreachable", "nobody answers");
  for (let hours = 0; hours < 48; hours += 4) {
    clock.advance(240 * MINUTE);
    await settled();
    await look();
  }
  expect(running.state(channel()).gaps.map(({ state }) => state)).toEqual(["waiting", "waiting"]);
  expect(events).toEqual([]);
  camera.failure = undefined;
  clock.advance(240 * MINUTE);
  await settled();
  await look();
  expect(await recorder.numbers()).toEqual(range(0, PICTURES));
});

it("what is waited for outlives a restart of the service", async () => {
  const running = start();
  camera.failure = new CameraFailure("refused", "the camera refuses the question");
  await look();
  await running.stop();
  const kept = JSON.parse(readFileSync(path.join(recorder.path, "card-gaps.json"), "utf8")) as {
    gaps: unknown[];
  };
  expect(kept.gaps).toHaveLength(2);
  expect(stateOf(start())).toEqual([
    { state: "waiting", tries: 1 },
    { state: "waiting", tries: 1 },
  ]);
  expect(await look()).toBeUndefined();
});
