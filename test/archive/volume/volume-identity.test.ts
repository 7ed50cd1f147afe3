import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../../../src/archive/disk/disk.js";
import {
  type Archive,
  type ArchiveNotice,
  KnownVolumes,
  type VolumeSettings,
} from "../../../src/archive/index.js";
import { GIVEN_UP_LOOK_MS } from "../../../src/archive/volume/given-up-volumes.js";
import { type ClockTimer, type Guid, SystemClock } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  SILENT_LOG,
  startArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";

let directory: ReturnType<typeof temporaryDirectory>;
let volumePath: string;

beforeEach(() => {
  directory = temporaryDirectory();
  volumePath = join(directory.path, "volume");
});

afterEach(() => directory.remove());

/** The real disk, on which the volume's directory looks like a mount point while `mounted` says so. */
function mountingDisk(mounted: () => boolean, fstab?: string): Disk {
  const statSync_ = ((path: string, ...rest: []) => {
    const found = REAL_DISK.statSync(path, ...rest);
    const isThere = path === volumePath || (path.startsWith(`${volumePath}/`) && !path.endsWith("/.."));
    if (isThere && mounted()) found.dev += 1;
    return found;
  }) as Disk["statSync"];
  const fstabFile = join(directory.path, "fstab");
  if (fstab !== undefined) writeFileSync(fstabFile, fstab);
  const redirected = (path: string) => (path === "/etc/fstab" && fstab !== undefined ? fstabFile : path);
  return {
    ...REAL_DISK,
    statSync: ((path: string) => statSync_(redirected(path))) as Disk["statSync"],
    readFileSync: ((path: string, encoding: "utf8") =>
      REAL_DISK.readFileSync(redirected(path), encoding)) as Disk["readFileSync"],
  };
}

/** Starts an archive on the volume; answers what it took and why not. */
async function startOn(disk: Disk, volume: Partial<VolumeSettings> = {}) {
  const { archive } = await startArchive(directory.path, {
    volumes: [{ path: volumePath, ...volume }],
    startThread: threadsOnDisk(disk),
  });
  return { archive, taken: archive.volumeAccess().length === 1, reason: archive.absentVolumes()[0]?.reason };
}

describe("a volume whose setting says mount", () => {
  it("is refused at the first start while its disk is not mounted, and nothing is written there", async () => {
    mkdirSync(volumePath);
    const { archive, taken, reason } = await startOn(REAL_DISK, { mount: true });
    expect(taken).toBe(false);
    expect(reason).toContain("no mount point");
    expect(readdirSync(volumePath)).toEqual([]);
    await archive.stop();
  });

  it("is not even made as a directory", async () => {
    const { archive, taken } = await startOn(REAL_DISK, { mount: true });
    expect(taken).toBe(false);
    expect(readdirSync(directory.path)).not.toContain("volume");
    await archive.stop();
  });

  it("is taken as soon as the disk is mounted", async () => {
    mkdirSync(volumePath);
    let mounted = false;
    const { archive } = await startOn(
      mountingDisk(() => mounted),
      { mount: true },
    );
    const notices: ArchiveNotice[] = [];
    archive.onNotice((notice) => notices.push(notice));
    mounted = true;
    await until(() => archive.volumeAccess().length === 1, "the volume to be taken");
    expect(notices.map(({ kind }) => kind)).toEqual(["volume-taken"]);
    await archive.stop();
  });
});

describe("an empty directory", () => {
  it("that /etc/fstab names is refused while nothing is mounted there", async () => {
    mkdirSync(volumePath);
    const fstab = `# disks\nUUID=1234 ${volumePath}/ ext4 defaults,nofail 0 2\n`;
    const { archive, taken, reason } = await startOn(mountingDisk(() => false, fstab));
    expect(taken).toBe(false);
    expect(reason).toContain("/etc/fstab");
    expect(readdirSync(volumePath)).toEqual([]);
    await archive.stop();
  });

  it("that only another line's comment names becomes a volume", async () => {
    mkdirSync(volumePath);
    const fstab = `#UUID=1234 ${volumePath} ext4 defaults 0 2\n/dev/sda1 / ext4 defaults 0 1\n`;
    const { archive, taken } = await startOn(mountingDisk(() => false, fstab));
    expect(taken).toBe(true);
    await archive.stop();
  });
});

describe("a volume that was a disk of its own", () => {
  it("is refused when a copy of it lies in the mount point instead", async () => {
    mkdirSync(volumePath);
    const first = await startOn(mountingDisk(() => true));
    expect(first.taken).toBe(true);
    await first.archive.stop();
    const second = await startOn(REAL_DISK);
    expect(second.taken).toBe(false);
    expect(second.reason).toContain("disk of its own");
    await second.archive.stop();
  });

  it("is given up when its disk is unmounted under it, and no segment is made in the mount point", async () => {
    mkdirSync(volumePath);
    let mounted = true;
    const { archive } = await startOn(mountingDisk(() => mounted));
    const notices: ArchiveNotice[] = [];
    archive.onNotice((notice) => notices.push(notice));
    mounted = false;
    const key = newStreamKey();
    append(archive.writer(key), { decodeTimeUs: Date.now() * 1000, bytes: patternBytes(1000, 1), key: true });
    await until(() => notices.some(({ kind }) => kind === "volume-lost"), "the volume to be lost");
    expect(readdirSync(join(volumePath, "open"))).toEqual([]);
    mounted = true;
    await until(() => notices.some(({ kind }) => kind === "volume-taken"), "the volume to be taken");
    await archive.stop();
  });

  describe("and is mounted at another path of the settings now", () => {
    const second = (): string => join(directory.path, "second");
    const volumes = (): VolumeSettings[] => [{ path: volumePath }, { path: second() }];

    /** Leaves the empty mount point behind; resolves when the volume is in use at the other path. */
    async function moved(): Promise<{ archive: Archive; id: Guid | undefined }> {
      mkdirSync(volumePath);
      const first = await startOn(mountingDisk(() => true));
      const id = first.archive.volumeIdAt(volumePath);
      await first.archive.stop();
      renameSync(volumePath, second());
      mkdirSync(volumePath);
      const archive = await start();
      await until(() => archive.volumeIdAt(second()) === id, "the volume to be used at the other path");
      return { archive, id };
    }

    async function start(): Promise<Archive> {
      const { archive } = await startArchive(directory.path, { volumes: volumes() });
      return archive;
    }

    it("leaves its mount point no volume on the system disk, also over a restart", async () => {
      const { archive } = await moved();
      const isRefused = (of: Archive) => () =>
        of.absentVolumes().some((absent) => absent.reason.includes("a disk of its own was mounted there"));
      await until(isRefused(archive), "the mount point to be refused as one");
      await archive.stop();
      const again = await start();
      await until(isRefused(again), "the mount point to be refused as one after a restart");
      expect(readdirSync(volumePath)).toEqual([]);
      await again.stop();
    });

    it("leaves its mount point to whatever volume is adopted there", async () => {
      const { archive } = await moved();
      const adopted = await archive.adoptVolume(volumePath);
      expect(archive.volumeIdAt(volumePath)).toBe(adopted);
      await archive.stop();
    });
  });
});

describe("a volume whose volume.json is damaged", () => {
  const file = (): string => join(volumePath, "volume.json");
  const DAMAGES: readonly (readonly [name: string, damage: () => void])[] = [
    ["noise", () => writeFileSync(file(), "\u0001noise")],
    ["cut to nothing", () => writeFileSync(file(), "")],
    ["another object", () => writeFileSync(file(), "{}")],
    ["longer than it may be", () => writeFileSync(file(), " ".repeat(5000))],
    ["gone", () => rmSync(file())],
  ];

  /** Its id, after something was recorded onto it, or nothing. */
  async function volumeWith(segments: "a segment" | "no segment"): Promise<Guid | undefined> {
    const { archive } = await startOn(REAL_DISK);
    const id = archive.volumeIdAt(volumePath);
    if (segments === "a segment") {
      const writer = archive.writer(newStreamKey());
      append(writer, { decodeTimeUs: Date.now() * 1000, bytes: patternBytes(1000, 1), key: true });
      await writer.end();
    }
    await archive.stop();
    return id;
  }

  it.each(DAMAGES)("is known by its segments, and gets it again: %s", async (_name, damage) => {
    const id = await volumeWith("a segment");
    damage();
    const { archive, reason } = await startOn(REAL_DISK);
    expect([reason, archive.volumeIdAt(volumePath)]).toEqual([undefined, id]);
    expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ volumeId: id, formatVersion: 1 });
    await archive.stop();
  });

  it.each(DAMAGES)("is refused where nothing is recorded on it: %s", async (_name, damage) => {
    await volumeWith("no segment");
    damage();
    const { archive, taken } = await startOn(REAL_DISK);
    expect(taken).toBe(false);
    await archive.stop();
  });

  it.each(DAMAGES)("is adopted with its recordings by another recorder: %s", async (_name, damage) => {
    const id = await volumeWith("a segment");
    damage();
    rmSync(join(directory.path, "data"), { recursive: true });
    const own = await startArchive(directory.path, { volumes: [{ path: join(directory.path, "own") }] });
    await own.archive.stop();
    const { archive, reason } = await startOn(REAL_DISK);
    expect(reason).toContain(`holds volume ${id}, which is not one of this recorder`);
    expect(await archive.adoptVolume(volumePath)).toBe(id);
    await archive.stop();
  });
});

describe("a disk that the recorder does not know", () => {
  /** A volume of another recorder, at `volumePath` of this one, which has recorded elsewhere before. */
  async function foreignVolume(): Promise<string> {
    const own = await startArchive(directory.path, { volumes: [{ path: join(directory.path, "own") }] });
    await own.archive.stop();
    const other = temporaryDirectory();
    const foreign = await startArchive(other.path);
    const id = foreign.archive.volumeAccess()[0]?.id ?? "";
    await foreign.archive.stop();
    cpSync(foreign.volumePath, volumePath, { recursive: true });
    other.remove();
    return id;
  }

  it("is refused at a path never seen, left as it is, and taken when it is adopted", async () => {
    const id = await foreignVolume();
    const before = statSync(join(volumePath, "volume.json")).mtimeMs;
    const { archive, taken, reason } = await startOn(REAL_DISK);
    expect([taken, reason]).toEqual([false, expect.stringContaining("not one of this recorder")]);
    expect(statSync(join(volumePath, "volume.json")).mtimeMs).toBe(before);
    expect(await archive.adoptVolume(volumePath)).toBe(id);
    expect(archive.volumeAccess().map((volume) => volume.id)).toEqual([id]);
    await expect(archive.adoptVolume(volumePath)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(archive.adoptVolume("/nowhere")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await archive.stop();
    const again = await startOn(REAL_DISK);
    expect(again.taken).toBe(true);
    await again.archive.stop();
  });

  it("is adopted once: who asks meanwhile hears that it is in use", async () => {
    const made = await startOn(REAL_DISK);
    await made.archive.stop();
    rmSync(volumePath, { recursive: true });
    mkdirSync(volumePath);
    const { archive, taken } = await startOn(REAL_DISK);
    expect(taken).toBe(false);
    const both = [archive.adoptVolume(volumePath), archive.adoptVolume(volumePath)];
    const [first, second] = await Promise.allSettled(both);
    expect(first?.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected", reason: { code: "CONFLICT" } });
    expect(archive.absentVolumes()).toEqual([]);
    await archive.stop();
  });

  it("is taken as found when the data directory is new: the system disk was replaced", async () => {
    const first = await startOn(REAL_DISK);
    const id = first.archive.volumeAccess()[0]?.id;
    await first.archive.stop();
    rmSync(join(directory.path, "data"), { recursive: true });
    const second = await startOn(REAL_DISK);
    expect(second.archive.volumeAccess()[0]?.id).toBe(id);
    await second.archive.stop();
  });

  it("is one that was replaced: it is used again when it comes back, and so is the other one", async () => {
    const first = await startOn(REAL_DISK);
    const firstId = first.archive.volumeAccess()[0]?.id;
    await first.archive.stop();
    renameSync(volumePath, join(directory.path, "old"));
    mkdirSync(volumePath);
    const empty = await startOn(REAL_DISK);
    expect(empty.taken).toBe(false);
    const secondId = await empty.archive.adoptVolume(volumePath);
    expect(secondId).not.toBe(firstId);
    await empty.archive.stop();
    for (const [aside, back, id] of [
      ["new", "old", firstId],
      ["old", "new", secondId],
    ] as const) {
      renameSync(volumePath, join(directory.path, aside));
      renameSync(join(directory.path, back), volumePath);
      const { archive } = await startOn(REAL_DISK);
      expect(archive.volumeAccess().map((volume) => volume.id)).toEqual([id]);
      await archive.stop();
    }
  });
});

describe("a volume of this recorder", () => {
  it("may move to another path", async () => {
    const first = await startOn(REAL_DISK);
    const id = first.archive.volumeAccess()[0]?.id;
    await first.archive.stop();
    const moved = join(directory.path, "moved");
    renameSync(volumePath, moved);
    const { archive } = await startArchive(directory.path, { volumes: [{ path: moved }] });
    expect(archive.volumeAccess()[0]?.id).toBe(id);
    await archive.stop();
  });

  it("is known although the power went between its making and its being noted", async () => {
    const first = await startOn(REAL_DISK);
    await first.archive.stop();
    const second = join(directory.path, "second");
    const known = new KnownVolumes({
      dataDir: join(directory.path, "data"),
      paths: [second],
      log: SILENT_LOG,
    });
    known.load();
    const id = await known.idToMake(second);
    mkdirSync(second);
    const identity = JSON.parse(readFileSync(join(volumePath, "volume.json"), "utf8")) as object;
    writeFileSync(join(second, "volume.json"), JSON.stringify({ ...identity, volumeId: id }));
    const { archive } = await startArchive(directory.path, { volumes: [{ path: second }] });
    expect(archive.volumeAccess()[0]?.id).toBe(id);
    await archive.stop();
  });

  it("is left out while its disk cannot be written, and said so before a stream comes to it", async () => {
    const readOnly: Disk = {
      ...REAL_DISK,
      openSync: ((path: string, flags: string, mode?: number) => {
        if (flags !== "r" && path.startsWith(volumePath))
          throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
        return REAL_DISK.openSync(path, flags, mode);
      }) as Disk["openSync"],
    };
    const first = await startOn(REAL_DISK);
    await first.archive.stop();
    const second = await startOn(readOnly);
    expect([second.taken, second.reason]).toEqual([false, expect.stringContaining("EROFS")]);
    await second.archive.stop();
  });
});

it("volumes.json of the first version, which kept the id alone, is understood", () => {
  const dataDir = join(directory.path, "data");
  mkdirSync(dataDir);
  const id = "6ffefe18-3f7b-4321-bf15-673c52d493ce";
  writeFileSync(join(dataDir, "volumes.json"), JSON.stringify({ volumes: { "/a": id, "/b": 7 } }));
  const known = new KnownVolumes({ dataDir, paths: ["/a", "/b"], log: SILENT_LOG });
  known.load();
  expect([known.at("/a"), known.at("/b")]).toEqual([{ id, mounted: false }, undefined]);
});

it("waits until the volumes that are known are saved", async () => {
  const dataDir = join(directory.path, "data");
  mkdirSync(dataDir);
  const known = new KnownVolumes({ dataDir, paths: ["/a"], log: SILENT_LOG });
  known.load();
  const id = "6ffefe18-3f7b-4321-bf15-673c52d493ce";
  void known.remember("/a", { id, mounted: true });
  await known.saved();
  expect(readFileSync(join(dataDir, "volumes.json"), "utf8")).toContain(id);
});

describe("a volume whose reserve is more than what its disk has", () => {
  const reserve = { bytes: 2_000_000_000, percent: Number.POSITIVE_INFINITY };
  /** The real disk, of 1000 MB with so many free. */
  const diskWith = (freeBytes: number): Disk => ({
    ...REAL_DISK,
    statfsSync: ((path: string) => ({
      ...REAL_DISK.statfsSync(path),
      bsize: 1000,
      blocks: 1_000_000,
      bavail: freeBytes / 1000,
    })) as Disk["statfsSync"],
  });

  it("is not made, and both figures are reported", async () => {
    const { archive, taken, reason } = await startOn(diskWith(29_000_000), { reserve });
    expect([taken, reason]).toEqual([
      false,
      `volume ${volumePath}: ${volumePath} has no room for recordings: 2000 MB are to stay free (reserveBytes), and 29 MB are free; lower the reserve, or make room`,
    ]);
    expect(readdirSync(volumePath)).toEqual([]);
    await archive.stop();
  });

  it("is taken when its reserve fits", async () => {
    const { archive, taken } = await startOn(diskWith(900_000_000), { reserve: { bytes: 1e9, percent: 5 } });
    expect(taken).toBe(true);
    await archive.stop();
  });

  it("stays a volume when it was one: what it holds is played", async () => {
    const before = await startOn(diskWith(900_000_000));
    await before.archive.stop();
    const { archive, taken } = await startOn(diskWith(29_000_000), { reserve });
    expect(taken).toBe(true);
    await archive.stop();
  });
});

it("a damaged volumes.json is replaced by its copy: a retired volume stays retired", async () => {
  const dataDir = join(directory.path, "data");
  const options = { dataDir, paths: ["/a"], log: SILENT_LOG };
  const id = "6ffefe18-3f7b-4321-bf15-673c52d493ce";
  const before = new KnownVolumes(options);
  before.load();
  await before.remember("/a", { id, mounted: true });
  await before.retire("/a", 5);
  writeFileSync(join(dataDir, "volumes.json"), "");
  const known = new KnownVolumes(options);
  known.load();
  expect([known.at("/a"), known.isAdopting("/a")]).toEqual([
    { id, mounted: true, retired: true, retiredUs: 5 },
    false,
  ]);
});

describe("a volume that was given up, at a path of the settings", () => {
  /** The volume is given up; answers its id, and the archive, whose other volume is recorded onto. */
  async function givenUp(disk: Disk = REAL_DISK) {
    const started = await start(disk);
    const id = started.volumeIdAt(volumePath);
    await started.retireVolume(volumePath, true);
    await started.forgetVolume(volumePath);
    expect(directoriesOf(started)).toEqual([other()]);
    return { archive: started, id };
  }

  const other = (): string => join(directory.path, "other");
  const aside = (): string => join(directory.path, "aside");

  async function start(disk: Disk = REAL_DISK): Promise<Archive> {
    const volumes = [{ path: volumePath }, { path: other() }];
    const startThread = threadsOnDisk(disk);
    return (await startArchive(directory.path, { volumes, startThread, clock })).archive;
  }

  const directoriesOf = (archive: Archive): string[] =>
    [...archive.volumeAccess(), ...archive.absentVolumes()].map((volume) => volume.directory);
  const isUsedAgain = (archive: Archive, id: Guid | undefined) => () =>
    archive.volumeAccess().some((volume) => volume.id === id && volume.directory === volumePath);

  let clock: HeldLooks;

  beforeEach(() => {
    clock = new HeldLooks();
  });

  it("is left alone as long as it lies there, also over a restart, and nothing is reported of it", async () => {
    const { archive } = await givenUp();
    await clock.pass(3);
    expect(directoriesOf(archive)).toEqual([other()]);
    await archive.stop();
    const again = await start();
    await clock.pass(3);
    expect(directoriesOf(again)).toEqual([other()]);
    await again.stop();
  });

  it("is used again by itself when it was away and is back", async () => {
    const { archive, id } = await givenUp();
    renameSync(volumePath, aside());
    await clock.pass(1);
    renameSync(aside(), volumePath);
    await clock.pass(1, isUsedAgain(archive, id));
    expect(isUsedAgain(archive, id)()).toBe(true);
    await archive.stop();
  });

  it("is used again where the service was started while it was away", async () => {
    const { archive, id } = await givenUp();
    await archive.stop();
    renameSync(volumePath, aside());
    const away = await start();
    await clock.pass(1);
    expect(readdirSync(directory.path)).not.toContain("volume");
    await away.stop();
    renameSync(aside(), volumePath);
    const back = await start();
    await clock.pass(1, isUsedAgain(back, id));
    expect(isUsedAgain(back, id)()).toBe(true);
    await back.stop();
  });

  it("was a disk of its own: its empty mount point never becomes a volume", async () => {
    mkdirSync(volumePath);
    let mounted = true;
    const disk = mountingDisk(() => mounted);
    const { archive } = await givenUp(disk);
    await archive.stop();
    mounted = false;
    renameSync(volumePath, aside());
    mkdirSync(volumePath);
    const away = await start(disk);
    await clock.pass(2);
    expect(readdirSync(volumePath)).toEqual([]);
    expect(directoriesOf(away)).toEqual([other()]);
    await away.stop();
  });

  it("stays given up while its disk cannot be read", async () => {
    let fails = false;
    const disk: Disk = {
      ...REAL_DISK,
      readdirSync: ((path: string) => {
        if (fails && path === volumePath) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
        return REAL_DISK.readdirSync(path);
      }) as Disk["readdirSync"],
    };
    const { archive } = await givenUp(disk);
    fails = true;
    await clock.pass(2);
    fails = false;
    await clock.pass(2);
    expect(directoriesOf(archive)).toEqual([other()]);
    await archive.stop();
  });

  it("is used again when it is adopted", async () => {
    const { archive, id } = await givenUp();
    expect(await archive.adoptVolume(volumePath)).toBe(id);
    expect(isUsedAgain(archive, id)()).toBe(true);
    await archive.stop();
    const again = await start();
    expect(isUsedAgain(again, id)()).toBe(true);
    await again.stop();
  });

  it("is used again at another path of the settings, once it has left its own", async () => {
    const { archive, id } = await givenUp();
    renameSync(volumePath, aside());
    await clock.pass(1);
    await archive.addVolume({ path: aside() });
    expect(archive.volumeIdAt(aside())).toBe(id);
    expect(archive.absentVolumes()).toEqual([]);
    await archive.stop();
  });
});

describe("two directories with one identity", () => {
  it.each([
    ["first", ["volume", "copy"]],
    ["last", ["copy", "volume"]],
  ])(
    "are the volume at its own path and a copy, which is refused with the reason: the own path named %s",
    async (_where, names) => {
      const first = await startOn(REAL_DISK);
      const id = first.archive.volumeAccess()[0]?.id;
      await first.archive.stop();
      cpSync(volumePath, join(directory.path, "copy"), { recursive: true });
      const volumes = names.map((name) => ({ path: join(directory.path, name) }));
      const { archive } = await startArchive(directory.path, { volumes });
      expect(archive.volumeAccess().map((volume) => [volume.id, volume.directory])).toEqual([
        [id, volumePath],
      ]);
      expect(archive.absentVolumes()).toEqual([
        {
          directory: join(directory.path, "copy"),
          reason: expect.stringContaining(`copy of volume ${volumePath}`),
        },
      ]);
      await archive.stop();
    },
  );

  it("are one volume that has moved while its own path is empty of it, and the copy is refused when it is back", async () => {
    const volumes = ["volume", "second"].map((name) => ({ path: join(directory.path, name) }));
    const first = await startArchive(directory.path, { volumes: volumes.slice(0, 1) });
    const id = first.archive.volumeIdAt(volumePath);
    await first.archive.stop();
    cpSync(volumePath, join(directory.path, "second"), { recursive: true });
    renameSync(volumePath, join(directory.path, "aside"));
    mkdirSync(volumePath);
    const { archive } = await startArchive(directory.path, { volumes });
    expect(archive.volumeAccess().map((volume) => [volume.id, volume.directory])).toEqual([
      [id, join(directory.path, "second")],
    ]);
    rmSync(volumePath, { recursive: true });
    renameSync(join(directory.path, "aside"), volumePath);
    await until(
      () => archive.absentVolumes().some(({ reason }) => reason.includes("is a copy of volume")),
      "the copy to be refused",
    );
    await archive.stop();
  });
});

it("two disks that have changed places are both used", async () => {
  const volumes = ["volume", "second"].map((name) => ({ path: join(directory.path, name) }));
  const first = await startArchive(directory.path, { volumes });
  const ids = volumes.map(({ path }) => first.archive.volumeIdAt(path));
  await first.archive.stop();
  renameSync(volumePath, join(directory.path, "aside"));
  renameSync(join(directory.path, "second"), volumePath);
  renameSync(join(directory.path, "aside"), join(directory.path, "second"));
  const { archive } = await startArchive(directory.path, { volumes });
  expect(archive.absentVolumes()).toEqual([]);
  expect(volumes.map(({ path }) => archive.volumeIdAt(path))).toEqual([...ids].reverse());
  await archive.stop();
});

/** The machine's clock; looks at what was given up, which alone wait so long, run when a test says so. */
class HeldLooks extends SystemClock {
  readonly #waiting = new Set<() => void>();

  override setTimeout(run: () => void, delayMs: number): ClockTimer {
    if (delayMs !== GIVEN_UP_LOOK_MS) return super.setTimeout(run, delayMs);
    this.#waiting.add(run);
    return { clear: () => this.#waiting.delete(run) };
  }

  /** So many looks at what was given up, each to its end: the next one is planned, or `isBack`. */
  async pass(looks: number, isBack: () => boolean = () => false): Promise<void> {
    for (let look = 0; look < looks; look++) {
      await until(() => this.#waiting.size > 0, "a look to be planned");
      const [run] = this.#waiting;
      if (run !== undefined) this.#waiting.delete(run);
      run?.();
      await until(() => this.#waiting.size > 0 || isBack(), "the look to end");
    }
  }
}
