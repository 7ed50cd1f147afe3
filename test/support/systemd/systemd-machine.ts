import { existsSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import {
  initramfs,
  KERNEL_COMMAND_LINE,
  kernelImage,
  machineMissing,
  run,
} from "../image/virtual-machine.js";
import { BackgroundProcess } from "../service/background-process.js";
import { pause } from "../service/service.js";
import { debianImage, debianMissing, imageFrom } from "./systemd-debian.js";
import { type CommandResult, SystemdHost } from "./systemd-host.js";

/** The emulated machine starts at a tenth of the real one's speed, with others beside it. */
const START_TIMEOUT_MS = 400_000;
const COMMAND_TIMEOUT_MS = 600_000;
const MEMORY_MB = 1536;
const PACKAGES_BYTES = 512 * 1024 * 1024;
/** Sparse; the disk keeper formats none below 8 GB. */
const DISK_BYTES = 10 * 1024 * 1024 * 1024;
/** Of the NVMe disk beside the system's. */
export const DISK_SERIAL = "nvrd-test";
const AGENT_PORT = "agent";
const MODULES = ["virtio_pci", "virtio_blk", "virtio_console", "ext4", "nvme"];

/** A Debian of its own under systemd, in an emulated machine, with a shell for the tests. */
export class SystemdMachine extends SystemdHost {
  readonly process: BackgroundProcess;
  readonly #socket: Socket;
  #buffered = "";
  #answer: ((line: string) => void) | undefined;

  private constructor(process: BackgroundProcess, socket: Socket) {
    super();
    this.process = process;
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#read(text));
    socket.on("error", () => undefined); // the machine's end; whoever waits for an answer sees the process ended
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    return debianMissing() ?? machineMissing(["qemu-img"]);
  }

  /** Starts a fresh one in `directory`, with the .deb files at /packages and an NVMe disk beside. */
  static async start(
    directory: string,
    { suite, packages }: { readonly suite: string; readonly packages: readonly string[] },
  ): Promise<SystemdMachine> {
    const root = debianImage(suite, packages);
    const data = packagesImage(directory, packages);
    const disk = join(directory, "disk.raw");
    writeFileSync(disk, "");
    truncateSync(disk, DISK_BYTES);
    const overlay = join(directory, "root.qcow2");
    run("qemu-img", ["create", "-q", "-f", "qcow2", "-F", "raw", "-b", root, overlay]);
    const port = join(directory, "agent.sock");
    const machine = new BackgroundProcess("nice", [
      ...["-n", "10", "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2"],
      ...["-m", `${MEMORY_MB}`, "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"],
      ...["-kernel", kernelImage(), "-initrd", initramfs("systemd-initramfs.gz", MODULES)],
      ...["-append", `${KERNEL_COMMAND_LINE} systemd.show_status=0`],
      ...["-drive", `file=${overlay},format=qcow2,if=virtio,cache=unsafe`],
      ...["-drive", `file=${data},format=raw,if=virtio,readonly=on`],
      ...["-device", "virtio-serial-pci", "-chardev", `socket,id=agent,path=${port},server=on,wait=off`],
      ...["-device", `virtserialport,chardev=agent,name=${AGENT_PORT}`],
      ...[
        "-drive",
        `file=${disk},format=raw,if=none,id=disk`,
        "-device",
        `nvme,drive=disk,serial=${DISK_SERIAL}`,
      ],
    ]);
    try {
      const made = new SystemdMachine(machine, await connected(machine, port));
      await made.#awaitAgent();
      return made;
    } catch (error) {
      await machine.stop("SIGKILL");
      throw error;
    }
  }

  /** Runs a shell command in the machine as root. Rejects when it does not end in time, or when the machine does. */
  async shell(command: string): Promise<CommandResult> {
    const line = await this.#ask(command, COMMAND_TIMEOUT_MS);
    const [status = "", output = ""] = line.split(" ");
    return { status: Number(status), output: Buffer.from(output, "base64").toString("utf8").trimEnd() };
  }

  async stop(): Promise<void> {
    this.#socket.destroy();
    await this.process.stop("SIGKILL");
  }

  async #awaitAgent(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    // What is said before the agent listens is kept by the port; one answer is enough.
    const line = await this.#ask("true", deadline - performance.now());
    if (!line.startsWith("0 ")) throw new Error(`the machine's agent answers ${line}`);
  }

  #ask(command: string, timeoutMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string) => {
        this.#answer = undefined;
        clearInterval(watch);
        reject(new Error(`${reason}: ${command}; console:\n${this.process.output.slice(-6000)}`));
      };
      const deadline = performance.now() + timeoutMs;
      const watch = setInterval(() => {
        if (this.process.exit !== undefined) fail("the machine has ended");
        else if (performance.now() > deadline) fail("no answer in time");
      }, 200);
      this.#answer = (line) => {
        clearInterval(watch);
        resolve(line);
      };
      this.#socket.write(`${Buffer.from(command).toString("base64")}\n`);
    });
  }

  #read(text: string): void {
    this.#buffered += text;
    const end = this.#buffered.indexOf("\n");
    if (end < 0) return;
    const line = this.#buffered.slice(0, end);
    this.#buffered = this.#buffered.slice(end + 1);
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(line);
  }
}

/** Waits for the emulator's socket. */
async function connected(machine: BackgroundProcess, path: string): Promise<Socket> {
  while (!existsSync(path)) {
    if (machine.exit !== undefined) throw machine.failure("the emulator has ended");
    await pause(50);
  }
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return socket;
}

function packagesImage(directory: string, packages: readonly string[]): string {
  const folder = join(directory, "packages");
  mkdirSync(folder);
  for (const file of packages) run("cp", [file, folder]);
  const image = join(directory, "packages.ext4");
  imageFrom(folder, image, PACKAGES_BYTES);
  return image;
}
