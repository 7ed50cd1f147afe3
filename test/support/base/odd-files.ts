import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** What may lie in the place of a file, by name, and what puts it there. */
export const ODD_FILES: Readonly<Record<string, (file: string) => void | Promise<void>>> = {
  "a named pipe": (file) => void execFileSync("mkfifo", [file]),
  "a socket": async (file) => {
    // A socket's path has at most 107 bytes. A server removes its socket when it closes: another name keeps it.
    const server = createServer();
    const short = path.join(tmpdir(), `nvrd-odd-${process.pid}`);
    await new Promise<void>((resolve) => server.listen(short, resolve));
    renameSync(short, file);
    await new Promise((resolve) => server.close(resolve));
  },
  "a directory": (file) => {
    mkdirSync(file);
    writeFileSync(path.join(file, "something"), "x");
  },
  "a device without an end": (file) => symlinkSync("/dev/zero", file),
  "a link to itself": (file) => symlinkSync(path.basename(file), file),
};

/** Puts something else into the place of each file. */
export async function replaceEach(
  files: readonly string[],
  put: (file: string) => void | Promise<void>,
): Promise<void> {
  for (const file of files) {
    rmSync(file, { recursive: true, force: true });
    await put(file);
  }
}

/** All files below a directory. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
}
