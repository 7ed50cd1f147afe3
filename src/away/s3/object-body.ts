import { createHash } from "node:crypto";

/** What is sent as an object, or as a part of one: its length and digests are known before its first byte goes. */
export interface ObjectBody {
  readonly bytes: number;
  /** Base64, as Content-MD5 has it. */
  readonly md5: string;
  /** Hexadecimal. */
  readonly sha256: string;
  /** The bytes in order; called again for each try. */
  chunks(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A body that is in memory. */
export function bytesBody(content: Uint8Array): ObjectBody {
  return {
    bytes: content.length,
    md5: createHash("md5").update(content).digest("base64"),
    sha256: createHash("sha256").update(content).digest("hex"),
    chunks: () => [content],
  };
}

export const EMPTY_BODY = bytesBody(new Uint8Array());
