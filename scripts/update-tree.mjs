/**
 * What an image's root has for updates: RAUC's configuration with the keyring, the boot back end, the units. The image's
 * build calls `addUpdateParts`; by hand: `node scripts/update-tree.mjs TREE COMPATIBLE [KEYRING]`.
 */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { updateKeys } from "./update-keys.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PARTS = join(ROOT, "image", "rauc");
const UNITS = "usr/lib/systemd/system";
const ENABLED = {
  "nvrd-update.path": "multi-user.target",
  "nvrd-reboot.path": "multi-user.target",
  "nvrd-boot-count.service": "multi-user.target",
  "nvrd-health-gate.service": "multi-user.target",
  "nvrd-trial-over.timer": "sysinit.target",
};

/**
 * @param tree The root of a slot.
 * @param compatible As in its image.json: which bundles it takes.
 * @param keyring PEM file of the authorities whose signatures it trusts.
 */
export function addUpdateParts(tree, { compatible, keyring }) {
  const put = (from, to, mode = 0o644) => {
    mkdirSync(dirname(join(tree, to)), { recursive: true });
    copyFileSync(join(PARTS, from), join(tree, to));
    chmodSync(join(tree, to), mode);
  };
  mkdirSync(join(tree, "etc/rauc"), { recursive: true });
  const configuration = readFileSync(join(PARTS, "system.conf"), "utf8");
  writeFileSync(
    join(tree, "etc/rauc/system.conf"),
    configuration.replace(/^compatible=.*$/m, `compatible=${compatible}`),
  );
  copyFileSync(keyring, join(tree, "etc/rauc/keyring.pem"));
  put("boot-slots", "usr/lib/nvrd-update/boot-slots", 0o755);
  for (const backEnd of ["boot-slots.systemd-boot", "boot-slots.tryboot", "boot-slots.u-boot"])
    put(backEnd, `usr/lib/nvrd-update/${backEnd}`);
  put("nvrd-update.tmpfiles", "usr/lib/tmpfiles.d/nvrd-update.conf");
  put("nvrd.service.conf", `${UNITS}/nvrd.service.d/60-nvrd-update.conf`);
  for (const unit of readdirSync(join(PARTS, "units"))) put(`units/${unit}`, `${UNITS}/${unit}`);
  for (const [unit, target] of Object.entries(ENABLED)) {
    const link = join(tree, "etc/systemd/system", `${target}.wants`, unit);
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(`/${UNITS}/${unit}`, link);
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [tree, compatible, keyring] = process.argv.slice(2);
  if (tree === undefined || compatible === undefined) {
    console.error("update-tree: node scripts/update-tree.mjs TREE COMPATIBLE [KEYRING]");
    process.exitCode = 2;
  } else addUpdateParts(tree, { compatible, keyring: keyring ?? updateKeys(ROOT).keyring });
}
