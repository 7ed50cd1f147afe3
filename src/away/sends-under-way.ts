import type { Guid } from "../base/index.js";
import { type Candidate, dayOf } from "./plan/sent-segment.js";
import { SINGLE_BYTES_MAX } from "./send/segment-upload.js";
import { SendError } from "./send/sender.js";

/** Segments that go to a target at once: a link of high delay is filled. Of its four connections one stays for all else. */
export const SENDS_MAX = 3;
/** Segments from this size on may go in parts, encrypted ones too: only one of them at once, because one upload is remembered. */
const LARGE_BYTES = SINGLE_BYTES_MAX - 1024 * 1024;

interface Send {
  readonly candidate: Candidate;
  readonly ended: Promise<void>;
}

/** Segments that go to a target at the same time. What fails is a failure of the target as a whole. */
export class SendsUnderWay {
  readonly #sends = new Set<Send>();
  #failures: unknown[] = [];

  get size(): number {
    return this.#sends.size;
  }

  /** Size of their files. */
  get bytes(): number {
    return [...this.#sends].reduce((sum, { candidate }) => sum + candidate.bytes, 0);
  }

  hasOf(channelId: Guid, day: string): boolean {
    return [...this.#sends].some(
      ({ candidate }) => candidate.channelId === channelId && dayOf(candidate.fromUs) === day,
    );
  }

  /** Whether it would have to wait for another one, however much room there is. */
  isHeldUp({ bytes }: Candidate): boolean {
    return bytes >= LARGE_BYTES && [...this.#sends].some(({ candidate }) => candidate.bytes >= LARGE_BYTES);
  }

  begin(candidate: Candidate, sending: Promise<void>): void {
    const ended = sending
      .catch((error: unknown) => void this.#failures.push(error))
      .then(() => void this.#sends.delete(send));
    const send: Send = { candidate, ended };
    this.#sends.add(send);
  }

  /** Resolves when at most so many are under way. Once one has failed it rejects with that, after all others have ended. */
  async atMost(count: number): Promise<void> {
    while (this.#sends.size > (this.#failures.length > 0 ? 0 : count))
      await Promise.race([...this.#sends].map(({ ended }) => ended));
    if (this.#failures.length > 0) throw await this.settle();
  }

  /** Waits for all of them, and answers which failure counts, `first` among them: what only somebody can mend, else the longest wait. */
  async settle(first?: unknown): Promise<unknown> {
    while (this.#sends.size > 0) await Promise.all([...this.#sends].map(({ ended }) => ended));
    const all = first === undefined ? this.#failures : [first, ...this.#failures];
    this.#failures = [];
    return all.reduce((worst, error) => (weightOf(error) > weightOf(worst) ? error : worst), all[0]);
  }
}

function weightOf(error: unknown): number {
  if (!(error instanceof SendError)) return 0;
  return error.isLasting ? Number.POSITIVE_INFINITY : (error.retryAfterMs ?? 0);
}
