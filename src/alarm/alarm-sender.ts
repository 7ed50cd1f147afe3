import type { AlarmDelivery } from "../site/index.js";
import type { AlarmMessage } from "./alarm-message.js";
import { sendMail } from "./mail-sender.js";
import { sendSyslog } from "./syslog-sender.js";
import { WEBHOOK_REACH_ANY, WEBHOOK_REACH_PUBLIC, type WebhookReach } from "./webhook-reach.js";
import { sendWebhook } from "./webhook-sender.js";

/** Timeout of one attempt. */
export const SEND_TIMEOUT_MS = 15_000;

/**
 * Sends one message; resolves when the receiver has accepted it (for syslog over UDP: when it was sent). Rejects with an Error
 * whose message names the host and no secret.
 */
export type SendAlarm = (
  delivery: AlarmDelivery,
  message: AlarmMessage,
  signal: AbortSignal,
) => Promise<void>;

export const sendAlarm: SendAlarm = (delivery, message, signal) =>
  deliver(delivery, message, signal, WEBHOOK_REACH_ANY);

/** As `sendAlarm`, with webhooks to hosts of the internet alone. */
export const sendAlarmPublicly: SendAlarm = (delivery, message, signal) =>
  deliver(delivery, message, signal, WEBHOOK_REACH_PUBLIC);

async function deliver(
  delivery: AlarmDelivery,
  message: AlarmMessage,
  signal: AbortSignal,
  reach: WebhookReach,
): Promise<void> {
  if (delivery.kind === "webhook") await sendWebhook(delivery, message, signal, reach);
  else if (delivery.kind === "mail") await sendMail(delivery, message, signal);
  else await sendSyslog(delivery, message, signal);
}
