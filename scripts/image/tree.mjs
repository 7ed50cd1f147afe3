/**
 * The root file system of a slot, from a base and the package of nvrd. Needs root's rights over files, as root or in a
 * user namespace: it is a program of its own, so that scripts/image.mjs can start it either way.
 *
 *   node scripts/image/tree.mjs PLAN     PLAN is a JSON file (see buildTree)
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { addUpdateParts } from "../update-tree.mjs";
import { dependenciesOf } from "./base.mjs";
import { makeFirstRoot } from "./first-root.mjs";
import { readList } from "./lists.mjs";
import { outputOf, run } from "./run.mjs";
import { bomOf, debianPackages, npmPackages } from "./sbom.mjs";
import { addTrybootModule } from "./tryboot-module.mjs";

const ENABLED = [
  "nvrd.service",
  "nvrd-disks.timer",
  "nvrd-image-identity.service",
  "nvrd-image-take-in.service",
  "nvrd-image-disks.service",
  "nvrd-image-disk-list.service",
  "nvrd-image-key.service",
  "nvrd-image-ports.service",
  "nvrd-image-tell.service",
  "nftables.service",
  "ssh.service",
  "systemd-networkd.service",
  "systemd-resolved.service",
  "systemd-timesyncd.service",
];
/**
 * No login on a screen or a serial line; nothing that writes to the read-only root or upgrades single packages of it; no file systems for debugging, and nothing that the first root has done, which take seconds of a slow start.
 */
const MASKED = [
  "autovt@.service",
  "console-getty.service",
  "container-getty@.service",
  "debug-shell.service",
  "dev-hugepages.mount",
  "sys-fs-fuse-connections.mount",
  "sys-kernel-config.mount",
  "sys-kernel-debug.mount",
  "sys-kernel-tracing.mount",
  "getty@.service",
  "getty.target",
  "serial-getty@.service",
  "apt-daily.service",
  "apt-daily.timer",
  "apt-daily-upgrade.service",
  "apt-daily-upgrade.timer",
  "dpkg-db-backup.service",
  "dpkg-db-backup.timer",
  "e2scrub_all.timer",
  "e2scrub_reap.service",
  "kmod-static-nodes.service",
  "ldconfig.service",
  "modprobe@.service",
  "rauc-mark-good.service",
  "smartmontools.service",
  "ssh.socket",
  "sshd-keygen.service",
  "systemd-boot-random-seed.service",
  "systemd-boot-update.service",
  "systemd-firstboot.service",
  "systemd-hwdb-update.service",
  "systemd-journal-catalog-update.service",
  "systemd-machine-id-commit.service",
  "systemd-network-generator.service",
  "systemd-networkd-persistent-storage.service",
  "systemd-networkd-wait-online.service",
  "systemd-remount-fs.service",
  "systemd-repart.service",
  "systemd-sysusers.service",
  "systemd-tmpfiles-setup-dev-early.service",
  "systemd-tmpfiles-setup-dev.service",
  "systemd-udev-load-credentials.service",
  "systemd-update-done.service",
];
/**
 * What a running box does not need, or must not get from the build: keys, logs, lists of the build's machine; of systemd's
 * generators all but that of fstab.
 */
const REMOVED = [
  "boot/System.map*",
  "boot/config-*",
  "boot/vmlinuz-*",
  "etc/.pwd.lock",
  "etc/apt",
  "etc/cron.d",
  "etc/cron.daily",
  "etc/cron.weekly",
  "etc/group-",
  "etc/gshadow-",
  "etc/hostname",
  "etc/kernel",
  "etc/logrotate.d",
  "etc/machine-id",
  "etc/modules-load.d",
  "etc/nvrd/nvrd.json",
  "etc/passwd-",
  "etc/resolv.conf",
  "etc/shadow-",
  "etc/ssh/ssh_host_*",
  "etc/subgid-",
  "etc/subuid-",
  "initrd.img*",
  "usr/bin/qemu-*-static",
  "usr/lib/firmware",
  "usr/lib/linux-image-*",
  "usr/lib/raspi-firmware",
  "usr/lib/systemd/boot",
  "usr/lib/systemd/system-generators/systemd-[!f]*",
  "usr/lib/tmpfiles.d/provision.conf",
  "usr/share/bash-completion",
  "usr/share/bug",
  "usr/share/zsh",
  "vmlinuz*",
];
const NVRD_DEPENDENCIES_BESIDES = new Set(["libc6", "libgcc-s1", "libstdc++6"]);
const SECONDS_OF_A_DAY = 86_400;

/**
 * Makes `out/root.squashfs`, `out/boot/` (kernel, first root, command line, for a Raspberry Pi its files), and
 * `out/sbom.cdx.json`. A plan has: base (tar), nvrd (.deb), image (the folder image/), work and out (folders), board (of
 * image/boards), info (image.json), keyring (whose updates it
 * takes, PEM), epoch (seconds), for a Raspberry Pi trybootModule (.ko).
 */
export function buildTree(plan) {
  const tree = join(plan.work, "tree");
  rmSync(tree, { recursive: true, force: true });
  rmSync(plan.out, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  mkdirSync(join(plan.out, "boot"), { recursive: true });
  run("tar", ["-C", tree, "--numeric-owner", "--xattrs", "--xattrs-include=*", "-xpf", plan.base]);
  installNvrd(tree, plan);
  const { debian, npm } = writeBom(tree, plan);
  const settings = JSON.parse(readFileSync(join(tree, "etc/nvrd/nvrd.json"), "utf8"));
  const version = kernelVersion(tree);
  fillBoot(tree, version, plan);
  if (plan.trybootModule !== undefined) addTrybootModule({ tree, kernel: version, file: plan.trybootModule });
  pruneModules(tree, version, readList(join(plan.image, "modules-pruned.txt")));
  addOwnFiles(tree, plan, settings);
  addUpdateParts(tree, { compatible: plan.info.compatible, keyring: plan.keyring });
  setUnits(tree);
  makeFirstRoot({
    tree,
    image: plan.image,
    version,
    epoch: plan.epoch,
    folder: plan.work,
    file: join(plan.out, "boot/initrd.img"),
  });
  cpSync(join(plan.out, "boot"), join(tree, "boot"), { recursive: true });
  mkdirSync(join(tree, "boot/efi"), { recursive: true });
  removeUnwanted(tree);
  settleAccounts(tree, plan.epoch);
  pack(tree, plan);
  console.log(`image: ${debian} Debian and ${npm} npm packages, kernel ${version}`);
  rmSync(tree, { recursive: true });
}

/** As on any machine: dpkg unpacks it, and its own scripts run in the tree. The user has its number before. */
function installNvrd(tree, { nvrd, image }) {
  const numbers = "usr/lib/sysusers.d/aa-nvrd-image.conf";
  cpSync(join(image, "root", numbers), join(tree, numbers));
  run("systemd-sysusers", [`--root=${tree}`, basename(numbers)]);
  const installed = new Set(debianPackages(statusOf(tree)).map(({ name }) => name));
  const absent = dependenciesOf(nvrd).filter(
    (name) => !installed.has(name) && !NVRD_DEPENDENCIES_BESIDES.has(name),
  );
  if (absent.length > 0) throw new Error(`${nvrd} needs ${absent.join(", ")}, which the base lacks`);
  // Its dependencies are of another processor than this machine's dpkg; that they are there was seen above.
  run("dpkg", [`--root=${tree}`, "--force-architecture", "--force-depends", "--force-confnew", "-i", nvrd], {
    env: { DEBIAN_FRONTEND: "noninteractive" },
  });
}

function statusOf(tree) {
  return readFileSync(join(tree, "var/lib/dpkg/status"), "utf8");
}

function writeBom(tree, { out, info, epoch }) {
  const debian = debianPackages(statusOf(tree));
  const npm = npmPackages(join(tree, "usr/lib/nvrd/node_modules"));
  if (npm.length === 0)
    throw new Error("the package of nvrd has no npm packages in /usr/lib/nvrd/node_modules");
  const node = { name: "node", version: nodeVersion(join(tree, "usr/lib/nvrd/bin/node")), license: "MIT" };
  const bom = bomOf({ ...info, epoch, debian, npm: [...npm, node] });
  writeFileSync(join(out, "sbom.cdx.json"), `${JSON.stringify(bom, undefined, 1)}\n`);
  return { debian: debian.length, npm: npm.length };
}

/** From the program itself, which is another processor's. */
function nodeVersion(file) {
  const version = /node\/v?(\d+\.\d+\.\d+)|\bv(\d{2}\.\d+\.\d+)\b/.exec(readFileSync(file, "latin1"));
  if (version === null) throw new Error(`${file}: found no version in it`);
  return version[1] ?? version[2];
}

function kernelVersion(tree) {
  const versions = readdirSync(join(tree, "usr/lib/modules"));
  if (versions.length !== 1) throw new Error(`expected one kernel, found ${versions.join(", ") || "none"}`);
  return versions[0];
}

function fillBoot(tree, version, { out, board, boardName }) {
  cpSync(join(tree, "boot", `vmlinuz-${version}`), join(out, "boot/vmlinuz"));
  writeFileSync(join(out, "boot/cmdline"), `${board.commandLine}\n`);
  if (boardName === "generic") {
    const loader = "usr/lib/systemd/boot/efi/systemd-bootaa64.efi";
    cpSync(join(tree, loader), join(out, "systemd-bootaa64.efi"));
    return;
  }
  mkdirSync(join(out, "boot/dtb"));
  for (const file of board.deviceTrees) {
    const from = join(tree, "usr/lib", `linux-image-${version}`, file);
    // A kernel older than the board has no device tree for it.
    if (existsSync(from)) cpSync(from, join(out, "boot/dtb", file.slice(file.lastIndexOf("/") + 1)));
    else console.warn(`image: the kernel ${version} has no ${file}: that board does not start with it`);
  }
  // The package has filled it for a Debian that boots from there.
  rmSync(join(tree, "boot/firmware"), { recursive: true, force: true });
  mkdirSync(join(out, "boot/firmware"));
  const firmware = join(tree, "usr/lib/raspi-firmware");
  for (const name of board.firmware) cpSync(join(firmware, name), join(out, "boot/firmware", name));
}

/** Removes what the list names; the indexes are rebuilt. Throws when a line names nothing: the list would be wrong. */
function pruneModules(tree, version, prefixes) {
  const kernel = join(tree, "usr/lib/modules", version, "kernel");
  const absent = [];
  for (const prefix of prefixes) {
    const place = [prefix, `${prefix}.xz`].map((name) => join(kernel, name)).find((name) => existsSync(name));
    if (place === undefined) absent.push(prefix);
    else rmSync(place, { recursive: true });
  }
  if (absent.length > 0)
    throw new Error(`image/modules-pruned.txt: kernel ${version} has no ${absent.join(", ")}`);
  run("depmod", ["-b", tree, version]);
}

function addOwnFiles(tree, { image, info, board }, settings) {
  cpSync(join(image, "root"), tree, { recursive: true, verbatimSymlinks: true });
  const place = join(tree, "usr/lib/nvrd-image");
  writeFileSync(join(place, "image.json"), `${JSON.stringify(info)}\n`);
  const own = JSON.parse(readFileSync(join(place, "nvrd.json"), "utf8"));
  const text = `${JSON.stringify({ ...settings, ...own }, undefined, 2)}\n`;
  writeFileSync(join(place, "nvrd.json"), text);
  // What nvrd makes of them, with the name its scripts look for it by: they need not start Node for it.
  const said = outputOf("chroot", [
    tree,
    "/usr/bin/nvrd",
    "settings",
    "--config",
    "/usr/lib/nvrd-image/nvrd.json",
  ]);
  const key = outputOf("sha256sum", ["-"], { input: text });
  writeFileSync(join(place, "settings"), `${key}${said}`);
  const manager = join(tree, "usr/lib/systemd/system.conf.d/nvrd-image.conf");
  const managerText = readFileSync(manager, "utf8");
  writeFileSync(manager, managerText.replace("@WATCHDOG_SECONDS@", `${board.watchdogSeconds}`));
  const release = join(tree, "usr/lib/os-release");
  const ownLines = `IMAGE_ID=nvrd\nIMAGE_VERSION=${info.version}\n`;
  writeFileSync(release, readFileSync(release, "utf8") + ownLines);
}

/** The package's unit waits for a whole system; the image's first root has made ready what the recorder needs of it. */
function startNvrdFirst(tree) {
  const file = join(tree, "usr/lib/systemd/system/nvrd.service");
  const text = readFileSync(file, "utf8");
  const waits = /^After=local-fs\.target remote-fs\.target network\.target time-set\.target\n/m;
  if (!waits.test(text)) throw new Error(`${file}: it waits for other units than this image knows of`);
  writeFileSync(file, text.replace(waits, ""));
}

function setUnits(tree) {
  startNvrdFirst(tree);
  run("systemctl", ["--quiet", `--root=${tree}`, "enable", ...ENABLED]);
  run("systemctl", ["--quiet", `--root=${tree}`, "mask", ...MASKED]);
}

function removeUnwanted(tree) {
  const patterns = REMOVED.map((pattern) => `'${pattern.replaceAll(/\*|\[.*?\]/g, "'$&'")}'`).join(" ");
  run("sh", ["-c", `rm -rf ${patterns}`], { cwd: tree });
  // The root is read-only and /var a file system of its own.
  for (const name of [
    "var",
    "srv",
    "tmp",
    "run",
    "root",
    "home",
    "mnt",
    "media",
    "opt",
    "dev",
    "proc",
    "sys",
  ]) {
    rmSync(join(tree, name), { recursive: true, force: true });
    mkdirSync(join(tree, name), { mode: name === "root" ? 0o700 : 0o755 });
  }
  mkdirSync(join(tree, "data"));
  writeFileSync(join(tree, "etc/machine-id"), "", { mode: 0o444 });
  symlinkSync("../run/systemd/resolve/stub-resolv.conf", join(tree, "etc/resolv.conf"));
  writeFileSync(join(tree, "etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n");
}

/** Nobody has a password, and only root, for keys, a shell. The day of the last change is the build's, not today's. */
function settleAccounts(tree, epoch) {
  const day = Math.floor(epoch / SECONDS_OF_A_DAY);
  const shadow = join(tree, "etc/shadow");
  const lines = readFileSync(shadow, "utf8").trimEnd().split("\n");
  const locked = lines.map((line) => {
    const [name, , , ...rest] = line.split(":");
    return [name, name === "root" ? "*" : "!*", day, ...rest].join(":");
  });
  writeFileSync(shadow, `${locked.join("\n")}\n`);
}

function pack(tree, { out, epoch }) {
  const file = join(out, "root.squashfs");
  const times = ["-mkfs-time", `${epoch}`, "-all-time", `${epoch}`];
  const compression = ["-comp", "zstd", "-Xcompression-level", "9", "-b", "256K"];
  const args = [tree, file, "-noappend", "-no-progress", "-quiet", "-no-exports", ...compression, ...times];
  // The times above are refused beside the variable.
  run("mksquashfs", args, { env: { SOURCE_DATE_EPOCH: undefined } });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    buildTree(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")));
  } catch (error) {
    console.error(`image: ${error.message}`);
    process.exitCode = 1;
  }
}
