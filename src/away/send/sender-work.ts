import type { Clock } from "../../base/index.js";
import { errorText } from "../../base/index.js";
import { bytesBody } from "../s3/object-body.js";
import { S3Client, type Sending, type StoredObject } from "../s3/s3-client.js";
import { S3Error } from "../s3/s3-error.js";
import { Pace } from "./pace.js";
import { SegmentFile, SegmentFileError } from "./segment-file.js";
import { uploadSegment } from "./segment-upload.js";
import type { FromSender, SendWork, SentSegment, ToSender } from "./send-messages.js";

/** Names of one listing; a day of a channel has a handful of manifests. */
const LISTED_MAX = 100_000;
/** Bytes that went out are told in steps of this size. */
const TOLD_BYTES = 1024 * 1024;

export interface SenderWorkOptions {
  readonly clock: Clock;
  readonly tell: (message: FromSender) => void;
}

/** What a sending thread does: one request to object storage after the other, at the pace that it is told. */
export class SenderWork {
  readonly #options: SenderWorkOptions;
  readonly #pace: Pace;
  #client: S3Client | undefined;
  #untoldBytes = 0;

  constructor(options: SenderWorkOptions) {
    this.#options = options;
    this.#pace = new Pace(options.clock);
  }

  /** Never throws: what fails is told. */
  async take(message: ToSender): Promise<void> {
    const { clock, tell } = this.#options;
    if (message.kind === "start") this.#client = new S3Client({ target: message.target, clock });
    else if (message.kind === "limit") this.#pace.limit(message.bytesPerSecond);
    else {
      const { id, work } = message;
      try {
        const value = await this.#do(id, work);
        this.#tellBytes();
        tell({ kind: "done", id, value });
      } catch (error) {
        this.#tellBytes();
        tell(failureOf(id, error));
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
        return await contentOf(client, work.key, work.bytesMax);
      case "digest":
        return await client.digestOf(work.key, { bytesMax: work.bytesMax });
      case "list":
        return await listAll(client, work.start);
      case "remove":
        await client.remove(work.key);
        return undefined;
    }
  }

  async #sendSegment(
    id: number,
    client: S3Client,
    { key, paths, bytes, headBytes, upload }: Extract<SendWork, { op: "segment" }>,
  ): Promise<SentSegment> {
    const { clock, tell } = this.#options;
    const file = SegmentFile.open(paths, bytes, clock);
    try {
      const head = file.head(headBytes);
      const onUpload = (progress: NonNullable<typeof upload>): void =>
        tell({ kind: "upload", id, upload: progress });
      const sha256 = await uploadSegment({
        ...{ client, key, file, upload, onUpload },
        sending: { pace: this.#spend },
      });
      return { sha256, head };
    } finally {
      file.close();
    }
  }

  readonly #spend = async (bytes: number): Promise<void> => {
    await this.#pace.wait(bytes);
    this.#untoldBytes += bytes;
    if (this.#untoldBytes >= TOLD_BYTES) this.#tellBytes();
  };

  #tellBytes(): void {
    if (this.#untoldBytes > 0) this.#options.tell({ kind: "bytes", bytes: this.#untoldBytes });
    this.#untoldBytes = 0;
  }
}

async function contentOf(client: S3Client, key: string, bytesMax: number): Promise<Uint8Array | undefined> {
  try {
    return (await client.get(key, { bytesMax })).body;
  } catch (error) {
    if (error instanceof S3Error && error.fault === "not-found") return undefined;
    throw error;
  }
}

async function listAll(client: S3Client, start: string): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = [];
  for (let after: string | undefined; ; ) {
    const { objects, next } = await client.list(start, after === undefined ? {} : { after });
    all.push(...objects);
    if (next === undefined || all.length >= LISTED_MAX) return all;
    after = next;
  }
}

function failureOf(id: number, error: unknown): FromSender {
  const message = errorText(error);
  if (error instanceof S3Error) {
    const { fault, isLasting, retryAfterMs } = error;
    return { kind: "failed", id, fault, message, isLasting, retryAfterMs };
  }
  const fault = error instanceof SegmentFileError && error.isGone ? "gone" : "file";
  return { kind: "failed", id, fault, message, isLasting: false, retryAfterMs: undefined };
}
