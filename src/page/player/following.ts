import type { PlacedPicture } from "./picture-times.js";

/** Beyond these an element shows single pictures, which are put in place one by one. */
const PLAYED_SPEED_MIN = 0.25;
const PLAYED_SPEED_MAX = 4;
/** Farther off than this it jumps. */
const JUMP_S = 0.3;
/** Closer than this it is in step: less than half a picture at 60 a second. */
const CALM_S = 0.008;
/** Greatest change of the speed. */
const CHANGE_MAX = 0.25;

export type Following =
  /** The element plays by itself at this rate. */
  | { readonly kind: "play"; readonly rate: number; readonly jumpToS?: number }
  /** It stands at this time. */
  | { readonly kind: "stand"; readonly atS: number };

/** How an element follows a playback's moment, given the picture of that moment. */
export function follow(
  picture: PlacedPicture,
  wallMs: number,
  { nowS, speed, isMoving }: { readonly nowS: number; readonly speed: number; readonly isMoving: boolean },
): Following {
  const withinS = Math.max(0, Math.min((wallMs - picture.wallMs) / 1000, picture.durationS));
  if (!isMoving || speed < PLAYED_SPEED_MIN || speed > PLAYED_SPEED_MAX)
    return { kind: "stand", atS: picture.mediaS + Math.min(picture.durationS / 2, 0.01) };
  const offS = picture.mediaS + withinS - nowS;
  if (Math.abs(offS) > JUMP_S * Math.max(1, speed))
    return { kind: "play", rate: speed, jumpToS: picture.mediaS + withinS };
  if (Math.abs(offS) <= CALM_S) return { kind: "play", rate: speed };
  const change = Math.max(-CHANGE_MAX, Math.min(CHANGE_MAX, offS * 2));
  return { kind: "play", rate: Math.round(speed * (1 + change) * 1000) / 1000 };
}
