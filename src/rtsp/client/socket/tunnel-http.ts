import type { RtspHeaders } from "../../message/rtsp-message.js";

/**
 * What of HTTP a tunnel for RTSP needs (the convention of QuickTime's servers, which cameras and ONVIF follow): two requests with one
 * cookie, a GET whose answer's body is what the camera sends, and a POST whose body is what it is sent, in base64.
 */

/** Longest head of an answer, in bytes. */
const HEAD_BYTES_MAX = 16 * 1024;
/** Most heads that precede the final one, such as 100 Continue. */
const INTERIM_HEADS_MAX = 4;
const INTERIM_STATUS_END = 200;
/** Longest line with a chunk's length, its extensions included. */
const CHUNK_LINE_BYTES_MAX = 256;
const TUNNEL_TYPE = "application/x-rtsp-tunnelled";
const LF = 0x0a;
const CR = 0x0d;

export interface HttpHead {
  readonly status: number;
  readonly headers: RtspHeaders;
}

export interface TunnelRequest {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly target: string;
  /** As in the header `Host`. */
  readonly place: string;
  readonly cookie: string;
  readonly userAgent: string;
  readonly authorization: string | undefined;
  /** What a POST announces: more than it will have, since it stays open. */
  readonly contentLength?: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** The head of one of the two requests. Throws RangeError where a value holds a control character. */
export function writeTunnelRequest(request: TunnelRequest): Buffer {
  const { method, target, place, cookie, userAgent, authorization, contentLength } = request;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${place}`,
    `User-Agent: ${userAgent}`,
    `x-sessioncookie: ${cookie}`,
    method === "GET" ? `Accept: ${TUNNEL_TYPE}` : `Content-Type: ${TUNNEL_TYPE}`,
    "Pragma: no-cache",
    "Cache-Control: no-cache",
  ];
  if (contentLength !== undefined)
    lines.push(`Content-Length: ${contentLength}`, "Expires: Sun, 9 Jan 1972 00:00:00 GMT");
  if (authorization !== undefined) lines.push(`Authorization: ${authorization}`);
  if (lines.some((line) => CONTROL_CHARACTER.test(line)))
    throw new RangeError("tunnel request with a control character refused");
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** Gathers the head of an answer out of pieces. */
export class HttpHeadReader {
  #bytes = Buffer.alloc(0);
  #interim = 0;

  /**
   * Takes the next bytes. Answers the head once it is whole, with the bytes of `piece` that belong to the body; "not-http" where it
   * cannot become one; undefined while more is needed. Heads of interim answers are passed over.
   */
  take(piece: Buffer): { readonly head: HttpHead; readonly body: Buffer } | "not-http" | undefined {
    this.#bytes = Buffer.concat([this.#bytes, piece]);
    for (;;) {
      const end = headEnd(this.#bytes);
      if (end === undefined) return isHopeful(this.#bytes) ? undefined : "not-http";
      const head = parseHttpHead(this.#bytes.toString("latin1", 0, end));
      if (head === undefined || end > HEAD_BYTES_MAX) return "not-http";
      const rest = this.#bytes.subarray(end);
      if (head.status >= INTERIM_STATUS_END) return { head, body: rest };
      this.#interim += 1;
      if (this.#interim > INTERIM_HEADS_MAX) return "not-http";
      this.#bytes = rest;
    }
  }
}

/** An RTSP server that does not know tunnels answers in its own protocol. */
const STATUS_LINE = /^(?:HTTP|RTSP)\/\d+\.\d+\s+(\d{3})(?:\s|$)/i;

function parseHttpHead(text: string): HttpHead | undefined {
  const [first = "", ...lines] = text.split(/\r\n|\n/);
  const status = STATUS_LINE.exec(first)?.[1];
  if (status === undefined) return undefined;
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return { status: Number(status), headers };
}

/** Index after the empty line. */
function headEnd(bytes: Buffer): number | undefined {
  for (let lf = bytes.indexOf(LF); lf >= 0; lf = bytes.indexOf(LF, lf + 1)) {
    if (bytes[lf + 1] === LF) return lf + 2;
    if (bytes[lf + 1] === 0x0d && bytes[lf + 2] === LF) return lf + 3;
  }
  return undefined;
}

function isHopeful(bytes: Buffer): boolean {
  const begin = bytes.toString("latin1", 0, 5).toUpperCase();
  return bytes.length <= HEAD_BYTES_MAX && ("HTTP/".startsWith(begin) || "RTSP/".startsWith(begin));
}

/** Whether an answer's body comes in chunks. */
export function isChunked({ headers }: HttpHead): boolean {
  return (headers.get("transfer-encoding") ?? []).some((value) => /\bchunked\b/i.test(value));
}

/** Takes the framing of chunks (RFC 9112, 7.1) out of what was read, in place. */
export class ChunkRemover {
  #left = 0;
  #line = "";
  #isFirst = true;
  #isPlain = false;
  #isOver = false;

  /** The last chunk has come, or what is no chunk. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Moves the contents within `bytes` to its beginning and answers how many there are. A camera that announces chunks and sends none
   * is recognized by its first byte.
   */
  remove(bytes: Buffer): number {
    // A line break before the first chunk shows nothing.
    const first = this.#isFirst ? bytes.find((byte) => byte !== CR && byte !== LF) : undefined;
    if (first !== undefined) {
      this.#isFirst = false;
      this.#isPlain = !/[0-9a-f]/i.test(String.fromCharCode(first));
    }
    if (this.#isPlain) return bytes.length;
    let read = 0;
    let written = 0;
    while (read < bytes.length && !this.#isOver) {
      if (this.#left === 0) {
        this.#isOver = !this.#takeLine(bytes[read] ?? 0);
        read += 1;
        continue;
      }
      const taken = Math.min(this.#left, bytes.length - read);
      bytes.copyWithin(written, read, read + taken);
      written += taken;
      read += taken;
      this.#left -= taken;
    }
    return written;
  }

  /** False when it is no line of a chunk, or the one of the last. */
  #takeLine(byte: number): boolean {
    if (byte !== LF) {
      this.#line += String.fromCharCode(byte);
      return this.#line.length <= CHUNK_LINE_BYTES_MAX;
    }
    const line = this.#line.trim();
    this.#line = "";
    // The line break behind a chunk's bytes.
    if (line === "") return true;
    const digits = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(line)?.[1];
    this.#left = digits === undefined ? 0 : Number.parseInt(digits, 16);
    return this.#left > 0;
  }
}
