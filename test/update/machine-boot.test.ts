import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { kernelImage, machineMissing, run } from "../support/image/virtual-machine.js";
import { BackgroundProcess } from "../support/service/background-process.js";

/*
 * Real firmware (OVMF) and real systemd-boot on a FAT file system, with the entries that the boot back end makes: what is tried
 * once, what is fallen back to, what stays. `npm run torture -- update`.
 */

const BOOT_SLOTS = join(REPOSITORY_ROOT, "image", "rauc", "boot-slots");
const FIRMWARE = "/usr/share/OVMF/OVMF_CODE_4M.fd";
const VARIABLES = "/usr/share/OVMF/OVMF_VARS_4M.fd";
const LOADER = "/usr/lib/systemd/boot/efi/systemd-bootx64.efi";
const BUSYBOX = "/bin/busybox";
const BOOT_MS = 900_000;
const ESP_MEGABYTES = 64;
/** Says which slot it is, and restarts the machine: what a kernel does that finds no root. */
const INIT = `#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
for word in $(/bin/busybox cat /proc/cmdline); do
  case $word in rauc.slot=*) echo "BOOTED \${word#rauc.slot=}" > /dev/console ;; esac
done
/bin/busybox reboot -f
`;

const files = [FIRMWARE, VARIABLES, LOADER].find((file) => !existsSync(file));
const missing =
  process.env.NVRD_TEST_UPDATE_MACHINE === undefined
    ? "it takes minutes: npm run torture -- update"
    : (machineMissing(["mcopy", "mkfs.vfat", "cpio"]) ??
      (files === undefined ? undefined : `needs ${files}`));

let machine: BackgroundProcess | undefined;

afterEach(async () => {
  await machine?.stop("SIGKILL");
});

/** An ESP as a folder: systemd-boot, both slots' kernels, slot a good. */
function makeEsp(directory: string): string {
  const esp = join(directory, "esp");
  for (const folder of ["EFI/BOOT", "EFI/nvrd/a", "EFI/nvrd/b", "loader/entries"])
    mkdirSync(join(esp, folder), { recursive: true });
  copyFileSync(LOADER, join(esp, "EFI/BOOT/BOOTX64.EFI"));
  writeFileSync(join(esp, "loader/loader.conf"), "timeout 0\neditor no\n");
  const first = makeInitramfs(directory);
  for (const slot of ["a", "b"]) {
    copyFileSync(kernelImage(), join(esp, "EFI/nvrd", slot, "vmlinuz"));
    copyFileSync(first, join(esp, "EFI/nvrd", slot, "initrd.img"));
    writeFileSync(join(esp, "EFI/nvrd", slot, "cmdline"), "console=ttyS0 quiet panic=1 no_timer_check\n");
  }
  writeFileSync(
    join(esp, "loader/entries/nvrd-a.conf"),
    "title nvrd (slot a)\nsort-key nvrd\nversion 1\nlinux /EFI/nvrd/a/vmlinuz\ninitrd /EFI/nvrd/a/initrd.img\n" +
      "options rauc.slot=a console=ttyS0 quiet panic=1 no_timer_check\n",
  );
  return esp;
}

function makeInitramfs(directory: string): string {
  const tree = join(directory, "first");
  for (const folder of ["bin", "dev", "proc"]) mkdirSync(join(tree, folder), { recursive: true });
  copyFileSync(BUSYBOX, join(tree, "bin/busybox"));
  writeFileSync(join(tree, "init"), INIT);
  chmodSync(join(tree, "init"), 0o755);
  const file = join(directory, "first.img");
  run("sh", ["-c", `find . | cpio --quiet -o -H newc | gzip -1 > ${file}`], tree);
  return file;
}

function bootSlots(esp: string, running: string, ...args: readonly string[]): void {
  const cmdline = join(esp, "..", "cmdline");
  writeFileSync(cmdline, `rauc.slot=${running}\n`);
  const env = {
    PATH: process.env.PATH,
    NVRD_ESP: esp,
    NVRD_CMDLINE: cmdline,
    NVRD_LOCK: join(esp, "..", "lock"),
  };
  const { status, stderr } = spawnSync(BOOT_SLOTS, args, { env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
}

/** The folder as a FAT file system. */
function makeDisk(esp: string): string {
  const disk = join(esp, "..", "esp.img");
  rmSync(disk, { force: true });
  run("mkfs.vfat", ["-F", "32", "-C", disk, `${ESP_MEGABYTES * 1024}`]);
  run("sh", ["-c", `mcopy -s -i ${disk} ${esp}/* ::`]);
  return disk;
}

/** The slots that a machine with this disk boots, one after the other. */
async function boots(disk: string, count: number): Promise<readonly string[]> {
  const variables = `${disk}.vars`;
  copyFileSync(VARIABLES, variables);
  const drives = [
    `if=pflash,format=raw,readonly=on,file=${FIRMWARE}`,
    `if=pflash,format=raw,file=${variables}`,
    `if=ide,format=raw,file=${disk}`,
  ].flatMap((drive) => ["-drive", drive]);
  const args = ["-M", "q35", "-accel", "tcg", "-m", "512", ...drives, "-net", "none"];
  const screen = ["-display", "none", "-monitor", "none", "-serial", "stdio"];
  machine = new BackgroundProcess("nice", ["-n", "10", "qemu-system-x86_64", ...args, ...screen]);
  await machine.waitFor(new RegExp(`(BOOTED [ab][\\s\\S]*){${count}}`), BOOT_MS);
  await machine.stop("SIGKILL");
  return [...machine.output.matchAll(/BOOTED ([ab])/g)].map(([, slot = ""]) => slot).slice(0, count);
}

const entriesOn = (disk: string): readonly string[] =>
  run("mdir", ["-b", "-i", disk, "::/loader/entries"])
    .split("\n")
    .filter((line) => line.includes("nvrd"))
    .map((line) => line.replace("::/loader/entries/", ""))
    .sort();

describe.skipIf(missing !== undefined)(`systemd-boot on a real ESP${notHere(missing)}`, () => {
  it("tries what was installed once, and falls back to the slot that is good", {
    timeout: BOOT_MS,
  }, async () => {
    const esp = makeEsp(await temporaryDirectory());
    bootSlots(esp, "a", "set-primary", "b");
    const disk = makeDisk(esp);
    expect(entriesOn(disk)).toEqual(["nvrd-a.conf", "nvrd-b+1.conf"]);
    expect(await boots(disk, 3)).toEqual(["b", "a", "a"]);
    expect(entriesOn(disk)).toEqual(["nvrd-a.conf", "nvrd-b+0-1.conf"]);
  });

  it("stays with a slot that was marked good", { timeout: BOOT_MS }, async () => {
    const esp = makeEsp(await temporaryDirectory());
    bootSlots(esp, "a", "set-primary", "b");
    bootSlots(esp, "b", "count-try");
    bootSlots(esp, "b", "set-state", "b", "good");
    expect(await boots(makeDisk(esp), 2)).toEqual(["b", "b"]);
  });

  it("goes back to the previous slot when that is made the next one by hand", {
    timeout: BOOT_MS,
  }, async () => {
    const esp = makeEsp(await temporaryDirectory());
    bootSlots(esp, "a", "set-primary", "b");
    bootSlots(esp, "b", "set-state", "b", "good");
    bootSlots(esp, "b", "set-primary", "a");
    expect(await boots(makeDisk(esp), 2)).toEqual(["a", "a"]);
  });
});
