import { MotionBackground, SHARE_ONE } from "./motion-background.js";
import { type Blob, BlobFinder } from "./motion-blobs.js";
import type { MotionZone } from "./motion-zones.js";
import { isSameScene } from "./scene-structure.js";
import { type ZoneMasks, zoneMasks } from "./zone-mask.js";

export interface MotionAnalyzerOptions {
  readonly width: number;
  readonly height: number;
  readonly zones: readonly MotionZone[];
}

/** Something that moves in a zone, in one picture. Coordinates are relative, from the upper left corner. */
export interface MotionFinding {
  readonly zone: MotionZone;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** For this long after a new scene (start, reboot, the light switched), only the background is learned. */
export const SETTLE_US = 1_500_000;
/** Least number of pictures of a scene before motion is detected in it. */
const SETTLE_PICTURES = 3;
/** Time in which still objects, and those that stay where they moved to, become background. */
const STILL_US = 8_000_000;
const MOVING_US = 60_000_000;
const STANDING_US = 15_000_000;
/** A larger step than this between two pictures is a gap: the scene is learned again. */
const GAP_US_MAX = 60_000_000;
/** From this share of differing pixels on, the whole picture changed. */
const WHOLE_SHARE = 0.5;
/** After a step of the light, a share above this is also due to the light. */
const LIGHT_SHARE = 0.2;
const LIGHT_STEP = 10;
/** An object in front of the lens for this long becomes the new scene. */
const COVERED_US = 10_000_000;
/** A pixel whose grey level moves by more than this from picture to picture is active. */
const ACTIVE_LEVELS = 10;
/** Part of a blob's pixels that must be active: a still object does not count as motion. */
const ACTIVE_PART = 0.06;
/** Speed of objects in picture widths per second; greatest distance of two blobs of one object. */
const SPEED_WIDTHS = 0.25;
const REACH_PIXELS = 4;
/** Pictures further apart than this show a passer-by only once. */
const SPARSE_US = 1_000_000;
const AGE_MIN = 2;
/** With pictures closer together than this, AGE_MIN_DENSE applies, against chance matches. */
const DENSE_US = 500_000;
const AGE_MIN_DENSE = 3;
/** From this average number of unexplained pieces per picture on, it is weather. */
const WEATHER_MIN = 1.5;
/** More pieces in one picture than a busy street has. */
const CROWD = 10;
const WEATHER_SHARE = 0.15;
/** In weather, pieces follow each other by chance: the allowed rate at which a row of them counts as one object. */
const CHANCE_MAX = 0.01;
/** Never require more pictures in a row than this. If chance matches are that frequent, require a larger piece instead. */
const AGE_MAX = 10;
const WEATHER_SIZE = 6;
/** It must also fill this part of its box: crossing streaks do not. */
const WEATHER_FILL = 0.5;

/**
 * Finds motion in a series of small grey pictures of one camera, with an adaptive background, compensation of light
 * changes, removal of specks, and tracking of pieces from picture to picture. About 15,000 pixels per picture; only
 * findings are allocated.
 */
export class MotionAnalyzer {
  readonly #width: number;
  readonly #height: number;
  readonly #zones: readonly MotionZone[];
  readonly #masks: ZoneMasks;
  readonly #minPixels: number;
  readonly #background: MotionBackground;
  readonly #finder: BlobFinder;
  readonly #previous: Uint8Array;
  /** Pixels of moving objects, which are learned slowly. */
  readonly #moving: Uint8Array;
  #trail: readonly Trail[] = [];
  /** Pieces a picture that no earlier picture explains, on average: rain, snow, flicker. */
  #weather = 0;
  #settledAtUs = 0;
  #coveredFromUs: number | undefined;
  #lastUs: number | undefined;

  constructor(options: MotionAnalyzerOptions) {
    this.#width = options.width;
    this.#height = options.height;
    this.#zones = options.zones;
    const pixels = options.width * options.height;
    this.#masks = zoneMasks(options.zones, options.width, options.height);
    this.#minPixels = Math.min(...this.#masks.minPixels);
    this.#background = new MotionBackground(pixels);
    this.#finder = new BlobFinder(options, this.#masks.masks);
    this.#previous = new Uint8Array(pixels);
    this.#moving = new Uint8Array(pixels);
  }

  /** `picture` is the grey plane, row by row; times go forward. */
  analyze(picture: Uint8Array, timeUs: number): readonly MotionFinding[] {
    const sinceUs = this.#lastUs === undefined ? undefined : timeUs - this.#lastUs;
    this.#lastUs = timeUs;
    const found =
      sinceUs === undefined || sinceUs < 0 || sinceUs > GAP_US_MAX
        ? this.#newScene(picture, timeUs)
        : this.#check(picture, timeUs, sinceUs);
    this.#previous.set(picture);
    return found;
  }

  #newScene(picture: Uint8Array, timeUs: number): readonly MotionFinding[] {
    this.#background.reset(picture);
    this.#settledAtUs = timeUs + SETTLE_US;
    this.#trail = [];
    this.#coveredFromUs = undefined;
    return [];
  }

  #check(picture: Uint8Array, timeUs: number, sinceUs: number): readonly MotionFinding[] {
    const { lightStep, share } = this.#background.compare(picture, this.#masks.thresholds);
    if (share > WHOLE_SHARE || (lightStep > LIGHT_STEP && share > LIGHT_SHARE))
      return this.#wholePicture(picture, timeUs);
    this.#coveredFromUs = undefined;
    const blobs = this.#finder.find(this.#background.changed, this.#minPixels);
    const settling = timeUs < this.#settledAtUs || this.#background.learned < SETTLE_PICTURES;
    const findings: MotionFinding[] = [];
    this.#moving.fill(0);
    const required = this.#requirements(sinceUs);
    const trail: Trail[] = [];
    let unexplained = 0;
    for (const blob of blobs) {
      const age = this.#ageOf(blob, sinceUs);
      if (age === 1) unexplained += 1;
      trail.push({
        left: blob.left,
        top: blob.top,
        right: blob.right,
        bottom: blob.bottom,
        pixels: blob.pixels,
        age,
      });
      const active = this.#isActive(blob, picture);
      this.#markMoving(blob, active);
      const counts =
        age >= required.age && blob.pixels >= this.#minPixels * required.size && fill(blob) >= required.fill;
      if (!settling && active && counts) this.#addFindings(blob, findings);
    }
    // If there are so many pieces that each matches one of the last picture, only their number counts.
    this.#weather += (Math.max(unexplained, blobs.length - CROWD) - this.#weather) * WEATHER_SHARE;
    this.#trail = trail;
    this.#background.learn(picture, this.#moving, {
      still: shareOf(sinceUs, STILL_US),
      moving: shareOf(sinceUs, MOVING_US),
      standing: shareOf(sinceUs, STANDING_US),
    });
    return findings;
  }

  /** The whole picture differs: the light changed, something large is in front of the lens, or the camera was turned. */
  #wholePicture(picture: Uint8Array, timeUs: number): readonly MotionFinding[] {
    if (isSameScene(picture, this.#width, this.#background)) return this.#newScene(picture, timeUs);
    this.#coveredFromUs ??= timeUs;
    if (timeUs - this.#coveredFromUs > COVERED_US) return this.#newScene(picture, timeUs);
    if (timeUs < this.#settledAtUs) return [];
    return this.#zones.map((zone) => ({ zone, left: 0, top: 0, width: 1, height: 1 }));
  }

  /** The requirements for a piece to count as motion. */
  #requirements(sinceUs: number): Requirements {
    const ageMin = sinceUs > SPARSE_US ? 1 : sinceUs > DENSE_US ? AGE_MIN : AGE_MIN_DENSE;
    if (this.#weather < WEATHER_MIN) return { age: ageMin, size: 1, fill: 0 };
    const chance = this.#chance(sinceUs);
    const age = Math.ceil(Math.log(CHANCE_MAX) / Math.log(chance));
    const dense = age > AGE_MAX;
    return {
      age: Math.max(ageMin, AGE_MIN, Math.min(AGE_MAX, age)),
      size: dense ? WEATHER_SIZE : 1,
      fill: dense ? WEATHER_FILL : 0,
    };
  }

  /** The part of the picture in which a piece would match an earlier one by chance. */
  #chance(sinceUs: number): number {
    const reach = 2 * this.#reach(sinceUs);
    let area = 0;
    for (const before of this.#trail)
      area += (before.right - before.left + reach) * (before.bottom - before.top + reach);
    return Math.min(0.99, Math.max(0.01, area / (this.#width * this.#height)));
  }

  #reach(sinceUs: number): number {
    return REACH_PIXELS + (this.#width * SPEED_WIDTHS * Math.min(sinceUs, SPARSE_US)) / 1_000_000;
  }

  #ageOf(blob: Blob, sinceUs: number): number {
    const reach = this.#reach(sinceUs);
    let age = 1;
    for (const before of this.#trail) {
      const apart =
        before.left - blob.right > reach ||
        blob.left - before.right > reach ||
        before.top - blob.bottom > reach ||
        blob.top - before.bottom > reach;
      const alike = before.pixels < blob.pixels * 4 && blob.pixels < before.pixels * 4;
      if (!apart && alike) age = Math.max(age, before.age + 1);
    }
    return age;
  }

  #isActive(blob: Blob, picture: Uint8Array): boolean {
    let active = 0;
    for (let y = blob.top; y < blob.bottom; y++) {
      for (let at = y * this.#width + blob.left; at < y * this.#width + blob.right; at++)
        if (Math.abs((picture[at] ?? 0) - (this.#previous[at] ?? 0)) > ACTIVE_LEVELS) active += 1;
    }
    return active >= Math.max(3, blob.pixels * ACTIVE_PART);
  }

  #markMoving(blob: Blob, active: boolean): void {
    const mark = active ? MOVING : STANDING;
    for (let y = blob.top; y < blob.bottom; y++) {
      for (let at = y * this.#width + blob.left; at < y * this.#width + blob.right; at++)
        if (this.#finder.kept[at] !== 0) this.#moving[at] = mark;
    }
  }

  #addFindings(blob: Blob, findings: MotionFinding[]): void {
    for (const [index, zone] of this.#zones.entries()) {
      if ((blob.zonePixels[index] ?? 0) < (this.#masks.minPixels[index] ?? 0)) continue;
      findings.push({
        zone,
        left: blob.left / this.#width,
        top: blob.top / this.#height,
        width: (blob.right - blob.left) / this.#width,
        height: (blob.bottom - blob.top) / this.#height,
      });
    }
  }
}

interface Requirements {
  readonly age: number;
  /** Multiple of the smallest size. */
  readonly size: number;
  /** Part of its bounding box that it fills. */
  readonly fill: number;
}

function fill(blob: Blob): number {
  return blob.pixels / ((blob.right - blob.left) * (blob.bottom - blob.top));
}

/** Where a piece was in the last picture. */
interface Trail {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly pixels: number;
  readonly age: number;
}

/** Marks of `moving` for MotionBackground.learn. */
const MOVING = 1;
const STANDING = 2;

function shareOf(sinceUs: number, timeUs: number): number {
  return Math.max(1, Math.min(SHARE_ONE, Math.round((sinceUs / timeUs) * SHARE_ONE)));
}
