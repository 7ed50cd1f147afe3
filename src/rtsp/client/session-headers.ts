/**
 * The headers of session setup, parsed leniently, as cameras write them (RFC 2326: Session 12.37, Transport 12.39,
 * RTP-Info 12.33, Public 12.28).
 */

/** Session lifetime when the server names none (RFC 2326, 12.37), in seconds. */
export const SESSION_TIMEOUT_S_DEFAULT = 60;
const SESSION_TIMEOUT_S_MAX = 3600;
const SESSION_ID_LENGTH_MAX = 256;

export interface SessionHeader {
  readonly id: string;
  /** 1 to 3600. */
  readonly timeoutS: number;
}

/** `id;timeout=seconds`, with spaces anywhere. Undefined without a usable id. */
export function parseSessionHeader(text: string): SessionHeader | undefined {
  const [id = "", ...parameters] = text.split(";").map((part) => part.trim());
  if (id === "" || id.length > SESSION_ID_LENGTH_MAX) return undefined;
  for (const parameter of parameters) {
    const seconds = Number(/^timeout\s*=\s*"?(\d{1,9})"?$/i.exec(parameter)?.[1] ?? 0);
    if (seconds > 0) return { id, timeoutS: Math.min(seconds, SESSION_TIMEOUT_S_MAX) };
  }
  return { id, timeoutS: SESSION_TIMEOUT_S_DEFAULT };
}

export interface TransportHeader {
  readonly isTcp: boolean;
  /** It names UDP, or ports. With neither it means what it was asked for. */
  readonly isUdp: boolean;
  /** Channels or ports of RTP and RTCP; undefined if the server names none. */
  readonly interleaved: readonly [number, number] | undefined;
  readonly serverPort: readonly [number, number] | undefined;
  /** Source address of the media, if it differs from the server's. */
  readonly source: string | undefined;
  /** Synchronisation source of the server's RTP packets, 32 bits. */
  readonly ssrc: number | undefined;
}

const PARAMETERS_MAX = 32;

export function parseTransportHeader(text: string): TransportHeader {
  const first = text.split(",")[0] ?? "";
  const [profile = "", ...parts] = first.split(";").map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const part of parts.slice(0, PARAMETERS_MAX)) {
    const equals = part.indexOf("=");
    if (equals > 0) parameters.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim());
  }
  const isTcp = /\/TCP$/i.test(profile) || parameters.has("interleaved");
  const hasPorts = ["client_port", "server_port", "port"].some((name) => parameters.has(name));
  return {
    isTcp,
    isUdp: !isTcp && (hasPorts || /\/UDP$/i.test(profile)),
    interleaved: parsePair(parameters.get("interleaved"), 255),
    serverPort: parsePair(parameters.get("server_port"), 65535),
    source: parameters.get("source")?.replace(/^"|"$/g, "") || undefined,
    ssrc: parseSsrc(parameters.get("ssrc")),
  };
}

/** `a-b`, or `a` alone for `a` and `a + 1`. */
function parsePair(text: string | undefined, max: number): readonly [number, number] | undefined {
  const match = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(text?.trim() ?? "");
  if (match === null) return undefined;
  const first = Number(match[1]);
  const second = match[2] === undefined ? first + 1 : Number(match[2]);
  return first <= max && second <= max && first !== second ? [first, second] : undefined;
}

/** Eight hexadecimal digits; cameras pad with spaces, omit zeros, or write 0x. */
export function parseSsrc(text: string | undefined): number | undefined {
  const digits = /^"?\s*(?:0x)?([0-9a-f]{1,8})\s*"?$/i.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

export interface RtpInfo {
  readonly url: string;
  /** First sequence number of the range played, 16 bits. */
  readonly sequence: number | undefined;
  /** RTP timestamp of the start of the range, 32 bits. */
  readonly rtpTimestamp: number | undefined;
  readonly ssrc: number | undefined;
}

const RTP_INFO_STREAMS_MAX = 16;

/** One entry per stream; trailing and double separators, spaces and unknown parameters are ignored. */
export function parseRtpInfo(text: string): RtpInfo[] {
  const streams: RtpInfo[] = [];
  for (const entry of text.split(/,\s*(?=url\s*=)/i).slice(0, RTP_INFO_STREAMS_MAX)) {
    const url = /(?:^|[;\s])url\s*=\s*"?(.*?)"?\s*(?=;\s*(?:seq|rtptime|ssrc)\s*=|[;,]?\s*$)/i.exec(
      entry,
    )?.[1];
    if (url === undefined) continue;
    streams.push({
      url,
      sequence: numberIn(entry, "seq", 0xffff),
      rtpTimestamp: numberIn(entry, "rtptime", 0xffffffff),
      ssrc: parseSsrc(/;\s*ssrc\s*=\s*([^;,]*)/i.exec(entry)?.[1]),
    });
  }
  return streams;
}

function numberIn(entry: string, name: string, max: number): number | undefined {
  const digits = new RegExp(`;\\s*${name}\\s*=\\s*(\\d{1,10})`, "i").exec(entry)?.[1];
  const value = Number(digits);
  return digits !== undefined && value <= max ? value : undefined;
}

/** Methods a Public (or Allow) header lists, upper case. */
export function parseMethods(values: readonly string[]): ReadonlySet<string> {
  return new Set(
    values
      .join(",")
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter((name) => name !== "")
      .slice(0, 64),
  );
}

export type KeepAliveMethod = "GET_PARAMETER" | "OPTIONS" | "SET_PARAMETER";

/** The least intrusive request first: GET_PARAMETER if offered, else OPTIONS; SET_PARAMETER only if there is no other. */
export function keepAliveMethods(offered: ReadonlySet<string>): readonly KeepAliveMethod[] {
  const order: readonly KeepAliveMethod[] = ["GET_PARAMETER", "OPTIONS", "SET_PARAMETER"];
  const usable = order.filter((method) => offered.has(method));
  return usable.length > 0 ? usable : ["OPTIONS", "GET_PARAMETER"];
}
