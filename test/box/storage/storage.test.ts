import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MoveState } from "../../../src/archive/index.js";
import { createLog, type Guid, NvrdError } from "../../../src/base/index.js";
import {
  type FormatOrder,
  type FormatRequest,
  MOUNT_MS_MAX,
  Storage,
  type StorageAct,
  type StorageArchive,
} from "../../../src/box/storage/index.js";
import { SystemFiles } from "../../../src/health/index.js";
import { temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { volumeStatus } from "../../support/health/health-figures.js";
import { MachineFiles } from "../../support/health/machine-files.js";

const OLD_ID = "11111111-0000-4000-8000-000000000001";
const NEW_ID = "11111111-0000-4000-8000-000000000002";
const OLD = "/srv/nvrd-00000001";
const NEW = "/srv/nvrd-00000002";
const REQUEST: FormatRequest = {
  device: "/dev/sdc",
  serial: "SERIAL-sdc",
  confirm: "SERIAL-sdc",
  eraseFound: false,
};
const BY = { id: "22222222-0000-4000-8000-000000000001", name: "root" };

interface Held {
  directory: string;
  id: Guid | undefined;
  usable: boolean;
  isRetired: boolean;
  usedBytes: number;
}

/** Volumes in memory. */
class HeldVolumes implements StorageArchive {
  held: Held[] = [{ directory: OLD, id: OLD_ID, usable: true, isRetired: false, usedBytes: 5e9 }];

  at(directory: string): Held {
    const found = this.held.find((volume) => volume.directory === directory);
    if (found === undefined) throw new Error(`no volume at ${directory}`);
    return found;
  }

  overload() {
    return { volumes: this.held };
  }

  absentVolumes() {
    return this.held
      .filter(({ usable }) => !usable)
      .map(({ directory }) => ({ directory, reason: "it does not answer" }));
  }

  emptyUs(): undefined {
    return undefined;
  }

  async volumeStatus() {
    const there = this.held.filter(({ usable }) => usable);
    return there.map(({ directory, usedBytes }) => volumeStatus({ directory, usedBytes }));
  }

  volumeIdAt(directory: string): Guid | undefined {
    return this.held.find((volume) => volume.directory === directory)?.id;
  }

  async readmitVolume(): Promise<void> {
    // None was given up here.
  }

  async adoptVolume(directory: string): Promise<Guid> {
    this.at(directory).usable = true;
    return NEW_ID;
  }

  async retireVolume(directory: string, retired: boolean): Promise<void> {
    this.at(directory).isRetired = retired;
  }

  /** What is being moved, and who is notified of its end. */
  moving: MoveState | undefined;
  notifyEnd: (state: MoveState) => void = () => undefined;

  readonly moves = {
    state: undefined,
    isMoving: (directory: string) => this.moving?.directory === directory,
    begin: async (directory: string, by: MoveState["by"]): Promise<MoveState> => {
      const ends = { endedUs: undefined, progress: undefined, result: undefined, problem: undefined };
      this.moving = { directory, by, state: "running", startedUs: 1, ...ends };
      return this.moving;
    },
    cancel: () => undefined,
    onEnd: (listener: (state: MoveState) => void) => {
      this.notifyEnd = listener;
    },
  };

  async forgetVolume(directory: string): Promise<void> {
    this.held = this.held.filter((volume) => volume.directory !== directory);
  }
}

let directory: ReturnType<typeof temporaryDirectory>;
let machine: MachineFiles;
let archive: HeldVolumes;
let clock: ManualClock;
let acts: StorageAct[];
let orders: FormatOrder[];
/** What the keeper answers. */
let keeper: () => Promise<string>;
/** What is found mounted when it is looked. */
let onLook: () => void;
let storage: Storage;

beforeEach(() => {
  directory = temporaryDirectory();
  machine = new MachineFiles(directory.path);
  machine.add({ name: "sda", number: "8:0", partitions: { sda1: "8:1" } });
  machine.add({ name: "sdb", number: "8:16" });
  machine.add({ name: "sdc", number: "8:32" });
  machine.mounts(["8:1 / ext4 /dev/sda1", `8:16 ${OLD} ext4 /dev/sdb`]);
  archive = new HeldVolumes();
  clock = new ManualClock();
  acts = [];
  orders = [];
  keeper = async () => "nvrd-00000002";
  onLook = () => {
    if (archive.volumeIdAt(NEW) === undefined)
      archive.held.push({ directory: NEW, id: NEW_ID, usable: true, isRetired: false, usedBytes: 0 });
  };
  storage = new Storage({
    archive,
    disks: { disks: undefined, problem: undefined },
    files: new SystemFiles(directory.path),
    dataDir: "/var/lib/nvrd",
    mounts: {
      directory: "/srv",
      watch: { look: async () => onLook(), forget: () => undefined, readmit: async () => undefined },
    },
    format: async (order) => {
      orders.push(order);
      return await keeper();
    },
    onAct: (act) => acts.push(act),
    clock,
    log: createLog({ level: "silent" }),
  });
});

afterEach(() => directory.remove());

/** The work when it has ended; simulated time goes on meanwhile. */
async function ended() {
  await expect
    .poll(
      async () => {
        clock.advance(1000);
        return (await storage.list()).work?.state;
      },
      { interval: 1 },
    )
    .not.toBe("running");
  return (await storage.list()).work;
}

const kinds = () => acts.map(({ kind }) => kind);

it("the list puts volumes on the disks that they lie on, and names the disk of the machine", async () => {
  archive.held.push({ directory: NEW, id: NEW_ID, usable: false, isRetired: false, usedBytes: 0 });
  const { disks, otherVolumes } = await storage.list();
  expect(disks.map((disk) => [disk.device, disk.serial, disk.isSystemDisk, disk.volumes.length])).toEqual([
    ["/dev/sda", "SERIAL-sda", true, 0],
    ["/dev/sdb", "SERIAL-sdb", false, 1],
    ["/dev/sdc", "SERIAL-sdc", false, 0],
  ]);
  expect(otherVolumes).toMatchObject([{ directory: NEW, state: "left out", reason: "it does not answer" }]);
});

it("a formatted disk is a volume when the work is done", async () => {
  expect(await storage.format(REQUEST, BY)).toMatchObject({ state: "running", device: "/dev/sdc" });
  expect(await ended()).toMatchObject({ state: "done", directory: NEW, problem: undefined });
  expect(orders).toEqual([{ device: "/dev/sdc", serial: "SERIAL-sdc", eraseFound: false }]);
  expect(acts).toEqual([{ kind: "formatted", comment: expect.stringContaining("/dev/sdc"), by: BY }]);
});

it("one disk is worked on at a time", async () => {
  let answer: (label: string) => void = () => undefined;
  keeper = () => new Promise((resolve) => (answer = resolve));
  await storage.format(REQUEST, BY);
  await expect(storage.format(REQUEST, BY)).rejects.toMatchObject({ code: "CONFLICT" });
  await expect(storage.replace(OLD, REQUEST, BY)).rejects.toMatchObject({ code: "CONFLICT" });
  expect(orders).toHaveLength(1);
  answer("nvrd-00000002");
  expect(await ended()).toMatchObject({ state: "done" });
});

describe("nothing is formatted when", () => {
  it.each<[string, Partial<FormatRequest>, string]>([
    ["there is no such disk", { device: "/dev/sdx" }, "NOT_FOUND"],
    ["it has another serial number", { serial: "SERIAL-sdb", confirm: "SERIAL-sdb" }, "CONFLICT"],
    ["the serial number is not confirmed", { confirm: "yes" }, "BAD_REQUEST"],
    [
      "the machine runs from it",
      { device: "/dev/sda", serial: "SERIAL-sda", confirm: "SERIAL-sda" },
      "CONFLICT",
    ],
    [
      "a volume is mounted from it",
      { device: "/dev/sdb", serial: "SERIAL-sdb", confirm: "SERIAL-sdb" },
      "CONFLICT",
    ],
  ])("%s", async (_title, change, code) => {
    await expect(storage.format({ ...REQUEST, ...change }, BY)).rejects.toMatchObject({ code });
    expect(orders).toEqual([]);
    // It holds up nothing that comes after.
    await storage.format(REQUEST, BY);
    expect(await ended()).toMatchObject({ state: "done" });
  });
});

it("a disk that is formatted and never mounted is reported, with what was found", async () => {
  onLook = () => undefined;
  await storage.format(REQUEST, BY);
  const startedUs = clock.monotonicUs();
  expect(await ended()).toMatchObject({ state: "failed", problem: expect.stringContaining(NEW) });
  expect(clock.monotonicUs() - startedUs).toBeGreaterThanOrEqual(MOUNT_MS_MAX * 1000);
});

describe("replace", () => {
  it("retires a volume that is there, whose recordings stay", async () => {
    await storage.replace(OLD, REQUEST, BY);
    expect(await ended()).toMatchObject({ state: "done", problem: expect.stringContaining(OLD) });
    expect(archive.at(OLD).isRetired).toBe(true);
    expect(kinds()).toEqual(["formatted", "retired"]);
  });

  it("forgets a volume whose disk is dead", async () => {
    archive.at(OLD).usable = false;
    await storage.replace(OLD, REQUEST, BY);
    expect(await ended()).toMatchObject({ state: "done", problem: undefined });
    expect(archive.held.map((volume) => volume.directory)).toEqual([NEW]);
    expect(kinds()).toEqual(["formatted", "retired", "forgotten"]);
  });

  it("forgets a volume that holds nothing", async () => {
    archive.at(OLD).usedBytes = 0;
    await storage.replace(OLD, REQUEST, BY);
    await ended();
    expect(archive.held.map((volume) => volume.directory)).toEqual([NEW]);
  });

  it("leaves the old volume as it was when the new disk cannot be formatted", async () => {
    keeper = () => Promise.reject(new NvrdError("CONFLICT", "the disk is not empty: /dev/sdc: ntfs"));
    await storage.replace(OLD, REQUEST, BY);
    expect(await ended()).toMatchObject({ state: "failed", problem: expect.stringContaining("ntfs") });
    expect(archive.at(OLD)).toMatchObject({ usable: true, isRetired: false });
    expect(acts).toEqual([]);
  });
});

describe("forget", () => {
  it("wants the volume's id", async () => {
    archive.at(OLD).isRetired = true;
    await expect(storage.forget(OLD, NEW_ID, BY)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await storage.forget(OLD, OLD_ID.toUpperCase(), BY);
    expect(archive.held).toEqual([]);
    expect(acts).toEqual([{ kind: "forgotten", comment: `${OLD} (volume ${OLD_ID})`, by: BY }]);
  });

  it("leaves a volume that is recorded onto", async () => {
    await expect(storage.forget(OLD, OLD_ID, BY)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(archive.held).toHaveLength(1);
  });
});

it("adopting in place of another volume wants that one's id", async () => {
  archive.at(OLD).usable = false;
  await expect(storage.adopt(OLD, undefined, BY)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  expect(await storage.adopt(OLD, OLD_ID, BY)).toBe(NEW_ID);
  expect(kinds()).toEqual(["adopted"]);
});
