import type { ArchiveAccess } from "../../archive/index.js";
import {
  type Clock,
  pauseUnlessAborted,
  type StreamKey,
  streamKeyText,
  US_PER_SECOND,
} from "../../base/index.js";
import type { PicturePart, Rotation, Stills } from "../../picture/index.js";
import { nearestRecordedUs } from "../../player/index.js";
import { archiveMaterial } from "./archive-still.js";

/** What is seen now is recorded with the archive's next batch; on a busy machine later. */
const RECORDED_WITHIN_US = 3 * US_PER_SECOND;
const LOOK_AGAIN_MS = 100;
/** A stream of which nothing was recorded for so long is not being recorded. */
const RECORDING_US = 5 * US_PER_SECOND;
/** The picture that something is cut out of: as large as it is needed, no larger than this. */
const SOURCE_SIDE_MAX = 3840;

export interface SeenStillNeeds {
  readonly archive: ArchiveAccess;
  readonly stills: Stills;
  readonly clock: Clock;
}

/** What was seen, and the picture that is wanted of it. */
export interface SeenStill {
  /** The preferred one first. */
  readonly streams: readonly { readonly key: StreamKey; readonly rotation: Rotation }[];
  /** Unix microseconds. */
  readonly atUs: number;
  /** What is cut out; undefined: the whole picture. */
  readonly part: PicturePart | undefined;
  /** Longest side in pixels. */
  readonly side: number;
  /** A picture that is further from the moment is none of it. */
  readonly offUsMax: number;
}

/**
 * The recorded picture of something that was seen, as a JPEG: of the first stream that has the moment, otherwise of the one with the
 * nearest picture. Waits for a moment that is about to be recorded. Undefined where nothing is recorded near it; rejects as `Stills` do.
 */
export async function seenStill(
  needs: SeenStillNeeds,
  seen: SeenStill,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const { archive, stills } = needs;
  await untilRecorded(needs, seen, signal);
  const nearest = nearestOf(archive, seen);
  if (nearest === undefined) return undefined;
  const { key, rotation, atUs } = nearest;
  const { part, side } = seen;
  const source = {
    key: `seen ${streamKeyText(key)}@${atUs}/${rotation}`,
    open: (opened: AbortSignal) => archiveMaterial({ archive, key, rotation, atUs }, opened),
  };
  const sourceSide = part === undefined ? side : Math.min(SOURCE_SIDE_MAX, Math.ceil(side / part.width));
  const share = stills.make(source, { width: sourceSide });
  const cancel = (): void => share.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    const { jpeg } = await share.still;
    return part === undefined ? jpeg : (await stills.cut(jpeg, part, side)).jpeg;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

async function untilRecorded(
  { archive, clock }: Pick<SeenStillNeeds, "archive" | "clock">,
  { streams, atUs }: SeenStill,
  signal: AbortSignal,
): Promise<void> {
  const isRecorded = (): boolean => streams.some(({ key }) => archive.hasArchiveAt(key, atUs));
  const isBeingRecorded = (): boolean =>
    streams.some(({ key }) => {
      const newestUs = nearestRecordedUs(archive, key, clock.nowUs());
      return newestUs !== undefined && clock.nowUs() - newestUs < RECORDING_US;
    });
  const askedUs = clock.nowUs();
  if (Math.abs(askedUs - atUs) > RECORDED_WITHIN_US) return;
  const isOver = (): boolean => signal.aborted || clock.nowUs() - askedUs > RECORDED_WITHIN_US;
  while (!(isOver() || isRecorded()) && isBeingRecorded())
    await pauseUnlessAborted(clock, LOOK_AGAIN_MS, signal);
}

function nearestOf(archive: ArchiveAccess, { streams, atUs, offUsMax }: SeenStill) {
  const near = streams.flatMap((stream) => {
    const nearestUs = nearestRecordedUs(archive, stream.key, atUs);
    if (nearestUs === undefined || Math.abs(nearestUs - atUs) > offUsMax) return [];
    return [{ ...stream, atUs: nearestUs, offUs: Math.abs(nearestUs - atUs) }];
  });
  return near.toSorted((one, other) => one.offUs - other.offUs)[0];
}

/** The part of a picture around a box: `margin` of its sides on each side of it, and at least `sideMin` of the picture's. */
export function partAround(box: PicturePart, margin: number, sideMin = 0): PicturePart {
  const around = (from: number, length: number): readonly [number, number] => {
    const wanted = Math.min(1, Math.max(sideMin, length * (1 + 2 * margin)));
    return [Math.min(1 - wanted, Math.max(0, from + length / 2 - wanted / 2)), wanted];
  };
  const [left, width] = around(box.left, box.width);
  const [top, height] = around(box.top, box.height);
  return { left, top, width, height };
}
