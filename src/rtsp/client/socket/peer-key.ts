import { constants, createHash } from "node:crypto";
import type { ConnectionOptions, TLSSocket } from "node:tls";

/**
 * The identity of a camera over TLS. Cameras have certificates that they made themselves: nothing in them can be checked but that the
 * key is the one from before. A certificate that is renewed with the same key is the same identity.
 */
export interface PeerKey {
  /** SHA-256 of the public key (its SubjectPublicKeyInfo), 64 hexadecimal digits. */
  readonly sha256: string;
}

/**
 * What is asked of a connection to a camera whose certificate is not checked by an authority: ten-year-old cameras have only old TLS
 * versions and short keys, which is still better than no encryption.
 */
export const CAMERA_TLS = {
  rejectUnauthorized: false,
  minVersion: "TLSv1",
  ciphers: "DEFAULT:@SECLEVEL=0",
  // Some know nothing of secure renegotiation (RFC 5746); OpenSSL 3 would not connect to them.
  secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
} as const satisfies ConnectionOptions;

/** Of a connection whose handshake is done; undefined where the peer showed no certificate. */
export function peerKeyOf(socket: TLSSocket): PeerKey | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const { publicKey } = certificate;
  const bytes = publicKey.export({ type: "spki", format: "der" });
  return { sha256: createHash("sha256").update(bytes).digest("hex") };
}
