import { describe, expect, it } from "vitest";
import { Codec, SlabPool } from "../../src/live/index.js";
import {
  FrameBuilder,
  READ_BYTES_MIN,
  SlabWindow,
  WINDOW_HEADROOM_BYTES,
  WINDOW_SLAB_BYTES_MIN,
} from "../../src/rtsp/index.js";
import { fuA, interleaved, type RtpFields, rtpPacket, stapA } from "../support/rtp-packets.js";
import { filler, H264_PPS, H264_SPROP, H264_SPS, idr, slice } from "../support/sample-nal-units.js";
import { TrackHarness } from "../support/track-harness.js";

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

  it("throws unconsumed bytes away rather than growing", () => {
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

describe("frame builder", () => {
  it("takes back an incomplete unit across slabs", () => {
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
});
