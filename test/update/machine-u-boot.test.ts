import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { script } from "../support/image/image-parts.js";
import { run } from "../support/image/virtual-machine.js";
import { BackgroundProcess } from "../support/service/background-process.js";
import { readVariables } from "../support/update/u-boot-variables.js";

/*
 * Debian's U-Boot, systemd-boot and kernel in an emulated ARM64 machine, with the entries of the boot back end: versions that die
 * before their userspace. `npm run torture -- update`; the parts are Debian 13's packages of arm64, unpacked into one folder:
 *
 *   apt-get download u-boot-qemu linux-image-VERSION-arm64 systemd-boot-efi busybox-static
 *   for file in *.deb; do dpkg-deb -x $file build/u-boot; done
 */

const { packFirstRoot } = await script<{ packFirstRoot(parts: Readonly<Record<string, unknown>>): void }>(
  "image/first-root.mjs",
);

const PARTS = process.env.NVRD_TEST_U_BOOT ?? join(REPOSITORY_ROOT, "build", "u-boot");
const BOOT_SLOTS = join(REPOSITORY_ROOT, "image", "rauc", "boot-slots");
const FIRMWARE = join(PARTS, "usr/lib/u-boot/qemu_arm64/u-boot.bin");
const LOADER = join(PARTS, "usr/lib/systemd/boot/efi/systemd-bootaa64.efi");
const BUSYBOX = join(PARTS, "usr/bin/busybox");
const MODULES = join(PARTS, "usr/lib/modules");
const BOOT_MS = 1_500_000;
const SECTOR_BYTES = 512;
const ESP_SECTORS = 640_000;
const ESP_AT = 2048;
/** The kernel restarts after a panic, as on the box. */
const COMMAND_LINE = "console=ttyAMA0 panic=1 loglevel=4";
/** A slot that works: says which it is, what its firmware is, and restarts the machine. */
const INIT = `#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
for word in $(/bin/busybox cat /proc/cmdline); do
  case $word in rauc.slot=*) slot=\${word#rauc.slot=} ;; esac
done
echo "BOOTED $slot under $(/bin/busybox tr -d '\\0' </proc/device-tree/chosen/u-boot,version)" >/dev/console
/bin/busybox reboot -f
`;

const absent = [FIRMWARE, LOADER, BUSYBOX, MODULES].find((file) => !existsSync(file));
const missing =
  process.env.NVRD_TEST_UPDATE_MACHINE === undefined
    ? "it takes minutes: npm run torture -- update"
    : spawnSync("which", ["qemu-system-aarch64", "mcopy", "mkfs.vfat", "sfdisk", "cpio", "depmod"]).status !==
        0
      ? "needs qemu-system-arm, mtools, dosfstools, fdisk, cpio and kmod"
      : absent === undefined
        ? undefined
        : `needs ${absent}: the head of this file says of what`;

let directory: TemporaryDirectory;
let machine: BackgroundProcess | undefined;

/** A first root that works, the image's own one, and one that no kernel can unpack: each a file. */
const firstRoot = (name: "works" | "image" | "broken"): string => directory.join(`${name}.img`);

beforeAll(() => {
  if (missing !== undefined) return;
  directory = new TemporaryDirectory("machine-u-boot");
  const tree = directory.join("works");
  for (const folder of ["bin", "dev", "proc"]) mkdirSync(join(tree, folder), { recursive: true });
  copyFileSync(BUSYBOX, join(tree, "bin/busybox"));
  writeFileSync(join(tree, "init"), INIT);
  chmodSync(join(tree, "init"), 0o755);
  run("sh", ["-c", `find . | cpio --quiet -o -H newc | gzip -1 > ${firstRoot("works")}`], tree);
  writeFileSync(firstRoot("broken"), "no first root\n");
  const version = readdirSync(MODULES)[0] ?? "";
  run("depmod", ["-b", join(PARTS, "usr"), version]);
  const image = join(REPOSITORY_ROOT, "image");
  packFirstRoot({ tree: PARTS, image, version, epoch: 0, folder: directory.path, file: firstRoot("image") });
}, BOOT_MS);

afterEach(async () => {
  await machine?.stop("SIGKILL");
});

/** An ESP as a folder: slot a works and is good, slot b has another first root and is not installed yet. */
function makeEsp(firstRootOfB: "image" | "broken"): string {
  const esp = directory.join("esp");
  rmSync(esp, { recursive: true, force: true });
  for (const folder of ["EFI/BOOT", "EFI/nvrd/a", "EFI/nvrd/b", "loader/entries"])
    mkdirSync(join(esp, folder), { recursive: true });
  copyFileSync(LOADER, join(esp, "EFI/BOOT/BOOTAA64.EFI"));
  writeFileSync(join(esp, "loader/loader.conf"), "timeout 0\neditor no\n");
  const kernel = readdirSync(join(PARTS, "boot")).find((name) => name.startsWith("vmlinuz-")) ?? "";
  for (const [slot, name] of [
    ["a", "works"],
    ["b", firstRootOfB],
  ] as const) {
    copyFileSync(join(PARTS, "boot", kernel), join(esp, "EFI/nvrd", slot, "vmlinuz"));
    copyFileSync(firstRoot(name), join(esp, "EFI/nvrd", slot, "initrd.img"));
    writeFileSync(join(esp, "EFI/nvrd", slot, "cmdline"), `${COMMAND_LINE}\n`);
  }
  writeEntry(esp, "nvrd-a.conf", "a", 1);
  return esp;
}

function writeEntry(esp: string, name: string, slot: string, version: number): void {
  const files = `linux /EFI/nvrd/${slot}/vmlinuz\ninitrd /EFI/nvrd/${slot}/initrd.img\n`;
  const options = `options rauc.slot=${slot} ${COMMAND_LINE}\n`;
  writeFileSync(
    join(esp, "loader/entries", name),
    `title nvrd\nsort-key nvrd\nversion ${version}\n${files}${options}`,
  );
}

/** As RAUC calls it in slot a of a box with U-Boot. */
function install(esp: string): void {
  const chosen = directory.join("proc/device-tree/chosen");
  mkdirSync(chosen, { recursive: true });
  writeFileSync(join(chosen, "u-boot,version"), "2025.01\0");
  writeFileSync(directory.join("cmdline"), "rauc.slot=a\n");
  const env = {
    PATH: process.env.PATH,
    NVRD_ESP: esp,
    NVRD_CMDLINE: directory.join("cmdline"),
    NVRD_LOCK: directory.join("lock"),
    NVRD_MACHINE: directory.path,
  };
  const { status, stderr } = spawnSync(BOOT_SLOTS, ["set-primary", "b"], { env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
}

/** A disk with the folder as its ESP. U-Boot keeps its variables there, so it must be one by its type. */
function makeDisk(esp: string): string {
  const disk = directory.join("disk.img");
  const file = directory.join("fat.img");
  for (const name of [disk, file]) rmSync(name, { force: true });
  run("mkfs.vfat", ["-F", "32", "-C", file, `${ESP_SECTORS / 2}`]);
  run("sh", ["-c", `mcopy -s -i ${file} ${esp}/* ::`]);
  writeFileSync(disk, "");
  truncateSync(disk, (ESP_AT + ESP_SECTORS + ESP_AT) * SECTOR_BYTES);
  const esps = `label: gpt\nstart=${ESP_AT}, size=${ESP_SECTORS}, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, name=esp\n`;
  run("sh", ["-c", `printf '${esps.replaceAll("\n", "\\n")}' | sfdisk -q ${disk}`]);
  const at = `seek=${ESP_AT * SECTOR_BYTES}`;
  run("dd", [`if=${file}`, `of=${disk}`, "bs=1M", at, "oflag=seek_bytes", "conv=notrunc", "status=none"]);
  return disk;
}

const partition = (disk: string): string => `${disk}@@${ESP_AT * SECTOR_BYTES}`;

function entriesOn(disk: string): readonly string[] {
  const names = run("mdir", ["-b", "-i", partition(disk), "::/loader/entries"]).split("\n");
  return names
    .map((line) => line.replace("::/loader/entries/", ""))
    .filter((line) => line.includes("nvrd"))
    .sort();
}

/** Names of the variables that U-Boot has on this disk. */
function variablesOn(disk: string): readonly string[] {
  const { stdout } = spawnSync("mtype", ["-i", partition(disk), "::/ubootefi.var"]);
  return readVariables(stdout).map(({ name }) => name);
}

/** Turns the machine on, and off when it has said `pattern`. Answers what it has said. */
async function runUntil(disk: string, pattern: RegExp): Promise<string> {
  const drive = `if=virtio,format=raw,file=${disk},cache=writethrough`;
  const args = ["-M", "virt", "-cpu", "cortex-a53", "-m", "1024", "-accel", "tcg", "-bios", FIRMWARE];
  const rest = ["-drive", drive, "-net", "none", "-display", "none", "-monitor", "none", "-serial", "stdio"];
  machine = new BackgroundProcess("nice", ["-n", "10", "qemu-system-aarch64", ...args, ...rest]);
  await machine.waitFor(pattern, BOOT_MS);
  await machine.stop("SIGKILL");
  return machine.output;
}

/** What became of each start, in this order. */
const ends = (output: string): readonly string[] =>
  [...output.matchAll(/BOOTED [ab]|Kernel panic|nvrd: no partition is labelled nvrd-b/g)].map(
    ([text]) => text,
  );

describe.skipIf(missing !== undefined)(`a version that dies under U-Boot${notHere(missing)}`, () => {
  it("is started once when its kernel panics before its first root runs", { timeout: BOOT_MS }, async () => {
    const esp = makeEsp("broken");
    install(esp);
    const disk = makeDisk(esp);
    const output = await runUntil(disk, /(BOOTED a[\s\S]*){2}/);
    expect(ends(output).slice(0, 3)).toEqual(["Kernel panic", "BOOTED a", "BOOTED a"]);
    expect(entriesOn(disk)).toEqual(["nvrd-a.conf", "nvrd-b+0-1.conf"]);
    expect(variablesOn(disk)).not.toContain("LoaderEntryOneShot");
  });

  it("is not started again after a power cut while its kernel starts", { timeout: BOOT_MS }, async () => {
    const esp = makeEsp("broken");
    install(esp);
    const disk = makeDisk(esp);
    await runUntil(disk, /EFI stub: /);
    expect(ends(await runUntil(disk, /BOOTED a/))).toEqual(["BOOTED a"]);
  });

  it("is counted by its own first root when its root is not there and nothing else has counted", {
    timeout: BOOT_MS,
  }, async () => {
    const esp = makeEsp("image");
    // As earlier versions installed it: systemd-boot is to rename it, and cannot.
    writeEntry(esp, "nvrd-b+1.conf", "b", 2);
    const disk = makeDisk(esp);
    const output = await runUntil(disk, /BOOTED a/);
    expect(output).toMatch(/Access denied/i);
    expect(ends(output)).toEqual(["nvrd: no partition is labelled nvrd-b", "BOOTED a"]);
    expect(entriesOn(disk)).toEqual(["nvrd-a.conf", "nvrd-b+0-1.conf"]);
  });
});
