import { createPrivateKey, type webcrypto } from "node:crypto";

/** Of all keys that are made for certificates here. */
export const CERTIFICATE_ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Loaded only when a certificate is made: two dozen modules. */
export async function certificateLibrary() {
  return await import("@peculiar/x509");
}

export async function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await crypto.subtle.generateKey(CERTIFICATE_ALGORITHM, true, ["sign", "verify"]);
}

export async function pemOfKey(key: webcrypto.CryptoKey): Promise<string> {
  const exported = await crypto.subtle.exportKey("pkcs8", key);
  const options = { format: "der", type: "pkcs8", key: Buffer.from(exported) } as const;
  return createPrivateKey(options).export({ format: "pem", type: "pkcs8" }).toString();
}

/** The key of a PEM file, to sign with. */
export async function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const pkcs8 = createPrivateKey(pem).export({ format: "der", type: "pkcs8" });
  return await crypto.subtle.importKey("pkcs8", pkcs8, CERTIFICATE_ALGORITHM, false, ["sign"]);
}

export function pemOf(certificate: { toString(format: "pem"): string }): string {
  return `${certificate.toString("pem").trim()}\n`;
}
