import { normalizeAddress } from "./request.js";

/** proc(5): the state of an established connection. */
export const ESTABLISHED = "01";

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

/** How many connections each address has. */
export function countPeers(peers: readonly Peer[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { address } of peers) counts.set(address, (counts.get(address) ?? 0) + 1);
  return counts;
}

/** `0100007F` is 127.0.0.1: 32-bit words in host byte order, which is little-endian on all supported platforms. */
export function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, "hex").swap32();
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.toString("hex").match(/.{4}/g) ?? [];
  return normalizeAddress(groups.join(":"));
}
