import { crc32 } from "node:zlib";
import { inTurns, readPlain, takePlace, writeAfresh } from "../base/index.js";
import { NO_TEXT, SIGNATURE_BYTES_MAX } from "./text-signature.js";

/**
 * The signatures of hours in a file: magic and CRC-32 of what follows; then of each hour its number (u32), the length of its
 * signature (u16), the signature. All in the order of little-endian bytes.
 */
const MAGIC = Buffer.from("NVRDTXT1");
const HEAD_BYTES = MAGIC.length + 4;
/** What an hour takes besides its signature. */
export const ENTRY_BYTES = 6;
const FILE_MODE = 0o600;
/** Bytes whose CRC is made between two turns of the event loop: a few milliseconds. */
const TURN_BYTES = 1024 * 1024;

type Hours = ReadonlyMap<number, Uint8Array>;

/** What was written; nothing where the file is damaged. Rejects where the disk does, and with RangeError for a longer file. */
export async function readSignatures(path: string, bytesMax: number): Promise<[number, Uint8Array][]> {
  const file = await readPlain(path, bytesMax);
  const body = file.subarray(HEAD_BYTES);
  if (file.length < HEAD_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC)) return [];
  if ((await inTurns(crcOf(body))) !== file.readUInt32LE(MAGIC.length)) return [];
  const hours: [number, Uint8Array][] = [];
  for (let at = 0; at + ENTRY_BYTES <= body.length; ) {
    const bytes = body.readUInt16LE(at + 4);
    if (bytes > SIGNATURE_BYTES_MAX) return hours;
    const begin = at + ENTRY_BYTES;
    const signature = bytes === 0 ? NO_TEXT : Uint8Array.from(body.subarray(begin, begin + bytes));
    hours.push([body.readUInt32LE(at), signature]);
    at = begin + bytes;
  }
  return hours;
}

/** Writes them, and puts them in the place of what was there before if they are still the same then. Rejects where the disk does. */
export async function writeSignatures(path: string, hours: Hours, areSame: () => boolean): Promise<void> {
  const file = packed(hours);
  file.writeUInt32LE(await inTurns(crcOf(file.subarray(HEAD_BYTES))), MAGIC.length);
  const unfinished = `${path}.new`;
  await writeAfresh(unfinished, file, FILE_MODE);
  if (areSame()) await takePlace(unfinished, path);
}

/** The file, but for its CRC. There may be years of hours: none has memory of its own. */
function packed(hours: Hours): Buffer {
  let bytes = HEAD_BYTES;
  for (const [, signature] of hours) bytes += ENTRY_BYTES + signature.length;
  const file = Buffer.alloc(bytes);
  MAGIC.copy(file);
  let at = HEAD_BYTES;
  for (const [hour, signature] of hours) {
    file.writeUInt32LE(hour, at);
    file.writeUInt16LE(signature.length, at + 4);
    file.set(signature, at + ENTRY_BYTES);
    at += ENTRY_BYTES + signature.length;
  }
  return file;
}

function* crcOf(bytes: Uint8Array): Generator<undefined, number> {
  let crc = 0;
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    if (at > 0) yield;
    crc = crc32(bytes.subarray(at, at + TURN_BYTES), crc);
  }
  return crc;
}
