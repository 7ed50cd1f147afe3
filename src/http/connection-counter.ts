import { readFileSync } from "node:fs";
import { type Clock, errorText, type Log } from "../base/index.js";
import { normalizeAddress } from "./request.js";

/** proc(5), /proc/net/tcp: separate tables for IPv4 and IPv6. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const ESTABLISHED = "01";
/** How long a reading is cached: reading the tables takes a millisecond. */
const COUNT_CACHE_MS = 250;

export interface ConnectionCounterOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Reads one of the kernel's tables; from /proc by default. */
  readonly readTable?: (file: string) => string;
}

/**
 * Counts the connections of a port by peer address, from the kernel's tables. The HTTP library reports the address of a
 * connection when it opens, but not when it closes, so counting events is not possible.
 */
export class ConnectionCounter {
  readonly #options: ConnectionCounterOptions;
  #isUnreadable = false;
  #takenUs = Number.NEGATIVE_INFINITY;
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(options: ConnectionCounterOptions) {
    this.#options = options;
  }

  /** Connections from `address` to `port` at the last successful reading, normally at most `COUNT_CACHE_MS` old. */
  count(address: string, port: number): number {
    const nowUs = this.#options.clock.monotonicUs();
    if (nowUs - this.#takenUs >= COUNT_CACHE_MS * 1000) {
      this.#takenUs = nowUs;
      this.#take(port);
    }
    return this.#counts.get(normalizeAddress(address)) ?? 0;
  }

  /** Without a free file descriptor the tables cannot be read, but connections must still be handled. */
  #take(port: number): void {
    const { log, readTable = readKernelTable } = this.#options;
    try {
      this.#counts = countPeers(TABLES.map(readTable).join("\n"), port);
      this.#isUnreadable = false;
    } catch (error) {
      if (!this.#isUnreadable)
        log.warn({ error: errorText(error) }, "connections cannot be counted by address");
      this.#isUnreadable = true;
    }
  }
}

function readKernelTable(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    // A kernel without IPv6 does not have this table.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** An established connection of this machine: who is at its other end, and the kernel's number of its socket. */
export interface Peer {
  readonly address: string;
  readonly inode: string;
}

/** The other ends of a local port's established connections, from the text of the kernel's tables. */
export function peersOf(tables: string, port: number): Peer[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const row =
    /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]{2})(?:(?: +\S+){5} +(\d+))?/;
  const peers: Peer[] = [];
  for (const line of establishedLines(tables)) {
    const [, local, peer = "", state, inode = "0"] = row.exec(line) ?? [];
    if (local === wanted && state === ESTABLISHED) peers.push({ address: addressOf(peer), inode });
  }
  return peers;
}

/** Lines that have the state as a word. Who comes and goes leaves tens of thousands of others (TIME_WAIT), which are passed over. */
function* establishedLines(tables: string): Generator<string> {
  const word = ` ${ESTABLISHED} `;
  for (let at = tables.indexOf(word); at >= 0; ) {
    const next = tables.indexOf("\n", at);
    const end = next < 0 ? tables.length : next;
    yield tables.slice(tables.lastIndexOf("\n", at) + 1, end);
    at = tables.indexOf(word, end);
  }
}

/** How many connections each of them has. */
export function countPeers(tables: string, port: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { address } of peersOf(tables, port)) counts.set(address, (counts.get(address) ?? 0) + 1);
  return counts;
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
  for (const [, local = "", port = "", remote = "", state] of TABLES.map(readTable).join("\n").matchAll(row))
    if (wanted.has(port) && state === ESTABLISHED && addressOf(remote) === normalizeAddress(peer))
      found.add(addressOf(local));
  return [...found];
}

/** `0100007F` is 127.0.0.1: 32-bit words in host byte order, which is little-endian on all supported platforms. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, "hex").swap32();
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.toString("hex").match(/.{4}/g) ?? [];
  return normalizeAddress(groups.join(":"));
}
