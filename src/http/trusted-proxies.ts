import { isIP } from "node:net";
import { AddressRanges } from "../base/index.js";
import { normalizeAddress } from "./request.js";

/** Proxies of one request that are followed back; a longer chain is nobody's. */
const HOPS_MAX = 16;
/** `[` IPv6 with a zone and a port `]:65535` is shorter; longer text is not read. */
const HOP_LENGTH_MAX = 64;

/**
 * Which reverse proxies are believed about the client's address, and about HTTPS in front of them. Anybody may send X-Forwarded-For, and a proxy appends
 * to what it was sent: so it is read from the right, and only as far as a trusted proxy has written it.
 */
export class TrustedProxies {
  readonly #ranges: AddressRanges;

  /** Addresses and ranges; throws RangeError for text that is neither. */
  constructor(ranges: readonly string[]) {
    this.#ranges = new AddressRanges(ranges);
  }

  /** Whether the peer is a proxy that is believed. */
  has(peer: string): boolean {
    return this.#ranges.has(peer);
  }

  /** The client's address: the peer's, unless that is a trusted proxy which names another. */
  clientAddress(peer: string, headers: readonly (readonly [name: string, value: string])[]): string {
    if (this.#ranges.isEmpty || !this.#ranges.has(peer)) return peer;
    let client = peer;
    for (const hop of hopsFromRight(headers)) {
      const address = hopAddress(hop);
      if (address === undefined) return client;
      client = address;
      if (!this.#ranges.has(address)) return client;
    }
    return client;
  }

  /** Whether a trusted proxy says that it was asked by HTTPS. */
  saysHttps(peer: string, headers: readonly (readonly [name: string, value: string])[]): boolean {
    if (this.#ranges.isEmpty || !this.#ranges.has(peer)) return false;
    // The last one is what the trusted proxy has written itself.
    const value = headers.findLast(([name]) => name === "x-forwarded-proto")?.[1];
    return value?.split(",").at(-1)?.trim().toLowerCase() === "https";
  }
}

/** The header's entries, the last one first; repeated headers are one list (RFC 9110, 5.3). */
function hopsFromRight(headers: readonly (readonly [name: string, value: string])[]): readonly string[] {
  const values = headers.filter(([name]) => name === "x-forwarded-for").map(([, value]) => value);
  return values.join(",").split(",").slice(-HOPS_MAX).reverse();
}

/** `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1`, `[2001:db8::1]:4711`, also quoted; undefined for anything else. */
function hopAddress(hop: string): string | undefined {
  const text = hop.trim().replace(/^"(.*)"$/, "$1");
  if (text.length > HOP_LENGTH_MAX) return undefined;
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+)(?::\d{1,5})?)$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  return isIP(address) === 0 ? undefined : normalizeAddress(address);
}
