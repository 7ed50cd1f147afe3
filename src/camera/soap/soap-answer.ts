import { withoutSecret } from "../../base/index.js";
import { CameraFailure, type CameraFailureKind } from "../description/camera-failure.js";
import { clean, type XmlElement } from "../xml/xml-element.js";
import { readXml, type XmlReading } from "../xml/xml-reader.js";
import { XmlError } from "../xml/xml-tokens.js";
import { type HttpAnswer, messageIn } from "./http-body.js";

/** Maximum length of a fault's text in messages, in characters. */
const REASON_LENGTH_MAX = 120;
/** How much of an answer that is not SOAP is searched for known phrases, in bytes. */
const SEARCH_BYTES_MAX = 4096;
/** Maximum nesting of a fault's subcodes. */
const FAULT_CODES_MAX = 6;

/** Phrases of a device that has no password yet; unambiguous in any answer. */
const NOT_ACTIVATED = /not\s*(been\s*)?activated|needs?\s+activation|must\s+be\s+activated|pwdroot/i;
/** Phrases with the same meaning, but only in the answer to a login. */
const NOT_ACTIVATED_AT_LOGIN =
  /inactiv|unactivat|not\s*(been\s*)?initiali[sz]ed|uninitiali[sz]ed|(set|change)\s+(a|the|your)\s+(first|initial|default)\s+password/i;
const LOCKED =
  /<lockstatus>\s*lock|\b(account|user|login)\b[^<]{0,40}\b(locked|blocked)\b|(account|user)locked|\btoo\s+many\b[^<]{0,40}\b(attempts|logins|failures)/i;
const TIME_WRONG = /messageexpired|timestamp|time\s*(stamp|check|skew|mismatch|out of)|expired|clock/i;
/** Hanwha's status for a blocked account. */
const STATUS_ACCOUNT_BLOCKED = 490;

/** Fault codes that mean a refused login (ONVIF Core, 5.11.2.2; WS-Security 1.0, 12), lower case. */
const UNAUTHORIZED_CODES = new Set([
  "notauthorized",
  "unauthorized",
  "failedauthentication",
  "failedcheck",
  "invalidsecurity",
  "invalidsecuritytoken",
]);
const UNAUTHORIZED_REASON = /not\s*auth|unauthori[sz]ed|auth\w*\s+fail/i;
const UNSUPPORTED_CODES = new Set(["actionnotsupported", "notimplemented", "optionalactionnotimplemented"]);

export interface AnswerContext {
  /** `host:port` for messages. */
  readonly place: string;
  /** Name of the operation that was asked for. */
  readonly operation: string;
  /** Text that must never appear in messages, even if the device echoes it; empty: none. */
  readonly secret: string;
}

/** Of an answer that is read as SOAP. */
export interface SoapContext extends AnswerContext {
  readonly reading: XmlReading;
}

/** The response element of a SOAP answer. Rejects with CameraFailure, with what the device says instead. */
export async function soapResponse(answer: HttpAnswer, context: SoapContext): Promise<XmlElement> {
  const body = await envelopeBody(answer, context);
  if (body instanceof CameraFailure) throw body;
  const fault = body.child("Fault");
  if (fault !== undefined) throw faultFailure(fault, answer, context);
  const response = body.child(`${context.operation}Response`);
  if (response !== undefined) return response;
  if (answer.status !== 200) throw statusFailure(answer, context);
  throw new CameraFailure(
    "bad-answer",
    `${context.place} answered ${context.operation} with an unexpected element`,
  );
}

async function envelopeBody(answer: HttpAnswer, context: SoapContext): Promise<XmlElement | CameraFailure> {
  const charset = /charset=["']?([\w.:-]{1,40})/i.exec(answer.header("content-type"))?.[1];
  try {
    const document = await readXml(messageIn(answer.body), { ...context.reading, charset });
    return document.at("Envelope", "Body") ?? statusFailure(answer, context);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    if (answer.status !== 200 || isWebPage(answer)) return statusFailure(answer, context);
    const message = `the answer of ${context.place} to ${context.operation} cannot be read: ${error.message}`;
    return new CameraFailure("bad-answer", message);
  }
}

/** The CameraFailure for a fault of SOAP 1.2 (5.4) or SOAP 1.1. */
function faultFailure(fault: XmlElement, answer: HttpAnswer, context: AnswerContext): CameraFailure {
  const codes = faultCodes(fault);
  const reason = shown(fault.text("Reason", "Text") || fault.text("faultstring"), context.secret);
  const detail = `${codes.join(" ")} ${reason} ${fault.text("Detail", "Text")}`;
  const options = { httpStatus: answer.status, faultCodes: codes };
  const { place, operation } = context;
  const isRefusal =
    codes.some((code) => UNAUTHORIZED_CODES.has(code)) ||
    answer.status === 401 ||
    UNAUTHORIZED_REASON.test(reason);
  const special = wordsKind(detail, isRefusal);
  if (special !== undefined) return specialFailure(special, place, options);
  if (isRefusal) {
    if (TIME_WRONG.test(detail)) return clockFailure(place, options);
    return new CameraFailure("unauthorized", refusal(place, operation), options);
  }
  if (codes.includes("messageexpired")) return clockFailure(place, options);
  const words = [codes.at(-1) ?? "", reason].filter((text) => text !== "").join(": ");
  const message = `${place} refuses ${operation}${words === "" ? "" : ` (${words})`}`;
  return new CameraFailure("refused", message, options);
}

function clockFailure(place: string, options: { readonly httpStatus: number }): CameraFailure {
  const message = `${place} refuses the login because of its time: set the camera's clock, then try again`;
  return new CameraFailure("clock-off", message, options);
}

/** Whether the failure means that the device does not have the operation. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof CameraFailure && error.faultCodes.some((code) => UNSUPPORTED_CODES.has(code));
}

function faultCodes(fault: XmlElement): string[] {
  const codes = [];
  let code = fault.child("Code");
  for (let depth = 0; code !== undefined && depth < FAULT_CODES_MAX; depth += 1) {
    codes.push(localName(code.text("Value")));
    code = code.child("Subcode");
  }
  return codes.length > 0 ? codes : [localName(fault.text("faultcode"))].filter((name) => name !== "");
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1).toLowerCase();
}

/** The CameraFailure for an HTTP status without a SOAP body. */
export function statusFailure(answer: HttpAnswer, context: AnswerContext): CameraFailure {
  const { place, operation } = context;
  const { status } = answer;
  const options = { httpStatus: status };
  const text = answer.body.toString("latin1", 0, SEARCH_BYTES_MAX);
  const special =
    status === STATUS_ACCOUNT_BLOCKED
      ? "locked"
      : status === 200
        ? undefined
        : wordsKind(text, status === 401 || status === 403);
  if (special !== undefined) return specialFailure(special, place, options);
  if (status === 401 || status === 403) {
    return new CameraFailure("unauthorized", refusal(place, operation, status), options);
  }
  if (status === 503 || status === 429) {
    return new CameraFailure(
      "busy",
      `${place} reports that it is busy (${status}): try again in a minute`,
      options,
    );
  }
  if (status === 404 || status === 405 || status === 410) {
    const message = `${place} has no ONVIF service at this address (${status}): is ONVIF enabled in the camera?`;
    return new CameraFailure("not-onvif", message, options);
  }
  if (isWebPage(answer)) {
    const message = `${place} answers with a web page instead of ONVIF: enable ONVIF in the camera, or check the port`;
    return new CameraFailure("not-onvif", message, options);
  }
  if (status === 200) {
    const what = answer.body.length === 0 ? "nothing" : "something other than SOAP";
    return new CameraFailure("bad-answer", `${place} answered ${operation} with ${what}`, options);
  }
  return new CameraFailure("bad-answer", `${place} answered ${operation} with status ${status}`, options);
}

function wordsKind(text: string, atLogin: boolean): "not-activated" | "locked" | undefined {
  if (NOT_ACTIVATED.test(text) || (atLogin && NOT_ACTIVATED_AT_LOGIN.test(text))) return "not-activated";
  return LOCKED.test(text) ? "locked" : undefined;
}

function specialFailure(
  kind: Extract<CameraFailureKind, "not-activated" | "locked">,
  place: string,
  options: { readonly httpStatus: number },
): CameraFailure {
  const message =
    kind === "locked"
      ? `${place} has locked the account: wait until the camera unlocks it, or restart the camera`
      : `${place} is not activated: set its first password on its web page, then add it`;
  return new CameraFailure(kind, message, options);
}

/** Whether the device redirects to the page where the first password is set. */
export function isActivationPage(location: string): boolean {
  return NOT_ACTIVATED.test(location);
}

export function notActivated(place: string): CameraFailure {
  return specialFailure("not-activated", place, { httpStatus: 302 });
}

function refusal(place: string, operation: string, status?: number): string {
  const said = status === 403 ? " (403)" : "";
  return `${place} refuses the login for ${operation}${said}: check user, password and the user's ONVIF rights`;
}

function isWebPage(answer: HttpAnswer): boolean {
  return /<!doctype\s+html|<html[\s>]/i.test(answer.body.toString("latin1", 0, SEARCH_BYTES_MAX));
}

function shown(text: string, secret: string): string {
  const named = text.replace(/\b(basic|digest)\s+[\w+/=]{4,}/gi, "$1 ***");
  return clean(withoutSecret(named, secret)).slice(0, REASON_LENGTH_MAX);
}
