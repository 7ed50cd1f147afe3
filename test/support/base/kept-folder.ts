import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "./repository.js";

const CACHE = join(REPOSITORY_ROOT, "build", "kept");

let made = 0;

/**
 * A folder that `make` fills, made once for all tests that give the same key, in this run and in later ones. Nobody writes
 * to it afterwards. `makers` are the files that make what it holds: its module and programs. It is made anew by other ones.
 */
export async function keptFolder(
  key: unknown,
  makers: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const versions = makers.map((file) => [file, statSync(file).mtimeMs, statSync(file).size]);
  const hash = createHash("sha256").update(JSON.stringify([key, versions]));
  const folder = join(CACHE, hash.digest("hex").slice(0, 32));
  if (existsSync(folder)) return folder;
  made += 1;
  const work = `${folder}.${process.pid}-${made}`;
  await mkdir(work, { recursive: true });
  await make(work);
  try {
    await rename(work, folder);
  } catch (error) {
    // Another test has made the same meanwhile.
    if (!existsSync(folder)) throw error;
    await rm(work, { recursive: true });
  }
  return folder;
}
