import { createHash } from "node:crypto";
import { bytesBody, type ObjectBody } from "./object-body.js";
import { S3Bucket } from "./s3-bucket.js";
import { errorOfAnswer, S3Error } from "./s3-error.js";
import {
  type Exchange,
  errorCodeOf,
  type S3Answer,
  S3Exchanges,
  type S3ExchangesOptions,
} from "./s3-exchange.js";
import { readList } from "./s3-list.js";

/** Most names in one answer to LIST, as servers have it. */
const NAMES_PER_LIST_MAX = 1000;
const LIST_BYTES_MAX = 4 * 1024 * 1024;

/** How a request may be ended, and how fast it sends. */
export interface Sending {
  readonly signal?: AbortSignal;
  /** Waits until so many bytes may be sent. */
  readonly pace?: (bytes: number) => Promise<void>;
}

/** What is said of an object when it is stored. */
export interface Storing extends Sending {
  /** A tag that lifecycle rules know it by, as `name=value`. */
  readonly tag?: string | undefined;
}

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
}

export interface FolderList {
  /** Names up to and with the next slash, behind what they were asked for with. */
  readonly folders: readonly string[];
  /** Give it to the next call; undefined: these were the last. */
  readonly next: string | undefined;
}

export interface ObjectList {
  readonly objects: readonly StoredObject[];
  /** Give it to the next call; undefined: these were the last. */
  readonly next: string | undefined;
}

/** A part of an upload that has arrived. */
export interface SentPart {
  readonly number: number;
  readonly etag: string;
}

/**
 * The calls of the S3 protocol that nvrd uses. Keys are without the target's prefix. No call relies on a condition
 * (`If-None-Match` and the like): servers accept them and ignore them.
 */
export class S3Client {
  readonly #prefix: string;
  readonly #bucket: string;
  readonly #endpoint: string;
  readonly #exchanges: S3Exchanges;
  /** What a bucket may have beside objects: locks, versions, lifecycle rules. */
  readonly bucket: S3Bucket;

  constructor(options: S3ExchangesOptions) {
    this.#prefix = options.target.prefix;
    this.#bucket = options.target.bucket;
    this.#endpoint = options.target.endpoint;
    this.#exchanges = new S3Exchanges(options);
    this.bucket = new S3Bucket(this.#exchanges, options.target.prefix);
  }

  close(): void {
    this.#exchanges.close();
  }

  /** Stores an object whole or not at all. The server checks the digests. */
  put(key: string, body: ObjectBody, { tag, ...sending }: Storing = {}): Promise<S3Answer> {
    const headers = tagHeader(tag);
    return this.#exchanges.run({ method: "PUT", key: this.#prefix + key, headers, body, ...sending });
  }

  /** An object, or `[from, to)` of it. Rejects with `not-found`. */
  async get(
    key: string,
    {
      bytesMax,
      range,
      ...sending
    }: Sending & { readonly bytesMax: number; readonly range?: readonly [number, number] },
  ): Promise<S3Answer> {
    const headers = range === undefined ? {} : { Range: `bytes=${range[0]}-${range[1] - 1}` };
    const request = { method: "GET", key: this.#prefix + key, headers, answerBytesMax: bytesMax } as const;
    return await this.#exchanges.run({ ...request, ...sending });
  }

  /** Gives the bytes of an object to `sink`. Rejects with `not-found`, and with `answer` where it is longer than `bytesMax`. */
  async fetch(
    key: string,
    { bytesMax, ...taking }: Sending & Pick<Exchange, "sink" | "drained"> & { readonly bytesMax: number },
  ): Promise<void> {
    const request = { method: "GET", key: this.#prefix + key, answerBytesMax: bytesMax } as const;
    await this.#exchanges.run({ ...request, ...taking });
  }

  /** SHA-256 of an object as it is there, hexadecimal; undefined when there is none. Its bytes are not kept. */
  async digestOf(
    key: string,
    { bytesMax, ...sending }: Sending & { readonly bytesMax: number },
  ): Promise<string | undefined> {
    const digest = createHash("sha256");
    const sink = (piece: Uint8Array): undefined => {
      digest.update(piece);
    };
    try {
      const request = { method: "GET", key: this.#prefix + key, answerBytesMax: bytesMax, sink } as const;
      await this.#exchanges.run({ ...request, ...sending });
      return digest.digest("hex");
    } catch (error) {
      if (error instanceof S3Error && error.fault === "not-found") return undefined;
      throw error;
    }
  }

  /** Length of an object; undefined when there is none. */
  async bytesOf(key: string, sending: Sending = {}): Promise<number | undefined> {
    try {
      const { headers } = await this.#exchanges.run({ method: "HEAD", key: this.#prefix + key, ...sending });
      return Number(headers["content-length"] ?? 0);
    } catch (error) {
      if (error instanceof S3Error && error.fault === "not-found") return undefined;
      throw error;
    }
  }

  /** Removes an object; none is no error. */
  async remove(key: string, sending: Sending = {}): Promise<void> {
    await this.#exchanges.run({ method: "DELETE", key: this.#prefix + key, ...sending });
  }

  /** Objects whose keys begin with `start`, in the order of their names. */
  async list(
    start: string,
    { after, ...sending }: Sending & { readonly after?: string } = {},
  ): Promise<ObjectList> {
    const query = {
      "list-type": "2",
      "encoding-type": "url",
      "max-keys": String(NAMES_PER_LIST_MAX),
      prefix: this.#prefix + start,
      ...(after === undefined ? {} : { "start-after": this.#prefix + after }),
    };
    const request = { method: "GET", key: "", query, answerBytesMax: LIST_BYTES_MAX } as const;
    const { body } = await this.#exchanges.run({ ...request, ...sending });
    const found = listIn(body);
    const objects = found.contents.flatMap(({ Key, Size }) => {
      const key = decoded(String(Key));
      return key.startsWith(this.#prefix)
        ? [{ key: key.slice(this.#prefix.length), bytes: Number(Size) }]
        : [];
    });
    return { objects, next: found.isTruncated ? objects.at(-1)?.key : undefined };
  }

  /** Folders whose names begin with `start`: what stands before the next slash of keys. */
  async folders(
    start: string,
    { after, ...sending }: Sending & { readonly after?: string } = {},
  ): Promise<FolderList> {
    const begin = this.#prefix + start;
    const query = {
      ...{ "list-type": "2", "encoding-type": "url", "max-keys": String(NAMES_PER_LIST_MAX) },
      ...{ prefix: begin, delimiter: "/" },
      ...(after === undefined ? {} : { "continuation-token": after }),
    };
    const request = { method: "GET", key: "", query, answerBytesMax: LIST_BYTES_MAX } as const;
    const { body } = await this.#exchanges.run({ ...request, ...sending });
    const { folders, isTruncated, next } = listIn(body);
    const found = folders.map(({ Prefix }) => decoded(String(Prefix)));
    const own = found.filter((name) => name.startsWith(begin) && name.endsWith("/"));
    return {
      folders: own.map((name) => name.slice(begin.length)),
      next: isTruncated && next !== "" ? next : undefined,
    };
  }

  /** Begins an upload in parts; resolves with its id. */
  async beginUpload(key: string, { tag, ...sending }: Storing = {}): Promise<string> {
    const headers = tagHeader(tag);
    const request = { method: "POST", key: this.#prefix + key, query: { uploads: "" }, headers } as const;
    const { body } = await this.#exchanges.run({ ...request, ...sending });
    return this.#textIn(body, "UploadId");
  }

  /** Sends a part, numbered from 1; the server checks its digests. */
  async putPart(
    key: string,
    part: { readonly uploadId: string; readonly number: number },
    body: ObjectBody,
    sending: Sending = {},
  ): Promise<SentPart> {
    const query = { partNumber: String(part.number), uploadId: part.uploadId };
    const request = { method: "PUT", key: this.#prefix + key, query, body } as const;
    const { headers } = await this.#exchanges.run({ ...request, ...sending });
    return { number: part.number, etag: String(headers.etag ?? "") };
  }

  /** Makes the object of its parts. */
  async finishUpload(
    key: string,
    uploadId: string,
    parts: readonly SentPart[],
    sending: Sending = {},
  ): Promise<void> {
    const listed = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapedXml(etag)}</ETag></Part>`,
    );
    const text = `<CompleteMultipartUpload>${listed.join("")}</CompleteMultipartUpload>`;
    const request = { method: "POST", key: this.#prefix + key, query: { uploadId } } as const;
    const answer = await this.#exchanges.run({ ...request, body: bytesBody(Buffer.from(text)), ...sending });
    // The server begins its answer before it knows the outcome: an error may follow "200 OK".
    const code = errorCodeOf(answer.body);
    if (code !== "") throw this.#failed(answer, code);
  }

  /** Gives up an upload and what has arrived of it; one that is unknown is no error. */
  async abortUpload(key: string, uploadId: string, sending: Sending = {}): Promise<void> {
    try {
      await this.#exchanges.run({
        method: "DELETE",
        key: this.#prefix + key,
        query: { uploadId },
        ...sending,
      });
    } catch (error) {
      if (!(error instanceof S3Error && error.fault === "not-found")) throw error;
    }
  }

  #failed({ aheadMs }: S3Answer, code: string): S3Error {
    const host = new URL(this.#endpoint).host;
    return errorOfAnswer({ host, bucket: this.#bucket, status: 200, code, retryAfter: undefined, aheadMs });
  }

  #textIn(body: Buffer, name: string): string {
    const text = new RegExp(`<${name}>([^<]{1,1024})</${name}>`).exec(body.toString("utf8"))?.[1];
    if (text === undefined)
      throw new S3Error("answer", `${new URL(this.#endpoint).host} answered without ${name}`);
    return text;
  }
}

interface ListDocument {
  readonly contents: readonly { readonly Key?: unknown; readonly Size?: unknown }[];
  readonly folders: readonly { readonly Prefix?: unknown }[];
  readonly isTruncated: boolean;
  readonly next: string;
}

/** What LIST answered. Throws S3Error where that is something else. */
function listIn(body: Buffer): ListDocument {
  const result = readList(body, "ListBucketResult", ["Contents", "CommonPrefixes"], "the list of objects");
  const { Contents, CommonPrefixes, IsTruncated, NextContinuationToken } = result;
  return {
    contents: Array.isArray(Contents) ? (Contents as ListDocument["contents"]) : [],
    folders: Array.isArray(CommonPrefixes) ? (CommonPrefixes as ListDocument["folders"]) : [],
    isTruncated: IsTruncated === "true",
    next: typeof NextContinuationToken === "string" ? NextContinuationToken : "",
  };
}

function tagHeader(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { "x-amz-tagging": tag };
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return key; // a server that does not encode names
  }
}

function escapedXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
