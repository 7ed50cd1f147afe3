import { NvrdError } from "../base/index.js";
import type { Answer, Headers } from "./response.js";

/** Paths of the configuration API, whose errors are JSON. */
const JSON_ERROR_PATHS = /^\/+(configure|api)(\/|$)/i;
/** Paths whose errors are SOAP faults: clients of ONVIF give up where they get something else, also by a service that stops. */
const SOAP_ERROR_PATHS = /^\/+onvif\//i;

export const BASIC_CHALLENGE: readonly [string, string] = ["WWW-Authenticate", 'Basic realm="nvrd"'];

/**
 * The answer to an error: its status and a sentence that says what to do, as text or, under /configure and /api, as JSON, and under
 * /onvif as a SOAP fault. Any other error than NvrdError is an internal fault: status 500 with `requestId`; its text is only logged.
 * `wordsOf`: the message as the caller wants it, for example in another language.
 */
export function answerError(
  error: unknown,
  url: string,
  requestId?: string,
  wordsOf: (status: number, message: string) => string = (_status, message) => message,
): Answer {
  const known = error instanceof NvrdError ? error : undefined;
  const status = known?.status ?? 500;
  const message =
    known === undefined
      ? `the request failed inside the service: see its log${requestId === undefined ? "" : ` for request ${requestId}`}`
      : [known.message, known.hint].filter((text) => text !== "").join(": ");
  return answerMessage(status, wordsOf(status, message), url, errorHeaders(status, known));
}

function errorHeaders(status: number, error: NvrdError | undefined): Headers {
  if (status === 401) return [BASIC_CHALLENGE];
  const retryAfterMs = error?.retryAfterMs;
  return retryAfterMs === undefined ? [] : [["Retry-After", String(Math.ceil(retryAfterMs / 1000))]];
}

/** A status with a message, in the format of the endpoints that `url` belongs to. */
export function answerMessage(status: number, message: string, url: string, extra: Headers = []): Answer {
  const { type, body } = inFormatOf(url, status, message.replace(/\p{Cc}+/gu, " "));
  return {
    status,
    headers: [["Content-Type", type], ["Cache-Control", "no-store"], ...extra],
    body: Buffer.from(body),
  };
}

function inFormatOf(
  url: string,
  status: number,
  text: string,
): { readonly type: string; readonly body: string } {
  if (JSON_ERROR_PATHS.test(url))
    return { type: "application/json", body: JSON.stringify({ ErrorMessage: text }) };
  if (SOAP_ERROR_PATHS.test(url))
    return { type: "application/soap+xml; charset=utf-8", body: soapFault(status, text) };
  return { type: "text/plain; charset=utf-8", body: `Error code: ${status}\r\nMessage: ${text}\r\n` };
}

/** SOAP 1.2 (W3C), 5.4. */
function soapFault(status: number, text: string): string {
  const reason = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return (
    '<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><s:Fault>' +
    `<s:Code><s:Value>s:${status < 500 ? "Sender" : "Receiver"}</s:Value></s:Code>` +
    `<s:Reason><s:Text xml:lang="en">${reason}</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>`
  );
}
