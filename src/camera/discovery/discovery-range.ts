import ipaddr from "ipaddr.js";
import { NvrdError } from "../../base/index.js";

/** Maximum number of addresses probed individually by one scan. */
export const RANGE_ADDRESSES_MAX = 1024;
const TEXT_LENGTH_MAX = 255;
const IPV4_BITS = 32;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/i;

/** The hosts to probe individually: addresses, or one host name; with a port if the text has one. */
export interface AddressRange {
  readonly hosts: readonly string[];
  readonly port: number | undefined;
}

/**
 * Reads `192.168.1.10`, `192.168.1.10:8000`, `192.168.1.0/24`, `192.168.1.10-192.168.1.40`, `192.168.1.10-40`,
 * `[fe80::1%eth0]:80` or a host's name. Throws NvrdError BAD_REQUEST.
 */
export function parseAddressRange(text: string): AddressRange {
  const given = text.trim();
  if (given === "" || given.length > TEXT_LENGTH_MAX) throw refused("give an address, a range or a network");
  if (given.includes("/")) return { hosts: network(given), port: undefined };
  const span = /^([\d.]+)\s*-\s*([\d.]+)$/.exec(given);
  if (span !== null) return { hosts: between(span[1] ?? "", span[2] ?? ""), port: undefined };
  return oneHost(given);
}

/** Whether a text is a range or network, and not a single device. */
export function isAddressRange(text: string): boolean {
  return /^[\d.]+\s*[-/]/.test(text.trim());
}

function network(text: string): string[] {
  const [address = "", bitsText = ""] = text.split("/");
  const bits = Number(bitsText);
  if (!/^\d{1,2}$/.test(bitsText) || bits > IPV4_BITS) throw refused("a network is written 192.168.1.0/24");
  const size = 2 ** (IPV4_BITS - bits);
  if (size > RANGE_ADDRESSES_MAX) throw tooMany(size);
  const first = Math.floor(number(address) / size) * size;
  // The network address and the broadcast address are not hosts (RFC 1122, 3.2.1.3; RFC 3021 for /31).
  return size > 2 ? span(first + 1, first + size - 2) : span(first, first + size - 1);
}

function between(fromText: string, toText: string): string[] {
  const one = number(fromText);
  const other = /^\d{1,3}$/.test(toText) ? number(fromText.replace(/\d+$/, toText)) : number(toText);
  // Either way round.
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  if (to - from >= RANGE_ADDRESSES_MAX) throw tooMany(to - from + 1);
  return span(from, to);
}

function oneHost(text: string): AddressRange {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? text;
  const port = match?.[3] === undefined ? undefined : Number(match[3]);
  if (port !== undefined && (port < 1 || port > 65_535)) throw refused("a port is 1 to 65535");
  const bare = host.split("%")[0] ?? "";
  if (/^[\d.]+$/.test(host)) {
    number(host);
    return { hosts: [host], port };
  }
  if (ipaddr.IPv6.isValid(bare)) {
    const kind = ipaddr.IPv6.parse(bare).range();
    if (kind === "multicast" || kind === "unspecified") throw refused(`${bare} is no host's address`);
    return { hosts: [host], port };
  }
  if (!HOST_NAME.test(host)) throw refused("this is no address, range, network or host name");
  return { hosts: [host], port };
}

/** A host's IPv4 address as a number. */
function number(text: string): number {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) throw refused("an address is written 192.168.1.10");
  const address = ipaddr.IPv4.parse(text);
  const kind = address.range();
  if (kind === "multicast" || kind === "broadcast" || kind === "unspecified")
    throw refused(`${text} is no host's address`);
  return address.octets.reduce((value, octet) => value * 256 + octet, 0);
}

function span(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const value = from + index;
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
  });
}

function tooMany(count: number): NvrdError {
  return refused(`${count} addresses, at most ${RANGE_ADDRESSES_MAX} are possible`);
}

function refused(text: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `address: ${text}`, {
    hint: "write 192.168.1.10, 192.168.1.10-192.168.1.40 or 192.168.1.0/24",
  });
}
