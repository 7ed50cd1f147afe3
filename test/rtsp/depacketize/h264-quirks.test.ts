import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import {
  H264_PPS,
  H264_RECOVERY_SEI,
  H264_SEI,
  H264_SETS,
  H264_SPROP,
  H264_SPS,
  idr,
  intraSlice,
  slice,
} from "../../support/media/sample-nal-units.js";
import { annexB, fuA, stapA } from "../../support/rtsp/rtp-packets.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const FRAME_TICKS = 3600;
const WITH_SPROP = { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP } };
const WITHOUT_SPROP = { codec: Codec.H264 };

/** A session that has shown one whole GOP of two frames, so that its marker is trusted. */
function runningTrack(options: ConstructorParameters<typeof TrackHarness>[0] = WITH_SPROP): TrackHarness {
  const track = new TrackHarness(options);
  track.send({ timestamp: 0, marker: true }, idr());
  track.send({ timestamp: FRAME_TICKS, marker: true }, slice());
  track.frames.length = 0;
  return track;
}

describe("H.264 packets", () => {
  it("puts parameter sets of the SDP before a key frame that has none", () => {
    const track = new TrackHarness(WITH_SPROP).send({ timestamp: 0, marker: true }, idr()).flush();
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([H264_SETS, annexB(idr())]));
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false, discontinuity: true });
  });

  it("leaves in-band parameter sets where they are", () => {
    const track = new TrackHarness(WITH_SPROP);
    track
      .send({ timestamp: 0 }, stapA(H264_SPS, H264_PPS))
      .send({ timestamp: 0, marker: true }, idr())
      .flush();
    expect(track.frames[0]?.bytes).toEqual(annexB(H264_SPS, H264_PPS, idr()));
  });

  it("repeats in-band parameter sets seen earlier", () => {
    const track = new TrackHarness(WITHOUT_SPROP);
    track
      .send({ timestamp: 0 }, H264_SPS)
      .send({ timestamp: 0 }, H264_PPS)
      .send({ timestamp: 0, marker: true }, idr());
    track.send({ timestamp: FRAME_TICKS, marker: true }, idr(90, 5));
    expect(track.frames[1]?.bytes).toEqual(Buffer.concat([H264_SETS, annexB(idr(90, 5))]));
    expect(track.frames[1]?.format).toBe(track.frames[0]?.format);
  });

  it("makes a new format of changed parameter sets and keeps that of equal ones", () => {
    const track = runningTrack();
    const changed = Buffer.concat([H264_PPS.subarray(0, -1), Buffer.from([0xc8])]);
    track
      .send({ timestamp: 2 * FRAME_TICKS }, stapA(H264_SPS, H264_PPS))
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, idr());
    track
      .send({ timestamp: 3 * FRAME_TICKS }, stapA(H264_SPS, changed))
      .send({ timestamp: 3 * FRAME_TICKS, marker: true }, idr());
    track.send({ timestamp: 4 * FRAME_TICKS, marker: true }, idr());
    const [same, different, later] = track.frames.map((frame) => frame.format);
    expect(different).not.toBe(same);
    expect(later).toBe(different);
    expect(Buffer.from(different?.initialization ?? [])).toEqual(annexB(H264_SPS, changed));
  });

  it("puts FU-A fragments together", () => {
    const track = new TrackHarness(WITH_SPROP);
    const nal = idr(5000);
    const fragments = fuA(nal, 1000);
    fragments.forEach((fragment, index) => {
      track.send({ timestamp: 0, marker: index === fragments.length - 1 }, fragment);
    });
    track.flush();
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([H264_SETS, annexB(nal)]));
    expect(track.frames[0]?.ranges).toBe(2);
  });

  it("splits an aggregate of many tiny units, which grows", () => {
    const track = new TrackHarness(WITH_SPROP);
    const slices = Array.from({ length: 300 }, (_, index) => slice(1, index, index === 0));
    track.send({ timestamp: 0, marker: true }, idr());
    track.send({ timestamp: FRAME_TICKS, marker: true }, stapA(...slices)).flush();
    expect(track.frames[1]?.bytes).toEqual(annexB(...slices));
    expect(track.frames[1]?.damaged).toBe(false);
  });

  it("publishes nothing before the first whole key frame", () => {
    const track = new TrackHarness(WITH_SPROP);
    track
      .send({ timestamp: 0, marker: true }, slice())
      .send({ timestamp: FRAME_TICKS, marker: true }, slice());
    track.send({ timestamp: 2 * FRAME_TICKS, marker: true }, idr()).flush();
    expect(track.frames.map((frame) => frame.key)).toEqual([true]);
    expect(track.receiver.statistics.droppedUnits).toBe(2);
  });

  it("publishes no key frame while no parameter sets are known", () => {
    const track = new TrackHarness(WITHOUT_SPROP).send({ timestamp: 0, marker: true }, idr()).flush();
    expect(track.frames).toHaveLength(0);
  });

  it("treats an I picture with a recovery point as a key frame", () => {
    const track = new TrackHarness(WITH_SPROP);
    track
      .send({ timestamp: 0 }, H264_RECOVERY_SEI)
      .send({ timestamp: 0, marker: true }, intraSlice())
      .flush();
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
  });

  it("does not treat a P picture with a recovery point as a key frame", () => {
    const track = runningTrack();
    track
      .send({ timestamp: 2 * FRAME_TICKS }, H264_RECOVERY_SEI)
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, slice());
    expect(track.frames[0]).toMatchObject({ key: false, damaged: false });
  });
});

describe("quirks of cameras: H.264", () => {
  it("start codes inside an RTP payload", () => {
    const track = new TrackHarness(WITHOUT_SPROP);
    const threeByteCode = Buffer.from([0, 0, 1]);
    const payload = Buffer.concat([annexB(H264_SPS), annexB(H264_PPS), threeByteCode, idr()]);
    track.send({ timestamp: 0, marker: true }, payload);
    track.send({ timestamp: FRAME_TICKS, marker: true }, annexB(slice())).flush();
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
    expect(track.frames[0]?.bytes).toEqual(annexB(H264_SPS, H264_PPS, idr()));
    expect(track.frames[1]?.bytes).toEqual(annexB(slice()));
  });

  it.each([7, 50, 1200])("start codes inside a fragmented unit, fragments of %i bytes", (fragmentBytes) => {
    const track = new TrackHarness(WITHOUT_SPROP);
    const unit = Buffer.concat([H264_SPS, annexB(H264_PPS, idr(3000))]);
    const fragments = fuA(unit, fragmentBytes);
    fragments.forEach((fragment, index) => {
      track.send({ timestamp: 0, marker: index === fragments.length - 1 }, fragment);
    });
    track.flush();
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
    expect(track.frames[0]?.bytes).toEqual(annexB(H264_SPS, H264_PPS, idr(3000)));
  });

  it("start codes inside sprop", () => {
    const sprop = Buffer.concat([annexB(H264_SPS), Buffer.from([0, 0, 1]), H264_PPS]).toString("base64");
    const track = new TrackHarness({ codec: Codec.H264, fmtp: { "sprop-parameter-sets": `${sprop},` } });
    track.send({ timestamp: 0, marker: true }, idr()).flush();
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([H264_SETS, annexB(idr())]));
  });

  it("extra bytes after the SPS", () => {
    const long = Buffer.concat([H264_SPS, Buffer.from([0xde, 0xad, 0, 0])]);
    const track = new TrackHarness(WITHOUT_SPROP);
    track
      .send({ timestamp: 0 }, long)
      .send({ timestamp: 0 }, H264_PPS)
      .send({ timestamp: 0, marker: true }, idr())
      .flush();
    expect(track.frames[0]?.format).toMatchObject({ width: 160, height: 120 });
    expect(track.frames[0]?.bytes).toEqual(annexB(long, H264_PPS, idr()));
  });

  it("marker bit on SEI", () => {
    const track = runningTrack();
    track
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, H264_SEI)
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, slice());
    track.send({ timestamp: 3 * FRAME_TICKS, marker: true }, slice());
    expect(track.frames.map((frame) => frame.bytes)).toEqual([annexB(H264_SEI, slice()), annexB(slice())]);
  });

  it("parameter sets with a timestamp of their own", () => {
    const track = runningTrack();
    track.send({ timestamp: 2 * FRAME_TICKS - 1, marker: true }, stapA(H264_SPS, H264_PPS));
    track.send({ timestamp: 2 * FRAME_TICKS, marker: true }, idr());
    expect(track.frames.map((frame) => frame.bytes)).toEqual([annexB(H264_SPS, H264_PPS, idr())]);
  });

  it("wrong NAL type in later fragments", () => {
    const track = runningTrack();
    const nal = slice(3000);
    fuA(nal, 1000).forEach((fragment, index, all) => {
      if (index > 0) fragment[1] = ((fragment[1] ?? 0) & 0xe0) | 9;
      track.send({ timestamp: 2 * FRAME_TICKS, marker: index === all.length - 1 }, fragment);
    });
    expect(track.frames[0]).toMatchObject({ damaged: false });
    expect(track.frames[0]?.bytes).toEqual(annexB(nal));
  });

  it("empty fragments", () => {
    const track = runningTrack();
    const [first = Buffer.alloc(0), last = Buffer.alloc(0)] = fuA(slice(1500), 1000);
    const time = { timestamp: 2 * FRAME_TICKS };
    track
      .send(time, first)
      .send(time, Buffer.from([0x5c, 0x01]))
      .send(time, Buffer.alloc(0));
    track.send({ ...time, marker: true }, last);
    expect(track.frames[0]).toMatchObject({ damaged: false });
    expect(track.frames[0]?.bytes).toEqual(annexB(slice(1500)));
  });

  it("reserved bit of the FU header set", () => {
    const track = runningTrack();
    fuA(slice(1500), 1000).forEach((fragment, index) => {
      fragment[1] = (fragment[1] ?? 0) | 0x20;
      track.send({ timestamp: 2 * FRAME_TICKS, marker: index === 1 }, fragment);
    });
    expect(track.frames[0]?.bytes).toEqual(annexB(slice(1500)));
  });

  it("FU without start", () => {
    const track = runningTrack();
    const [, last = Buffer.alloc(0)] = fuA(slice(1500), 1000);
    track
      .send({ timestamp: 2 * FRAME_TICKS }, slice(20))
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, last);
    expect(track.frames[0]).toMatchObject({ damaged: true });
    expect(track.frames[0]?.bytes).toEqual(annexB(slice(20)));
  });

  it("FU without end, the next unit following without a loss", () => {
    const track = runningTrack();
    const [first = Buffer.alloc(0)] = fuA(slice(1500), 2000);
    first[1] = (first[1] ?? 0) & ~0x40;
    track
      .send({ timestamp: 2 * FRAME_TICKS }, first)
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, slice(9, 1, false));
    expect(track.frames[0]).toMatchObject({ damaged: false });
    expect(track.frames[0]?.bytes).toEqual(annexB(slice(1500), slice(9, 1, false)));
  });

  it("several slices a picture", () => {
    const track = runningTrack();
    const slices = [slice(50, 1), slice(50, 2, false), slice(50, 3, false)];
    for (const nal of slices) track.send({ timestamp: 2 * FRAME_TICKS, marker: nal === slices[2] }, nal);
    expect(track.frames.map((frame) => frame.bytes)).toEqual([annexB(...slices)]);
  });

  it("access units without marker", () => {
    const track = new TrackHarness(WITH_SPROP);
    track
      .send({ timestamp: 0 }, idr())
      .send({ timestamp: FRAME_TICKS }, slice(40, 1))
      .send({ timestamp: FRAME_TICKS }, slice(40, 2, false));
    track
      .send({ timestamp: 2 * FRAME_TICKS }, slice(40, 3))
      .send({ timestamp: 3 * FRAME_TICKS }, slice(40, 4));
    expect(track.frames.slice(1).map((frame) => frame.bytes)).toEqual([
      annexB(slice(40, 1), slice(40, 2, false)),
      annexB(slice(40, 3)),
    ]);
    expect(track.frames.some((frame) => frame.damaged)).toBe(false);
  });

  it("marker on every slice", () => {
    const track = new TrackHarness(WITH_SPROP);
    for (let picture = 0; picture < 4; picture += 1) {
      const timestamp = picture * FRAME_TICKS;
      track.send({ timestamp, marker: true }, picture === 0 ? idr() : slice());
      track.send({ timestamp, marker: true }, picture === 0 ? idr(50, 7, false) : slice(50, 7, false));
    }
    track.flush();
    expect(track.frames).toHaveLength(4);
    expect(track.frames.some((frame) => frame.damaged)).toBe(false);
    expect(track.frames[1]?.bytes).toEqual(annexB(slice(), slice(50, 7, false)));
  });

  it("a marker that proves false later: the rest is a frame of its own, whole, and units then end by timestamp", () => {
    const track = runningTrack();
    track
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, slice())
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, slice(50, 7, false));
    track
      .send({ timestamp: 3 * FRAME_TICKS, marker: true }, idr())
      .send({ timestamp: 3 * FRAME_TICKS, marker: true }, idr(50, 7, false));
    track.send({ timestamp: 4 * FRAME_TICKS }, slice());
    expect(track.frames.map((frame) => [frame.key, frame.damaged])).toEqual([
      [false, false],
      [false, false],
      [true, false],
    ]);
    expect(track.frames[2]?.bytes).toEqual(Buffer.concat([H264_SETS, annexB(idr(), idr(50, 7, false))]));
  });

  it("pictures that all have the same timestamp", () => {
    const track = new TrackHarness(WITH_SPROP);
    track.send({ timestamp: 7, marker: true }, idr());
    for (let picture = 1; picture < 5; picture += 1)
      track.send({ timestamp: 7, marker: true }, slice(40, picture));
    expect(track.frames).toHaveLength(5);
    expect(track.receiver.statistics.damagedFrames).toBe(0);
  });
});

describe("packet loss in H.264", () => {
  it("inside a key frame: never served as whole, damaged up to the next key frame", () => {
    const track = runningTrack();
    const fragments = fuA(idr(5000), 1000);
    fragments.forEach((fragment, index) => {
      if (index === 2) track.lose();
      else track.send({ timestamp: 2 * FRAME_TICKS, marker: index === fragments.length - 1 }, fragment);
    });
    track.send({ timestamp: 3 * FRAME_TICKS, marker: true }, slice());
    track.send({ timestamp: 4 * FRAME_TICKS, marker: true }, idr());
    expect(track.frames.map((frame) => [frame.key, frame.damaged])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(track.receiver.statistics).toMatchObject({ lost: 1 });
  });

  it("inside the session's first key frame: nothing is published before the next", () => {
    const track = new TrackHarness(WITH_SPROP);
    const [first = Buffer.alloc(0), , last = Buffer.alloc(0)] = fuA(idr(3000), 1100);
    track.send({ timestamp: 0 }, first).lose().send({ timestamp: 0, marker: true }, last);
    track
      .send({ timestamp: FRAME_TICKS, marker: true }, slice())
      .send({ timestamp: 2 * FRAME_TICKS, marker: true }, idr())
      .flush();
    expect(track.frames.map((frame) => [frame.key, frame.damaged])).toEqual([[true, false]]);
  });

  it("of a whole picture: what refers to it is damaged", () => {
    const track = runningTrack();
    track.lose().send({ timestamp: 3 * FRAME_TICKS, marker: true }, slice());
    track
      .send({ timestamp: 4 * FRAME_TICKS, marker: true }, slice())
      .send({ timestamp: 5 * FRAME_TICKS, marker: true }, idr());
    expect(track.frames.map((frame) => frame.damaged)).toEqual([true, true, false]);
  });

  it("directly before a whole key frame: the key frame is whole", () => {
    const track = runningTrack();
    track.lose().send({ timestamp: 3 * FRAME_TICKS, marker: true }, idr());
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
  });

  it("of a key frame's first slice: the key frame is not whole", () => {
    const track = runningTrack();
    track.lose().send({ timestamp: 3 * FRAME_TICKS, marker: true }, idr(50, 3, false));
    expect(track.frames[0]).toMatchObject({ key: false, damaged: true });
  });

  it("of the last packet with the marker: the unit is damaged", () => {
    const track = runningTrack();
    track
      .send({ timestamp: 2 * FRAME_TICKS }, slice())
      .lose()
      .send({ timestamp: 3 * FRAME_TICKS, marker: true }, slice());
    expect(track.frames.map((frame) => frame.damaged)).toEqual([true, true]);
  });

  it("drops only the partial NAL unit", () => {
    const track = runningTrack();
    const fragments = fuA(slice(3000, 4, false), 1000);
    track.send({ timestamp: 2 * FRAME_TICKS }, slice());
    for (const fragment of fragments.slice(0, 2)) track.send({ timestamp: 2 * FRAME_TICKS }, fragment);
    track.lose().send({ timestamp: 2 * FRAME_TICKS, marker: true }, slice(30, 8, false));
    expect(track.frames[0]?.bytes).toEqual(annexB(slice(), slice(30, 8, false)));
    expect(track.frames[0]).toMatchObject({ damaged: true });
  });
});
