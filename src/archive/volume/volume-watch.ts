import type { Clock, Log } from "../../base/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import type { Volume } from "./volume.js";

/** Time between two looks at volumes that are written to: with their batches, so that it is no wake-up of its own. */
export const WATCH_INTERVAL_MS = 400;
/** A write that takes longer costs the volume its streams, if another one keeps up. */
export const MOVE_AFTER_MS = 2_000;
/** A write or a sync that takes longer costs the volume its streams in any case. */
export const HUNG_MS = 10_000;

/** How long a disk that hung has to answer before streams come to it again. */
const CALM_US = 5_000_000;

export interface VolumeWatchOptions {
  readonly volumes: readonly Volume[];
  /** Nothing is said of these: whether they are there does not matter. */
  readonly isRetired: (volume: Volume) => boolean;
  readonly notice: ArchiveNoticeListener;
  readonly clock: Clock;
  readonly log: Log;
}

/** Monitors volumes that hang: their streams leave, and come again when the disk answers. Says who is lost and who is back. */
export class VolumeWatch {
  readonly #volumes: readonly Volume[];
  readonly #isRetired: (volume: Volume) => boolean;
  readonly #notice: ArchiveNoticeListener;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #calmSinceUs = new Map<Volume, number>();
  readonly #lost = new Map<Volume, string>();

  constructor(options: VolumeWatchOptions) {
    this.#volumes = options.volumes;
    this.#isRetired = options.isRetired;
    this.#notice = options.notice;
    this.#log = options.log;
    this.#clock = options.clock;
  }

  /** Why the volume is left out; undefined while it is not. */
  reasonOf(volume: Volume): string | undefined {
    return this.#lost.get(volume);
  }

  look(): void {
    for (const volume of this.#volumes) {
      volume.measure();
      const { writer } = volume;
      if (writer === undefined) continue;
      const stallMs = Math.max(writer.writeStallMs, writer.syncStallMs);
      if (!writer.usable) {
        if (!this.#isCalm(volume, stallMs)) continue;
        writer.welcome();
        this.taken(volume);
      } else if (
        stallMs >= HUNG_MS ||
        (writer.writeStallMs >= MOVE_AFTER_MS && this.#anotherIsBrisk(volume))
      ) {
        const reason = `the disk has not answered for ${Math.round(stallMs)} ms`;
        this.lost(volume, reason);
        writer.shun(reason);
      }
    }
  }

  /** The volume cannot be used, and what to do; said once for each reason. */
  lost(volume: Volume, reason: string, hint = ""): void {
    const { directory } = volume;
    const known = this.#lost.get(volume);
    if (known === reason) return;
    this.#lost.set(volume, reason);
    const isRetired = this.#isRetired(volume);
    this.#log[isRetired ? "info" : "error"]({ directory, hint }, `volume left out: ${reason}`);
    if (known === undefined && !isRetired) this.#notice({ kind: "volume-lost", directory, reason });
  }

  /** The volume is none of them any more. */
  forget(volume: Volume): void {
    this.#lost.delete(volume);
    this.#calmSinceUs.delete(volume);
  }

  /** The volume can be used; said once, after it was lost. */
  taken(volume: Volume): void {
    if (!this.#lost.delete(volume)) return;
    this.#log.info({ directory: volume.directory, volume: volume.id }, "volume is back");
    if (!this.#isRetired(volume))
      this.#notice({ kind: "volume-taken", directory: volume.directory, volumeId: volume.id });
  }

  /** Whether the disk has answered at once for a while: one that hangs every few seconds is not used. */
  #isCalm(volume: Volume, stallMs: number): boolean {
    const nowUs = this.#clock.monotonicUs();
    const sinceUs = this.#calmSinceUs.get(volume);
    if (stallMs > 0) this.#calmSinceUs.delete(volume);
    else if (sinceUs === undefined) this.#calmSinceUs.set(volume, nowUs);
    else if (nowUs - sinceUs >= CALM_US) return this.#calmSinceUs.delete(volume);
    return false;
  }

  #anotherIsBrisk(volume: Volume): boolean {
    return this.#volumes.some((other) => other !== volume && other.candidate(0)?.brisk === true);
  }
}
