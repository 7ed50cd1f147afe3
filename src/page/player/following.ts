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
/** An element that stands within this of a place is there. */
const SAME_S = 0.005;
/** A browser loses a seek that is followed by another one: as long it is waited for. */
const SEEK_MS = 250;
/** The same seek again, as the browser has forgotten it. */
const SEEK_AGAIN_MS = 1000;

/** A seek that the browser has not done yet. */
export interface PendingSeek {
  readonly toS: number;
  readonly forMs: number;
  /** Of the pictures that it was for. */
  readonly stretch: number;
}

/** How an element stands. */
export interface ElementState {
  /** Its time, seconds. */
  readonly nowS: number;
  readonly seek?: PendingSeek | undefined;
  /** The picture that it shows. */
  readonly shown?: PlacedPicture | undefined;
}

export interface Following {
  /** It plays by itself at this rate; absent: it stands. */
  readonly rate?: number;
  readonly seekToS?: number;
}

/** How an element follows a playback's moment, given the picture of that moment. */
export function follow(
  picture: PlacedPicture,
  {
    wallMs,
    speed,
    isMoving,
  }: { readonly wallMs: number; readonly speed: number; readonly isMoving: boolean },
  element: ElementState,
): Following {
  if (!isMoving || speed < PLAYED_SPEED_MIN || speed > PLAYED_SPEED_MAX) return stand(picture, element);
  const withinS = Math.max(0, Math.min((wallMs - picture.wallMs) / 1000, picture.durationS));
  const atS = picture.mediaS + withinS;
  const offS = atS - element.nowS;
  const jumpS = JUMP_S * Math.max(1, speed);
  if (Math.abs(offS) > jumpS || element.seek !== undefined)
    return { rate: speed, ...seek(atS, picture.stretch, element.seek, jumpS) };
  if (Math.abs(offS) <= CALM_S) return { rate: speed };
  const change = Math.max(-CHANGE_MAX, Math.min(CHANGE_MAX, offS * 2));
  return { rate: Math.round(speed * (1 + change) * 1000) / 1000 };
}

function stand(picture: PlacedPicture, { nowS, seek: pending, shown }: ElementState): Following {
  if (pending === undefined && shown !== undefined && isAsGood(shown, picture)) return {};
  const atS = picture.mediaS + Math.min(picture.durationS / 2, 0.01);
  if (pending === undefined && Math.abs(nowS - atS) <= SAME_S) return {};
  return seek(atS, picture.stretch, pending, SAME_S);
}

/** The same picture, or what came of it before a jump; what comes of it later may be larger. */
function isAsGood(shown: PlacedPicture, picture: PlacedPicture): boolean {
  if (shown.stretch === picture.stretch) return shown.mediaS === picture.mediaS;
  return Math.abs(shown.wallMs - picture.wallMs) < 0.5;
}

/**
 * A seek that is under way is waited for, but not one to pictures that have been given up: what it waits for never comes.
 */
function seek(
  toS: number,
  stretch: number,
  pending: PendingSeek | undefined,
  sameS: number,
): Pick<Following, "seekToS"> {
  if (pending === undefined) return { seekToS: toS };
  const isSame = Math.abs(pending.toS - toS) <= sameS;
  const waits = pending.stretch === stretch && pending.forMs < (isSame ? SEEK_AGAIN_MS : SEEK_MS);
  return waits ? {} : { seekToS: toS };
}
