import type { IncomingMessage } from "node:http";
import { StoreError } from "./store-error.js";

const TARGET_LENGTH_MAX = 8192;
const METHODS = ["GET", "HEAD", "PUT", "POST", "DELETE"] as const;
const MD5 = /^[A-Za-z0-9+/]{22}==$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** A request to a store, as far as its head says it. */
export interface StoreRequest {
  readonly method: (typeof METHODS)[number];
  readonly bucket: string;
  /** Empty: the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  /** Of the body; 0: none. */
  readonly bytes: number;
  /** MD5 that the body must have, hexadecimal; undefined: not said. */
  readonly md5: string | undefined;
  readonly sha256: string | undefined;
  /** Bytes `[from, to)` that are asked for. */
  readonly range: readonly [number, number] | undefined;
}

/** Throws StoreError where it is no request of S3, in path style. */
export function readStoreRequest({ method = "", url = "", headers }: IncomingMessage): StoreRequest {
  const known = METHODS.find((name) => name === method);
  if (known === undefined) throw new StoreError(405, "MethodNotAllowed", "this method is not known");
  if (url.length > TARGET_LENGTH_MAX) throw bad("the address is too long");
  const [pathname = "", search = ""] = splitOnce(url, "?");
  const [bucket, key] = splitOnce(decoded(pathname.slice(1)), "/");
  const md5 = headers["content-md5"];
  if (md5 !== undefined && !MD5.test(String(md5)))
    throw new StoreError(400, "InvalidDigest", "Content-MD5 is no MD5");
  const sha256 = String(headers["x-amz-content-sha256"] ?? "");
  return {
    method: known,
    ...{ bucket, key, query: new URLSearchParams(search), bytes: lengthOf(known, headers) },
    md5: md5 === undefined ? undefined : Buffer.from(String(md5), "base64").toString("hex"),
    sha256: SHA256.test(sha256) ? sha256 : undefined,
    range: rangeOf(headers.range),
  };
}

function lengthOf(method: string, headers: IncomingMessage["headers"]): number {
  const text = headers["content-length"];
  if (text === undefined && headers["transfer-encoding"] === undefined && method !== "PUT") return 0;
  const bytes = /^\d{1,15}$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (Number.isNaN(bytes))
    throw new StoreError(411, "MissingContentLength", "the length of the body must be said");
  return bytes;
}

function rangeOf(text: string | undefined): readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  const [, from, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (from === undefined || last === undefined || Number(last) < Number(from))
    throw new StoreError(416, "InvalidRange", "the range must have a begin and an end");
  return [Number(from), Number(last) + 1];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad("the address has an escape that is none");
  }
}

function splitOnce(text: string, sign: string): readonly [string, string] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

export function bad(message: string): StoreError {
  return new StoreError(400, "InvalidRequest", message);
}
