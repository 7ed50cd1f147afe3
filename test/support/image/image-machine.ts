import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
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

/** A tap device that a box is plugged into in place of the emulator's own network. */
export interface Plug {
  readonly namespace: string;
  readonly tap: string;
  /** The box's address there, for a shell. */
  readonly shellAddress: string;
}

export interface MachineStart {
  /** Through the firmware and the boot loader; else the kernel is given directly. */
  readonly efi?: boolean;
  /** A USB stick is plugged in: a file with a FAT file system. */
  readonly stick?: string;
}

/** A box with the image that was built last, in an emulator: its flash, a disk for recordings, its network. */
export class ImageMachine {
  readonly #directory: string;
  readonly #kernel: string;
  readonly #plug: Plug | undefined;
  #process: BackgroundProcess | undefined;
  #ports: Record<GuestPort, number> = { ...GUEST_PORTS };
  #startedMs = 0;

  private constructor(directory: string, kernel: string, plug: Plug | undefined) {
    this.#directory = directory;
    this.#kernel = kernel;
    this.#plug = plug;
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    const absent = NEEDED.find((name) => spawnSync("which", [name]).status !== 0);
    if (absent !== undefined) return `${absent} is not installed`;
    if (!existsSync(FIRMWARE)) return "qemu-efi-aarch64 is not installed";
    return imageFile() === undefined ? "there is no image: npm run image" : undefined;
  }

  /** A box as it is after the image was written to its flash. */
  static make(directory: string, plug?: Plug): ImageMachine {
    const image = imageFile();
    if (image === undefined) throw new Error("there is no image: npm run image");
    runTool("cp", ["--sparse=always", image, join(directory, "flash.img")]);
    truncateSync(join(directory, "flash.img"), DISK_BYTES);
    writeFileSync(join(directory, "recordings.img"), "");
    truncateSync(join(directory, "recordings.img"), RECORDINGS_DISK_BYTES);
    copyFileSync(FIRMWARE_VARIABLES, join(directory, "variables.fd"));
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(directory, "key")]);
    return new ImageMachine(directory, image.replace(/\.img$/, ".boot"), plug);
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
  async start({ efi = false, stick }: MachineStart = {}): Promise<void> {
    const network = await this.#networkArguments();
    this.#startedMs = performance.now();
    const [command = "", ...before] = [...this.#onNetwork, "nice", "-n", "10", "qemu-system-aarch64"];
    this.#process = new BackgroundProcess(command, [
      ...before,
      ...[
        "-M",
        "virt",
        "-cpu",
        "cortex-a72",
        "-smp",
        "2",
        "-m",
        `${MEMORY_MB}`,
        "-accel",
        "tcg,thread=multi",
      ],
      ...["-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"],
      ...["-qmp", `unix:${this.#controlSocket},server=on,wait=off`],
      ...(efi ? this.#firmwareArguments() : this.#kernelArguments()),
      ...["-drive", `file=${this.flash},format=raw,if=virtio`],
      ...["-drive", `file=${join(this.#directory, "recordings.img")},format=raw,if=none,id=recordings`],
      ...["-device", "virtio-blk-pci,drive=recordings,serial=RECORDINGS1"],
      ...["-device", "i6300esb", "-netdev", network],
      ...["-device", "virtio-net-pci,netdev=net,romfile="],
      ...(stick === undefined ? [] : stickArguments(stick)),
    ]);
  }

  get #controlSocket(): string {
    return join(this.#directory, "control.sock");
  }

  /** Before a command that runs on the box's network. */
  get #onNetwork(): readonly string[] {
    return this.#plug === undefined ? [] : ["ip", "netns", "exec", this.#plug.namespace];
  }

  async #networkArguments(): Promise<string> {
    if (this.#plug !== undefined) return `tap,id=net,ifname=${this.#plug.tap},script=no,downscript=no`;
    const names = Object.keys(GUEST_PORTS) as GuestPort[];
    const free = await freePorts(names.length);
    this.#ports = Object.fromEntries(names.map((name, at) => [name, free[at] ?? 0])) as Record<
      GuestPort,
      number
    >;
    const forwards = names.map((name) => `hostfwd=tcp:127.0.0.1:${this.#ports[name]}-:${GUEST_PORTS[name]}`);
    return ["user", "id=net", ...forwards].join(",");
  }

  /** Pulls the cable out of the box, or plugs it in. */
  async setCable(isPlugged: boolean): Promise<void> {
    const orders = [
      { execute: "qmp_capabilities" },
      { execute: "set_link", arguments: { name: "net", up: isPlugged } },
    ];
    const control = connect(this.#controlSocket);
    control.setEncoding("utf8").setTimeout(COMMAND_TIMEOUT_MS, () => control.destroy());
    let said = "";
    control.on("data", (text: string) => {
      said += text;
      // It greets, then answers each order.
      if (said.split('{"return": {}}').length > orders.length) control.end();
    });
    const closed = once(control, "close");
    control.write(orders.map((order) => `${JSON.stringify(order)}\n`).join(""));
    await closed;
    if (said.split('{"return": {}}').length <= orders.length) throw new Error(`the emulator says: ${said}`);
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
    const at = this.#plug?.shellAddress ?? "127.0.0.1";
    const port = this.#plug === undefined ? this.port("ssh") : GUEST_PORTS.ssh;
    const [program = "", ...args] = [
      ...[...this.#onNetwork, "ssh", ...options.flatMap((option) => ["-o", option])],
      ...["-i", join(this.#directory, "key"), "-p", `${port}`, "-l", "root", at, command],
    ];
    const deadline = performance.now() + deadlineMs;
    for (;;) {
      const ssh = new BackgroundProcess(program, args);
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

/** As the emulator plugs it in. */
function stickArguments(file: string): readonly string[] {
  const drive = `file=${file},format=raw,if=none,id=stick`;
  return ["-device", "qemu-xhci", "-drive", drive, "-device", "usb-storage,drive=stick,removable=on"];
}

/** The newest image of the kind that an emulator starts. */
function imageFile(): string | undefined {
  if (!existsSync(IMAGES)) return undefined;
  const name = readdirSync(IMAGES).find((entry) => /^nvrd-.*-generic-arm64\.img$/.test(entry));
  return name === undefined ? undefined : join(IMAGES, name);
}
