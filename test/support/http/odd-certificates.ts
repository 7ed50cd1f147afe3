import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A key and the certificates that are shown with it, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** What cameras show. Each makes its certificate in a directory of its own. */
export const ODD_CERTIFICATES = {
  "of 1024 bits, signed with SHA-1": (directory) => selfSigned(directory, ["-newkey", "rsa:1024", "-sha1"]),
  "of 768 bits, signed with MD5": (directory) => selfSigned(directory, ["-newkey", "rsa:768", "-md5"]),
  "of an elliptic curve": (directory) =>
    selfSigned(directory, ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
  "of Ed25519": (directory) => selfSigned(directory, ["-newkey", "ed25519"]),
  "that has expired": (directory) => signedByAuthority(directory, ["20150101000000Z", "20160101000000Z"]),
  "that is not valid yet": (directory) =>
    signedByAuthority(directory, ["20400101000000Z", "20410101000000Z"]),
  "of another name": (directory) =>
    selfSigned(directory, ["-newkey", "rsa:2048", "-addext", "subjectAltName=DNS:elsewhere.example"]),
  "of an authority of its own, with the chain": (directory) => signedByAuthority(directory),
} as const satisfies Readonly<Record<string, (directory: string) => Certificate>>;

export function selfSigned(directory: string, how: readonly string[]): Certificate {
  const { keyFile, certFile } = filesIn(directory, "camera");
  const subject = ["-nodes", "-subj", "/CN=camera", "-keyout", keyFile, "-out", certFile];
  openssl(["req", "-x509", ...subject, ...how]);
  return { key: text(keyFile), cert: text(certFile) };
}

/** `times`: of its validity, as ASN.1 has them. */
function signedByAuthority(directory: string, times?: readonly [from: string, to: string]): Certificate {
  const authority = filesIn(directory, "authority");
  const { keyFile, certFile } = filesIn(directory, "camera");
  const request = join(directory, "request.pem");
  const newKey = (file: string): string[] => ["-newkey", "rsa:2048", "-nodes", "-keyout", file];
  openssl([
    ...["req", "-x509", "-subj", "/CN=maker"],
    ...[...newKey(authority.keyFile), "-out", authority.certFile],
  ]);
  openssl(["req", "-subj", "/CN=camera", ...newKey(keyFile), "-out", request]);
  const issuer = ["-cert", authority.certFile, "-keyfile", authority.keyFile];
  const validity = times === undefined ? ["-days", "1"] : ["-startdate", times[0], "-enddate", times[1]];
  const place = ["-outdir", directory, "-config", authorityRules(directory)];
  openssl(["ca", "-batch", "-notext", ...issuer, ...validity, ...place, "-in", request, "-out", certFile]);
  return { key: text(keyFile), cert: text(certFile) + text(authority.certFile) };
}

function authorityRules(directory: string): string {
  const file = join(directory, "authority.cnf");
  const database = join(directory, "database");
  execFileSync("touch", [database]);
  const rules = [
    "[ca]",
    "default_ca=own",
    "[own]",
    `database=${database}`,
    "rand_serial=yes",
    "default_md=sha256",
    "policy=any",
  ];
  writeFileSync(file, [...rules, "[any]", "commonName=supplied", ""].join("\n"));
  return file;
}

function filesIn(directory: string, name: string): { keyFile: string; certFile: string } {
  return { keyFile: join(directory, `${name}.key`), certFile: join(directory, `${name}.crt`) };
}

function openssl(parts: readonly string[]): void {
  execFileSync("openssl", parts, { stdio: "pipe" });
}

function text(file: string): string {
  return readFileSync(file, "utf8");
}
