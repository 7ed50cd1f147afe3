import { NvrdError } from "../../base/index.js";

/** The result of a check, from the running service or offline. */
export interface CheckOutcome {
  /** Whether there were no problems, or all were repaired. */
  readonly clean: boolean;
  /** The report as text. */
  readonly text: string;
  /** The report as JSON. */
  readonly report: unknown;
}

export interface CheckOptions {
  /** Repair the index from the recordings. */
  readonly rebuild: boolean;
  /** Read every byte. */
  readonly deep: boolean;
  readonly progress?: (line: string) => void;
}

/** Validates a check's result received over the control socket. Throws NvrdError INTERNAL. */
export function readOutcome(data: unknown): CheckOutcome {
  if (typeof data === "object" && data !== null && "clean" in data && "text" in data && "report" in data) {
    return { clean: data.clean === true, text: String(data.text), report: data.report };
  }
  throw new NvrdError("INTERNAL", "the report of the service is invalid");
}
