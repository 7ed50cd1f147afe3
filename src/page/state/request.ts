import { signal } from "@preact/signals";
import { language } from "../words/language.js";
import { at } from "./place.js";

/** Whether the service answered the last request. */
export const reachable = signal(true);

/** Longest wait for an answer; streams of video do not come this way. */
const ANSWER_MS = 20_000;

/** An answer that is not 2xx; status 0 when there was no answer at all. The message is the service's. */
export class RequestError extends Error {
  readonly status: number;
  /** Seconds to wait, where the service says so. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, message: string, retryAfterS?: number) {
    super(message);
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

export interface RequestOptions {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly file?: Blob;
  readonly signal?: AbortSignal;
  /** It is sent even if the page is closed meanwhile. */
  readonly keepalive?: boolean;
  /** Longest wait for the whole answer; Infinity for one that takes as long as it takes. */
  readonly answerMs?: number;
}

/** What is called when the service says that nobody is logged in. */
export const onLoggedOut: { call: () => void } = { call: () => undefined };

/** What is called with each answer, whatever it says. */
export const onAnswer: { call: () => void } = { call: () => undefined };

/** Asks the service and reads its JSON answer; undefined for an answer without a body. Rejects with RequestError. */
export async function requestJson<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await request(path, options);
  const text = await response.text().catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw noAnswer(error);
  });
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

/** Asks the service. Rejects with RequestError for anything but 2xx. */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = "GET", body, file, answerMs = ANSWER_MS } = options;
  const type = file === undefined ? "application/json" : file.type || "application/octet-stream";
  let response: Response;
  try {
    response = await fetch(at(path), {
      method,
      credentials: "same-origin",
      // The service then leaves out the header that makes a browser ask for a password by itself.
      headers: {
        "X-Requested-With": "nvrd-page",
        Accept: "application/json",
        // What it refuses, it says in this language where it has it.
        "Accept-Language": language.value,
        ...(body === undefined && file === undefined ? {} : { "Content-Type": type }),
      },
      ...(options.keepalive === undefined ? {} : { keepalive: options.keepalive }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(file === undefined ? {} : { body: file }),
      signal: anyOf(options.signal, Number.isFinite(answerMs) ? AbortSignal.timeout(answerMs) : undefined),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw noAnswer(error);
  }
  reachable.value = true;
  onAnswer.call();
  if (response.ok) return response;
  const refusal = await refusalOf(response);
  if (response.status === 401) onLoggedOut.call();
  throw refusal;
}

/** The connection failed, or ended within the answer. */
function noAnswer(error: unknown): RequestError {
  reachable.value = false;
  return new RequestError(0, error instanceof Error ? error.message : "no answer");
}

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((one) => one !== undefined));
}

/** The message in the shape of docs/ref/errors.md; the text as it is where the answer is none of the service's. */
async function refusalOf(response: Response): Promise<RequestError> {
  const wait = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const text = await response.text();
  const message = /^\{"ErrorMessage":/.test(text)
    ? messageIn(text)
    : text.slice(0, 200).replace(/^Error code: \d+\s+Message: /, "");
  return new RequestError(response.status, message, Number.isFinite(wait) ? wait : undefined);
}

function messageIn(text: string): string {
  const { ErrorMessage } = JSON.parse(text) as { ErrorMessage?: unknown };
  return typeof ErrorMessage === "string" ? ErrorMessage : text;
}
