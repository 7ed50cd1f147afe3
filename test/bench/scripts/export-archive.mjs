/**
 * Records 4 Mbit/s of synthetic H.264 with the built archive, into the data directory of a service that does not run:
 *
 *   node export-archive.mjs DATA-DIRECTORY CHANNEL-ID SECONDS FROM-US
 */
import { join } from "node:path";
import { Archive, LmdbSegmentIndex } from "../../../dist/archive/index.js";
import { createLog, SystemClock } from "../../../dist/base/index.js";
import { Frame } from "../../../dist/live/index.js";

const [dataDir = "", channelId = "", seconds = "0", fromUs = "0"] = process.argv.slice(2);
const FRAME_US = 40_000;
const GOP_FRAMES = 50;
const KEY_BYTES = 200_000;
const FRAME_BYTES = 16_300;
/** Frames handed over before the disks are waited for. */
const BURST_FRAMES = 250;

const clock = new SystemClock();
const log = createLog({ level: "error" });
const index = new LmdbSegmentIndex({ directory: join(dataDir, "index"), clock, log, commitIntervalMs: 1000 });
await index.start();
const volumes = [{ path: join(dataDir, "volume") }];
const archive = new Archive({ dataDir, volumes, index, clock, log, tickMs: 20 });
await archive.start();

// Parameter sets, then a slice of bytes that hold no start code.
const sets = Buffer.from("00000001674d001ef40501ec800000000168ee3c80", "hex");
const key = Buffer.concat([sets, slice(0x65, KEY_BYTES)]);
const other = slice(0x41, FRAME_BYTES);
const format = { codec: 1, width: 640, height: 480, initialization: sets };
const writer = archive.writer({ channelId, streamType: "Main" });
for (let at = 0; at < Number(seconds) * 25; at++) {
  const isKey = at % GOP_FRAMES === 0;
  const times = { decodeTimeUs: Number(fromUs) + at * FRAME_US, presentationOffsetUs: 0 };
  const flags = { key: isKey, damaged: false, undecodable: false, discontinuity: at === 0 };
  const ranges = [{ slab: undefined, bytes: isKey ? key : other }];
  const frame = new Frame({ format, ...times, ...flags, ranges });
  writer.append(frame);
  frame.release();
  if (at % BURST_FRAMES === BURST_FRAMES - 1) await new Promise((resolve) => setTimeout(resolve, 30));
}
await writer.end();
await archive.stop();
await index.stop();

function slice(type, bytes) {
  const unit = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at++) unit[at] = 4 + (((at * 2_654_435_761) >>> 0) % 250);
  unit.set([0, 0, 0, 1, type]);
  return unit;
}
