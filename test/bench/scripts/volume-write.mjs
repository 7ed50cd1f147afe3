/**
 * CPU seconds per GB that recording costs from frame to disk, the network left out: paced synthetic streams
 * through the real archive (dist), and the kernel's share alone (writev of the same bytes by one thread).
 *
 *   node test/bench/scripts/volume-write.mjs [--streams 16] [--seconds 20] [--warm 5] [--speed 4] [--dir DIR] [--json]
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writevSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "16" },
    seconds: { type: "string", default: "20" },
    warm: { type: "string", default: "5" },
    speed: { type: "string", default: "4" },
    dir: { type: "string", default: tmpdir() },
    json: { type: "boolean", default: false },
  },
});
const streams = Number(values.streams);
const seconds = Number(values.seconds);
const warmSeconds = Number(values.warm);
const speed = Number(values.speed);
const FPS = 25;
const FRAME_BYTES = 20_000; // 4 Mbit/s
const SLAB_BYTES = 512 * 1024;

const { Archive } = await import("../../../dist/archive/index.js");
const { SystemClock, createLog, newGuid } = await import("../../../dist/base/index.js");
const { Frame, SlabPool } = await import("../../../dist/live/index.js");

/** An index that keeps nothing. */
const index = {
  trackOpen: () => undefined,
  forgetOpen: () => undefined,
  add: () => undefined,
  flush: () => Promise.resolve(),
  onCommitted: () => undefined,
  onChange: () => undefined,
  newest: () => undefined,
  pendingUnlinks: () => [],
};
const VIDEO = { codec: 1, width: 1920, height: 1080, initialization: new Uint8Array(32) };
const directory = mkdtempSync(join(values.dir, "nvrd-bench-"));

function cpuSeconds(usage) {
  return (usage.user + usage.system) / 1e6;
}

function peakMiB() {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024;
}

class Source {
  constructor(pool, writer) {
    this.pool = pool;
    this.writer = writer;
    this.slab = undefined;
    this.at = 0;
    this.count = 0;
  }

  send(decodeTimeUs) {
    if (this.slab === undefined || this.at + FRAME_BYTES > SLAB_BYTES) {
      this.slab?.release();
      this.slab = this.pool.take();
      this.at = 0;
    }
    const { slab } = this;
    const bytes = slab.bytes.subarray(this.at, this.at + FRAME_BYTES);
    bytes[0] = this.count;
    this.at += FRAME_BYTES;
    const key = this.count++ % 50 === 0;
    const fields = {
      format: VIDEO,
      decodeTimeUs,
      presentationOffsetUs: 0,
      key,
      damaged: false,
      undecodable: false,
      discontinuity: false,
    };
    const frame = new Frame({ ...fields, ranges: [{ slab, bytes }] });
    this.writer.append(frame);
    frame.release();
  }
}

async function recorded() {
  const clock = new SystemClock();
  const log = createLog({ level: "warn" });
  const archive = new Archive({
    dataDir: directory,
    volumes: [{ path: join(directory, "volume") }],
    index,
    clock,
    log,
  });
  await archive.start();
  const pool = new SlabPool({ slabBytes: SLAB_BYTES, totalBytesMax: 1 << 30 });
  const sources = Array.from({ length: streams }, () => {
    return new Source(pool, archive.writer({ channelId: newGuid(), streamType: "Main" }));
  });
  const startUs = clock.nowUs();
  let before = process.cpuUsage();
  let frames = 0;
  let warmFrames = 0;
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      if (warmFrames === 0 && frames >= warmSeconds * FPS * speed) {
        // From here on it is the steady state: modules compiled, threads started, files open.
        warmFrames = frames;
        before = process.cpuUsage();
      }
      const due = Math.min(seconds * FPS, Math.floor(((clock.nowUs() - startUs) / 1e6) * FPS * speed));
      for (; frames < due; frames++) {
        for (const source of sources) source.send(startUs + (frames * 1e6) / FPS);
      }
      if (frames >= seconds * FPS) {
        clearInterval(timer);
        resolve();
      }
    }, 100);
  });
  await archive.stop();
  return {
    cpuSeconds: cpuSeconds(process.cpuUsage(before)),
    gigabytes: ((frames - warmFrames) * streams * FRAME_BYTES) / 1e9,
  };
}

/** The kernel's part: the same bytes by writev in the same sizes, synced as often. */
function kernelOnly(gigabytes) {
  const piece = Buffer.alloc(FRAME_BYTES, 1);
  const perTick = Math.ceil(FPS * 0.2 * speed);
  const files = Array.from({ length: streams }, (_, at) => openSync(join(directory, `floor-${at}`), "w"));
  const before = process.cpuUsage();
  const ticks = Math.floor((gigabytes * 1e9) / (streams * perTick * FRAME_BYTES));
  const pieces = Array(perTick).fill(piece);
  for (let tick = 0; tick < ticks; tick++) {
    for (const fd of files) writevSync(fd, pieces, tick * perTick * FRAME_BYTES);
    if (tick % 5 === 4) for (const fd of files) fdatasyncSync(fd);
  }
  const used = cpuSeconds(process.cpuUsage(before));
  for (const fd of files) closeSync(fd);
  return used;
}

try {
  const result = await recorded();
  const kernel = kernelOnly(result.gigabytes) / result.gigabytes;
  const all = result.cpuSeconds / result.gigabytes;
  const figures = {
    streams,
    gigabytes: Number(result.gigabytes.toFixed(2)),
    cpuSecondsPerGb: Number(all.toFixed(2)),
    kernelWriteSecondsPerGb: Number(kernel.toFixed(2)),
    ownSecondsPerGb: Number((all - kernel).toFixed(2)),
    peakMiB: Math.round(peakMiB()),
  };
  if (values.json) console.log(JSON.stringify(figures));
  else console.table(figures);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
