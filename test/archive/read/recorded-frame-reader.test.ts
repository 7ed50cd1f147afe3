import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Disk } from "../../../src/archive/disk/disk.js";
import type { StreamKey } from "../../../src/base/index.js";
import { type Frame, LiveStream, SlabPool } from "../../../src/live/index.js";
import {
  AUDIO,
  makeFrame,
  newStreamKey,
  patternBytes,
  SkippingClock,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { HangingThreads, REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";

/** Streams that let go what the archive has recorded, and get it back from there. */

const FRAME_US = 40_000;
const SLAB_BYTES = 16 * 1024;

let directory: ReturnType<typeof temporaryDirectory>;
let threads: HangingThreads;
let test: TestArchive;
let pool: SlabPool;
let stream: LiveStream;
let key: StreamKey;
let sent: Picture[];
let startUs: number;
/** How often the reader thread dropped pages from the cache. */
let uncached: number;

beforeEach(() => start());

afterEach(async () => {
  threads.release();
  await test.archive.stop();
  directory.remove();
});

async function start(options: { readonly segmentSeconds?: number; readonly poolSlabs?: number } = {}) {
  directory = temporaryDirectory();
  uncached = 0;
  const dontNeed: Disk["dontNeed"] = (...file) => {
    uncached += 1;
    return REAL_DISK.dontNeed(...file);
  };
  const readerDisk = { ...REAL_DISK, dontNeed };
  threads = new HangingThreads((one) => threadsOnDisk(one.role === "reader" ? readerDisk : REAL_DISK)(one));
  const clock = new SkippingClock();
  const { segmentSeconds = 60, poolSlabs = 1000 } = options;
  test = await startArchive(directory.path, { startThread: threads.start, clock, segmentSeconds });
  pool = new SlabPool({ slabBytes: SLAB_BYTES, totalBytesMax: poolSlabs * SLAB_BYTES });
  key = newStreamKey();
  sent = [];
  startUs = Date.now() * 1000;
  const writer = test.archive.writer(key);
  stream = new LiveStream(key, undefined, { reader: test.archive.frameReader(pool), clock });
  stream.setState({ state: "active" });
  stream.subscribe({ onFrame: (frame) => writer.append(frame) }, { fromGop: false, atOnce: false });
}

async function startAgain(options: Parameters<typeof start>[0]): Promise<void> {
  await test.archive.stop();
  directory.remove();
  await start(options);
}

function publish(
  fields: { readonly key?: boolean; readonly byteLength?: number; readonly audio?: true } = {},
) {
  const at = sent.length;
  const { byteLength = 3000 } = fields;
  const bytes = Buffer.from(patternBytes(byteLength, at));
  const timeUs = startUs + at * FRAME_US;
  sent.push({ timeUs, bytes });
  const audio = fields.audio === true ? { format: AUDIO, memory: "own" as const } : {};
  const frame = makeFrame({
    decodeTimeUs: timeUs,
    bytes,
    key: fields.key ?? fields.audio ?? false,
    ...audio,
  });
  stream.publish(frame);
  return frame;
}

/** Publishes until the stream has let go all but its newest pictures. */
async function recorded(frames = 20): Promise<void> {
  const before = publish({ key: true });
  let last = before;
  for (let at = 1; at < frames; at++) last = publish();
  await released(last);
}

/** The stream looks for what is recorded once more has come. */
async function released(last: Frame): Promise<void> {
  await until(() => last.isRecorded, "the frames to be recorded");
  publish();
}

/** What a viewer gets up to now and until `count` frames are there. */
async function watch(count: number): Promise<Picture[]> {
  const seen: Picture[] = [];
  const onFrame = (frame: Frame) => void seen.push({ timeUs: frame.decodeTimeUs, bytes: frame.copyBytes() });
  const subscription = stream.subscribe({ onFrame }, { fromGop: true, atOnce: true });
  await until(() => seen.length >= count, `${count} frames`);
  subscription.close();
  return seen;
}

interface Picture {
  readonly timeUs: number;
  readonly bytes: Buffer;
}

function expectSame(seen: readonly Picture[], wanted: readonly Picture[]): void {
  expect(seen.map(({ timeUs }) => timeUs)).toEqual(wanted.map(({ timeUs }) => timeUs));
  const differing = seen.filter(({ bytes }, at) => wanted[at]?.bytes.equals(bytes) !== true);
  expect(differing.map(({ timeUs }) => timeUs)).toEqual([]);
}

function segmentFiles(): string[] {
  const open = join(test.volumePath, "open");
  return readdirSync(open).map((name) => join(open, name));
}

async function closeSegment(): Promise<void> {
  await test.archive.writer(key).end();
  await test.index.flush();
  await until(() => segmentFiles().length === 0, "the segment to be put in its place");
}

it("a frame is recorded when the disk has answered for it, and not before", async () => {
  const volume = test.archive.volumeAccess()[0]?.directory ?? "";
  threads.hang(volume);
  const frame = publish({ key: true });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(frame.isRecorded).toBe(false);
  threads.release();
  await until(() => frame.isRecorded, "the frame to be recorded");
});

it("a frame of a segment that failed is not recorded", async () => {
  const frame = publish({ key: true });
  await until(() => frame.isRecorded, "the frame to be recorded");
  threads.failAll("ended by the test");
  expect(frame.isRecorded).toBe(false);
});

it("a GOP that was let go comes back byte for byte, from a segment that is being written", async () => {
  await recorded();
  expect(stream.gop).toHaveLength(21);
  expectSame(await watch(21), sent);
});

it("a GOP comes back from a segment that is closed and in its place", async () => {
  await recorded();
  await closeSegment();
  expectSame(await watch(21), sent);
});

it("a GOP that comes back stays in the page cache, a recording that is played does not", async () => {
  await recorded();
  await watch(21);
  const reader = test.archive.read(key, { fromUs: startUs });
  await reader.next();
  expect(uncached).toBe(0);
  reader.close();
  await until(() => uncached === 1, "the pages to be dropped");
});

it("sound in the recording is passed over", async () => {
  publish({ key: true });
  for (let at = 0; at < 10; at++) {
    publish();
    publish({ audio: true, byteLength: 160 });
  }
  const last = publish();
  await released(last);
  expectSame(await watch(sent.length), sent);
});

it("a GOP over several segments comes back whole", async () => {
  await startAgain({ segmentSeconds: 1 });
  await recorded(130);
  await until(
    () => segmentFiles().length > 0,
    "a segment",
    () => segmentFiles().length,
  );
  expectSame(await watch(131), sent);
});

it("pictures that are longer than a slab, and than a chunk that is read at once, come back", async () => {
  publish({ key: true });
  publish({ byteLength: 3 * SLAB_BYTES });
  publish({ byteLength: 1_200_000 });
  const last = publish();
  await released(last);
  expectSame(await watch(sent.length), sent);
});

it("bytes that changed on the disk are not shown: the viewer begins with the next key frame", async () => {
  await recorded();
  const [file = ""] = segmentFiles();
  const bytes = readFileSync(file);
  const at = bytes.indexOf(sent[9]?.bytes ?? "");
  bytes.writeUInt8(bytes.readUInt8(at + 100) ^ 1, at + 100);
  writeFileSync(file, bytes);
  const seen: number[] = [];
  stream.subscribe(
    { onFrame: (frame) => void seen.push(frame.decodeTimeUs) },
    { fromGop: true, atOnce: true },
  );
  await until(() => stream.gop.length === 0, "the reading to fail");
  publish({ key: true });
  expect(seen).toEqual([sent.at(-1)?.timeUs]);
});

it("a recording that is gone is not waited for", async () => {
  await recorded();
  await closeSegment();
  const [volume] = test.archive.volumeAccess();
  for (const { segmentId } of test.index.committed.values()) await volume?.unlink({ key, segmentId });
  let taken: number | undefined;
  stream.takeGop((frames) => {
    taken = frames.length;
  });
  await until(() => taken !== undefined, "the reading to fail");
  expect(taken).toBe(0);
});

it("frames are not read back without memory for them, and what was read is given back", async () => {
  await startAgain({ poolSlabs: 3 });
  await recorded();
  let taken: number | undefined;
  stream.takeGop((frames) => {
    taken = frames.length;
  });
  await until(() => taken !== undefined, "the reading to fail");
  expect(taken).toBe(0);
  expect(pool.allocatedBytes - pool.idleBytes).toBe(0);
});

it("a disk that answers when nobody waits any longer changes no frame", async () => {
  await recorded();
  const volume = test.archive.volumeAccess()[0]?.directory ?? "";
  threads.hang(volume, "reader");
  const subscription = stream.subscribe({ onFrame: () => undefined }, { fromGop: true, atOnce: true });
  publish({ key: true });
  subscription.close();
  threads.release();
  const before = pool.allocatedBytes - pool.idleBytes;
  await recorded();
  expectSame(await watch(21), sent.slice(-21));
  publish({ key: true });
  await until(
    () => pool.allocatedBytes - pool.idleBytes <= before,
    "the memory to come back",
    () => pool.allocatedBytes - pool.idleBytes,
  );
});

it("a volume whose reader thread hangs holds up its own streams alone", async () => {
  await test.archive.stop();
  const volumes = ["a", "b"].map((name) => ({ path: `${directory.path}/${name}` }));
  test = await startArchive(directory.path, { startThread: threads.start, volumes });
  const clock = new SkippingClock();
  const reader = test.archive.frameReader(pool);
  const streams = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const own = new LiveStream(newStreamKey(), undefined, { reader, clock });
      const writer = test.archive.writer(own.key);
      own.subscribe({ onFrame: (frame) => writer.append(frame) }, { fromGop: false, atOnce: false });
      const first = makeFrame({ decodeTimeUs: startUs, bytes: patternBytes(3000, 1), key: true });
      own.publish(first);
      await until(() => first.isRecorded, "the frame to be recorded");
      own.publish(makeFrame({ decodeTimeUs: startUs + 1, bytes: patternBytes(3000, 2) }));
      return own;
    }),
  );
  const volumeOf = ({ key: one }: LiveStream) =>
    test.archive.overload().streams.find((known) => known.key.channelId === one.channelId)?.volumeId;
  const [hung, sound] = test.archive.volumeAccess();
  const here = streams.filter((own) => volumeOf(own) === sound?.id);
  expect([here.length, streams.length - here.length]).toEqual([8, 8]);
  threads.hang(hung?.directory ?? "", "reader");
  const taken: LiveStream[] = [];
  for (const own of streams.filter((one) => !here.includes(one))) own.takeGop(() => undefined);
  for (const own of here) own.takeGop((frames) => frames.length === 2 && taken.push(own));
  await until(() => taken.length === here.length, "the streams of the sound volume");
});

it("many streams are read back a few at a time", async () => {
  await recorded();
  const gop = stream.gop.length;
  const reader = test.archive.frameReader(pool);
  const kept: Frame[] = [];
  stream.takeGop((frames) => {
    for (const frame of frames.slice(1, -1)) {
      frame.retain();
      kept.push(frame);
    }
  });
  await until(() => kept.length > 0, "the GOP");
  const all = await Promise.all(
    Array.from({ length: 30 }, () => reader.read(kept, new AbortController().signal)),
  );
  expect(all.map((frames) => frames.length)).toEqual(Array.from({ length: 30 }, () => gop - 2));
  for (const frame of [...all.flat(), ...kept]) frame.release();
});
