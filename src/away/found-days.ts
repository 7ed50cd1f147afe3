import { type Clock, type Guid, US_PER_DAY, US_PER_HOUR, US_PER_MINUTE } from "../base/index.js";
import { FINDINGS_BYTES_MAX, findingsKey } from "./plan/finding-keys.js";
import { dayBeginUs } from "./plan/sent-segment.js";
import type { Sender } from "./send/sender.js";

/** Between two times that findings of a day are compared and sent, while segments wait and while none do. */
const AGAIN_BUSY_US = US_PER_HOUR;
const AGAIN_IDLE_US = 5 * US_PER_MINUTE;
/** So long after its end nothing is added to a day any more. */
const OVER_US = US_PER_HOUR;
/** Days that are remembered; of others the bucket is asked again. */
const DAYS_MAX = 512;

export interface FoundDaysOptions {
  readonly sender: Pick<Sender, "run">;
  /** All lines of a channel's day, the same whenever nothing was added; undefined: there are none, or they are not sent. */
  readonly findingsOf: (channelId: Guid, day: string, bytesMax: number) => Promise<Uint8Array | undefined>;
  readonly clock: Pick<Clock, "nowUs" | "monotonicUs">;
}

interface FoundDay {
  readonly bytes: number;
  /** Monotonic; undefined: nothing is added any more. */
  readonly atUs: number | undefined;
}

/**
 * Findings in the bucket: one object for each channel and day that has recordings there, of the lines that its volumes have. It is replaced
 * as a whole by a longer one. They leave with the last recording of the day.
 */
export class FoundDays {
  readonly #options: FoundDaysOptions;
  readonly #days = new Map<string, FoundDay>();

  constructor(options: FoundDaysOptions) {
    this.#options = options;
  }

  /** Sends what was found since, where that is due. Rejects with SendError. */
  async send(channelId: Guid, day: string, isIdle: boolean): Promise<void> {
    const { sender, findingsOf, clock } = this.#options;
    const key = findingsKey(channelId, day);
    const known = this.#days.get(key);
    const nowUs = clock.monotonicUs();
    const againUs = isIdle ? AGAIN_IDLE_US : AGAIN_BUSY_US;
    if (known !== undefined && (known.atUs === undefined || nowUs - known.atUs < againUs)) return;
    const isOver = clock.nowUs() > dayBeginUs(day) + US_PER_DAY + OVER_US;
    const lines = await findingsOf(channelId, day, FINDINGS_BYTES_MAX);
    const there = known?.bytes ?? (lines === undefined ? 0 : await this.#bytesOf(key));
    // What is shorter is of a recorder that has lost a disk: the bucket knows more.
    const isNew = lines !== undefined && lines.byteLength > there;
    if (isNew) await sender.run({ op: "put", key, content: lines });
    const bytes = isNew ? lines.byteLength : there;
    this.#days.delete(key);
    this.#days.set(key, { bytes, atUs: isOver ? undefined : nowUs });
    for (const oldest of this.#days.keys()) {
      if (this.#days.size <= DAYS_MAX) break;
      this.#days.delete(oldest);
    }
  }

  /** Nothing of the day is in the bucket any more. Rejects with SendError. */
  async remove(channelId: Guid, day: string): Promise<void> {
    const key = findingsKey(channelId, day);
    this.#days.delete(key);
    await this.#options.sender.run({ op: "erase", key });
  }

  async #bytesOf(key: string): Promise<number> {
    const listed = await this.#options.sender.run({ op: "list", start: key });
    return listed.find((object) => object.key === key)?.bytes ?? 0;
  }
}
