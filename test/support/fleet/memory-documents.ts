import type { Documents } from "../../../src/fleet/index.js";

/** Documents of a hub, in memory. */
export class MemoryDocuments implements Documents {
  readonly texts = new Map<string, string>();

  names(folder: string): Promise<readonly string[]> {
    return Promise.resolve([...this.texts.keys()].filter((name) => name.startsWith(folder)));
  }

  read(name: string): Promise<string | undefined> {
    return Promise.resolve(this.texts.get(name));
  }

  write(name: string, text: string): Promise<void> {
    this.texts.set(name, text);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.texts.delete(name);
    return Promise.resolve();
  }
}
