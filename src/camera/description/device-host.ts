import { isIPv6 } from "node:net";

/** The configured address of a device, parsed. */
export interface DeviceHost {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  /** Undefined: the default port. */
  readonly port: number | undefined;
}

const PORT_MAX = 65_535;
const ADDRESS =
  /^(https?:\/\/)?(?:\[([0-9a-f:.]+(?:%[\w.-]+)?)\]|([^\s:/?#[\]@]+))(?::(\d{1,5}))?([/?#]\S*)?$/i;

/**
 * Parses `host`, `host:port`, `[v6]:port`, a bare IPv6 address, or an http:// or https:// URL; undefined for anything else. A
 * link-local address has its zone: `[fe80::1%eth0]:port`.
 */
export function parseDeviceHost(text: string): DeviceHost | undefined {
  const trimmed = text.trim();
  if (isIPv6(trimmed)) return { host: trimmed, port: undefined };
  const match = ADDRESS.exec(trimmed);
  if (match === null) return undefined;
  const [, scheme, ipv6, name, portText, path] = match;
  if (scheme === undefined && path !== undefined) return undefined;
  const host = ipv6 ?? name ?? "";
  const port = portText === undefined ? undefined : Number(portText);
  if ((ipv6 !== undefined && !isIPv6(ipv6)) || (port !== undefined && (port < 1 || port > PORT_MAX)))
    return undefined;
  const isName = ipv6 === undefined;
  return host !== "" && (!isName || URL.canParse(`http://${host}/`)) ? { host, port } : undefined;
}

/** The host as written in a URL. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
