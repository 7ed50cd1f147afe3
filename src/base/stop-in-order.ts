import { errorText } from "./errors.js";
import type { Log } from "./log.js";

/** A part of the service, or of one of its parts, that has started, or tried to. */
export interface StartedPart {
  /** What the log calls it; the name of its class when absent. */
  readonly name?: string;
  stop(): Promise<void> | void;
}

/**
 * Stops parts one after the other; one that fails keeps none of the others from stopping. Each failure is told in the log.
 * Rejects when all are through with what failed: the error of one, or an AggregateError whose message has the texts of all.
 */
export async function stopInOrder(parts: readonly StartedPart[], log: Log): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      await part.stop();
    } catch (error) {
      errors.push(error);
      log.error(
        { part: part.name ?? part.constructor.name, error: errorText(error) },
        "a part did not stop as it should",
      );
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(errorText).join("; "));
  if (errors.length === 1) throw errors[0];
}
