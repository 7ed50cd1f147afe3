import { US_PER_MS } from "../../base/index.js";
import type { SendDatagram } from "./datagram.js";

/** systemd accepts longer ones; this is enough for a status line. */
const STATUS_LENGTH_MAX = 300;

export interface NotifySocketOptions {
  /** `NOTIFY_SOCKET`; undefined: no notifications. */
  readonly address: string | undefined;
  /** The interval of the watchdog; undefined: none. */
  readonly watchdogMs: number | undefined;
  readonly send: SendDatagram | undefined;
}

/** The notification socket of systemd (sd_notify(3)); without one, each call does nothing. */
export class NotifySocket {
  readonly #address: string | undefined;
  readonly #send: SendDatagram | undefined;
  /** The service manager expects a ping within this time; undefined: none. */
  readonly watchdogMs: number | undefined;
  #failure: number | undefined;

  constructor(options: NotifySocketOptions) {
    this.#address = options.address;
    this.#send = options.send;
    this.watchdogMs = options.address === undefined ? undefined : options.watchdogMs;
  }

  /** Created from the environment; the variables are removed from it, because child processes must not notify. */
  static fromEnvironment(
    environment: Record<string, string | undefined>,
    send: SendDatagram | undefined,
  ): NotifySocket {
    const { NOTIFY_SOCKET: address, WATCHDOG_USEC: period, WATCHDOG_PID: pid } = environment;
    for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete environment[name];
    const isOurs = pid === undefined || pid === String(process.pid);
    const watchdogUs = isOurs && /^\d{1,15}$/.test(period ?? "") ? Number(period) : 0;
    return new NotifySocket({
      address: /^[/@]./.test(address ?? "") ? address : undefined,
      watchdogMs: watchdogUs > 0 ? watchdogUs / US_PER_MS : undefined,
      send,
    });
  }

  /** Whether there is a service manager. */
  get isThere(): boolean {
    return this.#address !== undefined && this.#send !== undefined;
  }

  /** The errno of the last message if it could not be sent. */
  get failure(): number | undefined {
    return this.#failure;
  }

  /** Reports that the start is complete: dependent units may start. */
  ready(status: string): void {
    this.#notify(["READY=1", statusLine(status)]);
  }

  /** Sets the status shown by `systemctl status`. */
  status(status: string): void {
    this.#notify([statusLine(status)]);
  }

  /** Reports that the service is stopping. */
  stopping(): void {
    this.#notify(["STOPPING=1", statusLine("stopping")]);
  }

  /** Extends the timeout of the current start or stop, counted from now. */
  extendTimeout(ms: number): void {
    this.#notify([`EXTEND_TIMEOUT_USEC=${Math.round(ms * US_PER_MS)}`]);
  }

  /** Pings the watchdog. */
  watchdog(): void {
    this.#notify(["WATCHDOG=1"]);
  }

  #notify(lines: readonly string[]): void {
    if (this.#address === undefined || this.#send === undefined) return;
    const status = this.#send(this.#address, Buffer.from(lines.join("\n")));
    this.#failure = status === 0 ? undefined : status;
  }
}

/** One line, because a line break would start another assignment. */
function statusLine(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, " ").trim();
  return `STATUS=${line.length > STATUS_LENGTH_MAX ? `${line.slice(0, STATUS_LENGTH_MAX - 1)}…` : line}`;
}
