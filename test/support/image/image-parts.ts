import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";

export const EPOCH = 1_750_000_000;

/** What the image's build makes of its parts: names of files. */
export interface ImageProducts {
  readonly disk: string;
  readonly root: string;
  readonly bom: string;
  readonly sums: string;
}

interface ImageBuild {
  assemble(plan: {
    readonly built: string;
    readonly board: unknown;
    readonly boardName: string;
    readonly work: string;
    readonly out: string;
    readonly version: string;
    readonly epoch: number;
  }): ImageProducts;
}

/** A module of scripts/, which has no types. */
export async function script<T>(name: string): Promise<T> {
  return (await import(join(REPOSITORY_ROOT, "scripts", name))) as T;
}

/** Why no disk can be put together here; undefined where it can. */
export function missingForImage(): string | undefined {
  const absent = ["mksquashfs", "mkfs.vfat", "mcopy", "mkfs.ext4", "sfdisk", "fsck.vfat"].find(
    (name) => spawnSync("which", [name]).status !== 0,
  );
  return absent === undefined ? undefined : `${absent} is not installed`;
}

/** The image's own assembly over a root of a few files: everything but the Debian system. */
export async function assembleSmall(
  folder: string,
  boardName: "generic" | "rpi",
  board: unknown,
): Promise<ImageProducts> {
  const { assemble } = await script<ImageBuild>("image.mjs");
  const built = join(folder, "built");
  const out = join(folder, "out");
  const tree = join(folder, "tree");
  for (const name of [join(built, "boot"), out, join(folder, "work"), join(tree, "etc")])
    mkdirSync(name, { recursive: true });
  writeFileSync(join(tree, "etc/os-release"), "IMAGE_ID=nvrd\n");
  const boot = { vmlinuz: "kernel\n", "initrd.img": "first root\n", cmdline: "ro quiet panic=10\n" };
  for (const [name, text] of Object.entries(boot)) writeFileSync(join(built, "boot", name), text);
  writeFileSync(join(built, "systemd-bootaa64.efi"), "boot loader\n");
  writeFileSync(join(built, "sbom.cdx.json"), "{}\n");
  if (boardName === "rpi") {
    for (const name of ["firmware", "dtb"]) mkdirSync(join(built, "boot", name));
    writeFileSync(join(built, "boot/firmware/start4.elf"), "firmware\n");
    writeFileSync(join(built, "boot/dtb/bcm2711-rpi-4-b.dtb"), "device tree\n");
  }
  runTool("mksquashfs", [
    tree,
    join(built, "root.squashfs"),
    "-quiet",
    "-no-progress",
    "-mkfs-time",
    `${EPOCH}`,
    "-all-time",
    `${EPOCH}`,
  ]);
  return assemble({
    built,
    board,
    boardName,
    work: join(folder, "work"),
    out,
    version: "1.2.3",
    epoch: EPOCH,
  });
}

/** Standard output of a program that must succeed. */
export function runTool(command: string, args: readonly string[], input?: string): string {
  const done = spawnSync(command, args, { encoding: "utf8", ...(input === undefined ? {} : { input }) });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}: ${done.stderr || done.error?.message}`);
  return done.stdout;
}
