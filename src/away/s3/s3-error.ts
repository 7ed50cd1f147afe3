import { errorText, MS_PER_MINUTE, MS_PER_SECOND } from "../../base/index.js";

/** Why a request to object storage failed, as far as it matters for what to do. */
export type S3Fault =
  | "unreachable"
  | "not-trusted"
  | "proxy"
  | "too-slow"
  | "wrong-key"
  | "expired"
  | "forbidden"
  | "no-bucket"
  | "not-found"
  | "wrong-region"
  | "clock"
  | "full"
  | "digest"
  | "busy"
  | "unsupported"
  | "locked"
  | "no-lock"
  | "sealed"
  | "answer";

/** Faults that another try cannot mend while nobody changes target, server or clock: they are tried less often. */
const LASTING: ReadonlySet<S3Fault> = new Set<S3Fault>([
  "not-trusted",
  "wrong-key",
  "expired",
  "forbidden",
  "no-bucket",
  "wrong-region",
  "clock",
  "full",
  "unsupported",
  "locked",
  "no-lock",
  "sealed",
]);

/** A request to object storage failed; the message is in plain words and names no secret. */
export class S3Error extends Error {
  readonly fault: S3Fault;
  /** The server's own code, for example `SlowDown`; empty if it gave none. */
  readonly code: string;
  /** What the server asks to wait (`Retry-After`). */
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: S3Fault,
    message: string,
    options: ErrorOptions & { readonly code?: string; readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.name = "S3Error";
    this.fault = fault;
    this.code = options.code ?? "";
    this.retryAfterMs = options.retryAfterMs;
  }

  get isLasting(): boolean {
    return LASTING.has(this.fault);
  }
}

/** An answer that is no success. */
export interface FailedAnswer {
  readonly host: string;
  readonly bucket: string;
  /** It is another recorder that answered. */
  readonly isRecorder?: boolean;
  readonly status: number;
  /** `Code` of the error document; empty if there is none, as after HEAD. */
  readonly code: string;
  readonly retryAfter: string | undefined;
  /** Server's clock less ours; undefined if the answer has no date. */
  readonly aheadMs: number | undefined;
}

const FAULT_OF_CODE: Readonly<Record<string, S3Fault>> = {
  AccessDenied: "forbidden",
  AccountProblem: "forbidden",
  AllAccessDisabled: "forbidden",
  AuthorizationHeaderMalformed: "wrong-region",
  BadDigest: "digest",
  EntityTooLarge: "full",
  ExpiredToken: "expired",
  IllegalLocationConstraintException: "wrong-region",
  InvalidAccessKeyId: "wrong-key",
  InvalidBucketName: "no-bucket",
  InvalidDigest: "digest",
  InvalidToken: "expired",
  NoSuchBucket: "no-bucket",
  NoSuchKey: "not-found",
  NoSuchLifecycleConfiguration: "not-found",
  NoSuchUpload: "not-found",
  NotImplemented: "unsupported",
  ObjectLockConfigurationNotFoundError: "no-lock",
  PermanentRedirect: "wrong-region",
  QuotaExceeded: "full",
  RequestTimeout: "too-slow",
  RequestTimeTooSkewed: "clock",
  SignatureDoesNotMatch: "wrong-key",
  SlowDown: "busy",
  TokenRefreshRequired: "expired",
  XAmzContentSHA256Mismatch: "digest",
  XMinioStorageFull: "full",
};

const FAULT_OF_STATUS: Readonly<Record<number, S3Fault>> = {
  301: "wrong-region",
  307: "wrong-region",
  401: "wrong-key",
  403: "forbidden",
  404: "not-found",
  407: "proxy",
  408: "too-slow",
  413: "full",
  429: "busy",
  501: "unsupported",
  507: "full",
};
const SERVER_FAULT_MIN = 500;
/** Servers refuse requests whose time is farther off. */
const AHEAD_MS_MAX = 15 * MS_PER_MINUTE;

/** Said of a proxy that refuses the login, or the lack of one. */
export const PROXY_LOGIN_WORDS =
  "wants another login (it answered 407): correct ProxyLogin and ProxyPassword";

/** What an answer means, and what to do about it. */
export function errorOfAnswer(answer: FailedAnswer): S3Error {
  const { status, code, retryAfter, aheadMs } = answer;
  const byStatus = FAULT_OF_STATUS[status] ?? (status >= SERVER_FAULT_MIN ? "busy" : "answer");
  const named = FAULT_OF_CODE[code] ?? byStatus;
  // Some servers call a wrong time a refusal, and HEAD has no code at all.
  const isClock = status === 403 && aheadMs !== undefined && Math.abs(aheadMs) > AHEAD_MS_MAX;
  const fault = isClock ? "clock" : named;
  const seconds = Number(retryAfter);
  const retryAfterMs = retryAfter !== undefined && seconds >= 0 ? seconds * MS_PER_SECOND : undefined;
  return new S3Error(fault, wordsOf(fault, answer), {
    code,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** What only a recorder answers for other reasons than a server. */
const RECORDER_WORDS: Partial<Readonly<Record<S3Fault, string>>> = {
  forbidden: "the other recorder takes nothing more from this one: give it a share of a disk there",
  "no-bucket": "the other recorder gives this one no share of its disk",
  full: "the other recorder has no room for more: make room there, or give this recorder a larger share of its disk",
};

const DISK_FULL_WORDS = "the disk of the other recorder is full: make room there";

function wordsOf(fault: S3Fault, answer: FailedAnswer): string {
  const { host, bucket, status, code, aheadMs = 0 } = answer;
  const said = code === "" ? `${host} answered ${status}` : `${host} answered ${status} ${code}`;
  const known = code === "DiskFull" ? DISK_FULL_WORDS : RECORDER_WORDS[fault];
  const words = answer.isRecorder === true ? known : undefined;
  if (words !== undefined) return `${words} (${said})`;
  switch (fault) {
    case "wrong-key":
      return `the access key or its secret is wrong (${said}): enter both again`;
    case "expired":
      return `the credentials have expired (${said}): enter new ones`;
    case "forbidden":
      return `the access key may not do this in the bucket ${bucket} (${said}): allow it to list, read, write and delete there`;
    case "no-bucket":
      return `there is no bucket ${bucket} (${said}): create it, or correct its name, the endpoint or the style`;
    case "not-found":
      return `it is not there (${said})`;
    case "wrong-region":
      return `the bucket ${bucket} belongs to another region or endpoint (${said}): correct the region`;
    case "clock":
      return `the clock is off (${said}): the server's is ${clockWords(aheadMs)}; set this box's clock`;
    case "full":
      return `the storage is full (${said}): make room there or raise its quota`;
    case "digest":
      return `what arrived is not what was sent (${said})`;
    case "proxy":
      return `the proxy ${PROXY_LOGIN_WORDS}`;
    case "unsupported":
      return `the storage does not know this (${said})`;
    case "no-lock":
      return `the bucket ${bucket} has no object lock (${said}): it can only be had by a new bucket that is created with it`;
    case "busy":
      return `the storage is busy or disturbed (${said})`;
    case "too-slow":
      return `the storage waited too long for the data (${said})`;
    default:
      return `unexpected: ${said}`;
  }
}

export function clockWords(aheadMs: number): string {
  const minutes = Math.round(Math.abs(aheadMs) / MS_PER_MINUTE);
  return `${minutes} minutes ${aheadMs >= 0 ? "ahead" : "behind"}`;
}

const NOT_TRUSTED = /CERT|SELF_SIGNED|ISSUER|VERIFY|ALTNAME/;

/** What an error of the connection means. */
export function errorOfConnection(host: string, error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const options = { cause: error, code };
  if (NOT_TRUSTED.test(code)) return new S3Error("not-trusted", trustWords(host, code), options);
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return new S3Error(
      "not-trusted",
      `${host} does not speak TLS as expected: check whether the endpoint is http:// or https://, and its port`,
      options,
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new S3Error("unreachable", `the name ${host} cannot be resolved`, options);
  if (code === "ECONNREFUSED")
    return new S3Error("unreachable", `${host} refuses connections: nothing listens there`, options);
  return new S3Error("unreachable", `${host} cannot be reached: ${errorText(error)}`, options);
}

function trustWords(host: string, code: string): string {
  if (code === "CERT_HAS_EXPIRED") return `the certificate of ${host} has expired: renew it there`;
  if (code === "CERT_NOT_YET_VALID")
    return `the certificate of ${host} is not valid yet: check this box's clock`;
  if (code.includes("ALTNAME"))
    return `the certificate of ${host} is for another name: use the name that is in it`;
  return `the certificate of ${host} is not trusted: enter the certificate of its authority`;
}
