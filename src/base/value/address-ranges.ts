import ipaddr from "ipaddr.js";

/** Addresses (`192.0.2.7`, `2001:db8::1`) and ranges of them (`10.0.0.0/8`); IPv4 mapped into IPv6 counts as IPv4. */
export class AddressRanges {
  readonly #ranges: readonly Range[];

  /** Throws RangeError for a text that is no address and no range. */
  constructor(texts: readonly string[]) {
    this.#ranges = texts.map((text) => {
      const range = parseRange(text);
      if (range === undefined) throw new RangeError(`"${text}" is no address and no range of addresses`);
      return range;
    });
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** Whether `address` is in one of the ranges; text that is no address is in none. */
  has(address: string): boolean {
    if (this.#ranges.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.#ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range));
  }
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Whether a text is an address or a range of addresses. */
export function isAddressRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

function parseRange(text: string): Range | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  // `10.1` and `0x7f.1` are addresses for ipaddr.js; for a reader they are mistakes.
  if (rest.length > 0 || !(ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)))
    return undefined;
  const parsed = ipaddr.parse(address);
  const bits = parsed.kind() === "ipv4" ? 32 : 128;
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)) return undefined;
  return [parsed, prefix === undefined ? bits : Number(prefix)];
}

/** IPv4 addresses written as IPv6 in a way that no host has used since 2006 (RFC 4291, 2.5.5.1). */
const IPV4_COMPATIBLE = new AddressRanges(["::/96"]);

/**
 * Whether an address is a host's on the internet: not one of this machine or a private network, none that is reserved,
 * none that hides an IPv4 address (NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === "unicast" && !IPV4_COMPATIBLE.has(address);
}
