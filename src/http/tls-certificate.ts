import { chmod, mkdir, open, readFile, rename } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { Log } from "../base/index.js";

const VALID_YEARS = 10;
/** A machine without a battery-backed clock may start in 1970: the certificate is valid from this time at the latest. */
const NOT_BEFORE = new Date("2025-01-01T00:00:00Z");
const FILE_MODE_PRIVATE = 0o600;
const FILE_MODE_PUBLIC = 0o644;

export interface CertificateFiles {
  readonly keyFile: string;
  readonly certificateFile: string;
}

/** Where the certificate of the data directory lies. */
export function ownCertificateFiles(dataDir: string): CertificateFiles {
  return {
    keyFile: join(dataDir, "tls", "key.pem"),
    certificateFile: join(dataDir, "tls", "certificate.pem"),
  };
}

/**
 * Replaces the certificate of the data directory. HTTPS that sees the new key and the old certificate keeps what it has, and
 * looks again.
 */
export async function writeCertificate(
  dataDir: string,
  { certificate, key }: { readonly certificate: string; readonly key: string },
): Promise<CertificateFiles> {
  const files = ownCertificateFiles(dataDir);
  await mkdir(dirname(files.keyFile), { recursive: true, mode: 0o700 });
  await writeWhole(files.keyFile, key, FILE_MODE_PRIVATE);
  await writeWhole(files.certificateFile, certificate, FILE_MODE_PUBLIC);
  return files;
}

/**
 * The self-signed certificate of the data directory (`tls/certificate.pem`, `tls/key.pem`), created at the first start. Only
 * the service can read the key. Rejects if the directory cannot be written.
 */
export async function ensureSelfSigned(
  dataDir: string,
  options: { readonly address: string; readonly log: Log },
): Promise<CertificateFiles> {
  const files = ownCertificateFiles(dataDir);
  if ((await isWhole(files.keyFile)) && (await isWhole(files.certificateFile))) return files;
  await writeCertificate(dataDir, await generatePem(options.address));
  options.log.info({ file: files.certificateFile }, "self-signed certificate created for HTTPS");
  return files;
}

async function generatePem(address: string): Promise<{ key: string; certificate: string }> {
  // Loaded only when a certificate is created, because it loads two dozen modules.
  const { generate } = await import("selfsigned");
  const name = hostname();
  const notAfterDate = new Date(Math.max(Date.now(), NOT_BEFORE.getTime()));
  notAfterDate.setUTCFullYear(notAfterDate.getUTCFullYear() + VALID_YEARS);
  const made = await generate([{ name: "commonName", value: name }], {
    keyType: "rsa",
    keySize: 2048,
    algorithm: "sha256",
    notBeforeDate: NOT_BEFORE,
    notAfterDate,
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: name },
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
          { type: 7, ip: address },
        ],
      },
    ],
  });
  return { key: made.private, certificate: made.cert };
}

async function isWhole(file: string): Promise<boolean> {
  try {
    return (await readFile(file, "utf8")).includes("-----END ");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Writes a temporary file and renames it, so that a power cut leaves either the old or the new file. */
async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const beside = `${file}.new`;
  const handle = await open(beside, "w", mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(beside, mode);
  await rename(beside, file);
}
