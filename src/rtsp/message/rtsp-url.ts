import { NvrdError, redactUrl } from "../../base/index.js";

export interface RtspCredentials {
  readonly user: string;
  readonly password: string;
}

/** A parsed address of a stream; `requestUrl` is what is sent. */
export interface RtspUrl {
  /** Over TLS. */
  readonly secure: boolean;
  /** Through HTTP, with `secure` through HTTPS: a GET for what the camera sends, a POST for what it is sent. */
  readonly tunnel: boolean;
  /** Host name or address, IPv6 without brackets. */
  readonly host: string;
  /** 1 to 65535. */
  readonly port: number;
  /** Host and port as written, behind the scheme of requests (rtsp:// in a tunnel), without credentials, without path. */
  readonly origin: string;
  /** `origin`, path and query as written (spaces and non-ASCII percent-encoded). */
  readonly requestUrl: string;
  /** User and password of the address, percent-decoded; undefined when it names none. */
  readonly credentials: RtspCredentials | undefined;
}

/** Longest address accepted, in characters. */
export const URL_LENGTH_MAX = 4096;
export type StreamScheme = "rtsp" | "rtsps" | "rtsp+http" | "rtsp+https";
/** Ports where an address names none; 322 of rtsps:// is IANA's. */
export const STREAM_PORTS: Readonly<Record<StreamScheme, number>> = {
  rtsp: 554,
  rtsps: 322,
  "rtsp+http": 80,
  "rtsp+https": 443,
};
/** Begins as the address of a stream does. */
export const STREAM_SCHEME = /^(rtsps?|rtsp\+https?):\/\//i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * Parses an RTSP address (RFC 2326, 3.2). Not a WHATWG URL: cameras want their path byte for byte as documented (`//`,
 * `;`, unescaped brackets). Throws NvrdError BAD_REQUEST that says what is wrong.
 */
export function parseRtspUrl(text: string): RtspUrl {
  const shown = redactUrl(text.slice(0, 200)).replace(/[^\x20-\x7e]/g, "?");
  const refuse = (what: string): NvrdError => new NvrdError("BAD_REQUEST", `RTSP address ${shown}: ${what}`);
  if (text.length > URL_LENGTH_MAX) throw refuse(`longer than ${URL_LENGTH_MAX} characters`);
  if (CONTROL_CHARACTER.test(text)) throw refuse("contains a control character");
  const match = /^(rtsps?|rtsp\+https?):\/\/([^/?#]*)([^#]*)/i.exec(text.trim());
  if (match === null) throw refuse("does not start with rtsp://, rtsps://, rtsp+http:// or rtsp+https://");
  const [, scheme = "", authority = "", target = ""] = match;
  const at = authority.lastIndexOf("@");
  const hostPort = /^(?:\[([0-9a-f:.]+(?:%[\w.-]+)?)\]|([^\s:[\]@]+))(?::(\d{1,5}))?$/i.exec(
    authority.slice(at + 1),
  );
  if (hostPort === null) throw refuse("has no host, or a port that is not a number");
  const kind = scheme.toLowerCase() as StreamScheme;
  const tunnel = kind.includes("+");
  const [, ipv6, name, portText] = hostPort;
  const port = Number(portText ?? STREAM_PORTS[kind]);
  if (port < 1 || port > 65535) throw refuse("has a port outside 1 to 65535");
  // The zone of a link-local address means something here alone (RFC 6874, 4).
  const place = authority.slice(at + 1).replace(/%[\w.-]+\]/, "]");
  const origin = `${tunnel ? "rtsp" : kind}://${place}`;
  return {
    secure: kind.endsWith("s"),
    tunnel,
    host: ipv6 ?? name ?? "",
    port,
    origin,
    requestUrl: escapeTarget(origin + target),
    credentials: at < 0 ? undefined : parseUserInfo(authority.slice(0, at)),
  };
}

/** Percent-encodes only what is not allowed in a request line. */
function escapeTarget(target: string): string {
  return target.replace(/[^\x21-\x7e]+/gu, (run) => encodeURI(run.replace(/\p{Surrogate}/gu, "\ufffd")));
}

function parseUserInfo(userInfo: string): RtspCredentials {
  const colon = userInfo.indexOf(":");
  const user = colon < 0 ? userInfo : userInfo.slice(0, colon);
  return { user: percentDecode(user), password: colon < 0 ? "" : percentDecode(userInfo.slice(colon + 1)) };
}

/** A `%` that is not an escape is kept: passwords are typed by people. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not an error: the text is not percent-encoded.
    return text;
  }
}

/** The base URLs of a DESCRIBE response. */
export interface ControlBase {
  /** The URL the DESCRIBE request named. */
  readonly requestUrl: string;
  readonly contentBase: string | undefined;
  readonly contentLocation: string | undefined;
}

const ABSOLUTE = /^rtsp[su]?:\/\//i;

/**
 * The base that control URLs are resolved against (RFC 2326, C.1.1): Content-Base, else Content-Location, else the
 * request URL; made absolute if a camera omits the scheme, or the host too.
 */
export function controlBase(base: ControlBase): string {
  const given = [base.contentBase, base.contentLocation].map((text) => text?.trim() ?? "").find(isUsable);
  if (given === undefined) return base.requestUrl;
  if (ABSOLUTE.test(given)) return withoutUserInfo(given);
  const [, scheme = "", host = ""] = /^([a-z]+:\/\/)([^/?]*)/i.exec(base.requestUrl) ?? [];
  if (given.startsWith("//")) return scheme + given.slice(2);
  if (given.startsWith("/")) return scheme + host + given;
  const first = /^[^/?]*/.exec(given)?.[0] ?? "";
  const bareHost = host.replace(/:\d+$/, "");
  const looksLikeHost = first.replace(/:\d+$/, "") === bareHost || /^\d+\.\d+\.\d+\.\d+(:\d+)?$/.test(first);
  if (looksLikeHost) return scheme + given;
  const withoutQuery = base.requestUrl.replace(/\?.*$/, "");
  const folder = withoutQuery.slice(0, Math.max(withoutQuery.lastIndexOf("/"), (scheme + host).length));
  return `${folder}/${given}`;
}

function isUsable(text: string): boolean {
  return (
    text !== "" &&
    text !== "*" &&
    text.length <= URL_LENGTH_MAX &&
    !CONTROL_CHARACTER.test(text) &&
    !/\s/.test(text)
  );
}

function withoutUserInfo(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?]*@/i, "$1");
}

/**
 * A control attribute's absolute URL. Joined as live555 and ffmpeg do rather than by RFC 3986: what cameras mean by
 * `trackID=1` under `rtsp://host/live` is `rtsp://host/live/trackID=1`, with or without the base's slash, and also
 * after a query.
 */
export function resolveControl(base: string, control: string | undefined): string {
  const text = control?.trim() ?? "";
  if (!isUsable(text)) return base;
  if (ABSOLUTE.test(text)) return withoutUserInfo(text);
  if (text.startsWith("/")) return (/^[a-z]+:\/\/[^/?]*/i.exec(base)?.[0] ?? "") + text;
  return base.endsWith("/") ? base + text : `${base}/${text}`;
}
