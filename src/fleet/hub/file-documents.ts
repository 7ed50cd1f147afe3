import * as v from "valibot";
import { type Clock, type Log, NvrdError } from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import type { HubStore } from "./hub-store.js";

const NAME_LENGTH_MAX = 256;
const DOCUMENTS_MAX = 10_000;
/** Of all documents; a file of more is not read again. */
const LENGTH_MAX = 12_000_000;
const FOLDER_MODE = 0o700;

const schema = v.object({
  documents: v.pipe(
    v.array(v.object({ name: v.pipe(v.string(), v.maxLength(NAME_LENGTH_MAX)), text: v.string() })),
    v.maxLength(DOCUMENTS_MAX),
  ),
});

export const HUB_DOCUMENTS_KIND = keptKind({
  name: "templates.json",
  folder: "hub/",
  says: "templates for the settings of this hub's recorders, and what they were before one was applied",
  policy: "forget",
  damaged: "the templates of this hub are damaged: make them anew; recorders keep their settings",
  copies: 2,
  folderMode: FOLDER_MODE,
  schema,
});

/** Documents of a hub. */
export type Documents = Pick<HubStore, "names" | "read" | "write" | "remove">;

/** Documents of a hub that is alone, in a file of its data directory. */
export class FileDocuments implements Documents {
  readonly #file: KeptFile<typeof schema>;
  #known: Map<string, string> | undefined;

  constructor(options: { readonly directory: string; readonly clock: Clock; readonly log: Log }) {
    this.#file = new KeptFile(HUB_DOCUMENTS_KIND, { ...options, content: () => this.#content(this.#texts) });
  }

  get #texts(): Map<string, string> {
    this.#known ??= new Map(this.#file.read()?.documents.map(({ name, text }) => [name, text]));
    return this.#known;
  }

  names(folder: string): Promise<readonly string[]> {
    return Promise.resolve([...this.#texts.keys()].filter((name) => name.startsWith(folder)));
  }

  read(name: string): Promise<string | undefined> {
    return Promise.resolve(this.#texts.get(name));
  }

  async write(name: string, text: string): Promise<void> {
    await this.#replace(new Map(this.#texts).set(name, text));
  }

  async remove(name: string): Promise<void> {
    const left = new Map(this.#texts);
    if (left.delete(name)) await this.#replace(left);
  }

  async #replace(texts: Map<string, string>): Promise<void> {
    const length = [...texts].reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (length > LENGTH_MAX || texts.size > DOCUMENTS_MAX)
      throw new NvrdError("NOT_AVAILABLE", "this hub keeps too many templates", { hint: "delete some" });
    const before = this.#texts;
    this.#known = texts;
    try {
      await this.#file.replace(this.#content(texts));
    } catch (error) {
      if (this.#known === texts) this.#known = before;
      throw error;
    }
  }

  #content(texts: ReadonlyMap<string, string>) {
    return { documents: [...texts].map(([name, text]) => ({ name, text })) };
  }
}
