import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A fresh directory that goes away with the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "nvrd-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A directory that outlives one test: removed by `remove()`. */
export class TemporaryDirectory {
  readonly path: string;

  constructor(name = "nvrd") {
    this.path = mkdtempSync(path.join(tmpdir(), `${name}-`));
  }

  join(...parts: string[]): string {
    return path.join(this.path, ...parts);
  }

  /** Writes files given by relative path, directories included. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(this.join(name)), { recursive: true });
      writeFileSync(this.join(name), text);
    }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
