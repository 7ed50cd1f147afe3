import {
  type MotionWatch,
  NativeCodec,
  type RegionMotion,
  type WatchedZone,
} from "../../../src/picture/index.js";

/** The codec's watch of zones, for pictures of the test's own. */
export function motionWatch(zones: readonly WatchedZone[]): MotionWatch {
  return new NativeCodec().openMotionWatch(zones);
}

export function regionMotion(zones: readonly WatchedZone[]): RegionMotion {
  return new NativeCodec().openRegionMotion(zones);
}
