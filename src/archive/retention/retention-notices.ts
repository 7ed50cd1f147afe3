import { type Guid, US_PER_DAY } from "../../base/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import type { SegmentSummary } from "../segment/segment-summary.js";
import type { TooSmall } from "../segment/volume-room.js";
import type { ChannelDays, RemovalHead } from "./removal-queue.js";

/** What a volume is short of after a turn. */
interface Lack {
  readonly missingBytes: number;
  readonly missingFiles: number;
  readonly tooSmall?: TooSmall | undefined;
}

/** Reports what retention could not keep, once when that begins and once when it ends. */
export class RetentionNotices {
  readonly #notice: ArchiveNoticeListener;
  /** Channels whose min days are not kept, and the volumes concerned. */
  readonly #unmet = new Map<Guid, Set<Guid>>();
  /** Volumes that lack something: recordings that could be removed for the next ones, or room beside their reserve. */
  readonly #lacking = new Map<Guid, "removable" | "room">();

  constructor(notice: ArchiveNoticeListener) {
    this.#notice = notice;
  }

  /** A segment younger than its channel's min days has to be deleted. */
  minDaysUnmet(segment: SegmentSummary, nowUs: number): void {
    const { channelId } = segment.key;
    const volumes = this.#unmet.get(channelId);
    if (volumes !== undefined) {
      volumes.add(segment.volumeId);
      return;
    }
    this.#unmet.set(channelId, new Set([segment.volumeId]));
    const keptDays = Math.max(0, Math.round(((nowUs - segment.toUs) / US_PER_DAY) * 100) / 100);
    this.#notice({ kind: "min-days-unmet", channelId, keptDays });
  }

  /** Checks whether the channels that were short of their min days on the volume have them again. */
  lookForMet(
    volumeId: Guid,
    queue: { heads(): Iterable<RemovalHead>; daysOf(channelId: Guid): ChannelDays },
    nowUs: number,
  ): void {
    for (const [channelId, volumes] of this.#unmet) {
      if (!volumes.has(volumeId)) continue;
      const { minDays } = queue.daysOf(channelId);
      if (minDays > 0 && !isDeep(queue.heads(), channelId, nowUs - minDays * US_PER_DAY)) continue;
      volumes.delete(volumeId);
      if (volumes.size > 0) continue;
      this.#unmet.delete(channelId);
      this.#notice({ kind: "min-days-met", channelId });
    }
  }

  /** Whether any channel is short of its min days on the volume. */
  isUnmetOn(volumeId: Guid): boolean {
    return [...this.#unmet.values()].some((volumes) => volumes.has(volumeId));
  }

  /**
   * `missingBytes` or `missingFiles` above 0: the volume is beyond its bounds and nothing is left to remove. `tooSmall`: what is to
   * stay free leaves next to nothing.
   */
  room(volume: { readonly id: Guid; readonly directory: string }, lack: Lack): void {
    const { id, directory } = volume;
    const { tooSmall } = lack;
    const missingBytes = Math.max(0, lack.missingBytes);
    const missingFiles = Math.max(0, lack.missingFiles);
    const before = this.#lacking.get(id);
    const isFull = missingBytes > 0 || missingFiles > 0;
    const now = tooSmall !== undefined ? "room" : isFull ? "removable" : undefined;
    if (now === before) return;
    if (now === undefined) {
      this.#lacking.delete(id);
      this.#notice({ kind: "volume-full-ended", directory });
      return;
    }
    this.#lacking.set(id, now);
    if (tooSmall !== undefined) this.#notice({ kind: "volume-too-small", directory, ...tooSmall });
    else this.#notice({ kind: "volume-full", directory, missingBytes, missingFiles });
  }
}

/** Whether a channel's oldest removable segment reaches back to `fromUs`. */
function isDeep(heads: Iterable<RemovalHead>, channelId: Guid, fromUs: number): boolean {
  for (const { segment } of heads) {
    if (segment.key.channelId === channelId && segment.fromUs <= fromUs) return true;
  }
  return false;
}
