import { type Dirent, readdirSync } from "node:fs";
import path from "node:path";
import { nameOfFile, pathOfKey } from "./object-name.js";

/** A file or folder, as it stands in the order of keys: a folder with its slash. */
interface Entry {
  readonly file: string;
  readonly name: string;
  readonly isFolder: boolean;
}

export interface ListedObject {
  readonly key: string;
  readonly file: string;
}

/**
 * Objects whose keys begin with `prefix` and come after `after`, in the order of keys. Folders that have none of them are not read.
 * Throws the disk's error.
 */
export function* objectsIn(directory: string, prefix: string, after: string): Generator<ListedObject> {
  const slash = prefix.lastIndexOf("/") + 1;
  const folder = folderOf(directory, prefix.slice(0, slash));
  if (folder !== undefined) yield* walk(folder, prefix.slice(0, slash), { prefix, after });
}

/** Names of folders directly behind `prefix`, each with its slash, that come after `after`. Throws the disk's error. */
export function foldersIn(directory: string, prefix: string, after: string): readonly string[] {
  const slash = prefix.lastIndexOf("/") + 1;
  const folder = folderOf(directory, prefix.slice(0, slash));
  if (folder === undefined) return [];
  return entriesOf(folder)
    .filter(({ isFolder }) => isFolder)
    .map(({ name }) => prefix.slice(0, slash) + name)
    .filter((key) => key.startsWith(prefix) && key > after);
}

interface Wanted {
  readonly prefix: string;
  readonly after: string;
}

function* walk(folder: string, start: string, { prefix, after }: Wanted): Generator<ListedObject> {
  for (const { file, name, isFolder } of entriesOf(folder)) {
    const key = start + name;
    const isWithin = key.startsWith(prefix) || (isFolder && prefix.startsWith(key));
    // All keys of a folder begin with its own: those before `after` are in folders that come before it.
    const isBehind = key > after || (isFolder && after.startsWith(key));
    if (!isWithin || !isBehind) continue;
    const at = path.join(folder, file);
    if (isFolder) yield* walk(at, key, { prefix, after });
    else yield { key, file: at };
  }
}

function folderOf(directory: string, start: string): string | undefined {
  if (start === "") return directory;
  const at = pathOfKey(start.slice(0, -1));
  return at === undefined ? undefined : path.join(directory, at);
}

function entriesOf(folder: string): readonly Entry[] {
  const entries = readFolder(folder).flatMap((entry) => {
    const name = nameOfFile(entry.name);
    if (name === undefined || !(entry.isDirectory() || entry.isFile())) return [];
    const isFolder = entry.isDirectory();
    return [{ file: entry.name, name: isFolder ? `${name}/` : name, isFolder }];
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readFolder(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Nothing of this name is there, or a part of the way to it is an object. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
