import { rtspStreamLibrary } from "./rtsp-stream-library.js";

/**
 * RTSP 1.0 messages (RFC 2326, sections 4 to 7) as text: requests out, responses and requests in. rtsp-stream
 * writes requests and reads ordinary responses; what it cannot read, a tolerant parser of our own does.
 */

/** Longest start line and headers of one message, in bytes. */
export const HEADER_BYTES_MAX = 64 * 1024;
/** Longest body of one message, in bytes. */
export const BODY_BYTES_MAX = 256 * 1024;
/** Most header lines of one message that are kept; further ones are ignored. */
const HEADER_LINES_MAX = 256;
/** rtsp-stream reads no longer header than this. */
const RTSP_STREAM_HEADER_BYTES_MAX = 1024;

/** Header values by lower-case name, in the order they came; a repeated header keeps its values apart. */
export type RtspHeaders = ReadonlyMap<string, readonly string[]>;

export interface RtspResponse {
  readonly kind: "response";
  /** 100 to 999. */
  readonly status: number;
  readonly reason: string;
  readonly headers: RtspHeaders;
  readonly body: Buffer;
}

/** A request, ours or the server's. */
export interface RtspRequest {
  readonly kind: "request";
  readonly method: string;
  readonly uri: string;
  readonly headers: RtspHeaders;
  readonly body: Buffer;
}

export type RtspMessage = RtspResponse | RtspRequest;

/** The first value of header `name` (lower case), undefined when there is none. */
export function headerOf(message: { readonly headers: RtspHeaders }, name: string): string | undefined {
  return message.headers.get(name)?.[0];
}

/** Content-Length of a message whose headers have come; 0 when absent or no number. Not bounded here. */
export function contentLength(headers: RtspHeaders): number {
  const text = headers.get("content-length")?.[0] ?? "";
  return /^\d{1,12}$/.test(text) ? Number(text) : 0;
}

/**
 * Reads start line and headers in `head`. Undefined when the start line is no RTSP message. The body stays
 * empty: whoever reads the stream adds it.
 */
export function parseHead(head: Buffer): RtspMessage | undefined {
  return (
    (isOrdinary(head) ? parseWithRtspStream(head) : undefined) ?? parseTolerantly(head.toString("latin1"))
  );
}

const EMPTY_BODY = Buffer.alloc(0);

/**
 * What rtsp-stream reads rightly: a short response with a reason phrase, no blank line amid the headers, and no
 * repeated header (it joins challenges by ", ", after which they cannot be told apart).
 */
function isOrdinary(head: Buffer): boolean {
  if (head.length > RTSP_STREAM_HEADER_BYTES_MAX) return false;
  const text = head.toString("latin1");
  if (!/^RTSP\/1\.0 \d{3} [^\r\n]+\r\n/.test(text) || /\n[ \t]*\r?\n[^\r\n]/.test(text)) return false;
  const names = text.toLowerCase().match(/^[^:\s]+(?=:)/gm) ?? [];
  return new Set(names).size === names.length;
}

function parseWithRtspStream(head: Buffer): RtspResponse | undefined {
  try {
    const { IncomingMessage } = rtspStreamLibrary();
    const message = new IncomingMessage(head);
    if (message.statusCode === undefined) return undefined;
    const headers = new Map<string, string[]>();
    for (const [name, value] of Object.entries(message.headers)) {
      headers.set(name.toLowerCase(), [String(value).trim()]);
    }
    return {
      kind: "response",
      status: message.statusCode,
      reason: (message.statusMessage ?? "").trim(),
      headers,
      body: EMPTY_BODY,
    };
  } catch {
    // Nothing is lost: the tolerant parser reads the same bytes next and has the last word.
    return undefined;
  }
}

/** Lower-case protocol, no reason phrase, LF-only lines, lines of blanks, continuation lines, repeated headers. */
function parseTolerantly(text: string): RtspMessage | undefined {
  const lines = text.split(/\r\n|\n|\r/);
  const start = lines.findIndex((line) => line.trim() !== "");
  const startLine = lines[start]?.trim() ?? "";
  const headers = parseHeaderLines(lines.slice(start + 1));
  const status = /^RTSP\/\d+\.\d+\s+(\d{3})(?:\s+(.*))?$/i.exec(startLine);
  if (status !== null) {
    const code = Number(status[1]);
    return { kind: "response", status: code, reason: status[2] ?? "", headers, body: EMPTY_BODY };
  }
  const request = /^([A-Z_]{1,32})\s+(\S+)\s+RTSP\/\d+\.\d+$/i.exec(startLine);
  const [, method, uri] = request ?? [];
  if (method === undefined || uri === undefined) return undefined;
  return { kind: "request", method: method.toUpperCase(), uri, headers, body: EMPTY_BODY };
}

function parseHeaderLines(lines: readonly string[]): RtspHeaders {
  const headers = new Map<string, string[]>();
  let values: string[] | undefined;
  let count = 0;
  for (const line of lines) {
    if (line.trim() === "") continue;
    if (count++ >= HEADER_LINES_MAX) break;
    const isContinuation = /^[ \t]/.test(line);
    const colon = line.indexOf(":");
    if (isContinuation && values !== undefined) {
      values[values.length - 1] = `${values[values.length - 1]} ${line.trim()}`;
    } else if (colon > 0) {
      const name = line.slice(0, colon).trim().toLowerCase();
      values = headers.get(name) ?? [];
      values.push(line.slice(colon + 1).trim());
      headers.set(name, values);
    }
  }
  return headers;
}

/** Control characters end or split a message line: no value that holds one is ever sent. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

export interface RequestFields {
  readonly method: string;
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request without body as bytes. Throws RangeError when URI or a header holds a control character. */
export function encodeRequest(fields: RequestFields): Buffer {
  if (CONTROL_CHARACTER.test(fields.uri) || /\s/.test(fields.uri)) {
    throw new RangeError("request URI with a blank or control character refused");
  }
  for (const [name, value] of Object.entries(fields.headers)) {
    if (CONTROL_CHARACTER.test(name) || CONTROL_CHARACTER.test(value)) {
      throw new RangeError(`header ${JSON.stringify(name)} with a control character refused`);
    }
  }
  const { Encoder } = rtspStreamLibrary();
  const encoder = new Encoder();
  encoder.request(fields).writeHead();
  const bytes = encoder.read();
  if (bytes === null) throw new Error("rtsp-stream wrote no request");
  return bytes;
}

/** A response without body to a server's request. */
export function encodeResponse(status: number, reason: string, cseq: string | undefined): Buffer {
  const sequence = cseq !== undefined && /^\d{1,10}$/.test(cseq) ? `CSeq: ${cseq}\r\n` : "";
  return Buffer.from(`RTSP/1.0 ${status} ${reason}\r\n${sequence}\r\n`, "latin1");
}
