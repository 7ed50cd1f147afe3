import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIPv6 } from "node:net";
import { createSecureContext } from "node:tls";
import ipaddr from "ipaddr.js";
import { errorText, NvrdError, readPlain, US_PER_DAY, US_PER_MS } from "../../base/index.js";
import {
  type CertificateFiles,
  type KeyAndCertificate,
  PEM_BYTES_MAX,
  writeKeyAndCertificate,
} from "./tls-certificate.js";

/** What a certificate says. */
export interface CertificateFacts {
  /** `CN=nvr.example.org`. */
  readonly subject: string;
  readonly issuer: string;
  /** Names and addresses that it is for. */
  readonly names: readonly string[];
  /** Unix µs. */
  readonly validFromUs: number;
  readonly validToUs: number;
  /** SHA-256, as browsers show it. */
  readonly fingerprint: string;
  readonly isSelfSigned: boolean;
}

/** How far behind the clock of a recorder may be when it gets a certificate that was just made. */
const CLOCK_ERROR_US_MAX = US_PER_DAY;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/;

/** The certificate that HTTPS shows. Rejects with NvrdError NOT_AVAILABLE if its file cannot be read. */
export async function readCertificate({ certificateFile }: CertificateFiles): Promise<{
  readonly facts: CertificateFacts;
  /** The certificate and those that sign it; never the key. */
  readonly pem: string;
}> {
  try {
    const text = (await readPlain(certificateFile, PEM_BYTES_MAX)).toString("utf8");
    const pem = [...text.matchAll(new RegExp(CERTIFICATE, "g"))].map(([one]) => `${one}\n`).join("");
    return { facts: factsOf(new X509Certificate(pem)), pem };
  } catch (error) {
    throw new NvrdError("NOT_AVAILABLE", `the certificate cannot be read: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/**
 * Puts another certificate in place of the data directory's; HTTPS uses it within ten seconds. Rejects with NvrdError BAD_REQUEST
 * if certificate and key cannot be used, and changes nothing then.
 */
export async function replaceCertificate(
  files: CertificateFiles,
  { certificate, key }: KeyAndCertificate,
  nowUs: number,
): Promise<CertificateFacts> {
  const leaf = parsedCertificate(certificate);
  const facts = factsOf(leaf);
  if (facts.validToUs <= nowUs) throw refused("the certificate has expired");
  if (facts.validFromUs > nowUs + CLOCK_ERROR_US_MAX)
    throw refused("the certificate is not valid yet: look at its dates and at the clock of the recorder");
  if (!isKeyOf(leaf, key)) throw refused("the key is not that of the certificate");
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    throw refused(`TLS cannot use it: ${errorText(error)}`);
  }
  await writeKeyAndCertificate(files, { certificate, key });
  return facts;
}

function parsedCertificate(text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw refused("there is no certificate in PEM in it, which begins with -----BEGIN CERTIFICATE-----");
  }
}

function isKeyOf(certificate: X509Certificate, text: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(text));
  } catch {
    // The library's message may quote the key.
    throw refused("the key is none in PEM without a password");
  }
}

/** What a certificate says of itself. */
export function factsOf(certificate: X509Certificate): CertificateFacts {
  const { subject, issuer, subjectAltName = "", validFrom, validTo, fingerprint256 } = certificate;
  // Node has undefined for an empty name, which its types do not show.
  const oneLine = (text: string | undefined) => (text ?? "").split("\n").join(", ");
  return {
    subject: oneLine(subject),
    issuer: oneLine(issuer),
    names: subjectAltName
      .split(", ")
      .map((name) => shortName(name.replace(/^(?:DNS|IP Address):/, "")))
      .filter((name) => name !== ""),
    validFromUs: Date.parse(validFrom) * US_PER_MS,
    validToUs: Date.parse(validTo) * US_PER_MS,
    fingerprint: fingerprint256,
    isSelfSigned: subject === issuer,
  };
}

/** OpenSSL writes all eight groups of an IPv6 address; RFC 5952 section 4 has the short form. */
function shortName(name: string): string {
  return isIPv6(name) ? ipaddr.parse(name).toString() : name;
}

function refused(reason: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `the certificate is not taken: ${reason}`, { hint: "" });
}
