/** The boot partition: FAT32 with the boot loader, the first slot's kernel and first root, and a note to the owner. */
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";

export const BOOT_LABEL = "NVRD-BOOT";

/** The first slot's entry for systemd-boot (https://uapi-group.org/specifications/specs/boot_loader_specification/). */
export function loaderEntry({ slot, sequence, commandLine }) {
  return [
    `title nvrd (slot ${slot})`,
    "sort-key nvrd",
    `version ${sequence}`,
    `linux /EFI/nvrd/${slot}/vmlinuz`,
    `initrd /EFI/nvrd/${slot}/initrd.img`,
    `options rauc.slot=${slot} ${commandLine}`,
    "",
  ].join("\n");
}

/** Puts the contents into `folder` and makes the file system `file` of `bytes` from them. */
export function makeBootPartition({ image, built, board, boardName, folder, file, bytes, volumeId, epoch }) {
  rmSync(folder, { recursive: true, force: true });
  const slot = join(folder, "EFI/nvrd/a");
  mkdirSync(slot, { recursive: true });
  for (const name of ["vmlinuz", "initrd.img"]) cpSync(join(built, "boot", name), join(slot, name));
  writeFileSync(
    join(folder, "NVRD-README.txt"),
    readFileSync(join(image, "boot/NVRD-README.txt"), "utf8").replaceAll("\n", "\r\n"),
  );
  const commandLine = readFileSync(join(built, "boot/cmdline"), "utf8").trim();
  if (boardName === "generic") addLoader({ built, folder, commandLine });
  else addRaspberryPi({ image, built, board, folder, slot, commandLine });
  rmSync(file, { force: true });
  writeFileSync(file, "");
  truncateSync(file, bytes);
  const env = { SOURCE_DATE_EPOCH: `${epoch}`, MTOOLS_SKIP_CHECK: "1" };
  run("mkfs.vfat", ["--invariant", "-F", "32", "-n", BOOT_LABEL, "-i", volumeId, file], {
    env,
    stdio: "ignore",
  });
  run(
    "sh",
    ["-c", `find . -exec touch -h -d @${epoch} {} +; LC_ALL=C; mcopy -smQ -i "$1" -- * ::`, "sh", file],
    { cwd: folder, env },
  );
  rmSync(folder, { recursive: true });
}

function addLoader({ built, folder, commandLine }) {
  for (const name of ["EFI/BOOT", "loader/entries"]) mkdirSync(join(folder, name), { recursive: true });
  cpSync(join(built, "systemd-bootaa64.efi"), join(folder, "EFI/BOOT/BOOTAA64.EFI"));
  writeFileSync(join(folder, "loader/loader.conf"), "timeout 0\neditor no\n");
  writeFileSync(
    join(folder, "loader/entries/nvrd-a.conf"),
    loaderEntry({ slot: "a", sequence: 1, commandLine }),
  );
}

/** The firmware reads `config.txt`; what belongs to a kernel lies in the slot's folder (os_prefix). */
function addRaspberryPi({ image, built, folder, slot, commandLine }) {
  cpSync(join(built, "boot/firmware"), folder, { recursive: true });
  cpSync(join(built, "boot/dtb"), slot, { recursive: true });
  writeFileSync(join(slot, "cmdline.txt"), `rauc.slot=a ${commandLine}\n`);
  const config = readFileSync(join(image, "boot/config.txt"), "utf8");
  writeFileSync(join(folder, "config.txt"), config.replaceAll("@SLOT@", "a"));
}
