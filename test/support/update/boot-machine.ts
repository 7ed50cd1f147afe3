import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Apt } from "../../../scripts/package/apt.mjs";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { script } from "../image/image-parts.js";
import { run } from "../image/virtual-machine.js";
import { BackgroundProcess } from "../service/background-process.js";
import { readVariables } from "./u-boot-variables.js";

/**
 * A box's way from its firmware to a slot's first program, in an emulated ARM64 machine: Debian 13's U-Boot or EDK II, its
 * systemd-boot and kernel, and entries as the boot back end makes them.
 */

const { packFirstRoot } = await script<{ packFirstRoot(parts: Readonly<Record<string, unknown>>): void }>(
  "image/first-root.mjs",
);

export const FIRMWARES = ["U-Boot", "EDK II"] as const;
export type Firmware = (typeof FIRMWARES)[number];

/** Debian 13's packages of arm64, unpacked; kept between runs. */
const CACHE = join(REPOSITORY_ROOT, "build", "boot-machine");
const PARTS = join(CACHE, "parts");
const U_BOOT = join(PARTS, "usr/lib/u-boot/qemu_arm64/u-boot.bin");
const LOADER = join(PARTS, "usr/lib/systemd/boot/efi/systemd-bootaa64.efi");
const EDK2 = "/usr/share/AAVMF/AAVMF_CODE.fd";
const EDK2_VARIABLES = "/usr/share/AAVMF/AAVMF_VARS.fd";
const PROGRAMS = ["qemu-system-aarch64", "mcopy", "mkfs.vfat", "sfdisk", "cpio", "depmod", "mksquashfs"];
const BOOT_SLOTS = join(REPOSITORY_ROOT, "image", "rauc", "boot-slots");
/** Beside other work an emulated start takes minutes. */
export const BOOT_MS = 1_500_000;
const SECTOR_BYTES = 512;
const ESP_AT = 2048;
const ESP_SECTORS = 640_000;
const ROOT_AT = ESP_AT + ESP_SECTORS;
const ROOT_SECTORS = 2048;
/** The kernel restarts after a panic, as on the box. */
const COMMAND_LINE = "console=ttyAMA0 panic=1 loglevel=4";
/** A first root that works: says which slot it is, and restarts the machine, as if nothing had called the slot good. */
const INIT = `#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
for word in $(/bin/busybox cat /proc/cmdline); do
  case $word in rauc.slot=*) echo "BOOTED \${word#rauc.slot=}" >/dev/console ;; esac
done
/bin/busybox reboot -f
`;

/** What slot b starts with: one that works, the image's own, one that no kernel can unpack. */
export type FirstRoot = "works" | "image" | "broken";
/** What is on the partition of slot b: it is not there, no file system, one without a system. */
export type Root = "absent" | "noise" | "empty";

/** Why there can be none here; undefined where it works. */
export function bootMachineMissing(): string | undefined {
  const absent = PROGRAMS.find((name) => spawnSync("which", [name]).status !== 0);
  if (absent !== undefined) return `${absent} is not installed`;
  return existsSync(EDK2) ? undefined : "qemu-efi-aarch64 is not installed";
}

/** Fetches and unpacks what is not there yet. */
export function fetchBootParts(): void {
  if (existsSync(PARTS)) return;
  const apt = new Apt(join(CACHE, "apt"), { suite: "trixie", processor: "arm64" });
  apt.update();
  const kernel = apt.dependenciesOf("linux-image-arm64").find((name) => name?.startsWith("linux-image-"));
  if (kernel === undefined) throw new Error("apt knows no kernel of Debian 13 for arm64");
  const unpacking = `${PARTS}.unpacking`;
  rmSync(unpacking, { recursive: true, force: true });
  for (const file of apt.download([kernel, "u-boot-qemu", "systemd-boot-efi", "busybox-static"])) {
    run("dpkg-deb", ["-x", file, unpacking]);
    rmSync(file);
  }
  run("depmod", ["-b", join(unpacking, "usr"), versionOf(unpacking)]);
  renameSync(unpacking, PARTS);
}

const versionOf = (parts: string): string => readdirSync(join(parts, "usr/lib/modules"))[0] ?? "";

/** The emulator's for a firmware; `variables` is the file that EDK II keeps its own in, made if it is not there. */
export function firmwareArguments(firmware: Firmware, variables: string): readonly string[] {
  if (firmware === "U-Boot") return ["-bios", U_BOOT];
  if (!existsSync(variables)) copyFileSync(EDK2_VARIABLES, variables);
  const flash = "if=pflash,format=raw";
  return ["-drive", `${flash},readonly=on,file=${EDK2}`, "-drive", `${flash},file=${variables}`];
}

/** Made once for all machines of a file. */
export class FirstRoots {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    const tree = join(folder, "works");
    for (const name of ["bin", "dev", "proc"]) mkdirSync(join(tree, name), { recursive: true });
    copyFileSync(join(PARTS, "usr/bin/busybox"), join(tree, "bin/busybox"));
    writeFileSync(join(tree, "init"), INIT);
    chmodSync(join(tree, "init"), 0o755);
    run("sh", ["-c", `find . | cpio --quiet -o -H newc | gzip -1 > ${this.file("works")}`], tree);
    writeFileSync(this.file("broken"), "no first root\n");
    const image = join(REPOSITORY_ROOT, "image");
    const file = this.file("image");
    packFirstRoot({ tree: PARTS, image, version: versionOf(PARTS), epoch: 0, folder, file });
  }

  file(name: FirstRoot): string {
    return join(this.#folder, `${name}.img`);
  }
}

export interface BootMachineOptions {
  readonly folder: string;
  readonly firmware: Firmware;
  readonly firstRoots: FirstRoots;
  readonly firstRootOfB: FirstRoot;
  readonly rootOfB?: Root;
}

/** Slot a works and is good; slot b is not installed yet. First its boot partition is a folder, then a disk. */
export class BootMachine {
  readonly #options: BootMachineOptions;
  #process: BackgroundProcess | undefined;
  #hasDisk = false;

  constructor(options: BootMachineOptions) {
    this.#options = options;
    rmSync(options.folder, { recursive: true, force: true });
    for (const folder of ["EFI/BOOT", "EFI/nvrd/a", "EFI/nvrd/b", "loader/entries"])
      mkdirSync(join(this.#esp, folder), { recursive: true });
    copyFileSync(LOADER, join(this.#esp, "EFI/BOOT/BOOTAA64.EFI"));
    writeFileSync(join(this.#esp, "loader/loader.conf"), "timeout 0\neditor no\n");
    const kernel = readdirSync(join(PARTS, "boot")).find((name) => name.startsWith("vmlinuz-")) ?? "";
    for (const [slot, name] of [
      ["a", "works"],
      ["b", options.firstRootOfB],
    ] as const) {
      copyFileSync(join(PARTS, "boot", kernel), join(this.#esp, "EFI/nvrd", slot, "vmlinuz"));
      copyFileSync(options.firstRoots.file(name), join(this.#esp, "EFI/nvrd", slot, "initrd.img"));
      writeFileSync(join(this.#esp, "EFI/nvrd", slot, "cmdline"), `${COMMAND_LINE}\n`);
    }
    this.writeEntry("nvrd-a.conf", "a", 1);
  }

  get #esp(): string {
    return join(this.#options.folder, "esp");
  }

  get #disk(): string {
    return join(this.#options.folder, "disk.img");
  }

  get #partition(): string {
    return `${this.#disk}@@${ESP_AT * SECTOR_BYTES}`;
  }

  writeEntry(name: string, slot: string, version: number): void {
    const files = `linux /EFI/nvrd/${slot}/vmlinuz\ninitrd /EFI/nvrd/${slot}/initrd.img\n`;
    const options = `options rauc.slot=${slot} ${COMMAND_LINE}\n`;
    writeFileSync(
      join(this.#esp, "loader/entries", name),
      `title nvrd\nsort-key nvrd\nversion ${version}\n${files}${options}`,
    );
  }

  /** The boot back end as RAUC and nvrd call it in the running slot, before the machine is turned on. */
  bootSlots(running: string, ...args: readonly string[]): void {
    const { folder, firmware } = this.#options;
    const machine = join(folder, "machine");
    const chosen = join(machine, "proc/device-tree/chosen");
    mkdirSync(chosen, { recursive: true });
    if (firmware === "U-Boot") writeFileSync(join(chosen, "u-boot,version"), "2025.01\0");
    writeFileSync(join(folder, "cmdline"), `rauc.slot=${running}\n`);
    const env = {
      PATH: process.env.PATH,
      NVRD_ESP: this.#esp,
      NVRD_CMDLINE: join(folder, "cmdline"),
      NVRD_LOCK: join(folder, "lock"),
      NVRD_MACHINE: machine,
    };
    const { status, stderr } = spawnSync(BOOT_SLOTS, args, { env, encoding: "utf8" });
    if (status !== 0 || stderr !== "") throw new Error(`boot-slots ${args.join(" ")}: ${stderr}`);
  }

  /** Turns the machine on, and off when it has said `pattern`. Answers what it has said. */
  async runUntil(pattern: RegExp): Promise<string> {
    if (!this.#hasDisk) this.#makeDisk();
    const drive = `if=virtio,format=raw,file=${this.#disk},cache=writethrough`;
    const machine = ["-M", "virt", "-cpu", "cortex-a53", "-m", "1024", "-accel", "tcg"];
    const rest = ["-net", "none", "-display", "none", "-monitor", "none", "-serial", "stdio"];
    const { firmware, folder } = this.#options;
    const firm = firmwareArguments(firmware, join(folder, "variables.fd"));
    const args = [...machine, ...firm, "-drive", drive, ...rest];
    this.#process = new BackgroundProcess("nice", ["-n", "10", "qemu-system-aarch64", ...args]);
    await this.#process.waitFor(pattern, BOOT_MS);
    return await this.cut();
  }

  /** Takes its power away. Answers what it has said. */
  async cut(): Promise<string> {
    await this.#process?.stop("SIGKILL");
    const output = this.#process?.output ?? "";
    this.#process = undefined;
    return output;
  }

  /** With the folder as its boot partition. U-Boot keeps its variables there, so it must be one by its type. */
  #makeDisk(): void {
    const { folder, rootOfB = "absent" } = this.#options;
    const file = join(folder, "fat.img");
    run("mkfs.vfat", ["-F", "32", "-C", file, `${ESP_SECTORS / 2}`]);
    run("sh", ["-c", `mcopy -s -i ${file} ${this.#esp}/* ::`]);
    writeFileSync(this.#disk, "");
    truncateSync(this.#disk, (ROOT_AT + ROOT_SECTORS + ESP_AT) * SECTOR_BYTES);
    const lines = [
      "label: gpt",
      `start=${ESP_AT}, size=${ESP_SECTORS}, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, name=esp`,
      ...(rootOfB === "absent" ? [] : [`start=${ROOT_AT}, size=${ROOT_SECTORS}, name=nvrd-b`]),
    ];
    run("sh", ["-c", `printf '${lines.join("\\n")}\\n' | sfdisk -q ${this.#disk}`]);
    this.#put(file, ESP_AT);
    if (rootOfB !== "absent") this.#put(this.#rootFile(rootOfB), ROOT_AT);
    rmSync(file);
    this.#hasDisk = true;
  }

  #rootFile(root: Exclude<Root, "absent">): string {
    const { folder } = this.#options;
    const file = join(folder, `${root}.root`);
    if (root === "noise") writeFileSync(file, Buffer.alloc(ROOT_SECTORS * SECTOR_BYTES, "no file system"));
    else {
      mkdirSync(join(folder, "empty"));
      run("mksquashfs", [join(folder, "empty"), file, "-quiet", "-no-progress"]);
    }
    return file;
  }

  #put(file: string, sector: number): void {
    const at = `seek=${sector * SECTOR_BYTES}`;
    run("dd", [
      `if=${file}`,
      `of=${this.#disk}`,
      "bs=1M",
      at,
      "oflag=seek_bytes",
      "conv=notrunc",
      "status=none",
    ]);
  }

  /** Names of the entries on the disk. */
  get entries(): readonly string[] {
    const names = run("mdir", ["-b", "-i", this.#partition, "::/loader/entries"]).split("\n");
    return names
      .map((line) => line.replace("::/loader/entries/", ""))
      .filter((line) => line.includes("nvrd"))
      .sort();
  }

  /** Names of the variables that U-Boot has on the disk. */
  get uBootVariables(): readonly string[] {
    const { stdout } = spawnSync("mtype", ["-i", this.#partition, "::/ubootefi.var"]);
    return readVariables(stdout).map(({ name }) => name);
  }
}

/** What became of each start, in this order. */
export function endsOf(output: string): readonly string[] {
  const ends =
    /BOOTED [ab]|Kernel panic|nvrd: no partition is labelled nvrd-b|nvrd: the root on \S+ (?:does not mount|is none)/g;
  return [...output.matchAll(ends)].map(([text]) => text.replace(/ on \S+/, ""));
}
