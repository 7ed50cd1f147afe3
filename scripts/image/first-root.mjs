/** The first root (initramfs) of a slot: busybox, the drivers between processor and flash, and image/first-root/init. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { boardTable } from "./board-modules.mjs";
import { readList } from "./lists.mjs";
import { outputOf, run } from "./run.mjs";

/** What image/first-root/init calls; a missing applet would otherwise show only on a box. */
const APPLETS =
  "cat chroot find grep head hexdump ln ls mkdir mknod modprobe mount mv readlink rm sh sleep sort switch_root sync tr umount uname".split(
    " ",
  );
const FOLDERS = ["bin", "data", "dev", "proc", "root", "run", "sys"];

/** Names of modules to load: those below the listed paths, and what they need. Paths as in modules.dep. */
export function modulesWith(dependencies, prefixes) {
  const needs = new Map(
    dependencies
      .trim()
      .split("\n")
      .map((line) => line.split(":"))
      .map(([file, rest = ""]) => [file, rest.trim().split(" ").filter(Boolean)]),
  );
  const chosen = new Set();
  const isListed = (file) =>
    prefixes.some((prefix) => {
      const name = file.replace(/\.(xz|zst|gz)$/, "");
      return name === `kernel/${prefix}` || name.startsWith(`kernel/${prefix}/`);
    });
  for (const [file, others] of needs)
    if (isListed(file)) for (const name of [file, ...others]) chosen.add(name);
  return [...chosen].sort();
}

/**
 * Writes the first root of the root file system in `tree` to `file`. Throws when the tree's busybox has not all that it calls, or a
 * board of the tree's kernel would not reach its root.
 */
export function makeFirstRoot(parts) {
  checkApplets(parts.tree);
  checkBoards(parts);
  packFirstRoot(parts);
}

/** The same without running the busybox, which may be another processor's. */
export function packFirstRoot({ tree, image, version, epoch, folder, file }) {
  const place = join(folder, "first-root");
  rmSync(place, { recursive: true, force: true });
  for (const name of FOLDERS) mkdirSync(join(place, name), { recursive: true });
  copyFileSync(join(tree, "usr/bin/busybox"), join(place, "bin/busybox"));
  chmodSync(join(place, "bin/busybox"), 0o755);
  copyFileSync(join(image, "first-root/init"), join(place, "init"));
  chmodSync(join(place, "init"), 0o755);
  copyModules({ tree, place, version, prefixes: readList(join(image, "modules-first.txt")) });
  // Sorted, owned by root, with one time for all: the same bytes each time.
  run("sh", ["-c", `find . -exec touch -h -d @${epoch} {} +`], { cwd: place });
  const pack =
    "find . -print0 | LC_ALL=C sort -z | cpio -0 -o -H newc -R 0:0 --reproducible --quiet | zstd -q -T1 -15";
  run("bash", ["-o", "pipefail", "-c", `${pack} >"$1"`, "bash", file], { cwd: place });
  if (statSync(file).size < 500_000) throw new Error(`${file}: the first root is too small to be whole`);
  rmSync(place, { recursive: true });
}

function checkApplets(tree) {
  const there = new Set(outputOf("chroot", [tree, "/usr/bin/busybox", "--list"]).split("\n"));
  const absent = APPLETS.filter((name) => !there.has(name));
  if (absent.length > 0) throw new Error(`busybox-static has no ${absent.join(", ")}`);
}

/** The list was made for one kernel; another one may have drivers as modules that were built in. */
export function checkBoards({ tree, image, version }) {
  const { modules } = boardTable(join(tree, "usr"), version);
  const all = modules.map(([module]) => `${module}:`).join("\n");
  const taken = new Set(modulesWith(all, readList(join(image, "modules-first.txt"))));
  const absent = modules.filter(([module]) => !taken.has(module));
  const needs = absent.map(([module, , board]) => `${board} needs ${module}`);
  if (needs.length > 0)
    throw new Error(`image/modules-first.txt lacks what is on the way to roots: ${needs.join(", ")}`);
}

function copyModules({ tree, place, version, prefixes }) {
  const from = join(tree, "usr/lib/modules", version);
  const to = join(place, "lib/modules", version);
  const files = modulesWith(readFileSync(join(from, "modules.dep"), "utf8"), prefixes);
  if (files.length === 0) throw new Error(`${from} has none of the modules of image/modules-first.txt`);
  for (const file of files) {
    mkdirSync(join(to, dirname(file)), { recursive: true });
    // busybox loads them as they are.
    const target = join(to, dirname(file), basename(file).replace(/\.xz$/, ""));
    if (file.endsWith(".xz"))
      writeFileSync(target, outputOf("xz", ["-dc", join(from, file)], { encoding: "buffer" }));
    else copyFileSync(join(from, file), target);
  }
  for (const name of ["modules.builtin", "modules.order", "modules.builtin.modinfo"])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  run("depmod", ["-b", place, version]);
  for (const name of ["dep", "alias", "symbols", "builtin", "builtin.alias"])
    rmSync(join(to, `modules.${name}.bin`), { force: true });
}
