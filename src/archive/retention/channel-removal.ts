import { mkdirSync } from "node:fs";
import * as v from "valibot";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  STREAM_TYPES,
  type StreamKey,
} from "../../base/index.js";
import { KeptFile, keptGuid, keptKind } from "../../kept/index.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type { OpenSegment, SegmentSummary } from "../segment/segment-summary.js";

const TURN_INTERVAL_MS = 2_000;
/** Segments taken out of the index in one transaction. */
const BATCH_SEGMENTS = 256;
/** Most segments of one stream checked per turn; the rest waits for the next turn. */
const SEGMENTS_LOOKED_AT_MAX = 4096;
/** The most files that `pendingUnlinks` returns at once: a full list may be incomplete. */
const UNLINKS_LISTED_MAX = 1024;
/** Channels whose recordings are being removed; a further one is refused. */
export const CHANNEL_REMOVALS_MAX = 4096;

const fileSchema = v.object({ removals: v.record(keptGuid, v.pipe(v.number(), v.safeInteger())) });

export const CHANNEL_REMOVALS_KIND = keptKind({
  name: "channel-removals.json",
  says: "removed cameras whose recordings are being deleted",
  policy: "forget",
  damaged:
    "cannot be read: without its copy, recordings of removed channels stay until retention deletes them",
  mayLackVersion: true,
  schema: fileSchema,
  copies: 2,
  indent: 2,
});

export type ChannelRemovalIndex = Pick<
  SegmentIndex,
  "newest" | "following" | "flush" | "remove" | "pendingUnlinks"
>;

export interface ChannelRemovalOptions {
  /** Directory of the service's own small files. */
  readonly dataDir: string;
  readonly index: ChannelRemovalIndex;
  /** Whether the index is complete: no volume is absent, and none has to be read in or recovered. */
  readonly allIndexed: () => boolean;
  /** The newest id of all segments, those being written included; 0: none is known. */
  readonly newestSegmentId: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Removes all recordings of deleted channels: first from the index, then the files, using the same list of pending unlinks as
 * retention. The pending removals are kept in a file of the data directory until the last file is deleted, so that they survive
 * when the service stops meanwhile, the index is lost, or a disk is absent for a while.
 */
export class ChannelRemoval {
  readonly #options: ChannelRemovalOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  /** The newest segment to remove, by channel: later recordings of a channel that was added again are kept. */
  readonly #untilSegmentIds = new Map<Guid, number>();
  #turn: Promise<void> | undefined;
  #timer: ClockTimer | undefined;
  #stopped = false;
  #failing = false;

  constructor(options: ChannelRemovalOptions) {
    this.#options = options;
    this.#file = new KeptFile(CHANNEL_REMOVALS_KIND, { directory: options.dataDir, log: options.log });
  }

  /** Continues with what an earlier run left. */
  start(): void {
    mkdirSync(this.#options.dataDir, { recursive: true });
    this.#load();
    this.#turnSoon();
  }

  /** Resolves when the batch under way is done; the rest is done after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#rest();
    await this.#turn;
    await this.#file.flush();
  }

  /** Channels whose recordings are still being removed. */
  get pending(): readonly Guid[] {
    return [...this.#untilSegmentIds.keys()];
  }

  /**
   * Removes everything recorded of a channel up to now, in the background. Resolves when the removal would survive a restart.
   * Rejects with NvrdError NOT_AVAILABLE when it cannot be stored; nothing is removed then.
   */
  async remove(channelId: Guid): Promise<void> {
    const before = this.#untilSegmentIds.get(channelId);
    if (before === undefined && this.#untilSegmentIds.size >= CHANNEL_REMOVALS_MAX) {
      throw new NvrdError("NOT_AVAILABLE", `${CHANNEL_REMOVALS_MAX} channels are being removed already`);
    }
    const { index, clock, newestSegmentId } = this.#options;
    // Segment ids are times, but rise also where the clock stepped back; and the newest id may be that of a gap that is filled.
    const newest = keysOf(channelId).map((key) => index.newest(key)?.segmentId ?? 0);
    this.#untilSegmentIds.set(channelId, Math.max(clock.nowUs(), newestSegmentId(), before ?? 0, ...newest));
    try {
      await this.#save();
    } catch (cause) {
      if (before === undefined) this.#untilSegmentIds.delete(channelId);
      else this.#untilSegmentIds.set(channelId, before);
      throw new NvrdError(
        "NOT_AVAILABLE",
        `the removal was not noted in ${this.#file.path}: ${errorText(cause)}`,
        {
          cause,
        },
      );
    }
    this.#turnSoon();
  }

  #turnSoon(): void {
    if (this.#stopped || this.#turn !== undefined || this.#untilSegmentIds.size === 0) return;
    this.#timer ??= this.#options.clock.setInterval(() => this.#turnSoon(), TURN_INTERVAL_MS);
    this.#turn = this.#work().finally(() => {
      this.#turn = undefined;
      if (this.#untilSegmentIds.size === 0) this.#rest();
    });
  }

  /** Nothing is left to remove. */
  #rest(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  async #work(): Promise<void> {
    const { log } = this.#options;
    try {
      for (const [channelId, untilSegmentId] of [...this.#untilSegmentIds]) {
        await this.#removeSegments(channelId, untilSegmentId);
        if (this.#stopped) return;
        if (this.#isGone(channelId, untilSegmentId)) await this.#finish(channelId, untilSegmentId);
      }
      if (this.#failing) log.info("recordings of removed channels go again");
      this.#failing = false;
    } catch (error) {
      if (!this.#failing && !this.#stopped) {
        log.error({ error: errorText(error) }, "recordings of removed channels cannot be deleted; retrying");
      }
      this.#failing = true;
    }
  }

  async #removeSegments(channelId: Guid, untilSegmentId: number): Promise<void> {
    const { index } = this.#options;
    for (const key of keysOf(channelId)) {
      let lastId: number | undefined;
      while (!this.#stopped) {
        // Only what the index holds durably has its final place on the disk.
        if (this.#closedSegments(key, untilSegmentId).length > 0) await index.flush();
        const batch = this.#closedSegments(key, untilSegmentId);
        // A segment that cannot be removed is left for the next turn; otherwise this loop would never end.
        if (batch.length === 0 || batch[0]?.segmentId === lastId) break;
        lastId = batch[0]?.segmentId;
        await index.remove(batch);
      }
    }
  }

  /** The next segments that can be removed now; those being written are closed soon. */
  #closedSegments(key: StreamKey, untilSegmentId: number): SegmentSummary[] {
    const closed: SegmentSummary[] = [];
    for (const segment of this.#segments(key)) {
      if (segment.segmentId <= untilSegmentId && !isOpen(segment)) closed.push(segment);
      if (closed.length >= BATCH_SEGMENTS) break;
    }
    return closed;
  }

  /** Whether nothing is left of it, in the index or on a disk. Unknown while the index is incomplete. */
  #isGone(channelId: Guid, untilSegmentId: number): boolean {
    const { index, allIndexed } = this.#options;
    if (!allIndexed()) return false;
    const left = keysOf(channelId).some((key) =>
      this.#segments(key).some((segment) => segment.segmentId <= untilSegmentId),
    );
    const unlinks = index.pendingUnlinks();
    const unlinking = unlinks.some(({ file }) => file.key.channelId === channelId);
    return !left && !unlinking && unlinks.length < UNLINKS_LISTED_MAX;
  }

  /** The stream's first segments in recorded order, those being written included. */
  #segments(key: StreamKey): (SegmentSummary | OpenSegment)[] {
    const { index } = this.#options;
    const found: (SegmentSummary | OpenSegment)[] = [];
    let at: SegmentSummary | OpenSegment | undefined = index.following(key, BEFORE_ALL);
    while (at !== undefined && found.length < SEGMENTS_LOOKED_AT_MAX) {
      found.push(at);
      at = index.following(key, at);
    }
    return found;
  }

  async #finish(channelId: Guid, untilSegmentId: number): Promise<void> {
    if (this.#untilSegmentIds.get(channelId) !== untilSegmentId) return;
    this.#untilSegmentIds.delete(channelId);
    await this.#save();
    this.#options.log.info({ channel: channelId }, "the recordings of a removed channel are gone");
  }

  #load(): void {
    for (const [channelId, untilSegmentId] of Object.entries(this.#file.read()?.removals ?? {}))
      this.#untilSegmentIds.set(channelId, untilSegmentId);
  }

  #save(): Promise<void> {
    return this.#file.replace({ removals: Object.fromEntries(this.#untilSegmentIds) });
  }
}

const BEFORE_ALL = { segmentId: -1, epoch: 0, fromUs: -1 };

function keysOf(channelId: Guid): StreamKey[] {
  return STREAM_TYPES.map((streamType) => ({ channelId, streamType }));
}

function isOpen(segment: SegmentSummary | OpenSegment): segment is OpenSegment {
  return "readableBytes" in segment;
}
