import { hash } from "node:crypto";
import { once } from "node:events";
import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

export interface Asked {
  readonly method: string;
  /** Without the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
}

/** What the store does instead of its duty. */
export type Fault =
  | { readonly status: number; readonly code?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is cut after so many bytes of the body. */
  | { readonly cutAfter: number }
  /** All is done, and the connection cut before the answer. */
  | "cut-answer"
  | "silence"
  /** It is stored with another byte. */
  | "corrupt"
  /** It says that it is stored. */
  | "forget"
  /** Of a part of an object: half of it as if it were all, the bytes behind it, others in their place, or half and then the end. */
  | { readonly part: "short" | "elsewhere" | "other" | "cut" };

/** An object store in memory that does what a test tells it: an S3 server's answers where a real one cannot be brought to give them. */
export class ScriptedStore {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Map<number, Buffer>>();
  readonly asked: Asked[] = [];
  /** Asked for each request; undefined: it is served. */
  fault: (asked: Asked) => Fault | undefined = () => undefined;
  /** A request is served once this has resolved; undefined: at once. */
  gate: (asked: Asked) => Promise<void> | undefined = () => undefined;
  /** Server's clock less the machine's. */
  aheadMs = 0;
  checksDigests = true;
  /** Whether the bucket was created with object lock; undefined: the server knows none. */
  hasLock: boolean | undefined = false;
  /** By key: what `?retention` and `?legal-hold` said last. */
  readonly locks = new Map<string, { mode: string; until: string; hold: string }>();
  /** By key: `x-amz-tagging` of the object. */
  readonly tags = new Map<string, string>();
  /** The lifecycle rules; undefined: the server knows none. */
  rules: string | undefined = "";
  /** What a link takes there and back. */
  delayMs = 0;
  /** Requests that wait for an answer that does not come. */
  unanswered = 0;
  readonly #server: Server;
  #uploads = 0;
  /** What it said that a part is, by upload and number. */
  readonly #answered = new Map<string, string>();

  constructor(tls?: { readonly key: string; readonly cert: string }) {
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.#serve(request, response).catch(() => request.destroy());
    };
    this.#server = tls === undefined ? createHttp(serve) : createHttps(tls, serve);
    this.#server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      const fault = this.fault(askedOf(request));
      if (fault === undefined || typeof fault === "string" || "cutAfter" in fault) response.writeContinue();
      serve(request, response);
    });
  }

  async start(port = 0, host = "127.0.0.1"): Promise<this> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = askedOf(request);
    this.asked.push(asked);
    const fault = this.fault(asked);
    if (this.delayMs > 0) await setTimeout(this.delayMs);
    await this.gate(asked);
    response.setHeader("Date", new Date(Date.now() + this.aheadMs).toUTCString());
    if (fault === "silence") {
      this.unanswered += 1;
      response.once("close", () => {
        this.unanswered -= 1;
      });
      return;
    }
    if (fault !== undefined && typeof fault === "object" && "status" in fault) {
      response.writeHead(fault.status, fault.headers ?? {});
      response.end(fault.code === undefined ? "" : `<Error><Code>${fault.code}</Code></Error>`);
      return;
    }
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of request as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (typeof fault === "object" && "cutAfter" in fault && bytes >= fault.cutAfter) {
        request.socket.destroy();
        return;
      }
    }
    const answer = this.#answer(
      asked,
      Buffer.concat(pieces),
      fault === "forget" || fault === "corrupt" ? fault : undefined,
    );
    if (fault === "cut-answer") {
      request.socket.destroy();
      return;
    }
    if (typeof fault === "object" && "part" in fault && answer.status === 206) {
      answerPart(response, answer, fault.part);
      return;
    }
    response.writeHead(answer.status, answer.headers ?? {});
    response.end(asked.method === "HEAD" ? undefined : answer.body);
  }

  /** Locks, versions, tags and rules; undefined: it is about an object. */
  #beside({ method, key, query }: Asked, body: string): Answered | undefined {
    const valueIn = (name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(body)?.[1] ?? "";
    const ok = { status: 200, body: "" };
    if (query.has("object-lock")) {
      if (this.hasLock === undefined) return failed(501, "NotImplemented");
      return this.hasLock
        ? { status: 200, body: "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>" }
        : failed(404, "ObjectLockConfigurationNotFoundError");
    }
    if (query.has("versioning")) return ok;
    if (query.has("tagging")) {
      this.tags.delete(key);
      return { status: 204 };
    }
    if (query.has("lifecycle")) {
      if (this.rules === undefined) return failed(501, "NotImplemented");
      if (method !== "GET") this.rules = body.replace(/<\/?LifecycleConfiguration[^>]*>/g, "");
      else if (this.rules === "") return failed(404, "NoSuchLifecycleConfiguration");
      return { status: 200, body: `<LifecycleConfiguration>${this.rules}</LifecycleConfiguration>` };
    }
    if (!query.has("retention") && !query.has("legal-hold")) return undefined;
    if (this.hasLock !== true) return failed(400, "InvalidRequest");
    if (!this.objects.has(key)) return failed(404, "NoSuchKey");
    const before = this.locks.get(key) ?? { mode: "", until: "", hold: "OFF" };
    if (query.has("legal-hold")) {
      this.locks.set(key, { ...before, hold: valueIn("Status") });
      return ok;
    }
    const [mode, until] = [valueIn("Mode"), valueIn("RetainUntilDate")];
    const isWeaker = mode !== before.mode || Date.parse(until) < Date.parse(before.until);
    if (before.mode === "COMPLIANCE" && isWeaker) return failed(403, "AccessDenied");
    this.locks.set(key, { ...before, mode, until });
    return ok;
  }

  #lockHeaders(key: string): Readonly<Record<string, string>> {
    const lock = this.locks.get(key);
    if (lock === undefined) return {};
    const { mode, until, hold } = lock;
    return {
      "x-amz-object-lock-legal-hold": hold,
      ...(mode === ""
        ? {}
        : { "x-amz-object-lock-mode": mode, "x-amz-object-lock-retain-until-date": until }),
    };
  }

  #answer(asked: Asked, body: Buffer, fault: "forget" | "corrupt" | undefined): Answered {
    const { method, key, query, headers } = asked;
    const beside = this.#beside(asked, body.toString());
    if (beside !== undefined) return beside;
    const etag = `"${hash("md5", body)}"`;
    if (this.checksDigests) {
      const md5 = headers["content-md5"];
      if (md5 !== undefined && md5 !== hash("md5", body, "base64")) return failed(400, "BadDigest");
      const sha256 = String(headers["x-amz-content-sha256"] ?? "");
      const isOther = /^[0-9a-f]{64}$/.test(sha256) && sha256 !== hash("sha256", body);
      if (isOther) return failed(400, "XAmzContentSHA256Mismatch");
    }
    const kept = fault === "corrupt" ? Buffer.concat([body.subarray(0, -1), Buffer.from("!")]) : body;
    const uploadId = query.get("uploadId");
    if (method === "POST" && query.has("uploads")) {
      const id = `upload-${++this.#uploads}`;
      this.uploads.set(id, new Map());
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    if (uploadId !== null) return this.#part(asked, uploadId, kept, etag);
    if (method === "PUT") {
      if (fault !== "forget") this.objects.set(key, kept);
      // A new version has none of the old one's locks.
      this.locks.delete(key);
      const tag = headers["x-amz-tagging"];
      if (typeof tag === "string") this.tags.set(key, tag);
      return { status: 200, headers: { ETag: etag } };
    }
    if (method === "DELETE") {
      this.objects.delete(key);
      return { status: 204 };
    }
    if (key === "") return this.#list(query);
    const object = this.objects.get(key);
    if (object === undefined) return failed(404, "NoSuchKey");
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "");
    if (range === null)
      return {
        ...{ status: 200, body: object },
        headers: { "Content-Length": String(object.length), ...this.#lockHeaders(key) },
      };
    if (Number(range[1]) >= object.length) return failed(416, "InvalidRange");
    const [from, to] = [Number(range[1]), Math.min(Number(range[2]) + 1, object.length)];
    const said = { "Content-Range": `bytes ${from}-${to - 1}/${object.length}` };
    return { status: 206, headers: said, body: object.subarray(from, to) };
  }

  #part({ method, key, query }: Asked, uploadId: string, body: Buffer, etag: string): Answered {
    const parts = this.uploads.get(uploadId);
    if (parts === undefined) return failed(404, "NoSuchUpload");
    if (method === "PUT") {
      parts.set(Number(query.get("partNumber")), body);
      this.#answered.set(`${uploadId} ${query.get("partNumber")}`, etag);
      return { status: 200, headers: { ETag: etag } };
    }
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
    if (
      method !== "DELETE" &&
      !named.every(([, number, given]) => this.#answered.get(`${uploadId} ${number}`) === given)
    )
      return failed(400, "InvalidPart");
    this.uploads.delete(uploadId);
    if (method === "DELETE") return { status: 204 };
    const whole = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
    this.objects.set(key, Buffer.concat(whole));
    return { status: 200, body: "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>" };
  }

  #list(query: URLSearchParams): Answered {
    const prefix = query.get("prefix") ?? "";
    const after = query.get("start-after") ?? "";
    const begin = (key: string): boolean => key.startsWith(prefix) && key > after;
    const found = [...this.objects.keys()].filter(begin).sort();
    const delimiter = query.get("delimiter");
    if (delimiter !== null) return foldersAnswer(found, { prefix, delimiter, query });
    const all = found;
    const max = Number(query.get("max-keys") ?? 1000);
    const entries = all
      .slice(0, max)
      .map(
        (key) =>
          `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${this.objects.get(key)?.length}</Size></Contents>`,
      );
    const body = `<ListBucketResult><IsTruncated>${all.length > max}</IsTruncated>${entries.join("")}</ListBucketResult>`;
    return { status: 200, body };
  }
}

interface Answered {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

function answerPart(
  response: ServerResponse,
  { headers, body = "" }: Answered,
  part: "short" | "elsewhere" | "other" | "cut",
): void {
  const whole = Buffer.from(body);
  const half = whole.subarray(0, whole.length >> 1);
  const [, from = "0", to = "0", bytes = "0"] =
    /(\d+)-(\d+)\/(\d+)/.exec(headers?.["Content-Range"] ?? "") ?? [];
  const elsewhere = { "Content-Range": `bytes ${Number(from) + 1}-${Number(to) + 1}/${bytes}` };
  response.writeHead(206, {
    ...(part === "elsewhere" ? elsewhere : headers),
    "Content-Length": String(part === "short" ? half.length : whole.length),
  });
  if (part === "short") response.end(half);
  else if (part === "cut") response.write(half, () => response.destroy());
  else response.end(whole.map((byte) => byte ^ 0xff));
}

/** The token is the last folder that was answered. */
function foldersAnswer(
  keys: readonly string[],
  asked: { readonly prefix: string; readonly delimiter: string; readonly query: URLSearchParams },
): Answered {
  const { prefix, delimiter, query } = asked;
  const after = query.get("continuation-token") ?? "";
  const ends = keys.map((key) => [key, key.indexOf(delimiter, prefix.length)] as const);
  const names = ends.flatMap(([key, end]) => (end < 0 ? [] : [key.slice(0, end + 1)]));
  const folders = [...new Set(names)].filter((name) => name > after);
  const max = Number(query.get("max-keys") ?? 1000);
  const shown = folders.slice(0, max);
  const entries = shown.map(
    (name) => `<CommonPrefixes><Prefix>${encodeURIComponent(name)}</Prefix></CommonPrefixes>`,
  );
  const isMore = folders.length > max;
  const next = isMore ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : "";
  return {
    status: 200,
    body: `<ListBucketResult><IsTruncated>${isMore}</IsTruncated>${next}${entries.join("")}</ListBucketResult>`,
  };
}

function failed(status: number, code: string): Answered {
  return { status, body: `<Error><Code>${code}</Code></Error>` };
}

function askedOf(request: IncomingMessage): Asked {
  const url = new URL(request.url ?? "/", "http://store");
  const key = decodeURIComponent(url.pathname).split("/").slice(2).join("/");
  return { method: request.method ?? "", key, query: url.searchParams, headers: request.headers };
}
