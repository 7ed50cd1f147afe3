import { type Clock, errorText, Pace, US_PER_SECOND } from "../../base/index.js";
import { readRecipient } from "../../site/index.js";
import { bytesBody } from "../s3/object-body.js";
import { S3Client, type Sending, type StoredObject } from "../s3/s3-client.js";
import { S3Error } from "../s3/s3-error.js";
import { appendAll } from "./appends.js";
import { BlockCache } from "./block-cache.js";
import { KeyFrameFile } from "./key-frame-file.js";
import { SealedFile } from "./sealed-file.js";
import { SealedReads } from "./sealed-reads.js";
import { SegmentFile, SegmentFileError } from "./segment-file.js";
import { uploadSegment } from "./segment-upload.js";
import {
  type FromSender,
  LISTED_MAX,
  type Sealing,
  type SendWork,
  type SentKeyFrames,
  type SentSegment,
  type ToSender,
} from "./send-messages.js";

const NO_SEALING: Sealing = { recipients: [], identity: "" };
/** Bytes that went out are reported with each answer; in a message of their own after so long without one, */
const REPORT_INTERVAL_US = 2 * US_PER_SECOND;
/** and so many went. */
const REPORT_BYTES_MIN = 1024 * 1024;

export interface SenderWorkOptions {
  readonly clock: Clock;
  readonly post: (message: FromSender) => void;
}

/** What a sending thread does: one request to object storage after the other, at the given pace. */
export class SenderWork {
  readonly #options: SenderWorkOptions;
  readonly #pace: Pace;
  readonly #cancels = new Map<number, AbortController>();
  #client: S3Client | undefined;
  #cache: BlockCache | undefined;
  #reads: SealedReads | undefined;
  #sealing: Sealing = NO_SEALING;
  #unreportedBytes = 0;
  #reportedUs = Number.NEGATIVE_INFINITY;

  constructor(options: SenderWorkOptions) {
    this.#options = options;
    this.#pace = new Pace(options.clock);
  }

  /** Never throws: failures are answered. */
  async take(message: ToSender): Promise<void> {
    const { clock, post } = this.#options;
    if (message.kind === "start") {
      const { target, socketsMax, sealing = NO_SEALING } = message;
      this.#client = new S3Client({ target, clock, ...(socketsMax === undefined ? {} : { socketsMax }) });
      this.#reads = new SealedReads(this.#client, sealing);
      this.#sealing = sealing;
      this.#cache = message.cache === undefined ? undefined : new BlockCache(message.cache);
    } else if (message.kind === "cancel") this.#cancels.get(message.id)?.abort();
    else if (message.kind === "limit") this.#pace.limit(message.bytesPerSecond);
    else {
      const { id, work } = message;
      try {
        const value = await this.#do(id, work);
        post({ kind: "done", id, value, sentBytes: this.#takeUnreportedBytes() });
      } catch (error) {
        post({ ...failureOf(error), id, sentBytes: this.#takeUnreportedBytes() });
      }
    }
  }

  close(): void {
    this.#client?.close();
  }

  async #do(id: number, work: SendWork): Promise<unknown> {
    const client = this.#client;
    if (client === undefined) throw new Error("no target yet");
    const sending: Sending = { pace: this.#spend };
    switch (work.op) {
      case "segment":
        return await this.#sendSegment(id, client, work);
      case "put":
        await client.put(work.key, bytesBody(work.content), sending);
        return undefined;
      case "get":
        return await this.#cancellable(id, (signal) => contentOf(client, work, signal));
      case "block":
        return await this.#block(id, work);
      case "digest":
        return await client.digestOf(work.key, { bytesMax: work.bytesMax });
      case "list":
        return await listAll(client, work.start, work.after);
      case "folders":
        return await allFolders(client, work.start);
      case "head":
        return (await unlessGone(client.get(work.key, { bytesMax: work.bytes, range: [0, work.bytes] })))
          ?.body;
      case "remove":
        await client.remove(work.key);
        return undefined;
      case "erase":
        return await erase(client, work.key);
      case "lock":
        return await lock(client, work);
      case "untag":
        await client.bucket.untag(work.key);
        return undefined;
      case "has-lock":
        return await client.bucket.hasLock();
      case "lock-of":
        return await unlessGone(client.bucket.lockOf(work.key));
      case "append":
        return await appendAll(work.appends);
    }
  }

  async #block(id: number, work: Extract<SendWork, { op: "block" }>): Promise<Uint8Array> {
    const { key, from, to, name, anew = false } = work;
    const kept = anew ? undefined : this.#cache?.get(name);
    if (kept !== undefined) return kept;
    const read = this.#cancellable(
      id,
      async (signal) => await this.#reads?.read(key, [from, to], { signal }),
    );
    const body = (await read) ?? new Uint8Array();
    // Of an object that is shorter than it should be: it may be whole the next time.
    if (body.length === to - from) this.#cache?.put(name, body);
    return body;
  }

  async #cancellable<T>(id: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const cancel = new AbortController();
    this.#cancels.set(id, cancel);
    try {
      return await work(cancel.signal);
    } finally {
      this.#cancels.delete(id);
    }
  }

  async #sendSegment(
    id: number,
    client: S3Client,
    {
      key,
      paths,
      bytes,
      isKeyFrames,
      headBytes,
      upload,
      partBytes,
      tag,
    }: Extract<SendWork, { op: "segment" }>,
  ): Promise<SentSegment> {
    const { clock, post } = this.#options;
    const file = SegmentFile.open(paths, bytes, clock);
    try {
      const keyFrames = isKeyFrames === true ? await KeyFrameFile.of(file) : undefined;
      const plain = keyFrames ?? file;
      const head = plain.head(headBytes);
      const onUpload = (progress: NonNullable<typeof upload>): void =>
        post({ kind: "upload", id, upload: progress });
      const recipients = recipientsOf(this.#sealing);
      const sealed = recipients.length > 0 ? new SealedFile(plain, recipients) : undefined;
      // What an earlier try has sent was encrypted with another key.
      if (sealed !== undefined && upload !== undefined) await client.abortUpload(key, upload.uploadId);
      const sha256 = await uploadSegment({
        ...{ client, key, onUpload, file: sealed ?? plain, mayBegin: this.#pace.begin },
        upload: sealed === undefined ? upload : undefined,
        ...(partBytes === undefined ? {} : { singleBytesMax: partBytes, partBytes }),
        sending: { pace: this.#spend, tag },
      });
      return { sha256, head, sealedBytes: sealed?.bytes, keyFrames: keyFrames && sentKeyFrames(keyFrames) };
    } finally {
      file.close();
    }
  }

  readonly #spend = async (bytes: number): Promise<void> => {
    await this.#pace.wait(bytes);
    this.#unreportedBytes += bytes;
    const isLong = this.#options.clock.monotonicUs() - this.#reportedUs >= REPORT_INTERVAL_US;
    if (isLong && this.#unreportedBytes >= REPORT_BYTES_MIN)
      this.#options.post({ kind: "bytes", sentBytes: this.#takeUnreportedBytes() });
  };

  /** The bytes of this report. */
  #takeUnreportedBytes(): number {
    const bytes = this.#unreportedBytes;
    this.#unreportedBytes = 0;
    this.#reportedUs = this.#options.clock.monotonicUs();
    return bytes;
  }
}

function sentKeyFrames({ bytes, frames, gops }: KeyFrameFile): SentKeyFrames {
  return { bytes, frames, gops };
}

/** Throws where a public key is none: nothing may go as it is then. */
function recipientsOf({ recipients }: Sealing): readonly Uint8Array[] {
  return recipients.map((text) => {
    const recipient = readRecipient(text);
    if (recipient === undefined) throw new Error("a public key cannot be read");
    return recipient;
  });
}

async function contentOf(
  client: S3Client,
  { key, bytesMax }: Extract<SendWork, { op: "get" }>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  return (await unlessGone(client.get(key, { bytesMax, signal })))?.body;
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof S3Error && error.fault === "not-found") return undefined;
    throw error;
  }
}

async function lock(
  client: S3Client,
  { key, retention, isHeld }: Extract<SendWork, { op: "lock" }>,
): Promise<undefined> {
  if (retention !== undefined) await client.bucket.retain(key, retention);
  if (isHeld !== undefined) await client.bucket.hold(key, isHeld);
  return undefined;
}

/** In a bucket with versions a deleted object goes on to take room: its versions are removed too. */
async function erase(client: S3Client, key: string): Promise<undefined> {
  await client.remove(key);
  if (!(await client.bucket.hasVersions())) return undefined;
  for (const { versionId } of await client.bucket.versionsOf(key)) {
    try {
      await client.bucket.removeVersion(key, versionId);
    } catch (error) {
      if (!(error instanceof S3Error && error.fault === "locked")) throw error;
    }
  }
  return undefined;
}

async function listAll(
  client: S3Client,
  start: string,
  first: string | undefined,
): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = [];
  for (let after = first; ; ) {
    const { objects, next } = await client.list(start, after === undefined ? {} : { after });
    all.push(...objects);
    if (next === undefined || all.length >= LISTED_MAX) return all;
    after = next;
  }
}

async function allFolders(client: S3Client, start: string): Promise<readonly string[]> {
  const all: string[] = [];
  for (let after: string | undefined; ; ) {
    const { folders, next } = await client.folders(start, after === undefined ? {} : { after });
    all.push(...folders);
    if (next === undefined || all.length >= LISTED_MAX) return all;
    after = next;
  }
}

function failureOf(error: unknown): Omit<Extract<FromSender, { kind: "failed" }>, "id" | "sentBytes"> {
  const message = errorText(error);
  if (error instanceof S3Error) {
    const { fault, isLasting, retryAfterMs } = error;
    return { kind: "failed", fault, message, isLasting, retryAfterMs };
  }
  const fault = error instanceof SegmentFileError && error.isGone ? "gone" : "file";
  return { kind: "failed", fault, message, isLasting: false, retryAfterMs: undefined };
}
