// Made scenes through the whole path that a camera's pictures take in the recorder: H.264, decoder, motion, looks, tracks; time is simulated
// and passes as fast as the machine does it. How soon a person is reported who enters an empty street, and what is reported where nobody
// is; and what eight cameras cost in which people walk at once. Runs on dist: npm run build, then node test/bench/scripts/sight-scenes.mjs [--json] [--minutes N] [--only crowd]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const { values } = parseArgs({
  options: { json: { type: "boolean" }, minutes: { type: "string" }, only: { type: "string" } },
});
/** Of empty scenes, all kinds together. */
const MINUTES = Number(values.minutes ?? 60);
const SIZE = { width: 640, height: 480 };
const BYTES = SIZE.width * SIZE.height * 3;
const PICTURES_PER_SECOND = 10;
const STEP_US = 1e6 / PICTURES_PER_SECOND;
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

const directory = mkdtempSync(join(tmpdir(), "nvrd-bench-scenes-"));
const codec = new NativeCodec();

/** Raw pictures as a clip of H.264; `filter`: what ffmpeg makes of them. */
function encoded(name, input, filter) {
  const file = join(directory, `${name}.h264`);
  const output = ["-c:v", "libx264", "-preset", "superfast", "-bf", "0", "-g", "20", "-crf", "23"];
  const args = [...input, "-vf", `${filter},format=yuv420p`, ...output, "-threads", "1", "-f", "h264", file];
  execFileSync("ffmpeg", ["-v", "error", "-y", ...args]);
  const settings = { name, codec: Codec.H264, framesPerSecond: PICTURES_PER_SECOND, ...SIZE };
  const clip = parseClip(settings, readFileSync(file));
  rmSync(file);
  return clip;
}

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
    clock.setInterval(() => sight.check(), CHECK_MS);
    this.#motion.onMotion(({ active }) => active && sight.check());
    clock.setInterval(() => watch.check(), 1000);
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

  async play({ units, initialization }) {
    for (const unit of units) {
      this.clock.advance(STEP_US);
      this.publish(unit, initialization);
      await this.settled();
    }
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
    for (const part of this.#parts) part.stop();
    this.#motion.stop();
  }

  async settled() {
    for (let turn = 0; turn < 3; turn += 1)
      do await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      while (codec.load.queued + codec.load.running + this.#looking > 0);
  }
}

/** How long after he entered he is reported, with looks that begin at other moments each time, seconds; undefined: never. */
async function entries(detector, pictures, empty) {
  const { pictures: shown, enteredAt } = entry(pictures, empty);
  const raw = join(directory, "entry.rgb");
  writeFileSync(raw, Buffer.concat(shown));
  const input = [
    "-f",
    "rawvideo",
    "-pix_fmt",
    "rgb24",
    "-s",
    "640x480",
    "-r",
    `${PICTURES_PER_SECOND}`,
    "-i",
    raw,
  ];
  const after = [];
  for (let run = 0; run < ENTRIES; run += 1) {
    const clip = encoded(`entry-${run}`, input, `noise=alls=4:allf=t:all_seed=${run}`);
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
  rmSync(raw);
  return after;
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

const RAIN =
  "split[a][b];[b]format=gray,geq=lum='if(gt(random(1)\\,0.9985)\\,255\\,0)',dblur=angle=80:radius=10,lutyuv=y='min(val*6,110)',format=rgb24[r];[a]format=rgb24[s];[s][r]blend=all_mode=addition";
/** What ffmpeg makes of the empty street; `seed` differs from minute to minute. */
const WEATHERS = {
  rain: (seed) => `${RAIN},noise=alls=6:allf=t:all_seed=${seed}`,
  "changing light": (seed) =>
    `eq=eval=frame:brightness='0.22*sin((t+${seed * 60})/${5 + (seed % 4)})',noise=alls=5:allf=t:all_seed=${seed}`,
  "night with noise": (seed) => `hue=s=0,lutyuv=y='val*0.3+8',noise=alls=22:allf=t:all_seed=${seed}`,
  "a camera that shakes": (seed) =>
    `crop=iw-16:ih-12:'8+6*sin(n/${2 + (seed % 3)})':'6+4*sin(n/${3 + (seed % 2)})',scale=640:480,noise=alls=6:allf=t:all_seed=${seed}`,
};

async function emptyScenes(detector, empty) {
  const raw = join(directory, "empty.rgb");
  writeFileSync(raw, empty);
  const rate = ["-r", `${PICTURES_PER_SECOND / 2}`];
  const input = [
    "-stream_loop",
    "-1",
    "-f",
    "rawvideo",
    "-pix_fmt",
    "rgb24",
    "-s",
    "640x480",
    ...rate,
    "-i",
    raw,
    "-t",
    "60",
  ];
  const kinds = Object.entries(WEATHERS);
  const scenes = [];
  for (const [name, weather] of kinds) {
    const camera = new WatchedCamera(detector);
    const minutes = Math.max(1, Math.round(MINUTES / kinds.length));
    for (let minute = 0; minute < minutes; minute += 1)
      await camera.play(encoded(`${minute}`, input, weather(minute)));
    const count = (wanted) => camera.begun.filter(({ kind }) => (kind === "person") === wanted).length;
    scenes.push({ name, minutes, looks: camera.looks, persons: count(true), others: count(false) });
    camera.stop();
  }
  return scenes;
}

try {
  const { detector, pid } = await readyDetector();
  const together = await crowd(detector, pid);
  if (values.only === "crowd") {
    console.log(JSON.stringify({ crowd: together }));
    process.exit(0);
  }
  const pictures = await streetPictures();
  const empty = emptyStreet(pictures);
  const entered = await entries(detector, pictures, empty);
  const scenes = MINUTES > 0 ? await emptyScenes(detector, empty) : [];
  detector.stop();
  const report = { crowd: together, entered, scenes };
  if (values.json) console.log(JSON.stringify(report));
  else console.dir(report, { depth: 4 });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);
