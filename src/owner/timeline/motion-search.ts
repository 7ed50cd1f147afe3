import { setTimeout } from "node:timers/promises";
import {
  type ArchiveAccess,
  RecordingsNeeded,
  RecordingUnreachable,
  whenKnown,
} from "../../archive/index.js";
import {
  type Clock,
  type Guid,
  type Interval,
  NvrdError,
  type StreamKey,
  streamKeyText,
  US_PER_DAY,
  US_PER_SECOND,
  union,
} from "../../base/index.js";
import { archiveMaterial } from "../../compat/index.js";
import { EVENT_TYPES, type EventLog, type EventRecord, SEARCH_EVENTS_MAX } from "../../event/index.js";
import type { Codec, PicturePart, RegionMotion, Stills } from "../../picture/index.js";
import type { MotionZone } from "../../recording/index.js";
import { recordedRuns } from "./recorded-runs.js";
import type { StripStream } from "./strips.js";

/** The width of the pictures that are compared. */
const PICTURE_WIDTH = 160;
/** Moments that are looked at, at most: a longer time is looked at less closely. */
const LOOKS_MAX = 20_000;
const LOOK_US_MIN = US_PER_SECOND;
/** After each picture the search rests as long as it took, and at least this long. */
const REST_MS_MIN = 5;
const REST_MS_MAX = 1000;
/** Finds closer to each other than this are one. */
const JOIN_US = 10 * US_PER_SECOND;
/** A stored event says when motion began, and not for how long it lasted. */
const EVENT_US = 5 * US_PER_SECOND;
/** Finds of one search; then it ends. */
export const FINDS_MAX = 1000;

export interface MotionQuestion extends Interval {
  readonly channelId: Guid;
  /** The streams that the user may see, the smallest first. */
  readonly streams: readonly StripStream[];
  readonly zones: readonly MotionZone[];
  /** Whether stored events are enough; otherwise pictures are compared in any case. */
  readonly fromEvents: boolean;
}

/** Compares pictures and zones. */
export type MotionSearchCodec = Pick<Codec, "openRegionMotion"> & Partial<Pick<Codec, "prepare">>;

export interface MotionSearchOptions {
  readonly archive: ArchiveAccess;
  readonly events: EventLog;
  readonly stills: Stills;
  readonly codec: MotionSearchCodec;
  readonly clock: Clock;
}

/** What a search tells while it runs. */
export interface MotionFinds {
  /** What is found: in order, without overlaps. */
  readonly spans: readonly Interval[];
  /** What the finds are taken from; undefined while that is being decided. */
  readonly source: "events" | "pictures" | undefined;
  /** Up to where it has searched. */
  readonly reachedUs: number;
  /** It found as many as it may, and ended there. */
  readonly isCut: boolean;
}

/** One search for motion in a part of the picture. */
export class MotionSearch implements MotionFinds {
  readonly #options: MotionSearchOptions;
  readonly #question: MotionQuestion;
  readonly #spans: { fromUs: number; toUs: number }[] = [];
  source: MotionFinds["source"];
  reachedUs: number;

  constructor(question: MotionQuestion, options: MotionSearchOptions) {
    this.#question = question;
    this.#options = options;
    this.reachedUs = question.fromUs;
  }

  get spans(): readonly Interval[] {
    return this.#spans;
  }

  get isCut(): boolean {
    return this.#spans.length >= FINDS_MAX;
  }

  /** Ends when all is searched, or `signal` is aborted. Rejects with NvrdError when it cannot go on. */
  async run(signal: AbortSignal): Promise<void> {
    const { codec } = this.#options;
    await codec.prepare?.();
    const motion = codec.openRegionMotion(this.#question.zones);
    if (this.#question.fromEvents && (await this.#searchEvents(motion, signal))) return;
    this.source = "pictures";
    await this.#searchPictures(motion, signal);
  }

  /** False if the motion detector has stored nothing that says where it saw motion. */
  async #searchEvents(motion: RegionMotion, signal: AbortSignal): Promise<boolean> {
    const { channelId, fromUs, toUs } = this.#question;
    const query = {
      ...{ fromUs, toUs: toUs - 1, limit: SEARCH_EVENTS_MAX, fromBegin: true },
      channelIds: new Set([channelId]),
      typeIds: new Set([EVENT_TYPES.motionDetected.id]),
    };
    for await (const batch of this.#options.events.search(query)) {
      for (const event of batch) {
        const box = boxOf(event);
        if (box === undefined) continue;
        this.source = "events";
        if (motion.touches(box)) this.#found(event.timeUs, Math.min(toUs, event.timeUs + EVENT_US));
      }
      if (signal.aborted || this.isCut) break;
    }
    if (this.source === undefined) return false;
    if (!signal.aborted && !this.isCut) this.reachedUs = toUs;
    return true;
  }

  async #searchPictures(motion: RegionMotion, signal: AbortSignal): Promise<void> {
    const { toUs } = this.#question;
    const runs = await this.#runs(signal);
    const recordedUs = runs.reduce((sum, run) => sum + run.toUs - run.fromUs, 0);
    const everyUs = Math.max(LOOK_US_MIN, Math.ceil(recordedUs / LOOKS_MAX));
    for (const run of runs) {
      motion.restart();
      let before: Look | undefined;
      for (let atUs = run.fromUs; atUs < run.toUs && !signal.aborted && !this.isCut; atUs += everyUs) {
        const look = await this.#known(signal, () => this.#lookAt(atUs));
        this.reachedUs = Math.max(this.reachedUs, atUs);
        if (look === undefined || look.keyUs === before?.keyUs) continue;
        if (before !== undefined && streamKeyText(before.key) !== streamKeyText(look.key)) motion.restart();
        const isMotion = await this.#compare(motion, look, signal);
        if (isMotion && before !== undefined) this.#found(before.keyUs, look.keyUs);
        before = look;
      }
    }
    if (!signal.aborted && !this.isCut) this.reachedUs = toUs;
  }

  /** What is recorded, day by day: what lies far away is looked up first. */
  async #runs(signal: AbortSignal): Promise<readonly Interval[]> {
    const { channelId, fromUs, toUs } = this.#question;
    const { archive } = this.#options;
    const runs: Interval[] = [];
    for (let atUs = fromUs; atUs < toUs && !signal.aborted; ) {
      const day = { fromUs: atUs, toUs: Math.min(toUs, (Math.floor(atUs / US_PER_DAY) + 1) * US_PER_DAY) };
      runs.push(...(await this.#known(signal, () => recordedRuns(archive, channelId, day))));
      atUs = day.toUs;
    }
    return union(runs);
  }

  #known<T>(signal: AbortSignal, ask: () => T | Promise<T>): Promise<T> {
    return whenKnown(ask, this.#options.clock, { gone: () => signal });
  }

  /** The key frame to look at for a moment, of the smallest stream that has it. */
  #lookAt(atUs: number): Look | undefined {
    const { archive } = this.#options;
    for (const { streamType, rotation } of this.#question.streams) {
      const key = { channelId: this.#question.channelId, streamType };
      if (!archive.hasArchiveAt(key, atUs)) continue;
      const keyUs = archive.nearestFrameUs(key, atUs);
      if (keyUs !== undefined) return { key, keyUs, rotation };
    }
    return undefined;
  }

  /**
   * A picture that cannot be made, or that retention has removed, shows nothing. Rejects where recordings cannot be read now: nobody
   * should take them for ones without motion.
   */
  async #compare(
    motion: RegionMotion,
    { key, keyUs, rotation }: Look,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { archive, stills } = this.#options;
    const picture = { archive, key, rotation, atUs: keyUs };
    const source = {
      key: `motion ${streamKeyText(key)}@${keyUs}`,
      open: (opened: AbortSignal) => this.#known(opened, () => archiveMaterial(picture, opened)),
    };
    const beganMs = performance.now();
    try {
      const plane = await stills.gray(source, PICTURE_WIDTH, signal);
      return plane !== undefined && motion.take(plane);
    } catch (error) {
      if (!(error instanceof NvrdError) || isUnreadable(error)) throw error;
      motion.restart();
      return false;
    } finally {
      const tookMs = performance.now() - beganMs;
      await setTimeout(Math.min(REST_MS_MAX, Math.max(REST_MS_MIN, tookMs)));
    }
  }

  #found(fromUs: number, toUs: number): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && fromUs <= last.toUs + JOIN_US) last.toUs = Math.max(last.toUs, toUs);
    else this.#spans.push({ fromUs, toUs });
  }
}

function isUnreadable(error: NvrdError): boolean {
  return error instanceof RecordingUnreachable || error instanceof RecordingsNeeded;
}

interface Look {
  readonly key: StreamKey;
  readonly keyUs: number;
  readonly rotation: StripStream["rotation"];
}

/** Where the detector saw motion begin, as its event says: decimal commas. */
function boxOf({ fields }: EventRecord): PicturePart | undefined {
  const read = (name: string): number => {
    const text = fields?.[name];
    return typeof text === "string" && text !== "" ? Number(text.replace(",", ".")) : Number.NaN;
  };
  const box = { left: read("Left"), top: read("Top"), width: read("Width"), height: read("Height") };
  return Object.values(box).every((value) => Number.isFinite(value)) ? box : undefined;
}
