import type { SegmentSummary } from "../archive/index.js";
import { BYTES_PER_MB, type Clock, errorText, type Guid, type Log, US_PER_MINUTE } from "../base/index.js";
import { EVENT_TYPES, type EventLog } from "../event/index.js";
import type { AwayTarget } from "../site/index.js";
import type { SendQueue } from "./send-queue.js";

/** Removed segments that wait for the question whether they had been sent; more of them count as unknown. */
const WAITING_MAX = 4096;
const REPORT_INTERVAL_US = 10 * US_PER_MINUTE;

export interface MissedRecordingsOptions {
  readonly target: AwayTarget;
  readonly queue: Pick<SendQueue, "wants" | "remove" | "isTaken">;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
}

interface Total {
  readonly segments: number;
  readonly bytes: number;
}
const NOTHING: Total = { segments: 0, bytes: 0 };

/** What retention removed before it was sent: an event says how much, for each camera, at most every ten minutes. */
export class MissedRecordings {
  readonly #options: MissedRecordingsOptions;
  readonly #missed = new Map<Guid, Total>();
  /** Those of which it is not known whether they had been sent. */
  readonly #unknown = new Map<Guid, Total>();
  #waiting: SegmentSummary[] = [];
  #reportedUs = Number.NEGATIVE_INFINITY;

  constructor(options: MissedRecordingsOptions) {
    this.#options = options;
  }

  /** Called by retention: it only remembers. */
  note(segment: SegmentSummary): void {
    if (this.#waiting.length < WAITING_MAX) this.#waiting.push(segment);
    else add(this.#unknown, segment);
  }

  async report(): Promise<void> {
    const { queue, log } = this.#options;
    const removed = this.#waiting;
    this.#waiting = [];
    for (const segment of removed) {
      const { segmentId, fromUs } = segment;
      const { channelId } = segment.key;
      // It is sent to its end, or fails: then it is asked for.
      if (queue.isTaken({ channelId, segmentId })) {
        this.#waiting.push(segment);
        continue;
      }
      try {
        if (await queue.wants(segment)) add(this.#missed, segment);
      } catch (error) {
        add(this.#unknown, segment);
        log.debug(`whether it was sent is not known: ${errorText(error)}`);
      }
      queue.remove({ channelId, fromUs, segmentId });
    }
    this.#raise();
  }

  #raise(): void {
    const { clock, events, target } = this.#options;
    const nowUs = clock.monotonicUs();
    const channelIds = new Set([...this.#missed.keys(), ...this.#unknown.keys()]);
    if (channelIds.size === 0 || nowUs - this.#reportedUs < REPORT_INTERVAL_US) return;
    this.#reportedUs = nowUs;
    for (const channelId of channelIds) {
      const words = wordsOf(this.#missed.get(channelId) ?? NOTHING, this.#unknown.get(channelId) ?? NOTHING);
      events.raise({
        typeId: EVENT_TYPES.awayMissed.id,
        channelId,
        comment: `${target.name}: ${words}`,
      });
    }
    this.#missed.clear();
    this.#unknown.clear();
  }
}

function add(totals: Map<Guid, Total>, { key, bytes }: SegmentSummary): void {
  const total = totals.get(key.channelId) ?? NOTHING;
  totals.set(key.channelId, { segments: total.segments + 1, bytes: total.bytes + bytes });
}

function wordsOf(missed: Total, unknown: Total): string {
  const size = ({ bytes }: Total): string => `${Math.ceil(bytes / BYTES_PER_MB)} MB`;
  const known = missed.segments === 0 ? [] : [`${missed.segments} recordings, ${size(missed)}`];
  if (unknown.segments === 0) return known.join();
  const what = missed.segments === 0 ? "recordings" : "more";
  const rest = `of ${unknown.segments} ${what}, ${size(unknown)}, it is not known whether they were sent`;
  return [...known, rest].join("; ");
}
