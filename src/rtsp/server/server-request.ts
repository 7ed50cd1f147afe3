import { rtspStreamLibrary } from "../message/rtsp-stream-library.js";

/** A request as the server acts on it. */
export interface ServerRequest {
  readonly method: string;
  /** As written by the client; no blanks, no control characters. */
  readonly uri: string;
  readonly version: string;
  /** Names in lower case; values of a repeated header joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export const REQUEST_HEADER_BYTES_MAX = 16 * 1024;
export const REQUEST_HEADERS_MAX = 100;
export const REQUEST_URI_CHARACTERS_MAX = 2048;

/** A request that cannot be acted on: the answer's status and what is wrong, in words. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "RequestError";
    this.status = status;
  }
}

type RequestHead = Omit<ServerRequest, "body">;

/**
 * Reads a header block (start line to the last header's line end). rtsp-stream reads the
 * ordinary ones; what it refuses goes to `parseTolerantly`. Throws RequestError, nothing else.
 */
export function parseRequestHead(head: string): RequestHead {
  const parsed = parseWithRtspStream(head) ?? parseTolerantly(head);
  if (parsed.uri.length > REQUEST_URI_CHARACTERS_MAX)
    throw new RequestError(414, "the request URI is too long");
  if (!/^[!-~]+$/.test(parsed.uri))
    throw new RequestError(400, "the request URI holds characters that must be escaped");
  return parsed;
}

/** Undefined when rtsp-stream refuses the start line (it throws on a lower-case protocol, for example). */
function parseWithRtspStream(head: string): RequestHead | undefined {
  const { IncomingMessage } = rtspStreamLibrary();
  let message: InstanceType<typeof IncomingMessage>;
  try {
    message = new IncomingMessage(head);
  } catch {
    // Nothing is lost: the tolerant parser reads the same text and words the final refusal.
    return undefined;
  }
  if (message.method === undefined || message.uri === undefined) return undefined;
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(message.headers)) {
    addHeader(headers, name, Array.isArray(value) ? value.join(", ") : String(value));
  }
  return { method: message.method, uri: message.uri, version: message.rtspVersion, headers };
}

/** Lower-case protocol and method, several blanks, a line with only a blank: what clients have been seen to send. */
function parseTolerantly(head: string): RequestHead {
  const [startLine = "", ...lines] = head.split(/\r\n|\n|\r/);
  const match = /^([A-Za-z_]{1,32})[ \t]+(\S+)[ \t]+RTSP\/(\d\.\d)[ \t]*$/i.exec(startLine);
  if (match === null) throw new RequestError(400, "the first line is no RTSP request");
  const headers = new Map<string, string>();
  let newest = "";
  for (const line of lines) {
    if (line.trim() === "") continue;
    const colon = line.indexOf(":");
    if (/^[ \t]/.test(line)) {
      if (newest !== "") headers.set(newest, `${headers.get(newest) ?? ""} ${line.trim()}`);
    } else if (colon > 0) {
      newest = line.slice(0, colon).trim().toLowerCase();
      addHeader(headers, newest, line.slice(colon + 1).trim());
    } else throw new RequestError(400, "a header line has no colon");
  }
  const [, method = "", uri = "", version = ""] = match;
  return { method: method.toUpperCase(), uri, version, headers };
}

function addHeader(headers: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase();
  const before = headers.get(key);
  headers.set(key, before === undefined ? value : `${before}, ${value}`);
  if (headers.size > REQUEST_HEADERS_MAX) throw new RequestError(400, "the request has too many headers");
}

/** The standard's phrase for a status (RFC 2326, 7.1.1). */
export function reasonPhrase(status: number): string {
  return rtspStreamLibrary().STATUS_CODES[String(status)] ?? "Error";
}
