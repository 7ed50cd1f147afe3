import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readSmallFileLater, replaceSmallFile } from "../../base/index.js";

const FILE_MODE_PRIVATE = 0o600;
const FILE_MODE_PUBLIC = 0o644;
/** A chain has some kilobytes. */
export const PEM_BYTES_MAX = 1024 * 1024;

export interface CertificateFiles {
  readonly keyFile: string;
  readonly certificateFile: string;
}

/** Both in PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** Where the certificate of the data directory lies. */
export function ownCertificateFiles(dataDir: string): CertificateFiles {
  return {
    keyFile: join(dataDir, "tls", "key.pem"),
    certificateFile: join(dataDir, "tls", "certificate.pem"),
  };
}

/** Where the recorder's own authority lies, which signs that certificate. */
export function authorityFiles(dataDir: string): CertificateFiles {
  return {
    keyFile: join(dataDir, "tls", "authority-key.pem"),
    certificateFile: join(dataDir, "tls", "authority.pem"),
  };
}

/** Undefined if one of them is not there, or not whole. Rejects if they cannot be read. */
export async function readKeyAndCertificate(files: CertificateFiles): Promise<KeyAndCertificate | undefined> {
  const [key, certificate] = [await readWhole(files.keyFile), await readWhole(files.certificateFile)];
  return key === undefined || certificate === undefined ? undefined : { key, certificate };
}

/**
 * Replaces both. HTTPS that sees the new key and the old certificate keeps what it has, and looks again. Only the service can
 * read the key.
 */
export async function writeKeyAndCertificate(
  files: CertificateFiles,
  { certificate, key }: KeyAndCertificate,
): Promise<void> {
  await mkdir(dirname(files.keyFile), { recursive: true, mode: 0o700 });
  await replaceSmallFile(files.keyFile, key, FILE_MODE_PRIVATE);
  await replaceSmallFile(files.certificateFile, certificate, FILE_MODE_PUBLIC);
}

/** Keeps what is there beside its place; a former one that was kept so is removed. */
export async function setAside({ keyFile, certificateFile }: CertificateFiles): Promise<void> {
  for (const file of [keyFile, certificateFile]) {
    const beside = `${file}.damaged`;
    await rm(beside, { recursive: true, force: true });
    await rename(file, beside).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

async function readWhole(file: string): Promise<string | undefined> {
  const text = await readSmallFileLater(file, PEM_BYTES_MAX);
  return text?.includes("-----END ") === true ? text : undefined;
}
