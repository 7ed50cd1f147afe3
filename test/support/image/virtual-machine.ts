import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";

/** Parts of emulated machines: Debian's kernel, an initramfs that loads modules, a root of copied programs. */

/** Kernel, initramfs and root file systems are kept between runs. */
export const CACHE = join(REPOSITORY_ROOT, "build", "virtual-machine");
const KERNEL = join(CACHE, "kernel");
const BUSYBOX = "/bin/busybox";
const NEEDED = ["qemu-system-x86_64", "mkfs.ext4", "modprobe", "depmod", "dpkg-deb"];
/** On a busy machine the emulated timer comes too late for the kernel's check of it, which would end in a panic. */
export const KERNEL_COMMAND_LINE = "console=ttyS0 quiet panic=-1 no_timer_check";

/** Runs before anything else: loads what the root's disk needs and goes over to it. */
const FIRST_INIT = `#!/bin/busybox sh
/bin/busybox mount -t devtmpfs none /dev
for module in $(/bin/busybox cat /modules/order); do /bin/busybox insmod /modules/$module; done
/bin/busybox mount -t ext4 -o ro /dev/vda /root
/bin/busybox mount --move /dev /root/dev
exec /bin/busybox switch_root /root /init
`;

/** Why there can be no machine here; undefined where it works. `programs` are needed beside. */
export function machineMissing(programs: readonly string[] = []): string | undefined {
  if (process.arch !== "x64") return "the machine is an x86 one";
  if (!existsSync(BUSYBOX)) return "busybox-static is not installed";
  const absent = [...NEEDED, ...programs].find((name) => spawnSync("which", [name]).status !== 0);
  return absent === undefined ? undefined : `${absent} is not installed`;
}

/** Debian's kernel, unpacked beside, not installed. */
function unpackKernel(): void {
  if (existsSync(KERNEL)) return;
  mkdirSync(CACHE, { recursive: true });
  const depends = run("apt-cache", ["depends", "linux-image-amd64"]);
  const name = /Depends: (linux-image-\S+)/.exec(depends)?.[1];
  if (name === undefined) throw new Error("apt knows no linux-image-amd64");
  run("apt-get", ["-q", "download", name], CACHE);
  const file = readdirSync(CACHE).find((entry) => entry.startsWith(`${name}_`));
  if (file === undefined) throw new Error(`${name} was not downloaded`);
  const unpacking = `${KERNEL}.unpacking`;
  rmSync(unpacking, { recursive: true, force: true });
  run("dpkg-deb", ["-x", join(CACHE, file), unpacking]);
  rmSync(join(CACHE, file));
  // Debian 13 and later put them below /usr.
  const modules = existsSync(join(unpacking, "lib/modules")) ? "lib/modules" : "usr/lib/modules";
  if (modules !== "lib/modules")
    cpSync(join(unpacking, modules), join(unpacking, "lib/modules"), { recursive: true });
  run("depmod", ["-b", unpacking, readdirSync(join(unpacking, "lib/modules"))[0] ?? ""]);
  run("mv", [unpacking, KERNEL]);
}

export function kernelImage(): string {
  unpackKernel();
  const name = readdirSync(join(KERNEL, "boot")).find((entry) => entry.startsWith("vmlinuz-"));
  if (name === undefined) throw new Error("the kernel package has no vmlinuz");
  return join(KERNEL, "boot", name);
}

/** The initramfs with these modules of the kernel, made where the cache has none. */
export function initramfs(name: string, modules: readonly string[]): string {
  const file = join(CACHE, name);
  if (existsSync(file)) return file;
  unpackKernel();
  const directory = `${file}.tree`;
  rmSync(directory, { recursive: true, force: true });
  for (const name of ["bin", "dev", "modules", "root"]) mkdirSync(join(directory, name), { recursive: true });
  copyFileSync(BUSYBOX, join(directory, "bin/busybox"));
  const version = readdirSync(join(KERNEL, "lib/modules"))[0] ?? "";
  const order = new Set<string>();
  for (const module of modules) {
    const plan = run("modprobe", ["-d", KERNEL, "-S", version, "--show-depends", module]);
    for (const [, file = ""] of plan.matchAll(/^insmod (\S+)/gm)) order.add(file);
  }
  const names = [...order].map((file) => {
    const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.xz$/, "");
    const target = join(directory, "modules", name);
    if (file.endsWith(".xz"))
      writeFileSync(target, spawnSync("xz", ["-dc", file], { maxBuffer: 1e8 }).stdout);
    else copyFileSync(file, target);
    return name;
  });
  writeFileSync(join(directory, "modules/order"), `${names.join("\n")}\n`);
  writeFileSync(join(directory, "init"), FIRST_INIT);
  chmodSync(join(directory, "init"), 0o755);
  run("sh", ["-c", `find . | ${BUSYBOX} cpio -o -H newc 2>/dev/null | gzip -1 > ${file}.new`], directory);
  run("mv", [`${file}.new`, file]);
  rmSync(directory, { recursive: true });
  return file;
}

/** An ext4 image of a tree, which goes away. */
export function imageOf(tree: string, image: string, bytes: number): void {
  rmSync(image, { force: true });
  writeFileSync(image, "");
  truncateSync(image, bytes);
  run("mkfs.ext4", ["-q", "-F", "-O", "^has_journal", "-d", tree, image]);
  rmSync(tree, { recursive: true });
}

/** With the libraries it is linked to, each at its own path. */
export function copyProgram(program: string, tree: string): void {
  const { stdout } = spawnSync("ldd", [program], { encoding: "utf8" });
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
  for (const file of [program, ...libraries]) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    copyFileSync(file, join(tree, file));
  }
}

/** Directories of what is installed and not for development alone, as the lock file has them. */
export function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(REPOSITORY_ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([name, { dev }]) => name !== "" && dev !== true && existsSync(join(REPOSITORY_ROOT, name)))
    .map(([name]) => name);
}

export function run(command: string, args: readonly string[], cwd?: string): string {
  const done = spawnSync(command, args, { encoding: "utf8", ...(cwd === undefined ? {} : { cwd }) });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}: ${done.stderr || done.error?.message}`);
  return done.stdout;
}
