import { inspect } from "node:util";
import { PATIENCE_MS } from "./patience.js";

/** Time between two looks. */
const LOOK_MS = 5;
/** What is shown of what was seen. */
const SHOWN = { depth: 4, maxStringLength: 4000, maxArrayLength: 50, breakLength: 120 } as const;

export interface WaitOptions {
  readonly timeoutMs?: number;
  /** What to show where it does not come: where a test has no other check, this is all that its failure says. */
  readonly seen?: () => unknown;
}

/** Waits, in real time, until `holds`; throws naming `what`, and what was seen instead, when it does not in time. */
export async function until(
  what: string,
  holds: () => boolean,
  options: number | WaitOptions = PATIENCE_MS,
): Promise<void> {
  const { timeoutMs = PATIENCE_MS, seen } = typeof options === "number" ? { timeoutMs: options } : options;
  const deadline = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > deadline) {
      const shown = seen === undefined ? "" : `; seen: ${inspect(seen(), SHOWN)}`;
      throw new Error(`not within ${timeoutMs} ms: ${what}${shown}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
