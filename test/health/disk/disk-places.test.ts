import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { disksUnder } from "../../../src/health/disk/volume-disks.js";
import { BlockDiskReader, readBlockDisks, SystemFiles } from "../../../src/health/index.js";
import { notHere } from "../../support/base/not-here.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { MachineFiles } from "../../support/health/machine-files.js";

async function machine(): Promise<{ shown: MachineFiles; files: SystemFiles }> {
  const root = await temporaryDirectory();
  return { shown: new MachineFiles(root), files: new SystemFiles(root) };
}

test("the disks of a machine are those with a device behind them", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda", serial: "WD-1" });
  shown.add({
    name: "nvme0n1",
    number: "259:0",
    model: "Samsung SSD 970",
    serial: "S4EW",
    isRotational: false,
  });
  shown.add({ name: "sdb", number: "8:16", vendor: "SEAGATE", model: "ST3000NM0023", serial: "Z29" });
  shown.add({ name: "sr0", number: "11:0" });
  shown.add({ name: "sdc", number: "8:32", gigabytes: 0 });
  shown.addVirtual("loop0", "7:0", {});
  shown.addVirtual("md0", "9:0", { slaves: ["sda", "sdb"] });
  expect(await readBlockDisks(files)).toEqual([
    {
      ...{ device: "/dev/nvme0n1", name: "nvme0n1", model: "Samsung SSD 970", serial: "S4EW", firmware: "" },
      ...{ bytes: 4e12, kind: "nvme", isRotational: false, isSuspended: false },
    },
    {
      ...{ device: "/dev/sda", name: "sda", model: "WDC WD40PURX-64G", serial: "WD-1", firmware: "" },
      ...{ bytes: 4e12, kind: "ata", isRotational: true, isSuspended: false },
    },
    {
      ...{ device: "/dev/sdb", name: "sdb", model: "SEAGATE ST3000NM0023", serial: "Z29", firmware: "" },
      ...{ bytes: 4e12, kind: "scsi", isRotational: true, isSuspended: false },
    },
  ]);
});

/** Notes what is read. */
class NotingFiles extends SystemFiles {
  readonly read: string[] = [];

  override bytes(file: string): Promise<Buffer | undefined> {
    this.read.push(file);
    return super.bytes(file);
  }

  override target(link: string): Promise<string | undefined> {
    this.read.push(link);
    return super.target(link);
  }
}

test("nothing is read of what the kernel makes of files, memory and other disks", async () => {
  const root = await temporaryDirectory();
  const shown = new MachineFiles(root);
  shown.add({ name: "sda", serial: "WD-1" });
  for (const [at, name] of ["loop0", "loop17", "ram3", "zram0", "dm-1", "md127"].entries())
    shown.addVirtual(name, `7:${at}`, {});
  const noting = new NotingFiles(root);
  expect((await readBlockDisks(noting)).map(({ name }) => name)).toEqual(["sda"]);
  expect(noting.read.filter((file) => !file.startsWith("/sys/block/sda/"))).toEqual([]);
});

const filesRead = async (noting: NotingFiles, read: () => Promise<unknown>): Promise<readonly string[]> => {
  noting.read.length = 0;
  await read();
  return noting.read.map((file) => file.replace("/sys/block/", ""));
};

test("of a disk that is known only its number and its sleep are read again", async () => {
  const root = await temporaryDirectory();
  const shown = new MachineFiles(root);
  shown.add({ name: "sda", serial: "WD-1", sequence: 7 });
  const noting = new NotingFiles(root);
  const disks = new BlockDiskReader(noting);
  const first = await disks.read(false);
  expect(await filesRead(noting, () => disks.read(false))).toEqual([
    "sda/diskseq",
    "sda/device/power/runtime_status",
  ]);
  expect(await disks.read(false)).toEqual(first);
  shown.add({ name: "sda", serial: "WD-1", sequence: 7, isSuspended: true });
  expect((await disks.read(false)).map(({ isSuspended }) => isSuspended)).toEqual([true]);
});

test("another disk under the same name is read anew, and everything where that is asked for", async () => {
  const root = await temporaryDirectory();
  const shown = new MachineFiles(root);
  shown.add({ name: "sda", serial: "WD-1", sequence: 7 });
  const disks = new BlockDiskReader(new SystemFiles(root));
  const serials = async (afresh: boolean) => (await disks.read(afresh)).map(({ serial }) => serial);
  expect(await serials(false)).toEqual(["WD-1"]);
  shown.add({ name: "sda", serial: "WD-2", sequence: 8 });
  expect(await serials(false)).toEqual(["WD-2"]);
  shown.add({ name: "sda", serial: "WD-3", sequence: 8 });
  expect([await serials(false), await serials(true)]).toEqual([["WD-2"], ["WD-3"]]);
});

test("where the kernel numbers no disks, everything is read of each", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda", serial: "WD-1" });
  const disks = new BlockDiskReader(files);
  await disks.read(false);
  shown.add({ name: "sda", serial: "WD-2" });
  expect((await disks.read(false)).map(({ serial }) => serial)).toEqual(["WD-2"]);
});

test("a disk that the kernel has put to sleep is known to sleep", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda", isSuspended: true });
  expect(await readBlockDisks(files)).toMatchObject([{ name: "sda", isSuspended: true }]);
});

test("a machine without /sys has no disks", async () => {
  expect(await readBlockDisks(new SystemFiles(await temporaryDirectory()))).toEqual([]);
});

test("a volume on a partition lies on its disk", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda", partitions: { sda1: "8:1" } });
  shown.mounts(["8:1 / ext4 /dev/sda1"]);
  expect(await disksUnder(files, "/srv/video")).toEqual(["sda"]);
});

test("a volume lies on the disk of the mount with the longest path", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda", partitions: { sda1: "8:1" } });
  shown.add({ name: "sdb", number: "8:16" });
  shown.mounts(["8:1 / ext4 /dev/sda1", "8:16 /srv/video ext4 /dev/sdb"]);
  expect(await disksUnder(files, "/srv/video/one")).toEqual(["sdb"]);
  expect(await disksUnder(files, "/srv/videos")).toEqual(["sda"]);
});

test("a mount point with a blank in its name is found", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sdb", number: "8:16" });
  shown.mounts(["8:16 /srv/my\\040video ext4 /dev/sdb"]);
  expect(await disksUnder(files, "/srv/my video")).toEqual(["sdb"]);
});

test("a volume on encrypted RAID lies on all its disks", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda", partitions: { sda1: "8:1" } });
  shown.add({ name: "sdb", number: "8:16", partitions: { sdb1: "8:17" } });
  shown.addVirtual("md0", "9:0", { slaves: ["sda1", "sdb1"] });
  shown.addVirtual("dm-0", "253:0", { slaves: ["md0"] });
  shown.mounts(["253:0 /srv ext4 /dev/mapper/video"]);
  expect(await disksUnder(files, "/srv")).toEqual(["sda", "sdb"]);
});

test("a volume on a btrfs of two disks lies on both", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda" });
  shown.add({ name: "sdb", number: "8:16" });
  shown.addBtrfs("11111111-0000-4000-8000-000000000001", ["sda", "sdb"]);
  shown.mounts(["0:45 /srv btrfs /dev/sdb"]);
  expect(await disksUnder(files, "/srv")).toEqual(["sda", "sdb"]);
});

test("a volume on an encrypted btrfs lies on its disk", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda" });
  shown.addVirtual("dm-0", "253:0", { slaves: ["sda"], files: { "dm/name": "video" } });
  shown.mounts(["0:45 /srv btrfs /dev/mapper/video"]);
  expect(await disksUnder(files, "/srv")).toEqual(["sda"]);
});

test("a volume in a loop-mounted file lies on the disk of the file", async () => {
  const { shown, files } = await machine();
  shown.add({ name: "sda" });
  shown.addVirtual("loop0", "7:0", { files: { "loop/backing_file": "/images/video.ext4" } });
  shown.mounts(["8:0 / ext4 /dev/sda", "7:0 /srv ext4 /dev/loop0"]);
  expect(await disksUnder(files, "/srv")).toEqual(["sda"]);
});

test("devices that are made of each other are followed no further", async () => {
  const { shown, files } = await machine();
  shown.addVirtual("dm-0", "253:0", { slaves: ["dm-1"] });
  shown.addVirtual("dm-1", "253:1", { slaves: ["dm-0"] });
  shown.mounts(["253:0 / ext4 /dev/dm-0"]);
  expect(await disksUnder(files, "/")).toEqual([]);
});

test.each(["0:50 /srv nfs4 server:/video", "0:51 /srv tmpfs tmpfs"])("%s lies on no disk", async (mount) => {
  const { shown, files } = await machine();
  shown.add({ name: "sda" });
  shown.mounts(["8:0 / ext4 /dev/sda", mount]);
  expect(await disksUnder(files, "/srv")).toEqual([]);
});

const noDisks = existsSync("/sys/block") ? undefined : "the kernel shows no /sys/block";
test.skipIf(noDisks !== undefined)(
  `what this machine's kernel shows is read${notHere(noDisks)}`,
  async () => {
    const disks = await readBlockDisks(new SystemFiles());
    const names = disks.map(({ name }) => name);
    for (const name of await disksUnder(new SystemFiles(), "/")) expect(names).toContain(name);
    for (const { bytes } of disks) expect(bytes).toBeGreaterThan(0);
  },
);
