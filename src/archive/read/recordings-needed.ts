import {
  type Clock,
  endsUnlessAborted,
  endsWithin,
  MS_PER_SECOND,
  NvrdError,
  type TimeLimit,
  US_PER_MS,
} from "../../base/index.js";

/** When to ask again. */
const RETRY_MS = 2 * MS_PER_SECOND;
/** Who waits is answered within this time. */
const WAIT_MS_MAX = 20 * MS_PER_SECOND;
/** A question may need one thing after the other. */
const ROUNDS_MAX = 500;

/** Says that somebody waits; the answered function that they do not any more, and whether they are gone and will not ask again. */
export type JoinWaiting = () => (isGone: boolean) => void;

const NOBODY_COUNTS: JoinWaiting = () => () => undefined;

/**
 * Thrown by a question about recordings of which not all that it needs is in memory. It is being fetched: asked again after `known`,
 * the question finds it, or an error that says why not. To who does not wait it is NOT_AVAILABLE, to be asked again.
 */
export class RecordingsNeeded extends NvrdError {
  /** Resolves when asking again makes sense. */
  readonly #known: Promise<unknown>;
  readonly #join: JoinWaiting;

  constructor(known: Promise<unknown>, join: JoinWaiting = NOBODY_COUNTS) {
    super("NOT_AVAILABLE", "what is recorded is being read from the bucket", { retryAfterMs: RETRY_MS });
    this.name = "RecordingsNeeded";
    this.#known = known.catch(() => undefined); // asked again, the question says why
    this.#join = join;
  }

  /** Whether asking again makes sense in time; what nobody waits for any more is given up when `gone` is aborted. */
  async isKnown(gone?: AbortSignal, limit?: TimeLimit): Promise<boolean> {
    const leave = this.#join();
    try {
      const known = limit === undefined ? this.#known.then(() => true) : endsWithin(this.#known, limit);
      return (gone === undefined || (await endsUnlessAborted(known, gone))) && (await known);
    } finally {
      leave(gone?.aborted === true);
    }
  }
}

/** Who asks. */
interface Asker {
  /** Whether it may be asked again; default: as long as the asker is not gone. */
  readonly mayAskAgain?: () => boolean;
  /** Aborted when nobody is there any more who would be answered. Called when something has to be waited for. */
  readonly gone?: () => AbortSignal;
}

/**
 * Asks until all that the question needs is known, for 20 s at most. `ask` may be called several times: it must not have done
 * anything yet when it throws `RecordingsNeeded`. Rejects as it does; what it waited for is given up with the last who did.
 */
export async function whenKnown<T>(
  ask: () => T | Promise<T>,
  clock: Clock,
  { mayAskAgain = () => true, gone }: Asker = {},
): Promise<T> {
  const untilUs = clock.monotonicUs() + WAIT_MS_MAX * US_PER_MS;
  let signal: AbortSignal | undefined;
  for (let rounds = 1; ; rounds++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RecordingsNeeded) || rounds >= ROUNDS_MAX || !mayAskAgain()) throw error;
      signal ??= gone?.();
      const ms = Math.ceil((untilUs - clock.monotonicUs()) / US_PER_MS);
      if (ms <= 0 || !(await error.isKnown(signal, { clock, ms })) || !mayAskAgain()) throw error;
    }
  }
}
