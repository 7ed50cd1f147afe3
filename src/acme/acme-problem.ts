import { errorText, NvrdError } from "../base/index.js";
import type { AcmeProblem } from "../contract/answer/index.js";

const DETAIL_LENGTH_MAX = 300;

export interface AcmeFailureOptions extends ErrorOptions {
  /** The host name it is about. */
  readonly name?: string | undefined;
  /** Before this it is no use to try again, Unix µs. */
  readonly untilUs?: number | undefined;
}

/** A failure on the way to a certificate. The message may quote the authority's server. */
export class AcmeFailure extends NvrdError {
  readonly problem: AcmeProblem;
  readonly host: string | undefined;
  readonly untilUs: number | undefined;

  constructor(problem: AcmeProblem, message: string, options: AcmeFailureOptions = {}) {
    super("NOT_AVAILABLE", message, { cause: options.cause, hint: "" });
    this.problem = problem;
    this.host = options.name;
    this.untilUs = options.untilUs;
  }
}

/** One line of what a server wrote. */
export function quoted(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]+/gu, " ").slice(0, DETAIL_LENGTH_MAX);
}

const BY_CODE: Readonly<Record<string, AcmeProblem>> = {
  ENOTFOUND: "ServerUnknown",
  EAI_AGAIN: "ServerUnknown",
  ECONNREFUSED: "ServerUnreachable",
  ECONNRESET: "ServerUnreachable",
  EHOSTUNREACH: "ServerUnreachable",
  ENETUNREACH: "ServerUnreachable",
  EPIPE: "ServerUnreachable",
  ETIMEDOUT: "ServerTooSlow",
  HPE_HEADER_OVERFLOW: "ServerFaulty",
  ENOSPC: "CannotKeep",
  EROFS: "CannotKeep",
  EACCES: "CannotKeep",
  EDQUOT: "CannotKeep",
  EIO: "CannotKeep",
};

/** Any failure as an AcmeFailure. */
export function acmeFailure(error: unknown): AcmeFailure {
  if (error instanceof AcmeFailure) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return new AcmeFailure(problemOfCode(code), quoted(errorText(error)), { cause: error });
}

/** Codes of Node and of OpenSSL's verification, which are many and all about the certificate. */
function problemOfCode(code: string): AcmeProblem {
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (/^ERR_SSL|^EPROTO$|^HPE_/.test(code)) return "ServerFaulty";
  return /CERT|SIGNATURE|^ERR_TLS/.test(code) ? "ServerUntrusted" : "Other";
}
