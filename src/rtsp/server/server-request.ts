import { parseHead } from "../message/rtsp-message.js";

/** A request, as the server handles it. */
export interface ServerRequest {
  readonly method: string;
  /** As written by the client; no spaces or control characters. */
  readonly uri: string;
  readonly version: string;
  /** Names in lower case; values of a repeated header joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export const REQUEST_HEADER_BYTES_MAX = 16 * 1024;
export const REQUEST_HEADER_LINES_MAX = 100;
export const REQUEST_URI_CHARACTERS_MAX = 2048;

/** A request that cannot be handled: the response's status, and what is wrong. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "RequestError";
    this.status = status;
  }
}

type RequestHead = Omit<ServerRequest, "body">;

/** Reads a header block (start line to the last header's line end) as a request. Throws RequestError, nothing else. */
export function readRequestHead(text: string): RequestHead {
  const head = parseHead(text);
  if (head?.kind !== "request") throw new RequestError(400, "the first line is not an RTSP request");
  const { method, uri, version, headerLines } = head;
  if (headerLines > REQUEST_HEADER_LINES_MAX) throw new RequestError(400, "the request has too many headers");
  if (uri.length > REQUEST_URI_CHARACTERS_MAX) throw new RequestError(414, "the request URI is too long");
  if (!/^[!-~]+$/.test(uri))
    throw new RequestError(400, "the request URI has characters that must be escaped");
  const headers = new Map([...head.headers].map(([name, values]) => [name, values.join(", ")]));
  return { method, uri, version, headers };
}
