import { closeSync, mkdirSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { assembleSmall, type ImageProducts, missingForImage, runTool } from "../support/image/image-parts.js";
import { RaspberryPi } from "../support/image/raspberry-pi.js";

const BOOT_OFFSET = "@@1M";
const MIB = 1024 * 1024;

const missing = missingForImage();
const directory = new TemporaryDirectory("disk-image");
let products: ImageProducts;

interface Partition {
  readonly name: string;
  readonly start: number;
  readonly size: number;
  readonly type: string;
  readonly uuid: string;
}

function partitions(disk: string): Partition[] {
  const { partitiontable } = JSON.parse(runTool("sfdisk", ["--json", disk])) as {
    partitiontable: { partitions: Partition[] };
  };
  return partitiontable.partitions;
}

/** Where a partition begins and how long it is, bytes. */
function placeOf(disk: string, name: string): { readonly from: number; readonly bytes: number } {
  const found = partitions(disk).find((partition) => partition.name === name);
  if (found === undefined) throw new Error(`no partition ${name}`);
  return { from: found.start * 512, bytes: found.size * 512 };
}

/** A partition of the disk in a file of its own. */
function extract(disk: string, name: string): string {
  const { from, bytes } = placeOf(disk, name);
  const file = directory.join(`${name}.part`);
  runTool("dd", [
    `if=${disk}`,
    `of=${file}`,
    "bs=1M",
    `skip=${from / MIB}`,
    `count=${bytes / MIB}`,
    "conv=sparse",
    "status=none",
  ]);
  return file;
}

/** How the programs of e2fsprogs are told a file system within a file. */
function inPlace(disk: string, name: string): string {
  return `${disk}?offset=${placeOf(disk, name).from}`;
}

/** The first bytes of a partition. */
function startOf(disk: string, name: string, bytes: number): Buffer {
  const start = Buffer.alloc(bytes);
  const file = openSync(disk, "r");
  try {
    expect(readSync(file, start, 0, bytes, placeOf(disk, name).from)).toBe(bytes);
  } finally {
    closeSync(file);
  }
  return start;
}

/** A file without its holes, which take longer to read than all the rest. Different ones may hold the same bytes. */
function withoutHoles(file: string): string {
  const tar = 'tar --create --sparse --hole-detection=seek --mtime=@0 -C "$0" "$1" | sha256sum';
  return runTool("bash", ["-o", "pipefail", "-c", tar, dirname(file), basename(file)]);
}

function bootFile(disk: string, name: string): string {
  return runTool("mtype", ["-i", `${disk}${BOOT_OFFSET}`, `::/${name}`]);
}

beforeAll(async () => {
  if (missing === undefined)
    products = await assembleSmall(directory.path, "generic", { commandLine: "ro quiet panic=10" });
});
afterAll(() => directory.remove());

describe.skipIf(missing !== undefined)(`the disk of the image${notHere(missing)}`, () => {
  it("has the partitions of the contract", () => {
    const found = partitions(products.disk).map(({ name, size, type }) => [name, (size * 512) / MIB, type]);
    expect(found).toEqual([
      ["esp", 512, "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"],
      ["nvrd-a", 1024, "B921B045-1DF0-41C3-AF44-4C6F280D3FAE"],
      ["nvrd-b", 1024, "B921B045-1DF0-41C3-AF44-4C6F280D3FAE"],
      ["nvrd-data", 256, "0FC63DAF-8483-4772-8E79-3D69D8477DE4"],
    ]);
  });

  it("has a table that is whole", () => {
    expect(runTool("sfdisk", ["--verify", products.disk])).toContain("No errors detected");
  });

  it("boots by files of the boot partition alone", () => {
    expect(bootFile(products.disk, "loader/loader.conf")).toBe("timeout 0\neditor no\n");
    expect(bootFile(products.disk, "loader/entries/nvrd-a.conf").split("\n")).toEqual([
      "title nvrd (slot a)",
      "sort-key nvrd",
      "version 1",
      "linux /EFI/nvrd/a/vmlinuz",
      "initrd /EFI/nvrd/a/initrd.img",
      "options rauc.slot=a ro quiet panic=10",
      "",
    ]);
    expect(bootFile(products.disk, "EFI/nvrd/a/vmlinuz")).toBe("kernel\n");
    expect(bootFile(products.disk, "EFI/nvrd/a/initrd.img")).toBe("first root\n");
    expect(bootFile(products.disk, "EFI/BOOT/BOOTAA64.EFI")).toBe("boot loader\n");
  });

  it("has file systems without a fault", () => {
    const boot = extract(products.disk, "esp");
    expect(runTool("fsck.vfat", ["-n", boot])).toContain("clusters");
    expect(runTool("blkid", ["-p", "-o", "value", "-s", "LABEL", boot]).trim()).toBe("NVRD-BOOT");
    expect(runTool("e2fsck", ["-fn", inPlace(products.disk, "nvrd-data")])).toContain("11/");
  });

  it("has a data partition that can grow to 16 TB", () => {
    const features = /Filesystem features: +(.*)/.exec(
      runTool("dumpe2fs", ["-h", inPlace(products.disk, "nvrd-data")]),
    )?.[1];
    expect(features?.split(" ")).toEqual(
      expect.arrayContaining(["64bit", "meta_bg", "has_journal", "metadata_csum"]),
    );
  });

  it("has the root of slot a as it is beside the image, and an empty slot b", () => {
    const root = readFileSync(products.root);
    expect(startOf(products.disk, "nvrd-a", root.length).equals(root)).toBe(true);
    expect(startOf(products.disk, "nvrd-b", MIB).every((byte) => byte === 0)).toBe(true);
  });

  it("takes little room: what is empty is not written", () => {
    expect(statSync(products.disk).blocks * 512).toBeLessThan(100 * MIB);
  });

  it("has the same bytes each time", async () => {
    const other = new TemporaryDirectory("disk-image-again");
    try {
      const again = await assembleSmall(other.path, "generic", { commandLine: "ro quiet panic=10" });
      if (withoutHoles(again.disk) !== withoutHoles(products.disk))
        expect(runTool("cmp", [again.disk, products.disk])).toBe("");
    } finally {
      other.remove();
    }
  });

  it("for a Raspberry Pi has its firmware, what belongs to a kernel in the slot's folder, and starts from it", async () => {
    const other = new TemporaryDirectory("disk-image-rpi");
    try {
      const board = JSON.parse(readFileSync(join(REPOSITORY_ROOT, "image/boards/rpi.json"), "utf8")) as {
        commandLine: string;
      };
      const { disk } = await assembleSmall(other.path, "rpi", board);
      expect(bootFile(disk, "config.txt")).toContain("os_prefix=EFI/nvrd/a/\n");
      expect(bootFile(disk, "start4.elf")).toBe("firmware\n");
      expect(bootFile(disk, "EFI/nvrd/a/bcm2711-rpi-4-b.dtb")).toBe("device tree\n");
      expect(bootFile(disk, "EFI/nvrd/a/cmdline.txt")).toBe("rauc.slot=a ro quiet panic=10\n");
      expect(bootFile(disk, "EFI/nvrd/a/vmlinuz")).toBe("kernel\n");
      const esp = other.join("esp");
      mkdirSync(esp);
      runTool("mcopy", ["-snQ", "-i", `${disk}${BOOT_OFFSET}`, "::/*", esp]);
      expect(new RaspberryPi({ esp, machine: other.join("machine") }).cutPower()).toEqual({
        configuration: "config.txt",
        slot: "a",
        loaded: { kernel: "kernel\n", initramfs: "first root\n", deviceTree: "device tree\n" },
      });
    } finally {
      other.remove();
    }
  });
});
