import { mkdirSync, readFileSync, statSync } from "node:fs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { LoopDisk, loopDiskMissing, run } from "../support/disk/loop-disk.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { pause, Service } from "../support/service/service.js";
import type { Bench, Figure } from "./figure.js";

const STREAMS = 16;
const DISK_BYTES = 8 * 1024 ** 3;
const RECORDED_WAIT_MS = 90_000;
/** The first segments, the first copies of small files, and what the start wrote are behind it. */
const SETTLE_MS = 20_000;
const WINDOW_MS = 180_000;
const QUICK_WINDOW_MS = 30_000;
const AMPLIFICATION_MAX = 1.02;
const SECTOR_BYTES = 512;
const SECONDS_A_YEAR = 365 * 86_400;
/** What an SSD of 1 TB for consumers is warranted to take, and an SD card for cameras of 256 GB, in TB (their data sheets' usual figures). */
const WARRANTED_TB = { "SSD of 1 TB (600 TBW)": 600, "SD card of 256 GB (160 TBW)": 160 } as const;

/** What reached a block device since it is there. */
interface Device {
  readonly bytes: number;
  readonly writes: number;
  readonly flushes: number;
}

/**
 * What 16 cameras write to a disk that holds all: recordings, index, configuration, events and the file system's own journal. The disk
 * is a loop device with ext4, so the kernel counts what reached it.
 */
export const wearBench: Bench = {
  name: "wear",
  about:
    "bytes, writes and flushes that reach the disk for a byte recorded; what a year with 16 cameras wears",
  async *run({ quick }) {
    const missing = loopDiskMissing();
    if (missing !== undefined) throw new Error(`no loop device here: ${missing}`);
    const directory = new TemporaryDirectory("bench-wear");
    const disk = LoopDisk.attach(DISK_BYTES);
    const mountPoint = directory.join("disk");
    mkdirSync(mountPoint);
    run("mkfs.ext4", ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", disk.device]);
    disk.mount(mountPoint);
    try {
      yield* figures(disk, mountPoint, quick ? QUICK_WINDOW_MS : WINDOW_MS);
    } finally {
      run("umount", [mountPoint]);
      disk.remove();
      directory.remove();
    }
  },
};

async function* figures(disk: LoopDisk, mountPoint: string, windowMs: number): AsyncGenerator<Figure> {
  const source = await PacedSource.start(STREAMS, CAMERA_CLIP);
  const service = await Service.start({ dataDir: `${mountPoint}/data` });
  try {
    const cameras = Array.from({ length: STREAMS }, (_, at) => ({
      name: `Camera ${at}`,
      url: source.url(at),
    }));
    await service.recorded(await service.addCameras(cameras), 1_000_000, RECORDED_WAIT_MS);
    await pause(SETTLE_MS);
    const before = { device: deviceOf(disk), frames: (await source.report()).frames, ms: performance.now() };
    await pause(windowMs);
    const after = { device: deviceOf(disk), frames: (await source.report()).frames, ms: performance.now() };
    const bytesAFrame = statSync(source.clipFile).size / (CAMERA_CLIP.fps * CAMERA_CLIP.seconds);
    yield* windowFigures({
      recordedBytes: (after.frames - before.frames) * bytesAFrame,
      seconds: (after.ms - before.ms) / 1000,
      bytes: after.device.bytes - before.device.bytes,
      writes: after.device.writes - before.device.writes,
      flushes: after.device.flushes - before.device.flushes,
    });
  } finally {
    await service.stop();
    await source.stop();
  }
}

interface Window extends Device {
  readonly recordedBytes: number;
  readonly seconds: number;
}

function* windowFigures({ recordedBytes, seconds, bytes, writes, flushes }: Window): Generator<Figure> {
  const name = `wear, ${STREAMS} streams`;
  yield {
    name: `${name}: bytes to the disk for a byte recorded`,
    value: bytes / recordedBytes,
    unit: "x",
    wanted: { atMost: AMPLIFICATION_MAX },
    peer: "ext4 with its journal; recordings, index, configuration, events",
  };
  yield { name: `${name}: writes to the disk a minute`, value: (writes / seconds) * 60, unit: "" };
  yield { name: `${name}: mean write`, value: bytes / writes / 1024, unit: "KiB" };
  yield { name: `${name}: flushes of the disk a minute`, value: (flushes / seconds) * 60, unit: "" };
  const terabytes = ((bytes / seconds) * SECONDS_A_YEAR) / 1e12;
  yield { name: `${name}: written in a year`, value: terabytes, unit: "TB" };
  for (const [medium, warranted] of Object.entries(WARRANTED_TB))
    yield { name: `${name}: years to the warranted end, ${medium}`, value: warranted / terabytes, unit: "" };
}

/** Counters of the kernel (Documentation/block/stat.rst): write I/Os, write sectors, flush I/Os. */
function deviceOf(disk: LoopDisk): Device {
  const fields = readFileSync(`/sys/block/${disk.name}/stat`, "utf8").trim().split(/\s+/).map(Number);
  const [writes = 0, , sectors = 0] = fields.slice(4);
  return { bytes: sectors * SECTOR_BYTES, writes, flushes: fields[15] ?? 0 };
}
