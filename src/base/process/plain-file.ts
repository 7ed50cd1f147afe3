import {
  closeSync,
  constants,
  fstatSync,
  openSync as openAny,
  type PathLike,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { copyFile, type FileHandle, link, lstat, open as openAnyLater, rename, rm } from "node:fs/promises";
import path from "node:path";

/*
 * Files of the data directory and of volumes are opened here. What lies under their names may be anything: a FIFO that keeps who
 * opens it waiting, a device without an end, a directory, a link to itself. Only files are opened, and read to a bound.
 */

/** O_NONBLOCK: a FIFO is opened at once, and is refused then. O_NOCTTY: no terminal becomes the process's own. */
const LOOKING_FIRST = constants.O_NONBLOCK | constants.O_NOCTTY;
const FILE_MODE = 0o640;
/** Of what is set aside because it was in the way. */
const IN_THE_WAY_SUFFIX = ".in-the-way";
const PIECE_BYTES = 64 * 1024;
const NO_FILES: Readonly<Record<string, string>> = {
  ELOOP: "a link to itself",
  EISDIR: "a directory",
  ENXIO: "a socket or a named pipe",
  ENODEV: "a device",
};

/** Something else lies under the file's name, such as a directory. */
export class NotAFile extends Error {}

/** Throws the disk's error, and NotAFile. @param flags Of `constants`, such as O_RDONLY. */
export function openPlainSync(file: PathLike, flags: number, mode?: number): number {
  const descriptor = namingWhatIsThere(() => openAny(file, flags | LOOKING_FIRST, mode));
  try {
    requireFile(fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** As open(2), for who opens directories too: what is neither a file nor one is refused. */
export function openFileOrFolderSync(file: PathLike, flags: number, mode?: number): number {
  const descriptor = namingWhatIsThere(() => openAny(file, flags | LOOKING_FIRST, mode));
  try {
    const found = fstatSync(descriptor);
    if (!found.isDirectory()) requireFile(found);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** As `openPlainSync`. */
export async function openPlain(file: string, flags: number, mode?: number): Promise<FileHandle> {
  const handle = await openAnyLater(file, flags | LOOKING_FIRST, mode).catch((error: unknown) => {
    throw whatIsThere(error);
  });
  try {
    requireFile(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The whole file. Throws the disk's error, NotAFile, and RangeError where it is longer than `bytesMax`. */
export function readPlainSync(file: string, bytesMax: number): Buffer {
  const descriptor = openPlainSync(file, constants.O_RDONLY);
  try {
    requireLength(fstatSync(descriptor).size, bytesMax);
    const pieces: Buffer[] = [];
    for (let bytes = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const count = readSync(descriptor, piece);
      if (count === 0) return Buffer.concat(pieces, bytes);
      pieces.push(piece.subarray(0, count));
      bytes += count;
      requireLength(bytes, bytesMax);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** As `readPlainSync`. */
export async function readPlain(file: string, bytesMax: number): Promise<Buffer> {
  const handle = await openPlain(file, constants.O_RDONLY);
  try {
    requireLength((await handle.stat()).size, bytesMax);
    const pieces: Buffer[] = [];
    for (let bytes = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES);
      if (bytesRead === 0) return Buffer.concat(pieces, bytes);
      pieces.push(piece.subarray(0, bytesRead));
      bytes += bytesRead;
      requireLength(bytes, bytesMax);
    }
  } finally {
    await handle.close();
  }
}

/** Adds to the end of a file, which need not be there; its directory must be. */
export async function appendPlain(file: string, text: string): Promise<void> {
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  const handle = await openPlain(file, O_WRONLY | O_APPEND | O_CREAT, FILE_MODE);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

/** Writes at once, for what has no other time: after a power cut the file may be cut. */
export function writePlainSync(file: string, content: string | Uint8Array): void {
  clearPlaceSync(file);
  const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
  const descriptor = openPlainSync(file, O_WRONLY | O_CREAT | O_TRUNC, FILE_MODE);
  try {
    writeFileSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces a small file: after a power cut it holds the old bytes or the new ones, whole. Resolves when it is durable. A directory in its
 * place is set aside.
 * @param mode The file's mode, whatever the umask; default: readable by its owner and group.
 */
export async function replaceSmallFile(
  file: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> {
  const unfinished = `${file}.new`;
  await writeAfresh(unfinished, content, mode);
  await takePlace(unfinished, file);
  await syncDirectory(path.dirname(file));
}

/** Writes a file under a name that only unfinished ones have, and syncs it: what an interrupted write left there is removed. */
export async function writeAfresh(file: string, content: string | Uint8Array, mode?: number): Promise<void> {
  await rm(file, { recursive: true, force: true });
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const handle = await openPlain(file, O_WRONLY | O_CREAT | O_EXCL, mode ?? FILE_MODE);
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    // It takes room that a full disk lacks.
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** A rename that only a directory in the place of `to` cannot stop. */
export async function takePlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isInTheWay(error)) throw error;
    await rm(`${to}${IN_THE_WAY_SUFFIX}`, { recursive: true, force: true });
    await rename(to, `${to}${IN_THE_WAY_SUFFIX}`);
    await rename(from, to);
  }
}

/** Makes created and renamed entries of a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await openAnyLater(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a damaged file a second name, for people: a link needs no reading, so a disk that does not read the file keeps it. */
export async function keepBeside(damaged: string, beside: string): Promise<void> {
  await rm(beside, { force: true });
  if (!(await lstat(damaged)).isFile()) await rename(damaged, beside);
  else await link(damaged, beside).catch(() => copyFile(damaged, beside));
}

/** Moves aside what is no file. Links to files count as files. Returns whether something was moved. */
export function clearPlaceSync(file: string): boolean {
  if (otherThanFile(file) === undefined) return false;
  const aside = `${file}${IN_THE_WAY_SUFFIX}`;
  rmSync(aside, { recursive: true, force: true });
  renameSync(file, aside);
  return true;
}

/** Why what lies there is no file; undefined: it is one, or nothing is there. Throws the disk's error. */
export function otherThanFile(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined) requireFile(found);
    return undefined;
  } catch (error) {
    const named = whatIsThere(error);
    if (named instanceof NotAFile) return named.message;
    throw error;
  }
}

function namingWhatIsThere<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw whatIsThere(error);
  }
}

/** open(2) refuses some of them itself. */
function whatIsThere(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const what = NO_FILES[code];
  return what === undefined ? error : new NotAFile(`it is ${what}, not a file`, { cause: error });
}

function isInTheWay(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EISDIR" || code === "ENOTEMPTY" || code === "EEXIST";
}

function requireFile(found: Stats): void {
  if (!found.isFile()) throw new NotAFile(`it is ${kindOf(found)}, not a file`);
}

function requireLength(bytes: number, bytesMax: number): void {
  if (bytes > bytesMax) throw new RangeError(`it is longer than ${bytesMax} bytes`);
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a directory";
  if (found.isFIFO()) return "a named pipe";
  return found.isSocket() ? "a socket" : "a device";
}
