import type { ArchivedFrame, ArchiveKey } from "../../archive/index.js";
import { isAudioCodec } from "../../live/index.js";
import { GAP_US_MIN, type PlaybackArchive } from "./playback-reading.js";
import { lastRecordedUs } from "./recorded-around.js";

/** When the picture behind the one that is shown at a moment is shown; undefined at the end of the recordings. */
export async function pictureAfterUs(
  archive: PlaybackArchive,
  key: ArchiveKey,
  timeUs: number,
): Promise<number | undefined> {
  let nextUs: number | undefined;
  await readPictures(archive, key, timeUs, (frame) => {
    // No picture is shown before it is decoded: none that follows is shown sooner.
    if (nextUs !== undefined && frame.decodeTimeUs > nextUs) return false;
    const shownUs = shownAtUs(frame);
    if (shownUs > timeUs && (nextUs === undefined || shownUs < nextUs)) nextUs = shownUs;
    return true;
  });
  return nextUs;
}

/** When the picture before the one that is shown at a moment is shown; undefined at the beginning of the recordings. */
export async function pictureBeforeUs(
  archive: PlaybackArchive,
  key: ArchiveKey,
  timeUs: number,
): Promise<number | undefined> {
  const shown = await shownBefore(archive, key, timeUs + 1);
  if (shown === undefined) return undefined;
  return shown.isAtMoment ? (await shownBefore(archive, key, shown.timeUs))?.timeUs : shown.timeUs;
}

/** The last picture that is shown before a moment, and whether it is shown still. */
async function shownBefore(
  archive: PlaybackArchive,
  key: ArchiveKey,
  beforeUs: number,
): Promise<{ readonly timeUs: number; readonly isAtMoment: boolean } | undefined> {
  const isRecorded = archive.hasArchiveAt(key, beforeUs - 1);
  const endUs = isRecorded ? beforeUs : lastRecordedUs(archive, key, beforeUs);
  if (endUs === undefined) return undefined;
  const isAtMoment = beforeUs - endUs < GAP_US_MIN;
  let lastUs: number | undefined;
  await readPictures(archive, key, endUs - 1, (frame) => {
    if (frame.decodeTimeUs >= beforeUs) return false;
    const shownUs = shownAtUs(frame);
    if (shownUs < beforeUs && (lastUs === undefined || shownUs > lastUs)) lastUs = shownUs;
    return true;
  });
  return lastUs === undefined ? undefined : { timeUs: lastUs, isAtMoment };
}

/** Reads pictures from the key frame before a moment on, while `take` wants more. */
async function readPictures(
  archive: PlaybackArchive,
  key: ArchiveKey,
  fromUs: number,
  take: (frame: ArchivedFrame) => boolean,
): Promise<void> {
  const reader = archive.read(key, { fromUs, videoOnly: true, endsAtEdge: true });
  try {
    for (let frames = await reader.next(); frames.length > 0; frames = await reader.next()) {
      for (const frame of frames) {
        if (!isAudioCodec(frame.codec) && !frame.undecodable && !take(frame)) return;
      }
    }
  } finally {
    reader.close();
  }
}

function shownAtUs({ decodeTimeUs, presentationOffsetUs }: ArchivedFrame): number {
  return decodeTimeUs + presentationOffsetUs;
}
