import { errorText, NvrdError } from "../base/index.js";

/** What keeps the recorder from getting a certificate, for who sets it up. */
export const ACME_PROBLEMS = [
  /** The recorder's own clock is not known to be right. */
  "ClockUnknown",
  /** The recorder has no port for plain HTTP (setting `httpPort`). */
  "HttpOff",
  /** The name of the authority's server has no address. */
  "ServerUnknown",
  /** Nothing answers at the authority's address, or it breaks off. */
  "ServerUnreachable",
  "ServerTooSlow",
  /** Nobody whom the recorder trusts has signed the certificate of the authority's server, or it is for another name. */
  "ServerUntrusted",
  /** It answers what ACME does not know: no directory, too much, an address elsewhere. */
  "ServerFaulty",
  /** It says that it cannot at present. */
  "ServerBusy",
  /** It has given enough for now; `untilUs` says until when. */
  "RateLimited",
  /** Its terms have changed, or were not agreed to. */
  "TermsChanged",
  /** It wants an account that its owner has with it already. */
  "AccountNeeded",
  /** It refuses the account, or the key that belongs to it. */
  "AccountRefused",
  "EmailRefused",
  /** It gives no certificates for such a name. */
  "NameRefused",
  /** A CAA record in DNS gives the name to other authorities. */
  "CaaForbids",
  /** The name has no address in DNS. */
  "NameUnknown",
  /** Nothing answers at port 80 of the name's address. */
  "NotReached",
  /** Something else answers there. */
  "OtherAnswers",
  /** It cannot look by http-01. */
  "NoChallenge",
  /** What it gave is no certificate for these names and this key, or its chain does not fit. */
  "CertificateUnfit",
  /** The recorder's own disk. */
  "CannotKeep",
  /** Anything else; the text says what. */
  "Other",
] as const;
export type AcmeProblem = (typeof ACME_PROBLEMS)[number];

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

/** Any failure as one that can be told; an AcmeFailure stays as it is. */
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
