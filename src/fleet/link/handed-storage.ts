import { createHash } from "node:crypto";
import * as v from "valibot";
import type { S3Target } from "../../away/index.js";

/** GET, by a box's hub: where its recordings are off the box, and how they are read there. */
export const STORAGE_PATH = "/fleet/storage";
/** Certificates of a target's authority that a hub takes: it keeps them beside the rest in one small document. */
export const STORAGE_AUTHORITY_LENGTH_MAX = 6144;
/** What a box hands over is no longer. */
export const STORAGE_BYTES_MAX = 10_240;
/** Of the mark that tells one from another. */
const MARK_LENGTH = 22;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));

/**
 * A box's off-site storage, as its owner lets the hub read it: with a key that can only read. No proxy: the hub has a network of its own.
 */
export const handedStorage = v.object({
  endpoint: v.pipe(text(512), v.regex(/^https?:\/\/[^/?#@\s]+$/)),
  region: text(64),
  bucket: v.pipe(text(64), v.minLength(1)),
  prefix: v.pipe(text(128), v.regex(/^(?:|.*\/)$/)),
  style: v.picklist(["path", "host"]),
  accessKeyId: text(256),
  secretAccessKey: text(256),
  authority: text(STORAGE_AUTHORITY_LENGTH_MAX),
  /** Private key (age) of what is encrypted there; empty: that cannot be read. */
  identity: text(256),
});
export type HandedStorage = Readonly<v.InferOutput<typeof handedStorage>>;

/** Says whether a hub has the newest: another one where anything is another. */
export function storageMark(storage: HandedStorage): string {
  const members = Object.entries(storage).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(members)).digest("base64url").slice(0, MARK_LENGTH);
}

/** As the client of object storage wants it. */
export function storageTarget({ identity: _identity, ...storage }: HandedStorage): S3Target {
  return { ...storage, sessionToken: "", proxy: "" };
}
