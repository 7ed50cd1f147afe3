import type { createTransport } from "nodemailer";
import { unlessAborted, withoutSecret } from "../base/index.js";
import type { MailDelivery } from "../site/index.js";
import { type AlarmMessage, headline, messageText } from "./alarm-message.js";
import { failureText } from "./failure-text.js";
import { isRefusedMail, Refusal } from "./refusal.js";

const CONNECT_TIMEOUT_MS = 10_000;
const SUBJECT_LENGTH_MAX = 150;

/** Sends the message as a mail of plain text. Rejects when any recipient is refused. */
export async function sendMail(
  delivery: MailDelivery,
  message: AlarmMessage,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, security, login, password } = delivery;
  // Loaded for the first mail, because most recorders send none.
  const mailer = await import("nodemailer");
  const transport = mailer.createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "startTls",
    ignoreTLS: security === "none",
    ...(login === "" ? {} : { auth: { user: login, pass: password } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: CONNECT_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const end = () => transport.close();
  signal.addEventListener("abort", end, { once: true });
  try {
    await unlessAborted(
      transport.sendMail(mailOf(delivery, message)),
      signal,
      () => new Error("it takes too long"),
    );
  } catch (error) {
    const problem = `${host}: ${withoutSecret(failureText(error), password)}`;
    throw isRefusedMail(error) ? new Refusal(problem) : new Error(problem);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

function mailOf(
  { sender, recipients }: MailDelivery,
  message: AlarmMessage,
): Parameters<Mailer["sendMail"]>[0] {
  const subject = `[${message.server.name}] ${headline(message)}`;
  return {
    from: sender,
    to: [...recipients],
    subject: subject.slice(0, SUBJECT_LENGTH_MAX),
    text: messageText(message),
    messageId: `<${message.id}@nvrd.invalid>`,
    // RFC 3834, section 5: suppresses out-of-office replies.
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

type Mailer = ReturnType<typeof createTransport>;
