import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

const ARP_TABLE = "/proc/net/arp";
const NO_MAC = "00:00:00:00:00:00";

/**
 * The network card behind an IPv4 address of this machine's networks, as the kernel saw it; empty where it is behind a
 * router or not known. Any host may claim a card's address: it only distinguishes what else looks alike.
 */
export async function macOf(host: string): Promise<string> {
  let table: string;
  try {
    table = await readFile(ARP_TABLE, "utf8");
  } catch {
    // Not every system shows it.
    return "";
  }
  return macIn(table, host);
}

/** `macOf` at once: the kernel's table is in memory. */
export function macNow(host: string): string {
  let table: string;
  try {
    table = readFileSync(ARP_TABLE, "utf8");
  } catch {
    // As in `macOf`.
    return "";
  }
  return macIn(table, host);
}

function macIn(table: string, host: string): string {
  for (const line of table.split("\n")) {
    const [address, , , mac = ""] = line.trim().split(/\s+/);
    if (address === host && mac !== NO_MAC) return mac.toLowerCase();
  }
  return "";
}
