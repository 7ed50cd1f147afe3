import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { US_PER_SECOND } from "../../src/base/index.js";
import { LiveStream } from "../../src/live/index.js";
import { DecodingLoad, type Picture } from "../../src/picture/index.js";
import { type MotionSource, MotionStates } from "../../src/recording/index.js";
import type { LookPicture } from "../../src/sight/detector/detector.js";
import { CameraSight, type SightRules, type SightThing } from "../../src/sight/look/camera-sight.js";
import { LookQueue } from "../../src/sight/look/look-queue.js";
import { PART_SIDE_MIN } from "../../src/sight/look/look-regions.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { TEST_VIDEO_FORMAT } from "../support/media/synthetic-frames.js";
import { ScriptedCodec } from "../support/picture/scripted-codec.js";

const CHANNEL = "22222222-0000-4000-8000-000000000001";
const PICTURE: Omit<Picture, "timeUs"> = {
  ...{ form: "rgb", damaged: false, data: new Uint8Array(12) },
  ...{ width: 2, height: 2, sourceWidth: 320, sourceHeight: 240 },
};

let clock: SimulatedClock;
let stream: LiveStream;
let motion: MotionStates;
let queue: LookQueue;
let load: DecodingLoad;
let detector: { isReady: boolean; looked: LookPicture[]; look(picture: LookPicture): Promise<undefined> };
let sight: CameraSight;

beforeEach(() => {
  clock = new SimulatedClock();
  stream = new LiveStream({ channelId: CHANNEL, streamType: "Main" });
  stream.setState({ state: "active" });
  motion = new MotionStates(clock);
  queue = new LookQueue({ clock, lookMs: () => 10 });
  load = new DecodingLoad({ threads: () => 1, shareMax: 0.25 });
  load.check(0);
  detector = {
    ...{ isReady: true, looked: [] },
    look: (picture) => {
      detector.looked.push(picture);
      return Promise.resolve(undefined);
    },
  };
  sight = new CameraSight({
    ...{ channelId: CHANNEL, stream, motion, queue, load, detector, clock, codec: new ScriptedCodec() },
    rules: {
      ...{ wanted: new Map(), loiteringSeconds: 0, rotation: 0 },
      ...{ zones: [], lines: [] },
    },
    listener: { onBegan: fails, onSeen: fails, onAct: fails, onEnded: fails },
  });
});

afterEach(() => {
  sight.stop();
  motion.stop();
});

function fails(): never {
  throw new Error("nothing is there to be told of");
}

function moves(active = true, source: MotionSource = "recorder"): void {
  motion.report({ channelId: CHANNEL, source, active, timeUs: clock.nowUs(), zone: "" });
  sight.check();
}

function pass(seconds: number): void {
  clock.advance(seconds * US_PER_SECOND);
  sight.check();
}

const asks = (): boolean => sight.target(TEST_VIDEO_FORMAT, clock.nowUs()) !== undefined;

it("a thing has a better picture whole than cut by the picture's edge, and a box where its look found it", async () => {
  const things: SightThing[] = [];
  const note = (thing: SightThing) => void things.push(thing);
  const found = [0.6, 0.68, 0.9].map((left) => ({ left, top: 0.4, width: 0.1, height: 0.3 }));
  const looks = [...found];
  const person = new CameraSight({
    ...{ channelId: CHANNEL, stream, motion, queue, load, clock, codec: new ScriptedCodec() },
    detector: {
      isReady: true,
      look: async () => ({
        ...{ number: 1, tookMs: 10 },
        boxes: looks.splice(0, 1).map((box) => ({ label: "person" as const, score: 0.9, ...box })),
      }),
    },
    rules: {
      wanted: new Map([["person", { scoreMin: 0.5, sizeMin: 0, sizeMax: 1 }]]),
      ...{ loiteringSeconds: 0, rotation: 0, zones: [], lines: [] },
    },
    listener: { onBegan: note, onSeen: note, onAct: fails, onEnded: () => undefined },
  });
  const box = { left: 0.5, top: 0.3, width: 0.5, height: 0.5 };
  motion.report({
    ...{ channelId: CHANNEL, source: "recorder", active: true, zone: "", timeUs: clock.nowUs() },
    ...{ box, pieces: [box] },
  });
  for (let look = 0; look < found.length; look++) {
    person.check();
    person.target(TEST_VIDEO_FORMAT, clock.nowUs());
    person.take({ ...PICTURE, timeUs: clock.nowUs() });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0.5 * US_PER_SECOND);
  }
  expect(things.map((thing) => thing.found)).toEqual(found.slice(1));
  const [whole, cut] = things.map(({ quality }) => quality);
  expect(cut).toBeCloseTo((whole ?? 0) / 2);
  person.stop();
});

describe("a camera with somebody in its picture", () => {
  const WANTED: SightRules = {
    wanted: new Map([["person", { scoreMin: 0.5, sizeMin: 0, sizeMax: 1 }]]),
    ...{ loiteringSeconds: 0, rotation: 0, zones: [], lines: [] },
  };
  const YARD = { name: "Yard", has: ({ x }: { x: number }) => x >= 0.5 };
  let told: string[];
  let where: number;
  let camera: CameraSight;

  beforeEach(() => {
    told = [];
    where = 0.6;
    const look = async () => ({
      ...{ number: 1, tookMs: 10 },
      boxes: [{ label: "person" as const, score: 0.9, left: where, top: 0.4, width: 0.1, height: 0.3 }],
    });
    camera = new CameraSight({
      ...{ channelId: CHANNEL, stream, motion, queue, load, clock, codec: new ScriptedCodec() },
      ...{ detector: { isReady: true, look }, rules: WANTED },
      listener: {
        onBegan: () => void told.push("began"),
        onSeen: () => undefined,
        onAct: (_, { kind, name }) => void told.push(`${kind} ${name}`),
        onEnded: () => void told.push("ended"),
      },
    });
  });

  afterEach(() => camera.stop());

  async function look(isMoving = true): Promise<void> {
    clock.advance(0.5 * US_PER_SECOND);
    const box = { left: 0, top: 0.3, width: 1, height: 0.6 };
    const common = { channelId: CHANNEL, source: "recorder", zone: "", timeUs: clock.nowUs() } as const;
    motion.report({ ...common, active: isMoving, ...(isMoving ? { box, pieces: [box] } : {}) });
    camera.check();
    if (camera.target(TEST_VIDEO_FORMAT, clock.nowUs()) === undefined) return;
    camera.take({ ...PICTURE, timeUs: clock.nowUs() });
    await new Promise((resolve) => setImmediate(resolve));
  }

  it("has it end when the recorder moves the camera, and is not looked at meanwhile", async () => {
    for (let turn = 0; turn < 3; turn++) await look();
    motion.hold(CHANNEL, 3000);
    for (let turn = 0; turn < 4; turn++) {
      where -= 0.1;
      await look();
    }
    expect(told).toEqual(["began", "ended"]);
    expect(stream.subscribers).toBe(0);
  });

  it("has it reported anew where it moves after the camera was moved", async () => {
    for (let turn = 0; turn < 3; turn++) await look();
    motion.hold(CHANNEL, 1000);
    for (let turn = 0; turn < 6; turn++) await look();
    expect(told).toEqual(["began", "ended", "began"]);
  });

  it("goes on with who stands there when a zone is drawn around him", async () => {
    for (let turn = 0; turn < 3; turn++) await look();
    camera.change({ ...WANTED, zones: [YARD] });
    for (let turn = 0; turn < 12; turn++) await look(false);
    expect(told).toEqual(["began", "zoneEntered Yard"]);
  });

  it("reports who stands there when a zone is drawn that he is in, and was in none before", async () => {
    camera.change({ ...WANTED, zones: [{ name: "Gate", has: ({ x }) => x < 0.3 }] });
    for (let turn = 0; turn < 3; turn++) await look();
    expect(told).toEqual([]);
    camera.change({ ...WANTED, zones: [YARD] });
    for (let turn = 0; turn < 12; turn++) await look(false);
    expect(told).toEqual(["began", "zoneEntered Yard"]);
  });

  it("has it end when its kind is looked for no more", async () => {
    for (let turn = 0; turn < 3; turn++) await look();
    camera.change({ ...WANTED, wanted: new Map([["car", { scoreMin: 0.5, sizeMin: 0, sizeMax: 1 }]]) });
    for (let turn = 0; turn < 12; turn++) await look();
    expect(told).toEqual(["began", "ended"]);
  });
});

describe("a camera in which something moves", () => {
  it("is looked at in the next picture when the one that was asked for did not come", async () => {
    moves();
    expect(asks()).toBe(true);
    pass(0.1);
    expect(asks()).toBe(true);
    sight.take({ ...PICTURE, timeUs: clock.nowUs() });
    expect(detector.looked).toHaveLength(1);
    expect(asks()).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    pass(1);
    expect(asks()).toBe(true);
  });

  it("is looked at around a small thing that moves beside a large one", async () => {
    const large = { left: 0, top: 0.2, width: 0.3, height: 0.8 };
    const small = { left: 0.85, top: 0.1, width: 0.03, height: 0.08 };
    const format = { ...TEST_VIDEO_FORMAT, width: 1920, height: 1080 };
    const common = { channelId: CHANNEL, source: "recorder", active: true, zone: "" } as const;
    motion.report({ ...common, timeUs: clock.nowUs(), box: large, pieces: [large, small] });
    sight.check();
    const parts: unknown[] = [];
    for (let look = 0; look < 2; look++) {
      parts.push(sight.target(format, clock.nowUs())?.part);
      sight.take({ ...PICTURE, timeUs: clock.nowUs() });
      await new Promise((resolve) => setImmediate(resolve));
      pass(1);
    }
    expect(parts).toEqual([undefined, expect.objectContaining({ width: PART_SIDE_MIN / format.width })]);
  });

  it("is not looked at twice at a time", () => {
    let answer: () => void = () => undefined;
    detector.look = () => new Promise((resolve) => (answer = () => resolve(undefined)));
    moves();
    asks();
    sight.take({ ...PICTURE, timeUs: clock.nowUs() });
    pass(5);
    expect(asks()).toBe(false);
    answer();
  });

  it("is not decoded while the detector is not ready", () => {
    detector.isReady = false;
    moves();
    expect(stream.subscribers).toBe(0);
    detector.isReady = true;
    sight.check();
    expect(stream.subscribers).toBe(1);
    detector.isReady = false;
    sight.check();
    expect(stream.subscribers).toBe(0);
  });

  it("is decoded for no more pictures than are looked at", () => {
    moves();
    const freshUs = sight.periodUs;
    pass(60);
    expect(freshUs).toBe(US_PER_SECOND / 4);
    expect(sight.periodUs).toBe(3 * US_PER_SECOND);
  });

  it("is decoded for fewer where all together want more looks than the machine does", () => {
    moves();
    asks();
    for (let camera = 0; camera < 59; camera++) queue.ask(`other ${camera}`, US_PER_SECOND / 4);
    sight.check();
    // 60 cameras want 240 looks a second, and 15 are done.
    expect(sight.periodUs).toBeCloseTo(4 * US_PER_SECOND, -5);
  });

  it("is decoded for fewer where decoding takes more than its share of the codec's threads", () => {
    moves();
    for (let second = 1; second <= 20; second++) {
      load.note(US_PER_SECOND);
      load.check(second * US_PER_SECOND);
    }
    sight.check();
    expect(sight.periodUs).toBeCloseTo((load.stretch * US_PER_SECOND) / 4);
    expect(sight.periodUs).toBeGreaterThan(2 * US_PER_SECOND);
  });
});
