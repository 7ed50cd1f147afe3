import { createHash, randomBytes, X509Certificate } from "node:crypto";

const TOKEN_BYTES = 16;
const CODE =
  /^nvrd-(hub|box):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})\/([A-Za-z0-9_-]{43})\/([A-Za-z0-9_-]{22})$/;
const PORT_MAX = 65_535;

/** Whom a code leads to: a hub, or another recorder. */
export type CodeOf = "hub" | "box";

/** What the owner of a box carries from a hub, or from another box, to the box. */
export interface JoinCode {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** SHA-256 of a certificate, base64url: of the hub's authority, or of the other box. */
  readonly authorityHash: string;
  readonly token: string;
}

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** `nvrd-hub://host:port/hash/token`, or `nvrd-box://…`. */
export function codeText(of: CodeOf, { host, port, authorityHash, token }: JoinCode): string {
  return `nvrd-${of}://${host.includes(":") ? `[${host}]` : host}:${port}/${authorityHash}/${token}`;
}

/** Undefined: it is none of these. White space around it is ignored. */
export function readCode(of: CodeOf, text: string): JoinCode | undefined {
  const [, found, host = "", port = "", authorityHash = "", token = ""] = CODE.exec(text.trim()) ?? [];
  if (found !== of || Number(port) < 1 || Number(port) > PORT_MAX) return undefined;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port), authorityHash, token };
}

/** Of a certificate in PEM or DER, as codes have it. */
export function certificateHash(certificate: string | Uint8Array): string {
  const der = typeof certificate === "string" ? new X509Certificate(certificate).raw : certificate;
  return createHash("sha256").update(der).digest("base64url");
}
