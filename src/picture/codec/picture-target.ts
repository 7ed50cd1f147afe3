import type { PictureForm, PicturePart, PictureTarget } from "./codec-types.js";
import { NativeMotionWatch, type WatchHandle } from "./motion-watch.js";

/** Targets of one call. */
export const PICTURE_TARGETS_MAX = 8;
/** Largest requested side in pixels; it is clamped to the source's size anyway. */
export const PICTURE_SIDE_MAX = 65_535;
export const JPEG_QUALITY_DEFAULT = 75;
/** Largest `bytesMax`. */
const JPEG_BYTES_MAX = 2 ** 32 - 1;

/** Same order as PictureForm in native/codec/picture/picture.h. */
const FORMS: readonly PictureForm[] = ["rgb", "gray", "yuv420", "jpeg", "motion"];
const WHOLE: PicturePart = { left: 0, top: 0, width: 1, height: 1 };
const ROTATIONS: readonly number[] = [0, 90, 180, 270];

/** Targets in the addon's form. */
export interface NativeTargets {
  readonly numbers: Float64Array;
  /** Those that analyse for targets of the form `motion`. */
  readonly watches: readonly WatchHandle[];
}

const NO_WATCHES: readonly WatchHandle[] = [];
const NO_TARGETS: NativeTargets = { numbers: new Float64Array(), watches: NO_WATCHES };

/** Targets in the addon's form (native/codec/picture/made_picture.h). Throws RangeError for an invalid one. */
export function nativeTargets(targets: readonly PictureTarget[]): NativeTargets {
  if (targets.length === 0) return NO_TARGETS;
  if (targets.length > PICTURE_TARGETS_MAX)
    throw new RangeError(`${targets.length} targets for one picture; at most ${PICTURE_TARGETS_MAX}`);
  const watches: WatchHandle[] = [];
  const numbers = Float64Array.from(targets.flatMap((target) => numbersOf(target, watches)));
  return { numbers, watches: watches.length === 0 ? NO_WATCHES : watches };
}

function numbersOf(target: PictureTarget, watches: WatchHandle[]): number[] {
  const {
    form,
    width,
    height,
    fit = "exact",
    rotation = 0,
    quality = JPEG_QUALITY_DEFAULT,
    bytesMax,
    part = WHOLE,
  } = target;
  return [
    indexOf(FORMS, form, "form"),
    width === undefined ? 0 : whole(width, PICTURE_SIDE_MAX, "width"),
    height === undefined ? 0 : whole(height, PICTURE_SIDE_MAX, "height"),
    indexOf(["exact", "inside"], fit, "fit"),
    indexOf(ROTATIONS, rotation, "rotation") * 90,
    whole(quality, 100, "quality"),
    bytesMax === undefined ? 0 : whole(bytesMax, JPEG_BYTES_MAX, "bytesMax"),
    ...[share(part.left, "left"), share(part.top, "top")],
    ...[side(part.width, "width"), side(part.height, "height")],
    target.watch instanceof NativeMotionWatch ? watches.push(target.watch.handle) - 1 : 0,
  ];
}

function share(value: number, name: string): number {
  if (value >= 0 && value <= 1) return value;
  throw new RangeError(`${name} of a part: ${value}, not from 0 to 1`);
}

function side(value: number, name: string): number {
  if (value > 0 && value <= 1) return value;
  throw new RangeError(`${name} of a part: ${value}, not more than 0 and up to 1`);
}

function whole(value: number, largest: number, name: string): number {
  if (Number.isInteger(value) && value >= 1 && value <= largest) return value;
  throw new RangeError(`${name} of a picture: ${value}, not a whole number from 1 to ${largest}`);
}

function indexOf<T>(values: readonly T[], value: T, name: string): number {
  const index = values.indexOf(value);
  if (index < 0) throw new RangeError(`${name} of a picture: ${String(value)}, not ${values.join(", ")}`);
  return index;
}
