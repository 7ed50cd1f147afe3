import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Clip, parseClip } from "../../../src/demo/index.js";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { SeededRandom } from "../base/seeded-random.js";

/** Small grey pictures for the motion detector: those of the bundled street clip, and scenes made of its empty street. */

export const SCENE_WIDTH = 160;
export const SCENE_HEIGHT = 120;
const PIXELS = SCENE_WIDTH * SCENE_HEIGHT;
const START_US = 1_704_067_200_000_000;

export type Scene = Uint8Array;

/** The clip of the street: passers-by nearly always, walls and a lawn behind them. */
export function streetClip(codec: typeof Codec.H264 | typeof Codec.MJPEG): Clip {
  const settings =
    codec === Codec.H264
      ? { name: "street.h264", codec, framesPerSecond: 10, width: 640, height: 480 }
      : { name: "street.mjpeg", codec, framesPerSecond: 5, width: 320, height: 240 };
  return parseClip(settings, readFileSync(join(REPOSITORY_ROOT, "src", "demo", "clips", settings.name)));
}

/** The pictures of the H.264 clip as the detector sees them, ten a second. */
export async function streetScenes(): Promise<Scene[]> {
  const { units, initialization, width, height } = streetClip(Codec.H264);
  const format: VideoFormat = { codec: Codec.H264, width, height, initialization };
  const decoder = new NativeCodec().openVideoDecoder(format);
  const scenes: Scene[] = [];
  for (const [index, { bytes, key }] of units.entries()) {
    const unit = {
      bytes: [bytes],
      key,
      decodeTimeUs: START_US + index * 100_000,
      presentationOffsetUs: 0,
    };
    for (const [picture] of await decoder.decode(unit, [{ form: "gray", width: SCENE_WIDTH }]))
      if (picture !== undefined) scenes.push(picture.data);
  }
  decoder.close();
  return scenes;
}

/** What each pixel shows most of the time: the street without passers-by. */
export function emptyScene(scenes: readonly Scene[]): Scene {
  const levels = new Uint8Array(scenes.length);
  return Uint8Array.from({ length: PIXELS }, (_, at) => {
    for (const [index, scene] of scenes.entries()) levels[index] = scene[at] ?? 0;
    return levels.sort()[scenes.length >> 1] ?? 0;
  });
}

function clamped(level: number): number {
  return Math.max(0, Math.min(255, Math.round(level)));
}

/** More numbers than a picture has pixels, drawn once: each picture takes them from another place on. */
const NORMALS = normals(new SeededRandom(1), 1 << 16);

/** Normal, mean 0, deviation 1, near enough. */
function normals(random: SeededRandom, count: number): Float32Array {
  return Float32Array.from({ length: count }, () => {
    let sum = 0;
    for (let draw = 0; draw < 6; draw++) sum += random.next();
    return (sum - 3) * Math.SQRT2;
  });
}

/** The noise of a sensor. */
export function noisy(scene: Scene, deviation: number, random: SeededRandom): Scene {
  const from = random.below(NORMALS.length);
  return scene.map((level, at) => clamped(level + deviation * (NORMALS[(from + at) % NORMALS.length] ?? 0)));
}

/** Another light: each level times `gain`, plus `offset`. */
export function lit(scene: Scene, gain: number, offset = 0): Scene {
  return scene.map((level) => clamped(level * gain + offset));
}

export interface Rain {
  readonly streaks: number;
  readonly length: number;
  readonly brightness: number;
}

/** Bright slanted streaks, in each picture elsewhere. */
export function rained(scene: Scene, { streaks, length, brightness }: Rain, random: SeededRandom): Scene {
  const wet = scene.slice();
  for (let streak = 0; streak < streaks; streak++) {
    const left = random.below(SCENE_WIDTH);
    const top = random.below(SCENE_HEIGHT - length);
    for (let y = 0; y < length; y++) {
      for (let x = 0; x < (random.chance(0.3) ? 2 : 1); x++) {
        const at = (top + y) * SCENE_WIDTH + Math.min(SCENE_WIDTH - 1, left + x + (y >> 3));
        wet[at] = clamped((wet[at] ?? 0) + brightness);
      }
    }
  }
  return wet;
}

export interface Thing {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Levels brighter (or darker) than what is behind it. */
  readonly contrast: number;
}

/** Something that stands before the scene; what is outside of the picture is not seen. */
export function withThing(scene: Scene, { left, top, width, height, contrast }: Thing): Scene {
  const seen = scene.slice();
  for (let y = Math.max(0, top); y < Math.min(SCENE_HEIGHT, top + height); y++) {
    for (let x = Math.max(0, left); x < Math.min(SCENE_WIDTH, left + width); x++) {
      const at = y * SCENE_WIDTH + x;
      seen[at] = clamped((seen[at] ?? 0) + contrast);
    }
  }
  return seen;
}
