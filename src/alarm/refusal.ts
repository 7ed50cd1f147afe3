import { NvrdError } from "../base/index.js";

/** RFC 9110 and 6585: the server asks for another time, or cannot be reached by its proxy now; the message is not at fault. */
const COME_AGAIN: readonly number[] = [408, 425, 429, 502, 503, 504];
const STATUS_OK_MIN = 200;
const STATUS_OK_MAX = 299;
const STATUS_FAILED_MIN = 500;
const SMTP_REFUSED_MIN = 500;

/** The receiver answered that it does not take this message: by its answer, sending the same at once again does not help. */
export class Refusal extends Error {
  /** The server failed at it (RFC 9110, 15.6): that may pass, or be the message's fault. */
  readonly mayPass: boolean;

  constructor(problem: string, { mayPass = false } = {}) {
    super(problem);
    this.mayPass = mayPass;
  }
}

export function isAccepted(status: number): boolean {
  return status >= STATUS_OK_MIN && status <= STATUS_OK_MAX;
}

/**
 * The error for an HTTP answer that does not accept the message: a refusal, unless it asks for another time.
 * @param waitMs How long the receiver is to be left alone; 0 where it does not say.
 */
export function notTaken(problem: string, status: number, waitMs: number): Error {
  if (waitMs === 0 && !COME_AGAIN.includes(status))
    return new Refusal(problem, { mayPass: status >= STATUS_FAILED_MIN });
  return new NvrdError("NOT_AVAILABLE", problem, waitMs > 0 ? { retryAfterMs: waitMs } : {});
}

/** Whether what a mail library throws is an answer of RFC 5321, 4.2.1, that is not to be tried again. */
export function isRefusedMail(error: unknown): boolean {
  const { responseCode } = Object(error) as { readonly responseCode?: unknown };
  return typeof responseCode === "number" && responseCode >= SMTP_REFUSED_MIN;
}
