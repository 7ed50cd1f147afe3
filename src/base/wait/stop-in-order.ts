import type { Log } from "../log/log.js";
import { errorText } from "../value/errors.js";

/** A part of the service, or of one of its parts, that has started, or tried to. */
export interface StartedPart {
  /** Its name in the log; default: the name of its class. */
  readonly name?: string;
  stop(): Promise<void> | void;
}

/**
 * Stops parts one after the other, and continues after a failure. Each failure is logged. Rejects at the end if any
 * failed: with its error, or with an AggregateError whose message joins all texts.
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
        "a part failed to stop",
      );
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(errorText).join("; "));
  if (errors.length === 1) throw errors[0];
}
