import { randomUUID } from "node:crypto";

/** A GUID in the API's spelling: lower-case hexadecimal with dashes. */
export type Guid = string;

export const EMPTY_GUID: Guid = "00000000-0000-0000-0000-000000000000";

const GUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A fresh random GUID (RFC 9562, version 4). */
export function newGuid(): Guid {
  return randomUUID();
}

/**
 * The GUID that `text` spells, lower-cased; braces and case are accepted as clients send them. Undefined if it is not
 * one.
 */
export function parseGuid(text: string): Guid | undefined {
  const bare = text.startsWith("{") && text.endsWith("}") ? text.slice(1, -1) : text;
  return GUID_PATTERN.test(bare) ? bare.toLowerCase() : undefined;
}

/** The 16 bytes of a GUID, in the order they are written. Throws RangeError if `guid` is not a GUID. */
export function guidToBytes(guid: Guid): Uint8Array {
  if (!GUID_PATTERN.test(guid)) throw new RangeError(`not a GUID: ${guid.slice(0, 64)}`);
  return Uint8Array.from(Buffer.from(guid.replaceAll("-", ""), "hex"));
}

/** The GUID in `bytes[offset .. offset + 16)`. */
export function guidFromBytes(bytes: Uint8Array, offset = 0): Guid {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset + offset, 16).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
