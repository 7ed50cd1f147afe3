import type { IndexStatus, OverloadCounters } from "../../archive/index.js";
import { BITS_PER_BYTE, BYTES_PER_MB, type Clock, type ClockTimer, US_PER_DAY } from "../../base/index.js";
import type { DiskStates } from "../disk/disk-state.js";
import { ARCHIVE_STATUS_UNKNOWN, type ArchiveErrors, type ArchiveStatus } from "./archive-status.js";

/** How long a loss is reported after it ended: a monitor that polls every few minutes must not miss it. */
const RECENT_LOSS_US = 300_000_000;
/** The window of the speed. */
const WRITE_SPEED_WINDOW_US = 120_000_000;
/** A counter of one volume: bytes written since its threads began, so that it falls to 0 when they begin again. */
interface WrittenBytes {
  readonly directory: string;
  readonly writtenBytes: number;
}
/** The disks' part of the archive's errors. */
interface DiskErrors {
  /** A disk is failing; null until one has reported its state. */
  readonly smart: boolean | null;
  /** A disk that is recorded onto is failing. */
  readonly drives: boolean;
}

/** How often the archive is looked at while nobody asks: what the counters miss is late by so much. */
const LOOK_INTERVAL_MS = 10_000;
/** A request within this time of the last look gets the same answer. */
const STATUS_KEPT_US = 1_000_000;
/** A round over the recorded time goes on so often until it is complete. */
const DEPTH_PART_MS = 1000;
/** Time between two rounds over the recorded time. */
export const DEPTH_INTERVAL_US = 60_000_000;
/** An event log that is not open this long after the start will not open by itself. */
export const EVENT_LOG_OPEN_US = 60_000_000;
/** Decimals of figures; of days, where the fifth is about a second. */
const DECIMALS = 3;
const DAY_DECIMALS = 5;
const NO_DISKS: DiskStates = { disks: undefined, problem: undefined };

/** The archive's figures, from memory and the index; none of it waits for a disk of recordings. */
export interface ArchiveFigures {
  overload(): OverloadCounters;
  indexStatus(): Pick<IndexStatus, "ready" | "failure" | "failing">;
  /** Bytes of the segments on the volumes in use, those being written included. */
  recordedBytes(): number;
  readonly recordedTime: {
    /** Continues the round; true when it is complete. */
    read(): boolean;
    /** As of the last whole round, µs. */
    readonly longestUs: number | undefined;
  };
}

export interface ArchiveHealthOptions {
  readonly archive: ArchiveFigures;
  readonly events: { status(): { readonly isOpen: boolean; readonly isFailing: boolean } };
  /** The machine's disks; without them nothing is known of their SMART. */
  readonly disks?: DiskStates;
  readonly clock: Clock;
}

/**
 * The state of the archive. It is looked at when somebody asks, once a second at most, however many requests arrive; what has to be
 * watched over time is looked at now and then besides. Start it when the archive has started: a volume that is not taken by then
 * counts as one that cannot be used.
 */
export class ArchiveHealth {
  readonly #options: ArchiveHealthOptions;
  readonly #speed = new WriteSpeed();
  readonly #saving = new RecentLoss();
  readonly #thinning = new RecentLoss();
  #status = ARCHIVE_STATUS_UNKNOWN;
  #timer: ClockTimer | undefined;
  #startedUs = 0;
  #lookedUs = 0;
  /** When the next round over the recorded time is due, monotonic. */
  #depthDueUs = 0;
  /** Undefined while no round is under way. */
  #depthTimer: ClockTimer | undefined;

  constructor(options: ArchiveHealthOptions) {
    this.#options = options;
  }

  /** At most a second old. */
  get status(): ArchiveStatus {
    const isRunning = this.#timer !== undefined;
    if (isRunning && this.#options.clock.monotonicUs() - this.#lookedUs >= STATUS_KEPT_US) this.#look();
    return this.#status;
  }

  start(): void {
    const { clock } = this.#options;
    this.#startedUs = clock.monotonicUs();
    this.#timer = clock.setInterval(() => this.#look(), LOOK_INTERVAL_MS);
    this.#look();
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#endRound();
  }

  #look(): void {
    const { archive, clock } = this.#options;
    const nowUs = clock.monotonicUs();
    this.#lookedUs = nowUs;
    if (this.#depthTimer === undefined && nowUs >= this.#depthDueUs && archive.indexStatus().ready)
      this.#beginRound();
    const counters = archive.overload();
    this.#speed.note(counters.volumes, nowUs);
    const speed = this.#speed.megabitsPerSecond;
    this.#status = {
      sizeMb: this.#sizeMb(),
      writeMbitPerSecond: speed === undefined ? null : rounded(speed, DECIMALS),
      depthDays: this.#depthDays(),
      errors: this.#errors(counters, nowUs),
    };
  }

  #sizeMb(): number | null {
    const { archive } = this.#options;
    if (!archive.indexStatus().ready) return null;
    return rounded(archive.recordedBytes() / BYTES_PER_MB, DECIMALS);
  }

  #depthDays(): number | null {
    const { longestUs } = this.#options.archive.recordedTime;
    return longestUs === undefined ? null : rounded(longestUs / US_PER_DAY, DAY_DECIMALS);
  }

  #beginRound(): void {
    this.#depthTimer = this.#options.clock.setInterval(() => this.#continueRound(), DEPTH_PART_MS);
    this.#continueRound();
  }

  #continueRound(): void {
    const { archive, clock } = this.#options;
    if (!archive.indexStatus().ready || !archive.recordedTime.read()) return;
    this.#depthDueUs = clock.monotonicUs() + DEPTH_INTERVAL_US;
    this.#endRound();
  }

  #endRound(): void {
    this.#depthTimer?.clear();
    this.#depthTimer = undefined;
  }

  #errors({ volumes, streams }: OverloadCounters, nowUs: number): ArchiveErrors {
    let framesDropped = 0;
    let framesThinned = 0;
    let segmentsFailed = 0;
    for (const stream of streams) {
      framesDropped += stream.framesDropped;
      framesThinned += stream.framesThinned;
    }
    for (const volume of volumes) segmentsFailed += volume.segmentsFailed;
    const isDropping = streams.some((stream) => stream.dropping);
    const isThinning = streams.some((stream) => stream.thinning);
    this.#saving.note({ holds: isDropping, count: framesDropped + segmentsFailed }, nowUs);
    this.#thinning.note({ holds: isThinning, count: framesThinned }, nowUs);
    const inUse = volumes.filter(({ isRetired }) => !isRetired);
    const ofDisks = diskErrors(this.#options.disks ?? NO_DISKS);
    return {
      database: this.#databaseError(nowUs),
      frameSaving: this.#saving.isRecent(nowUs),
      drives: inUse.length === 0 || inUse.some((volume) => !volume.usable) || ofDisks.drives,
      thinning: this.#thinning.isRecent(nowUs),
      smart: ofDisks.smart,
    };
  }

  #databaseError(nowUs: number): boolean | null {
    const index = this.#options.archive.indexStatus();
    const events = this.#options.events.status();
    const isLate = !events.isOpen && nowUs - this.#startedUs >= EVENT_LOG_OPEN_US;
    if (index.failing || index.failure !== undefined || events.isFailing || isLate) return true;
    return index.ready && events.isOpen ? false : null;
  }
}

function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** Whether something is being lost, or was recently. */
class RecentLoss {
  #counted: number | undefined;
  #lastUs: number | undefined;

  /** Takes whether it holds now, and a counter that rises with each loss. */
  note(loss: { readonly holds: boolean; readonly count: number }, nowUs: number): void {
    const rose = this.#counted !== undefined && loss.count > this.#counted;
    this.#counted = loss.count;
    if (loss.holds || rose) this.#lastUs = nowUs;
  }

  isRecent(nowUs: number): boolean {
    return this.#lastUs !== undefined && nowUs - this.#lastUs < RECENT_LOSS_US;
  }
}

/** Megabits (10^6) a second that all volumes together wrote recently: an average over the last two minutes. */
class WriteSpeed {
  /** The volumes' counters as last seen. */
  readonly #seen = new Map<string, number>();
  /** Bytes since the first look, by time, oldest first; one a look within the window. */
  readonly #samples: { readonly atUs: number; readonly bytes: number }[] = [];
  #bytes = 0;

  /** Adds a sample of the counters. */
  note(volumes: readonly WrittenBytes[], nowUs: number): void {
    for (const { directory, writtenBytes } of volumes) {
      const before = this.#seen.get(directory) ?? writtenBytes;
      this.#bytes += writtenBytes >= before ? writtenBytes - before : writtenBytes;
      this.#seen.set(directory, writtenBytes);
    }
    this.#samples.push({ atUs: nowUs, bytes: this.#bytes });
    while (this.#samples.length > 2 && nowUs - (this.#samples[0]?.atUs ?? nowUs) > WRITE_SPEED_WINDOW_US)
      this.#samples.shift();
  }

  /** Undefined until two looks were taken. Bits a microsecond are megabits a second. */
  get megabitsPerSecond(): number | undefined {
    const first = this.#samples.at(0);
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.atUs <= first.atUs) return undefined;
    return ((last.bytes - first.bytes) * BITS_PER_BYTE) / (last.atUs - first.atUs);
  }
}

/** A worn disk is no error: it works. */
export function diskErrors({ disks = [] }: DiskStates): DiskErrors {
  const failing = disks.filter(({ verdict }) => verdict === "failing");
  const isAnyKnown = disks.some(({ verdict }) => verdict !== "unknown");
  return {
    smart: isAnyKnown ? failing.length > 0 : null,
    drives: failing.some(({ volumes }) => volumes.length > 0),
  };
}
