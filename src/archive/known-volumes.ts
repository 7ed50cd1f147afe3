import { mkdirSync, readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { errorText, type Guid, type Log, parseGuid } from "../base/index.js";

const FILE = "volumes.json";

/**
 * Which volume belongs at which path, kept in the data directory: so that an empty mount point or a swapped
 * disk is told from a fresh one.
 */
export class KnownVolumes {
  readonly #path: string;
  readonly #log: Log;
  readonly #ids = new Map<string, Guid>();
  #saving = Promise.resolve();

  constructor(options: { dataDir: string; log: Log }) {
    mkdirSync(options.dataDir, { recursive: true });
    this.#path = join(options.dataDir, FILE);
    this.#log = options.log;
  }

  load(): void {
    let parsed: unknown;
    try {
      parsed = JSON.parse(readFileSync(this.#path, "utf8"));
    } catch (error) {
      const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!missing)
        this.#log.error(
          { path: this.#path },
          `cannot be read, volumes are taken as found: ${errorText(error)}`,
        );
      return;
    }
    const volumes = (parsed as { volumes?: unknown } | null)?.volumes;
    for (const [path, id] of Object.entries(typeof volumes === "object" && volumes !== null ? volumes : {})) {
      const guid = typeof id === "string" ? parseGuid(id) : undefined;
      if (guid !== undefined) this.#ids.set(path, guid);
    }
  }

  idAt(path: string): Guid | undefined {
    return this.#ids.get(path);
  }

  /** Remembers that the volume is at this path now, and at no other. */
  remember(path: string, id: Guid): Promise<void> {
    if (this.#ids.get(path) === id) return this.#saving;
    for (const [other, otherId] of this.#ids) if (otherId === id) this.#ids.delete(other);
    this.#ids.set(path, id);
    const text = `${JSON.stringify({ volumes: Object.fromEntries(this.#ids) }, null, 2)}\n`;
    this.#saving = this.#saving
      .then(() => this.#write(text))
      .catch((error: unknown) => {
        // Recording goes on; the next start takes the volume as found.
        this.#log.error({ path: this.#path }, `cannot be saved: ${errorText(error)}`);
      });
    return this.#saving;
  }

  async #write(text: string): Promise<void> {
    const file = await open(`${this.#path}.new`, "w", 0o640);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${this.#path}.new`, this.#path);
  }
}
