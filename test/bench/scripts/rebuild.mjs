// How fast an index is made again from the segments: real files on a real file system that was just mounted, through the
// volume's reader thread into LMDB; beside it `cat` of the same files. With --json: the figures as one object.
import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fillVolume } from "./segment-files.mjs";

const dist = new URL("../../../dist/", import.meta.url);
if (!existsSync(dist)) throw new Error("dist is missing: npm run build first");
const { Archive, LmdbSegmentIndex, rebuildIndex } = await import(new URL("archive/index.js", dist).href);
const { SystemClock, createLog } = await import(new URL("base/index.js", dist).href);

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    segments: { type: "string", default: "20000" },
    /** Bytes of a segment: so much lies between a header and a footer. */
    bytes: { type: "string", default: "65536" },
    streams: { type: "string", default: "64" },
    directory: { type: "string" },
  },
});
const SEGMENTS = Number(options.segments);
const BYTES = Number(options.bytes);
const STREAMS = Number(options.streams);
const SECTOR_BYTES = 512;
const CAT_BYTES = 1024 * 1024;

const scratch = mkdtempSync(path.join(options.directory ?? tmpdir(), "nvrd-bench-rebuild-"));
const image = path.join(scratch, "image");
const mountPoint = path.join(scratch, "disk");
mkdirSync(mountPoint);
const log = createLog({ level: "error", destination: process.stderr });

/** ext4 in a file, read past the host's page cache, so that a fresh mount is a cold disk. Wants root. */
execFileSync("truncate", ["-s", String(Math.ceil(SEGMENTS * (BYTES + 8192) * 1.3) + 200_000_000), image]);
execFileSync("mkfs.ext4", ["-q", "-F", "-N", String(SEGMENTS * 2), image]);
const device = execFileSync("losetup", ["--direct-io=on", "--show", "-f", image], {
  encoding: "utf8",
}).trim();
let mounted = false;

function mount() {
  execFileSync("mount", [device, mountPoint]);
  mounted = true;
}

function unmount() {
  execFileSync("umount", [mountPoint]);
  mounted = false;
}

process.on("exit", () => {
  if (mounted) execFileSync("umount", ["-l", mountPoint]);
  execFileSync("losetup", ["-d", device]);
  rmSync(scratch, { recursive: true, force: true });
});

/** Reads that the device has done. */
function deviceReads() {
  const numbers = readFileSync(`/sys/block/${path.basename(device)}/stat`, "latin1")
    .trim()
    .split(/\s+/)
    .map(Number);
  return { reads: numbers[0], bytes: numbers[2] * SECTOR_BYTES };
}

async function rebuild(name) {
  const index = new LmdbSegmentIndex({ directory: path.join(scratch, name), clock: new SystemClock(), log });
  index.start();
  await index.ready();
  const archive = await openArchive();
  const before = deviceReads();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const result = await rebuildIndex({ index, volumes: archive.volumeAccess(), log });
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = deviceReads();
  await archive.stop();
  await index.stop();
  const made = filled.paths.length;
  if (result.indexed !== made) throw new Error(`${result.indexed} of ${made} segments indexed`);
  return {
    segmentsPerS: Math.round(SEGMENTS / seconds),
    cpuUsPerSegment: Math.round((user + system) / SEGMENTS),
    readsPerSegment: Number(((after.reads - before.reads) / SEGMENTS).toFixed(2)),
    bytesReadPerSegment: Math.round((after.bytes - before.bytes) / SEGMENTS),
    megabytesPerS: Math.round((after.bytes - before.bytes) / seconds / 1e6),
  };
}

async function openArchive() {
  const idle = {
    add: () => undefined,
    newest: () => undefined,
    onCommitted: () => undefined,
    flush: async () => undefined,
  };
  const archive = new Archive({
    dataDir: path.join(scratch, "data"),
    volumes: [{ path: path.join(mountPoint, "volume") }],
    index: {
      ...idle,
      isWhole: () => true,
      trackOpen: () => undefined,
      forgetOpen: () => undefined,
      pendingUnlinks: () => [],
    },
    clock: new SystemClock(),
    log,
  });
  await archive.start();
  return archive;
}

/** All bytes of all files, in the order in which they were written. */
function cat(paths) {
  const memory = Buffer.alloc(CAT_BYTES);
  const before = deviceReads();
  const began = performance.now();
  for (const name of paths) {
    const fd = openSync(path.join(mountPoint, "volume", name), "r");
    while (readSync(fd, memory) > 0);
    closeSync(fd);
  }
  const seconds = (performance.now() - began) / 1000;
  return {
    megabytesPerS: Math.round((deviceReads().bytes - before.bytes) / seconds / 1e6),
    segmentsPerS: Math.round(paths.length / seconds),
  };
}

mount();
const first = await openArchive();
const [volume] = first.volumeAccess();
await first.stop();
const channelIds = Array.from({ length: STREAMS }, () => crypto.randomUUID());
const endUs = Math.floor(Date.now() / 60_000) * 60_000_000;
const filled = fillVolume({
  directory: path.join(mountPoint, "volume"),
  volumeId: volume.id,
  channelIds,
  segments: SEGMENTS,
  endUs,
  bytes: BYTES,
});
unmount();
mount();
const cold = await rebuild("cold");
const warm = await rebuild("warm");
unmount();
mount();
const wholeFiles = cat(filled.paths);
unmount();

const figures = {
  segments: SEGMENTS,
  streams: STREAMS,
  segmentBytes: Math.round(filled.bytes / SEGMENTS),
  indexBytesPerSegment: Math.round(statSync(path.join(scratch, "cold", "data.mdb")).size / SEGMENTS),
  cold,
  warm,
  cat: wholeFiles,
};
if (options.json) process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
else
  for (const [name, value] of Object.entries(figures))
    process.stdout.write(`${name.padEnd(22)} ${JSON.stringify(value)}\n`);
process.exit();
