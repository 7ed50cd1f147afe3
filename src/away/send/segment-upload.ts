import { createHash } from "node:crypto";
import type { S3Client, SentPart, Storing } from "../s3/s3-client.js";
import { S3Error } from "../s3/s3-error.js";
import type { SegmentFile } from "./segment-file.js";
import type { UploadProgress } from "./send-messages.js";

/** Segments up to this size are one request; a minute of 8 Mbit/s is. */
export const SINGLE_BYTES_MAX = 64 * 1024 * 1024;
/** Of larger ones. At most 64 parts of a segment of 1 GiB; servers take 10,000, of 5 MiB and more. */
export const PART_BYTES = 16 * 1024 * 1024;

export interface SegmentUploadOptions {
  readonly client: S3Client;
  readonly key: string;
  readonly file: Pick<SegmentFile, "bytes" | "body">;
  /** What an earlier try has sent. */
  readonly upload: UploadProgress | undefined;
  readonly onUpload: (upload: UploadProgress) => void;
  readonly sending: Storing;
  /** Resolves when another part may begin; default: at once. */
  readonly mayBegin?: () => Promise<void>;
  readonly singleBytesMax?: number;
  readonly partBytes?: number;
}

/** Sends a segment as one object, whole or not at all, and answers its SHA-256. */
export async function uploadSegment(options: SegmentUploadOptions): Promise<string> {
  const { client, key, file, upload, sending, singleBytesMax = SINGLE_BYTES_MAX } = options;
  // What was begun in parts goes on so, whatever may be sent at once now.
  if (file.bytes > singleBytesMax || upload !== undefined) return await uploadInParts(options);
  const body = await file.body(0, file.bytes);
  await client.put(key, body, sending);
  return body.sha256;
}

/** Parts that arrived in an earlier try are only read again, for the digest of the whole. */
async function uploadInParts(options: SegmentUploadOptions): Promise<string> {
  const { client, key, sending, onUpload, upload } = options;
  const partBytes = upload?.partBytes ?? options.partBytes ?? PART_BYTES;
  const uploadId = upload?.uploadId ?? (await client.beginUpload(key, sending));
  try {
    return await sendParts(options, { uploadId, partBytes, parts: upload?.parts ?? [] });
  } catch (error) {
    // The server has given the upload up: its lifecycle rules may say so. The next try begins anew.
    if (error instanceof S3Error && error.fault === "not-found")
      onUpload({ uploadId: "", partBytes: 0, parts: [] });
    throw error;
  }
}

async function sendParts(options: SegmentUploadOptions, begun: UploadProgress): Promise<string> {
  const { client, key, file, onUpload, sending } = options;
  const { tag: _tag, ...plain } = sending;
  const { uploadId, partBytes } = begun;
  const whole = createHash("sha256");
  const parts: SentPart[] = [];
  const arrived = new Map(begun.parts.map((part) => [part.number, part]));
  for (let from = 0; from < file.bytes; from += partBytes) {
    const number = parts.length + 1;
    const body = await file.body(from, Math.min(from + partBytes, file.bytes), whole);
    const before = arrived.get(number);
    if (before === undefined) await options.mayBegin?.();
    const part = before ?? (await client.putPart(key, { uploadId, number }, body, plain));
    parts.push(part);
    if (!arrived.has(number)) onUpload({ uploadId, partBytes, parts: [...parts] });
  }
  await client.finishUpload(key, uploadId, parts, plain);
  return whole.digest("hex");
}
