import { AuthoritySeal } from "./authority-seal.js";
import type { Documents } from "./file-documents.js";

/**
 * Documents that hubs keep for each other in a store which others may read and write: sealed by a key that only who has their authority
 * can make. The document's name belongs to what is sealed, so that none stands for another one.
 */
export class SealedDocuments implements Pick<Documents, "names" | "read" | "write" | "remove"> {
  readonly #documents: Documents;
  readonly #seal: AuthoritySeal;

  /** `authorityKey`: PEM. `purpose`: another one, another key. */
  constructor(
    documents: Documents,
    { authorityKey, purpose }: { readonly authorityKey: string; readonly purpose: string },
  ) {
    this.#documents = documents;
    this.#seal = new AuthoritySeal(authorityKey, purpose);
  }

  names(folder: string): Promise<readonly string[]> {
    return this.#documents.names(folder);
  }

  /** Undefined also where it was not sealed by one of these hubs, or under another name. */
  async read(name: string): Promise<string | undefined> {
    const sealed = await this.#documents.read(name);
    return sealed === undefined ? undefined : this.#seal.open(name, sealed);
  }

  async write(name: string, text: string): Promise<void> {
    await this.#documents.write(name, this.#seal.seal(name, text));
  }

  remove(name: string): Promise<void> {
    return this.#documents.remove(name);
  }
}
