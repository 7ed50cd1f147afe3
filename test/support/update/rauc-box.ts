import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeBundle } from "../../../scripts/make-bundle.mjs";
import { makeUpdateKeys } from "../../../scripts/update-keys.mjs";
import { RaucSystem, type RunCommand, runCommand } from "../../../src/box/update/index.js";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { temporaryDirectory } from "../base/temporary-directory.js";
import { DEVICE_TREE, RaspberryPi } from "../image/raspberry-pi.js";
import { BackgroundProcess } from "../service/background-process.js";

export const COMPATIBLE = "nvrd-test-amd64";
export const PI_COMPATIBLE = "nvrd-rpi-arm64";
export const BOOT_SLOTS = join(REPOSITORY_ROOT, "image", "rauc", "boot-slots");
const BACK_ENDS = ["boot-slots", "boot-slots.systemd-boot", "boot-slots.tryboot", "boot-slots.u-boot"];
/** The back end for systemd-boot as it was before U-Boot was known to it. */
const FORMER_BACK_END = join(REPOSITORY_ROOT, "test/support/update/former-back-end/boot-slots.systemd-boot");
const SLOT_BYTES = 1024 * 1024;
const FILLING_BYTES = 200_000;
const BUS_POLICY = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><auth>EXTERNAL</auth><listen>unix:path=@SOCKET@</listen>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
<allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
`;

/** Why real RAUC cannot be tried here; undefined: it can. */
export function raucMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  for (const program of ["rauc", "dbus-daemon", "mksquashfs", "openssl"])
    if (!onPath(program)) return `needs ${program}`;
  if (!readFileSync("/proc/filesystems", "utf8").includes("squashfs")) return "needs squashfs in the kernel";
  return existsSync("/dev/loop-control") ? undefined : "needs loop devices";
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));
}

/** A box of files: an ESP, two slots, a key, and real RAUC on a bus of its own. Booted from slot a unless told. */
export class RaucBox {
  readonly directory: string;
  readonly keys: { readonly key: string; readonly cert: string; readonly keyring: string };
  readonly esp: string;
  readonly compatible: string;
  /** What systemctl was asked for: nothing restarts. */
  readonly systemctl: (readonly string[])[] = [];
  #bus: BackgroundProcess | undefined;
  #service: BackgroundProcess | undefined;

  /** The folder of the back end of the version that runs. */
  get #backEnd(): string {
    return join(this.directory, "back-end");
  }

  private constructor(directory: string, compatible: string) {
    this.directory = directory;
    this.compatible = compatible;
    this.esp = join(directory, "esp");
    this.keys = keysIn(join(directory, "keys"));
  }

  static async make(): Promise<RaucBox> {
    const box = new RaucBox(await temporaryDirectory(), COMPATIBLE);
    box.#makeEntry();
    box.#fill();
    return box;
  }

  /** One whose running version does not know U-Boot, which has started it. */
  static async makeFormer(): Promise<RaucBox> {
    const box = await RaucBox.make();
    rmSync(join(box.#backEnd, "boot-slots.u-boot"));
    copyFileSync(FORMER_BACK_END, join(box.#backEnd, "boot-slots.systemd-boot"));
    mkdirSync(join(box.machine, "proc/device-tree/chosen"), { recursive: true });
    writeFileSync(join(box.machine, "proc/device-tree/chosen/u-boot,version"), "2025.01\0");
    return box;
  }

  /** One that the firmware of a Raspberry Pi has started from slot a. */
  static async makePi(): Promise<{ readonly box: RaucBox; readonly pi: RaspberryPi }> {
    const box = new RaucBox(await temporaryDirectory(), PI_COMPATIBLE);
    box.#makePiConfiguration();
    box.#fill();
    const pi = new RaspberryPi({ esp: box.esp, machine: box.machine });
    pi.cutPower();
    return { box, pi };
  }

  /** Starts the bus and RAUC's service. */
  async start(): Promise<void> {
    const socket = join(this.directory, "bus");
    writeFileSync(join(this.directory, "bus.conf"), BUS_POLICY.replace("@SOCKET@", socket));
    const busArgs = [`--config-file=${join(this.directory, "bus.conf")}`, "--nofork", "--nopidfile"];
    this.#bus = new BackgroundProcess("dbus-daemon", busArgs, { cwd: this.directory, env: {} });
    await waitFor(() => existsSync(socket));
    const slot = /rauc\.slot=(\w)/.exec(readFileSync(this.cmdline, "utf8"))?.[1] ?? "";
    const args = [`--conf=${this.configFile}`, `--override-boot-slot=${slot}`, "service"];
    // In a namespace of its own, as rauc.service is: MountFlags=slave.
    const separate = ["--mount", "--propagation", "slave", "rauc", ...args];
    this.#service = new BackgroundProcess("unshare", separate, {
      cwd: this.directory,
      env: this.environment,
    });
    await waitFor(() => this.#isOnBus());
  }

  async stop(): Promise<void> {
    await this.#service?.stop("SIGKILL");
    await this.#bus?.stop("SIGKILL");
  }

  get cmdline(): string {
    return join(this.machine, "proc", "cmdline");
  }

  /** Where a running Linux shows itself. */
  get machine(): string {
    return join(this.directory, "machine");
  }

  get configFile(): string {
    return join(this.directory, "system.conf");
  }

  get environment(): Record<string, string> {
    return {
      DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${join(this.directory, "bus")}`,
      NVRD_ESP: this.esp,
      NVRD_CMDLINE: this.cmdline,
      NVRD_MACHINE: this.machine,
      NVRD_LOCK: join(this.directory, "boot-slots.lock"),
      NVRD_BACK_END: this.#backEnd,
      NVRD_KEPT_BACK_END: join(this.directory, "kept-back-end"),
    };
  }

  /** nvrd's door to it. */
  system(): RaucSystem {
    const run: RunCommand = async (command) => {
      if (command.program === "systemctl") {
        this.systemctl.push(command.args);
        return { status: 0, output: "", errors: "" };
      }
      return await runCommand({ ...command, env: { ...this.environment, ...command.env } });
    };
    return new RaucSystem({
      run,
      configFile: this.configFile,
      bootSlots: BOOT_SLOTS,
      imageFile: join(this.directory, "image.json"),
    });
  }

  /** From now on this slot is the one that runs. */
  boot(slot: string): void {
    mkdirSync(join(this.machine, "proc"), { recursive: true });
    writeFileSync(this.cmdline, `rauc.slot=${slot}\n`);
  }

  /** A root with a kernel in it, as a bundle. */
  bundle(options: BundleOptions = {}): string {
    const { version = "2.0.0", compatible = this.compatible, keys = this.keys } = options;
    const root = join(this.directory, `root-${version}.squashfs`);
    if (!existsSync(root)) this.#makeRoot({ root, version, compatible, lacks: options.lacks });
    const out = join(this.directory, `${options.name ?? `${compatible}-${version}`}.raucb`);
    makeBundle({ root, out, keys, format: options.format ?? "plain" });
    return out;
  }

  /** Keys that this box does not know. */
  foreignKeys(): RaucBox["keys"] {
    return keysIn(join(this.directory, "foreign-keys"));
  }

  slotFile(slot: string): string {
    return join(this.directory, `slot-${slot}`);
  }

  entries(): readonly string[] {
    return readdirSync(join(this.esp, "loader", "entries")).sort();
  }

  bootSlots(...args: readonly string[]): string {
    return execFileSync(BOOT_SLOTS, args, {
      env: { ...process.env, ...this.environment },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  }

  #fill(): void {
    copyBackEnd(this.#backEnd);
    for (const slot of ["a", "b"]) this.#makeSlot(slot);
    this.boot("a");
    writeFileSync(
      join(this.directory, "image.json"),
      JSON.stringify({ compatible: this.compatible, version: "1.0.0" }),
    );
    writeFileSync(join(this.directory, "system.conf"), this.#systemConf());
  }

  #makeSlot(slot: string): void {
    writeFileSync(this.slotFile(slot), `slot ${slot} before\n`);
    truncateSync(this.slotFile(slot), SLOT_BYTES);
  }

  #makeEntry(): void {
    mkdirSync(join(this.esp, "loader", "entries"), { recursive: true });
    mkdirSync(join(this.esp, "EFI", "nvrd", "a"), { recursive: true });
    for (const part of ["vmlinuz", "initrd.img"])
      writeFileSync(join(this.esp, "EFI", "nvrd", "a", part), `${part} of a\n`);
    writeFileSync(
      join(this.esp, "loader", "entries", "nvrd-a.conf"),
      "title nvrd (slot a)\nsort-key nvrd\nversion 1\nlinux /EFI/nvrd/a/vmlinuz\n" +
        "initrd /EFI/nvrd/a/initrd.img\noptions rauc.slot=a quiet\n",
    );
  }

  /** The Raspberry Pi's configuration as the image has it. */
  #makePiConfiguration(): void {
    const config = readFileSync(join(REPOSITORY_ROOT, "image/boot/config.txt"), "utf8");
    const folder = join(this.esp, "EFI", "nvrd", "a");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(this.esp, "config.txt"), config.replaceAll("@SLOT@", "a"));
    for (const part of ["vmlinuz", "initrd.img", DEVICE_TREE])
      writeFileSync(join(folder, part), `${part} of a\n`);
    writeFileSync(join(folder, "cmdline.txt"), "rauc.slot=a quiet\n");
  }

  #makeRoot({ root, version, compatible, lacks }: RootOptions): void {
    const tree = `${root}.tree`;
    mkdirSync(join(tree, "usr/lib/nvrd-image"), { recursive: true });
    writeFileSync(join(tree, "usr/lib/nvrd-image/image.json"), JSON.stringify({ version, compatible }));
    copyBackEnd(join(tree, "usr/lib/nvrd-update"));
    mkdirSync(join(tree, "boot"), { recursive: true });
    for (const part of ["vmlinuz", "initrd.img", "cmdline"])
      if (part !== lacks) writeFileSync(join(tree, "boot", part), `${part} of ${version}\n`);
    if (compatible === PI_COMPATIBLE) {
      mkdirSync(join(tree, "boot/dtb"));
      writeFileSync(join(tree, "boot/dtb", DEVICE_TREE), `${DEVICE_TREE} of ${version}\n`);
    }
    // Bytes that no packing makes small: dm-verity's tree wants more than a page.
    writeFileSync(join(tree, "filling"), randomBytes(FILLING_BYTES));
    execFileSync("mksquashfs", [tree, root, "-quiet", "-no-progress", "-comp", "zstd"], { stdio: "ignore" });
  }

  #systemConf(): string {
    const text = readFileSync(join(REPOSITORY_ROOT, "image", "rauc", "system.conf"), "utf8");
    copyFileSync(this.keys.keyring, join(this.directory, "keyring.pem"));
    return text
      .replace(/^compatible=.*$/m, `compatible=${this.compatible}`)
      .replace("bundle-formats=verity", "bundle-formats=plain verity")
      .replace(/^statusfile=.*$/m, `statusfile=${join(this.directory, "slots.status")}`)
      .replace(/^mountprefix=.*$/m, `mountprefix=${join(this.directory, "mnt")}`)
      .replace(
        /^bootloader-custom-backend=.*$/m,
        `bootloader-custom-backend=${join(this.#backEnd, "boot-slots")}`,
      )
      .replace("/dev/nvrd/a", this.slotFile("a"))
      .replace("/dev/nvrd/b", this.slotFile("b"));
  }

  #isOnBus(): boolean {
    try {
      execFileSync("rauc", [`--conf=${this.configFile}`, "status"], {
        env: { ...process.env, ...this.environment },
        stdio: "ignore",
      });
      return true;
    } catch {
      // Not yet.
      return false;
    }
  }
}

export interface BundleOptions {
  readonly version?: string;
  readonly compatible?: string;
  readonly keys?: RaucBox["keys"];
  readonly name?: string;
  readonly format?: "plain" | "verity";
  /** A part of the kernel that the root does not have. */
  readonly lacks?: string;
}

interface RootOptions {
  readonly root: string;
  readonly version: string;
  readonly compatible: string;
  readonly lacks: string | undefined;
}

function copyBackEnd(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of BACK_ENDS)
    copyFileSync(join(REPOSITORY_ROOT, "image", "rauc", name), join(folder, name));
}

function keysIn(directory: string): RaucBox["keys"] {
  if (!existsSync(directory)) makeUpdateKeys(directory, "nvrd test");
  return {
    key: join(directory, "key.pem"),
    cert: join(directory, "cert.pem"),
    keyring: join(directory, "keyring.pem"),
  };
}

async function waitFor(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error("RAUC's service does not come up");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
