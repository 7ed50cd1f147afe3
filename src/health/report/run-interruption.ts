import { formatIsoTime, parseIsoTime, US_PER_MS } from "../../base/index.js";
import { RUN_ENDS, type RunEnd } from "../../contract/answer/index.js";
import { isUnclean, type Run } from "./run-history.js";

/** A run of the service that did not end in order. */
export interface RunInterruption {
  readonly kind: RunEnd;
  /** When it was last known to run, Unix microseconds: some minutes before its end at most. */
  readonly aliveUs: number;
}

/** The interruption of a run; undefined if it ended in order. */
export function interruptionOf({ end, aliveMs }: Run): RunInterruption | undefined {
  if (end === null || !isUnclean(end.kind)) return undefined;
  return { kind: end.kind, aliveUs: aliveMs * US_PER_MS };
}

/** The comment of an event `serviceInterrupted`. */
export function interruptionText({ kind, aliveUs }: RunInterruption): string {
  return `${kind}; it still ran at ${formatIsoTime(aliveUs)}`;
}

/** Reads such a comment; undefined for any other text. */
export function readInterruption(text: string): RunInterruption | undefined {
  const [, said, time = ""] = /^([a-z-]+); it still ran at (\S+)$/.exec(text) ?? [];
  const kind = RUN_ENDS.find((end) => end === said);
  const aliveUs = parseIsoTime(time);
  return kind === undefined || aliveUs === undefined ? undefined : { kind, aliveUs };
}
