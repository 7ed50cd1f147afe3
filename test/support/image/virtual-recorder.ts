import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { BackgroundProcess, freePorts } from "../service/background-process.js";
import { pause, ROOT_PASSWORD, Service } from "../service/service.js";
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
} from "./virtual-machine.js";

const ROOT_IMAGE = join(CACHE, "root.ext4");
const MODULES = ["virtio_pci", "virtio_blk", "virtio_net", "ext4"];
const COMMANDS = ["sh", "mount", "mkdir", "ip", "cat", "env"];
const PROGRAMS = ["/bin/busybox", process.execPath];
const NEEDED = ["qemu-img", "e2fsck"];
const ROOT_IMAGE_BYTES = 512 * 1024 * 1024;
const MEMORY_MB = 1024;
const GUEST_PORT = 8080;
/** The emulated machine starts at a tenth of the real one's speed, with others beside it. */
const START_TIMEOUT_MS = 300_000;
const ANSWER_TIMEOUT_MS = 15_000;

/** The address of this machine as the virtual one sees it. */
export const HOST_ADDRESS = "10.0.2.2";

/** How the machine's disk treats what was not flushed; both survive the end of the emulator as a disk survives a power cut. */
export type DiskCache =
  /** qcow2: blocks newly allocated since the last flush are lost with the emulator, as in a disk's volatile cache. */
  | "writeback"
  /** raw, flushes ignored: what the kernel has sent is there. */
  | "unsafe";

const SECOND_INIT = `#!/bin/sh
mount -t proc none /proc
mount -t sysfs none /sys
mount -t tmpfs none /tmp
ip link set lo up
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
ip route add default via ${HOST_ADDRESS}
mount -t ext4 /dev/vdb /data || exec sh -c 'echo the disk does not mount'
export NVRD_ROOT_PASSWORD='${ROOT_PASSWORD}' HOME=/tmp PATH=/bin:/usr/bin
exec node /nvrd/bin/nvrd run --data /data/nvrd --config /settings.json --listen 0.0.0.0 \\
  --http-port ${GUEST_PORT} --https-port 0 --rtsp-port 0
`;

/** A whole recorder in an emulated machine with a kernel and a disk of its own, so that it can lose its power at any moment. */
export class VirtualRecorder {
  readonly #disk: string;
  readonly #cache: DiskCache;

  private constructor(disk: string, cache: DiskCache) {
    this.#disk = disk;
    this.#cache = cache;
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    if (process.getuid?.() !== 0) return "only root can mount the disk afterwards";
    return machineMissing(NEEDED);
  }

  /** Makes a recorder with an empty disk below `directory`; kernel and root are made where the cache has none. */
  static make(directory: string, cache: DiskCache, bytes: number): VirtualRecorder {
    makeRoot();
    const raw = join(directory, "disk.raw");
    writeFileSync(raw, "");
    truncateSync(raw, bytes);
    run("mkfs.ext4", ["-q", "-F", raw]);
    if (cache === "unsafe") return new VirtualRecorder(raw, cache);
    const disk = join(directory, "disk.qcow2");
    run("qemu-img", ["convert", "-f", "raw", "-O", "qcow2", raw, disk]);
    rmSync(raw);
    return new VirtualRecorder(disk, cache);
  }

  /** Turns it on. Resolves when its API answers; `kill` of the service is the end of the power. */
  async start(): Promise<Service> {
    const [port] = await freePorts(1);
    if (port === undefined) throw new Error("no free port");
    const format = this.#cache === "unsafe" ? "raw" : "qcow2";
    const machine = new BackgroundProcess("qemu-system-x86_64", [
      ...["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", `${MEMORY_MB}`],
      ...["-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"],
      ...[
        "-kernel",
        kernelImage(),
        "-initrd",
        initramfs("initramfs.gz", MODULES),
        "-append",
        KERNEL_COMMAND_LINE,
      ],
      ...["-drive", `file=${ROOT_IMAGE},format=raw,if=virtio,readonly=on`],
      ...["-drive", `file=${this.#disk},format=${format},if=virtio,cache=${this.#cache}`],
      ...["-netdev", `user,id=net,hostfwd=tcp:127.0.0.1:${port}-:${GUEST_PORT}`],
      ...["-device", "virtio-net-pci,netdev=net,romfile="],
    ]);
    const service = Service.inMachine(machine, port);
    try {
      await answering(service);
    } catch (error) {
      await service.kill();
      throw error;
    }
    return service;
  }

  /** The disk's file system as a file, when the machine is off: the journal replayed and checked. Throws when it is damaged. */
  diskImage(directory: string): string {
    const image = join(directory, "after.raw");
    const format = this.#cache === "unsafe" ? "raw" : "qcow2";
    run("qemu-img", ["convert", "-f", format, "-O", "raw", this.#disk, image]);
    // Its status is 0 or 1 when all that was to do is the journal.
    const { status, stdout } = spawnSync("e2fsck", ["-f", "-p", image], { encoding: "utf8" });
    if (status === null || status > 1) throw new Error(`the file system is damaged: ${stdout}`);
    return image;
  }
}

/** Resolves when the API answers. A request that came before the machine's network was up may never be answered. */
async function answering(service: Service): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const asked = service.get("/command?type=gettime", { timeoutMs: ANSWER_TIMEOUT_MS });
    const status = await asked.then(
      (answer) => answer.status,
      (error: Error) => error.message,
    );
    if (status === 200) return;
    if (service.process.exit !== undefined || performance.now() > deadline)
      throw service.process.failure(`the machine does not answer (${status})`);
    await pause(500);
  }
}

/** The root with Node and the service as it is built now. */
function makeRoot(): void {
  mkdirSync(CACHE, { recursive: true });
  const tree = `${ROOT_IMAGE}.tree`;
  rmSync(tree, { recursive: true, force: true });
  for (const name of ["bin", "dev", "proc", "sys", "tmp", "data", "usr/bin"]) {
    mkdirSync(join(tree, name), { recursive: true });
  }
  for (const program of PROGRAMS) copyProgram(program, tree);
  for (const command of COMMANDS) symlinkSync("busybox", join(tree, "bin", command));
  if (process.execPath !== "/usr/bin/node") symlinkSync(process.execPath, join(tree, "usr/bin/node"));
  const built = ["build/nvrd.node", "build/Release/lmdb.node", "build/http"];
  for (const name of ["bin", "dist", ...built, "package.json"]) {
    cpSync(join(REPOSITORY_ROOT, name), join(tree, "nvrd", name), { recursive: true, dereference: true });
  }
  for (const name of productionPackages()) {
    cpSync(join(REPOSITORY_ROOT, name), join(tree, "nvrd", name), { recursive: true, dereference: true });
  }
  const volumes = [{ path: "/data/volume", reserveBytes: "16 MB" }];
  writeFileSync(join(tree, "settings.json"), JSON.stringify({ segmentSeconds: 5, volumes }));
  writeFileSync(join(tree, "init"), SECOND_INIT);
  chmodSync(join(tree, "init"), 0o755);
  imageOf(tree, ROOT_IMAGE, ROOT_IMAGE_BYTES);
}
