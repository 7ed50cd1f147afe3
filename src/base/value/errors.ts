import { redactText } from "./redact-url.js";

/**
 * The catalogue of errors that leave the service: a code, an HTTP status, a sentence that says what to do.
 * Callers match on the code, never on the text. `docs/ref/errors.md` mirrors this table (checked in CI).
 */
export const ERRORS = {
  BAD_REQUEST: { status: 400, hint: "correct the named parameter" },
  BAD_TIME: {
    status: 400,
    hint: "write times as dd.MM.yyyy HH:mm:ss[.fff], in ISO 8601, or as M/d/yyyy h:mm:ss AM, UTC, the space as %20 or +",
  },
  UNAUTHORIZED: { status: 401, hint: "send login and password (MD5) in the query or by HTTP Basic" },
  FORBIDDEN: { status: 403, hint: "ask an administrator for the right this request needs" },
  PASSWORD_CHANGE_NEEDED: {
    status: 403,
    hint: "choose a password of your own first: POST /api/session/password",
  },
  NOT_FOUND: { status: 404, hint: "see GET /configex for the channels you may see" },
  METHOD_NOT_ALLOWED: { status: 405, hint: "use a method named in the Allow header" },
  CONFLICT: {
    status: 409,
    hint: "the configuration changed meanwhile: read it again and repeat the request",
  },
  IN_USE: { status: 409, hint: "take it out of use first" },
  PROTECTED_FULL: {
    status: 409,
    hint: "lift protections that are no longer needed, or raise the setting protectedPercentMax",
  },
  TOO_LARGE: { status: 413, hint: "send a smaller body" },
  URL_TOO_LONG: { status: 414, hint: "shorten the query: long lists go in the body of POST /archive_events" },
  TOO_MANY_REQUESTS: { status: 429, hint: "wait before trying again" },
  INTERNAL: { status: 500, hint: "see the service's log" },
  NOT_AVAILABLE: { status: 503, hint: "try again later" },
  NOT_SUPPORTED: { status: 501, hint: "this version cannot do it; see the release notes" },
  SETTINGS_INVALID: { status: 500, hint: "correct the named setting and start again" },
  ARCHIVE_LOCKED: { status: 503, hint: "stop the other nvrd that uses this data directory" },
  VOLUME_REFUSED: {
    status: 503,
    hint: "mount the right disk, or accept the one that is there: nvrd volume adopt PATH",
  },
  VOLUME_GIVEN_UP: {
    status: 503,
    hint: "adopt it to use it again, or take its disk out: nvrd volume adopt PATH",
  },
  FORMAT_NEWER: { status: 500, hint: "this data was written by a newer nvrd: install that version" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

export interface NvrdErrorOptions extends ErrorOptions {
  /** When to try again: `Retry-After` of the answer. */
  readonly retryAfterMs?: number;
  /** What to do, where the catalogue's hint does not fit; empty if the message says it already. */
  readonly hint?: string;
}

/**
 * An error with a code of the catalogue. The message says what happened, and to what; the hint what to do. Credentials
 * in addresses are masked: messages repeat what cameras say.
 */
export class NvrdError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, options?: NvrdErrorOptions) {
    super(redactText(message), options);
    this.name = "NvrdError";
    this.code = code;
    this.retryAfterMs = options?.retryAfterMs;
    this.hint = options?.hint ?? ERRORS[code].hint;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** The message of anything thrown, credentials in addresses masked. */
export function errorText(error: unknown): string {
  return redactText(error instanceof Error ? error.message : String(error));
}
