import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Clock, errorText, type Log } from "../base/index.js";
import { addressOf, ESTABLISHED, type Peer, peersOf } from "./connection-rows.js";
import { normalizeAddress } from "./request.js";

/** The kernel's tables of connections, proc(5): one for IPv4, one for IPv6. */
const CONNECTION_TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
/** How long a reading counts. */
const READING_MS = 250;

export interface KernelConnectionsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Reads one of the kernel's tables at once, or soon; from /proc by default. */
  readonly readTable?: (file: string) => string;
  readonly readTableSoon?: (file: string) => Promise<string>;
}

/** What the kernel said of a port's established connections. */
export interface ConnectionReading {
  readonly peers: readonly Peer[];
}

/**
 * The connections of a port, from the kernel's tables. The HTTP library reports the address of a connection when it opens, but not
 * when it closes, so counting events is not possible. To read the tables takes 5 to 30 ms, the more the larger the machine: the first time
 * they are waited for where nobody has prepared that, and from then on they are read by another thread, while the last reading counts.
 */
export class KernelConnections {
  readonly #options: KernelConnectionsOptions;
  readonly #port: () => number;
  #isUnreadable = false;
  #isReading = false;
  #takenUs = Number.NEGATIVE_INFINITY;
  #begun = 0;
  #reading: ConnectionReading | undefined;

  constructor(options: KernelConnectionsOptions, port: () => number) {
    this.#options = options;
    this.#port = port;
  }

  /** The last reading, normally at most READING_MS old; another object after each. */
  get reading(): ConnectionReading {
    const { clock, readTable = readKernelTable } = this.#options;
    if (clock.monotonicUs() - this.#takenUs >= READING_MS * 1000 && !this.#isReading) {
      this.#takenUs = clock.monotonicUs();
      this.#begun += 1;
      if (this.#reading === undefined) this.#take(() => CONNECTION_TABLES.map(readTable));
      else void this.#readSoon();
    }
    return this.#reading ?? NONE;
  }

  /** The first reading will be wanted soon: it need not be waited for then. */
  prepare(): void {
    if (this.#reading !== undefined || this.#isReading) return;
    this.#takenUs = this.#options.clock.monotonicUs();
    this.#begun += 1;
    void this.#readSoon();
  }

  /** How many readings have begun: what came before the last one began is in it. */
  get begun(): number {
    return this.#begun;
  }

  /** Never rejects. */
  async #readSoon(): Promise<void> {
    const { readTableSoon = readKernelTableSoon } = this.#options;
    this.#isReading = true;
    try {
      const tables = await Promise.all(CONNECTION_TABLES.map(readTableSoon));
      this.#take(() => tables);
    } catch (error) {
      this.#failed(error);
    }
    this.#isReading = false;
  }

  /** Without a free file descriptor the tables cannot be read, but connections must still be handled. */
  #take(read: () => readonly string[]): void {
    try {
      this.#reading = { peers: peersOf(read().join("\n"), this.#port()) };
      this.#isUnreadable = false;
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.#isUnreadable)
      this.#options.log.warn({ error: errorText(error) }, "connections cannot be counted by address");
    this.#isUnreadable = true;
  }
}

const NONE: ConnectionReading = { peers: [] };

/** A kernel without IPv6 does not have its table. */
function readKernelTable(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    return absent(error);
  }
}

async function readKernelTableSoon(file: string): Promise<string> {
  try {
    return await readFile(file, "latin1");
  } catch (error) {
    return absent(error);
  }
}

function absent(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
  throw error;
}

/**
 * The addresses of this machine that a peer has established connections to, at any of the ports. A connection shows that
 * packets arrive there and answers go back. The HTTP library does not say over which address a request came.
 */
export function localAddressesOf(
  peer: string,
  ports: readonly number[],
  readTable: (file: string) => string = readKernelTable,
): readonly string[] {
  const wanted = new Set(ports.map((port) => port.toString(16).toUpperCase().padStart(4, "0")));
  const row = /^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]{2}) /gm;
  const found = new Set<string>();
  for (const [, local = "", port = "", remote = "", state] of CONNECTION_TABLES.map(readTable)
    .join("\n")
    .matchAll(row))
    if (wanted.has(port) && state === ESTABLISHED && addressOf(remote) === normalizeAddress(peer))
      found.add(addressOf(local));
  return [...found];
}
