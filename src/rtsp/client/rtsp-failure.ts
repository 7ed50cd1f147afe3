import { errorText, NvrdError } from "../../base/index.js";
import type { LostCause } from "../../live/index.js";

/** Why an attempt to receive a stream ended; the supervisor's delays and words follow from it. */
export type FailureKind =
  /** The port answers with a reset: the device is up, its RTSP service is not. */
  | "refused"
  /** No answer at all, no route, or no such name. */
  | "unreachable"
  /** The camera closed the connection or ended the session. */
  | "closed"
  | "tls"
  /** An answer did not come in time. */
  | "no-answer"
  | "unauthorized"
  | "not-found"
  /** The camera answered with another error status. */
  | "rejected"
  /** The camera serves no further session now (453, 503). */
  | "busy"
  /** Nothing in the offer that nvrd can take. */
  | "unsupported"
  /** Neither transport is accepted. */
  | "transport"
  /** What came was no RTSP. */
  | "protocol"
  | "no-frames"
  | "stalled"
  /** We were told to stop. */
  | "stopped";

/** What each kind is to a stream that had no frames yet; one that had was interrupted, where the camera went away. */
const CAUSES: Readonly<Record<FailureKind, LostCause>> = {
  refused: "unreachable",
  unreachable: "unreachable",
  closed: "unreachable",
  tls: "insecure",
  "no-answer": "unreachable",
  unauthorized: "unauthorized",
  "not-found": "no-stream",
  rejected: "no-stream",
  busy: "no-stream",
  unsupported: "unsupported",
  transport: "unsupported",
  protocol: "no-stream",
  "no-frames": "no-stream",
  stalled: "interrupted",
  stopped: "interrupted",
};

/** The cause that a failure is to a stream; `hadFrames`: frames came in the session that it ended. */
export function causeOf(kind: FailureKind, hadFrames: boolean): LostCause {
  const cause = CAUSES[kind];
  return hadFrames && cause === "unreachable" ? "interrupted" : cause;
}

/** A failed attempt. The message is for the installer: what happened, to what, what to do; it holds no secret. */
export class RtspFailure extends NvrdError {
  readonly kind: FailureKind;
  /** The status the camera answered with, where it was that. */
  readonly rtspStatus: number | undefined;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions & { readonly rtspStatus?: number }) {
    super("NOT_AVAILABLE", message, options);
    this.name = "RtspFailure";
    this.kind = kind;
    this.rtspStatus = options?.rtspStatus;
  }
}

/** What the operating system said about a connection to `place`, in words; `secure`: it was to be TLS. */
export function connectionFailure(error: Error | undefined, place: string, secure: boolean): RtspFailure {
  if (error === undefined) return new RtspFailure("closed", `${place} closed the connection`);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const cause = { cause: error };
  if (code === "ECONNREFUSED") {
    const words = secure
      ? `${place} refuses the secure connection: switch RTSPS on in the camera, check its port, or it is starting`
      : `${place} refuses the connection: check the port; the camera may still be starting`;
    return new RtspFailure("refused", words, cause);
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new RtspFailure(
      "unreachable",
      `the name of ${place} is unknown: check the address and the DNS server`,
      cause,
    );
  }
  if (["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ENETDOWN", "ETIMEDOUT", "EADDRNOTAVAIL"].includes(code)) {
    return new RtspFailure(
      "unreachable",
      `${place} cannot be reached: check power, cable and address`,
      cause,
    );
  }
  if (["ECONNRESET", "EPIPE", "ECONNABORTED"].includes(code)) {
    return new RtspFailure("closed", `${place} closed the connection`, cause);
  }
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    return new RtspFailure(
      "tls",
      `the secure connection to ${place} failed (${code}): check the camera's certificate and time`,
      cause,
    );
  }
  return new RtspFailure(
    "unreachable",
    `the connection to ${place} failed${code === "" ? "" : ` (${code})`}`,
    cause,
  );
}

/** Something threw where nothing should: kept apart in the log by its cause, whose stack tells where. */
export function unforeseen(place: string, error: unknown): RtspFailure {
  return new RtspFailure("protocol", `what ${place} sent could not be handled: ${errorText(error)}`, {
    cause: error,
  });
}

/** A final status other than 200 and 401 as a failure. */
export function statusFailure(status: number, reason: string, request: string): RtspFailure {
  const shown = `${status} ${reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 60)}`.trim();
  const options = { rtspStatus: status };
  if (status === 404 || status === 410) {
    return new RtspFailure(
      "not-found",
      `the camera has no stream at this address (${shown}): check the path`,
      options,
    );
  }
  if (status === 403) {
    return new RtspFailure(
      "unauthorized",
      `the camera denies this user the stream (${shown}): check its rights`,
      options,
    );
  }
  if (status === 453 || status === 503) {
    return new RtspFailure(
      "busy",
      `the camera is busy (${shown}): it may serve too many viewers; its streams that work go on`,
      options,
    );
  }
  return new RtspFailure("rejected", `the camera answered ${request} with ${shown}`, options);
}
