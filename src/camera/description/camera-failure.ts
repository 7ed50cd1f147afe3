import { NvrdError } from "../../base/index.js";
import type { LostCause } from "../../live/index.js";

/** Why a device could not be asked; a stream's causes, and what only a device's own answers tell. */
export type CameraFailureKind =
  | LostCause
  /** The device says that the time of our request is wrong: its clock is. */
  | "clock-off"
  /** The account is locked, by too many wrong passwords. */
  | "locked"
  /** The device fails all that needs a login, without a word on the login. */
  | "login-unclear"
  /** Something answers there, and it does not speak ONVIF. */
  | "not-onvif"
  /** The device answers with what cannot be read, or is not what was asked for. */
  | "bad-answer"
  /** The device says that it is busy or starting. */
  | "busy"
  /** The device has no such operation, or does not do it for us. */
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

export interface CameraFailureOptions extends ErrorOptions {
  /** HTTP status that the device answered with, where it was that. */
  readonly httpStatus?: number;
  /** Local names of the SOAP fault's code and subcodes, lower case, outermost first; empty when there was no fault. */
  readonly faultCodes?: readonly string[];
  /** How often the device was sent a login that it refused, to find this out; 0 when absent. */
  readonly loginTries?: number;
  /** How the login that was refused was sent; "none" when absent. */
  readonly loginMethod?: LoginMethod;
}

/** A device that could not be asked. The message is for the installer: what happened, to what, what to do; no secret. */
export class CameraFailure extends NvrdError {
  readonly kind: CameraFailureKind;
  readonly httpStatus: number | undefined;
  readonly faultCodes: readonly string[];
  readonly loginTries: number;
  readonly loginMethod: LoginMethod;

  constructor(kind: CameraFailureKind, message: string, options?: CameraFailureOptions) {
    super("NOT_AVAILABLE", message, { ...options, hint: "" });
    this.name = "CameraFailure";
    this.kind = kind;
    this.httpStatus = options?.httpStatus;
    this.faultCodes = options?.faultCodes ?? [];
    this.loginTries = options?.loginTries ?? 0;
    this.loginMethod = options?.loginMethod ?? "none";
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
