import type { OverloadCounters } from "../../../archive/index.js";
import { type Clock, type Guid, US_PER_MS } from "../../../base/index.js";

type VolumeCounters = OverloadCounters["volumes"][number];

/** If a volume writes nothing for this long although all conditions are met, the process is stuck. */
export const STUCK_AFTER_MS = 60_000;
/** A longer disk call is a fault of the disk; a restart would not help. */
const DISK_STALL_MS_MAX = 5_000;

export interface RecordingProgressOptions {
  readonly archive: { overload(): OverloadCounters };
  /** `isRecording`: whether the channel's camera sends frames that go to the disk. */
  readonly recording: { state(channelId: Guid): { readonly isRecording: boolean } };
  readonly clock: Pick<Clock, "monotonicUs">;
}

interface Watched {
  writtenBytes: number;
  /** Since when nothing has been written although it should have been. */
  sinceUs: number | undefined;
  /** It has written in this process; only then can a restart help. */
  hasWritten: boolean;
}

/**
 * Checks that recording makes progress: frames of connected cameras that are to be recorded reach the disk. Faults that a
 * restart cannot fix are ignored: a lost camera, an unused volume, a disk that does not answer. A volume that has not written
 * since the start is ignored, too, so that a permanent fault does not cause repeated restarts.
 */
export class RecordingProgress {
  readonly #options: RecordingProgressOptions;
  readonly #volumes = new Map<string, Watched>();

  constructor(options: RecordingProgressOptions) {
    this.#options = options;
  }

  /**
   * Why nothing is recorded although all requirements are met; undefined while recording works. To be called every few seconds.
   */
  stuckReason(): string | undefined {
    const { archive, recording, clock } = this.#options;
    const { volumes, streams } = archive.overload();
    const nowUs = clock.monotonicUs();
    let stuck: string | undefined;
    for (const volume of volumes) {
      const sends = streams.some(
        ({ key, volumeId }) => volumeId === volume.volumeId && recording.state(key.channelId).isRecording,
      );
      const watched = this.#note(volume, sends, nowUs);
      const forUs = watched.sinceUs === undefined ? 0 : nowUs - watched.sinceUs;
      if (watched.hasWritten && forUs >= STUCK_AFTER_MS * US_PER_MS) stuck ??= volume.directory;
    }
    return stuck === undefined ? undefined : `nothing is written to the volume ${stuck}, although it answers`;
  }

  #note(volume: VolumeCounters, sends: boolean, nowUs: number): Watched {
    const watched = this.#watchedOf(volume);
    const hasMoved = volume.writtenBytes !== watched.writtenBytes;
    const isWaiting = Math.max(volume.writeStallMs, volume.syncStallMs) > DISK_STALL_MS_MAX;
    // The counter restarts at 0 when the volume's threads are restarted.
    if (volume.writtenBytes > watched.writtenBytes) watched.hasWritten = true;
    watched.writtenBytes = volume.writtenBytes;
    if (hasMoved || !sends || !volume.usable || isWaiting) watched.sinceUs = undefined;
    else watched.sinceUs ??= nowUs;
    return watched;
  }

  #watchedOf({ directory, writtenBytes }: VolumeCounters): Watched {
    const known = this.#volumes.get(directory);
    if (known !== undefined) return known;
    const watched = { writtenBytes, sinceUs: undefined, hasWritten: false };
    this.#volumes.set(directory, watched);
    return watched;
  }
}
