import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import {
  errorText,
  type Log,
  openPlain,
  readSmallFile,
  readVersion,
  replaceSmallFile,
} from "../../base/index.js";

const DATA_FILE = "data.mdb";
const NOTE_FILE = "closed";
const NOTE_CHARACTERS_MAX = 256;
/** Reading a larger file takes longer than a start may be delayed: a child process walks it beside recording. */
const NOTED_BYTES_MAX = 64 * 1024 * 1024;
/** Between two pieces the main thread does other work. */
const PIECE_BYTES = 256 * 1024;

/**
 * Notes what the environment's file is, now that it was closed in order and every record read so far was good. A start that
 * finds exactly these bytes need not have them walked. Never rejects: without the note, the next start walks the file.
 */
export async function noteClosed(directory: string, log: Log): Promise<void> {
  try {
    const digest = await digestOf(path.join(directory, DATA_FILE));
    if (digest !== undefined) await replaceSmallFile(path.join(directory, NOTE_FILE), noteOf(digest));
  } catch (error) {
    log.warn({ directory, error: errorText(error) }, "cannot note how the database was closed");
  }
}

/**
 * Whether the environment's file is what this version closed in order, byte for byte. The note is for one start: it is removed, so
 * that a file which ends the process is walked at the next start. False when anything cannot be read: a walk says why.
 */
export async function isAsClosed(directory: string): Promise<boolean> {
  const file = path.join(directory, NOTE_FILE);
  try {
    const note = readSmallFile(file)?.slice(0, NOTE_CHARACTERS_MAX);
    if (note === undefined) return false;
    await rm(file, { recursive: true, force: true });
    const digest = await digestOf(path.join(directory, DATA_FILE));
    return digest !== undefined && note === noteOf(digest);
  } catch {
    // A failing disk, or something else in the note's place.
    return false;
  }
}

/** Another version may know another format: it walks the file. */
function noteOf(digest: string): string {
  return `${readVersion()} ${digest}\n`;
}

/** Size and SHA-256; undefined for a file that is empty or too large. */
async function digestOf(file: string): Promise<string | undefined> {
  const handle = await openPlain(file, constants.O_RDONLY);
  try {
    const { size } = await handle.stat();
    if (size === 0 || size > NOTED_BYTES_MAX) return undefined;
    const hash = createHash("sha256");
    const piece = Buffer.alloc(Math.min(size, PIECE_BYTES));
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, bytes);
      if (bytesRead === 0) break;
      hash.update(piece.subarray(0, bytesRead));
      bytes += bytesRead;
      // A file that grows meanwhile is in use by somebody else.
      if (bytes > size) return undefined;
    }
    return `${bytes} ${hash.digest("hex")}`;
  } finally {
    await handle.close();
  }
}
