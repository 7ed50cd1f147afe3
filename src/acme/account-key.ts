import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { FlattenedJWS, JWK } from "jose";
import type { ExternalAccount } from "./acme-settings.js";

const ALGORITHM = "ES256";

/** Loaded with the first exchange: a recorder that asks no authority never loads it. */
async function library() {
  return await import("jose");
}

/** The key of an account: signs all that is sent to the authority (RFC 8555, 6.2). */
export class AccountKey {
  readonly #key: KeyObject;

  private constructor(key: KeyObject) {
    this.#key = key;
  }

  static async create(): Promise<AccountKey> {
    const { privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
    return new AccountKey(privateKey);
  }

  /** Throws if it is none. */
  static read(pem: string): AccountKey {
    return new AccountKey(createPrivateKey(pem));
  }

  get pem(): string {
    return this.#key.export({ format: "pem", type: "pkcs8" }).toString();
  }

  async publicKey(): Promise<JWK> {
    return await (await library()).exportJWK(createPublicKey(this.#key));
  }

  /** Of the public key (RFC 7638), for challenges. */
  async thumbprint(): Promise<string> {
    return await (await library()).calculateJwkThumbprint(await this.publicKey());
  }

  /** A signed request. `accountUrl`: undefined where the account is not known yet. `payload`: undefined to read only. */
  async sign(
    payload: unknown,
    {
      url,
      nonce,
      accountUrl,
    }: { readonly url: string; readonly nonce: string; readonly accountUrl: string | undefined },
  ): Promise<FlattenedJWS> {
    const { FlattenedSign } = await library();
    const signer = accountUrl === undefined ? { jwk: await this.publicKey() } : { kid: accountUrl };
    return await new FlattenedSign(bytesOf(payload))
      .setProtectedHeader({ alg: ALGORITHM, nonce, url, ...signer })
      .sign(this.#key);
  }

  /** Proves that the owner of this key has an account with the authority already (RFC 8555, 7.3.4). */
  async bind({ keyId, hmacKey }: ExternalAccount, url: string): Promise<FlattenedJWS> {
    const { FlattenedSign } = await library();
    return await new FlattenedSign(bytesOf(await this.publicKey()))
      .setProtectedHeader({ alg: "HS256", kid: keyId, url })
      .sign(Buffer.from(hmacKey, "base64url"));
  }
}

function bytesOf(payload: unknown): Uint8Array {
  return Buffer.from(payload === undefined ? "" : JSON.stringify(payload));
}
