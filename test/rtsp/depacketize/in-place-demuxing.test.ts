import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { SlabPool, SlabRange } from "../../../src/live/index.js";
import { ACCESS_UNIT_RANGES_MAX } from "../../../src/rtsp/depacketize/frame-builder.js";
import {
  FrameBuilder,
  READ_BYTES_MIN,
  SlabWindow,
  WINDOW_HEADROOM_BYTES,
  WINDOW_SLAB_BYTES_MIN,
} from "../../../src/rtsp/index.js";
import {
  filler,
  H264_PPS,
  H264_SETS,
  H264_SPROP,
  H264_SPS,
  H265_FMTP,
  H265_SETS,
  h265Slice,
  idr,
  slice,
} from "../../support/media/sample-nal-units.js";
import {
  annexB,
  fuA,
  h265Fu,
  interleaved,
  type RtpFields,
  rtpPacket,
  stapA,
} from "../../support/rtsp/rtp-packets.js";
import { type HarnessOptions, TrackHarness } from "../../support/rtsp/track-harness.js";

const OPTIONS = { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP } };

/** A session of every packet kind, as interleaved bytes. */
function session(): Buffer {
  const packets: Buffer[] = [];
  let sequence = 0;
  const add = (fields: RtpFields, payload: Buffer) => {
    packets.push(interleaved(0, rtpPacket({ ...fields, sequence }, payload)));
    sequence += 1;
  };
  for (let picture = 0; picture < 6; picture += 1) {
    const timestamp = picture * 3600;
    if (picture % 3 === 0) {
      add({ timestamp }, stapA(H264_SPS, H264_PPS));
      const fragments = fuA(idr(400, picture), 90);
      for (const fragment of fragments) add({ timestamp, marker: fragment === fragments.at(-1) }, fragment);
    } else add({ timestamp, marker: true, padding: picture }, slice(70, picture));
    add({ payloadType: 72 }, filler(12));
  }
  return Buffer.concat(packets);
}

function frameBytes(track: TrackHarness): string[] {
  return track.frames.map((frame) => frame.bytes.toString("base64"));
}

describe("in-place demuxing", () => {
  it("gives the same frames wherever the stream is split", () => {
    const bytes = session();
    const whole = new TrackHarness(OPTIONS);
    whole.bytes(bytes);
    const expected = frameBytes(whole.flush());
    expect(expected).toHaveLength(6);
    for (let split = 1; split < bytes.length; split += 1) {
      const track = new TrackHarness({ ...OPTIONS, pool: whole.pool });
      track.bytes(bytes.subarray(0, split));
      track.bytes(bytes.subarray(split));
      expect(frameBytes(track.flush())).toEqual(expected);
      track.close();
    }
    whole.close();
    expect(whole.pool.idleBytes).toBe(whole.pool.allocatedBytes);
  });

  it("gives the same frames byte by byte", () => {
    const bytes = session();
    const whole = new TrackHarness(OPTIONS);
    whole.bytes(bytes);
    const track = new TrackHarness(OPTIONS);
    for (let at = 0; at < bytes.length; at += 1) track.bytes(bytes.subarray(at, at + 1));
    expect(frameBytes(track.flush())).toEqual(frameBytes(whole.flush()));
  });

  it("gives the same frames wherever the slab ends", () => {
    const bytes = session();
    const whole = new TrackHarness(OPTIONS);
    whole.bytes(bytes);
    const expected = frameBytes(whole.flush());
    const pool = new SlabPool({ slabBytes: WINDOW_SLAB_BYTES_MIN, totalBytesMax: 8 * WINDOW_SLAB_BYTES_MIN });
    let slabs = 0;
    for (let offset = 0; offset < bytes.length; offset += 7) {
      const track = new TrackHarness({ ...OPTIONS, pool });
      const fill = WINDOW_SLAB_BYTES_MIN - READ_BYTES_MIN - WINDOW_HEADROOM_BYTES - offset - 200;
      const half = Math.floor(fill / 2);
      track.send({ sequence: 65_534, timestamp: 99, marker: true }, idr(half));
      track.send({ timestamp: 99, marker: true }, idr(fill - half, 4, false));
      const slab = track.window?.slab;
      for (let at = 0; at < bytes.length; at += 500) track.bytes(bytes.subarray(at, at + 500));
      if (track.window?.slab !== slab) slabs += 1;
      expect(frameBytes(track.flush()).slice(1)).toEqual(expected);
      track.close();
    }
    expect(slabs).toBeGreaterThan(100);
    expect(pool.idleBytes).toBe(pool.allocatedBytes);
  });

  it("allocates no separate memory for frames of an ordinary session", () => {
    const places: boolean[][] = [];
    const track = new TrackHarness({
      ...OPTIONS,
      onFrame: (frame) => places.push(frame.ranges.map((range) => range.slab === track.window?.slab)),
    });
    const bytes = session();
    for (let at = 0; at < bytes.length; at += 100) track.bytes(bytes.subarray(at, at + 100));
    track.flush();
    expect(places).toEqual(Array.from({ length: 6 }, () => [true]));
    track.close();
  });

  it("frames kept by a subscriber stay as they are while the connection reads on", () => {
    const kept: { frame: { copyBytes(): Buffer; release(): void }; bytes: Buffer }[] = [];
    const track = new TrackHarness({
      ...OPTIONS,
      onFrame: (frame) => {
        frame.retain();
        kept.push({ frame, bytes: frame.copyBytes() });
      },
    });
    for (let picture = 0; picture < 120; picture += 1) {
      track.send(
        { timestamp: picture * 3600, marker: true },
        picture % 10 === 0 ? idr(30_000, picture) : slice(9000, picture),
      );
    }
    expect(track.pool.allocatedBytes).toBeGreaterThan(3 * track.pool.slabBytes);
    track.close();
    for (const { frame, bytes } of kept) {
      expect(frame.copyBytes().equals(bytes)).toBe(true);
      frame.release();
    }
    expect(track.pool.idleBytes).toBe(track.pool.allocatedBytes);
  });
});

/** How a codec says a picture, its user data, and fragments of both. */
interface Syntax {
  readonly options: HarnessOptions;
  readonly sets: Buffer;
  readonly sei: (bytes: number) => Buffer;
  readonly picture: (bytes: number, key: boolean) => Buffer;
  readonly fragments: (nal: Buffer, sizeMax: number) => Buffer[];
  /** Position of the FU header in a fragment. */
  readonly fuHeaderAt: number;
}

/** A fragment that does not say to be the last: the unit shows its end with the packet after it. */
function withoutEnd(syntax: Syntax, fragment: Buffer): Buffer {
  const bytes = Buffer.from(fragment);
  bytes[syntax.fuHeaderAt] = (bytes[syntax.fuHeaderAt] ?? 0) & 0xbf;
  return bytes;
}

const START_CODE = Buffer.from([0, 0, 1]);

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

const H264: Syntax = {
  options: OPTIONS,
  sets: H264_SETS,
  sei: (bytes) => Buffer.concat([Buffer.from([0x06, 0x05]), filler(bytes - 2, 5)]),
  picture: (bytes, key) => (key ? idr(bytes) : slice(bytes)),
  fragments: fuA,
  fuHeaderAt: 1,
};
const H265: Syntax = {
  options: { codec: Codec.H265, fmtp: H265_FMTP },
  sets: H265_SETS,
  sei: (bytes) => Buffer.concat([Buffer.from([39 << 1, 1, 5]), filler(bytes - 3, 5)]),
  picture: (bytes, key) => h265Slice(key ? 19 : 1, bytes),
  fragments: h265Fu,
  fuHeaderAt: 2,
};

/** A picture and the units of user data before it, by their bytes. */
interface Picture {
  readonly userData: readonly number[];
  readonly bytes: number;
}

/** Pictures in fragments, the first of them a key picture: their interleaved packets, and the frames they are. */
function withUserData(syntax: Syntax, pictures: readonly Picture[], fragmentBytes: number) {
  const packets: Buffer[] = [];
  const frames = pictures.map(({ userData, bytes }, index) => {
    const nals = [...userData.map(syntax.sei), syntax.picture(bytes, index === 0)];
    for (const nal of nals) {
      const fragments = syntax.fragments(nal, fragmentBytes);
      for (const fragment of fragments) {
        const marker = nal === nals.at(-1) && fragment === fragments.at(-1);
        const sequence = packets.length;
        packets.push(interleaved(0, rtpPacket({ sequence, timestamp: index * 3600, marker }, fragment)));
      }
    }
    return Buffer.concat([...(index === 0 ? [syntax.sets] : []), annexB(...nals)]);
  });
  return { packets, frames };
}

describe.each([
  ["H.264", H264],
  ["H.265", H265],
])("user data in fragments, %s", (_codec, syntax) => {
  it.each([2000, 2044, 2045, 3000, 9000, 60_000])(
    "of %i bytes, a read a packet: no frame is lost",
    (bytes) => {
      const pictures = [
        { userData: [bytes], bytes: 5000 },
        { userData: [bytes], bytes: 700 },
      ];
      const { packets, frames } = withUserData(syntax, pictures, 1400);
      const track = new TrackHarness(syntax.options);
      for (const packet of packets) track.bytes(packet);
      track.flush();
      expect(track.frames.map(({ key, damaged }) => ({ key, damaged }))).toEqual([
        { key: true, damaged: false },
        { key: false, damaged: false },
      ]);
      expect(frameBytes(track)).toEqual(frames.map((frame) => frame.toString("base64")));
      track.close();
      expect(track.pool.idleBytes).toBe(track.pool.allocatedBytes);
    },
  );

  it.each(range(2055, 2066))("of %i bytes that leave no room for what follows: no frame is lost", (bytes) => {
    const small = syntax.sei(40);
    const inner = Buffer.concat([syntax.sei(bytes), START_CODE, small]);
    const outer = [syntax.sei(bytes), inner, syntax.picture(3000, true)];
    const track = new TrackHarness(syntax.options);
    for (const nal of outer)
      for (const fragment of syntax.fragments(nal, 1400))
        track.send({ timestamp: 0 }, nal === outer.at(-1) ? fragment : withoutEnd(syntax, fragment));
    track.flush();
    const nals = [syntax.sei(bytes), syntax.sei(bytes), small, syntax.picture(3000, true)];
    expect(track.frames).toMatchObject([{ key: true, damaged: false }]);
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([syntax.sets, annexB(...nals)]));
    track.close();
  });

  it("that ends with the timestamp alone is not written over the packet that shows it", () => {
    const [userData, picture] = [syntax.sei(4000), syntax.picture(1300, true)];
    const payloads = syntax.fragments(userData, 1400).map((fragment) => withoutEnd(syntax, fragment));
    const packets = payloads.map((payload, sequence) => interleaved(0, rtpPacket({ sequence }, payload)));
    const track = new TrackHarness(syntax.options);
    track.bytes(Buffer.concat(packets));
    track.send({ sequence: packets.length, timestamp: 3600 }, picture).flush();
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([syntax.sets, annexB(userData, picture)]));
    track.close();
  });

  it("gives the same frames whatever the sizes of units, fragments and reads", () => {
    const userData = fc.oneof(fc.integer({ min: 8, max: 6000 }), fc.integer({ min: 2000, max: 2100 }));
    const picture = fc.record({
      userData: fc.array(userData, { maxLength: 3 }),
      bytes: fc.integer({ min: 3, max: 4000 }),
    });
    fc.assert(
      fc.property(
        fc.array(picture, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 40, max: 1400 }),
        fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 8 }),
        (pictures, fragmentBytes, reads) => {
          const { packets, frames } = withUserData(syntax, pictures, fragmentBytes);
          const bytes = Buffer.concat(packets);
          const expected = frames.map((frame) => frame.toString("base64"));
          const [whole, each, some] = [0, 1, 2].map(() => new TrackHarness(syntax.options));
          if (whole === undefined || each === undefined || some === undefined)
            throw new Error("three tracks");
          whole.bytes(bytes);
          for (const packet of packets) each.bytes(packet);
          for (let at = 0, read = 0; at < bytes.length; read += 1) {
            const end = at + (reads[read % reads.length] ?? 1);
            some.bytes(bytes.subarray(at, end));
            at = end;
          }
          for (const track of [whole, each, some]) {
            expect(frameBytes(track.flush())).toEqual(expected);
            expect(track.frames.map(({ key, damaged }) => key && !damaged)).toEqual(
              pictures.map((_, index) => index === 0),
            );
            track.close();
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("slab window", () => {
  it("refuses slabs that cannot hold a packet and a read", () => {
    const pool = new SlabPool({ slabBytes: WINDOW_SLAB_BYTES_MIN - 1, totalBytesMax: 1e6 });
    expect(() => new SlabWindow(pool)).toThrow(RangeError);
  });

  it("always gives at least READ_BYTES_MIN, with a packet of full length unfinished", () => {
    const pool = new SlabPool({ slabBytes: WINDOW_SLAB_BYTES_MIN, totalBytesMax: 4 * WINDOW_SLAB_BYTES_MIN });
    const window = new SlabWindow(pool);
    for (let read = 0; read < 50; read += 1) {
      const target = window.target();
      expect(target.length).toBeGreaterThanOrEqual(READ_BYTES_MIN);
      window.committed(Math.min(target.length, 20_000));
      if (window.rawEnd - window.rawStart > 65_539) window.consume(window.rawStart + 65_539);
    }
    expect(window.overrunBytes).toBe(0);
    window.close();
    expect(pool.idleBytes).toBe(pool.allocatedBytes);
  });

  it("drops unconsumed bytes instead of growing", () => {
    const pool = new SlabPool({ slabBytes: WINDOW_SLAB_BYTES_MIN, totalBytesMax: 4 * WINDOW_SLAB_BYTES_MIN });
    const window = new SlabWindow(pool);
    for (let read = 0; read < 100; read += 1) window.committed(window.target().length);
    expect(window.overrunBytes).toBeGreaterThan(0);
    expect(pool.allocatedBytes).toBeLessThanOrEqual(2 * WINDOW_SLAB_BYTES_MIN);
    window.close();
  });

  it("reads into its reserve while the pool is empty, keeping what is unparsed, and returns to a slab", () => {
    const pool = new SlabPool({ slabBytes: WINDOW_SLAB_BYTES_MIN, totalBytesMax: WINDOW_SLAB_BYTES_MIN });
    const only = pool.take();
    const window = new SlabWindow(pool);
    filler(1000).copy(window.target());
    window.committed(1000);
    expect(window.slab).toBeUndefined();
    window.consume(window.rawStart + 400);
    only?.release();
    window.target();
    expect(window.slab).toBeDefined();
    expect(window.buffer.subarray(window.rawStart, window.rawEnd)).toEqual(filler(1000).subarray(400));
    window.close();
    expect(pool.idleBytes).toBe(pool.allocatedBytes);
  });
});

const FORMAT: VideoFormat = { codec: Codec.H264, width: 160, height: 120, initialization: Buffer.alloc(0) };
const FIELDS = {
  format: FORMAT,
  decodeTimeUs: 0,
  presentationOffsetUs: 0,
  key: true,
  damaged: false,
  undecodable: false,
  discontinuity: false,
};

describe("frame builder", () => {
  it("overwrites no raw bytes with what comes from elsewhere, where a read began nearer to the frames than the one before", () => {
    const pool = new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 1024 * 1024 });
    const window = new SlabWindow(pool);
    const builder = new FrameBuilder(window);
    window.target().set(filler(10_000));
    window.committed(10_000);
    builder.open(window.buffer, window.rawEnd - 100);
    builder.append(window.buffer, window.rawEnd - 100, window.rawEnd);
    window.consume(window.rawEnd);
    window.target().set(filler(3000, 7));
    window.committed(3000);
    const kept = Buffer.alloc(2 * WINDOW_HEADROOM_BYTES, 9);
    builder.open(kept, 0);
    builder.append(kept, 0, kept.length);
    expect(window.buffer.subarray(window.rawStart, window.rawEnd)).toEqual(filler(3000, 7));
    const frame = builder.finish(FIELDS);
    expect(frame?.byteLength).toBe(100 + kept.length);
    frame?.release();
    builder.close();
    window.close();
  });

  it("rolls back an incomplete unit across slabs", () => {
    const pool = new SlabPool({ slabBytes: WINDOW_SLAB_BYTES_MIN, totalBytesMax: 8 * WINDOW_SLAB_BYTES_MIN });
    const builder = new FrameBuilder(pool);
    builder.append(filler(50_000), 0, 50_000);
    builder.mark();
    for (let part = 0; part < 5; part += 1) builder.append(filler(60_000), 0, 60_000);
    builder.rollback();
    expect(builder.byteLength).toBe(50_000);
    builder.append(filler(10), 0, 10);
    expect(builder.byteLength).toBe(50_010);
    builder.close();
    expect(pool.idleBytes).toBe(pool.allocatedBytes);
  });

  it("drops an access unit whose last range is one too many", () => {
    const pool = new SlabPool({ slabBytes: 1000, totalBytesMax: 1000 * 1000 });
    const failures: string[] = [];
    const builder = new FrameBuilder(pool, (failure) => failures.push(failure));
    for (let range = 0; range <= ACCESS_UNIT_RANGES_MAX; range += 1) builder.append(filler(1000), 0, 1000);
    expect(builder.failure).toBeUndefined();
    expect(builder.finish(FIELDS)).toBeUndefined();
    expect(failures).toEqual(["too-large"]);
    builder.append(filler(10), 0, 10);
    const frame = builder.finish(FIELDS);
    expect(frame?.copyBytes()).toEqual(filler(10));
    frame?.release();
    builder.close();
    expect(pool.idleBytes).toBe(pool.allocatedBytes);
  });

  it("makes no view of a range that nobody reads, and the same one for all who do", () => {
    const pool = new SlabPool({ slabBytes: 1000, totalBytesMax: 1000 * 1000 });
    const builder = new FrameBuilder(pool);
    builder.append(filler(10), 0, 10);
    const frame = builder.finish(FIELDS);
    const [range] = frame?.ranges ?? [];
    expect(frame?.byteLength).toBe(10);
    expect(range).toBeInstanceOf(SlabRange);
    expect(range?.bytes).toBe(range?.bytes);
    expect(range?.bytes.byteOffset).toBe(0);
    frame?.release();
    builder.close();
  });
});
