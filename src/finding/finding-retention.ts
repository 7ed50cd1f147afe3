import type { SideFiles } from "../archive/index.js";
import { type Clock, errorText, type Guid, inTurns, type Log, US_PER_DAY } from "../base/index.js";
import { findingFile, isSilence } from "./finding-files.js";
import { dayAfter, dayBeginUs, type FindingIndex } from "./finding-index.js";

/** Of the files of findings on one volume; beyond it the oldest days leave. */
const VOLUME_FINDINGS_BYTES_MAX = 512 * 1024 * 1024;
/** Files that are looked at between two turns of the event loop. */
const TURN_SOURCES = 4096;
/** Findings of a recorder that records nothing are kept so long. */
const UNRECORDED_DAYS = 30;

/** How far back the recordings go, which findings leave with. */
export interface KeptSince {
  /** The first moment recorded of each channel; undefined: that is not known now, and nothing leaves for its age. */
  recordedSince(): ReadonlyMap<Guid, number> | undefined;
  /** Whether the channel is configured: without recordings, those of one that is not leave at once. */
  isConfigured(channelId: Guid): boolean;
}

export interface FindingRetentionOptions {
  readonly index: FindingIndex;
  readonly volumes: { inUse(): readonly SideFiles[] };
  readonly kept: KeptSince;
  readonly clock: Clock;
  readonly log: Log;
  /** Default `VOLUME_FINDINGS_BYTES_MAX`. */
  readonly bytesMax?: number | undefined;
}

interface Leaving {
  readonly volume: SideFiles;
  readonly channelId: Guid;
  readonly day: string;
}

/** Removes files of findings: of days before the channel's first recording, and what is too much on a volume. */
export class FindingRetention {
  readonly #options: FindingRetentionOptions;
  readonly #bytesMax: number;
  /** Volumes that refused last. */
  readonly #failing = new Set<Guid>();

  constructor(options: FindingRetentionOptions) {
    this.#options = options;
    this.#bytesMax = options.bytesMax ?? VOLUME_FINDINGS_BYTES_MAX;
  }

  /** Must be the only one that works with the volumes. What a disk refuses is tried again the next time. */
  async turn(): Promise<void> {
    const faults = new Map<Guid, unknown>();
    for (const { volume, channelId, day } of await inTurns(this.#leaving())) {
      // All that is asked of it now would wait as long.
      if (isSilence(faults.get(volume.id))) continue;
      try {
        await volume.removeSideFile(findingFile(channelId, day));
        await this.#options.index.drop(day, { channelId, volumeId: volume.id });
      } catch (error) {
        faults.set(volume.id, error);
      }
    }
    this.#logFaults(faults);
  }

  #logFaults(faults: ReadonlyMap<Guid, unknown>): void {
    for (const id of this.#failing) if (!faults.has(id)) this.#failing.delete(id);
    for (const [volume, error] of faults) {
      if (this.#failing.has(volume)) continue;
      this.#failing.add(volume);
      this.#options.log.warn(
        { volume, error: errorText(error) },
        "old findings cannot be removed: trying again",
      );
    }
  }

  *#leaving(): Generator<undefined, readonly Leaving[]> {
    const volumes = new Map<string, SideFiles>(
      this.#options.volumes.inUse().map((volume) => [volume.id, volume]),
    );
    const bytes = new Map<string, number>();
    const since = this.#since();
    const leaving: Leaving[] = [];
    let ofDay = { day: "", endUs: 0 };
    let looked = 0;
    // The newest first: what is too much is the oldest.
    for (const { day, source } of this.#options.index.sources()) {
      looked += 1;
      if (looked % TURN_SOURCES === 0) yield;
      const volume = volumes.get(source.volumeId);
      if (volume === undefined) continue;
      if (day !== ofDay.day) ofDay = { day, endUs: dayBeginUs(dayAfter(day)) };
      const held = (bytes.get(volume.id) ?? 0) + source.fileBytes;
      bytes.set(volume.id, held);
      const isOld = ofDay.endUs <= since(source.channelId);
      if (isOld || held > this.#bytesMax) leaving.push({ volume, channelId: source.channelId, day });
    }
    return leaving;
  }

  /** Before which moment a channel's findings leave. */
  #since(): (channelId: Guid) => number {
    const { kept, clock } = this.#options;
    const recorded = kept.recordedSince();
    if (recorded === undefined) return () => Number.NEGATIVE_INFINITY;
    const unrecordedUs = Math.min(clock.nowUs() - UNRECORDED_DAYS * US_PER_DAY, ...recorded.values());
    return (channelId) =>
      recorded.get(channelId) ?? (kept.isConfigured(channelId) ? unrecordedUs : Number.POSITIVE_INFINITY);
  }
}
