import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { BackgroundProcess } from "./background-process.js";
import { pause } from "./service.js";
import {
  CACHE,
  initramfs,
  KERNEL_COMMAND_LINE,
  kernelImage,
  machineMissing,
  run,
} from "./virtual-machine.js";

/** The emulated machine starts at a tenth of the real one's speed, with others beside it. */
const START_TIMEOUT_MS = 400_000;
const COMMAND_TIMEOUT_MS = 300_000;
const MEMORY_MB = 1536;
const ROOT_BYTES = 3 * 1024 * 1024 * 1024;
const AGENT_PORT = "agent";
const MODULES = ["virtio_pci", "virtio_blk", "virtio_net", "virtio_console", "ext4", "nvme"];
/** Beside what the package asks for: an init system, and what the tests look with. */
const BASE_PACKAGES = [
  "dbus",
  "iproute2",
  "procps",
  "smartmontools",
  "systemd-sysv",
  "systemd-timesyncd",
  "udev",
];

/** Answers commands at a port of the machine: a line with the command in base64, a line with output and status. */
const AGENT = `#!/bin/bash
ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up; ip route add default via 10.0.2.2
mkdir -p /packages; mount -o ro /dev/vdb /packages
exec 3<>/dev/virtio-ports/${AGENT_PORT}
while IFS= read -r line <&3; do
  output=$(timeout 280 bash -c "$(base64 -d <<<"$line")" 2>&1 </dev/null)
  status=$?
  printf '%s %s\\n' "$status" "$(base64 -w0 <<<"$output")" >&3
done
`;
const AGENT_UNIT = `[Unit]
Description=agent of the tests
After=systemd-udev-settle.service
Wants=systemd-udev-settle.service
[Service]
ExecStart=/usr/local/sbin/agent
OOMScoreAdjust=-1000
[Install]
WantedBy=multi-user.target
`;
/** Makes a minimal root that boots by itself, with the agent. */
const CUSTOMIZE = [
  'mkdir -p "$1/usr/local/sbin"',
  'cp "$AGENT_FOLDER/agent" "$1/usr/local/sbin/agent"',
  'cp "$AGENT_FOLDER/agent.service" "$1/etc/systemd/system/agent.service"',
  'ln -s /sbin/init "$1/init"',
  'ln -s /etc/systemd/system/agent.service "$1/etc/systemd/system/multi-user.target.wants/agent.service"',
  'echo "/dev/vda / ext4 rw,noatime 0 0" > "$1/etc/fstab"',
  'echo nvr > "$1/etc/hostname"',
  'rm -f "$1/etc/systemd/system/getty.target.wants/"* "$1/etc/machine-id"; touch "$1/etc/machine-id"',
  'ln -sf /dev/null "$1/etc/systemd/system/systemd-networkd-wait-online.service"',
  'rm -f "$1/usr/sbin/policy-rc.d"',
];

export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/** A Debian of its own under systemd, in an emulated machine, with a shell for the tests. */
export class SystemdMachine {
  readonly process: BackgroundProcess;
  readonly #socket: Socket;
  #buffered = "";
  #answer: ((line: string) => void) | undefined;

  private constructor(process: BackgroundProcess, socket: Socket) {
    this.process = process;
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#read(text));
    socket.on("error", () => undefined); // the machine's end; whoever waits for an answer sees the process ended
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    if (process.getuid?.() !== 0) return "only root can make a Debian";
    return machineMissing(["mmdebstrap"]);
  }

  /**
   * Starts a fresh machine with `packages` (.deb files) at /packages, on a Debian that has what they depend on.
   * `arguments` go to the emulator beside.
   */
  static async start(options: {
    readonly directory: string;
    readonly suite: string;
    readonly sources: ReadonlyMap<string, string>;
    readonly packages: readonly string[];
    readonly emulatorArguments?: readonly string[];
  }): Promise<SystemdMachine> {
    const { directory, packages } = options;
    const root = debianImage(options.suite, options.sources, dependenciesOf(packages));
    const data = packagesImage(directory, packages);
    const overlay = join(directory, "root.qcow2");
    run("qemu-img", ["create", "-q", "-f", "qcow2", "-F", "raw", "-b", root, overlay]);
    const port = join(directory, "agent.sock");
    const machine = new BackgroundProcess("nice", [
      ...["-n", "10", "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2"],
      ...["-m", `${MEMORY_MB}`, "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"],
      ...["-kernel", kernelImage(), "-initrd", initramfs("systemd-initramfs.gz", MODULES)],
      ...["-append", `${KERNEL_COMMAND_LINE} net.ifnames=0 systemd.show_status=0 rd.systemd.unit=none`],
      ...["-drive", `file=${overlay},format=qcow2,if=virtio,cache=unsafe`],
      ...["-drive", `file=${data},format=raw,if=virtio,readonly=on`],
      ...["-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,romfile="],
      ...["-device", "virtio-serial-pci", "-chardev", `socket,id=agent,path=${port},server=on,wait=off`],
      ...["-device", `virtserialport,chardev=agent,name=${AGENT_PORT}`],
      ...(options.emulatorArguments ?? []),
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

  /** The output of a command that must succeed. */
  async output(command: string): Promise<string> {
    const { status, output } = await this.shell(command);
    if (status !== 0) throw new Error(`in the machine: ${command}: status ${status}: ${output}`);
    return output;
  }

  /** Resolves with a command's output as soon as `accepts` takes it. */
  async until(command: string, accepts: (output: string) => boolean, timeoutMs = 180_000): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const { output } = await this.shell(command);
      if (accepts(output)) return output;
      if (performance.now() > deadline) throw new Error(`in the machine: ${command}: still ${output}`);
      await pause(500);
    }
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
    if (machine.exit !== undefined) throw new Error(`the emulator has ended: ${machine.output}`);
    await pause(50);
  }
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return socket;
}

/** Names of the packages that the .deb files depend on. */
function dependenciesOf(packages: readonly string[]): string[] {
  const texts = packages.map((file) => run("dpkg-deb", ["-f", file, "Depends"]));
  const names = texts.flatMap((text) => text.split(",").map((entry) => entry.trim().split(" ", 1)[0] ?? ""));
  return [...new Set(names)].filter((name) => name !== "").sort();
}

/** A Debian of `suite` with what nvrd depends on, and without nvrd; made where the cache has none. */
export function debianImage(
  suite: string,
  sources: ReadonlyMap<string, string>,
  packages: readonly string[],
): string {
  const include = [...new Set([...BASE_PACKAGES, ...packages])].sort();
  const made = createHash("sha256").update(JSON.stringify([include, AGENT, AGENT_UNIT, CUSTOMIZE]));
  const image = join(CACHE, `debian-${suite}-${made.digest("hex").slice(0, 12)}.ext4`);
  if (existsSync(image)) return image;
  const work = `${image}.work`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, "agent"), AGENT, { mode: 0o755 });
  writeFileSync(join(work, "agent.service"), AGENT_UNIT);
  const files = [...sources].map(([name, text]) => {
    writeFileSync(join(work, name), text);
    return join(work, name);
  });
  const hooks = CUSTOMIZE.map((command) => `--customize-hook=${command}`);
  const wanted = `--include=${include.join(",")}`;
  const tree = join(work, "tree");
  const done = spawnSync(
    "nice",
    ["-n", "10", "mmdebstrap", "--quiet", "--variant=minbase", wanted, ...hooks, suite, tree, ...files],
    { encoding: "utf8", env: { ...process.env, INITRD: "No", AGENT_FOLDER: work } },
  );
  if (done.status !== 0) throw new Error(`mmdebstrap: ${done.stderr || done.error?.message}`);
  writeFileSync(`${image}.new`, "");
  truncateSync(`${image}.new`, ROOT_BYTES);
  run("mkfs.ext4", ["-q", "-F", "-d", tree, `${image}.new`]);
  run("mv", [`${image}.new`, image]);
  rmSync(work, { recursive: true, force: true });
  return image;
}

function packagesImage(directory: string, packages: readonly string[]): string {
  const tree = join(directory, "packages");
  mkdirSync(tree);
  for (const file of packages) run("cp", [file, tree]);
  const image = join(directory, "packages.ext4");
  writeFileSync(image, "");
  truncateSync(image, 256 * 1024 * 1024);
  run("mkfs.ext4", ["-q", "-F", "-O", "^has_journal", "-d", tree, image]);
  rmSync(tree, { recursive: true });
  return image;
}
