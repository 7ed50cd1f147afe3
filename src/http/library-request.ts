import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import type { RawRequest } from "./request.js";

const NO_BODY = new Uint8Array(0);
/** Methods whose body is received; that of another one is read over. */
const BODY_METHODS = new Set(["post", "put", "patch", "delete"]);

export function mayHaveBody({ method }: RawRequest): boolean {
  return BODY_METHODS.has(method);
}

/** Copies what the library lends only during its handler. */
export function copyRequest(library: HttpResponse, request: HttpRequest): RawRequest {
  const headers: [string, string][] = [];
  request.forEach((name, value) => {
    headers.push([name, value]);
  });
  return {
    method: request.getMethod(),
    url: request.getUrl(),
    query: request.getQuery() ?? "",
    headers,
    address: addressOf(library),
    body: NO_BODY,
  };
}

/** Not of a PROXY protocol preamble, which anybody may send. */
export function addressOf(library: HttpResponse): string {
  return Buffer.from(library.getRemoteAddressAsText()).toString();
}
