import { createPrivateKey } from "node:crypto";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A new key, and a request for a certificate for it (RFC 2986). */
export interface CertificateRequest {
  /** PEM. */
  readonly key: string;
  /** DER. */
  readonly request: Buffer;
}

/** The key is made anew each time, so that one that leaked is of no use for long. */
export async function requestCertificate(names: readonly string[]): Promise<CertificateRequest> {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await import(
    "@peculiar/x509"
  );
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const made = await Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns" as const, value }))),
    ],
  });
  const exported = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = createPrivateKey({ format: "der", type: "pkcs8", key: exported });
  return {
    key: key.export({ format: "pem", type: "pkcs8" }).toString(),
    request: Buffer.from(made.rawData),
  };
}
