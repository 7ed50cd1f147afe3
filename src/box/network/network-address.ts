import ipaddr from "ipaddr.js";

type Family = 4 | 6;

/** An address with the length of its network. */
export interface HostWithPrefix {
  /** `192.168.1.20/24`, in its usual form. */
  readonly text: string;
  readonly address: string;
  readonly prefix: number;
  /** The first or last address of an IPv4 network: no machine has it. */
  readonly isNetworkItself: boolean;
}

/** The address in its usual form; undefined for any other text, also one with a zone. */
export function readHost(text: string, family?: Family): string | undefined {
  if (text.includes("%")) return undefined;
  if (family !== 6 && ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).toString();
  if (family === 4 || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? undefined : address.toString();
}

/** `192.168.1.20/24`; undefined for any other text. */
export function readHostWithPrefix(text: string, family: Family): HostWithPrefix | undefined {
  const [, host = "", length = ""] = /^([^/]{1,45})\/(\d{1,3})$/.exec(text) ?? [];
  const address = readHost(host, family);
  const prefix = Number(length);
  const [least, most] = family === 4 ? [1, 32] : [3, 128];
  if (address === undefined || prefix < least || prefix > most) return undefined;
  return {
    text: `${address}/${prefix}`,
    ...{ address, prefix },
    isNetworkItself: family === 4 && prefix < 31 && isEndOfNetwork(address, prefix),
  };
}

function isEndOfNetwork(address: string, prefix: number): boolean {
  const cidr = `${address}/${prefix}`;
  const ends = [ipaddr.IPv4.networkAddressFromCIDR(cidr), ipaddr.IPv4.broadcastAddressFromCIDR(cidr)];
  return ends.some((end) => end.toString() === address);
}

/** Whether one machine can be reached at it: no loopback, no multicast, nothing reserved. */
export function isUsableHost(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const range = ipaddr.parse(address).range();
  return (
    range === "unicast" ||
    range === "private" ||
    range === "uniqueLocal" ||
    range === "carrierGradeNat" ||
    isForDocuments(address)
  );
}

/** Networks reserved for examples: no harm in using them, and laboratories do. */
function isForDocuments(address: string): boolean {
  return /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.|^2001:db8:/.test(address);
}

/** Whether an address is in the network of `192.168.1.20/24`. */
export function isSameNetwork(hostWithPrefix: string, address: string): boolean {
  const [host = "", prefix = ""] = hostWithPrefix.split("/");
  if (!ipaddr.isValid(host) || !ipaddr.isValid(address)) return false;
  const network = ipaddr.parse(host);
  const parsed = ipaddr.parse(address);
  return network.kind() === parsed.kind() && parsed.match(network, Number(prefix));
}
