import type { ObjectLock, Retention } from "../s3/s3-bucket.js";
import type { SentPart, StoredObject } from "../s3/s3-client.js";
import type { S3Fault } from "../s3/s3-error.js";
import type { S3Target } from "../s3/s3-target.js";
import type { BlockCacheOptions } from "./block-cache.js";

/** The messages between the service and a target's sending thread. */

/** Names of one listing; a day of a channel has a handful of manifests. */
export const LISTED_MAX = 100_000;

/** A large object that is sent in parts: what has arrived of it. */
export interface UploadProgress {
  readonly uploadId: string;
  readonly partBytes: number;
  readonly parts: readonly SentPart[];
}

/** What is added to the end of a file. */
export interface Append {
  readonly file: string;
  readonly text: string;
}

export type SendWork =
  | {
      readonly op: "segment";
      readonly key: string;
      /** Where the file may be. */
      readonly paths: readonly string[];
      readonly bytes: number;
      /** Only its key frames go. */
      readonly isKeyFrames?: boolean;
      /** So many of its first bytes come back. */
      readonly headBytes: number;
      /** What an earlier try has sent of it. */
      readonly upload?: UploadProgress;
      /** Larger ones go in parts of this; default: as on a quick link. */
      readonly partBytes?: number;
      /** A tag that lifecycle rules know it by. */
      readonly tag?: string;
    }
  | { readonly op: "put"; readonly key: string; readonly content: Uint8Array }
  | { readonly op: "get"; readonly key: string; readonly bytesMax: number }
  /** Bytes `[from, to)` of an object, kept under a name on the disk. */
  | {
      readonly op: "block";
      readonly key: string;
      readonly from: number;
      readonly to: number;
      readonly name: string;
      /** What is kept is not taken. */
      readonly anew?: boolean;
    }
  | { readonly op: "digest"; readonly key: string; readonly bytesMax: number }
  /** At most some `LISTED_MAX` names, in their order; `after`: behind this one. */
  | { readonly op: "list"; readonly start: string; readonly after?: string }
  /** The folders directly below `start`, each with its slash. */
  | { readonly op: "folders"; readonly start: string }
  /** The first bytes of an object, kept nowhere. */
  | { readonly op: "head"; readonly key: string; readonly bytes: number }
  | { readonly op: "remove"; readonly key: string }
  /** For good, where the bucket keeps versions. Those that are locked stay. */
  | { readonly op: "erase"; readonly key: string }
  /** `retention` undefined: it is not changed. */
  | {
      readonly op: "lock";
      readonly key: string;
      readonly retention: Retention | undefined;
      readonly isHeld: boolean | undefined;
    }
  /** Removes its tags. */
  | { readonly op: "untag"; readonly key: string }
  /** Whether the bucket has object lock. */
  | { readonly op: "has-lock" }
  /** Undefined: the object is not there. */
  | { readonly op: "lock-of"; readonly key: string }
  /** Files here, of what was sent. */
  | { readonly op: "append"; readonly appends: readonly Append[] };

/** How objects are encrypted, and read back. */
export interface Sealing {
  /** Public keys; empty: objects go as they are. */
  readonly recipients: readonly string[];
  /** The private key; empty: what is encrypted cannot be read here. */
  readonly identity: string;
}

/** What was sent of a segment. */
export interface SentSegment {
  /** Of the object as it lies there. */
  readonly sha256: string;
  /** The object's size where it is encrypted. */
  readonly sealedBytes: number | undefined;
  readonly head: Uint8Array;
  /** Where only its key frames were sent: what they are. */
  readonly keyFrames: SentKeyFrames | undefined;
}

export interface SentKeyFrames {
  /** Before they are encrypted. */
  readonly bytes: number;
  readonly frames: number;
  /** Their GOP table, base64. */
  readonly gops: string;
}

/** By operation. */
export interface SendResults {
  readonly segment: SentSegment;
  readonly put: undefined;
  /** Undefined: it is not there. */
  readonly get: Uint8Array | undefined;
  readonly block: Uint8Array;
  readonly digest: string | undefined;
  readonly list: readonly StoredObject[];
  readonly folders: readonly string[];
  /** Undefined: it is not there. */
  readonly head: Uint8Array | undefined;
  readonly remove: undefined;
  readonly erase: undefined;
  readonly untag: undefined;
  readonly lock: undefined;
  readonly "has-lock": boolean;
  readonly "lock-of": ObjectLock | undefined;
  /** For each why it was not written; undefined: it was. */
  readonly append: readonly (string | undefined)[];
}

export type ToSender =
  /** `cache`: where blocks are kept. */
  | {
      readonly kind: "start";
      readonly target: S3Target;
      /** Connections at once; default 4. */
      readonly socketsMax?: number;
      readonly cache?: BlockCacheOptions;
      readonly sealing?: Sealing;
    }
  | { readonly kind: "limit"; readonly bytesPerSecond: number | undefined }
  | { readonly kind: "work"; readonly id: number; readonly work: SendWork }
  /** Nobody waits for it any more. */
  | { readonly kind: "cancel"; readonly id: number };

/** `sentBytes`: of bodies that went out since the last report. */
export type FromSender =
  | { readonly kind: "done"; readonly id: number; readonly value: unknown; readonly sentBytes: number }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly sentBytes: number;
      /** `gone`: there is no file. `file`: it cannot be read. */
      readonly fault: S3Fault | "gone" | "file";
      readonly message: string;
      readonly isLasting: boolean;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: "upload"; readonly id: number; readonly upload: UploadProgress }
  /** No answer came for some time. */
  | { readonly kind: "bytes"; readonly sentBytes: number };
