import { NvrdError } from "../../base/index.js";

/** What a check found, from the running service or offline. */
export interface CheckOutcome {
  /** Whether nothing is wrong, or everything was repaired. */
  readonly clean: boolean;
  /** The report for people. */
  readonly text: string;
  /** The report for programs. */
  readonly report: unknown;
}

export interface CheckOptions {
  /** Repair the index from the recordings. */
  readonly rebuild: boolean;
  /** Read every byte. */
  readonly deep: boolean;
  readonly progress?: (line: string) => void;
}

/** Reads a check's outcome that came over the control socket. Throws NvrdError INTERNAL. */
export function readOutcome(data: unknown): CheckOutcome {
  if (typeof data === "object" && data !== null && "clean" in data && "text" in data && "report" in data) {
    return { clean: data.clean === true, text: String(data.text), report: data.report };
  }
  throw new NvrdError("INTERNAL", "the service's report is not understood");
}
