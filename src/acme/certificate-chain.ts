import { createPrivateKey, X509Certificate } from "node:crypto";
import { US_PER_HOUR, US_PER_MS } from "../base/index.js";
import { AcmeFailure } from "./acme-problem.js";

const CHAIN_MAX = 8;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+?-----END CERTIFICATE-----/g;
/** The clock of the authority may be ahead. */
const EARLY_US_MAX = US_PER_HOUR;

/**
 * The certificates of an answer in PEM, without anything between them, if they are what was asked for: the first is of this key and
 * for these names, and each is signed by the next. Throws AcmeFailure otherwise.
 */
export function checkedChain(
  text: string,
  wanted: { readonly key: string; readonly names: readonly string[]; readonly nowUs: number },
): string {
  const pems = text.match(CERTIFICATE) ?? [];
  if (pems.length > CHAIN_MAX) throw unfit(`it has ${pems.length} certificates`);
  const chain = pems.map(parsed);
  const [leaf] = chain;
  if (leaf === undefined) throw unfit("there is none in its answer");
  if (!leaf.checkPrivateKey(createPrivateKey(wanted.key))) throw unfit("it is for another key");
  const missing = wanted.names.filter((name) => leaf.checkHost(name, { wildcards: false }) === undefined);
  if (missing.length > 0) throw unfit(`it is not for ${missing.join(", ")}`);
  requireTime(leaf, wanted.nowUs);
  chain.forEach((one, index) => {
    const signer = chain[index + 1];
    if (signer !== undefined && !(one.checkIssued(signer) && one.verify(signer.publicKey)))
      throw unfit(`certificate ${index + 2} of its chain has not signed the one before`);
  });
  return pems.map((pem) => `${pem}\n`).join("");
}

function requireTime({ validFrom, validTo }: X509Certificate, nowUs: number): void {
  const [fromUs, toUs] = [Date.parse(validFrom) * US_PER_MS, Date.parse(validTo) * US_PER_MS];
  if (nowUs >= fromUs - EARLY_US_MAX && nowUs < toUs) return;
  throw unfit(`it is valid from ${validFrom} to ${validTo} only`);
}

function parsed(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new AcmeFailure("CertificateUnfit", "the certificate it gave is none", { cause });
  }
}

function unfit(why: string): AcmeFailure {
  return new AcmeFailure("CertificateUnfit", `the certificate it gave does not fit: ${why}`);
}
