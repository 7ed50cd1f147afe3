import ipaddr from "ipaddr.js";
import { NvrdError } from "../base/index.js";
import { decodePercent, Query } from "./query.js";

/** A request of the HTTP library, copied while it is valid. */
export interface RawRequest {
  /** Lower case. */
  readonly method: string;
  /** Path as sent, without the query. */
  readonly url: string;
  /** The query after the first `?`, as sent; empty if none. */
  readonly query: string;
  /** Names in lower case, in the order sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The client's address as text, the peer's unless a trusted proxy names another; empty over a unix socket. */
  readonly address: string;
  /** Whether the client speaks HTTPS, to this service or to a trusted proxy; false when absent. */
  readonly secure?: boolean;
  /** Whether a trusted proxy has sent it; false when absent. */
  readonly proxied?: boolean;
  /** The way in that only a part of this process knows the place of; absent at the ports. */
  readonly door?: string;
  readonly body: Uint8Array;
  /** Replaces `body` on routes whose bodies are too large for memory. */
  readonly bodyStream?: StreamedBody;
}

/** A streamed body. `bytes`: Content-Length; undefined if absent. */
export interface StreamedBody extends AsyncIterable<Uint8Array> {
  readonly bytes: number | undefined;
}

/** Headers that must not be repeated: they decide where a request ends and who sent it. */
const SINGLE_HEADERS = new Set(["content-length", "transfer-encoding", "host", "authorization"]);

/**
 * Why it is not certain where a request ends, or who sent it; undefined when it is. The library takes any
 * Transfer-Encoding for chunks and an empty Content-Length for none, where a proxy in front may read the bytes
 * otherwise and see another request in them (RFC 9112, 6.3 and 11.2).
 */
export function framingFault(headers: RawRequest["headers"]): string | undefined {
  const seen = new Set<string>();
  for (const [name, value] of headers) {
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return `the header ${name} comes twice`;
    seen.add(name);
    if (name === "content-length" && !/^\d{1,15}$/.test(value))
      return "Content-Length is not a number of bytes";
    if (name === "transfer-encoding" && value.toLowerCase() !== "chunked")
      return "Transfer-Encoding is not chunked, the only one that is understood";
  }
  return seen.has("content-length") && seen.has("transfer-encoding")
    ? "Content-Length and Transfer-Encoding come together"
    : undefined;
}

const NO_BODY = new Uint8Array(0);

/** The parsed request without its body; equal requests may share it. */
export class RequestContent {
  /** Upper case; HEAD stays HEAD. */
  readonly method: string;
  /** Decoded, lower case, without repeated or trailing slashes: `/configure/channels`. */
  readonly path: string;
  readonly query: Query;
  /** IPv4 where the peer uses mapped IPv6. */
  readonly address: string;
  /** See `RawRequest`. */
  readonly secure: boolean;
  /** See `RawRequest`. */
  readonly proxied: boolean;
  /** See `RawRequest`. */
  readonly door: string | undefined;
  /** Path and query as sent. */
  readonly target: string;
  readonly #headers: RawRequest["headers"];

  /** Throws NvrdError BAD_REQUEST if path or query are malformed. */
  constructor(raw: RawRequest) {
    this.method = raw.method.toUpperCase();
    this.path = normalizePath(raw.url);
    this.query = new Query(raw.query);
    this.address = normalizeAddress(raw.address);
    this.secure = raw.secure === true;
    this.proxied = raw.proxied === true;
    this.door = raw.door;
    this.target = raw.query === "" ? raw.url : `${raw.url}?${raw.query}`;
    this.#headers = raw.headers;
  }

  /** The same request with another query. Throws NvrdError BAD_REQUEST as the constructor does. */
  asking(query: string): RequestContent {
    const { method, path: url, address, secure, proxied, door } = this;
    const sent = { method, url, query, headers: this.#headers, address, secure, proxied, body: NO_BODY };
    return new RequestContent(door === undefined ? sent : { ...sent, door });
  }

  /** A header's value, repeated ones joined by a comma; undefined if absent. `name` in lower case. */
  header(name: string): string | undefined {
    let all: string | undefined;
    for (const header of this.#headers)
      if (header[0] === name) all = all === undefined ? header[1] : `${all}, ${header[1]}`;
    return all;
  }
}

/** One request: normalized path, parsed query, normalized address. */
export class ApiRequest {
  /** Identifies the request in the log and in answers with status 500. */
  readonly id: string;
  readonly content: RequestContent;
  /** See `RequestContent`. */
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  readonly address: string;
  readonly body: Uint8Array;
  /** See `RawRequest`. */
  readonly bodyStream: StreamedBody | undefined;

  constructor(
    id: string,
    content: RequestContent,
    { body, bodyStream }: Pick<RawRequest, "body" | "bodyStream">,
  ) {
    this.id = id;
    this.content = content;
    this.method = content.method;
    this.path = content.path;
    this.query = content.query;
    this.address = content.address;
    this.body = body;
    this.bodyStream = bodyStream;
  }

  /** See `RequestContent.asking`. */
  asking(query: string): ApiRequest {
    return new ApiRequest(this.id, this.content.asking(query), { body: this.body });
  }

  /** See `RequestContent.header`. */
  header(name: string): string | undefined {
    return this.content.header(name);
  }
}

/** A path that is already normalized. */
const PLAIN_PATH = /^(?:\/[a-z0-9_.-]+)+$/;

/** `//Configure/Channels/` becomes `/configure/channels`. */
export function normalizePath(url: string): string {
  if (PLAIN_PATH.test(url)) return url;
  const decoded = decodePercent(url, "the path");
  if (/\p{Cc}/u.test(decoded)) throw new NvrdError("BAD_REQUEST", "the path has a control character");
  const path = decoded.replace(/\/{2,}/g, "/").toLowerCase();
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

const IPV4 = /^(?:(?:[1-9]?\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

/** The address in its short form; IPv4-mapped IPv6 as IPv4. Other text is returned unchanged. */
export function normalizeAddress(address: string): string {
  // Already in the short form.
  if (IPV4.test(address)) return address;
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
