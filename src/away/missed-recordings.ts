import type { SegmentSummary } from "../archive/index.js";
import { BYTES_PER_MB, type Clock, errorText, type Guid, type Log, US_PER_MINUTE } from "../base/index.js";
import { EVENT_TYPES, type EventLog } from "../event/index.js";
import type { AwayTarget } from "../site/index.js";
import type { SendQueue } from "./send-queue.js";

/** Removed segments that wait for the question whether they had been sent; of more only the number is told. */
const WAITING_MAX = 4096;
const TOLD_EACH_US = 10 * US_PER_MINUTE;

export interface MissedRecordingsOptions {
  readonly target: AwayTarget;
  readonly queue: Pick<SendQueue, "wants" | "remove">;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
}

interface Total {
  segments: number;
  bytes: number;
}

/** What retention removed before it was sent: an event says how much, for each camera, at most every ten minutes. */
export class MissedRecordings {
  readonly #options: MissedRecordingsOptions;
  readonly #totals = new Map<Guid, Total>();
  #waiting: SegmentSummary[] = [];
  #toldUs = Number.NEGATIVE_INFINITY;

  constructor(options: MissedRecordingsOptions) {
    this.#options = options;
  }

  /** Called by retention: it only remembers. */
  note(segment: SegmentSummary): void {
    if (this.#waiting.length < WAITING_MAX) this.#waiting.push(segment);
    // Nobody has looked for so long that they cannot have been sent.
    else this.#add(segment);
  }

  async tell(): Promise<void> {
    const { queue, log } = this.#options;
    const removed = this.#waiting;
    this.#waiting = [];
    for (const segment of removed) {
      const { segmentId, fromUs } = segment;
      const { channelId } = segment.key;
      try {
        if (await queue.wants(segment)) this.#add(segment);
      } catch (error) {
        log.debug(`whether it was sent is not known: ${errorText(error)}`);
      }
      queue.remove({ channelId, fromUs, segmentId });
    }
    this.#raise();
  }

  #add({ key, bytes }: SegmentSummary): void {
    const total = this.#totals.get(key.channelId) ?? { segments: 0, bytes: 0 };
    this.#totals.set(key.channelId, { segments: total.segments + 1, bytes: total.bytes + bytes });
  }

  #raise(): void {
    const { clock, events, target } = this.#options;
    const nowUs = clock.monotonicUs();
    if (this.#totals.size === 0 || nowUs - this.#toldUs < TOLD_EACH_US) return;
    this.#toldUs = nowUs;
    for (const [channelId, { segments, bytes }] of this.#totals)
      events.raise({
        typeId: EVENT_TYPES.awayMissed.id,
        channelId,
        comment: `${target.name}: ${segments} recordings, ${Math.ceil(bytes / BYTES_PER_MB)} MB`,
      });
    this.#totals.clear();
  }
}
