// The motion detector on the bundled street clip and on scenes made of its empty street: hits, false alarms, CPU.
// Runs on dist: npm run build, then node test/bench/scripts/motion.mjs [--json]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseClip } from "../../../dist/demo/index.js";
import { Codec } from "../../../dist/live/index.js";
import { NativeCodec } from "../../../dist/picture/index.js";
import { WHOLE_PICTURE } from "../../../dist/recording/index.js";

const WIDTH = 160;
const HEIGHT = 120;
const PIXELS = WIDTH * HEIGHT;
const PICTURES = 300;
const STEP_US = 200_000;
/** 5 pictures a second. */
const EACH = 2;
const TARGETS = [{ form: "gray", width: WIDTH }];

let state = 7;
function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const NORMALS = Float32Array.from({ length: 1 << 16 }, () => {
  let sum = 0;
  for (let draw = 0; draw < 6; draw += 1) sum += random();
  return (sum - 3) * Math.SQRT2;
});

const clamped = (level) => Math.max(0, Math.min(255, Math.round(level)));

function noisy(scene, deviation) {
  const from = Math.floor(random() * NORMALS.length);
  return scene.map((level, at) => clamped(level + deviation * NORMALS[(from + at) % NORMALS.length]));
}

function rained(scene, streaks, length, brightness) {
  const wet = scene.slice();
  for (let streak = 0; streak < streaks; streak += 1) {
    const left = Math.floor(random() * WIDTH);
    const top = Math.floor(random() * (HEIGHT - length));
    for (let y = 0; y < length; y += 1) {
      for (let x = 0; x < (random() < 0.3 ? 2 : 1); x += 1) {
        const at = (top + y) * WIDTH + Math.min(WIDTH - 1, left + x + (y >> 3));
        wet[at] = clamped(wet[at] + brightness);
      }
    }
  }
  return wet;
}

const lit = (scene, gain, offset) => scene.map((level) => clamped(level * gain + offset));

/** Numbers of the pictures with a finding, and the CPU of all, ms. */
function analyzed(scenes) {
  const watch = new NativeCodec().openMotionWatch([WHOLE_PICTURE]);
  const hits = new Set();
  const before = process.cpuUsage();
  for (const [index, data] of scenes.entries())
    if (watch.analyze({ width: WIDTH, height: HEIGHT, data }, index * STEP_US).length > 0) hits.add(index);
  return { hits, ms: cpuMs(before) };
}

function cpuMs(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Decodes as the detector does: a picture each `each` units. */
async function decoded(clip, each) {
  const { codec, width, height, initialization, units } = clip;
  const decoder = new NativeCodec().openVideoDecoder({ codec, width, height, initialization });
  const scenes = [];
  const before = process.cpuUsage();
  for (const [index, { bytes, key }] of units.entries()) {
    const unit = { bytes: [bytes], key, decodeTimeUs: index * 40_000, presentationOffsetUs: 0 };
    const targets = index % each === 0 ? TARGETS : [];
    for (const [picture] of await decoder.decode(
      unit,
      targets,
      targets.length > 0 ? "none" : "non-reference",
    ))
      if (picture !== undefined) scenes.push(picture.data);
  }
  decoder.close();
  return { scenes, ms: cpuMs(before) };
}

function median(scenes) {
  const levels = new Uint8Array(scenes.length);
  return Uint8Array.from({ length: PIXELS }, (_, at) => {
    for (const [index, scene] of scenes.entries()) levels[index] = scene[at];
    return levels.sort()[scenes.length >> 1];
  });
}

/**
 * What moves, found in the plainest way and with the whole clip known: a square of 6 x 6 pixels of which three quarters
 * differ from the median of all pictures and a quarter from the picture before.
 */
function somethingMoves(scene, before, empty) {
  for (let y = 0; y <= HEIGHT - 6; y += 2) {
    for (let x = 0; x <= WIDTH - 6; x += 2) {
      let differing = 0;
      let active = 0;
      for (let row = 0; row < 6; row += 1) {
        for (let column = 0; column < 6; column += 1) {
          const at = (y + row) * WIDTH + x + column;
          if (Math.abs(scene[at] - empty[at]) > 25) differing += 1;
          if (Math.abs(scene[at] - before[at]) > 25) active += 1;
        }
      }
      if (differing >= 27 && active >= 9) return true;
    }
  }
  return false;
}

function clipOf(name, framesPerSecond, size, bytes) {
  return parseClip({ name, codec: Codec.H264, framesPerSecond, ...size }, bytes);
}

/** The street as a camera of 1080p and 25 frames a second sends it, and the CPU of decoding its 10 s. */
async function largeMs(file) {
  const directory = mkdtempSync(join(tmpdir(), "nvrd-bench-motion-"));
  try {
    const large = join(directory, "large.h264");
    const filter = "scale=1920:1080,fps=25";
    const encoder = ["-c:v", "libx264", "-preset", "veryfast", "-b:v", "4M", "-bf", "0", "-g", "50"];
    const input = ["-v", "error", "-r", "10", "-f", "h264", "-i", file, "-t", "10"];
    execFileSync("ffmpeg", [...input, "-vf", filter, ...encoder, "-f", "h264", large]);
    const clip = clipOf("large", 25, { width: 1920, height: 1080 }, readFileSync(large));
    const all = await decoded(clip, 5);
    const keys = { ...clip, units: clip.units.filter(({ key }) => key) };
    return { all: all.ms, keys: (await decoded(keys, 1)).ms };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const file = new URL("../../../src/demo/clips/street.h264", import.meta.url).pathname;
const clip = clipOf("street.h264", 10, { width: 640, height: 480 }, readFileSync(file));
const { scenes: all } = await decoded(clip, 1);
const small = await decoded(clip, EACH);
const street = small.scenes;
const empty = median(all);
const made = (scene) => Array.from({ length: PICTURES }, (_, index) => scene(index));
const odd = (index, length) => Math.floor(index / length) % 2 === 1;

const found = analyzed(street);
const settled = street.map((_, index) => index).filter((index) => index >= 10);
const moving = new Set(settled.filter((index) => somethingMoves(street[index], street[index - 1], empty)));
const scenes = {
  "the empty street": () => empty,
  "noise of 4 levels": () => noisy(empty, 4),
  "noise of 12 levels": () => noisy(empty, 12),
  "noise of 20 levels": () => noisy(empty, 20),
  "rain, 40 streaks": () => rained(noisy(empty, 3), 40, 10, 60),
  "downpour, 100 bright streaks": () => rained(noisy(empty, 3), 100, 12, 80),
  "light switched": (index) => lit(noisy(empty, 3), odd(index, 40) ? 0.3 : 1, 0),
  "light out": (index) => lit(noisy(empty, 3), odd(index, 60) ? 0.03 : 1, 4),
  "light flickering by a tenth": (index) => lit(noisy(empty, 3), 1 + 0.1 * Math.sin(index * 2.1), 0),
  "clouds, a fifth": (index) => lit(noisy(empty, 3), 1 + 0.2 * Math.sin(index / 20), 0),
};
const large = await largeMs(file);
const report = {
  pictures: settled.length,
  moving: moving.size,
  hits: [...moving].filter((index) => found.hits.has(index)).length,
  beyond: settled.filter((index) => found.hits.has(index) && !moving.has(index)).length,
  analysisMs: found.ms / street.length,
  /** Part of one core, at 5 pictures a second. */
  smallShare: (small.ms + found.ms) / 20_000,
  largeShare: large.all / 10_000 + (found.ms / street.length) * 0.005,
  largeKeysShare: large.keys / 10_000 + (found.ms / street.length) * 0.0005,
  falseAlarms: Object.entries(scenes).map(([scene, make]) => ({
    scene,
    pictures: PICTURES,
    hits: analyzed(made(make)).hits.size,
  })),
};
console.log(JSON.stringify(report, null, process.argv.includes("--json") ? 0 : 2));
