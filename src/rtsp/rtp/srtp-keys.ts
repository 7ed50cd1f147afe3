import { deriveSessionKeys, type SessionKeys, SRTP_SUITES, type SrtpSuite } from "./srtp-suite.js";

/** Most keys of one track that are tried: alternatives that a camera offers, and those that it changes between. */
const KEYS_MAX = 8;
const MKI_BYTES_MAX = 16;
/** Parameters that change nothing of how a packet is opened. */
const KNOWN_PARAMETERS = /^(?:KDR=0|WSH=\d{1,9}|UNENCRYPTED_SRTCP|-.*)$/i;

/** A master key of a track (RFC 4568), as the session keys that come of it. It writes nothing of itself. */
export class SrtpKey {
  readonly suite: SrtpSuite;
  /** The master key identifier in packets of this key; empty: none. */
  readonly identifier: Buffer;
  readonly #rtp: SessionKeys;
  readonly #rtcp: SessionKeys;

  /** `master`: key and salt, as long as the suite says. */
  constructor(suite: SrtpSuite, master: Buffer, identifier: Buffer = Buffer.alloc(0)) {
    const { keyBytes, saltBytes } = suite;
    if (master.length !== keyBytes + saltBytes)
      throw new RangeError(`a key of ${suite.name} has ${keyBytes + saltBytes} bytes`);
    this.suite = suite;
    this.identifier = identifier;
    const parts = { key: master.subarray(0, keyBytes), salt: master.subarray(keyBytes) };
    this.#rtp = deriveSessionKeys(suite, parts, "rtp");
    this.#rtcp = deriveSessionKeys(suite, parts, "rtcp");
  }

  session(use: "rtp" | "rtcp"): SessionKeys {
    return use === "rtp" ? this.#rtp : this.#rtcp;
  }
}

export interface CryptoAttribute {
  /** Name of the suite. */
  readonly suite: string;
  /** `inline:key|lifetime|MKI:length`, several joined by semicolons. */
  readonly keys: string;
  /** Parameters of the session, joined by spaces. */
  readonly parameters: string;
}

/**
 * The keys of a media section's `a=crypto` lines, in their order. A line is left out whose suite or parameters are not known: a
 * parameter that is not known may say that packets are not encrypted, or how (RFC 4568, 6.3.7).
 */
export function srtpKeysOf(attributes: readonly CryptoAttribute[]): SrtpKey[] {
  const keys: SrtpKey[] = [];
  const others: SrtpKey[] = [];
  for (const { suite: name, keys: text, parameters } of attributes) {
    const suite = suiteOf(name);
    const isKnown = parameters.split(/\s+/).every((one) => one === "" || KNOWN_PARAMETERS.test(one));
    if (suite === undefined || !isKnown) continue;
    for (const part of text.split(";")) {
      const key = inlineKey(suite, part.trim());
      if (key === undefined || keys.length >= KEYS_MAX) continue;
      keys.push(new SrtpKey(suite, key.master, key.identifier));
      others.push(...likeKeys(suite, key));
    }
  }
  return [...keys, ...others].slice(0, Math.max(keys.length, KEYS_MAX));
}

interface InlineKey {
  readonly master: Buffer;
  readonly identifier: Buffer | undefined;
}

/** What cameras do otherwise than they announce: packets without the identifier, and with the longer tag. The tag shows which is so. */
function likeKeys(suite: SrtpSuite, { master, identifier }: InlineKey): SrtpKey[] {
  const { mode, keyBytes, rtpTagBytes } = suite;
  const longer = SRTP_SUITES.find(
    (one) => one.mode === mode && one.keyBytes === keyBytes && one.rtpTagBytes > rtpTagBytes,
  );
  return [
    ...(identifier === undefined ? [] : [new SrtpKey(suite, master)]),
    ...(longer === undefined ? [] : [new SrtpKey(longer, master, identifier)]),
  ];
}

/** By its name (RFC 4568, 6188, 7714), or with its parts in the order of those of 128 bits, as many write it. */
function suiteOf(name: string): SrtpSuite | undefined {
  const asNamed = name.toUpperCase().replace(/^AES_CM_(192|256)_/, "AES_$1_CM_");
  return SRTP_SUITES.find((known) => known.name === asNamed);
}

/** The lifetime is the camera's matter: nothing is protected with the key for longer than a session lasts. */
function inlineKey(suite: SrtpSuite, text: string): InlineKey | undefined {
  const match = /^inline:([A-Za-z0-9+/_-]{16,120}={0,2})((?:\|[^|]*){0,2})$/i.exec(text);
  if (match === null) return undefined;
  const [, base64 = "", rest = ""] = match;
  const master = Buffer.from(base64, "base64");
  if (master.length !== suite.keyBytes + suite.saltBytes) return undefined;
  // Behind the lifetime, or before it.
  const identified = /\|(\d{1,10}):(\d{1,3})(?:$|\|)/.exec(rest);
  if (identified === null) return rest.includes(":") ? undefined : { master, identifier: undefined };
  const [value, byteLength] = [Number(identified[1]), Number(identified[2])];
  if (byteLength < 1 || byteLength > MKI_BYTES_MAX) return undefined;
  const hex = value.toString(16).padStart(2 * byteLength, "0");
  return hex.length > 2 * byteLength ? undefined : { master, identifier: Buffer.from(hex, "hex") };
}
