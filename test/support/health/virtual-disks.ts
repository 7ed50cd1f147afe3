import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { PATIENCE_MS } from "../base/patience.js";
import { REPOSITORY_ROOT } from "../base/repository.js";
import {
  CACHE,
  copyProgram,
  imageOf,
  initramfs,
  KERNEL_COMMAND_LINE,
  kernelImage,
  machineMissing,
  productionPackages,
  run,
} from "../image/virtual-machine.js";
import { BackgroundProcess } from "../service/background-process.js";

const ROOT_IMAGE = join(CACHE, "disks-root.ext4");
const ROOT_IMAGE_BYTES = 320 * 1024 * 1024;
const MODULES = ["virtio_pci", "virtio_blk", "ext4", "nvme", "ahci", "sd_mod"];
const COMMANDS = ["sh", "mount", "mkdir", "cat", "ls", "stty", "sleep", "umount", "ln"];
const SMARTCTL = "/usr/sbin/smartctl";
const PROGRAMS = ["/bin/busybox", process.execPath, SMARTCTL];
/** Packages that the command of the disks does not load: they are large. */
const LEFT_OUT = /node_modules\/(?:@img|sharp|uWebSockets\.js|nodemailer)/;
const MEMORY_MB = 512;
const ATA_DISK_BYTES = 256 * 1024 * 1024;
const NVME_DISK_BYTES = 128 * 1024 * 1024;
/** An emulated machine takes its time, the more so beside others. */
const START_TIMEOUT_MS = 3 * PATIENCE_MS;

/** What ends each answer of the machine's shell. */
const END = /\n__ended (\d+)__\r?\n/;
const INIT = `#!/bin/sh
mount -t proc none /proc
mount -t sysfs none /sys
mount -t tmpfs none /tmp
export HOME=/tmp PATH=/bin:/usr/bin:/usr/sbin
stty -F /dev/ttyS1 raw -echo
exec </dev/ttyS1 >/dev/ttyS1 2>&1
echo; echo __ended 0__
while read -r line; do
  sh -c "$line"
  status=$?
  echo; echo "__ended $status"__
done
`;

/** What a command in the machine printed, and how it ended. */
export interface MachineAnswer {
  readonly output: string;
  readonly status: number;
}

/** An emulated machine with a SATA disk (`sda`, of one partition) and an NVMe drive (`nvme0n1`), and nvrd's command line in it. */
export class VirtualDisks {
  readonly #machine: BackgroundProcess;
  readonly #directory: string;
  #shell: Socket | undefined;
  #heard = "";
  #onHeard: () => void = () => undefined;

  private constructor(machine: BackgroundProcess, directory: string) {
    this.#machine = machine;
    this.#directory = directory;
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    return machineMissing([SMARTCTL, "sfdisk"]);
  }

  /** Starts it; its disks lie in `directory`. Resolves when its shell answers. */
  static async start(directory: string): Promise<VirtualDisks> {
    makeRoot();
    const ata = emptyDisk(join(directory, "ata.raw"), ATA_DISK_BYTES);
    run("sh", ["-c", `echo 'start=2048, type=83' | sfdisk -q ${ata}`]);
    run("mkfs.ext4", ["-q", "-F", "-E", `offset=${2048 * 512}`, ata, "64M"]);
    const nvme = emptyDisk(join(directory, "nvme.raw"), NVME_DISK_BYTES);
    const machine = new BackgroundProcess("nice", [
      ...["-n", "10", "qemu-system-x86_64", "-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max"],
      ...["-smp", "2", "-m", `${MEMORY_MB}`, "-display", "none", "-no-reboot", "-nic", "none"],
      ...["-serial", "stdio", "-serial", `unix:${join(directory, "shell")},server=on,wait=off`],
      ...["-qmp", `unix:${join(directory, "qmp")},server=on,wait=off`],
      ...["-kernel", kernelImage(), "-initrd", initramfs("disks-initramfs.gz", MODULES)],
      ...["-append", KERNEL_COMMAND_LINE],
      ...["-drive", `file=${ROOT_IMAGE},format=raw,if=virtio,readonly=on`],
      ...["-drive", `file=${ata},format=raw,if=none,id=ata`],
      ...["-device", "ide-hd,drive=ata,bus=ide.0,id=sata0,serial=ATA-SERIAL-1,rotation_rate=7200"],
      ...["-drive", `file=${nvme},format=raw,if=none,id=nvme`],
      ...["-device", "nvme,drive=nvme,id=nvme0,serial=NVME-SERIAL-1"],
    ]);
    const disks = new VirtualDisks(machine, directory);
    try {
      await disks.#connect();
    } catch (error) {
      await disks.stop();
      throw error;
    }
    return disks;
  }

  /** Runs a line of shell in the machine. */
  async run(line: string): Promise<MachineAnswer> {
    this.#heard = "";
    this.#shell?.write(`${line}\n`);
    return await this.#ended();
  }

  /** Sets a property of the emulated NVMe drive while it runs, such as `smart_critical_warning`. */
  async setNvme(property: string, value: number): Promise<void> {
    const socket = createConnection(join(this.#directory, "qmp"));
    try {
      const path = "/machine/peripheral/nvme0";
      const set = { execute: "qom-set", arguments: { path, property, value } };
      let heard = "";
      await new Promise<void>((resolve, reject) => {
        socket.once("error", reject);
        socket.setEncoding("utf8").on("data", (chunk: string) => {
          heard += chunk;
          if (/"error"/.test(heard)) reject(new Error(heard));
          if ((heard.match(/"return"/g) ?? []).length === 2) resolve();
        });
        socket.write(`${JSON.stringify({ execute: "qmp_capabilities" })}\n${JSON.stringify(set)}\n`);
      });
    } finally {
      socket.destroy();
    }
  }

  async stop(): Promise<void> {
    this.#shell?.destroy();
    await this.#machine.stop("SIGKILL");
  }

  async #connect(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (this.#shell === undefined) {
      this.#shell = await connected(join(this.#directory, "shell"));
      if (this.#shell === undefined && performance.now() > deadline) throw new Error(this.#console());
    }
    this.#shell.setEncoding("latin1").on("data", (chunk: string) => {
      this.#heard += chunk;
      this.#onHeard();
    });
    await this.#ended();
  }

  async #ended(): Promise<MachineAnswer> {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(this.#console())), START_TIMEOUT_MS);
      this.#onHeard = () => {
        const end = END.exec(this.#heard);
        if (end === null) return;
        clearTimeout(timer);
        resolve({ output: this.#heard.slice(0, end.index), status: Number(end[1]) });
      };
      this.#onHeard();
      void this.#machine.exited.then(() => {
        clearTimeout(timer);
        reject(new Error(`the machine has ended: ${this.#console()}`));
      });
    });
  }

  #console(): string {
    return `no answer; heard: ${this.#heard.slice(-2000)}; console: ${this.#machine.output.slice(-4000)}`;
  }
}

/** The root with Node, smartctl and the service as it is built now. */
function makeRoot(): void {
  mkdirSync(CACHE, { recursive: true });
  const tree = `${ROOT_IMAGE}.tree`;
  rmSync(tree, { recursive: true, force: true });
  for (const name of ["bin", "dev", "proc", "sys", "tmp", "mnt", "usr/bin"])
    mkdirSync(join(tree, name), { recursive: true });
  for (const program of PROGRAMS) copyProgram(program, tree);
  for (const command of COMMANDS) symlinkSync("busybox", join(tree, "bin", command));
  if (process.execPath !== "/usr/bin/node") symlinkSync(process.execPath, join(tree, "usr/bin/node"));
  const packages = productionPackages().filter((name) => !LEFT_OUT.test(name));
  for (const name of ["bin", "dist", "package.json", ...packages])
    cpSync(join(REPOSITORY_ROOT, name), join(tree, "nvrd", name), { recursive: true, dereference: true });
  writeFileSync(join(tree, "init"), INIT);
  chmodSync(join(tree, "init"), 0o755);
  imageOf(tree, ROOT_IMAGE, ROOT_IMAGE_BYTES);
}

function emptyDisk(file: string, bytes: number): string {
  writeFileSync(file, "");
  truncateSync(file, bytes);
  return file;
}

function connected(file: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(file);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => setTimeout(() => resolve(undefined), 100));
  });
}
