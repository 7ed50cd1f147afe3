import { NvrdError } from "../base/index.js";
import type { Answer, Headers } from "./response.js";

/** Paths of the configuration API, whose errors are JSON. */
const JSON_ERROR_PATHS = /^\/+(configure|api)(\/|$)/i;

export const BASIC_CHALLENGE: readonly [string, string] = ["WWW-Authenticate", 'Basic realm="nvrd"'];

/**
 * The answer to an error: its status and a sentence that says what to do, as text or, under /configure and /api, as JSON. Any
 * other error than NvrdError is an internal fault: status 500 with `requestId`; its text is only logged.
 */
export function answerError(error: unknown, url: string, requestId?: string): Answer {
  const known = error instanceof NvrdError ? error : undefined;
  const status = known?.status ?? 500;
  const message =
    known === undefined
      ? `the request failed inside the service: see its log${requestId === undefined ? "" : ` for request ${requestId}`}`
      : [known.message, known.hint].filter((text) => text !== "").join(": ");
  return answerMessage(status, message, url, errorHeaders(status, known));
}

function errorHeaders(status: number, error: NvrdError | undefined): Headers {
  if (status === 401) return [BASIC_CHALLENGE];
  const retryAfterMs = error?.retryAfterMs;
  return retryAfterMs === undefined ? [] : [["Retry-After", String(Math.ceil(retryAfterMs / 1000))]];
}

/** A status with a message, in the format of the endpoints that `url` belongs to. */
export function answerMessage(status: number, message: string, url: string, extra: Headers = []): Answer {
  const json = JSON_ERROR_PATHS.test(url);
  const oneLine = message.replace(/\p{Cc}+/gu, " ");
  const body = json
    ? JSON.stringify({ ErrorMessage: oneLine })
    : `Error code: ${status}\r\nMessage: ${oneLine}\r\n`;
  const type = json ? "application/json" : "text/plain; charset=utf-8";
  return {
    status,
    headers: [["Content-Type", type], ["Cache-Control", "no-store"], ...extra],
    body: Buffer.from(body),
  };
}
