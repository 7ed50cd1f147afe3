import { type Clock, endsWithin, MS_PER_SECOND, NvrdError, US_PER_MS } from "../../base/index.js";

/** When to ask again. */
const RETRY_MS = 2 * MS_PER_SECOND;
/** Who waits is answered within this time. */
const WAIT_MS_MAX = 20 * MS_PER_SECOND;
/** A question may need one thing after the other. */
const ROUNDS_MAX = 500;

/**
 * Thrown by a question about recordings of which not all that it needs is in memory. It is being fetched: asked again after `known`,
 * the question finds it, or an error that says why not. To who does not wait it is NOT_AVAILABLE, to be asked again.
 */
export class RecordingsNeeded extends NvrdError {
  /** Resolves when asking again makes sense. */
  readonly known: Promise<unknown>;

  constructor(known: Promise<unknown>) {
    super("NOT_AVAILABLE", "what is recorded is being read from the bucket", { retryAfterMs: RETRY_MS });
    this.name = "RecordingsNeeded";
    this.known = known.catch(() => undefined); // asked again, the question says why
  }
}

/**
 * Asks until all that the question needs is known, for 20 s at most. `ask` may be called several times: it must not have done
 * anything yet when it throws `RecordingsNeeded`. Rejects as it does.
 */
export async function whenKnown<T>(
  ask: () => T | Promise<T>,
  clock: Clock,
  mayAskAgain: () => boolean = () => true,
): Promise<T> {
  const untilUs = clock.monotonicUs() + WAIT_MS_MAX * US_PER_MS;
  for (let rounds = 1; ; rounds++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RecordingsNeeded) || rounds >= ROUNDS_MAX || !mayAskAgain()) throw error;
      const ms = Math.ceil((untilUs - clock.monotonicUs()) / US_PER_MS);
      if (ms <= 0 || !(await endsWithin(error.known, { clock, ms })) || !mayAskAgain()) throw error;
    }
  }
}
