import { readFileSync } from "node:fs";
import type { Clock } from "../base/index.js";
import { normalizeAddress } from "./request.js";

/** proc(5), /proc/net/tcp: IPv4 and IPv6 in tables of their own. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const ESTABLISHED = "01";
/** How long one reading is good for: the tables cost a millisecond to read. */
const CENSUS_MS = 250;

/**
 * Whose connections a port has. The HTTP library says the address of a connection that opens, not of one that
 * closes, so they cannot be counted along; the kernel knows.
 */
export class ConnectionCensus {
  readonly #clock: Clock;
  #takenUs = Number.NEGATIVE_INFINITY;
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Connections of `address` to `port`, as they were a moment ago. */
  count(address: string, port: number): number {
    const nowUs = this.#clock.monotonicUs();
    if (nowUs - this.#takenUs >= CENSUS_MS * 1000) {
      this.#counts = countPeers(TABLES.map(readTable).join("\n"), port);
      this.#takenUs = nowUs;
    }
    return this.#counts.get(normalizeAddress(address)) ?? 0;
  }
}

function readTable(file: string): string {
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
