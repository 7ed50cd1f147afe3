import { MASK } from "./redact-url.js";

/** Shorter secrets are not looked for in Base64: they occur in every text that decodes to anything. */
const ENCODED_LENGTH_MIN = 4;
/** What may be Base64, in its alphabet or in that of addresses. */
const BASE64_RUN = /[A-Za-z0-9+/_-]{6,}={0,2}/g;

/**
 * What another host said, without the secrets that it was sent: servers repeat what they refuse. They stand there as they are, as a
 * part of an address or of JSON, or in Base64, alone or with what else was encoded (`\0login\0password` of SMTP, `login:password`).
 */
export function withoutSecret(text: string, ...secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets.filter((one) => one !== ""))
    for (const spelling of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      shown = shown.replaceAll(spelling, MASK);
  const encoded = secrets.filter(({ length }) => length >= ENCODED_LENGTH_MIN);
  if (encoded.length === 0) return shown;
  return shown.replace(BASE64_RUN, (run) => (holds(run, encoded) ? MASK : run));
}

/** A run may have begun with letters that are no Base64, so each place within four is tried. */
function holds(run: string, secrets: readonly string[]): boolean {
  return [0, 1, 2, 3].some((from) => {
    const decoded = Buffer.from(run.slice(from), "base64").toString("utf8");
    return secrets.some((secret) => decoded.includes(secret));
  });
}
