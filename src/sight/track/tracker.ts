import { US_PER_SECOND } from "../../base/index.js";
import type { DetectedBox } from "../detector/look-wire.js";
import {
  area,
  type Box,
  centreOf,
  coveredShare,
  overlapShare,
  sharedArea,
  WHOLE_PICTURE,
} from "../thing/box.js";
import { type DetectedLabel, KIND_OF_LABEL, type ObjectKind } from "../thing/labels.js";
import { assign, NO_PAIR } from "./assignment.js";
import { ParkedThings } from "./parked-things.js";
import { type FoundPlace, Scenery } from "./scenery.js";
import { Track } from "./track.js";

/** Tracks of one camera; what comes beyond them is not followed. */
export const TRACKS_MAX = 48;
/** Times it must be seen before it is reported. */
const SURE_HITS = 2;
/** What was seen once is forgotten after so long. */
const UNSURE_US = 3 * US_PER_SECOND;
/** It has gone when so many looks at its place, over this time, did not show it. */
const GONE_MISSES = 2;
const GONE_US = 2.5 * US_PER_SECOND;
/** Nobody looked at its place for so long: it counts as gone. */
const UNWATCHED_US = 60 * US_PER_SECOND;
/** What stands still for so long is parked. People and animals rest for longer than vehicles stop. */
const PARKED_US: Readonly<Record<ObjectKind, number>> = {
  person: 600 * US_PER_SECOND,
  animal: 600 * US_PER_SECOND,
  vehicle: 60 * US_PER_SECOND,
};
/** A track may begin with so much less than the least score: it is told of once a look has reached that. */
const BEGIN_BELOW = 0.15;
/** How far a thing's middle may be from where it was expected, in its own sizes: at once, and for each second. */
const REACH_SIZES = 0.6;
const REACH_SIZES_A_SECOND: Readonly<Record<ObjectKind, number>> = { person: 1, animal: 1.5, vehicle: 2 };
const REACH_US_MAX = US_PER_SECOND;
/** The same for what was found without certainty, however long ago the thing was seen: it is somewhere else, or another one. */
const UNSURE_REACH_SIZES = 0.8;
/** A thing does not become so much larger or smaller between two looks. */
const AREA_RATIO_MAX = 3;
/** Pictures that are so much older than the newest one are of a clock that was set back. */
const BACK_US = 5 * US_PER_SECOND;
/** A thing whose box moving parts of the picture cover so far moves. */
const MOVING_SHARE = 0.3;
/** What moving parts of the picture cover less of stands still: it is where it was, or another thing. */
const RESTING_SHARE = 0.1;
/** In a look a thing below this part of the look's height may be overlooked, which says nothing. */
const SEEN_SHARE_MIN = 0.08;
/** A box this near to an edge of what was looked at is cut by it. */
const EDGE = 0.012;
/** A thing of which less is expected in the picture has left it. */
const OUTSIDE_SHARE = 0.25;
/** A wheel or an upper body within a thing of its kind that was found whole. */
const INNER_SHARE = 0.85;

/** What one look showed. Boxes are relative to the whole picture. */
export interface LookedAt {
  readonly timeUs: number;
  readonly region: Box;
  readonly found: readonly DetectedBox[];
  /** Where something moves now. */
  readonly moving: readonly Box[];
}

export interface TrackerOptions {
  /** The least score with which a thing of this label may begin; undefined: it is not wanted. */
  readonly scoreMin: (label: DetectedLabel) => number | undefined;
  /** What stands still is not parked before this time, microseconds: it has to be known how long it stays. */
  readonly restUsMin: () => number;
}

/** What tracks are paired with in one round. */
interface Pairing {
  readonly boxes: readonly DetectedBox[];
  /** How far from where a track's thing was expected a box may be, in its sizes. */
  readonly reach: (track: Track, box: Box) => number;
  readonly timeUs: number;
  /** They were found without certainty. */
  readonly isUnsure?: boolean;
}

/** What a look changed. */
export interface TrackerChanges {
  /** Sure now, for the first time. */
  readonly begun: readonly Track[];
  readonly seen: readonly Track[];
  readonly ended: readonly Track[];
}

/**
 * Follows the things of one camera from look to look: SORT's prediction and assignment (arXiv:1602.00763) in the two rounds of ByteTrack
 * (Zhang et al., 2021, arXiv:2110.06864): first what was found with certainty, then the rest, which only continues what is known. Looks are
 * up to seconds apart, so that boxes of one walker need not overlap: pairs are made by the distance of the middles, in sizes of the
 * thing.
 */
export class Tracker {
  readonly #options: TrackerOptions;
  #parked = new ParkedThings();
  #scenery = new Scenery();
  /** When the newest look was. */
  #newestUs = Number.NEGATIVE_INFINITY;
  #tracks: Track[] = [];
  readonly #sure = new Set<Track>();

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  /** Those that were reported. */
  get sure(): readonly Track[] {
    return [...this.#sure];
  }

  /** Whether something may be new: more looks decide. */
  isCurious(timeUs: number): boolean {
    return this.#tracks.some((track) => !this.#sure.has(track) && timeUs - track.firstUs < UNSURE_US);
  }

  get parked(): number {
    return this.#parked.count;
  }

  /** Places of things that never moved. */
  get scenery(): number {
    return this.#scenery.known;
  }

  take(look: LookedAt): TrackerChanges {
    const { timeUs } = look;
    const before = this.#setBack(timeUs);
    this.#newestUs = Math.max(this.#newestUs, timeUs);
    const all = wholeOnes(look).filter(
      ({ label, ...box }) =>
        this.#options.scoreMin(label) !== undefined && !this.#isParked({ label, ...box }, timeUs),
    );
    const found = all.filter(({ label, ...box }) => !this.#scenery.isKnown(KIND_OF_LABEL[label], box));
    const isCertain = ({ label, score }: DetectedBox): boolean =>
      score >= this.#scoreMin(label) - BEGIN_BELOW;
    const open = new Set(this.#tracks);
    const rests = (box: Box): boolean => look.moving.every((part) => coveredShare(box, part) < RESTING_SHARE);
    const reach = (track: Track, box: Box): number =>
      look.moving.length > 0 && rests(box) ? REACH_SIZES : reachOf(track, timeUs);
    const fresh = this.#pair(open, { boxes: found.filter(isCertain), reach, timeUs });
    const unsure = found.filter((box) => !isCertain(box));
    const known = new Set([...open].filter((track) => this.#sure.has(track)));
    this.#pair(known, { boxes: unsure, reach: () => UNSURE_REACH_SIZES, isUnsure: true, timeUs });
    for (const track of open) if (this.#sure.has(track) && !known.has(track)) open.delete(track);
    for (const track of open) if (wasLookedAt(track.at(timeUs), look.region)) track.miss();
    const isInner = (box: DetectedBox): boolean => this.#tracks.some((track) => isPartOf(box, track));
    for (const box of fresh)
      if (this.#tracks.length < TRACKS_MAX && !isInner(box)) this.#tracks.push(new Track(box, timeUs));
    const begun = this.#tracks.filter(
      (track) => !this.#sure.has(track) && track.score >= this.#scoreMin(track.label) && isSure(track, look),
    );
    for (const track of begun) this.#sure.add(track);
    const covers = this.#tracks.map(({ box }) => box);
    this.#learn(all, look, rests);
    this.#parked.look(timeUs, (box) => wasLookedAt(box, look.region), covers);
    const ended = [...before, ...this.expire(timeUs)];
    return { begun, seen: this.sure.filter((track) => track.seenUs === timeUs && !track.isDoubted), ended };
  }

  /** Ends what is gone by that time, and parks what stands still; answers those that were reported. */
  expire(timeUs: number): readonly Track[] {
    const ended = [...this.#setBack(timeUs)];
    const restUsMin = this.#options.restUsMin();
    for (const track of this.#tracks) {
      const parkedUs = Math.max(PARKED_US[track.kind], restUsMin);
      const isStill = timeUs - track.restUs >= parkedUs && track.misses === 0;
      if (!isStill && !this.#isGone(track, timeUs)) continue;
      if (isStill) this.#parked.add(track.kind, track.box, timeUs);
      if (this.#sure.delete(track)) ended.push(track);
      this.#tracks = this.#tracks.filter((other) => other !== track);
    }
    return ended;
  }

  /** Nobody looks any more: all end; answers those that were reported. */
  stop(): readonly Track[] {
    const ended = this.sure;
    this.#tracks = [];
    this.#sure.clear();
    return ended;
  }

  /** The camera shows something else: nothing of before is known any more; answers those that were reported. */
  forget(): readonly Track[] {
    this.#parked = new ParkedThings();
    this.#scenery = new Scenery();
    this.#newestUs = Number.NEGATIVE_INFINITY;
    return this.stop();
  }

  /** Where the clock was set back, times of before say nothing. */
  #setBack(timeUs: number): readonly Track[] {
    return timeUs < this.#newestUs - BACK_US ? this.forget() : [];
  }

  #isGone(track: Track, timeUs: number): boolean {
    const unseenUs = timeUs - track.seenUs;
    if (!this.#sure.has(track)) return unseenUs > UNSURE_US || track.misses >= GONE_MISSES;
    return (unseenUs > GONE_US && track.misses >= GONE_MISSES) || unseenUs > UNWATCHED_US;
  }

  #isParked({ label, ...box }: DetectedBox, timeUs: number): boolean {
    return this.#parked.isParked(KIND_OF_LABEL[label], box, timeUs);
  }

  /** What moves or has moved is no scenery. */
  #learn(all: readonly DetectedBox[], { timeUs, region }: LookedAt, rests: (box: Box) => boolean): void {
    const owners = new Map(
      this.#tracks.filter(({ seenUs }) => seenUs === timeUs).map((track) => [track.found, track]),
    );
    const found = all.map((box): FoundPlace => {
      const owner = owners.get(box);
      const isSure = owner !== undefined && (this.#sure.has(owner) || owner.hasMoved);
      const isCertain = box.score >= this.#scoreMin(box.label);
      const is = !rests(box) || (isSure && isCertain) ? "thing" : isSure ? "doubted" : "resting";
      return { kind: KIND_OF_LABEL[box.label], box, is };
    });
    this.#scenery.learn(found, timeUs, (box) => wasLookedAt(box, region));
  }

  #scoreMin(label: DetectedLabel): number {
    return this.#options.scoreMin(label) ?? NO_PAIR;
  }

  /** Continues tracks, which leave `open`; answers the boxes that belong to none. */
  #pair(open: Set<Track>, { boxes, reach, timeUs, isUnsure = false }: Pairing): readonly DetectedBox[] {
    const tracks = [...open];
    const columns = assign(
      tracks.map((track) => boxes.map((box) => costOf(track, box, { timeUs, sizes: reach(track, box) }))),
    );
    const taken = new Set<DetectedBox>();
    for (const [row, track] of tracks.entries()) {
      const box = boxes[columns[row] ?? -1];
      if (box === undefined) continue;
      track.see(box, timeUs, isUnsure);
      open.delete(track);
      taken.add(box);
    }
    return boxes.filter((box) => !taken.has(box));
  }
}

/** Seen often enough, and it moves or has moved: what stood there before anybody looked is no news. */
function isSure(track: Track, { timeUs, moving }: LookedAt): boolean {
  if (track.hits < SURE_HITS || track.seenUs !== timeUs) return false;
  return track.hasMoved || moving.some((part) => coveredShare(track.box, part) >= MOVING_SHARE);
}

/** How far a thing that was found with certainty may be from where it was expected, in its own sizes. */
function reachOf({ kind, seenUs }: Track, timeUs: number): number {
  const seconds = Math.min(REACH_US_MAX, timeUs - seenUs) / US_PER_SECOND;
  return REACH_SIZES + REACH_SIZES_A_SECOND[kind] * Math.max(0, seconds);
}

/** From 0; NO_PAIR where they cannot be one thing. `sizes`: how far it may be from where it was expected. */
function costOf(
  track: Track,
  box: DetectedBox,
  { timeUs, sizes }: { readonly timeUs: number; readonly sizes: number },
): number {
  if (KIND_OF_LABEL[box.label] !== track.kind) return NO_PAIR;
  const expected = track.at(timeUs);
  const ratio = area(expected) / area(box);
  if (ratio > AREA_RATIO_MAX || ratio < 1 / AREA_RATIO_MAX) return NO_PAIR;
  const [one, other] = [centreOf(expected), centreOf(box)];
  const size = Math.max(expected.width, expected.height, box.width, box.height);
  const distance = Math.hypot(one.x - other.x, one.y - other.y) / (size * sizes);
  // Of two that are near, the one that overlaps.
  return Math.min(NO_PAIR, distance * (1 - overlapShare(expected, box) / 2));
}

/** Without what an edge of the look cut off, where the picture goes on behind it. */
function wholeOnes({ region, found }: LookedAt): readonly DetectedBox[] {
  const [right, bottom] = [region.left + region.width, region.top + region.height];
  const [across, down] = [EDGE * region.width, EDGE * region.height];
  return found.filter(({ left, top, width, height }) => {
    const isCut =
      (region.left > 0 && left - region.left < across) ||
      (region.top > 0 && top - region.top < down) ||
      (right < 1 && right - (left + width) < across) ||
      (bottom < 1 && bottom - (top + height) < down);
    return !isCut;
  });
}

/** Whether a thing there would have been seen: nothing is, beyond the picture. */
function wasLookedAt(box: Box, region: Box): boolean {
  const inPicture = sharedArea(box, WHOLE_PICTURE);
  if (inPicture < OUTSIDE_SHARE * area(box)) return true;
  return sharedArea(box, region) > (1 - EDGE) * inPicture && box.height >= SEEN_SHARE_MIN * region.height;
}

function isPartOf(box: DetectedBox, track: Track): boolean {
  return (
    KIND_OF_LABEL[box.label] === track.kind &&
    coveredShare(box, track.box) > INNER_SHARE &&
    area(box) < area(track.box)
  );
}
