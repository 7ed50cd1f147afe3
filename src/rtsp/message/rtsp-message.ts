/**
 * Reads RTSP 1.0 messages (RFC 2326, sections 4 to 7): those of cameras for the client, those of viewers for the
 * server. The caller has found the end of the head, and limited its length.
 */

/** Longest start line and headers of one message, in bytes. */
export const HEADER_BYTES_MAX = 64 * 1024;
/** Longest body of one message, in bytes. */
export const BODY_BYTES_MAX = 256 * 1024;
/** Most header lines of one message that are kept; further ones are counted and left out. */
const HEADER_LINES_MAX = 256;

/** Header values by lower-case name, in order; a repeated header has several values. */
export type RtspHeaders = ReadonlyMap<string, readonly string[]>;

export interface RtspResponse {
  readonly kind: "response";
  /** 100 to 999. */
  readonly status: number;
  readonly reason: string;
  readonly headers: RtspHeaders;
  readonly body: Buffer;
}

/** A request, from a camera or a viewer. */
export interface RtspRequest {
  readonly kind: "request";
  /** In capitals. */
  readonly method: string;
  readonly uri: string;
  /** "1.0". */
  readonly version: string;
  readonly headers: RtspHeaders;
  /** Number of header lines, including those left out. */
  readonly headerLines: number;
  readonly body: Buffer;
}

export type RtspMessage = RtspResponse | RtspRequest;

/** The first value of header `name` (lower case), undefined when there is none. */
export function headerOf(message: { readonly headers: RtspHeaders }, name: string): string | undefined {
  return message.headers.get(name)?.[0];
}

/** What was asked for is done (RFC 2326, 7.1.1): some cameras answer 201 or 250 for 200. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Content-Length of a message; 0 if absent or not a number. Not limited here. */
export function contentLength(headers: RtspHeaders): number {
  const text = headers.get("content-length")?.[0] ?? "";
  return /^\d{1,12}$/.test(text) ? Number(text) : 0;
}

const EMPTY_BODY = Buffer.alloc(0);

/**
 * Parses start line and headers. Accepts what devices are known to send: a lower-case protocol or method, any version, HTTP in
 * place of RTSP where an answer has the number of a request (CSeq), no reason phrase or one without a space before it, several
 * spaces, LF or CR alone as a line end, lines of spaces between headers, continuation lines, lines without a colon (ignored),
 * repeated headers. Undefined if the start line is not RTSP. The body is empty: the reader
 * of the stream adds it.
 */
export function parseHead(head: string): RtspMessage | undefined {
  const [firstLine = "", ...lines] = head.trimStart().split(/\r\n|\n|\r/);
  const startLine = firstLine.trimEnd();
  const { headers, headerLines } = parseHeaderLines(lines);
  const response = /^(RTSP|HTTP)\/\s*\d+(?:\.\d+)?\s+(\d{3})(?!\d)\s*(.*)$/i.exec(startLine);
  if (response !== null) {
    const [, protocol = "", code, reason = ""] = response;
    if (/HTTP/i.test(protocol) && !headers.has("cseq")) return undefined;
    return { kind: "response", status: Number(code), reason, headers, body: EMPTY_BODY };
  }
  const request = /^([A-Z_]{1,32})\s+(\S+)\s+RTSP\/(\d+\.\d+)$/i.exec(startLine);
  const [, method, uri, version] = request ?? [];
  if (method === undefined || uri === undefined || version === undefined) return undefined;
  return {
    kind: "request",
    method: method.toUpperCase(),
    uri,
    version,
    headers,
    headerLines,
    body: EMPTY_BODY,
  };
}

function parseHeaderLines(lines: readonly string[]): { headers: RtspHeaders; headerLines: number } {
  const headers = new Map<string, string[]>();
  let values: string[] | undefined;
  let headerLines = 0;
  for (const line of lines) {
    if (line.trim() === "") continue;
    headerLines += 1;
    if (headerLines > HEADER_LINES_MAX) continue;
    const colon = line.indexOf(":");
    if (/^[ \t]/.test(line) && values !== undefined) {
      values[values.length - 1] = `${values[values.length - 1]} ${line.trim()}`;
    } else if (colon > 0) {
      const name = line.slice(0, colon).trim().toLowerCase();
      values = headers.get(name) ?? [];
      values.push(line.slice(colon + 1).trim());
      headers.set(name, values);
    }
  }
  return { headers, headerLines };
}
