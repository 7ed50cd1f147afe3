import { US_PER_SECOND } from "../../base/index.js";
import type { PlaySpeed } from "../../contract/answer/index.js";

/** Beyond this speed, and backwards, only key frames are shown. */
export const WHOLE_SPEED_MAX = 4;
/** Most key frames a second that a channel is sent. */
const KEY_FRAMES_A_SECOND = 10;

/** Most key frames of a scan that a channel is sent. */
const SCANNED_MAX = 500;

/** A stretch whose key frames are sent at once. Unix microseconds. */
export interface Scan {
  readonly fromUs: number;
  readonly toUs: number;
  /** Key frames that follow sooner are left out. */
  readonly everyUs: number;
}

/** Where a playback is to be, and how it goes on from there. */
export interface PlaybackOrder {
  /** Unix microseconds. */
  readonly timeUs: number;
  readonly speed: PlaySpeed;
  /** `picture`: stands, with the picture of that moment. */
  readonly mode: "run" | "picture";
  /** From the picture that stands, which was sent: what follows it is enough. */
  readonly isContinued?: boolean;
  /** So many pictures of the first channel further than the one that is shown at the moment, or before it. */
  readonly step?: number;
  /** With `picture`: the key frames of this stretch in place of the picture. */
  readonly scan?: Scan;
}

/** Whether all pictures are shown at a speed. */
export function isWhole(speed: PlaySpeed): boolean {
  return speed > 0 && speed <= WHOLE_SPEED_MAX;
}

/** How far apart key frames are, in time of the recordings, so that a client is not sent more than it can show. */
export function keyIntervalUsMin(speed: PlaySpeed): number {
  return (Math.abs(speed) * US_PER_SECOND) / KEY_FRAMES_A_SECOND;
}

/** Not more key frames than a client is sent of one scan. */
export function boundedScan({ fromUs, toUs, everyUs }: Scan): Scan {
  const endUs = Math.max(fromUs, toUs);
  return { fromUs, toUs: endUs, everyUs: Math.max(everyUs, Math.ceil((endUs - fromUs) / SCANNED_MAX)) };
}
