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
  const match = /^(rtsps?|rtsp\+https?):\/\/([^/?#]*)(.*)/i.exec(text.trim());
  if (match === null) throw refuse("does not start with rtsp://, rtsps://, rtsp+http:// or rtsp+https://");
  const [, scheme = "", authority = "", target = ""] = match;
  // Without the address: what part of it is the password is not known.
  if (cutsLogin(authority, target)) throw new NvrdError("BAD_REQUEST", LOGIN_CUT);
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

const LOGIN_CUT =
  "RTSP address: its login or password contains #, ? or /, which ends the host's part of an address: " +
  "put login and password into their own fields";

/**
 * Whether `authority` ended within a login that is written raw: a host follows an `@` behind it, and it is none itself.
 * Such as `admin:a#b@10.0.0.5`. `@` in a path is usual: there, all of it has to look like a login.
 */
function cutsLogin(authority: string, target: string): boolean {
  const host = /@(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?(?:[/?]|$)/i.exec(target)?.[1];
  if (host === undefined) return false;
  const place = authority.slice(authority.lastIndexOf("@") + 1);
  const [name = "", port] = place.startsWith("[") ? [place] : place.split(":");
  const isPlace = port === undefined || /^\d{1,5}$/.test(port);
  if (!isPlace || target.startsWith("#")) return true;
  const looksLikeHost = /[.[]/.test(host) || host.toLowerCase() === "localhost";
  return (port !== undefined || place !== authority) && looksLikeHost && !/[.[]|^localhost$/i.test(name);
}

/** Percent-encodes only what is not allowed in a request line. `#` stays: a camera has its path as documented. */
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

/** The scheme more than once, or with another number of slashes: `rtsp://rtsp://h/`, `rtsp:/h/`, `rtsp:rtsp://h`. */
const SCHEMES = /^(?:rtsp[su]?:\/*)+/i;
/** Hosts that mean no host to anybody but the camera itself: unspecified and loopback addresses, or none at all. */
const NO_HOST = /^(?:0\.0\.0\.0|127\.\d+\.\d+\.\d+|localhost|\[::1?\]|)(?::\d*)?$/i;
/** Host and port as they can be part of an address. */
const HOST_AND_PORT = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** What a control attribute is put behind, and what behind it. */
interface Place {
  readonly base: string;
  readonly query: string;
  /** The URL of the whole session, if it is not the base. */
  readonly whole?: string;
  /** What begins with a slash is below it too. */
  readonly isBelow?: boolean;
}

/**
 * What control attributes may mean, the likeliest first. Cameras contradict themselves in Content-Base: it names the scheme
 * twice, a host or port behind a router, a host that means nothing elsewhere, another path than was asked for. A camera that
 * does not know one reading (404) may know another.
 */
export class ControlReadings {
  readonly #origin: string;
  readonly #places: readonly Place[];

  constructor(given: ControlBase) {
    const { requestUrl } = given;
    this.#origin = originOf(requestUrl);
    const announced = [given.contentBase, given.contentLocation]
      .filter((text) => isUsable(text?.trim() ?? ""))
      .map((text) => this.#reachable(absoluteUrl(text, requestUrl)));
    const [path = "", query = ""] = splitQuery(requestUrl);
    const bases = [...announced, ...announced.map((base) => this.#atOrigin(base)), requestUrl];
    const places: Place[] = bases.map((base) => ({ base, query: "" }));
    if (query !== "") places.push({ base: path, query });
    // As RFC 3986, 5.2, says, which hardly any camera means.
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder.length > this.#origin.length) places.push({ base: folder, query: "", whole: requestUrl });
    places.push({ base: requestUrl, query: "", isBelow: true });
    this.#places = places;
  }

  /** The absolute URLs of a control attribute, one for each reading, the same number for all attributes. */
  of(control: string | undefined): readonly string[] {
    const text = plainControl(control ?? "");
    return this.#places.map(({ base, query, whole, isBelow }, index) => {
      if (!isUsable(text)) return whole ?? base + query;
      const url = resolveControl(base, isBelow === true ? text.replace(/^\/+/, "") : text);
      if (!SCHEMES.test(text)) return url + query;
      return index === 0 ? this.#reachable(url) : this.#atOrigin(url);
    });
  }

  /** Where the camera names a host that means itself, at the place that the request went to. */
  #reachable(url: string): string {
    const place = originOf(url).replace(/^[a-z]+:\/\//i, "");
    return NO_HOST.test(place) ? this.#atOrigin(url) : url;
  }

  /** The same URL at the place that the request went to. */
  #atOrigin(url: string): string {
    return this.#origin + url.slice(originOf(url).length);
  }
}

/** Without quotes, and the steps to where it is already; an address of HTTP is one of RTSP. */
function plainControl(control: string): string {
  return control
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .replace(/^(?:\.\/)+/, "")
    .replace(/^http(s?):\/\//i, "rtsp$1://");
}

/**
 * The URL that a camera gives in a header: with one scheme, and with the scheme or host of the request if it has none. The URL of
 * the request if it is unusable.
 */
export function absoluteUrl(text: string | undefined, requestUrl: string): string {
  const given = text?.trim() ?? "";
  if (!isUsable(given)) return requestUrl;
  if (SCHEMES.test(given)) return withOneScheme(given, requestUrl);
  const [, scheme = "", host = ""] = /^([a-z]+:\/\/)([^/?]*)/i.exec(requestUrl) ?? [];
  if (given.startsWith("//")) return scheme + given.slice(2);
  if (given.startsWith("/")) return scheme + host + given;
  const first = /^[^/?]*/.exec(given)?.[0] ?? "";
  const bareHost = host.replace(/:\d+$/, "");
  const looksLikeHost = first.replace(/:\d+$/, "") === bareHost || /^\d+\.\d+\.\d+\.\d+(:\d+)?$/.test(first);
  if (looksLikeHost) return scheme + given;
  const [withoutQuery = ""] = splitQuery(requestUrl);
  const folder = withoutQuery.slice(0, Math.max(withoutQuery.lastIndexOf("/"), (scheme + host).length));
  return `${folder}/${given}`;
}

/** An absolute URL without user and password; at the origin of `requestUrl` if its own host can be none. */
function withOneScheme(url: string, requestUrl: string): string {
  const origin = originOf(requestUrl);
  const schemes = SCHEMES.exec(url)?.[0] ?? "";
  const rest = url.slice(schemes.length).replace(/^[^/?@]*@/, "");
  const place = /^[^/?]*/.exec(rest)?.[0] ?? "";
  // `rtsp:/live/`, with one slash or three, may be a path alone.
  const mayBePath = !/[:/]\/\/$/.test(schemes) || schemes.endsWith("///");
  const isHost = HOST_AND_PORT.test(place) && (!mayBePath || /[.:[]/.test(place));
  if (mayBePath && !isHost) return `${origin}/${rest}`;
  if (!isHost) return origin + rest.slice(place.length);
  const scheme = /^rtsp[su]?/i.exec(schemes.slice(schemes.toLowerCase().lastIndexOf("rtsp")))?.[0] ?? "rtsp";
  return `${scheme}://${rest}`;
}

/** Scheme, host and port. */
function originOf(url: string): string {
  return /^[a-z]+:\/\/[^/?]*/i.exec(url)?.[0] ?? "";
}

/** What is before the query, and the query with its question mark. */
function splitQuery(url: string): readonly [string, string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
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

/**
 * A control attribute's absolute URL. Joined as live555 and ffmpeg do rather than by RFC 3986: what cameras mean by
 * `trackID=1` under `rtsp://host/live` is `rtsp://host/live/trackID=1`, with or without the base's slash, and also
 * after a query.
 */
export function resolveControl(base: string, control: string | undefined): string {
  const text = control?.trim() ?? "";
  if (!isUsable(text)) return base;
  if (SCHEMES.test(text)) return withOneScheme(text, base);
  if (text.startsWith("/")) return originOf(base) + text;
  return base.endsWith("/") ? base + text : `${base}/${text}`;
}
