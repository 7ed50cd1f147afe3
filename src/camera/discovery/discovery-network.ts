import { createSocket, type Socket } from "node:dgram";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** An address of this machine on a network where cameras may be. */
export interface LanAddress {
  /** Name of the interface, as in `ip link`. */
  readonly interfaceName: string;
  readonly address: string;
  readonly family: "IPv4" | "IPv6";
  readonly prefixLength: number;
}

/** The network functions that discovery uses; tests replace them. */
export interface DiscoveryNetwork {
  /** The current addresses. */
  addresses(): readonly LanAddress[];
  /** The current IPv6 addresses with their networks, link-local ones apart. */
  ipv6Networks(): readonly LanAddress[];
  /** A UDP socket, unbound; `reuse`: several processes may listen on its port. */
  createSocket(options: { readonly family: "IPv4" | "IPv6"; readonly reuse: boolean }): Socket;
}

/** Addresses that are probed and listened on. Machines with more have mostly virtual interfaces. */
export const LAN_ADDRESSES_MAX = 64;

/**
 * The machine's own network: every IPv4 address, loopback included (for simulated cameras), and the link-local
 * address of each interface with IPv6.
 */
export const SYSTEM_NETWORK: DiscoveryNetwork = {
  addresses: () =>
    allAddresses()
      .filter(({ family, address }) => family === "IPv4" || isLinkLocal(address))
      .slice(0, LAN_ADDRESSES_MAX),
  ipv6Networks: () =>
    allAddresses()
      .filter(({ family, address }) => family === "IPv6" && !isLinkLocal(address))
      .slice(0, LAN_ADDRESSES_MAX),
  createSocket: ({ family, reuse }) =>
    createSocket({ type: family === "IPv4" ? "udp4" : "udp6", reuseAddr: reuse }),
};

function allAddresses(): LanAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([interfaceName, infos = []]) =>
    infos.map(({ address, family, cidr }): LanAddress => {
      const prefixLength = Number(cidr?.split("/")[1] ?? (family === "IPv4" ? 32 : 128));
      return { interfaceName, address, family, prefixLength };
    }),
  );
}

/** fe80::/10 (RFC 4291, 2.5.6); such an address is one together with its interface alone. */
export function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}

/**
 * Where a device is reached that answered from a link-local address: at its IPv4 address, else at its other IPv6 address, if it
 * has one on our networks. Both need no interface, and last longer.
 */
export function reachedAt(
  source: { readonly address: string; readonly interfaceName: string },
  xaddrs: readonly string[],
  network: DiscoveryNetwork,
): { readonly address: string; readonly interfaceName: string; readonly heardFrom?: string } {
  if (!isLinkLocal(source.address)) return source;
  const hosts = xaddrs.map((xaddr) => new URL(xaddr).hostname.replace(/^\[|\]$/g, ""));
  const address =
    hosts.find((host) => isOnLan(host, network.addresses())) ??
    hosts.find((host) => isOnIpv6Lan(host, source, network));
  return address === undefined ? source : { ...source, address, heardFrom: source.address };
}

function isOnIpv6Lan(host: string, source: { readonly address: string }, network: DiscoveryNetwork): boolean {
  if (!ipaddr.IPv6.isValid(host) || isLinkLocal(host)) return false;
  const wanted = ipaddr.IPv6.parse(host);
  const zone = source.address.split("%")[1];
  return network
    .ipv6Networks()
    .filter(({ interfaceName }) => interfaceName === zone)
    .some((own) => wanted.match(ipaddr.IPv6.parse(own.address), own.prefixLength));
}

/** Whether an IPv4 address is in one of the machine's networks. */
export function isOnLan(address: string, lan: readonly LanAddress[]): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return false;
  const wanted = ipaddr.IPv4.parse(address);
  return lan.some(
    (own) =>
      own.family === "IPv4" && wanted.match(ipaddr.IPv4.parse(own.address), Math.min(32, own.prefixLength)),
  );
}

/** The address of a datagram's sender in the form that is compared and shown: IPv4-mapped addresses as IPv4. */
export function plainAddress(text: string): string {
  const [bare = "", zone] = text.split("%");
  if (!ipaddr.isValid(bare)) return text;
  const address = ipaddr.process(bare).toString();
  return zone === undefined ? address : `${address}%${zone}`;
}

/** Whether an address is one of this machine, however it is written. */
export function isOwnAddress(
  text: string,
  network: Pick<DiscoveryNetwork, "addresses" | "ipv6Networks">,
): boolean {
  const address = plainAddress(text.replace(/^\[|\]$/g, "")).split("%")[0] ?? "";
  // Every address of 127.0.0.0/8 is this machine, and the system takes the unspecified ones for it.
  if (address.startsWith("127.") || ["::1", "0.0.0.0", "::"].includes(address)) return true;
  const own = [...network.addresses(), ...network.ipv6Networks()];
  return own.some((each) => plainAddress(each.address).split("%")[0] === address);
}
