import { createRequire } from "node:module";

/**
 * Writes the RTSP messages that nvrd sends, by rtsp-stream's encoder: requests to cameras, answers to their requests,
 * and the server's responses to viewers. The encoder checks nothing, so no value reaches it that could add a line.
 */

type RtspStreamLibrary = typeof import("rtsp-stream");

let library: RtspStreamLibrary | undefined;

/** Loaded by the first message: with what it needs it is some thirty modules, and the start has others to load. */
function rtspStreamLibrary(): RtspStreamLibrary {
  library ??= createRequire(import.meta.url)("rtsp-stream") as RtspStreamLibrary;
  return library;
}

export interface RequestFields {
  readonly method: string;
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Control characters end or split a message line: no request whose URI or header holds one is sent. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** A request without body as bytes. Throws RangeError when URI or a header holds a control character. */
export function writeRequest(fields: RequestFields): Buffer {
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
  return written(encoder.read());
}

export interface ResponseFields {
  readonly status: number;
  /** Names as they are written; a list is written as one header each. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/**
 * A response as bytes, with the standard's phrase for its status (RFC 2326, 7.1.1) and its body's length. A line end
 * within a value becomes a blank: part of a value is the peer's own, and it has to be answered all the same.
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
