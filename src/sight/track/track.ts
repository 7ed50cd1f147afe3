import { US_PER_SECOND } from "../../base/index.js";
import type { DetectedBox } from "../detector/look-wire.js";
import { type Box, boxOf, centreOf, type Point } from "../thing/box.js";
import { type DetectedLabel, KIND_OF_LABEL, type ObjectKind } from "../thing/labels.js";

/** Part of a step that the newest look decides: place and speed. Looks come at irregular times, so the gains are fixed. */
const PLACE_GAIN = 0.8;
const SPEED_GAIN = 0.5;
const SIZE_GAIN = 0.5;
/** A speed is not believed for longer without a look. */
const AHEAD_US_MAX = 1.5 * US_PER_SECOND;
/** It moves when its middle leaves a circle of this part of its smaller side. */
const REST_SHARE = 0.4;

/**
 * One thing over several looks: where it is, where it goes. The model of SORT (Bewley et al., "Simple Online and Realtime Tracking",
 * 2016, arXiv:1602.00763), constant speed, with fixed gains in place of its Kalman filter.
 */
export class Track {
  readonly kind: ObjectKind;
  readonly firstUs: number;
  /** Where it was seen first. */
  readonly firstBox: Box;
  readonly #scores = new Map<DetectedLabel, number>();
  #box: Box;
  #speed: Point = { x: 0, y: 0 };
  #seenUs: number;
  #hits = 1;
  #misses = 0;
  #score: number;
  /** Where it came to rest, and since when it has not left there. */
  #rest: Point;
  #restUs: number;
  #hasMoved = false;
  #found: DetectedBox;
  #isDoubted = false;

  constructor(found: DetectedBox, timeUs: number) {
    this.kind = KIND_OF_LABEL[found.label];
    this.firstUs = timeUs;
    this.firstBox = boxOf(found);
    this.#box = this.firstBox;
    this.#seenUs = timeUs;
    this.#found = found;
    this.#score = found.score;
    this.#rest = centreOf(found);
    this.#restUs = timeUs;
    this.#scores.set(found.label, found.score);
  }

  get box(): Box {
    return this.#box;
  }

  get seenUs(): number {
    return this.#seenUs;
  }

  get hits(): number {
    return this.#hits;
  }

  /** Looks at its place that did not show it, since it was seen. */
  get misses(): number {
    return this.#misses;
  }

  /** The greatest. */
  get score(): number {
    return this.#score;
  }

  /** It has left the place where it was seen first. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Since when it has not left its place. */
  get restUs(): number {
    return this.#restUs;
  }

  /** What it was taken for most. */
  get label(): DetectedLabel {
    let [label, most]: [DetectedLabel | undefined, number] = [undefined, 0];
    for (const [name, sum] of this.#scores) if (sum > most) [label, most] = [name, sum];
    return label ?? "person";
  }

  /** Where it should be at a time. */
  at(timeUs: number): Box {
    const seconds = Math.min(AHEAD_US_MAX, Math.max(0, timeUs - this.#seenUs)) / US_PER_SECOND;
    const { left, top, width, height } = this.#box;
    return { left: left + this.#speed.x * seconds, top: top + this.#speed.y * seconds, width, height };
  }

  /** What was found of it last. */
  get found(): DetectedBox {
    return this.#found;
  }

  /** A look at its place did not show it, and what was found there since then was not certain: perhaps it is something else. */
  get isDoubted(): boolean {
    return this.#isDoubted;
  }

  see(found: DetectedBox, timeUs: number, isUnsure = false): void {
    const seconds = (timeUs - this.#seenUs) / US_PER_SECOND;
    const [expected, seen] = [centreOf(this.at(timeUs)), centreOf(found)];
    const [offX, offY] = [seen.x - expected.x, seen.y - expected.y];
    if (seconds > 0)
      this.#speed = {
        x: this.#speed.x + (SPEED_GAIN * offX) / Math.max(seconds, 1 / 8),
        y: this.#speed.y + (SPEED_GAIN * offY) / Math.max(seconds, 1 / 8),
      };
    const width = this.#box.width + SIZE_GAIN * (found.width - this.#box.width);
    const height = this.#box.height + SIZE_GAIN * (found.height - this.#box.height);
    const [x, y] = [expected.x + PLACE_GAIN * offX, expected.y + PLACE_GAIN * offY];
    this.#box = { left: x - width / 2, top: y - height / 2, width, height };
    this.#seenUs = Math.max(this.#seenUs, timeUs);
    this.#hits += 1;
    this.#found = found;
    this.#isDoubted = isUnsure && (this.#isDoubted || this.#misses > 0);
    if (!this.#isDoubted) this.#misses = 0;
    this.#score = Math.max(this.#score, found.score);
    this.#scores.set(found.label, (this.#scores.get(found.label) ?? 0) + found.score);
    this.#noteRest({ x, y }, timeUs);
  }

  miss(): void {
    this.#misses += 1;
  }

  #noteRest({ x, y }: Point, timeUs: number): void {
    const { width, height } = this.#box;
    if (Math.hypot(x - this.#rest.x, y - this.#rest.y) <= REST_SHARE * Math.min(width, height)) return;
    this.#rest = { x, y };
    this.#restUs = timeUs;
    this.#hasMoved = true;
  }
}
