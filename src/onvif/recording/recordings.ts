import { setImmediate } from "node:timers/promises";
import type { ArchiveAccess } from "../../archive/index.js";
import { type Clock, NvrdError, parseGuid, STREAM_TYPES, type StreamKey } from "../../base/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import type { OnvifUser } from "../soap/onvif-user.js";
import { invalidArgument } from "../soap/soap-message.js";

/** Sections that are closer are one: a fragment ends with a frame, and the next begins with the one after it. */
const SECTION_GAP_US = 1_000_000;
/** How far apart it is looked for sound, and how often in one turn. */
const SOUND_LOOK_US = 5 * 60_000_000;
const LOOKS_AT_ONCE = 100;
/** A section whose end is this near is still being recorded. */
const GROWING_US = 5_000_000;

export interface RecordingsOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly archive: Pick<
    ArchiveAccess,
    "fragments" | "nearestFrameUs" | "hasSoundAt" | "hasArchiveAt" | "indexFault" | "read"
  >;
  readonly clock: Clock;
}

/** What is recorded of a camera, in the first stream that the user may have. */
export interface DeviceRecording {
  readonly camera: Camera;
  readonly key: StreamKey;
  /** Unix microseconds. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly hasSound: boolean;
  readonly isGrowing: boolean;
}

export interface Section {
  readonly fromUs: number;
  readonly toUs: number;
}

/** The recordings that a user may replay: one of each camera. Its token is the camera's id. */
export class Recordings {
  readonly #options: RecordingsOptions;

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  /** Throws NvrdError NOT_AVAILABLE while it is not known what is recorded. */
  all(user: OnvifUser): readonly DeviceRecording[] {
    const { site, archive } = this.#options;
    const fault = archive.indexFault();
    if (fault !== undefined) throw new NvrdError("NOT_AVAILABLE", fault);
    return site.current.cameras.flatMap((camera) => this.#recording(user, camera) ?? []);
  }

  /** Throws SoapFault NoRecording, the same for one that the user may not see. */
  one(user: OnvifUser, token: string): DeviceRecording {
    const id = parseGuid(token);
    const found = this.all(user).find(({ camera }) => camera.id === id);
    if (found === undefined) throw invalidArgument("NoRecording", "there is no recording with this token");
    return found;
  }

  /** Contiguous stretches that overlap an interval, oldest first. */
  sections({ key }: DeviceRecording, fromUs: number, toUs: number): readonly Section[] {
    const sections: { fromUs: number; toUs: number }[] = [];
    for (const fragment of this.#options.archive.fragments(key, fromUs, toUs)) {
      const last = sections.at(-1);
      if (last !== undefined && fragment.fromUs - last.toUs <= SECTION_GAP_US)
        last.toUs = Math.max(last.toUs, fragment.toUs);
      else sections.push({ fromUs: fragment.fromUs, toUs: fragment.toUs });
    }
    return sections;
  }

  hasSoundAt({ key, hasSound }: DeviceRecording, timeUs: number): boolean {
    return hasSound && this.#options.archive.hasSoundAt(key, timeUs) === true;
  }

  /**
   * Where a section has sound, to a second. Whether there is any is known of each segment; moments are looked at that are some
   * minutes apart, so sound that comes for less, and goes, may be left out. Others get their turn meanwhile.
   */
  async sound(
    recording: DeviceRecording,
    { fromUs, toUs }: Section,
    signal: AbortSignal,
  ): Promise<readonly Section[]> {
    if (!recording.hasSound) return [];
    const isThere = (timeUs: number): boolean => this.hasSoundAt(recording, timeUs);
    const found: { fromUs: number; toUs: number }[] = [];
    let before = { timeUs: fromUs, has: isThere(fromUs) };
    if (before.has) found.push({ fromUs, toUs });
    for (let looks = 1; before.timeUs < toUs - 1 && !signal.aborted; looks += 1) {
      if (looks % LOOKS_AT_ONCE === 0) await setImmediate();
      const timeUs = Math.min(before.timeUs + SOUND_LOOK_US, toUs - 1);
      const now = { timeUs, has: isThere(timeUs) };
      if (now.has !== before.has) {
        const changeUs = changeBetween(before.timeUs, timeUs, (at) => isThere(at) === now.has);
        const last = found.at(-1);
        if (now.has) found.push({ fromUs: changeUs, toUs });
        else if (last !== undefined) last.toUs = changeUs;
      }
      before = now;
    }
    return found;
  }

  #recording(user: OnvifUser, camera: Camera): DeviceRecording | undefined {
    const { archive, clock } = this.#options;
    for (const streamType of STREAM_TYPES) {
      if (!user.mayReplay(camera.id, streamType)) continue;
      const key = { channelId: camera.id, streamType };
      const fromUs = archive.nearestFrameUs(key, 0);
      const newestUs = archive.nearestFrameUs(key, clock.nowUs());
      if (fromUs === undefined || newestUs === undefined) continue;
      const newest = archive.fragments(key, newestUs, newestUs + 1).at(-1);
      const toUs = Math.max(newest?.toUs ?? newestUs, newestUs);
      const hasSound = user.mayHear && archive.hasSoundAt(key, newestUs) === true;
      return { camera, key, fromUs, toUs, hasSound, isGrowing: toUs > clock.nowUs() - GROWING_US };
    }
    return undefined;
  }
}

/** The moment from which on `isOver` holds, between one where it does not and one where it does. */
function changeBetween(beforeUs: number, afterUs: number, isOver: (timeUs: number) => boolean): number {
  let [low, high] = [beforeUs, afterUs];
  while (high - low > SECTION_GAP_US) {
    const middle = Math.floor((low + high) / 2);
    if (isOver(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Whether two sections are so close, or overlap, that they are one; in any order. */
export function isOneSection(one: Section, other: Section): boolean {
  return Math.max(one.fromUs, other.fromUs) - Math.min(one.toUs, other.toUs) <= SECTION_GAP_US;
}
