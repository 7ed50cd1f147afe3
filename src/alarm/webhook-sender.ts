import { createHmac } from "node:crypto";
import { US_PER_MS, US_PER_SECOND } from "../base/index.js";
import type { WebhookDelivery } from "../site/index.js";
import { type AlarmMessage, messageJson } from "./alarm-message.js";
import { postForAnswer, retryAfterMs } from "./http-post.js";
import { isAccepted, notTaken } from "./refusal.js";
import { WEBHOOK_REACH_ANY, type WebhookReach } from "./webhook-reach.js";

/**
 * POSTs the message. With a secret, `X-Nvrd-Signature: sha256=…` is the HMAC-SHA256 (RFC 2104) of the timestamp header, a
 * dot and the body, in hexadecimal. Redirects are not followed, because the secret is shared only with the configured host.
 */
export async function sendWebhook(
  delivery: WebhookDelivery,
  message: AlarmMessage,
  signal: AbortSignal,
  reach: WebhookReach = WEBHOOK_REACH_ANY,
): Promise<void> {
  const body = Buffer.from(messageJson(message));
  const url = new URL(delivery.url);
  const timestamp = String(Math.floor(message.sentUs / US_PER_SECOND));
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(body.length),
    "User-Agent": "nvrd",
    "X-Nvrd-Delivery": message.id,
    "X-Nvrd-Timestamp": timestamp,
    ...(delivery.secret === ""
      ? {}
      : { "X-Nvrd-Signature": `sha256=${signature(delivery.secret, timestamp, body)}` }),
  };
  const answer = await postForAnswer(url, { headers, body, signal, reach, answerBytesMax: 0 });
  if (isAccepted(answer.status)) return;
  const waitMs = retryAfterMs(answer.retryAfter, message.sentUs / US_PER_MS);
  throw notTaken(`${url.host} answered ${answer.status}; expected 200 to 299`, answer.status, waitMs);
}

/** @param timestamp Unix seconds, as the header has them. */
export function signature(secret: string, timestamp: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}
