import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import type { Documents } from "./file-documents.js";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Documents that hubs keep for each other in a store which others may read and write: sealed by a key that only who has their authority
 * can make (AES-256-GCM; the key by HKDF, RFC 5869). The document's name belongs to what is sealed, so that none stands for another one.
 */
export class SealedDocuments implements Pick<Documents, "names" | "read" | "write" | "remove"> {
  readonly #documents: Documents;
  readonly #key: Buffer;

  /** `authorityKey`: PEM. `purpose`: another one, another key. */
  constructor(
    documents: Documents,
    { authorityKey, purpose }: { readonly authorityKey: string; readonly purpose: string },
  ) {
    this.#documents = documents;
    const secret = createHash("sha256").update(authorityKey.trim()).digest();
    this.#key = Buffer.from(hkdfSync("sha256", secret, "", `nvrd hubs: ${purpose}`, KEY_BYTES));
  }

  names(folder: string): Promise<readonly string[]> {
    return this.#documents.names(folder);
  }

  /** Undefined also where it was not sealed by one of these hubs, or under another name. */
  async read(name: string): Promise<string | undefined> {
    const sealed = await this.#documents.read(name);
    return sealed === undefined ? undefined : this.#opened(name, Buffer.from(sealed, "base64url"));
  }

  async write(name: string, text: string): Promise<void> {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(Buffer.from(name));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    const whole = Buffer.concat([nonce, sealed, cipher.getAuthTag()]);
    await this.#documents.write(name, whole.toString("base64url"));
  }

  remove(name: string): Promise<void> {
    return this.#documents.remove(name);
  }

  #opened(name: string, whole: Buffer): string | undefined {
    if (whole.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = whole.subarray(0, NONCE_BYTES);
    const tag = whole.subarray(-TAG_BYTES);
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv("aes-256-gcm", this.#key, nonce, options)
      .setAAD(Buffer.from(name))
      .setAuthTag(tag);
    try {
      const text = decipher.update(whole.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      // Somebody else has written it, or has moved it.
      return undefined;
    }
  }
}
