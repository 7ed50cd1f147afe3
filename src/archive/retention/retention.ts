import {
  type Clock,
  type ClockTimer,
  endsWithin,
  errorText,
  type Guid,
  invariant,
  type Log,
  US_PER_DAY,
} from "../../base/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type { SegmentFile, SegmentSummary, VolumeAccess } from "../segment/segment-summary.js";
import { tooSmall, type VolumeUse } from "../segment/volume-room.js";
import type { VolumeSpace } from "../segment/volume-space.js";
import { FileExcess } from "./file-excess.js";
import {
  type ChannelDays,
  type ProtectedUntil,
  type RemovalHead,
  RemovalQueue,
  type RemovalQueueOptions,
} from "./removal-queue.js";
import type { RemovalCause } from "./removed-times.js";
import type { RetentionClock } from "./retention-clock.js";
import { RetentionNotices } from "./retention-notices.js";
import { VolumeGrowth } from "./volume-excess.js";

/** Segments taken out of the index in one transaction, without a pause: others wait for some milliseconds. */
const BATCH_SEGMENTS = 64;
const TURN_INTERVAL_MS = 2_000;
/** Time between two turns of a volume that nothing is recorded onto: others may fill its disk. */
const QUIET_TURN_US = 10_000_000;
/** Time between two checks of the age of recordings. */
export const DAYS_INTERVAL_MS = 60_000;
const STOP_WAIT_MS = 1000;
/** After this wait for a durable removal the files are unlinked anyway. */
const DURABLE_WAIT_MS = 30_000;
/** Files of a volume that cannot be unlinked while others can; beyond them the volume counts as refusing. */
const STUCK_FILES_MAX = 16;
/** Recordings dated before this were made before the clock was set: their age is not known. 2020-01-01T00:00:00Z. */
const DATED_FROM_US = Date.UTC(2020, 0, 1) * 1000;

export type RetentionIndex = Pick<SegmentIndex, "remove" | "flush" | "pendingUnlinks" | "unlinked"> &
  RemovalQueueOptions["index"] & {
    /** Bytes of the volume's segments, those being written included. */
    volumeBytes(volumeId: Guid): number;
    ready(): Promise<void>;
  };

export type RetentionVolume = Pick<VolumeAccess, "id" | "unlink" | "space"> & {
  readonly directory: string;
  /** Files since the start that could not be created for want of room. */
  readonly filesRefused?: number;
  /** Streams that are recorded onto it now; absent: not known. */
  readonly streams?: number;
};

/** What must go from a volume for it to stay within its bounds until the next turn. */
interface VolumeExcess {
  readonly bytes: number;
  /** Bytes that are removed at once when some must be. */
  readonly wantedBytes: number;
  readonly files: number;
}

export interface RetentionOptions {
  readonly index: RetentionIndex;
  /** The volumes that are there now. */
  readonly volumes: () => readonly RetentionVolume[];
  /** The bounds and the use of a volume with so much space; its bytes include those being written. */
  readonly useOf: (volume: RetentionVolume, space: VolumeSpace) => VolumeUse;
  /** The channel's min and max days; both 0 for a channel that is no longer configured. */
  readonly daysOf: (channelId: Guid) => ChannelDays;
  readonly protectedUntil: ProtectedUntil;
  /** Whether it is known what is protected on a volume: nothing is removed from it before. Default: it is. */
  readonly isProtectionKnown?: (volume: RetentionVolume) => Promise<boolean>;
  readonly days: Pick<RetentionClock, "start" | "stop" | "tick" | "nowUs" | "isKnown">;
  readonly notice: ArchiveNoticeListener;
  /** Called for each segment that is removed. */
  readonly onRemoved?: (segment: SegmentSummary, cause: RemovalCause) => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface VolumeState {
  readonly queue: RemovalQueue;
  readonly growth: VolumeGrowth;
  readonly fileExcess: FileExcess;
  failing: boolean;
  /** A file could not be unlinked; it is tried again each turn. */
  stuck: boolean;
  nextDaysUs: number;
  /** Bytes that the last turn left where nothing had to be removed; undefined otherwise. */
  leftBytes: number | undefined;
  /** When a volume that nothing happens on has its next turn. */
  nextQuietUs: number;
  /** The turn under way, per volume: one that hangs does not affect the others. */
  turn: Promise<void> | undefined;
}

/** What retention removed since the start. */
export interface RetentionCounts {
  readonly segments: number;
  readonly bytes: number;
}

const NOTHING: RetentionCounts = { segments: 0, bytes: 0 };
const EVERYTHING: RetentionCounts = { segments: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/**
 * Keeps every volume within its bounds and every channel within its days (docs/design/retention.md): the oldest segments are
 * deleted first, whole, from the index before the file is unlinked. It deletes nothing that is being written, nothing the index
 * does not hold durably, and nothing that is protected.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #notices: RetentionNotices;
  readonly #states = new Map<Guid, VolumeState>();
  #timer: ClockTimer | undefined;
  #stopped = false;
  #removed: RetentionCounts = NOTHING;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#notices = new RetentionNotices(options.notice);
  }

  get removed(): RetentionCounts {
    return this.#removed;
  }

  /** Begins once the index is open: first with files that an earlier run listed for removal. */
  start(): void {
    this.#options.days.start();
    this.#timer = this.#options.clock.setInterval(() => this.#turnSoon(), TURN_INTERVAL_MS);
    this.#turnSoon();
  }

  /** Waits a second at most for what is under way; what it leaves is done at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer === undefined) return;
    this.#timer.clear();
    const turns = Promise.all([...this.#states.values()].map((state) => state.turn));
    const { clock, days } = this.#options;
    await endsWithin(Promise.all([turns, days.stop()]), { clock, ms: STOP_WAIT_MS });
  }

  /** One turn over all volumes: removes excess and expired segments. Volumes are processed concurrently. */
  async turn(): Promise<void> {
    this.#options.days.tick();
    await Promise.all(this.#options.volumes().map((volume) => this.#turnOf(volume)));
  }

  /** A volume whose last turn has not ended is left alone. */
  #turnSoon(): void {
    this.#options.days.tick();
    for (const volume of this.#options.volumes()) {
      const state = this.#stateOf(volume.id);
      if (state.turn !== undefined || this.#isQuiet(volume, state)) continue;
      state.turn = this.#turnOf(volume).finally(() => {
        state.turn = undefined;
      });
    }
  }

  /** Whether a turn would find the volume as the last one left it: a turn asks its disk. */
  #isQuiet(volume: RetentionVolume, state: VolumeState): boolean {
    if (volume.streams !== 0 || state.failing || state.stuck) return false;
    const nowUs = this.#options.clock.monotonicUs();
    const isDue = nowUs >= state.nextQuietUs || nowUs >= state.nextDaysUs;
    return !isDue && state.leftBytes === this.#options.index.volumeBytes(volume.id);
  }

  async #turnOf(volume: RetentionVolume): Promise<void> {
    const state = this.#stateOf(volume.id);
    state.nextQuietUs = this.#options.clock.monotonicUs() + QUIET_TURN_US;
    try {
      await this.#options.index.ready();
      await this.#unlinkNoted(volume);
      if ((await this.#options.isProtectionKnown?.(volume)) === false) state.leftBytes = undefined;
      else await this.#keepBounds(volume, state);
      if (state.failing) this.#options.log.info({ volume: volume.id }, "retention works again");
      state.failing = false;
    } catch (error) {
      if (!state.failing) {
        this.#options.log.error(
          { volume: volume.id, error: errorText(error) },
          "retention fails on a volume",
        );
      }
      state.failing = true;
    }
  }

  async #keepBounds(volume: RetentionVolume, state: VolumeState): Promise<void> {
    await this.#keepDays(volume, state);
    const use = this.#options.useOf(volume, await volume.space());
    const excess = excessOf(volume, state, use);
    const isTooMuch = excess.bytes > 0 || excess.files > 0;
    const removed = isTooMuch ? await this.#free(volume, state, excess) : NOTHING;
    const missing = {
      missingBytes: excess.bytes - removed.bytes,
      missingFiles: state.fileExcess.isHopeless ? 1 : excess.files - removed.segments,
    };
    if (!this.#stopped) this.#notices.room(volume, { ...missing, tooSmall: tooSmall(use) });
    state.fileExcess.settle(removed.segments);
    const leftBytes = this.#options.index.volumeBytes(volume.id);
    state.growth.settle(leftBytes);
    state.leftBytes = isTooMuch || state.fileExcess.isHopeless ? undefined : leftBytes;
  }

  /** Removes what is older than its channel's max days, unless the clock is not known to be set. */
  async #keepDays(volume: RetentionVolume, state: VolumeState): Promise<void> {
    const { clock, days, daysOf } = this.#options;
    if (clock.monotonicUs() < state.nextDaysUs) return;
    state.nextDaysUs = clock.monotonicUs() + DAYS_INTERVAL_MS * 1000;
    if (!days.isKnown && !this.#notices.isUnmetOn(volume.id)) return;
    await this.#openQueue(state);
    const { nowUs } = days;
    this.#notices.lookForMet(volume.id, { heads: () => state.queue.heads(), daysOf }, nowUs);
    if (!days.isKnown) return;
    for (;;) {
      const batch = this.#takeBatch(state, (head) => isTooOld(head, nowUs), EVERYTHING);
      if (batch.length === 0 || this.#stopped) return;
      await this.#remove(volume, batch, "age");
    }
  }

  /**
   * Removes the oldest segments, as many as are too much while there are any: first those past their channel's min
   * days, then those that are not. Returns what was removed.
   */
  async #free(volume: RetentionVolume, state: VolumeState, excess: VolumeExcess): Promise<RetentionCounts> {
    const { days, index } = this.#options;
    let removed = NOTHING;
    let flushed = false;
    await this.#openQueue(state);
    while ((removed.bytes < excess.bytes || removed.segments < excess.files) && !this.#stopped) {
      const { nowUs } = days;
      const missing = {
        bytes: excess.wantedBytes - removed.bytes,
        segments: excess.files - removed.segments,
      };
      let batch = this.#takeBatch(state, (head) => isPastMinDays(head, nowUs), missing);
      if (batch.length === 0 && flushed) {
        batch = this.#takeBatch(state, () => true, missing);
        for (const segment of batch) this.#notices.minDaysUnmet(segment, nowUs);
      }
      if (batch.length > 0) {
        await this.#remove(volume, batch, "space");
        removed = sumOf(removed, batch);
        continue;
      }
      if (flushed) break;
      // What is closed but not durable in the index yet may not go: on a small volume that is most of it.
      await this.#inTime(index.flush());
      flushed = true;
      await this.#openQueue(state);
    }
    return removed;
  }

  async #openQueue(state: VolumeState): Promise<void> {
    const { days } = this.#options;
    await state.queue.open(days.isKnown ? days.nowUs : Number.POSITIVE_INFINITY);
  }

  #takeBatch(
    state: VolumeState,
    accept: (head: RemovalHead) => boolean,
    wanted: RetentionCounts,
  ): SegmentSummary[] {
    const batch: SegmentSummary[] = [];
    let bytes = 0;
    while (batch.length < BATCH_SEGMENTS && (bytes < wanted.bytes || batch.length < wanted.segments)) {
      const segment = state.queue.take(accept);
      if (segment === undefined) break;
      batch.push(segment);
      bytes += segment.bytes;
    }
    return batch;
  }

  async #remove(
    volume: RetentionVolume,
    batch: readonly SegmentSummary[],
    cause: RemovalCause,
  ): Promise<void> {
    for (const segment of batch) this.#checkRemovable(volume, segment);
    for (const segment of batch) this.#options.onRemoved?.(segment, cause);
    if (!(await this.#inTime(this.#options.index.remove(batch)))) {
      this.#options.log.warn(
        { segments: batch.length },
        "the index cannot be written: removing files without it",
      );
    }
    await this.#unlink(volume, batch);
    this.#removed = sumOf(this.#removed, batch);
  }

  /** Asked once more, apart from the queue that found it: what is removed is gone. */
  #checkRemovable(volume: RetentionVolume, { volumeId, segmentId, key, fromUs, toUs }: SegmentSummary): void {
    const { index, protectedUntil } = this.#options;
    invariant(volumeId === volume.id, "removal-volume");
    invariant(index.isDurable(segmentId), "removal-open");
    invariant(protectedUntil(key.channelId, fromUs, toUs) === undefined, "removal-protected");
  }

  /** Waits for something durable of the index, but not indefinitely: a full system disk must not let the volumes fill up. */
  #inTime(durable: Promise<void>): Promise<boolean> {
    return endsWithin(durable, { clock: this.#options.clock, ms: DURABLE_WAIT_MS });
  }

  async #unlinkNoted(volume: RetentionVolume): Promise<void> {
    const noted = this.#options.index.pendingUnlinks(volume.id);
    await this.#unlink(
      volume,
      noted.map(({ file }) => file),
    );
  }

  /** One file after the other: readers of the volume wait for one removal at most. */
  async #unlink(volume: RetentionVolume, files: readonly SegmentFile[]): Promise<void> {
    const state = this.#stateOf(volume.id);
    let stuck = 0;
    for (const { key, segmentId } of files) {
      try {
        await volume.unlink({ key, segmentId });
        this.#options.index.unlinked([{ volumeId: volume.id, file: { key, segmentId } }]);
      } catch (error) {
        stuck += 1;
        // A few files that cannot be unlinked, perhaps in a damaged directory, must not let the disk fill up.
        if (stuck > STUCK_FILES_MAX) throw error;
        if (!state.stuck)
          this.#options.log.error(
            { volume: volume.id, segmentId },
            `cannot be unlinked: ${errorText(error)}`,
          );
        state.stuck = true;
      }
    }
    if (stuck === 0) state.stuck = false;
  }

  #stateOf(volumeId: Guid): VolumeState {
    const known = this.#states.get(volumeId);
    if (known !== undefined) return known;
    const { index, daysOf, protectedUntil } = this.#options;
    const state: VolumeState = {
      queue: new RemovalQueue({ index, volumeId, daysOf, protectedUntil }),
      growth: new VolumeGrowth(),
      fileExcess: new FileExcess(),
      failing: false,
      stuck: false,
      nextDaysUs: 0,
      leftBytes: undefined,
      nextQuietUs: 0,
      turn: undefined,
    };
    this.#states.set(volumeId, state);
    return state;
  }
}

function excessOf(volume: RetentionVolume, state: VolumeState, use: VolumeUse): VolumeExcess {
  const { bytes, wantedBytes } = state.growth.excess(use);
  const { filesRefused: refused = 0 } = volume;
  const files = state.fileExcess.files({ space: use.space, refused, lacksBytes: bytes > 0 });
  return { bytes, wantedBytes, files };
}

function sumOf(counts: RetentionCounts, batch: readonly SegmentSummary[]): RetentionCounts {
  const bytes = batch.reduce((sum, segment) => sum + segment.bytes, counts.bytes);
  return { segments: counts.segments + batch.length, bytes };
}

function isTooOld({ segment, days }: RemovalHead, nowUs: number): boolean {
  if (days.maxDays <= 0 || segment.fromUs < DATED_FROM_US) return false;
  return segment.toUs < nowUs - days.maxDays * US_PER_DAY;
}

function isPastMinDays({ segment, days }: RemovalHead, nowUs: number): boolean {
  return days.minDays <= 0 || segment.toUs < nowUs - days.minDays * US_PER_DAY;
}
