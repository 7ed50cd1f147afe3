import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

const FILE_MODE_PRIVATE = 0o600;
const FILE_MODE_PUBLIC = 0o644;

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
  await writeWhole(files.keyFile, key, FILE_MODE_PRIVATE);
  await writeWhole(files.certificateFile, certificate, FILE_MODE_PUBLIC);
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
  try {
    const text = await readFile(file, "utf8");
    return text.includes("-----END ") ? text : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
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
