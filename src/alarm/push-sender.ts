import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { errorText, MASK, MS_PER_SECOND } from "../base/index.js";
import { retryAfterMs } from "./http-post.js";
import type { PushMessage } from "./push-message.js";
import type { PushAddress, PushKey } from "./push-subscription.js";
import { isAccepted, notTaken } from "./refusal.js";
import type { WebhookReach } from "./webhook-reach.js";

/** How long a push service keeps a message for a browser that is off. */
const KEPT_S = 4 * 3600;
const ANSWER_TIMEOUT_MS = 10 * MS_PER_SECOND;
/** Of what a push service says to a refusal. */
const SAID_BYTES_MAX = 2048;
const SAID_LENGTH_MAX = 200;
/** Shorter parts of an address are words that an answer may well have too. */
const SECRET_LENGTH_MIN = 8;
/** The browser has taken its subscription back, or it has run out. */
const GONE: readonly number[] = [404, 410];

/** The push service knows the subscription no more: it is to be removed. */
export class PushGone extends Error {}

/**
 * Sends one message; resolves when the push service has taken it. Rejects with PushGone, or with an Error whose message names the
 * host alone: the rest of the address is what lets send.
 */
export type SendPush = (
  address: PushAddress,
  message: PushMessage,
  about: { readonly key: PushKey; readonly signal: AbortSignal },
) => Promise<void>;

/**
 * Over HTTPS to the hosts of `reach`.
 * @param contact RFC 8292, 2.1: whom the operator of a push service may turn to; `https:` or `mailto:`.
 */
export function pushSender(reach: WebhookReach, contact: string): SendPush {
  return async (address, message, { key, signal }) => {
    // Loaded for the first message, because most recorders send none.
    const { default: library } = await import("web-push");
    const { endpoint, p256dh, auth } = address;
    const url = new URL(endpoint);
    const { headers, body } = library.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(message),
      { vapidDetails: { subject: contact, ...key }, TTL: KEPT_S, urgency: "high" },
    );
    const answer = await post(url, {
      headers: textOf(headers),
      body: body ?? Buffer.alloc(0),
      signal,
      reach,
    });
    if (GONE.includes(answer.status))
      throw new PushGone(`${url.host}: the browser has ended its subscription`);
    if (isAccepted(answer.status)) return;
    const said = answer.said === "" ? "" : ` (${answer.said})`;
    const problem = `${url.host} answered ${answer.status}${said}; expected 200 to 299`;
    throw notTaken(problem, answer.status, retryAfterMs(answer.retryAfter, Date.now()));
  };
}

/** Gives the first bytes of an answer, or what has come of them where it breaks off, and ends it. */
function beginningOf(response: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = (): void => {
    response.destroy();
    done(Buffer.concat(chunks).subarray(0, SAID_BYTES_MAX).toString());
  };
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= SAID_BYTES_MAX) end();
  });
  response.once("end", end);
  response.once("error", end);
  response.once("aborted", end);
}

/** One line of what a push service says, in which the parts of the address that let send are masked. */
function saidText(text: string, { pathname, search }: URL): string {
  const secrets = `${pathname}${search}`.split(/[/?&=]/).filter(({ length }) => length >= SECRET_LENGTH_MIN);
  const plain = text.replace(/<[^>]*>/g, " ").replace(/[^\x20-\x7e]+/g, " ");
  const masked = secrets.reduce((left, secret) => left.replaceAll(secret, MASK), plain);
  return masked.replace(/ {2,}/g, " ").trim().slice(0, SAID_LENGTH_MAX);
}

function textOf(headers: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly reach: WebhookReach;
}

interface PushAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** What a refusal says of itself, without what lets send; empty: nothing. */
  readonly said: string;
}

/** The body is read of refusals alone, and redirects are not followed. */
function post(url: URL, { headers, body, signal, reach }: Post): Promise<PushAnswer> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown) => reject(new Error(`${url.host}: ${errorText(error)}`));
    const refusal = reach.refusal(url);
    if (refusal !== undefined) return failed(refusal);
    const limits = { agent: false, maxHeaderSize: 16 * 1024 };
    const call = request(url, { method: "POST", headers, signal, lookup: reach.lookup, ...limits });
    call.setTimeout(ANSWER_TIMEOUT_MS, () => call.destroy(new Error("no answer within 10 s")));
    call.once("error", failed);
    call.once("response", (response) => {
      const { statusCode: status = 0 } = response;
      const head = { status, retryAfter: response.headers["retry-after"] };
      if (isAccepted(status)) {
        response.destroy();
        return resolve({ ...head, said: "" });
      }
      beginningOf(response, (text) => resolve({ ...head, said: saidText(text, url) }));
    });
    call.end(body);
  });
}
