import type { ArchiveAccess } from "../archive/index.js";
import { type Clock, NvrdError, parseGuid, STREAM_TYPES, type StreamKey } from "../base/index.js";
import type { Camera, SiteStore } from "../site/index.js";
import type { OnvifUser } from "./onvif-user.js";
import { invalidArgument } from "./soap-message.js";

/** Sections that are closer are one: a fragment ends with a frame, and the next begins with the one after it. */
const SECTION_GAP_US = 1_000_000;
/** A section whose end is this near is still being recorded. */
const GROWING_US = 5_000_000;

export interface RecordingsOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly archive: Pick<ArchiveAccess, "fragments" | "nearestFrameUs" | "hasSoundAt" | "indexFault">;
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

/** Whether two sections are so close, or overlap, that they are one; in any order. */
export function isOneSection(one: Section, other: Section): boolean {
  return Math.max(one.fromUs, other.fromUs) - Math.min(one.toUs, other.toUs) <= SECTION_GAP_US;
}
