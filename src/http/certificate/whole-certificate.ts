import { sign, verify, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { namesAuthority } from "./own-authority.js";
import type { KeyAndCertificate } from "./tls-certificate.js";

/* What a damaged file, or a power cut between the two files of a pair, leaves. Messages are not shown: they may quote a key. */

/** Whether TLS can use them together, and nothing in the certificate was altered since `authority` signed it, if it did. */
export function isUsable(pair: KeyAndCertificate, authority: KeyAndCertificate | undefined): boolean {
  return holds(() => {
    createSecureContext({ key: pair.key, cert: pair.certificate });
    const leaf = new X509Certificate(pair.certificate);
    const isSigned = authority === undefined || !isNamed(leaf, authority) || isSignedBy(pair, authority);
    return isSigned && isKeyOf(pair.key, leaf);
  });
}

/** Whether it can sign, and nothing in it was altered. */
export function isWholeAuthority({ key, certificate }: KeyAndCertificate): boolean {
  return holds(() => {
    const own = new X509Certificate(certificate);
    return isKeyOf(key, own) && own.verify(own.publicKey);
  });
}

export function isSignedBy(present: KeyAndCertificate, authority: KeyAndCertificate): boolean {
  const { publicKey } = new X509Certificate(authority.certificate);
  return new X509Certificate(present.certificate).verify(publicKey);
}

/** Whether the recorder made it: by what it says, not by its signature. Without an authority by how the name of one looks. */
export function isOwn(present: KeyAndCertificate, authority: KeyAndCertificate | undefined): boolean {
  const leaf = new X509Certificate(present.certificate);
  return authority === undefined ? namesAuthority(leaf) : isNamed(leaf, authority);
}

/** By a trial: the file of a key also holds the public one, which is whole where the key itself is not. */
function isKeyOf(key: string, { publicKey }: X509Certificate): boolean {
  const tried = Buffer.from("a trial");
  return verify(null, tried, publicKey, sign(null, tried, key));
}

function isNamed({ issuer }: X509Certificate, authority: KeyAndCertificate): boolean {
  return issuer === new X509Certificate(authority.certificate).subject;
}

function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    // What cannot be read is not whole.
    return false;
  }
}
