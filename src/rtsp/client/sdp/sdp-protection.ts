import type { MediaDescription, SessionDescription } from "sdp-transform";
import { type CryptoAttribute, type SrtpKey, srtpKeysOf } from "../../rtp/srtp-keys.js";

/**
 * The keys that a section names in its lines (RFC 4568), or where it has none the description for all; undefined: its packets are not
 * protected. Empty: none can be used.
 */
export function keysOf(session: SessionDescription, media: MediaDescription): SrtpKey[] | undefined {
  return isProtected(media) ? srtpKeysOf(cryptoOf(session, media)) : undefined;
}

/** Why the keys of a protected section cannot be used, in an installer's words; empty: it is not protected. */
export function protectionText(session: SessionDescription, media: MediaDescription): string {
  if (!isProtected(media)) return "";
  if (cryptoOf(session, media).length > 0) return "with SRTP keys that are not supported";
  // Lines that the parser does not know (RFC 4567, 3.1).
  const other = [...(media.invalid ?? []), ...(session.invalid ?? [])].map(({ value }) => value);
  if (other.some((line) => /^key-mgmt:\s*mikey\b/i.test(line)))
    return "with SRTP keys by MIKEY, which is not supported";
  const isAgreedOn = /TLS/i.test(String(media.protocol)) || media.fingerprint !== undefined;
  return isAgreedOn || session.fingerprint !== undefined
    ? "with SRTP keys by DTLS, which is not supported"
    : "with SRTP and without keys";
}

function isProtected(media: MediaDescription): boolean {
  return /SAVP/i.test(String(media.protocol ?? ""));
}

function cryptoOf(session: SessionDescription, media: MediaDescription): CryptoAttribute[] {
  // The parser reads the same lines of the whole description, and its types do not say so.
  const ofAll = session as SessionDescription & Pick<MediaDescription, "crypto">;
  return (media.crypto ?? ofAll.crypto ?? []).map(({ suite, config, sessionConfig }) => ({
    suite: String(suite ?? ""),
    keys: String(config ?? ""),
    parameters: String(sessionConfig ?? ""),
  }));
}
