import type { OverloadCounters } from "../../archive/index.js";
import { type Clock, type Guid, US_PER_MS } from "../../base/index.js";

type VolumeCounters = OverloadCounters["volumes"][number];

/** A volume that takes no frame for so long, with all it needs to take them, hangs in us. */
export const STUCK_AFTER_MS = 60_000;
/** A call on a disk that takes longer is the disk's fault: a restart would not help. */
const DISK_STALL_MS_MAX = 5_000;

export interface RecordingProgressOptions {
  readonly archive: { overload(): OverloadCounters };
  /** `isRecording`: whether the channel's camera sends frames that go to the disk. */
  readonly recording: { state(channelId: Guid): { readonly isRecording: boolean } };
  readonly clock: Pick<Clock, "monotonicUs">;
}

interface Watched {
  writtenBytes: number;
  /** Since when nothing was written although it should have been. */
  sinceUs: number | undefined;
  /** It has written in this process: only then can a restart help. */
  hasWritten: boolean;
}

/**
 * Whether recording makes progress: of the cameras that are connected and to be recorded, frames reach the disk. What
 * another process would do no better does not count: a camera that is lost, a volume that is left out, a disk that does
 * not answer. Nor does a volume that has never written since the start: so a fault that a restart does not fix is not
 * answered by one start after the other.
 */
export class RecordingProgress {
  readonly #options: RecordingProgressOptions;
  readonly #volumes = new Map<string, Watched>();

  constructor(options: RecordingProgressOptions) {
    this.#options = options;
  }

  /** Why nothing is recorded although all requirements are met; undefined while recording works. Ask it each few seconds. */
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
    return stuck === undefined ? undefined : `nothing reaches the volume ${stuck}, which answers`;
  }

  #note(volume: VolumeCounters, sends: boolean, nowUs: number): Watched {
    const watched = this.#watchedOf(volume);
    const hasMoved = volume.writtenBytes !== watched.writtenBytes;
    const isWaiting = Math.max(volume.writeStallMs, volume.syncStallMs) > DISK_STALL_MS_MAX;
    // The counter begins at 0 again when the volume's threads do.
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
