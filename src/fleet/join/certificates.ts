import { X509Certificate } from "node:crypto";
import { errorText, type Guid, NvrdError } from "../../base/index.js";
import {
  CERTIFICATE_ALGORITHM,
  certificateLibrary,
  createKeys,
  type KeyAndCertificate,
  pemOf,
  pemOfKey,
  signingKey,
} from "../../http/index.js";
import { HUB_NAME } from "./hub-name.js";

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 20 * 365;
const HUB_DAYS = 400;
const BOX_DAYS = 90;
/** A certificate is made anew so long before its end. */
export const RENEWED_BEFORE_MS = 30 * DAY_MS;
/** The clocks of those who look may be behind. */
const EARLIER_MS = DAY_MS;

/** An authority of a hub: it signs the certificates of this hub and of its boxes, and who asks through the hub. For twenty years. */
export async function createHubAuthority(nowMs: number): Promise<KeyAndCertificate> {
  const x509 = await certificateLibrary();
  const keys = await createKeys();
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: ["nvrd hub"] }],
    keys,
    signingAlgorithm: CERTIFICATE_ALGORITHM,
    ...validity(nowMs, AUTHORITY_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(made), key: await pemOfKey(keys.privateKey) };
}

/** What a hub shows its boxes and other hubs, with the authority's certificate behind it. */
export async function createHubCertificate(
  authority: KeyAndCertificate,
  nowMs: number,
): Promise<KeyAndCertificate> {
  const x509 = await certificateLibrary();
  const keys = await createKeys();
  const made = await x509.X509CertificateGenerator.create({
    ...(await signedBy(authority)),
    subject: [{ CN: [HUB_NAME] }],
    publicKey: keys.publicKey,
    ...validity(nowMs, HUB_DAYS),
    extensions: [
      ...(await endExtensions(authority, [
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth,
      ])),
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: HUB_NAME }]),
    ],
  });
  return { certificate: `${pemOf(made)}${authority.certificate}`, key: await pemOfKey(keys.privateKey) };
}

/**
 * A certificate (PEM) for the key of a request (PKCS#10, DER), in the name of the box and of nobody else, whatever the request says.
 * Rejects with NvrdError BAD_REQUEST if the request is not signed by its own key.
 */
export async function createBoxCertificate(
  authority: KeyAndCertificate,
  { request, boxId, nowMs }: { readonly request: Uint8Array; readonly boxId: Guid; readonly nowMs: number },
): Promise<string> {
  const x509 = await certificateLibrary();
  const publicKey = await keyOf(request);
  const made = await x509.X509CertificateGenerator.create({
    ...(await signedBy(authority)),
    subject: [{ CN: [boxId] }],
    publicKey,
    ...validity(nowMs, BOX_DAYS),
    extensions: await endExtensions(authority, [x509.ExtendedKeyUsage.clientAuth]),
  });
  return pemOf(made);
}

/**
 * What a box shows other boxes, which know it by the hash of its certificate and trust nobody else: self-signed, for twenty years,
 * because a clock that is not set must not part them.
 */
export async function createPartnerCertificate(boxId: Guid, nowMs: number): Promise<KeyAndCertificate> {
  const x509 = await certificateLibrary();
  const keys = await createKeys();
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [boxId] }],
    keys,
    signingAlgorithm: CERTIFICATE_ALGORITHM,
    ...validity(nowMs, AUTHORITY_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([serverAuth, clientAuth]),
    ],
  });
  return { certificate: pemOf(made), key: await pemOfKey(keys.privateKey) };
}

/** When a certificate (PEM) is to be made anew, Unix ms. */
export function renewalMs(certificate: string): number {
  return Date.parse(new X509Certificate(certificate).validTo) - RENEWED_BEFORE_MS;
}

async function keyOf(request: Uint8Array) {
  const x509 = await certificateLibrary();
  try {
    const read = new x509.Pkcs10CertificateRequest(new Uint8Array(request));
    if (await read.verify()) return read.publicKey;
  } catch (error) {
    throw badRequest(errorText(error));
  }
  throw badRequest("its signature is not that of its key");
}

function badRequest(reason: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `the request for a certificate cannot be read: ${reason}`, {
    hint: "",
  });
}

async function signedBy(authority: KeyAndCertificate) {
  const x509 = await certificateLibrary();
  return {
    issuer: new x509.X509Certificate(authority.certificate).subjectName,
    signingKey: await signingKey(authority.key),
    signingAlgorithm: CERTIFICATE_ALGORITHM,
  };
}

/** Of a certificate that signs no other one. */
async function endExtensions(authority: KeyAndCertificate, usages: string[]) {
  const x509 = await certificateLibrary();
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension(usages),
    await x509.AuthorityKeyIdentifierExtension.create(
      new x509.X509Certificate(authority.certificate).publicKey,
    ),
  ];
}

function validity(nowMs: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(nowMs - EARLIER_MS), notAfter: new Date(nowMs - EARLIER_MS + days * DAY_MS) };
}
