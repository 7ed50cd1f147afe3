/**
 * Records synthetic streams with the built archive until it is killed; prints the newest decode time appended, and for how many
 * ms the write under way has taken.
 *
 *   node recording-child.mjs DIRECTORY CHANNEL-ID...
 */
import { join } from "node:path";
import { Archive } from "../../../dist/archive/index.js";
import { createLog, SystemClock } from "../../../dist/base/index.js";
import { Frame, SlabPool } from "../../../dist/live/index.js";

const [directory = "", ...channelIds] = process.argv.slice(2);
const clock = new SystemClock();
const FRAME_US = 20_000;
const listeners = [];
const index = {
  trackOpen: () => undefined,
  forgetOpen: () => undefined,
  add: (summary) => {
    setTimeout(() => {
      for (const listener of listeners) listener([summary]);
    }, 20);
  },
  flush: () => Promise.resolve(),
  onCommitted: (listener) => listeners.push(listener),
  onChange: () => undefined,
  newest: () => undefined,
  pendingUnlinks: () => [],
};
const archive = new Archive({
  dataDir: join(directory, "data"),
  volumes: [{ path: join(directory, "volume") }],
  index,
  clock,
  log: createLog({ level: "error" }),
  segmentSeconds: 0.3,
  tickMs: 50,
  syncIntervalMs: 100,
});
await archive.start();
const pool = new SlabPool({ slabBytes: 65_536, totalBytesMax: 64 << 20 });
const format = { codec: 1, width: 64, height: 36, initialization: new Uint8Array(8) };
const writers = channelIds.map((channelId) => archive.writer({ channelId, streamType: "Main" }));
const startUs = clock.nowUs();
let count = 0;
setInterval(() => {
  for (; startUs + count * FRAME_US <= clock.nowUs(); count++) {
    for (const writer of writers) {
      const slab = pool.take();
      const bytes = slab.bytes.subarray(0, 500 + ((count * 7919) % 20_000)).fill(count);
      const fields = { format, decodeTimeUs: startUs + count * FRAME_US, presentationOffsetUs: 0 };
      const flags = { key: count % 10 === 0, damaged: false, undecodable: false, discontinuity: false };
      const frame = new Frame({ ...fields, ...flags, ranges: [{ slab, bytes }] });
      slab.release();
      writer.append(frame);
      frame.release();
    }
  }
  const stallMs = Math.max(...archive.overload().volumes.map((volume) => volume.writeStallMs));
  process.stdout.write(`${startUs + (count - 1) * FRAME_US} ${stallMs}\n`);
}, 10);
