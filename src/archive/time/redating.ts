import { isDeepStrictEqual } from "node:util";
import { errorText, type Guid, type Log } from "../../base/index.js";
import { minuteOf } from "../index/index-keys.js";
import type { LmdbSegmentIndex } from "../index/lmdb-segment-index.js";
import type { SegmentSummary, VolumeAccess } from "../segment/segment-summary.js";
import type { BootTime, BootTimes, BootTimesVolume } from "./boot-times.js";

/** Records processed between two pauses, so that the service's other work continues. */
const RECORDS_A_STEP = 256;
/** Segments redated between two commits. */
const SEGMENTS_A_COMMIT = 1024;

export type RedatingVolume = VolumeAccess & BootTimesVolume;

export interface RedatingOptions {
  readonly index: LmdbSegmentIndex;
  readonly bootTimes: BootTimes;
  /** The volumes that are there. */
  readonly volumes: () => readonly RedatingVolume[];
  /** Volumes of the archive that are not there. */
  readonly absentVolumes: () => number;
  /** Segments of a boot were redated. */
  readonly onRedated: (boot: BootTime, segments: number) => void;
  readonly log: Log;
}

/**
 * Redates the segments in the index once the clock is known: first each volume's table is made durable, then each record of the
 * time in question is compared with its file and, where it differs, replaced. May be stopped and begin again at any
 * record: the files and the table say how it ends. Runs again for volumes that were away.
 */
export class Redating {
  readonly #options: RedatingOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #again = false;

  constructor(options: RedatingOptions) {
    this.#options = options;
  }

  /** Checks whether segments have to be redated: now, or when the current turn is over. */
  kick(): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#run()
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        this.#options.log.error(
          `the times of recordings are not corrected yet, tried again later: ${errorText(error)}`,
        );
      })
      .finally(() => {
        this.#running = undefined;
        if (!this.#again) return;
        this.#again = false;
        this.kick();
      });
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Begins nothing more; `settled` resolves soon, once the volumes and the index are stopped. */
  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { bootTimes, volumes, absentVolumes, onRedated, index } = this.#options;
    for (const boot of bootTimes.pending) {
      const isComplete = (await bootTimes.spread(volumes())) && absentVolumes() === 0;
      await index.ready();
      const { redated, failed } = await this.#redate(boot);
      await index.flush();
      if (isComplete && failed === 0) bootTimes.finish(boot.bootId);
      this.#options.log.info(
        { boot: boot.bootId, redated, failed, isComplete },
        "recordings were dated anew",
      );
      onRedated(boot, redated);
    }
  }

  async #redate(boot: BootTime): Promise<{ redated: number; failed: number }> {
    const { store } = this.#options.index;
    let after: { key?: Buffer; fromMinute?: number } = { fromMinute: minuteOf(boot.fromUs) };
    let redated = 0;
    let failed = 0;
    for (;;) {
      const step = [];
      for (const segment of store.segments.inTime(after)) {
        step.push(segment);
        if (step.length >= RECORDS_A_STEP) break;
      }
      const last = step.at(-1);
      if (last === undefined || (step[0]?.fromUs ?? 0) > boot.toUs) return { redated, failed };
      after = { key: last.entry.key };
      for (const segment of step) {
        const summary = store.summary(segment);
        if (summary === undefined || summary.bootId !== boot.bootId || summary.fromUs > boot.toUs) continue;
        const outcome = await this.#redateOne(summary);
        if (outcome === "redated") redated += 1;
        else if (outcome === "failed") failed += 1;
        if (outcome === "redated" && redated % SEGMENTS_A_COMMIT === 0) await this.#options.index.flush();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #redateOne(record: SegmentSummary): Promise<"redated" | "right" | "failed"> {
    this.#stopping.signal.throwIfAborted();
    const { index } = this.#options;
    const volume = this.#volume(record.volumeId);
    if (volume === undefined) return "failed";
    const [outcome] = await volume.readSummaries([record], { deep: false });
    if (outcome === undefined || "error" in outcome) {
      // Retention has it; or `check` will find what is wrong with it.
      const gone = index.store.find(record) === undefined;
      const reason = errorText(outcome?.error);
      if (!gone) this.#options.log.warn({ segment: record.segmentId }, `times not corrected: ${reason}`);
      return gone ? "right" : "failed";
    }
    const { summary } = outcome;
    // Only the times: what else differs is for `check`.
    const found = index.store.find(record);
    if (found === undefined || isDeepStrictEqual(timesOf(found), timesOf(summary))) return "right";
    index.forget([found], { unlink: false });
    index.add(summary);
    return "redated";
  }

  #volume(volumeId: Guid): RedatingVolume | undefined {
    return this.#options.volumes().find((volume) => volume.id === volumeId);
  }
}

function timesOf({ epoch, fromUs, toUs }: SegmentSummary): readonly number[] {
  return [epoch, fromUs, toUs];
}
