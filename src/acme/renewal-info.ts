import { X509Certificate } from "node:crypto";
import { US_PER_MS } from "../base/index.js";
import type { AcmeClient } from "./acme-client.js";
import { retryAfterMs } from "./acme-error.js";
import { readObject } from "./acme-objects.js";
import { type RenewalWindow, WINDOW_LOOK_US } from "./renewal-time.js";

const AUTHORITY_KEY_ID = "2.5.29.35";

/** How RFC 9773 (4.1) names a certificate; undefined for one that does not say which key has signed it. */
export async function renewalId(pem: string): Promise<string | undefined> {
  const { AuthorityKeyIdentifierExtension, X509Certificate: Parsed } = await import("@peculiar/x509");
  const extension = new Parsed(pem).getExtension(AUTHORITY_KEY_ID);
  if (!(extension instanceof AuthorityKeyIdentifierExtension) || extension.keyId === undefined)
    return undefined;
  const serial = serialOf(new X509Certificate(pem));
  return `${Buffer.from(extension.keyId, "hex").toString("base64url")}.${serial.toString("base64url")}`;
}

/** The number's bytes as DER has them: one of zeros goes before a high bit. */
function serialOf({ serialNumber }: X509Certificate): Buffer {
  const even = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
  const bytes = Buffer.from(even, "hex");
  return (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.alloc(1), bytes]);
}

/** When the authority wants it renewed, and when to ask again; undefined where it does not say such things. */
export async function readRenewalWindow(
  client: AcmeClient,
  id: string,
  nowUs: number,
): Promise<{ readonly window: RenewalWindow; readonly lookUs: number } | undefined> {
  const { renewalInfo } = await client.directory();
  if (renewalInfo === undefined) return undefined;
  const answer = await client.get(`${renewalInfo.replace(/\/$/, "")}/${id}`);
  const { start, end } = readObject("renewalInfo", answer).suggestedWindow;
  const { least, usual, most } = WINDOW_LOOK_US;
  const askedMs = retryAfterMs(answer, nowUs);
  const askedUs = askedMs === undefined ? usual : askedMs * US_PER_MS;
  return {
    window: { startUs: Date.parse(start) * US_PER_MS, endUs: Date.parse(end) * US_PER_MS },
    lookUs: nowUs + Math.min(most, Math.max(least, askedUs)),
  };
}
