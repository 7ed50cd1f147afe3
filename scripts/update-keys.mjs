/**
 * The keys that sign updates. NVRD_UPDATE_KEY, NVRD_UPDATE_CERT and NVRD_UPDATE_KEYRING name those of a release (PEM files;
 * the key may be a PKCS#11 URI). Without them a development key is made, once, in build/update-keys, which git does not
 * see: bundles signed with it install only on images built in this checkout.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A development key outlives the boxes on a desk. */
const DAYS = 7300;

/**
 * @param root The checkout.
 * @returns Paths: `key` and `cert` sign, `keyring` is what an image trusts; `isDevelopment`: made here.
 * Throws when only some of the variables are given.
 */
export function updateKeys(root, env = process.env) {
  const given = [env.NVRD_UPDATE_KEY, env.NVRD_UPDATE_CERT, env.NVRD_UPDATE_KEYRING];
  if (given.every((value) => value !== undefined)) {
    const [key, cert, keyring] = given;
    return { key, cert, keyring, isDevelopment: false };
  }
  if (given.some((value) => value !== undefined))
    throw new Error("give NVRD_UPDATE_KEY, NVRD_UPDATE_CERT and NVRD_UPDATE_KEYRING, or none of them");
  const directory = join(root, "build", "update-keys");
  if (!existsSync(join(directory, "keyring.pem"))) makeUpdateKeys(directory, "nvrd development");
  return {
    key: join(directory, "key.pem"),
    cert: join(directory, "cert.pem"),
    keyring: join(directory, "keyring.pem"),
    isDevelopment: true,
  };
}

/** Makes a certificate authority, which is the keyring, and a signer of it. Its key is deleted, so that it signs nothing else. */
export function makeUpdateKeys(directory, name) {
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  const file = (part) => join(unfinished, part);
  const openssl = (...args) => execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  const subject = (role) => `/O=${name}/CN=${name} ${role}`;
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  writeFileSync(
    file("signer.cnf"),
    "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n",
  );
  openssl(
    ...["req", "-x509", ...newKey, "-keyout", file("ca-key.pem"), "-out", file("keyring.pem")],
    ...["-days", `${DAYS}`, "-subj", subject("updates")],
    ...["-addext", "keyUsage=critical,keyCertSign"],
  );
  openssl(
    "req",
    ...newKey,
    "-keyout",
    file("key.pem"),
    "-out",
    file("signer.csr"),
    "-subj",
    subject("signer"),
  );
  openssl(
    ...["x509", "-req", "-in", file("signer.csr"), "-CA", file("keyring.pem"), "-CAkey", file("ca-key.pem")],
    ...["-CAcreateserial", "-days", `${DAYS}`, "-extfile", file("signer.cnf"), "-out", file("cert.pem")],
  );
  for (const part of ["ca-key.pem", "signer.csr", "signer.cnf"]) rmSync(file(part));
  chmodSync(file("key.pem"), 0o600);
  rmSync(directory, { recursive: true, force: true });
  renameSync(unfinished, directory);
}
