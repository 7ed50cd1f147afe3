import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A directory of its own for one test, removed by `remove()`. */
export class TemporaryDirectory {
  readonly path: string;

  constructor(name = "nvrd") {
    this.path = mkdtempSync(join(tmpdir(), `${name}-`));
  }

  join(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  /** Writes files given by relative path, directories included. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.join(name)), { recursive: true });
      writeFileSync(this.join(name), text);
    }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
