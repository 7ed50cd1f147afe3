import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import { hostname } from "node:os";
import { connect as connectTls } from "node:tls";
import { US_PER_MS, unlessAborted } from "../base/index.js";
import type { EventRecord } from "../event/index.js";
import type { SyslogDelivery } from "../site/index.js";
import { type AlarmMessage, eventLine, eventTypeName, headline, oneLine } from "./alarm-message.js";
import { failureText } from "./failure-text.js";

/** RFC 5424, section 6.2.1, by category: informational, warning, error. */
const SEVERITIES = [6, 4, 3] as const;
const SEVERITY_NOTICE = 5;
const FACILITY_FACTOR = 8;
/** RFC 5424, section 6.1: receivers should take 2048 octets. */
const MESSAGE_BYTES_MAX = 2048;
/** Section 6: printable US-ASCII, with their lengths. */
const HOST_LENGTH_MAX = 255;
const MSGID_LENGTH_MAX = 32;
const UNPRINTABLE = /[^\x21-\x7e]/g;
const UTF8_CONTINUATION_MASK = 0xc0;
const UTF8_CONTINUATION = 0x80;

/** Sends one RFC 5424 message per event. */
export async function sendSyslog(
  delivery: SyslogDelivery,
  message: AlarmMessage,
  signal: AbortSignal,
): Promise<void> {
  const lines = syslogLines(message, delivery.facility);
  try {
    if (delivery.transport === "udp") await sendDatagrams(delivery, lines, signal);
    else await sendStream(delivery, lines, signal);
  } catch (error) {
    throw new Error(`${delivery.host}: ${failureText(error)}`);
  }
}

/** One message per event, each at most 2048 octets. */
export function syslogLines(message: AlarmMessage, facility: number): Buffer[] {
  const head = (severity: number, timeUs: number, msgId: string) =>
    `<${facility * FACILITY_FACTOR + severity}>1 ${timestamp(timeUs)} ${hostField()} nvrd ${process.pid} ${msgId} - \ufeff`;
  const lines = message.events.map((event) =>
    cut(head(SEVERITIES[event.category], event.timeUs, msgIdOf(event)) + oneLine(eventLine(event))),
  );
  const own = (text: string, msgId: string) =>
    lines.push(cut(head(SEVERITY_NOTICE, message.sentUs, msgId) + text));
  if (message.isTest) own(headline(message), "test");
  if (message.omittedEvents > 0) own(`${message.omittedEvents} events were omitted`, "omitted");
  return lines;
}

/** RFC 5424, section 6.2.3: at most six decimals. */
function timestamp(timeUs: number): string {
  return new Date(timeUs / US_PER_MS).toISOString();
}

function msgIdOf(event: EventRecord): string {
  return eventTypeName(event).replace(UNPRINTABLE, "").slice(0, MSGID_LENGTH_MAX) || "-";
}

function hostField(): string {
  return hostname().replace(UNPRINTABLE, "").slice(0, HOST_LENGTH_MAX) || "-";
}

/** At most 2048 octets, ending with a whole character. */
function cut(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length <= MESSAGE_BYTES_MAX) return bytes;
  let end = MESSAGE_BYTES_MAX;
  while (((bytes[end] ?? 0) & UTF8_CONTINUATION_MASK) === UTF8_CONTINUATION) end--;
  return bytes.subarray(0, end);
}

/** RFC 5426: one message per datagram. */
async function sendDatagrams(
  { host, port }: SyslogDelivery,
  lines: readonly Buffer[],
  signal: AbortSignal,
): Promise<void> {
  const socket = createSocket({ type: host.includes(":") ? "udp6" : "udp4", signal });
  const sendAll = async () => {
    for (const line of lines) {
      await new Promise<void>((resolve, reject) => {
        socket.send(line, port, host, (error) => (error === null ? resolve() : reject(error)));
      });
    }
  };
  const sent = new Promise<void>((resolve, reject) => {
    socket.on("error", reject);
    sendAll().then(resolve, reject);
  });
  try {
    await unlessAborted(sent, signal, () => new Error("it takes too long"));
  } finally {
    if (!signal.aborted) socket.close();
  }
}

/** RFC 6587, section 3.4.1 and RFC 5425: the length in octets, a blank, the message. */
function sendStream(
  { host, port, transport }: SyslogDelivery,
  lines: readonly Buffer[],
  signal: AbortSignal,
): Promise<void> {
  const socket: Socket =
    transport === "tls" ? connectTls({ host, port, servername: nameOf(host) }) : connect({ host, port });
  return new Promise<void>((resolve, reject) => {
    const late = () => socket.destroy(new Error("it takes too long"));
    if (signal.aborted) late();
    signal.addEventListener("abort", late, { once: true });
    socket.once("error", reject);
    // The receiver does not answer; a clean close of the connection means that it got everything.
    socket.once("close", (hadError) => {
      signal.removeEventListener("abort", late);
      if (!hadError) resolve();
    });
    socket.resume();
    for (const line of lines) socket.write(Buffer.concat([Buffer.from(`${line.length} `), line]));
    socket.end();
  });
}

/** A name for SNI; addresses have none (RFC 6066, section 3). */
function nameOf(host: string): string {
  return /^[\d.]+$|:/.test(host) ? "" : host;
}
