import type { Guid } from "../base/index.js";

/** An id derived from a name by its hash of at least 16 bytes: UUID version 8 (RFC 9562, 5.8). */
export function guidOfHash(hash: Uint8Array): Guid {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}
