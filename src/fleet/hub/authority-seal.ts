import { createCipheriv, createDecipheriv, createPrivateKey, hkdfSync, randomBytes } from "node:crypto";

/** NIST SP 800-38D. */
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals texts so that only hubs of one authority can read them, wherever they lie: AES-256-GCM, the key by HKDF (RFC 5869). */
export class AuthoritySeal {
  readonly #key: Buffer;

  /** `authorityKey`: the authority's private key, PEM. `purpose`: another one, another key. */
  constructor(authorityKey: string, purpose: string) {
    const secret = createPrivateKey(authorityKey).export({ format: "der", type: "pkcs8" });
    this.#key = Buffer.from(hkdfSync("sha256", secret, "", `nvrd hubs: ${purpose}`, KEY_BYTES));
  }

  /** The text in base64url. `name`: of what it is; none stands for another one. */
  seal(name: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(name));
    const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, content, cipher.getAuthTag()]).toString("base64url");
  }

  /** Undefined where it was sealed by another authority, for another purpose or name, or was changed. */
  open(name: string, sealed: string): string | undefined {
    const whole = Buffer.from(sealed, "base64url");
    if (whole.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = whole.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(name))
      .setAuthTag(whole.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(whole.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      // The tag does not fit: somebody else has written it, or has moved it.
      return undefined;
    }
  }
}
