import type { ArchiveAccess } from "../../archive/index.js";
import {
  type Clock,
  type Guid,
  type Interval,
  NvrdError,
  Semaphore,
  type StreamKey,
  type StreamType,
  streamKeyText,
  US_PER_MINUTE,
} from "../../base/index.js";
import { archiveMaterial } from "../../compat/index.js";
import type { Rotation, Still, StillShare, Stills } from "../../picture/index.js";

/** Strips that are made at once; of each, one picture at a time: single pictures of other clients go in between. */
const STRIPS_AT_ONCE_MAX = 2;
const STRIPS_WAITING_MAX = 32;
/** Pictures in a row. */
const COLUMNS = 10;
/** What was recorded this long ago is what it will be, but for retention. */
const SETTLED_US = 15 * US_PER_MINUTE;

/** A stream whose pictures may be shown. */
export interface StripStream {
  readonly streamType: StreamType;
  readonly rotation: Rotation;
}

export interface StripRequest extends Interval {
  readonly channelId: Guid;
  /** The preferred one first. */
  readonly streams: readonly StripStream[];
  readonly count: number;
  /** Of a picture, in pixels. */
  readonly width: number;
}

/** The pictures of a strip. */
export interface Strip {
  /** For each picture when it was shown, Unix microseconds; undefined: nothing is recorded of its part of the time. */
  readonly shownUs: readonly (number | undefined)[];
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  /** Identifies what is shown. */
  readonly tag: string;
  /** It will be the same as long as its recordings are there. */
  readonly isSettled: boolean;
  /** Makes the JPEG. */
  jpeg(): Promise<Uint8Array>;
}

export interface StripsOptions {
  readonly archive: ArchiveAccess;
  readonly stills: Stills;
  readonly clock: Clock;
}

/** Rows of small pictures, each of one key frame: the cheapest that there are. */
export class Strips {
  readonly #options: StripsOptions;
  readonly #turns = new Semaphore({ atOnce: STRIPS_AT_ONCE_MAX, waitingMax: STRIPS_WAITING_MAX });

  constructor(options: StripsOptions) {
    this.#options = options;
  }

  /**
   * Undefined if nothing is recorded of the time, or if `signal` was aborted. Rejects with NvrdError TOO_MANY_REQUESTS when too
   * many wait, and like `Stills.make`.
   */
  async make(request: StripRequest, signal: AbortSignal): Promise<Strip | undefined> {
    const frames = Array.from({ length: request.count }, (_, at) => this.#frame(request, at));
    if (frames.every((frame) => frame === undefined)) return undefined;
    const stills = await this.#turns.run(() => this.#stills(frames, request.width, signal), signal);
    if (stills === undefined || signal.aborted) return undefined;
    const made = stills.filter((still) => still !== undefined);
    const height = Math.max(...made.map((still) => still.height));
    const width = Math.max(...made.map((still) => still.width));
    const columns = Math.min(COLUMNS, request.count);
    const { stills: maker, clock } = this.#options;
    return {
      shownUs: stills.map((still) => still?.shownUs),
      ...{ width, height, columns },
      tag: stills.map((still) => still?.tag ?? "").join("_"),
      isSettled: request.toUs < clock.nowUs() - SETTLED_US,
      jpeg: () => maker.sprite(stills, { width, height, columns }),
    };
  }

  /** The key frame that is shown for a part of the time. */
  #frame(request: StripRequest, at: number): StripFrame | undefined {
    const { archive } = this.#options;
    const partUs = (request.toUs - request.fromUs) / request.count;
    const fromUs = request.fromUs + at * partUs;
    const middleUs = Math.floor(fromUs + partUs / 2);
    for (const { streamType, rotation } of request.streams) {
      const key = { channelId: request.channelId, streamType };
      const keyUs = archive.nearestFrameUs(key, middleUs);
      if (keyUs === undefined) continue;
      const isOfPart = keyUs >= fromUs && keyUs < fromUs + partUs;
      if (isOfPart || archive.hasArchiveAt(key, middleUs)) return { key, rotation, atUs: keyUs };
    }
    return undefined;
  }

  async #stills(
    frames: readonly (StripFrame | undefined)[],
    width: number,
    signal: AbortSignal,
  ): Promise<readonly (Still | undefined)[]> {
    const stills: (Still | undefined)[] = [];
    let last: { readonly frame: StripFrame; readonly still: Still | undefined } | undefined;
    let failure: unknown;
    for (const frame of frames) {
      if (signal.aborted) return stills;
      if (frame !== undefined && (last === undefined || !isSame(last.frame, frame))) {
        const still = await this.#still(frame, width, signal).catch((error: unknown) => {
          if (!isOfOnePicture(error)) throw error;
          failure = error;
          return undefined;
        });
        last = { frame, still };
      }
      stills.push(frame === undefined ? undefined : last?.still);
    }
    if (failure !== undefined && stills.every((still) => still === undefined)) throw failure;
    return stills;
  }

  async #still({ key, rotation, atUs }: StripFrame, width: number, signal: AbortSignal): Promise<Still> {
    const { archive, stills } = this.#options;
    const source = `strip ${streamKeyText(key)}@${atUs}/${rotation}`;
    const kept = stills.copyOfSource(source, { width });
    if (kept !== undefined) return kept;
    const picture = { archive, key, rotation, atUs };
    const share: StillShare = stills.make(
      { key: source, open: (opened) => archiveMaterial(picture, opened) },
      { width },
    );
    const cancel = (): void => share.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await share.still;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }
}

interface StripFrame {
  readonly key: StreamKey;
  readonly rotation: Rotation;
  /** Of the key frame. */
  readonly atUs: number;
}

/** A frame that cannot be decoded, or that retention has just removed, leaves its place black; a busy codec is reported. */
function isOfOnePicture(error: unknown): boolean {
  return error instanceof NvrdError && error.retryAfterMs === undefined;
}

function isSame(a: StripFrame, b: StripFrame): boolean {
  return a.atUs === b.atUs && streamKeyText(a.key) === streamKeyText(b.key);
}
