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
import type { Codec, GrayPicture, PicturePart, RegionMotion, Stills } from "../../picture/index.js";
import type { MotionZone } from "../../recording/index.js";
import { recordedRuns } from "./recorded-runs.js";
import { searchedZones, wholePictureOf } from "./search-region.js";
import type { StripStream } from "./strips.js";

/** The width of the pictures that are compared: a person far away is some pixels wide still. */
const PICTURE_WIDTH = 320;
/** Moments that are looked at, at most: a longer time is looked at less closely. */
const LOOKS_MAX = 20_000;
const LOOK_US_MIN = US_PER_SECOND;
/** After each picture the search rests as long as it took, and at least this long. */
const REST_MS_MIN = 5;
const REST_MS_MAX = 1000;
/** Finds closer to each other than this are one; where it looks less closely, than two looks. */
const JOIN_US_MIN = 3 * US_PER_SECOND;
/** Pictures between two key frames are this far apart, and at most so many; and so many in one search. */
const FINER_US_MIN = US_PER_SECOND / 2;
const FINER_LOOKS_OF_PAIR = 8;
const FINER_LOOKS_MAX = 4000;
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

/** What a search reports while it runs. */
/** When something moved, and the moment of a picture that shows it. */
export interface MotionSpan extends Interval {
  readonly atUs: number;
}

export interface MotionFinds {
  /** What is found: in order, without overlaps. */
  readonly spans: readonly MotionSpan[];
  /** What the finds are taken from; undefined while that is being decided. */
  readonly source: "events" | "pictures" | undefined;
  /** Up to where it has searched. */
  readonly reachedUs: number;
  /** It found as many as it may, and ended there. */
  readonly isCut: boolean;
  /** The longest time between two pictures that were compared, with none looked at in between; 0: none were. */
  readonly apartUs: number;
}

/** One search for motion in a part of the picture. */
export class MotionSearch implements MotionFinds {
  readonly #options: MotionSearchOptions;
  readonly #question: MotionQuestion;
  readonly #spans: { fromUs: number; toUs: number; readonly atUs: number }[] = [];
  source: MotionFinds["source"];
  reachedUs: number;
  apartUs = 0;
  #finerLooks = 0;
  #joinUs = JOIN_US_MIN;

  constructor(question: MotionQuestion, options: MotionSearchOptions) {
    this.#question = question;
    this.#options = options;
    this.reachedUs = question.fromUs;
  }

  get spans(): readonly MotionSpan[] {
    return this.#spans;
  }

  get isCut(): boolean {
    return this.#spans.length >= FINDS_MAX;
  }

  /** Ends when all is searched, or `signal` is aborted. Rejects with NvrdError when it cannot go on. */
  async run(signal: AbortSignal): Promise<void> {
    const { codec } = this.#options;
    await codec.prepare?.();
    const zones = searchedZones(this.#question.zones);
    const motion = codec.openRegionMotion(zones);
    if (this.#question.fromEvents && (await this.#searchEvents(motion, signal))) return;
    this.source = "pictures";
    const anywhere = codec.openRegionMotion(wholePictureOf(zones));
    await this.#searchPictures({ motion, anywhere, finer: codec.openRegionMotion(zones) }, signal);
  }

  /**
   * False if no event says that something moved there. They say where motion began, and not where it went on: without a hit nobody
   * knows.
   */
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
        const { timeUs } = event;
        if (!motion.touches(box)) continue;
        this.source = "events";
        this.#found({ fromUs: timeUs, toUs: Math.min(toUs, timeUs + EVENT_US), atUs: timeUs });
      }
      if (signal.aborted || this.isCut) break;
    }
    if (this.source === undefined) return false;
    if (!signal.aborted && !this.isCut) this.reachedUs = toUs;
    return true;
  }

  async #searchPictures(compared: Compared, signal: AbortSignal): Promise<void> {
    const { toUs } = this.#question;
    const runs = await this.#runs(signal);
    const recordedUs = runs.reduce((sum, run) => sum + run.toUs - run.fromUs, 0);
    const everyUs = Math.max(LOOK_US_MIN, Math.ceil(recordedUs / LOOKS_MAX));
    this.#joinUs = Math.max(JOIN_US_MIN, 2 * everyUs);
    for (const run of runs) {
      restart(compared);
      let before: Seen | undefined;
      for (let atUs = run.fromUs; atUs < run.toUs && !signal.aborted && !this.isCut; atUs += everyUs) {
        const look = await this.#known(signal, () => this.#lookAt(atUs));
        this.reachedUs = Math.max(this.reachedUs, atUs);
        if (look === undefined || look.atUs === before?.atUs) continue;
        if (before !== undefined && streamKeyText(before.key) !== streamKeyText(look.key)) {
          restart(compared);
          before = undefined;
        }
        const plane = await this.#picture(look, signal);
        if (plane === undefined) restart(compared);
        else await this.#compare(compared, { before, now: { ...look, plane } }, signal);
        before = plane === undefined ? undefined : { ...look, plane };
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
      if (keyUs !== undefined) return { key, atUs: keyUs, rotation };
    }
    return undefined;
  }

  /** Whether something moved there from one key frame to the next; where it moved elsewhere alone, also in between. */
  async #compare(
    { motion, anywhere, finer }: Compared,
    { before, now }: { readonly before: Seen | undefined; readonly now: Seen },
    signal: AbortSignal,
  ): Promise<void> {
    const isThere = motion.take(now.plane);
    const isAnywhere = anywhere.take(now.plane);
    if (before === undefined) return;
    if (isThere) this.#found({ fromUs: before.atUs, toUs: now.atUs, atUs: now.atUs });
    const gapUs = now.atUs - before.atUs;
    const count = Math.min(FINER_LOOKS_OF_PAIR, Math.ceil(gapUs / FINER_US_MIN) - 1);
    if (isThere || !isAnywhere || count < 1 || this.#finerLooks + count > FINER_LOOKS_MAX) {
      if (!isThere) this.apartUs = Math.max(this.apartUs, gapUs);
      return;
    }
    this.#finerLooks += count;
    await this.#compareFiner(finer, { before, now, everyUs: gapUs / (count + 1) }, signal);
  }

  /** Somebody passes a region between two key frames that show them before and behind it. */
  async #compareFiner(
    finer: RegionMotion,
    { before, now, everyUs }: { readonly before: Seen; readonly now: Seen; readonly everyUs: number },
    signal: AbortSignal,
  ): Promise<void> {
    this.apartUs = Math.max(this.apartUs, everyUs);
    finer.restart();
    finer.take(before.plane);
    let lastUs = before.atUs;
    for (let atUs = before.atUs + everyUs; atUs < now.atUs && !signal.aborted; atUs += everyUs) {
      const at = Math.round(atUs);
      const plane = await this.#picture({ ...now, atUs: at }, signal);
      if (plane === undefined) continue;
      if (finer.take(plane)) this.#found({ fromUs: lastUs, toUs: at, atUs: at });
      lastUs = at;
    }
    if (!signal.aborted && finer.take(now.plane))
      this.#found({ fromUs: lastUs, toUs: now.atUs, atUs: lastUs });
  }

  /**
   * Undefined for a picture that cannot be made, or that retention has removed. Rejects where recordings cannot be read now: nobody
   * should take them for ones without motion.
   */
  async #picture({ key, atUs, rotation }: Look, signal: AbortSignal): Promise<GrayPicture | undefined> {
    const { archive, stills } = this.#options;
    const picture = { archive, key, rotation, atUs };
    const source = {
      key: `motion ${streamKeyText(key)}@${atUs}`,
      open: (opened: AbortSignal) => this.#known(opened, () => archiveMaterial(picture, opened)),
    };
    const beganMs = performance.now();
    try {
      return await stills.gray(source, PICTURE_WIDTH, signal);
    } catch (error) {
      if (!(error instanceof NvrdError) || isUnreadable(error)) throw error;
      return undefined;
    } finally {
      const tookMs = performance.now() - beganMs;
      await setTimeout(Math.min(REST_MS_MAX, Math.max(REST_MS_MIN, tookMs)));
    }
  }

  #found(span: MotionSpan): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && span.fromUs <= last.toUs + this.#joinUs)
      last.toUs = Math.max(last.toUs, span.toUs);
    else this.#spans.push({ ...span });
  }
}

/** What pictures are compared by: in the region, in all of the picture, and in the region between two key frames. */
interface Compared {
  readonly motion: RegionMotion;
  readonly anywhere: RegionMotion;
  readonly finer: RegionMotion;
}

function restart({ motion, anywhere }: Compared): void {
  motion.restart();
  anywhere.restart();
}

function isUnreadable(error: NvrdError): boolean {
  return error instanceof RecordingUnreachable || error instanceof RecordingsNeeded;
}

interface Look {
  readonly key: StreamKey;
  readonly atUs: number;
  readonly rotation: StripStream["rotation"];
}

interface Seen extends Look {
  readonly plane: GrayPicture;
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
