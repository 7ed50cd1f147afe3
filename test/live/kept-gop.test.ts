import { describe, expect, test } from "vitest";
import { createLog, newGuid } from "../../src/base/index.js";
import {
  Frame,
  type FrameReader,
  type FrameRecording,
  type FrameSink,
  GOP_BYTES_MAX,
  GOP_FRAMES_MAX,
  LiveStream,
  READ_BACK_MS_MAX,
  type RecordedFrame,
  SlabFiller,
  SlabPool,
} from "../../src/live/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { slabFrame, syntheticFrame, TEST_VIDEO_FORMAT } from "../support/media/synthetic-frames.js";

const SLAB_BYTES = 64 * 1024;
const FRAME_BYTES = SLAB_BYTES;

/** A file that holds what was put into it so far, and reads it back when told to. */
class HandFile implements FrameRecording, FrameReader {
  isGone = false;
  readonly asked: { readonly times: readonly number[]; readonly gone: AbortSignal }[] = [];
  readonly #pool: SlabPool;
  readonly #bytes = new Map<number, Buffer>();
  readonly #waiting: (() => void)[] = [];
  #end = 0;

  constructor(pool: SlabPool) {
    this.#pool = pool;
  }

  record(frame: Frame): void {
    frame.recordAt(this, this.#end);
    this.#bytes.set(this.#end, frame.copyBytes());
    this.#end += frame.byteLength;
  }

  holds(position: number): boolean {
    return !this.isGone && this.#bytes.has(position);
  }

  read(frames: readonly RecordedFrame[], gone: AbortSignal): Promise<Frame[]> {
    this.asked.push({ times: frames.map(({ decodeTimeUs }) => decodeTimeUs), gone });
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        if (this.isGone) reject(new Error("the disk is gone"));
        else resolve(frames.map((frame) => this.#read(frame)));
      });
    });
  }

  async answer(): Promise<void> {
    for (const answer of this.#waiting.splice(0)) answer();
    await new Promise((resolve) => setImmediate(resolve));
  }

  #read(frame: RecordedFrame): Frame {
    const bytes = this.#bytes.get(frame.recordPosition);
    if (bytes === undefined) throw new Error("it was not recorded");
    const filler = new SlabFiller(this.#pool);
    let read: Frame | undefined;
    filler.add(bytes, (ranges) => {
      read = Frame.readBack(frame, ranges);
    });
    filler.close();
    if (read === undefined) throw new Error("the pool is empty");
    return read;
  }
}

class Viewer implements FrameSink {
  readonly frames: { readonly timeUs: number; readonly bytes: Buffer; readonly isKept: boolean }[] = [];

  onFrame(frame: Frame, isKept: boolean): void {
    this.frames.push({ timeUs: frame.decodeTimeUs, bytes: frame.copyBytes(), isKept });
  }

  get times(): number[] {
    return this.frames.map(({ timeUs }) => timeUs);
  }
}

/** A stream whose frames are recorded at once, unless a test says otherwise. */
class Recorded {
  readonly pool: SlabPool;
  readonly clock = new SimulatedClock();
  readonly logged: string[] = [];
  readonly file: HandFile;
  readonly stream: LiveStream;
  readonly sent: Frame[] = [];
  readonly bytes: Buffer[] = [];
  isOn = true;

  constructor(totalBytesMax = 100 * SLAB_BYTES) {
    this.pool = new SlabPool({ slabBytes: SLAB_BYTES, totalBytesMax });
    this.file = new HandFile(this.pool);
    const store = { reader: this.file, clock: this.clock };
    const log = createLog({
      level: "warn",
      destination: { write: (line: string) => this.logged.push(line) },
    });
    this.stream = new LiveStream({ channelId: newGuid(), streamType: "Main" }, log, store);
    this.stream.setState({ state: "active" });
    const recorder = { onFrame: (frame: Frame) => this.isOn && this.file.record(frame) };
    this.stream.subscribe(recorder, { fromGop: false, atOnce: false });
  }

  publish(
    decodeTimeUs: number,
    fields: { readonly key?: boolean; readonly damaged?: boolean; readonly byteLength?: number } = {},
  ): void {
    const byteLength = fields.byteLength ?? FRAME_BYTES;
    const { frame, slab } = slabFrame(this.pool, { decodeTimeUs, byteLength, ...fields });
    slab.bytes.fill(decodeTimeUs);
    this.sent.push(frame);
    this.bytes.push(frame.copyBytes());
    this.stream.publish(frame);
  }

  /** A key frame at 1, others up to `last`. */
  gop(last: number): void {
    this.publish(1, { key: true });
    for (let at = 2; at <= last; at++) this.publish(at);
  }

  watch(viewer: FrameSink = new Viewer(), atOnce = true) {
    return this.stream.subscribe(viewer, { fromGop: true, atOnce });
  }

  get slabsInUse(): number {
    return (this.pool.allocatedBytes - this.pool.idleBytes) / SLAB_BYTES;
  }
}

test("a recorded stream that nobody watches keeps nothing in memory", () => {
  const recorded = new Recorded();
  recorded.gop(20);
  expect(recorded.slabsInUse).toBe(0);
  expect(recorded.stream.gop.map(({ decodeTimeUs }) => decodeTimeUs)).toHaveLength(20);
});

describe.each([
  ["let go", true],
  ["in memory", false],
])("of a camera without clean key frames, whose pictures are %s,", (_where, isOn) => {
  const ENTRY = { key: true, damaged: true };
  const setUp = (totalBytesMax?: number): Recorded => {
    const recorded = new Recorded(totalBytesMax);
    recorded.isOn = isOn;
    recorded.publish(1, ENTRY);
    for (let at = 2; at <= 12; at++) recorded.publish(at, at % 4 === 1 ? ENTRY : {});
    return recorded;
  };
  const timesOf = ({ stream }: Recorded): number[] => stream.gop.map(({ decodeTimeUs }) => decodeTimeUs);

  test("what is kept begins with the entry before the newest", async () => {
    const recorded = setUp();
    expect(timesOf(recorded)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    const viewer = new Viewer();
    recorded.watch(viewer);
    await recorded.file.answer();
    expect(viewer.times).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect(viewer.frames.map(({ bytes }) => bytes)).toEqual(recorded.bytes.slice(4));
  });

  test("a clean key frame begins anew, and nothing of what was before stays", () => {
    const recorded = setUp();
    recorded.publish(13, { key: true });
    expect(timesOf(recorded)).toEqual([13]);
    expect(recorded.slabsInUse).toBe(isOn ? 0 : 1);
  });
});

test("the frames before the newest entry are the first that there is no room for", () => {
  const stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
  const bytes = new Uint8Array(GOP_BYTES_MAX / 16);
  for (let at = 1; at <= 20; at++) {
    const fields = at === 1 || at === 11 ? { key: true, damaged: true } : {};
    stream.publish(syntheticFrame({ decodeTimeUs: at, bytes, ...fields }));
  }
  expect(stream.gop.map(({ decodeTimeUs }) => decodeTimeUs)).toEqual([
    11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
  ]);
  for (let at = 21; at <= 27; at++) stream.publish(syntheticFrame({ decodeTimeUs: at, bytes }));
  expect(stream.gop).toEqual([]);
});

test("what is let go has the fields that it had", () => {
  const recorded = new Recorded();
  recorded.gop(3);
  const kept = recorded.stream.gop[1];
  const { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, discontinuity, byteLength } =
    recorded.sent[1] ?? expect.fail("nothing was sent");
  const fields = { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, discontinuity };
  expect(kept).toMatchObject({ ...fields, byteLength, isAudio: false });
});

test("what is let go onto one file after the other is found in its own", async () => {
  const recorded = new Recorded();
  const { pool, stream } = recorded;
  const files = [1, 2, 3].map(() => new HandFile(pool));
  let at = 0;
  recorded.isOn = false;
  stream.subscribe(
    { onFrame: (frame) => files[Math.floor(at / 2)]?.record(frame) },
    { fromGop: false, atOnce: false },
  );
  for (; at < 6; at++) recorded.publish(at + 1, { key: at === 0 });
  const found = stream.gop.map((frame) =>
    files.findIndex((file) => "recording" in frame && file === frame.recording),
  );
  expect(found).toEqual([0, 0, 1, 1, 2, 2]);
});

test("a GOP of more frames than are kept is dropped, although they are on the disk", () => {
  const recorded = new Recorded();
  recorded.publish(1, { key: true, byteLength: 100 });
  for (let at = 2; at <= GOP_FRAMES_MAX; at++) recorded.stream.publish(syntheticFrame({ decodeTimeUs: at }));
  expect(recorded.stream.gop).toHaveLength(GOP_FRAMES_MAX);
  recorded.stream.publish(syntheticFrame({ decodeTimeUs: GOP_FRAMES_MAX + 1 }));
  expect(recorded.stream.gop).toEqual([]);
});

test("a stream that is not recorded keeps its whole GOP in memory", () => {
  const recorded = new Recorded();
  recorded.isOn = false;
  recorded.gop(20);
  expect(recorded.slabsInUse).toBe(20);
  const viewer = new Viewer();
  recorded.watch(viewer);
  expect(viewer.frames).toHaveLength(20);
});

test("a picture that was left out of the recording stays, and all behind it", () => {
  const recorded = new Recorded();
  recorded.gop(5);
  recorded.isOn = false;
  recorded.publish(6);
  recorded.isOn = true;
  for (let at = 7; at <= 10; at++) recorded.publish(at);
  expect(recorded.slabsInUse).toBe(5);
});

test("what a failed file has stays in memory", () => {
  const recorded = new Recorded();
  recorded.file.isGone = true;
  recorded.gop(5);
  expect(recorded.slabsInUse).toBe(5);
});

test("nothing is let go while somebody watches, and all of it when the last viewer has left", () => {
  const recorded = new Recorded();
  const subscription = recorded.watch();
  recorded.gop(10);
  expect(recorded.slabsInUse).toBe(10);
  subscription.close();
  recorded.publish(11);
  expect(recorded.slabsInUse).toBe(0);
});

test("a viewer gets the GOP that was let go, what came meanwhile, and what follows: each once, in order, byte for byte", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const viewer = new Viewer();
  recorded.watch(viewer);
  recorded.publish(11);
  recorded.publish(12);
  expect(viewer.frames).toEqual([]);
  await recorded.file.answer();
  recorded.publish(13);
  expect(viewer.times).toEqual(Array.from({ length: 13 }, (_, at) => at + 1));
  expect(viewer.frames.map(({ bytes }, at) => recorded.bytes[at]?.equals(bytes))).not.toContain(false);
  expect(viewer.frames.filter(({ isKept }) => isKept)).toHaveLength(12);
});

test("frames that are read back have the fields that they had", async () => {
  const recorded = new Recorded();
  const { pool, file, stream } = recorded;
  recorded.publish(1, { key: true });
  const slab = pool.take();
  if (slab === undefined) throw new Error("the pool is empty");
  const ranges = [{ slab, bytes: slab.bytes.subarray(0, 100) }];
  const marks = { key: false, damaged: true, undecodable: false, discontinuity: true };
  const format = { ...TEST_VIDEO_FORMAT };
  const frame = new Frame({ format, decodeTimeUs: 2, presentationOffsetUs: 40, ...marks, ranges });
  slab.release();
  file.record(frame);
  stream.publish(frame);
  recorded.publish(3);
  const seen: Frame[] = [];
  recorded.watch({ onFrame: (got) => void seen.push(got) });
  await file.answer();
  expect(seen[1]).toMatchObject({ decodeTimeUs: 2, presentationOffsetUs: 40, ...marks, byteLength: 100 });
  expect(seen[1]?.format).toBe(format);
});

test("viewers who come at once share one reading", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const viewers = [new Viewer(), new Viewer(), new Viewer()];
  for (const viewer of viewers) recorded.watch(viewer);
  await recorded.file.answer();
  expect(recorded.file.asked).toHaveLength(1);
  expect(viewers.map(({ frames }) => frames.length)).toEqual([10, 10, 10]);
});

test("who comes while somebody watches gets what was read back at once", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  recorded.watch();
  await recorded.file.answer();
  recorded.publish(11);
  const late = new Viewer();
  recorded.watch(late);
  expect(late.times).toHaveLength(11);
  expect(recorded.file.asked).toHaveLength(1);
});

test("what was read back is let go again when the last viewer has left", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const subscription = recorded.watch();
  await recorded.file.answer();
  subscription.close();
  recorded.publish(11);
  expect(recorded.slabsInUse).toBe(0);
});

test("a viewer who leaves before the GOP is read back gets nothing", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const viewer = new Viewer();
  const subscription = recorded.watch(viewer);
  expect(recorded.stream.atOnce).toBe(1);
  subscription.close();
  expect([recorded.stream.atOnce, recorded.stream.subscribers]).toEqual([0, 1]);
  await recorded.file.answer();
  recorded.publish(11);
  expect(viewer.frames).toEqual([]);
  expect(recorded.slabsInUse).toBe(0);
});

test("a key frame that comes before the reading ends is where the viewer begins", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const viewer = new Viewer();
  recorded.watch(viewer);
  recorded.publish(11, { key: true });
  recorded.publish(12);
  await recorded.file.answer();
  expect(viewer.times).toEqual([11, 12]);
  expect(recorded.file.asked[0]?.gone.aborted).toBe(true);
});

test("frames that are read back too late are released", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const subscription = recorded.watch();
  recorded.publish(11, { key: true });
  subscription.close();
  await recorded.file.answer();
  recorded.publish(12);
  expect(recorded.slabsInUse).toBe(0);
});

test("if the disk fails, a viewer begins with the next key frame, and the log says why", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const viewer = new Viewer();
  recorded.watch(viewer);
  recorded.file.isGone = true;
  await recorded.file.answer();
  expect(viewer.frames).toEqual([]);
  expect(recorded.logged.join()).toContain("the disk is gone");
  recorded.publish(11, { key: true });
  recorded.publish(12);
  expect(viewer.times).toEqual([11, 12]);
});

test("a disk that hangs is waited for no longer than the limit", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const viewer = new Viewer();
  recorded.watch(viewer);
  recorded.clock.advance(READ_BACK_MS_MAX * 1000);
  recorded.publish(11);
  expect(viewer.times).toEqual([11]);
  expect(recorded.file.asked[0]?.gone.aborted).toBe(true);
  await recorded.file.answer();
  expect(viewer.times).toEqual([11]);
});

test("after a failed reading nobody reads again before the next key frame", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  recorded.watch();
  recorded.file.isGone = true;
  await recorded.file.answer();
  recorded.publish(11);
  recorded.watch();
  expect(recorded.stream.gop).toEqual([]);
  expect(recorded.file.asked).toHaveLength(1);
});

test("the key frame alone is read back for who needs no more", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  let taken: Buffer | undefined;
  recorded.stream.takeKeyFrame((frame) => {
    taken = frame?.copyBytes();
  });
  await recorded.file.answer();
  expect(recorded.file.asked.map(({ times }) => times)).toEqual([[1]]);
  expect(taken?.equals(recorded.bytes[0] ?? Buffer.alloc(0))).toBe(true);
  expect(recorded.slabsInUse).toBe(0);
});

test("a key frame that cannot be read back is not waited for, and not asked for again", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const taken: (Frame | undefined)[] = [];
  recorded.stream.takeKeyFrame((frame) => void taken.push(frame));
  recorded.clock.advance(READ_BACK_MS_MAX * 1000);
  await recorded.file.answer();
  recorded.stream.takeKeyFrame((frame) => void taken.push(frame));
  expect(taken).toEqual([undefined, undefined]);
  expect(recorded.file.asked).toHaveLength(1);
  expect(recorded.slabsInUse).toBe(0);
});

test("a key frame in memory is given at once", () => {
  const recorded = new Recorded();
  recorded.isOn = false;
  recorded.gop(10);
  const taken: (Frame | undefined)[] = [];
  recorded.stream.takeKeyFrame((frame) => void taken.push(frame));
  expect(taken).toEqual([recorded.sent[0]]);
});

test("a stream that is lost while its GOP is read back gives its viewers what comes after", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const viewer = new Viewer();
  recorded.watch(viewer);
  recorded.stream.setState({ state: "lost", reason: "unplugged" });
  await recorded.file.answer();
  expect([viewer.frames.length, recorded.slabsInUse]).toEqual([0, 0]);
  recorded.publish(11, { key: true });
  expect(viewer.times).toEqual([11]);
});

test("a viewer on the read tick gets the GOP read back too", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  const viewer = new Viewer();
  recorded.watch(viewer, false);
  await recorded.file.answer();
  expect(viewer.times).toHaveLength(10);
  recorded.publish(11);
  expect(recorded.slabsInUse).toBe(0);
});

test("sound stays in memory, and keeps its place among the pictures", async () => {
  const recorded = new Recorded();
  recorded.gop(3);
  recorded.stream.publish(syntheticFrame({ decodeTimeUs: 4, audio: true }));
  recorded.publish(5);
  recorded.stream.publish(syntheticFrame({ decodeTimeUs: 6, audio: true }));
  const viewer = new Viewer();
  recorded.watch(viewer);
  await recorded.file.answer();
  expect(viewer.times).toEqual([1, 2, 3, 4, 5, 6]);
  expect(recorded.file.asked[0]?.times).toEqual([1, 2, 3, 5]);
});

test("a reader of the whole GOP gets it when it is read back", async () => {
  const recorded = new Recorded();
  recorded.gop(10);
  let taken = 0;
  recorded.stream.takeGop((frames) => {
    taken = frames.length;
  });
  expect(taken).toBe(0);
  await recorded.file.answer();
  expect(taken).toBe(10);
});
