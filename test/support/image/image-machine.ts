import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { BackgroundProcess, freePorts } from "../service/background-process.js";
import { pause } from "../service/service.js";
import { runTool } from "./image-parts.js";

const IMAGES = join(REPOSITORY_ROOT, "build/image");
const FIRMWARE = "/usr/share/AAVMF/AAVMF_CODE.fd";
const FIRMWARE_VARIABLES = "/usr/share/AAVMF/AAVMF_VARS.fd";
const NEEDED = ["qemu-system-aarch64", "mcopy", "ssh", "ssh-keygen", "sfdisk", "e2fsck"];
/** The boot partition within the disk, as mtools names it. */
const BOOT_OFFSET = "@@1M";
const DISK_BYTES = 6 * 1024 ** 3;
const RECORDINGS_DISK_BYTES = 10 * 1024 ** 3;
const MEMORY_MB = 1536;
const COMMAND_TIMEOUT_MS = 120_000;
/** What the guest sees of the second disk: its name in NVRD-DISKS.txt. */
export const RECORDINGS_DISK = "virtio-RECORDINGS1";
export const GUEST_PORTS = { http: 8080, https: 18_080, ssh: 22, other: 8099, unused: 9999 } as const;
export type GuestPort = keyof typeof GUEST_PORTS;

export interface MachineStart {
  /** Through the firmware and the boot loader; else the kernel is given directly. */
  readonly efi?: boolean;
}

/** A box with the image that was built last, in an emulator: its flash, a disk for recordings, its network. */
export class ImageMachine {
  readonly #directory: string;
  readonly #kernel: string;
  #process: BackgroundProcess | undefined;
  #ports: Record<GuestPort, number> = { ...GUEST_PORTS };
  #startedMs = 0;

  private constructor(directory: string, kernel: string) {
    this.#directory = directory;
    this.#kernel = kernel;
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    const absent = NEEDED.find((name) => spawnSync("which", [name]).status !== 0);
    if (absent !== undefined) return `${absent} is not installed`;
    if (!existsSync(FIRMWARE)) return "qemu-efi-aarch64 is not installed";
    return imageFile() === undefined ? "there is no image: npm run image" : undefined;
  }

  /** A box as it is after the image was written to its flash. */
  static make(directory: string): ImageMachine {
    const image = imageFile();
    if (image === undefined) throw new Error("there is no image: npm run image");
    runTool("cp", ["--sparse=always", image, join(directory, "flash.img")]);
    truncateSync(join(directory, "flash.img"), DISK_BYTES);
    writeFileSync(join(directory, "recordings.img"), "");
    truncateSync(join(directory, "recordings.img"), RECORDINGS_DISK_BYTES);
    copyFileSync(FIRMWARE_VARIABLES, join(directory, "variables.fd"));
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(directory, "key")]);
    return new ImageMachine(directory, image.replace(/\.img$/, ".boot"));
  }

  get flash(): string {
    return join(this.#directory, "flash.img");
  }

  get publicKey(): string {
    return readFileSync(join(this.#directory, "key.pub"), "utf8");
  }

  get isOn(): boolean {
    return this.#process !== undefined;
  }

  get process(): BackgroundProcess {
    if (this.#process === undefined) throw new Error("the machine is off");
    return this.#process;
  }

  /** What it has said on its serial console since it was turned on. */
  get console(): string {
    return this.process.output;
  }

  get secondsOn(): number {
    return (performance.now() - this.#startedMs) / 1000;
  }

  /** The port of this machine behind which the box's is. */
  port(name: GuestPort): number {
    return this.#ports[name];
  }

  /** Turns it on. */
  async start({ efi = false }: MachineStart = {}): Promise<void> {
    const names = Object.keys(GUEST_PORTS) as GuestPort[];
    const free = await freePorts(names.length);
    this.#ports = Object.fromEntries(names.map((name, at) => [name, free[at] ?? 0])) as Record<
      GuestPort,
      number
    >;
    const forwards = names.map((name) => `hostfwd=tcp:127.0.0.1:${this.#ports[name]}-:${GUEST_PORTS[name]}`);
    this.#startedMs = performance.now();
    this.#process = new BackgroundProcess("nice", [
      ...[
        "-n",
        "10",
        "qemu-system-aarch64",
        "-M",
        "virt",
        "-cpu",
        "cortex-a72",
        "-smp",
        "2",
        "-m",
        `${MEMORY_MB}`,
      ],
      ...[
        "-accel",
        "tcg,thread=multi",
        "-display",
        "none",
        "-monitor",
        "none",
        "-serial",
        "stdio",
        "-no-reboot",
      ],
      ...(efi ? this.#firmwareArguments() : this.#kernelArguments()),
      ...["-drive", `file=${this.flash},format=raw,if=virtio`],
      ...["-drive", `file=${join(this.#directory, "recordings.img")},format=raw,if=none,id=recordings`],
      ...["-device", "virtio-blk-pci,drive=recordings,serial=RECORDINGS1"],
      ...["-device", "i6300esb", "-netdev", ["user", "id=net", ...forwards].join(",")],
      ...["-device", "virtio-net-pci,netdev=net,romfile="],
    ]);
  }

  #kernelArguments(): string[] {
    const line = `rauc.slot=a ${readFileSync(join(this.#kernel, "cmdline"), "utf8").trim()}`;
    const [kernel, first] = ["vmlinuz", "initrd.img"].map((name) => join(this.#kernel, name));
    return ["-kernel", kernel ?? "", "-initrd", first ?? "", "-append", line];
  }

  #firmwareArguments(): string[] {
    const variables = join(this.#directory, "variables.fd");
    const flash = "if=pflash,format=raw";
    return ["-drive", `${flash},readonly=on,file=${FIRMWARE}`, "-drive", `${flash},file=${variables}`];
  }

  /** The end of its power. */
  async cut(): Promise<void> {
    const process_ = this.process;
    await process_.stop("SIGKILL");
    this.#process = undefined;
  }

  /** Runs a shell command in the box over SSH and answers what it says; waits for SSH to be there. */
  async shell(command: string, deadlineMs: number): Promise<string> {
    const options = [
      "StrictHostKeyChecking=no",
      "UserKnownHostsFile=/dev/null",
      "LogLevel=ERROR",
      "ConnectTimeout=60",
    ];
    const args = [
      ...options.flatMap((option) => ["-o", option]),
      ...["-i", join(this.#directory, "key"), "-p", `${this.port("ssh")}`, "root@127.0.0.1", command],
    ];
    const deadline = performance.now() + deadlineMs;
    for (;;) {
      const ssh = new BackgroundProcess("ssh", args);
      const timer = setTimeout(() => ssh.signal("SIGKILL"), COMMAND_TIMEOUT_MS);
      const { code } = await ssh.exited.finally(() => clearTimeout(timer));
      if (code === 0) return ssh.stdout;
      // 255 is ssh's own: not reached.
      if (code !== 255 && code !== null) throw new Error(`${command}: status ${code}: ${ssh.output}`);
      if (this.process.exit !== undefined || performance.now() > deadline)
        throw new Error(`no SSH (${ssh.output}); the console:\n${this.console.slice(-8000)}`);
      await pause(2000);
    }
  }

  /** Puts a file onto the boot partition while the machine is off. */
  putFile(name: string, text: string): void {
    const file = join(this.#directory, "put", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    runTool("mcopy", ["-o", "-i", `${this.flash}${BOOT_OFFSET}`, file, `::/${name}`]);
  }

  /** A file of the boot partition while the machine is off; undefined where there is none. */
  getFile(name: string): string | undefined {
    const done = spawnSync("mtype", ["-i", `${this.flash}${BOOT_OFFSET}`, `::/${name}`], {
      encoding: "utf8",
    });
    return done.status === 0 ? done.stdout : undefined;
  }
}

/** The newest image of the kind that an emulator starts. */
function imageFile(): string | undefined {
  if (!existsSync(IMAGES)) return undefined;
  const name = readdirSync(IMAGES).find((entry) => /^nvrd-.*-generic-arm64\.img$/.test(entry));
  return name === undefined ? undefined : join(IMAGES, name);
}
