import { CodecError } from "./codec-error.js";
import type {
  GrayPicture,
  MotionWatch,
  Picture,
  PicturePart,
  RegionMotion,
  WatchedZone,
  ZoneMotion,
} from "./codec-types.js";

/** Zones of one watch; the same in native/codec/motion/zone_map.h. */
const WATCHED_ZONES_MAX = 16;
/** Same order as ZoneKind in native/codec/motion/zone_map.h. */
const AREAS: readonly WatchedZone["area"]["kind"][] = ["picture", "polygon", "grid"];
/** Numbers of a finding: native/codec/motion/motion.h. */
const FINDING_NUMBERS = 6;

/** The addon's object that analyses (native/codec/motion/motion.cc). */
export interface WatchHandle {
  analyze(data: Uint8Array, width: number, height: number, timeUs: number): Float64Array;
  restart(): void;
}

interface RegionHandle {
  take(data: Uint8Array, width: number, height: number): boolean;
  restart(): void;
  touches(left: number, top: number, width: number, height: number): boolean;
}

/** The addon's classes for motion. */
export interface NativeMotion {
  readonly MotionWatch: new (zones: Float64Array) => WatchHandle;
  readonly RegionMotion: new (zones: Float64Array) => RegionHandle;
}

/** A watch of the addon. Throws RangeError without zones, and with too many. */
export class NativeMotionWatch implements MotionWatch {
  readonly handle: WatchHandle;

  constructor(native: NativeMotion, zones: readonly WatchedZone[]) {
    this.handle = new native.MotionWatch(zoneNumbers(zones));
  }

  analyze({ data, width, height }: GrayPicture, timeUs: number): readonly ZoneMotion[] {
    return findingsOf(this.handle.analyze(data, width, height, timeUs));
  }

  restart(): void {
    this.handle.restart();
  }
}

/** A search of the addon. Throws RangeError without zones, and with too many. */
export class NativeRegionMotion implements RegionMotion {
  readonly #handle: RegionHandle;

  constructor(native: NativeMotion, zones: readonly WatchedZone[]) {
    this.#handle = new native.RegionMotion(zoneNumbers(zones));
  }

  take({ data, width, height }: GrayPicture): boolean {
    return this.#handle.take(data, width, height);
  }

  restart(): void {
    this.#handle.restart();
  }

  touches({ left, top, width, height }: PicturePart): boolean {
    return this.#handle.touches(left, top, width, height);
  }
}

/** What moves in a picture of the form `motion`. */
export function motionIn(picture: Picture): readonly ZoneMotion[] {
  if (picture.form !== "motion") throw new CodecError("internal", `a picture of the form ${picture.form}`);
  const { buffer, byteOffset, byteLength } = picture.data;
  if (byteLength === 0) return NOTHING;
  return findingsOf(new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT));
}

const NOTHING: readonly ZoneMotion[] = [];

function findingsOf(numbers: Float64Array): readonly ZoneMotion[] {
  const findings: ZoneMotion[] = [];
  for (let at = 0; at + FINDING_NUMBERS <= numbers.length; at += FINDING_NUMBERS) {
    const [zone = 0, left = 0, top = 0, width = 0, height = 0, strength = 0] = numbers.subarray(at);
    findings.push({ zone, left, top, width, height, strength });
  }
  return findings;
}

/** The zones in the addon's form (native/codec/motion/zone_numbers.h). */
function zoneNumbers(zones: readonly WatchedZone[]): Float64Array {
  if (zones.length === 0 || zones.length > WATCHED_ZONES_MAX)
    throw new RangeError(`${zones.length} zones; 1 to ${WATCHED_ZONES_MAX} can be watched`);
  return Float64Array.from(zones.flatMap(numbersOfZone));
}

function numbersOfZone({ sensitivity, minSizePercent, area }: WatchedZone): number[] {
  const head = [sensitivity, minSizePercent, AREAS.indexOf(area.kind)];
  if (area.kind === "polygon")
    return [...head, area.points.length, ...area.points.flatMap(({ x, y }) => [x, y])];
  if (area.kind === "grid") return [...head, area.columns, area.rows, ...[...area.cells].map(Number)];
  return head;
}
