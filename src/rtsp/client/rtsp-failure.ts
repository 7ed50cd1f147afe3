import { errorText, NvrdError } from "../../base/index.js";
import type { LostCause } from "../../contract/answer/index.js";
import type { ChallengeVerdict } from "./authentication.js";
import type { ForeignProtocol } from "./socket/interleaved-demuxer.js";

/** Why an attempt to receive a stream ended; determines the retry delay and the reported cause. */
export type FailureKind =
  /** The port refuses connections: the device is up, its RTSP service is not. */
  | "refused"
  /** No answer at all, no route, or an unknown name. */
  | "unreachable"
  /** The camera closed the connection or ended the session. */
  | "closed"
  | "tls"
  /** The camera's key is not the one that it had before. */
  | "key-changed"
  /** An answer did not come in time. */
  | "no-answer"
  | "unauthorized"
  | "not-found"
  /** The camera answered with another error status. */
  | "rejected"
  /** The camera accepts no further session now (453, 503). */
  | "busy"
  /** The offer has nothing that nvrd supports. */
  | "unsupported"
  /** Neither transport is accepted. */
  | "transport"
  /** The peer does not speak RTSP. */
  | "protocol"
  /** Nothing came after PLAY. */
  | "no-data"
  /** Packets came after PLAY, and no picture could be made of them. */
  | "no-frames"
  | "stalled"
  /** The source was stopped. */
  | "stopped";

/**
 * Cause of a lost stream by kind of failure, if it had no frames yet. If it had, and the camera went away, it is
 * "interrupted".
 */
const CAUSES: Readonly<Record<FailureKind, LostCause>> = {
  refused: "unreachable",
  unreachable: "unreachable",
  closed: "unreachable",
  tls: "insecure",
  "key-changed": "certificate-changed",
  "no-answer": "unreachable",
  unauthorized: "unauthorized",
  "not-found": "no-stream",
  rejected: "no-stream",
  busy: "no-stream",
  unsupported: "unsupported",
  transport: "unsupported",
  protocol: "no-stream",
  "no-data": "no-stream",
  "no-frames": "no-stream",
  stalled: "interrupted",
  stopped: "interrupted",
};

/** The cause to report for a failure; `hadFrames`: the session that it ended had frames. */
export function causeOf(kind: FailureKind, hadFrames: boolean): LostCause {
  const cause = CAUSES[kind];
  return hadFrames && cause === "unreachable" ? "interrupted" : cause;
}

/** A failed attempt. The message is for the installer: what happened, to what, what to do; it holds no secret. */
export class RtspFailure extends NvrdError {
  readonly kind: FailureKind;
  /** The RTSP status of the camera's response, if that was the failure. */
  readonly rtspStatus: number | undefined;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions & { readonly rtspStatus?: number }) {
    super("NOT_AVAILABLE", message, options);
    this.name = "RtspFailure";
    this.kind = kind;
    this.rtspStatus = options?.rtspStatus;
  }
}

/** The failure for a system error of a connection to `place`; `secure`: over TLS. */
export function connectionFailure(error: Error | undefined, place: string, secure: boolean): RtspFailure {
  if (error instanceof RtspFailure) return error;
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
    return new RtspFailure("closed", `${place} reset the connection`, cause);
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

/** The failure of a camera at `place` that shows another key than before; nothing was sent to it. */
export function keyChangedWords(place: string): string {
  return `${place} shows another certificate than before, so the login is not sent to it: was the camera replaced, reset or given a new certificate? Then accept the new one in its settings; else another device is in its place`;
}

/** A login that a server asked for and that was not accepted, or not sent. */
export function unauthorizedFailure(verdict: ChallengeVerdict): RtspFailure {
  if (verdict === "no-credentials") {
    return new RtspFailure("unauthorized", "the camera asks for a user name and a password: enter them");
  }
  if (verdict === "unsupported") {
    return new RtspFailure(
      "unauthorized",
      "the camera asks for a kind of authentication that is not supported: allow Digest or Basic",
    );
  }
  return new RtspFailure("unauthorized", "the camera refuses user name or password: correct them");
}

/** What a port speaks instead of RTSP, and what to do about it. */
export function foreignFailure(protocol: ForeignProtocol, place: string): RtspFailure {
  const words =
    protocol === "http"
      ? `a web server answers at ${place}: check that the port is the camera's RTSP port, which is usually 554`
      : `${place} takes encrypted connections only: write rtsps:// in place of rtsp://, or use the camera's port for RTSP`;
  return new RtspFailure("protocol", words);
}

/** The camera does not know the session any more. */
export function droppedSession(): RtspFailure {
  return new RtspFailure("closed", "the camera has dropped the session");
}

/** An unexpected exception; its cause and stack are kept for the log. */
export function unexpectedFailure(place: string, error: unknown): RtspFailure {
  return new RtspFailure("protocol", `data from ${place} could not be handled: ${errorText(error)}`, {
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
      `the camera is busy (${shown}): it may have too many viewers; streams that already run continue`,
      options,
    );
  }
  return new RtspFailure("rejected", `the camera answered ${request} with ${shown}`, options);
}
