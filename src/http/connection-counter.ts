import { readFileSync } from "node:fs";
import { type Clock, errorText, type Log } from "../base/index.js";
import { normalizeAddress } from "./request.js";

/** proc(5), /proc/net/tcp: IPv4 and IPv6 in tables of their own. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const ESTABLISHED = "01";
/** How long one reading is good for: the tables cost a millisecond to read. */
const CENSUS_MS = 250;

export interface ConnectionCensusOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Text of one of the kernel's tables; by default as /proc has it. */
  readonly readTable?: (file: string) => string;
}

/**
 * Whose connections a port has. The HTTP library says the address of a connection that opens, not of one that
 * closes, so they cannot be counted along; the kernel knows.
 */
export class ConnectionCensus {
  readonly #options: ConnectionCensusOptions;
  #isUnreadable = false;
  #takenUs = Number.NEGATIVE_INFINITY;
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(options: ConnectionCensusOptions) {
    this.#options = options;
  }

  /** Connections of `address` to `port`, as they were a moment ago, or when the kernel's tables could last be read. */
  count(address: string, port: number): number {
    const nowUs = this.#options.clock.monotonicUs();
    if (nowUs - this.#takenUs >= CENSUS_MS * 1000) {
      this.#takenUs = nowUs;
      this.#take(port);
    }
    return this.#counts.get(normalizeAddress(address)) ?? 0;
  }

  /** A process without a free descriptor cannot read the tables: that is when connections must still be answered. */
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
    return readFileSync(file, "utf8");
  } catch (error) {
    // A kernel without IPv6 has no table of it.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Established connections of a local port by the peer's address, from the text of the kernel's tables. */
export function countPeers(tables: string, port: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const row = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]{2}) /gm;
  for (const [, local, peer = "", state] of tables.matchAll(row)) {
    if (local !== wanted || state !== ESTABLISHED) continue;
    const address = addressOf(peer);
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return counts;
}

/** `0100007F` is 127.0.0.1: words of 32 bits in the machine's order, which is little-endian on all we run on. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, "hex").swap32();
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.toString("hex").match(/.{4}/g) ?? [];
  return normalizeAddress(groups.join(":"));
}
