import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { DiskKeeper, type DiskTools, type FormatOrder } from "../../../src/box/storage/index.js";
import { SystemFiles } from "../../../src/health/index.js";
import { temporaryDirectory } from "../../support/archive/archive-fixture.js";

const LABEL = "nvrd-0a1b2c3d";
const SECTORS_OF_4_TB = 7_814_037_168;

let directory: ReturnType<typeof temporaryDirectory>;
let tools: ScriptedTools;
let keeper: DiskKeeper;

/** Tools that note what they are to do, and do nothing. */
class ScriptedTools implements DiskTools {
  readonly done: string[] = [];
  usesAsked = 0;
  readonly numbers = new Map([
    ["/dev/sda", "8:0"],
    ["/dev/sdb", "8:16"],
  ]);
  readonly contents = new Map<string, { type: string; label: string }>();
  /** Called before the disk is wiped. */
  onWipe: () => void = () => undefined;

  async deviceNumber(device: string): Promise<string | undefined> {
    return this.numbers.get(device);
  }

  async requireUnused(): Promise<void> {
    this.usesAsked++;
  }

  async probe(device: string) {
    return this.contents.get(device);
  }

  async wipe(device: string): Promise<void> {
    this.onWipe();
    this.done.push(`wipe ${device}`);
  }

  async makeFileSystem(device: string, label: string, owner: string): Promise<void> {
    this.done.push(`mkfs ${device} ${label} ${owner}`);
    this.contents.set(device, { type: "ext4", label });
  }

  freshLabel(): string {
    return LABEL;
  }
}

function file(path: string, text: string): void {
  const target = join(directory.path, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${text}\n`);
}

/** A disk in a made /sys, with partitions. */
function addDisk(name: string, number: number, serial: string, partitions = 0): void {
  const pci = `sys/devices/pci/${name}`;
  file(`${pci}/block/${name}/size`, String(SECTORS_OF_4_TB));
  file(`${pci}/block/${name}/dev`, `8:${number}`);
  file(`${pci}/block/${name}/removable`, "0");
  file(`${pci}/block/${name}/ro`, "0");
  file(`${pci}/model`, "WD40PURX");
  file(`${pci}/serial`, serial);
  symlinkSync(`../../../${name}`, join(directory.path, `${pci}/block/${name}/device`));
  for (const folder of ["sys/block", "sys/class/block", "sys/dev/block"])
    mkdirSync(join(directory.path, folder), { recursive: true });
  symlinkSync(`../devices/pci/${name}/block/${name}`, join(directory.path, `sys/block/${name}`));
  symlinkSync(`../../devices/pci/${name}/block/${name}`, join(directory.path, `sys/class/block/${name}`));
  symlinkSync(`../../devices/pci/${name}/block/${name}`, join(directory.path, `sys/dev/block/8:${number}`));
  for (let part = 1; part <= partitions; part++) {
    const place = `devices/pci/${name}/block/${name}/${name}${part}`;
    file(`sys/${place}/partition`, String(part));
    file(`sys/${place}/dev`, `8:${number + part}`);
    symlinkSync(`../../${place}`, join(directory.path, `sys/class/block/${name}${part}`));
    symlinkSync(`../../${place}`, join(directory.path, `sys/dev/block/8:${number + part}`));
  }
}

beforeEach(() => {
  directory = temporaryDirectory();
  addDisk("sda", 0, "SYSTEM-1", 2);
  addDisk("sdb", 16, "WD-1");
  file("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw");
  file("proc/swaps", "Filename Type Size Used Priority\n");
  tools = new ScriptedTools();
  keeper = new DiskKeeper({
    files: new SystemFiles(directory.path),
    tools,
    owner: "900:900",
    log: createLog({ level: "silent" }),
  });
});

afterEach(() => directory.remove());

function order(change: Partial<FormatOrder> = {}): FormatOrder {
  return { device: "/dev/sdb", serial: "WD-1", eraseFound: false, ...change };
}

async function refused(change: Partial<FormatOrder>, error: object): Promise<void> {
  await expect(keeper.format(order(change))).rejects.toMatchObject(error);
  expect(tools.done).toEqual([]);
}

it("an empty disk is wiped and becomes one file system of the recorder's user", async () => {
  expect(await keeper.format(order())).toBe(LABEL);
  expect(tools.done).toEqual(["wipe /dev/sdb", `mkfs /dev/sdb ${LABEL} 900:900`]);
  expect(tools.usesAsked).toBe(2);
});

describe("a disk is not touched when", () => {
  it.each([
    ["/dev/sdb1"],
    ["/dev/../dev/sdb"],
    ["/dev/disk/by-id/ata-WD"],
    ["sdb"],
    ["/dev/sdb\n"],
    ["/dev/dm-0"],
    ["/dev/md0"],
    ["/dev/loop0"],
    ["--help"],
    [""],
  ])("%j is not the name of a whole disk", async (device) => {
    await refused({ device }, { code: "BAD_REQUEST" });
  });

  it("there is none of that name", async () => {
    await refused({ device: "/dev/sdc" }, { code: "NOT_FOUND" });
  });

  it("the node in /dev is another device's", async () => {
    tools.numbers.set("/dev/sdb", "8:0");
    await refused({}, { code: "NOT_FOUND" });
  });

  it("it has another serial number", async () => {
    await refused({ serial: "WD-2" }, { code: "CONFLICT", message: expect.stringContaining('"WD-1"') });
  });

  it("the machine runs from it", async () => {
    await refused(
      { device: "/dev/sda", serial: "SYSTEM-1", eraseFound: true },
      { code: "CONFLICT", message: expect.stringContaining("mounted at /") },
    );
  });

  it("something is mounted from it through another layer", async () => {
    file("sys/devices/virtual/dm-0/dm/name", "vg-video");
    mkdirSync(join(directory.path, "sys/devices/virtual/dm-0/slaves/sdb"), { recursive: true });
    symlinkSync("../../devices/virtual/dm-0", join(directory.path, "sys/class/block/dm-0"));
    symlinkSync("../../devices/virtual/dm-0", join(directory.path, "sys/dev/block/253:0"));
    file("proc/self/mountinfo", "22 1 253:0 / /srv rw - ext4 /dev/mapper/vg-video rw");
    await refused({ eraseFound: true }, { code: "CONFLICT", message: expect.stringContaining("/srv") });
  });

  it("it is swap", async () => {
    file("proc/swaps", "Filename Type Size Used Priority\n/dev/sdb partition 1 0 -2");
    await refused({ eraseFound: true }, { code: "CONFLICT", message: expect.stringContaining("swap") });
  });

  it("a RAID holds it", async () => {
    mkdirSync(join(directory.path, "sys/class/block/sdb/holders/md0"), { recursive: true });
    await refused({ eraseFound: true }, { code: "CONFLICT", message: expect.stringContaining("md0") });
  });

  it("the kernel says that somebody uses it", async () => {
    tools.requireUnused = () => Promise.reject(Object.assign(new Error("EBUSY"), { code: "CONFLICT" }));
    await refused({ eraseFound: true }, { code: "CONFLICT" });
  });

  it("something lies on it, and nobody said that it may go", async () => {
    tools.contents.set("/dev/sdb", { type: "ext4", label: "nvrd-99999999" });
    const message = expect.stringContaining("with recordings (nvrd-99999999)");
    await refused({}, { code: "CONFLICT", message });
  });

  it("it is a stick, write-protected or too small", async () => {
    file("sys/block/sdb/removable", "1");
    await refused({}, { code: "BAD_REQUEST", message: expect.stringContaining("stick") });
    file("sys/block/sdb/removable", "0");
    file("sys/block/sdb/ro", "1");
    await refused({}, { code: "BAD_REQUEST", message: expect.stringContaining("write-protected") });
    file("sys/block/sdb/ro", "0");
    file("sys/block/sdb/size", "1000");
    await refused({}, { code: "BAD_REQUEST", message: expect.stringContaining("minimum") });
  });
});

it("what lies on a disk goes with each of its partitions when that is confirmed", async () => {
  addDisk("sdc", 32, "WD-3", 2);
  tools.numbers.set("/dev/sdc", "8:32");
  tools.contents.set("/dev/sdc1", { type: "ntfs", label: "" });
  expect(await keeper.format({ device: "/dev/sdc", serial: "WD-3", eraseFound: true })).toBe(LABEL);
  expect(tools.done.slice(0, 3)).toEqual(["wipe /dev/sdc1", "wipe /dev/sdc2", "wipe /dev/sdc"]);
});

it("a disk that was changed while it was looked at gets no file system", async () => {
  tools.onWipe = () => file("sys/devices/pci/sdb/serial", "WD-9");
  await expect(keeper.format(order())).rejects.toMatchObject({ code: "CONFLICT" });
  expect(tools.done).toEqual(["wipe /dev/sdb"]);
});

it("a disk that does not hold what was written to it is reported as broken", async () => {
  tools.makeFileSystem = async () => undefined;
  await expect(keeper.format(order())).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});

it("a disk without a serial number has an empty one", async () => {
  file("sys/devices/pci/sdb/serial", "");
  expect(await keeper.format(order({ serial: "" }))).toBe(LABEL);
});
