import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, expect, it } from "vitest";
import type { MailDelivery } from "../../src/site/index.js";
import { alarmEvent, alarmMessage, sendAlarm } from "../support/alarm/alarm-samples.js";
import { makeCertificate } from "../support/http/certificate.js";

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isSecure: boolean;
  readonly text: string;
}

const PASSWORD = "mail-secret-7";
const NEVER = new AbortController().signal;
const servers: SMTPServer[] = [];
const mails: Mail[] = [];

afterEach(async () => {
  mails.length = 0;
  for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(resolve));
});

async function listen(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, callback) =>
      callback(password === PASSWORD ? null : new Error(`wrong password ${password}`), { user: username }),
    onRcptTo: ({ address }, _session, callback) =>
      callback(address.startsWith("nobody") ? new Error("no such mailbox") : null),
    onData: (stream, session, callback) => {
      let text = "";
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        mails.push({
          from,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          isSecure: session.secure,
          text,
        });
        callback(null);
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.server.address() as AddressInfo).port;
}

const delivery = (port: number, rest: Partial<MailDelivery> = {}): MailDelivery => ({
  kind: "mail",
  host: "127.0.0.1",
  port,
  security: "none",
  login: "",
  password: "",
  sender: "nvr@example.org",
  recipients: ["owner@example.org", "installer@example.org"],
  ...rest,
});

it("sends one mail of plain text to all recipients", async () => {
  const port = await listen({ disabledCommands: ["AUTH", "STARTTLS"] });
  const events = [
    alarmEvent(1, { channelName: "Gate", comment: "no answer\r\nBcc: everybody@example.org" }),
    alarmEvent(2, { type: "volumeLost", comment: "/srv/disk1" }),
  ];
  await sendAlarm(delivery(port), alarmMessage({ events, omittedEvents: 3 }), NEVER);
  const [mail] = mails;
  expect(mail).toMatchObject({ from: "nvr@example.org", to: ["owner@example.org", "installer@example.org"] });
  const [head = "", body = ""] = mail?.text.split("\r\n\r\n") ?? [];
  const unfolded = head.replace(/\r\n[ \t]+/g, " ");
  expect(unfolded).toContain(
    "Subject: [Cupboard] Connection to camera lost: Gate: no answer Bcc: everybody@example.org (and 4 more)",
  );
  expect(unfolded).toContain("Auto-Submitted: auto-generated");
  expect(unfolded).not.toMatch(/^Bcc:/m);
  const text = mail?.text.replaceAll("=\r\n", "") ?? "";
  expect(text).toContain("2024-01-01T00:00:02.0000000Z  Error:");
  expect(text).toContain("/srv/disk1");
  expect(text).toContain("Events that were left out: 3. They are in the recorder's event log.");
  expect(body).not.toBe("");
});

it("logs in, over TLS from the first byte or after STARTTLS, only where the certificate is vouched for", async () => {
  const { key, cert } = await makeCertificate();
  for (const security of ["tls", "startTls"] as const) {
    const port = await listen({ secure: security === "tls", key, cert });
    const given = delivery(port, { security, login: "nvr", password: PASSWORD });
    await expect(sendAlarm(given, alarmMessage(), NEVER)).rejects.toThrow(/self-signed certificate/);
  }
  expect(mails).toEqual([]);
});

it("with StartTls nothing is sent to a server that has none", async () => {
  const port = await listen({ disabledCommands: ["STARTTLS"] });
  const given = delivery(port, { security: "startTls", login: "nvr", password: PASSWORD });
  await expect(sendAlarm(given, alarmMessage(), NEVER)).rejects.toThrow(/STARTTLS/i);
  expect(mails).toEqual([]);
});

it("logs in where there is no encryption to be had and none was asked for", async () => {
  const port = await listen({ allowInsecureAuth: true });
  await sendAlarm(delivery(port, { login: "nvr", password: PASSWORD }), alarmMessage(), NEVER);
  expect(mails[0]?.user).toBe("nvr");
});

it("a refused login is reported without the password, though the server quotes it", async () => {
  const port = await listen({ allowInsecureAuth: true });
  const error = await sendAlarm(
    delivery(port, { login: "nvr", password: "wrong-one" }),
    alarmMessage(),
    NEVER,
  ).catch((thrown: Error) => thrown.message);
  expect(error).toMatch(/^127\.0\.0\.1: /);
  expect(error).not.toContain("wrong-one");
});

it("a refused recipient is reported", async () => {
  const port = await listen({ disabledCommands: ["AUTH", "STARTTLS"] });
  const given = delivery(port, { recipients: ["nobody@example.org"] });
  await expect(sendAlarm(given, alarmMessage(), NEVER)).rejects.toThrow(/no such mailbox|recipients/);
});

it("ends with its signal when the server says nothing", async () => {
  const port = await listen({ onConnect: () => undefined });
  const stop = new AbortController();
  const refused = expect(sendAlarm(delivery(port), alarmMessage(), stop.signal)).rejects.toThrow(
    "127.0.0.1: it takes too long",
  );
  setTimeout(() => stop.abort(), 200);
  await refused;
});
