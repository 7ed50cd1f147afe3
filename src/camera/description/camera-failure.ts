import { NvrdError } from "../../base/index.js";
import type { LostCause } from "../../contract/answer/index.js";

/** Why a request to a device failed: the causes of a lost stream, and those that only the device's answer shows. */
export type CameraFailureKind =
  | LostCause
  /** The device rejects the time of the request: its clock is wrong. */
  | "clock-off"
  /** The account is locked after too many wrong passwords. */
  | "locked"
  /** Every request that needs a login fails, and the device does not mention the login. */
  | "login-unclear"
  /** Something answers at the address, but it does not speak ONVIF. */
  | "not-onvif"
  /** The answer cannot be parsed, or is not the one expected. */
  | "bad-answer"
  /** The device reports that it is busy or starting. */
  | "busy"
  /** The device does not have the operation, or denies it to this user. */
  | "refused";

/** What a failure means for a stream of the device. */
const LOST_CAUSES: Readonly<Record<Exclude<CameraFailureKind, LostCause>, LostCause>> = {
  "clock-off": "unauthorized",
  locked: "unauthorized",
  "login-unclear": "unauthorized",
  "not-onvif": "no-stream",
  "bad-answer": "no-stream",
  busy: "unreachable",
  refused: "no-stream",
};

/** How a request to a device identifies the caller: not at all, by WS-Security, by HTTP Digest or Basic. */
export type LoginMethod = "none" | "token" | "http";

/**
 * By what a device may judge the time of a login: what it reports as UTC, its web server's, ours, or what it reports less its zone.
 * In the order in which they are tried.
 */
export const LOGIN_CLOCKS = ["told", "http", "own", "local"] as const;
export type LoginClockSource = (typeof LOGIN_CLOCKS)[number];

/** A clock, and by how many milliseconds it is ahead of ours. */
export interface LoginClock {
  readonly source: LoginClockSource;
  readonly offsetMs: number;
}

export interface CameraFailureOptions extends ErrorOptions {
  /** HTTP status of the answer, if the failure is an HTTP error. */
  readonly httpStatus?: number;
  /** Local names of the SOAP fault's code and subcodes, lower case, outermost first; empty when there was no fault. */
  readonly faultCodes?: readonly string[];
  /** Number of refused logins that the request cost; 0 when absent. */
  readonly loginTries?: number;
  /** How the login that was refused was sent; "none" when absent. */
  readonly loginMethod?: LoginMethod;
  /** The clocks by which it was stamped; none when absent. */
  readonly loginClocks?: readonly LoginClockSource[];
}

/** A failed request to a device. The message is for the installer: what happened, to what, what to do; no secret. */
export class CameraFailure extends NvrdError {
  readonly kind: CameraFailureKind;
  readonly httpStatus: number | undefined;
  readonly faultCodes: readonly string[];
  readonly loginTries: number;
  readonly loginMethod: LoginMethod;
  readonly loginClocks: readonly LoginClockSource[];

  constructor(kind: CameraFailureKind, message: string, options?: CameraFailureOptions) {
    super("NOT_AVAILABLE", message, { ...options, hint: "" });
    this.name = "CameraFailure";
    this.kind = kind;
    this.httpStatus = options?.httpStatus;
    this.faultCodes = options?.faultCodes ?? [];
    this.loginTries = options?.loginTries ?? 0;
    this.loginMethod = options?.loginMethod ?? "none";
    this.loginClocks = options?.loginClocks ?? [];
  }

  get lostCause(): LostCause {
    return lostCauseOf(this.kind);
  }
}

export function lostCauseOf(kind: CameraFailureKind): LostCause {
  return isDeviceKind(kind) ? LOST_CAUSES[kind] : kind;
}

function isDeviceKind(kind: CameraFailureKind): kind is Exclude<CameraFailureKind, LostCause> {
  return Object.hasOwn(LOST_CAUSES, kind);
}
