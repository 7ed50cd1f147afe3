import { fstatSync } from "node:fs";
import type { SendDatagram } from "./datagram.js";
import { journalEntry } from "./journal-entry.js";

/** The socket of journald (systemd-journald.service(8)). */
const JOURNAL_SOCKET = "/run/systemd/journal/socket";

export interface JournalLogOptions {
  readonly send: SendDatagram;
  /** The journal's socket; default: that of the system. */
  readonly address?: string;
}

/**
 * Writes the log to the journal, with priorities and fields. It never blocks: while journald does not keep up, lines are
 * dropped and counted; the count is logged before the next line that is sent.
 */
export class JournalLog {
  readonly #send: SendDatagram;
  readonly #address: string;
  #lost = 0;

  constructor({ send, address = JOURNAL_SOCKET }: JournalLogOptions) {
    this.#send = send;
    this.#address = address;
  }

  /** Takes one line of pino. */
  write(line: string): void {
    if (this.#lost > 0) this.#logLost();
    if (this.#lost > 0 || !this.#goesOut(line)) this.#lost += 1;
  }

  #logLost(): void {
    const line = JSON.stringify({ level: 40, lost: this.#lost, msg: "log lines were dropped" });
    if (this.#goesOut(line)) this.#lost = 0;
  }

  #goesOut(line: string): boolean {
    return this.#send(this.#address, journalEntry(line)) === 0;
  }
}

/** Whether this descriptor is connected to the journal: JOURNAL_STREAM (systemd.exec(5)) holds its device and inode. */
export function isJournal(fd: number, journalStream: string | undefined): boolean {
  if (journalStream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return journalStream === `${dev}:${ino}`;
  } catch {
    return false; // closed: nobody reads it
  }
}
