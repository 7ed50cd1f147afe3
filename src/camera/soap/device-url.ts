import { STREAM_PORTS, type StreamScheme } from "../../rtsp/index.js";

/**
 * Addresses reported by a device. Cameras write URLs that the WHATWG parser rejects or rewrites (surrounding blanks, `|` and
 * `{` in the path, zones of link-local addresses), so they are parsed here, as far as needed.
 */

/** Maximum length of an address, in characters. */
export const URL_LENGTH_MAX = 2048;

export type DeviceScheme = "http" | "https" | StreamScheme;

const DEFAULT_PORTS: Readonly<Record<DeviceScheme, number>> = { http: 80, https: 443, ...STREAM_PORTS };

export interface DeviceUrl {
  readonly scheme: DeviceScheme;
  /** A name, IPv4, or IPv6 without brackets, optionally with a zone (`fe80::1%eth0`). */
  readonly host: string;
  readonly port: number;
  /** Path and query, printable ASCII; begins with `/` or is empty. */
  readonly target: string;
}

const URL_TEXT =
  /^([a-z+]+):\/\/(?:[^@/?#]*@)?(?:\[([^\]\s]+)\]|([^:/?#[\]\s]+))(?::(\d{1,5}))?([/?][^#]*)?(?:#.*)?$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** Undefined if `text` is not an address with one of `schemes`. Credentials and fragments are dropped. */
export function parseDeviceUrl(text: string, schemes: readonly DeviceScheme[]): DeviceUrl | undefined {
  const trimmed = text.trim();
  if (trimmed.length > URL_LENGTH_MAX || CONTROL_CHARACTER.test(trimmed)) return undefined;
  const match = URL_TEXT.exec(trimmed);
  if (match === null) return undefined;
  const [, schemeText = "", ipv6, name, portText, target = ""] = match;
  const scheme = schemes.find((known) => known === schemeText.toLowerCase());
  if (scheme === undefined) return undefined;
  const port = portText === undefined ? DEFAULT_PORTS[scheme] : Number(portText);
  if (port < 1 || port > 65535) return undefined;
  return { scheme, host: plainHost(ipv6 ?? name ?? ""), port, target: printable(target) };
}

/** A host without brackets; the `%25` of a zone in a URL (RFC 6874) becomes `%`. */
export function plainHost(host: string): string {
  return host.replace(/^\[|\]$/g, "").replace("%25", "%");
}

function printable(target: string): string {
  const path = target.startsWith("?") ? `/${target}` : target;
  return path.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

/** The host as written in a URL. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** The address as text, without the default port of its scheme. */
export function deviceUrlText(url: DeviceUrl): string {
  const port = url.port === DEFAULT_PORTS[url.scheme] ? "" : `:${url.port}`;
  return `${url.scheme}://${urlHost(url.host)}${port}${url.target}`;
}

/** The request target for HTTP and for the digest. */
export function requestTarget(url: DeviceUrl): string {
  return url.target === "" ? "/" : url.target;
}

/** `host:port` for messages. */
export function placeOf(url: DeviceUrl): string {
  return `${urlHost(url.host)}:${url.port}`;
}
