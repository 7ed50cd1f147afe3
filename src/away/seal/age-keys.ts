import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** X25519 keys from their 32 bytes, as age has them. */

/** What PKCS #8 has before the bytes of a private X25519 key (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b656e04220420", "hex");

export function publicKeyOf(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "X25519", x }, format: "jwk" });
}

export function privateKeyOf(raw: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, raw]), format: "der", type: "pkcs8" });
}

/** The public key of a key pair, as its 32 bytes. */
export function rawPublicKey(key: KeyObject): Uint8Array {
  const { x = "" } = createPublicKey(key.export({ type: "pkcs8", format: "pem" })).export({ format: "jwk" });
  return Buffer.from(x, "base64url");
}
