// Weather for the scenes of sight's benches: red, green and blue pictures of 640x480, made picture by picture and faster than they are watched.
// `WEATHERS[name](seed)(picture, index)` answers what a camera shows of a picture then; `encoded` makes a clip of H.264 of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseClip } from "../../../dist/demo/index.js";
import { Codec } from "../../../dist/live/index.js";

export const SIZE = { width: 640, height: 480 };
const PIXELS = SIZE.width * SIZE.height;
const BYTES = PIXELS * 3;
const ROW = SIZE.width * 3;
/** Noise is taken from a table of so many levels, from another place in each row. */
const NOISE_LEVELS = 1 << 20;
const FOG_LEVEL = 200;
const DROP_LENGTH = 26;
const BLUR_PIXELS = 3;

/** A generator of numbers from 0 to 1 (Numerical Recipes' linear congruential one): each run sees the same weather. */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Nearly normal, of standard deviation 64. */
const NOISE = (() => {
  const random = randomFrom(5);
  return Int16Array.from({ length: NOISE_LEVELS + ROW }, () =>
    Math.round(128 * (random() + random() + random() - 1.5)),
  );
})();

/** Each level through `levelOf(level, y)`, and noise of so many levels upon it; `gray`: the same on all three colours. */
function toned(picture, { random, noise, gray = false, levelOf }) {
  const made = new Uint8ClampedArray(BYTES);
  const table = new Float32Array(256);
  const share = noise / 64;
  for (let y = 0; y < SIZE.height; y += 1) {
    for (let level = 0; level < 256; level += 1) table[level] = levelOf(level, y / SIZE.height);
    let from = Math.floor(random() * NOISE_LEVELS);
    const end = (y + 1) * ROW;
    for (let at = y * ROW; at < end; at += 3) {
      if (gray) {
        const luma = (77 * picture[at] + 150 * picture[at + 1] + 29 * picture[at + 2]) >> 8;
        const level = table[luma] + share * NOISE[from++];
        made[at] = level;
        made[at + 1] = level;
        made[at + 2] = level;
      } else {
        made[at] = table[picture[at]] + share * NOISE[from++];
        made[at + 1] = table[picture[at + 1]] + share * NOISE[from++];
        made[at + 2] = table[picture[at + 2]] + share * NOISE[from++];
      }
    }
  }
  return made;
}

function brighten(picture, x, y, levels) {
  if (x < 0 || y < 0 || x >= SIZE.width || y >= SIZE.height) return;
  const at = (Math.floor(y) * SIZE.width + Math.floor(x)) * 3;
  for (let colour = 0; colour < 3; colour += 1) picture[at + colour] += levels;
}

/** Streaks that are elsewhere in each picture: drops fall further than their length between two. */
function addStreaks(picture, count, { random, slant, levels }) {
  for (let streak = 0; streak < count; streak += 1) {
    const [left, top] = [random() * SIZE.width, random() * SIZE.height - DROP_LENGTH / 2];
    for (let step = 0; step < DROP_LENGTH; step += 1)
      brighten(picture, left + step * slant, top + step, levels * (0.5 + random() / 2));
  }
}

/** Insects before the lens: soft bright spots on winding ways. */
function addInsects(picture, insects, index) {
  for (const { phase, speed, size, level } of insects) {
    const time = phase + index * speed;
    const middle = {
      x: SIZE.width * (0.5 + 0.6 * Math.sin(time)),
      y: SIZE.height * (0.5 + 0.6 * Math.sin(1.7 * time + phase)),
    };
    for (let y = -size; y <= size; y += 1)
      for (let x = -size; x <= size; x += 1) {
        const near = 1 - Math.hypot(x, y) / size;
        if (near > 0) brighten(picture, middle.x + x, middle.y + y, level * near);
      }
  }
}

/** The mean of the pixels around each one, along rows or columns; `step`: bytes from a pixel to the next. */
function blurredAlong(picture, { lines, length, lineStep, step }) {
  const made = new Uint8ClampedArray(BYTES);
  const width = 2 * BLUR_PIXELS + 1;
  for (let line = 0; line < lines; line += 1)
    for (let colour = 0; colour < 3; colour += 1) {
      const from = line * lineStep + colour;
      const at = (index) => from + Math.max(0, Math.min(length - 1, index)) * step;
      let sum = 0;
      for (let index = -BLUR_PIXELS; index <= BLUR_PIXELS; index += 1) sum += picture[at(index)];
      for (let index = 0; index < length; index += 1) {
        made[at(index)] = sum / width;
        sum += picture[at(index + BLUR_PIXELS + 1)] - picture[at(index - BLUR_PIXELS)];
      }
    }
  return made;
}

function blurred(picture) {
  const across = blurredAlong(picture, { lines: SIZE.height, length: SIZE.width, lineStep: ROW, step: 3 });
  return blurredAlong(across, { lines: SIZE.width, length: SIZE.height, lineStep: 3, step: ROW });
}

/** The picture of before is not blurred again: the empty street is the same for an hour. */
function keepsLast(make) {
  let [last, made] = [undefined, undefined];
  return (picture) => {
    if (picture !== last) [last, made] = [picture, make(picture)];
    return made;
  };
}

function shifted(picture, [right, down]) {
  const made = Buffer.from(picture);
  for (let y = Math.max(0, down); y < Math.min(SIZE.height, SIZE.height + down); y += 1) {
    const [to, from] = [y * ROW + Math.max(0, right) * 3, (y - down) * ROW + Math.max(0, -right) * 3];
    picture.copy(made, to, from, from + (SIZE.width - Math.abs(right)) * 3);
  }
  return made;
}

/** Pictures are counted from the start of the scene, ten or five a second. */
export const WEATHERS = {
  rain: (seed) => {
    const random = randomFrom(seed);
    return (picture) => {
      const made = toned(picture, { random, noise: 6, levelOf: (level) => 0.8 * level });
      addStreaks(made, 60, { random, slant: 0.15, levels: 80 });
      return made;
    };
  },
  "changing light": (seed) => {
    const random = randomFrom(seed);
    return (picture, index) => {
      const gain = 0.85 + 0.35 * Math.sin((index + seed) / (23 + (seed % 9)));
      // A cloud's shadow goes over the picture, and a lamp is switched each half minute.
      const edge = ((index / 90) % 2) - 0.5;
      const lamp = Math.floor(index / 150) % 2 === 0 ? 0 : 18;
      const levelOf = (level, y) => level * gain * (1 - 0.3 / (1 + Math.exp(12 * (y - edge)))) + lamp;
      return toned(picture, { random, noise: 5, levelOf });
    };
  },
  fog: (seed) => {
    const random = randomFrom(seed);
    return (picture, index) => {
      // The further away, which is the higher, the thicker; it drifts.
      const through = (y) => 0.2 + 0.45 * y + 0.08 * Math.sin(index / 31 + 5 * y + seed);
      const levelOf = (level, y) => level * through(y) + FOG_LEVEL * (1 - through(y));
      return toned(picture, { random, noise: 4, levelOf });
    };
  },
  blur: (seed) => {
    const random = randomFrom(seed);
    const soft = keepsLast(blurred);
    return (picture) => toned(soft(picture), { random, noise: 6, levelOf: (level) => level });
  },
  "noise at night": (seed) => {
    const random = randomFrom(seed);
    return (picture) => toned(picture, { random, noise: 22, levelOf: (level) => 0.3 * level + 8 });
  },
  /** A lamp beside the lens: grey, bright in the middle, noise, insects. */
  infrared: (seed) => {
    const random = randomFrom(seed);
    const insects = Array.from({ length: 3 }, () => ({
      ...{ phase: random() * 6, speed: 0.05 + random() * 0.2 },
      ...{ size: 4 + Math.floor(random() * 14), level: 60 + random() * 120 },
    }));
    return (picture, index) => {
      const levelOf = (level, y) => 255 * (level / 255) ** 0.8 * (1.05 - 1.6 * (y - 0.55) ** 2) * 0.8;
      const made = toned(picture, { random, noise: 10, gray: true, levelOf });
      if (Math.floor(index / 100) % 2 === 0) addInsects(made, insects, index);
      return made;
    };
  },
  "a camera that shakes": (seed) => {
    const random = randomFrom(seed);
    return (picture, index) => {
      const sway = (period, pixels) => Math.round(pixels * Math.sin(index / period));
      const moved = shifted(picture, [sway(2 + (seed % 3), 6), sway(3 + (seed % 2), 4)]);
      return toned(moved, { random, noise: 6, levelOf: (level) => level });
    };
  },
};

/** A clip of H.264 of pictures, each made when it is its turn. */
export async function encoded(pictures, picturesPerSecond) {
  const directory = mkdtempSync(join(tmpdir(), "nvrd-bench-clip-"));
  try {
    const file = join(directory, "clip.h264");
    const input = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", `${SIZE.width}x${SIZE.height}`];
    const output = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "superfast", "-bf", "0", "-g", "20"];
    const args = [
      ...input,
      "-r",
      `${picturesPerSecond}`,
      "-i",
      "-",
      ...output,
      "-crf",
      "23",
      "-threads",
      "1",
    ];
    const ffmpeg = spawn("ffmpeg", ["-v", "error", ...args, "-f", "h264", file], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    const ended = once(ffmpeg, "exit");
    for (const picture of pictures) if (!ffmpeg.stdin.write(picture)) await once(ffmpeg.stdin, "drain");
    ffmpeg.stdin.end();
    const [code] = await ended;
    if (code !== 0) throw new Error(`ffmpeg ended with ${code}`);
    const settings = { name: "clip.h264", codec: Codec.H264, framesPerSecond: picturesPerSecond, ...SIZE };
    return parseClip(settings, readFileSync(file));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
