import { type Clock, type ClockTimer, errorText, type Guid, type Log } from "../../base/index.js";
import type { RecoveryOutcome } from "../disk/recovery.js";
import { UNCLOSED } from "../disk/segment-summaries.js";
import { VolumeError } from "../disk/volume-thread.js";
import { provisionalOffsetOf, type SegmentHeader, unpackSegmentHeader } from "../segment/segment-header.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import {
  movingSegmentPath,
  openSegmentPath,
  type SegmentSummary,
  segmentIdOf,
  segmentPath,
} from "../segment/segment-summary.js";
import type { BootTimes } from "../time/boot-times.js";
import type { Volume } from "../volume/volume.js";
import { DISK_UPKEEP_TIMEOUT_MS, summaryOf } from "../volume/volume-segments.js";
import type { WritingSegment } from "../write/writing-segment.js";

/** Time between two attempts to close segments that a failing disk left open. */
const SALVAGE_INTERVAL_MS = 5_000;
/** Most segments kept for such attempts; those beyond wait for the next start. */
const SALVAGE_MAX = 1024;
/** Of a copy that was not written to its end. */
const TORN: ReadonlySet<string> = new Set([UNCLOSED, "DAMAGED"]);

export interface SegmentKeeperOptions {
  readonly index: SegmentIndex;
  readonly volumeOf: (volumeId: Guid) => Volume | undefined;
  readonly bootTimes: BootTimes;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Carries segments from `open/` into the index and to their place: those closed by their writer, those that
 * a crash left behind, and those a failing disk would not let be closed.
 */
export class SegmentKeeper {
  readonly #index: SegmentIndex;
  readonly #volumeOf: (volumeId: Guid) => Volume | undefined;
  readonly #bootTimes: BootTimes;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #salvage = new Map<number, WritingSegment>();
  readonly #settling = new Set<Promise<void>>();
  #timer: ClockTimer | undefined;
  readonly #recovering = new Set<Guid>();
  /** Volumes whose segments are being closed: one that hangs holds up its own only. */
  readonly #salvaging = new Set<Guid>();

  constructor(options: SegmentKeeperOptions) {
    this.#index = options.index;
    this.#volumeOf = options.volumeOf;
    this.#bootTimes = options.bootTimes;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  start(): void {
    this.#index.onCommitted((files) => this.#settle(files));
    this.#timer = this.#clock.setInterval(() => this.#salvageAll(), SALVAGE_INTERVAL_MS);
  }

  stop(): void {
    this.#timer?.clear();
  }

  /** Resolves when every file that the index has on its disk has left `open/`, or could not. */
  async settled(): Promise<void> {
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  /** A segment is closed and synced: the index may name it. */
  closed(segment: WritingSegment): void {
    this.#index.add(this.#bootTimes.redate(segment.summary(), provisionalOffsetOf(segment.header)));
  }

  /** A segment was given up half-way: it is closed as soon as its disk lets it be. */
  failed(segment: WritingSegment): void {
    if (this.#salvage.size < SALVAGE_MAX) this.#salvage.set(segment.segmentId, segment);
  }

  /** Whether segments wait for their disk to be closed. */
  get salvaging(): boolean {
    return this.#salvage.size > 0;
  }

  /** Whether some of what a crash left on the volume is not in the index yet. */
  isRecovering(volumeId: Guid): boolean {
    return this.#recovering.has(volumeId);
  }

  /** Recovers the files a crash left in `open/`, oldest first; what they end before is `toUsMax`. */
  async recover(volume: Volume, names: readonly string[], toUsMax: number): Promise<void> {
    if (names.length > 0) this.#recovering.add(volume.id);
    const summaries = await this.#recoverAll(volume, names, toUsMax).finally(() =>
      this.#recovering.delete(volume.id),
    );
    if (summaries.length === 0) return;
    // A segment that the index had before the crash is not committed again: ask instead of waiting for a message.
    await this.#index.flush();
    await volume.settle(summaries);
    this.#log.info({ volume: volume.id, segments: summaries.length }, "segments recovered");
  }

  /**
   * Copies that a move left before they were in their place: where the index names this volume, they are the segment and get
   * there; where it does not, the original is still what counts, and they are removed.
   */
  async settleCopies(volume: Volume): Promise<void> {
    const names = await volume.reads.read({ op: "list-copies" }, DISK_UPKEEP_TIMEOUT_MS);
    if (names.length === 0) return;
    await this.#bootTimes.loaded(volume.id);
    await this.#index.flush(); // it is open then: before that it names nothing
    for (const name of names) {
      const path = movingSegmentPath({ segmentId: segmentIdOf(name) ?? 0 });
      try {
        await this.#settleCopy(volume, path);
      } catch (error) {
        this.#log.warn({ volume: volume.id, path }, `a copy stays there: ${errorText(error)}`);
      }
    }
  }

  async #settleCopy(volume: Volume, path: string): Promise<void> {
    const { reads } = volume;
    const request = { op: "summaries", files: [[path]], deep: false, fromFrames: false } as const;
    const [found] = await reads.read(request, DISK_UPKEEP_TIMEOUT_MS);
    if (found === undefined) return;
    if ("code" in found && !TORN.has(found.code)) throw new VolumeError(found.code, found.message);
    const summary = "code" in found ? undefined : summaryOf(found, this.#bootTimes);
    const known = summary === undefined ? undefined : this.#index.closed(summary);
    if (known !== undefined && !this.#index.isDurable(known.segmentId)) return; // it is being moved now
    const isSegment = summary !== undefined && known?.volumeId === volume.id;
    const work = isSegment
      ? ({ op: "place-copy", from: path, to: segmentPath(summary) } as const)
      : ({ op: "unlink", paths: [path] } as const);
    await reads.read(work, DISK_UPKEEP_TIMEOUT_MS);
    this.#log.info({ volume: volume.id, path, isKept: isSegment }, "the copy of an interrupted move");
  }

  /** Closes the files and adds them to the index; returns what was added. */
  async #recoverAll(volume: Volume, names: readonly string[], toUsMax: number): Promise<SegmentSummary[]> {
    await this.#bootTimes.loaded(volume.id);
    const left = names.filter((name) => !this.#salvage.has(segmentIdOf(name) ?? 0));
    const headers = await this.#headersOf(volume, left);
    const summaries: SegmentSummary[] = [];
    for (const name of left) {
      const endUsMax = Math.min(toUsMax, beginningBehind(headers.get(name), headers.values()));
      const summary = await this.#recoverOne(volume, `open/${name}`, endUsMax);
      if (summary === undefined) continue;
      if (this.#isUnlinked(summary)) await volume.unlink(summary);
      else {
        this.#index.add(summary);
        summaries.push(summary);
      }
    }
    return summaries;
  }

  /** Headers of files in `open/`; one that cannot be read is missing, and recovery says why. */
  async #headersOf(volume: Volume, names: readonly string[]): Promise<Map<string, SegmentHeader>> {
    const headers = new Map<string, SegmentHeader>();
    for (const name of names) {
      try {
        const bytes = await volume.reads.read(
          { op: "header", paths: [`open/${name}`] },
          DISK_UPKEEP_TIMEOUT_MS,
        );
        headers.set(name, unpackSegmentHeader(Buffer.from(bytes)));
      } catch (error) {
        this.#log.debug({ volume: volume.id, name }, `header: ${errorText(error)}`);
      }
    }
    return headers;
  }

  #isUnlinked(summary: SegmentSummary): boolean {
    return this.#index.pendingUnlinks().some((pending) => pending.file.segmentId === summary.segmentId);
  }

  async #recoverOne(volume: Volume, path: string, toUsMax: number): Promise<SegmentSummary | undefined> {
    let outcome: RecoveryOutcome;
    try {
      outcome = await volume.reads.read({ op: "recover", path, toUsMax }, DISK_UPKEEP_TIMEOUT_MS);
    } catch (error) {
      this.#log.error(
        { volume: volume.id, path },
        `segment not recovered, tried again at the next start: ${errorText(error)}`,
      );
      return undefined;
    }
    return this.#take(volume, path, outcome);
  }

  #take(volume: Volume, path: string, outcome: RecoveryOutcome): SegmentSummary | undefined {
    const fields = { volume: volume.id, path };
    if (outcome.kind === "removed" || outcome.kind === "refused") {
      this.#log.warn(fields, `segment ${outcome.kind}: ${outcome.reason}`);
      return undefined;
    }
    if (outcome.kind === "recovered") {
      const { cutBytes, skipped } = outcome;
      this.#log.info(
        { ...fields, cutBytes, skipped, frames: outcome.progress.videoFrames },
        "segment closed by recovery",
      );
    }
    try {
      return summaryOf(outcome, this.#bootTimes);
    } catch (error) {
      this.#log.error(fields, `segment's header: ${errorText(error)}`);
      return undefined;
    }
  }

  #salvageAll(): void {
    for (const volumeId of new Set([...this.#salvage.values()].map((segment) => segment.volumeId))) {
      if (this.#salvaging.has(volumeId)) continue;
      this.#salvaging.add(volumeId);
      this.#salvageOn(volumeId)
        .catch((error: unknown) => this.#log.error({ volume: volumeId }, `salvage: ${errorText(error)}`))
        .finally(() => this.#salvaging.delete(volumeId));
    }
  }

  async #salvageOn(volumeId: Guid): Promise<void> {
    for (const segment of [...this.#salvage.values()]) {
      if (segment.volumeId === volumeId) await this.#salvageOne(segment);
    }
  }

  async #salvageOne(segment: WritingSegment): Promise<void> {
    const volume = this.#volumeOf(segment.volumeId);
    if (volume?.usable !== true) return;
    const path = openSegmentPath(segment);
    let outcome: RecoveryOutcome;
    try {
      // What is whole beyond the frames that were answered for may be kept, but not beyond the next fragment.
      outcome = await volume.reads.read(
        { op: "recover", path, toUsMax: segment.toUs },
        DISK_UPKEEP_TIMEOUT_MS,
      );
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") this.#forget(segment);
      else this.#log.warn({ volume: volume.id, path }, `segment cannot be closed yet: ${errorText(error)}`);
      return;
    }
    const summary = this.#take(volume, path, outcome);
    if (summary === undefined) return this.#forget(segment);
    this.#salvage.delete(segment.segmentId);
    this.#index.add(summary);
  }

  #forget(segment: WritingSegment): void {
    this.#salvage.delete(segment.segmentId);
    this.#index.forgetOpen(segment.segmentId);
  }

  /** The index has them on its disk: they may leave `open/`. */
  #settle(files: readonly SegmentSummary[]): void {
    const byVolume = new Map<Guid, SegmentSummary[]>();
    for (const file of files) {
      const some = byVolume.get(file.volumeId);
      if (some === undefined) byVolume.set(file.volumeId, [file]);
      else some.push(file);
    }
    for (const [volumeId, some] of byVolume) {
      const volume = this.#volumeOf(volumeId);
      // A volume that is absent keeps them in open/, where the next start finds them.
      if (volume === undefined) continue;
      const settling = this.#moveOut(volume, some).finally(() => this.#settling.delete(settling));
      this.#settling.add(settling);
    }
  }

  async #moveOut(volume: Volume, files: readonly SegmentSummary[]): Promise<void> {
    try {
      await volume.settle(files);
    } catch (error) {
      const fields = { volume: volume.id, segments: files.length };
      this.#log.warn(
        fields,
        `closed segments stay in open/ and are moved at the next start: ${errorText(error)}`,
      );
    }
  }
}

/**
 * Start of the fragment's next segment that a crash left in `open/` too: the apparent duration of the last picture may be too
 * long. Infinity if there is none.
 */
function beginningBehind(header: SegmentHeader | undefined, all: Iterable<SegmentHeader>): number {
  let fromUs = Number.POSITIVE_INFINITY;
  if (header === undefined) return fromUs;
  for (const other of all) {
    if (other.fragmentId !== header.fragmentId || other.fragmentSequence <= header.fragmentSequence) continue;
    fromUs = Math.min(fromUs, other.fromUs);
  }
  return fromUs;
}
