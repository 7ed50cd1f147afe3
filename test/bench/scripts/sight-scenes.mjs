// Made scenes through the whole path that a camera's pictures take in the recorder: H.264, decoder, motion, looks, tracks; time is simulated
// and passes as fast as the machine does it. How soon a person is reported who enters an empty street, and what is reported where nobody
// is; and what eight cameras cost in which people walk at once. Runs on dist: npm run build, then node test/bench/scripts/sight-scenes.mjs [--json]
// [--minutes N of each weather] [--only crowd|entered|scenes] [--paced: who enters does so in real time]
import { readFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { createLog, SystemClock } from "../../../dist/base/index.js";
import { parseClip } from "../../../dist/demo/index.js";
import { Codec, Frame, LiveStream } from "../../../dist/live/index.js";
import { DecodingLoad, NativeCodec } from "../../../dist/picture/index.js";
import { MotionStates, WHOLE_PICTURE } from "../../../dist/recording/index.js";
import { MotionDetector } from "../../../dist/recording/motion/motion-detector.js";
import { Detector } from "../../../dist/sight/detector/detector.js";
import { detectorModelFile, detectorProcess } from "../../../dist/sight/index.js";
import { CameraSight } from "../../../dist/sight/look/camera-sight.js";
import { LookQueue } from "../../../dist/sight/look/look-queue.js";
import { encoded, randomFrom, SIZE, WEATHERS } from "./sight-weather.mjs";

const { values } = parseArgs({
  options: {
    ...{ json: { type: "boolean" }, minutes: { type: "string" }, only: { type: "string" } },
    paced: { type: "boolean" },
  },
});
/** Of each weather over the empty street: an hour in all. */
const MINUTES = Number(values.minutes ?? 9);
const BYTES = SIZE.width * SIZE.height * 3;
const PICTURES_PER_SECOND = 10;
const STEP_US = 1e6 / PICTURES_PER_SECOND;
/** Of the empty street: what motion looks at. */
const SCENE_PICTURES_PER_SECOND = 5;
const CHECK_MS = 250;
/** The codec and the detector work meanwhile: a thread that waited without a pause would count as theirs. */
const SETTLE_MS = 2;
const CHANNEL = "22222222-0000-4000-8000-000000000001";
/** A machine of some cameras: so many looks a second are done. */
const LOOK_MS = 100;
const LABELS = ["person", "bicycle", "car", "motorcycle", "bus", "truck", "cat", "dog"];
/** The man who comes from the right, alone in the right part of the picture: first and last picture, and what is shown of them. */
const ENTRY = { first: 0, last: 60, left: 0.8, top: 0.36, right: 1, bottom: 0.9 };
/** Pictures of the empty street before he comes. */
const BEFORE = 60;
/** So many pixels of him count as having entered. */
const ENTERED_PIXELS = 150;
const ENTERED_LEVELS = 40;
const ENTRIES = 10;
/** Cameras of the street at once, and how many looks a second all of them get together. */
const CROWD = 8;
const CROWD_LOOKS = 3;
const CROWD_SECONDS = 20;
/** Part of one processor that looks may take (LookQueue). */
const LOOK_SHARE = 0.5;

/** Stands still until it is advanced. */
class SteppedClock {
  #us = 0;
  #timers = new Set();
  nowUs = () => 1_704_067_200_000_000 + this.#us;
  monotonicUs = () => this.#us;
  setTimeout = (run, ms) => this.#add(run, ms, undefined);
  setInterval = (run, ms) => this.#add(run, ms, ms * 1000);

  advance(us) {
    const endUs = this.#us + us;
    for (;;) {
      const next = [...this.#timers]
        .filter(({ dueUs }) => dueUs <= endUs)
        .sort((a, b) => a.dueUs - b.dueUs)[0];
      if (next === undefined) break;
      this.#us = Math.max(this.#us, next.dueUs);
      if (next.periodUs === undefined) this.#timers.delete(next);
      else next.dueUs += next.periodUs;
      next.run();
    }
    this.#us = endUs;
  }

  #add(run, ms, periodUs) {
    const timer = { run, periodUs, dueUs: this.#us + ms * 1000 };
    this.#timers.add(timer);
    return { clear: () => this.#timers.delete(timer) };
  }
}

const codec = new NativeCodec();

/** The street's pictures, red, green and blue. */
async function streetPictures() {
  const { initialization, units } = streetClip();
  const decoder = codec.openVideoDecoder({ codec: Codec.H264, ...SIZE, initialization });
  const pictures = [];
  for (const [index, { bytes: unit, key }] of units.entries()) {
    const coded = { bytes: [unit], key, decodeTimeUs: index * STEP_US, presentationOffsetUs: 0 };
    const target = { form: "rgb", ...SIZE, fit: "exact" };
    for (const [picture] of await decoder.decode(coded, [target])) pictures.push(Buffer.from(picture.data));
  }
  decoder.close();
  return pictures;
}

/** Nobody: the median of pictures over the whole clip. */
function emptyStreet(pictures) {
  const some = pictures.filter((_, index) => index % 16 === 0);
  const levels = new Uint8Array(some.length);
  const empty = Buffer.alloc(BYTES);
  for (let at = 0; at < BYTES; at += 1) {
    for (let index = 0; index < some.length; index += 1) levels[index] = some[index][at];
    empty[at] = levels.sort()[some.length >> 1];
  }
  return empty;
}

/** The empty street into which one man walks; and when he is in it, counted in pictures. */
function entry(pictures, empty) {
  const [left, right] = [Math.round(ENTRY.left * SIZE.width), Math.round(ENTRY.right * SIZE.width)];
  const [top, bottom] = [Math.round(ENTRY.top * SIZE.height), Math.round(ENTRY.bottom * SIZE.height)];
  const shown = pictures.slice(ENTRY.first, ENTRY.last).map((picture) => {
    const made = Buffer.from(empty);
    for (let y = top; y < bottom; y += 1) {
      const [from, to] = [(y * SIZE.width + left) * 3, (y * SIZE.width + right) * 3];
      picture.copy(made, from, from, to);
    }
    return made;
  });
  const entered = shown.findIndex((picture) => differing(picture, empty) >= ENTERED_PIXELS);
  if (entered === -1) throw new Error("nobody enters");
  return { pictures: [...Array(BEFORE).fill(empty), ...shown], enteredAt: BEFORE + entered };
}

function differing(picture, empty) {
  let count = 0;
  for (let at = 0; at < BYTES; at += 3) if (Math.abs(picture[at] - empty[at]) > ENTERED_LEVELS) count += 1;
  return count;
}

async function readyDetector() {
  const model = detectorModelFile();
  if (model === undefined) throw new Error("the weights are missing: npm run build");
  const log = { warn: console.error, debug: () => undefined };
  const start = detectorProcess(model);
  let pid = 0;
  const startProcess = (ears) => {
    const child = start(ears);
    ({ pid } = child);
    return child;
  };
  const detector = new Detector({
    startProcess,
    bytesMax: Number.POSITIVE_INFINITY,
    clock: new SystemClock(),
    log,
  });
  detector.start();
  while (!detector.state.isReady) await new Promise((resolve) => setTimeout(resolve, 20));
  return { detector, pid };
}

/** A camera that is watched and looked at as the recorder does it. */
class WatchedCamera {
  begun = [];
  #stream = new LiveStream({ channelId: CHANNEL, streamType: "Main" });
  #motion;
  #looking = 0;
  #looks = 0;
  #parts;
  #timers;

  constructor(detector, clock = new SteppedClock(), queue = new LookQueue({ clock, lookMs: () => LOOK_MS })) {
    this.clock = clock;
    this.#motion = new MotionStates(clock);
    const load = new DecodingLoad({ threads: () => codec.load.threads, shareMax: 1 });
    const common = { stream: this.#stream, codec, clock, load };
    const report = (active, timeUs, motion) =>
      this.#motion.report({ channelId: CHANNEL, source: "recorder", active, timeUs, zone: "", ...motion });
    const watch = new MotionDetector({
      ...{ ...common, log: createLog({ level: "silent" }) },
      detection: { zones: [WHOLE_PICTURE], picturesPerSecond: 5, rotation: 0 },
      listener: {
        onMotion: (_, { left, top, width, height, pieces }, timeUs) =>
          report(true, timeUs, { box: { left, top, width, height }, pieces }),
        onQuiet: (_, timeUs) => report(false, timeUs, {}),
        onBlind: () => undefined,
      },
    });
    const sight = new CameraSight({
      ...{ ...common, channelId: CHANNEL, motion: this.#motion },
      queue,
      detector: { isReady: true, look: (picture) => this.#look(detector, picture) },
      rules: {
        wanted: new Map(LABELS.map((label) => [label, { scoreMin: 0.5, sizeMin: 0, sizeMax: 1 }])),
        ...{ zones: [], lines: [], loiteringSeconds: 0, rotation: 0 },
      },
      listener: {
        onBegan: ({ kind }) => this.begun.push({ kind, us: clock.monotonicUs() }),
        ...{ onSeen: () => undefined, onAct: () => undefined, onEnded: () => undefined },
      },
    });
    this.#parts = [watch, sight];
    this.#timers = [
      clock.setInterval(() => sight.check(), CHECK_MS),
      clock.setInterval(() => watch.check(), 1000),
    ];
    this.#motion.onMotion(({ active }) => active && sight.check());
    this.#stream.setState({ state: "active" });
  }

  get looks() {
    return this.#looks;
  }

  async #look(detector, picture) {
    this.#looking += 1;
    this.#looks += 1;
    const answer = await detector.look(picture);
    this.#looking -= 1;
    return answer;
  }

  async play(clip) {
    for (const unit of clip.units) {
      this.clock.advance(STEP_US);
      this.publish(unit, clip.initialization);
      await this.settled();
    }
  }

  /** Somebody else says that all of the picture moves. */
  moves() {
    const box = { left: 0, top: 0, width: 1, height: 1 };
    const timeUs = this.clock.nowUs();
    this.#motion.report({ channelId: CHANNEL, source: "external", active: true, timeUs, zone: "", box });
  }

  publish({ bytes, key }, initialization) {
    const format = { codec: Codec.H264, ...SIZE, initialization };
    const frame = new Frame({
      ...{ format, decodeTimeUs: this.clock.nowUs(), presentationOffsetUs: 0, key, damaged: false },
      ...{ undecodable: false, discontinuity: false, ranges: [{ slab: undefined, bytes }] },
    });
    this.#stream.publish(frame);
  }

  stop() {
    for (const timer of this.#timers) timer.clear();
    for (const part of this.#parts) part.stop();
    this.#motion.stop();
  }

  async settled() {
    for (let turn = 0; turn < 3; turn += 1)
      do await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      while (codec.load.queued + codec.load.running + this.#looking > 0);
  }
}

/** A picture each tenth of a second, as a camera sends them; answers when the one with him came, and when he was reported, microseconds. */
async function paced(detector, { units, initialization }, enteredAt) {
  const clock = new SystemClock();
  const queue = new LookQueue({ clock, lookMs: () => detector.state.lookMs });
  const camera = new WatchedCamera(detector, clock, queue);
  const beganUs = clock.monotonicUs();
  let enteredUs = 0;
  for (const [index, unit] of units.entries()) {
    const ms = (beganUs + index * STEP_US - clock.monotonicUs()) / 1000;
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    if (index === enteredAt) enteredUs = clock.monotonicUs();
    camera.publish(unit, initialization);
  }
  const told = camera.begun.find(({ kind }) => kind === "person");
  camera.stop();
  return told === undefined ? undefined : (told.us - enteredUs) / 1e6;
}

/** How long after he entered he is reported, with looks that begin at other moments each time, seconds; undefined: never. */
async function entries(detector, pictures, empty) {
  const { pictures: shown, enteredAt } = entry(pictures, empty);
  const after = [];
  for (let run = 0; run < ENTRIES; run += 1) {
    const clip = await encoded(shown.map(noisy(run)), PICTURES_PER_SECOND);
    if (values.paced) {
      after.push(await paced(detector, clip, enteredAt));
      continue;
    }
    const camera = new WatchedCamera(detector);
    camera.clock.advance(run * 31_000);
    const beganUs = camera.clock.monotonicUs();
    await camera.play(clip);
    const told = camera.begun.find(({ kind }) => kind === "person");
    after.push(
      told === undefined ? undefined : (told.us - beganUs) / 1e6 - (enteredAt + 1) / PICTURES_PER_SECOND,
    );
    camera.stop();
  }
  return after;
}

/** A little noise, another one in each run. */
function noisy(run) {
  const random = randomFrom(run);
  return (picture) => Uint8ClampedArray.from(picture, (level) => level + 8 * (random() - 0.5));
}

function streetClip() {
  const bytes = readFileSync(new URL("../../../src/demo/clips/street.h264", import.meta.url));
  const settings = { name: "street", codec: Codec.H264, framesPerSecond: PICTURES_PER_SECOND, ...SIZE };
  return parseClip(settings, bytes);
}

/** Processor time of a process, seconds. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** What cameras cost together, as parts of one processor: decoding, motion and looks here, and the detector's process. */
async function crowd(detector, pid) {
  const { units, initialization } = streetClip();
  const clock = new SteppedClock();
  const queue = new LookQueue({ clock, lookMs: () => (LOOK_SHARE * 1000) / CROWD_LOOKS });
  const cameras = Array.from({ length: CROWD }, () => new WatchedCamera(detector, clock, queue));
  const pictures = CROWD_SECONDS * PICTURES_PER_SECOND;
  const before = { own: process.cpuUsage(), detector: cpuSeconds(pid) };
  for (let index = 0; index < pictures; index += 1) {
    clock.advance(STEP_US);
    for (const camera of cameras) camera.publish(units[index % units.length], initialization);
    for (const camera of cameras) await camera.settled();
  }
  const { user, system } = process.cpuUsage(before.own);
  const looks = cameras.reduce((sum, camera) => sum + camera.looks, 0);
  const persons = cameras.reduce((sum, { begun }) => sum + begun.length, 0);
  for (const camera of cameras) camera.stop();
  return {
    ...{ cameras: CROWD, looksPerSecond: looks / CROWD_SECONDS, persons },
    share: (user + system) / 1e6 / CROWD_SECONDS,
    detectorShare: (cpuSeconds(pid) - before.detector) / CROWD_SECONDS,
  };
}

function* weathered(empty, weather, from) {
  const count = 60 * SCENE_PICTURES_PER_SECOND;
  for (let index = 0; index < count; index += 1) yield weather(empty, from + index);
}

/** What is reported where nobody is: of what motion finds, and where another one says all the time that everything moves. */
async function emptyScenes(detector, empty) {
  const scenes = [];
  for (const [name, weatherOf] of Object.entries(WEATHERS)) {
    const weather = weatherOf(11);
    const clock = new SteppedClock();
    const [watched, moving] = [new WatchedCamera(detector, clock), new WatchedCamera(detector, clock)];
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const from = minute * 60 * SCENE_PICTURES_PER_SECOND;
      const clip = await encoded(weathered(empty, weather, from), SCENE_PICTURES_PER_SECOND);
      for (const unit of clip.units) {
        clock.advance(1e6 / SCENE_PICTURES_PER_SECOND);
        moving.moves();
        for (const camera of [watched, moving]) camera.publish(unit, clip.initialization);
        await Promise.all([watched.settled(), moving.settled()]);
      }
    }
    for (const [camera, how] of [
      [watched, "through motion"],
      [moving, "where all is said to move"],
    ]) {
      const count = (wanted) => camera.begun.filter(({ kind }) => (kind === "person") === wanted).length;
      const { looks } = camera;
      scenes.push({ name, how, minutes: MINUTES, looks, persons: count(true), others: count(false) });
      camera.stop();
    }
  }
  return scenes;
}

const { detector, pid } = await readyDetector();
const wants = (part) => values.only === undefined || values.only === part;
const report = {};
if (wants("crowd")) report.crowd = await crowd(detector, pid);
if (wants("entered") || wants("scenes")) {
  const pictures = await streetPictures();
  const empty = emptyStreet(pictures);
  if (wants("entered")) report.entered = await entries(detector, pictures, empty);
  if (wants("scenes")) report.scenes = await emptyScenes(detector, empty);
}
detector.stop();
if (values.json) console.log(JSON.stringify(report));
else console.dir(report, { depth: 4 });
process.exit(0);
