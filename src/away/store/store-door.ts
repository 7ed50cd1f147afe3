import { closeSync, readSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, US_PER_MS } from "../../base/index.js";
import type { IncomingObject, ObjectDigests } from "./incoming-object.js";
import { OBJECT_BYTES_MAX, type ObjectStore, type OpenObject } from "./object-store.js";
import {
  errorDocument,
  joinedDocument,
  listDocument,
  readNamedParts,
  uploadDocument,
} from "./store-documents.js";
import { answerOfFailure, noSuchKey, StoreError } from "./store-error.js";
import { bad, readStoreRequest, type StoreRequest } from "./store-request.js";
import { PARTS_MAX } from "./store-uploads.js";

const NAMES_PER_LIST_MAX = 1000;
const DOCUMENT_BYTES_MAX = 2 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const PASSED_OVER_BYTES_MAX = 1024 * 1024;
/** What a bucket may have and this one has not. */
const UNKNOWN = ["lifecycle", "versions", "policy", "acl"] as const;

/** Whose store a request may use, and how far. */
export interface StoreAccess {
  readonly store: ObjectStore;
  readonly mayWrite: boolean;
}

export interface StoreDoorOptions {
  /** Throws StoreError where who asks may not use this bucket. */
  readonly accessTo: (bucket: string, request: IncomingMessage) => StoreAccess;
  readonly clock: Clock;
  /** A failure of the disk. */
  readonly onFailure: (error: unknown) => void;
}

/** Answers requests of S3, in path style. Who asks is known by then: signatures are not looked at. */
export class StoreDoor {
  readonly #options: StoreDoorOptions;

  constructor(options: StoreDoorOptions) {
    this.#options = options;
  }

  /** Answers. Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const asked = readStoreRequest(request);
      const { store, mayWrite } = this.#options.accessTo(asked.bucket, request);
      const isReading = asked.method === "GET" || asked.method === "HEAD";
      if (!isReading && !mayWrite)
        throw new StoreError(403, "AccessDenied", "this recorder may only read here");
      if (asked.query.has("tagging")) send(response, asked.method === "DELETE" ? 204 : 501);
      else if (asked.key === "") this.#ofBucket(store, asked, response);
      else await this.#ofObject(store, asked, { request, response });
    } catch (error) {
      if (!(error instanceof StoreError) && !request.destroyed) this.#options.onFailure(error);
      refuse(request, response, answerOfFailure(error));
    }
  }

  #ofBucket(store: ObjectStore, { method, query }: StoreRequest, response: ServerResponse): void {
    if (query.has("object-lock"))
      throw new StoreError(404, "ObjectLockConfigurationNotFoundError", "a replica has no object lock");
    if (UNKNOWN.some((name) => query.has(name)) || method !== "GET")
      throw new StoreError(501, "NotImplemented", "a replica does not know this");
    if (query.has("versioning")) send(response, 200, "<VersioningConfiguration></VersioningConfiguration>");
    else if (query.get("list-type") === "2") send(response, 200, listed(store, query));
    else throw new StoreError(501, "NotImplemented", "a replica does not know this");
  }

  async #ofObject(
    store: ObjectStore,
    asked: StoreRequest,
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    const { method, key, query } = asked;
    if (query.has("retention") || query.has("legal-hold")) throw bad("a replica has no object lock");
    const uploadId = query.get("uploadId");
    if (method === "GET") await this.#give(store.open(key), asked, response);
    else if (method === "HEAD") {
      const bytes = store.bytesOf(key);
      if (bytes === undefined) throw noSuchKey();
      send(response, 200, undefined, { "Content-Length": bytes });
    } else if (method === "PUT" && uploadId === null) {
      const { digests, object } = await this.#take(store, asked, { request, response });
      this.#settle(object, () => store.settle(key, object, digests.bytes));
      send(response, 200, undefined, { ETag: `"${digests.md5}"` });
    } else if (method === "PUT") await this.#takePart(store, asked, { request, response });
    else if (method === "POST" && query.has("uploads")) {
      store.bytesOf(key); // a key that cannot be is refused before its parts come
      send(response, 200, uploadDocument(store.uploads.begin(key)));
    } else if (method === "POST" && uploadId !== null)
      await this.#join(store, asked, { request, response, uploadId });
    else if (method === "DELETE") {
      if (uploadId !== null) {
        store.uploads.require(uploadId, key);
        store.uploads.forget(uploadId);
      } else store.remove(key);
      send(response, 204);
    } else throw new StoreError(501, "NotImplemented", "a replica does not know this");
  }

  async #takePart(
    store: ObjectStore,
    asked: StoreRequest,
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    const uploadId = asked.query.get("uploadId") ?? "";
    const number = Number(asked.query.get("partNumber"));
    if (!Number.isInteger(number) || number < 1 || number > PARTS_MAX)
      throw bad("the number of the part is none");
    store.uploads.require(uploadId, asked.key);
    const { digests, object } = await this.#take(store, asked, { request, response });
    this.#settle(object, () => {
      store.uploads.require(uploadId, asked.key); // it may have been given up meanwhile
      store.uploads.settle(uploadId, { number, md5: digests.md5, bytes: digests.bytes }, object);
    });
    send(response, 200, undefined, { ETag: `"${digests.md5}"` });
  }

  async #join(
    store: ObjectStore,
    asked: StoreRequest,
    {
      request,
      response,
      uploadId,
    }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly uploadId: string },
  ): Promise<void> {
    const { key, bytes } = asked;
    if (bytes > DOCUMENT_BYTES_MAX)
      throw new StoreError(413, "EntityTooLarge", "the list of parts is too long");
    store.uploads.require(uploadId, key);
    const named = readNamedParts(await wholeBody(request));
    const object = await store.join(uploadId, key, named);
    this.#settle(object, () => store.settle(key, object, object.digests().bytes));
    store.uploads.forget(uploadId);
    send(response, 200, joinedDocument());
  }

  /** Takes a body whole, compared with the digests that were said of it. */
  async #take(
    store: ObjectStore,
    { key, bytes, md5, sha256 }: StoreRequest,
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<{ readonly digests: ObjectDigests; readonly object: IncomingObject }> {
    if (bytes > OBJECT_BYTES_MAX) throw new StoreError(413, "EntityTooLarge", "the object is too long");
    const room = store.room.take(bytes, store.bytesOf(key) ?? 0);
    const object = store.incoming();
    try {
      // What is refused has cost no volume by now.
      if (request.headers.expect !== undefined) response.writeContinue();
      for await (const piece of request as AsyncIterable<Buffer>) await object.write(piece);
      const digests = object.digests();
      if (digests.bytes !== bytes) throw new StoreError(400, "IncompleteBody", "the body ended early");
      if (md5 !== undefined && md5 !== digests.md5)
        throw new StoreError(400, "BadDigest", "the body is not that of Content-MD5");
      if (sha256 !== undefined && sha256 !== digests.sha256)
        throw new StoreError(400, "XAmzContentSHA256Mismatch", "the body is not that of its SHA-256");
      return { digests, object };
    } catch (error) {
      object.discard();
      throw error;
    } finally {
      room.free();
    }
  }

  #settle(object: IncomingObject, settle: () => void): void {
    try {
      settle();
    } catch (error) {
      object.discard();
      throw error;
    }
  }

  /** Gives bytes as fast as they are taken; reads take at most half of the disk's time. */
  async #give({ fd, bytes }: OpenObject, { range }: StoreRequest, response: ServerResponse): Promise<void> {
    try {
      const [from, to] = range === undefined ? [0, bytes] : [range[0], Math.min(range[1], bytes)];
      if (range !== undefined && from >= bytes)
        throw new StoreError(416, "InvalidRange", "the object ends before");
      response.writeHead(range === undefined ? 200 : 206, {
        "Content-Length": to - from,
        ...(range === undefined ? {} : { "Content-Range": `bytes ${from}-${to - 1}/${bytes}` }),
      });
      for (let at = from; at < to && !response.destroyed; ) {
        // A new one each time: the socket still holds the last one.
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - at));
        const beginUs = this.#options.clock.monotonicUs();
        const read = readSync(fd, chunk, 0, chunk.length, at);
        const tookMs = Math.floor((this.#options.clock.monotonicUs() - beginUs) / US_PER_MS);
        if (read === 0) throw new Error("an object ended while it was read");
        at += read;
        if (!response.write(chunk.subarray(0, read))) await drained(response);
        if (tookMs >= 1)
          await new Promise<void>((resolve) => void this.#options.clock.setTimeout(resolve, tookMs));
      }
      response.end();
    } finally {
      closeSync(fd);
    }
  }
}

function listed(store: ObjectStore, query: URLSearchParams): string {
  const prefix = query.get("prefix") ?? "";
  const wanted = Number(query.get("max-keys") ?? NAMES_PER_LIST_MAX);
  const max =
    Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, NAMES_PER_LIST_MAX) : NAMES_PER_LIST_MAX;
  const token = query.get("continuation-token");
  const after =
    token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
  const next = (name: string | undefined): string => Buffer.from(name ?? "").toString("base64url");
  if (query.get("delimiter") === "/") {
    const { found, isMore } = store.folders(prefix, after, max);
    return listDocument({ folders: found, next: isMore ? next(found.at(-1)) : undefined });
  }
  const { found, isMore } = store.list(prefix, after, max);
  return listDocument({ objects: found, next: isMore ? next(found.at(-1)?.key) : undefined });
}

async function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

function send(
  response: ServerResponse,
  status: number,
  body?: string,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
  response.writeHead(status, { ...length, ...headers });
  response.end(body);
}

/** A short body that comes all the same is passed over; before a long one the connection ends with the answer. */
function refuse(request: IncomingMessage, response: ServerResponse, error: StoreError): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, retryAfter } = error;
  const isShort = Number(request.headers["content-length"] ?? 0) <= PASSED_OVER_BYTES_MAX;
  const isRead = request.complete || (isShort && request.headers.expect === undefined);
  const headers = {
    "Content-Type": "application/xml",
    ...(retryAfter === undefined ? {} : { "Retry-After": retryAfter }),
    ...(isRead ? {} : { Connection: "close" }),
  };
  send(response, status, request.method === "HEAD" ? undefined : errorDocument(error), headers);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ["drain", "close"]) response.removeListener(event, done);
      resolve();
    };
    for (const event of ["drain", "close"]) response.on(event, done);
  });
}
