import { createRequire } from "node:module";

/**
 * Writes the RTSP messages that nvrd sends, with rtsp-stream's encoder: requests to cameras, responses to their
 * requests, and the server's responses to viewers. The encoder checks nothing, so values that could add a line are kept
 * from it.
 */

type RtspStreamLibrary = typeof import("rtsp-stream");

let library: RtspStreamLibrary | undefined;

/** Loaded with the first message: it has some thirty modules, which would slow down the start. */
function rtspStreamLibrary(): RtspStreamLibrary {
  library ??= createRequire(import.meta.url)("rtsp-stream") as RtspStreamLibrary;
  return library;
}

export interface RequestFields {
  readonly method: string;
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Control characters end or split a message line: a request whose URI or header has one is not sent. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** A request without body as bytes; URI and headers have a character for each byte, as what cameras say is read. Throws RangeError when URI or a header holds a control character. */
export function writeRequest(fields: RequestFields): Buffer {
  if (CONTROL_CHARACTER.test(fields.uri) || /\s/.test(fields.uri)) {
    throw new RangeError("request URI with a space or control character refused");
  }
  for (const [name, value] of Object.entries(fields.headers)) {
    if (CONTROL_CHARACTER.test(name) || CONTROL_CHARACTER.test(value)) {
      throw new RangeError(`header ${JSON.stringify(name)} with a control character refused`);
    }
  }
  const { Encoder } = rtspStreamLibrary();
  const encoder = new Encoder();
  encoder.request(fields).writeHead();
  // The encoder writes texts in UTF-8.
  return Buffer.from(written(encoder.read()).toString("utf8"), "latin1");
}

export interface ResponseFields {
  readonly status: number;
  /** Names as written; each item of a list becomes one header. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/**
 * A response as bytes, with the standard's phrase for its status (RFC 2326, 7.1.1) and its body's length. A line end
 * within a value becomes a space: part of a value may come from the peer, which must get a response nevertheless.
 */
export function writeResponse(fields: ResponseFields): Buffer {
  const { Encoder, STATUS_CODES } = rtspStreamLibrary();
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(fields.headers)) {
    headers[name] = typeof value === "string" ? withoutLineEnds(value) : value.map(withoutLineEnds);
  }
  const body = Buffer.from(fields.body ?? "");
  if (body.length > 0) headers["Content-Length"] = String(body.length);
  const encoder = new Encoder();
  const response = encoder.response();
  response.writeHead(fields.status, STATUS_CODES[String(fields.status)] ?? "Error", headers);
  if (body.length > 0) response.write(body);
  return written(encoder.read());
}

function withoutLineEnds(value: string): string {
  return value.replace(/[\r\n\0]/g, " ");
}

function written(bytes: Buffer | null): Buffer {
  if (bytes === null) throw new Error("rtsp-stream wrote no message");
  return bytes;
}
