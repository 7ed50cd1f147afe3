import type { AlarmDelivery } from "../site/index.js";
import type { AlarmMessage } from "./alarm-message.js";
import { sendMail } from "./mail-sender.js";
import { MESSAGE_REQUESTS } from "./message-requests.js";
import { type ServiceSending, sendToService, serviceOf } from "./service-sender.js";
import { sendSyslog } from "./syslog-sender.js";
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

/** A sender of alarms; webhooks go to the hosts of `reach` alone. */
export function alarmSender(sending: ServiceSending): SendAlarm {
  return async (delivery, message, signal) => {
    if (delivery.kind === "mail") await sendMail(delivery, message, signal);
    else if (delivery.kind === "syslog") await sendSyslog(delivery, message, signal);
    else {
      const service = serviceOf(delivery);
      if (service === undefined) await sendWebhook(delivery, message, signal, sending.reach);
      else await sendToService({ delivery, requests: MESSAGE_REQUESTS[service] }, message, signal, sending);
    }
  };
}
