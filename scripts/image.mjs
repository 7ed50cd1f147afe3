/**
 * A flashable image of the appliance, with nvrd's own Debian package in it:
 *
 *   npm run image [-- --board generic|rpi] [--out DIR] [--package FILE] [--keyring FILE]
 *     [--fresh] [--compress]
 *
 * As root or rootless (user namespaces with subordinate ids), without loop devices. The image, the root of its slot (what an
 * update installs) and the list of what it consists of go to build/image. The same base, package and SOURCE_DATE_EPOCH
 * (default: the last commit's time) make the same bytes. Why each part is as it is: docs/design/image.md.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { dependenciesOf, makeBase } from "./image/base.mjs";
import { makeBootPartition } from "./image/boot-partition.mjs";
import { makeDataPartition, makeDisk, partFiles, volumeIdFor } from "./image/disk.mjs";
import { startForeignPrograms } from "./image/foreign-programs.mjs";
import { readList } from "./image/lists.mjs";
import { outputOf, run } from "./image/run.mjs";
import { kernelOf, makeTrybootModule } from "./image/tryboot-module.mjs";
import { keptReleaseFacts } from "./release-facts.mjs";
import { updateKeys } from "./update-keys.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const IMAGE = join(ROOT, "image");
/** Debian 13: the stable release, with security updates until 2028 and its LTS until 2030. */
export const SUITE = "trixie";
export const BOARDS = ["generic", "rpi"];
const COMPRESSION = ["-q", "-f", "-T1", "-12"];

/** The names of what is made in `out`. */
export function productsOf(out, version, board) {
  const stem = join(out, `nvrd-${version}-${board}-arm64`);
  return {
    disk: `${stem}.img`,
    root: `${stem}.squashfs`,
    bom: `${stem}.cdx.json`,
    sums: `${stem}.sha256`,
    kernel: `${stem}.boot`,
  };
}

/** The date of everything in the image, seconds since 1970. */
export function sourceDate(env = process.env) {
  const text = env.SOURCE_DATE_EPOCH ?? outputOf("git", ["-C", ROOT, "log", "-1", "--format=%ct"]).trim();
  if (!/^\d{1,12}$/.test(text))
    throw new Error(`SOURCE_DATE_EPOCH: ${text} is not a whole number of seconds`);
  return Number(text);
}

/** Builds the image; returns the names of what was made. A given `base` is used as it is. */
export function buildImage({
  board: boardName,
  out,
  nvrd,
  epoch,
  keyring = updateKeys(ROOT).keyring,
  fresh = false,
  base: givenBase,
}) {
  const board = JSON.parse(readFileSync(join(IMAGE, "boards", `${boardName}.json`), "utf8"));
  const { version } = keptReleaseFacts(ROOT);
  const work = join(out, `work-${boardName}`);
  mkdirSync(work, { recursive: true });
  const packages = [...readList(join(IMAGE, "packages.txt")), ...board.packages, ...dependenciesOf(nvrd)];
  const components = board.components ?? [];
  const base =
    givenBase ??
    makeBase({ folder: join(ROOT, "build/image"), suite: SUITE, packages, components, epoch: 0, fresh });
  const info = {
    version,
    board: boardName,
    compatible: `nvrd-${boardName}-arm64`,
    suite: SUITE,
    builtAt: new Date(epoch * 1000).toISOString(),
  };
  const built = join(work, "built");
  const trybootModule = board.trybootModule
    ? makeTrybootModule({ image: IMAGE, suite: SUITE, kernel: kernelOf(base), folder: work })
    : undefined;
  runAsRoot(work, {
    ...{ base, nvrd, image: IMAGE, work, out: built, board, boardName, info, keyring, epoch },
    trybootModule,
  });
  const products = assemble({ built, board, boardName, work, out, version, epoch });
  rmSync(work, { recursive: true });
  return products;
}

/** The part that needs root's rights over files, in a process of its own. */
function runAsRoot(work, plan) {
  const file = join(work, "plan.json");
  writeFileSync(file, JSON.stringify(plan));
  const command = [process.execPath, join(ROOT, "scripts/image/tree.mjs"), file];
  if (process.getuid?.() === 0) run(command[0], command.slice(1));
  else run("mmdebstrap", ["--unshare-helper", ...command]);
}

/** Puts the disk together: boot partition, root, data partition. */
export function assemble({ built, board, boardName, work, out, version, epoch }) {
  const seed = createHash("sha256")
    .update(readFileSync(join(built, "root.squashfs")))
    .digest("hex");
  const products = productsOf(out, version, boardName);
  const parts = partFiles(work);
  makeBootPartition({
    ...{ image: IMAGE, built, board, boardName, epoch, file: parts.esp, folder: join(work, "esp") },
    ...{ bytes: 512 * 1024 * 1024, volumeId: volumeIdFor(seed) },
  });
  const empty = join(work, "empty");
  mkdirSync(empty, { recursive: true });
  run("touch", ["-d", `@${epoch}`, empty]);
  makeDataPartition({ file: parts.data, seed, epoch, folder: empty });
  cpSync(join(built, "root.squashfs"), products.root);
  cpSync(join(built, "sbom.cdx.json"), products.bom);
  rmSync(products.kernel, { recursive: true, force: true });
  cpSync(join(built, "boot"), products.kernel, { recursive: true });
  makeDisk({
    file: products.disk,
    seed,
    contents: { esp: parts.esp, "nvrd-a": products.root, "nvrd-data": parts.data },
  });
  return products;
}

/** Checksums of the products, as `sha256sum --check` reads them. */
function writeSums({ disk, root, bom, sums }, compressed) {
  const files = [compressed ? `${disk}.zst` : disk, root, bom];
  const names = files.map((file) => file.slice(dirname(disk).length + 1));
  writeFileSync(sums, outputOf("sha256sum", names, { cwd: dirname(disk) }));
}

/** The package of nvrd that was built here for the image's suite. Throws when there is none. */
function builtPackage() {
  const { version } = keptReleaseFacts(ROOT);
  const file = join(ROOT, "build/packages", `nvrd_${version}_arm64_${SUITE}.deb`);
  if (existsSync(file)) return file;
  throw new Error(`${file} is missing: npm run package -- --arch arm64 --suite ${SUITE}`);
}

function main() {
  const { values } = parseArgs({
    options: {
      board: { type: "string", default: "generic" },
      out: { type: "string", default: join(ROOT, "build/image") },
      package: { type: "string" },
      keyring: { type: "string" },
      fresh: { type: "boolean", default: false },
      compress: { type: "boolean", default: false },
    },
  });
  if (!BOARDS.includes(values.board)) throw new Error(`--board: one of ${BOARDS.join(", ")}`);
  const nvrd = values.package === undefined ? builtPackage() : resolve(values.package);
  startForeignPrograms("arm64", "aarch64");
  const products = buildImage({
    ...{ board: values.board, out: resolve(values.out), nvrd, epoch: sourceDate(), fresh: values.fresh },
    ...(values.keyring === undefined ? {} : { keyring: resolve(values.keyring) }),
  });
  if (values.compress) run("zstd", [...COMPRESSION, products.disk]);
  writeSums(products, values.compress);
  const { size } = statSync(products.root);
  console.log(
    `image: ${products.disk}; its root has ${Math.round(size / 1e6)} MB; what is in it: ${products.bom}`,
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    process.umask(0o022);
    main();
  } catch (error) {
    console.error(`image: ${error.message}`);
    process.exitCode = 1;
  }
}
