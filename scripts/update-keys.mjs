/**
 * The keys that sign updates. NVRD_UPDATE_KEY, NVRD_UPDATE_CERT and NVRD_UPDATE_KEYRING name those of a release (PEM files;
 * the key may be a PKCS#11 URI). Without them a development key is made, once, in build/update-keys, which git does not
 * see: bundles signed with it install only on images built in this checkout.
 *
 *     node scripts/update-keys.mjs FOLDER
 *
 * makes keys to keep: a box takes no others as long as it lives. FOLDER/environment sets the three variables.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

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
  console.warn(
    `update-keys: a development key in ${directory} signs, and is what images trust: without that folder such boxes can never be updated ` +
      "again. For boxes to keep: node scripts/update-keys.mjs FOLDER",
  );
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

/** Keys for `NVRD_UPDATE_…`, in a folder that must not be there yet. */
export function makeKeptUpdateKeys(directory) {
  if (existsSync(directory)) throw new Error(`${directory} is there already, and is left as it is`);
  makeUpdateKeys(directory, "nvrd updates");
  const names = { KEY: "key.pem", CERT: "cert.pem", KEYRING: "keyring.pem" };
  const lines = Object.entries(names).map(
    ([name, file]) => `export NVRD_UPDATE_${name}='${join(directory, file)}'`,
  );
  writeFileSync(join(directory, "environment"), `${lines.join("\n")}\n`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2);
  try {
    if (folder === undefined) throw new Error("say the folder to make, outside of the checkout");
    makeKeptUpdateKeys(resolve(folder));
    console.log(
      `update-keys: made in ${folder}; keep a copy. Before a build of an image or a bundle: . ${folder}/environment`,
    );
  } catch (error) {
    console.error(`update-keys: ${error.message}`);
    process.exitCode = 1;
  }
}
