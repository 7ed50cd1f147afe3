import type { SentPart, StoredObject } from "../s3/s3-client.js";
import type { S3Fault } from "../s3/s3-error.js";
import type { S3Target } from "../s3/s3-target.js";

/** The messages between the service and a target's sending thread. */

/** A large object that is sent in parts: what has arrived of it. */
export interface UploadProgress {
  readonly uploadId: string;
  readonly partBytes: number;
  readonly parts: readonly SentPart[];
}

export type SendWork =
  | {
      readonly op: "segment";
      readonly key: string;
      /** Where the file may be. */
      readonly paths: readonly string[];
      readonly bytes: number;
      /** So many of its first bytes come back. */
      readonly headBytes: number;
      /** What an earlier try has sent of it. */
      readonly upload?: UploadProgress;
    }
  | { readonly op: "put"; readonly key: string; readonly content: Uint8Array }
  | { readonly op: "get"; readonly key: string; readonly bytesMax: number }
  | { readonly op: "digest"; readonly key: string; readonly bytesMax: number }
  | { readonly op: "list"; readonly start: string }
  | { readonly op: "remove"; readonly key: string };

/** What was sent of a segment. */
export interface SentSegment {
  readonly sha256: string;
  readonly head: Uint8Array;
}

/** By operation. */
export interface SendResults {
  readonly segment: SentSegment;
  readonly put: undefined;
  /** Undefined: it is not there. */
  readonly get: Uint8Array | undefined;
  readonly digest: string | undefined;
  readonly list: readonly StoredObject[];
  readonly remove: undefined;
}

export type ToSender =
  | { readonly kind: "start"; readonly target: S3Target }
  | { readonly kind: "limit"; readonly bytesPerSecond: number | undefined }
  | { readonly kind: "work"; readonly id: number; readonly work: SendWork };

export type FromSender =
  | { readonly kind: "done"; readonly id: number; readonly value: unknown }
  | {
      readonly kind: "failed";
      readonly id: number;
      /** `gone`: there is no file. `file`: it cannot be read. */
      readonly fault: S3Fault | "gone" | "file";
      readonly message: string;
      readonly isLasting: boolean;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: "upload"; readonly id: number; readonly upload: UploadProgress }
  /** Bytes of bodies that went out, since the last such message. */
  | { readonly kind: "bytes"; readonly bytes: number };
