import { crc32 } from "node:zlib";

/** An EFI variable as U-Boot keeps it in ubootefi.var (U-Boot: include/efi_variable.h). */
export interface UBootVariable {
  readonly name: string;
  readonly attributes: number;
  /** As in the file: 16 bytes. */
  readonly guid: string;
  readonly value: Buffer;
}

const MAGIC = 0x0161566966456255n;
const HEADER_BYTES = 24;
const VARIABLE_BYTES = 32;
/** Of what boot loaders and systems tell one another (https://systemd.io/BOOT_LOADER_INTERFACE/). */
export const LOADER_GUID = "82b0674a4c0acf41b6c7440b29bb8c4f";

/** What U-Boot reads from the file; none from a file that it refuses. */
export function readVariables(bytes: Buffer): readonly UBootVariable[] {
  const isRead =
    bytes.length >= HEADER_BYTES &&
    bytes.readBigUInt64LE(8) === MAGIC &&
    bytes.readUInt32LE(16) === bytes.length &&
    bytes.readUInt32LE(20) === crc32(bytes.subarray(HEADER_BYTES));
  if (!isRead) return [];
  const found: UBootVariable[] = [];
  for (let at = HEADER_BYTES; at + VARIABLE_BYTES < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    let end = at + VARIABLE_BYTES;
    while (bytes.readUInt16LE(end) !== 0) end += 2;
    found.push({
      name: bytes.toString("utf16le", at + VARIABLE_BYTES, end),
      attributes: bytes.readUInt32LE(at + 4),
      guid: bytes.toString("hex", at + 16, at + VARIABLE_BYTES),
      value: bytes.subarray(end + 2, end + 2 + length),
    });
    at = (end + 2 + length + 7) & ~7;
  }
  return found;
}

/** The file with these variables. */
export function variablesFile(variables: readonly UBootVariable[]): Buffer {
  const body = Buffer.concat(
    variables.map(({ name, attributes, guid, value }) => {
      const head = Buffer.alloc(16);
      head.writeUInt32LE(value.length);
      head.writeUInt32LE(attributes, 4);
      const bytes = Buffer.concat([
        head,
        Buffer.from(guid, "hex"),
        Buffer.from(`${name}\0`, "utf16le"),
        value,
      ]);
      return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);
    }),
  );
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeBigUInt64LE(MAGIC, 8);
  header.writeUInt32LE(HEADER_BYTES + body.length, 16);
  header.writeUInt32LE(crc32(body), 20);
  return Buffer.concat([header, body]);
}
