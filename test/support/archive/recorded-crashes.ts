import { apiTime, type Fragment, type Service } from "../service/service.js";
import type { PacedFrame } from "./paced-recording.js";
import { readPacedFrames } from "./paced-recording.js";

/** At most so much of a stream may be lost to a crash (docs/design/archive.md). */
export const LOST_US_MAX = 2_000_000;
/** How much a service records of each channel before it is read back after its last crash. */
const LAST_RUN_US = 2_000_000;

/** A crash: when, and what the API had shown of each channel a moment before. */
export interface Crash {
  readonly atUs: number;
  readonly startedUs: number;
  readonly fragments: readonly (readonly Fragment[])[];
}

/** A service that crashed a number of times while it recorded paced cameras, and what it had afterwards. */
export interface RecordedCrashes {
  readonly crashes: readonly Crash[];
  /** By channel: fragments and all frames after the last crash. */
  readonly fragments: readonly (readonly Fragment[])[];
  readonly frames: readonly (readonly PacedFrame[])[];
}

/** Reads every channel from its beginning up to what was sent after the last crash. */
export async function readBack(
  service: Service,
  channelIds: readonly string[],
  crashes: readonly Crash[],
): Promise<RecordedCrashes> {
  const lastUs = crashes.at(-1)?.atUs ?? 0;
  await service.recorded(channelIds, LAST_RUN_US, undefined, lastUs);
  const fragments: Fragment[][] = [];
  const frames: PacedFrame[][] = [];
  for (const id of channelIds) {
    const found = await service.fragments(id);
    const fromUs = found[0]?.fromUs ?? 0;
    const video = await service.video(`channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}&speed=20`);
    frames.push(await readPacedFrames(video, (frame) => frame.clock.sentUs > lastUs));
    fragments.push(found);
  }
  return { crashes, fragments, frames };
}

/** Crashes that took more than 2 s of a stream. */
export function greatLosses({ crashes, frames }: RecordedCrashes): string[] {
  return crashes.flatMap((crash, cycle) =>
    frames.flatMap((ofCamera, camera) => {
      const ofCycle = ofCamera.filter(
        ({ clock }) => clock.sentUs > crash.startedUs && clock.sentUs <= crash.atUs,
      );
      const recordedSinceUs =
        crash.fragments[camera]?.findLast((entry) => entry.fromUs >= crash.startedUs)?.fromUs ?? crash.atUs;
      const lastUs = ofCycle.at(-1)?.clock.sentUs ?? recordedSinceUs;
      const lostUs = crash.atUs - lastUs;
      return lostUs > LOST_US_MAX ? [`cycle ${cycle}, camera ${camera}: ${lostUs} µs`] : [];
    }),
  );
}

/** Frames behind a gap that no crash explains. The service that added the cameras was stopped in order before the first one. */
export function unexplainedGaps({ crashes, frames }: RecordedCrashes): string[] {
  const sinceUs = crashes[0]?.startedUs ?? 0;
  return frames.flatMap((ofCamera, camera) =>
    ofCamera.flatMap(({ clock }, at) => {
      const before = ofCamera[at - 1]?.clock;
      if (before === undefined || before.sentUs < sinceUs || clock.frame === before.frame + 1) return [];
      if (crashes.some((crash) => crash.atUs >= before.sentUs && crash.atUs <= clock.sentUs)) return [];
      return [`camera ${camera}: frames ${before.frame} to ${clock.frame}`];
    }),
  );
}

/** Fragments that were shown before a crash and are not there with their id. */
export function lostFragments({ crashes, fragments }: RecordedCrashes): string[] {
  return crashes.flatMap((crash, cycle) =>
    crash.fragments.flatMap((shown, camera) =>
      shown
        .filter((fragment) => {
          const open = fragment.toUs > crash.atUs - LOST_US_MAX;
          // The one being recorded may lose its end, and all of it when it was shorter than that.
          if (open && fragment.toUs - fragment.fromUs <= LOST_US_MAX) return false;
          const kept = fragments[camera]?.find((entry) => entry.id === fragment.id);
          const leastToUs = open ? fragment.toUs - LOST_US_MAX : fragment.toUs;
          return kept === undefined || kept.fromUs !== fragment.fromUs || kept.toUs < leastToUs;
        })
        .map((fragment) => `cycle ${cycle}, camera ${camera}: ${JSON.stringify(fragment)}`),
    ),
  );
}

/** Fragments of a channel that begin before the one before them ends. */
export function overlaps({ fragments }: RecordedCrashes): Fragment[] {
  return fragments.flatMap((ofChannel) =>
    ofChannel.filter((fragment, at) => fragment.fromUs < (ofChannel[at - 1]?.toUs ?? 0)),
  );
}

/** Frames that come twice, or out of order. */
export function disorder({ frames }: RecordedCrashes): string[] {
  return frames.flatMap((ofCamera, camera) =>
    ofCamera.flatMap(({ clock }, at) =>
      at > 0 && clock.frame <= (ofCamera[at - 1]?.clock.frame ?? 0)
        ? [`camera ${camera}: ${clock.frame}`]
        : [],
    ),
  );
}
