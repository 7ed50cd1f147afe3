import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { h265NalType, splitNalUnits } from "../../support/media/nal-units.js";
import {
  H265_FMTP,
  H265_PPS,
  H265_SETS,
  H265_SPS,
  H265_VPS,
  h265Slice,
} from "../../support/media/sample-nal-units.js";
import { annexB, h265Fu } from "../../support/rtsp/rtp-packets.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const IDR_W_RADL = 19;
const CRA = 21;
const TRAIL_R = 1;
const T = 3600;

function size(nal: Buffer): Buffer {
  return Buffer.from([nal.length >> 8, nal.length & 0xff]);
}

/** An aggregation packet (RFC 7798, 4.4.2), with DONL and DOND when `donl`. */
function ap(donl: boolean, ...nals: Buffer[]): Buffer {
  const head: Buffer[] = [Buffer.from([48 << 1, 1])];
  nals.forEach((nal, index) => {
    if (donl) head.push(Buffer.from(index === 0 ? [0, 7] : [0]));
    head.push(size(nal), nal);
  });
  return Buffer.concat(head);
}

describe("H.265 packets", () => {
  it.each([IDR_W_RADL, CRA])("puts parameter sets of the SDP before a picture of type %i", (type) => {
    const track = new TrackHarness({ codec: Codec.H265, fmtp: H265_FMTP });
    track.send({ timestamp: 0, marker: true }, h265Slice(type)).flush();
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([H265_SETS, annexB(h265Slice(type))]));
    expect(track.frames[0]?.format).toMatchObject({ width: 160, height: 120 });
  });

  it.each([40, 3000])("keeps a picture of a second layer of %i bytes with that of the first", (length) => {
    const track = new TrackHarness({ codec: Codec.H265, fmtp: H265_FMTP });
    const second = (nal: Buffer): Buffer => Buffer.concat([Buffer.from([nal[0] ?? 0, 9]), nal.subarray(2)]);
    const sent = [h265Slice(IDR_W_RADL), h265Slice(TRAIL_R)].map((base) => [
      base,
      second(h265Slice(TRAIL_R, length)),
    ]);
    for (const [at, [base = Buffer.alloc(0), layer = Buffer.alloc(0)]] of sent.entries()) {
      const parts = length > 1000 ? h265Fu(layer, 900) : [layer];
      track.send({ timestamp: at * T }, base);
      parts.forEach((part, index) => {
        track.send({ timestamp: at * T, marker: index === parts.length - 1 }, part);
      });
    }
    track.flush();
    expect(track.frames.map(({ bytes }) => bytes.subarray(-length - 20))).toEqual(
      sent.map((units) => Buffer.concat([H265_SETS, annexB(...units)]).subarray(-length - 20)),
    );
  });

  it("makes the VPS of a camera that sends none", () => {
    const track = new TrackHarness({ codec: Codec.H265 });
    track.send({ timestamp: 0 }, ap(false, H265_SPS, H265_PPS));
    track.send({ timestamp: 0, marker: true }, h265Slice(IDR_W_RADL)).flush();
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
    const [frame] = track.frames;
    expect(splitNalUnits(frame?.bytes ?? Buffer.alloc(0)).map(h265NalType)).toEqual([32, 33, 34, 33, 34, 19]);
  });

  it("splits aggregation packets", () => {
    const track = new TrackHarness({ codec: Codec.H265 });
    track.send({ timestamp: 0 }, ap(false, H265_VPS, H265_SPS, H265_PPS));
    track.send({ timestamp: 0, marker: true }, h265Slice(IDR_W_RADL)).flush();
    expect(track.frames[0]?.bytes).toEqual(annexB(H265_VPS, H265_SPS, H265_PPS, h265Slice(IDR_W_RADL)));
  });

  it.each([false, true])("puts fragments together, with DONL: %s", (donl) => {
    const fmtp = { ...H265_FMTP, ...(donl ? { "sprop-max-don-diff": "1" } : {}) };
    const track = new TrackHarness({ codec: Codec.H265, fmtp });
    const nal = h265Slice(IDR_W_RADL, 4000);
    h265Fu(nal, 900, donl).forEach((fragment, index, all) => {
      track.send({ timestamp: 0, marker: index === all.length - 1 }, fragment);
    });
    track.flush();
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([H265_SETS, annexB(nal)]));
  });

  it("leaves DONL and DOND out of single units and aggregates", () => {
    const track = new TrackHarness({ codec: Codec.H265, fmtp: { "sprop-max-don-diff": "2" } });
    track.send({ timestamp: 0 }, ap(true, H265_VPS, H265_SPS, H265_PPS));
    const nal = h265Slice(IDR_W_RADL);
    const withDonl = Buffer.concat([nal.subarray(0, 2), Buffer.from([0, 3]), nal.subarray(2)]);
    track.send({ timestamp: 0, marker: true }, withDonl).flush();
    expect(track.frames[0]?.bytes).toEqual(annexB(H265_VPS, H265_SPS, H265_PPS, nal));
  });

  it("ends a picture of several slices at its marker, and one marked on every slice by timestamp", () => {
    const track = new TrackHarness({ codec: Codec.H265, fmtp: H265_FMTP });
    for (let picture = 0; picture < 3; picture += 1) {
      const type = picture === 0 ? IDR_W_RADL : TRAIL_R;
      track.send({ timestamp: picture * T, marker: true }, h265Slice(type));
      track.send({ timestamp: picture * T, marker: true }, h265Slice(type, 40, false));
    }
    track.flush();
    expect(track.frames.map((frame) => frame.damaged)).toEqual([false, false, false]);
    expect(track.frames[2]?.bytes).toEqual(annexB(h265Slice(TRAIL_R), h265Slice(TRAIL_R, 40, false)));
  });

  it("marks a GOP damaged whose key frame lost a packet", () => {
    const track = new TrackHarness({ codec: Codec.H265, fmtp: H265_FMTP });
    track
      .send({ timestamp: 0, marker: true }, h265Slice(IDR_W_RADL))
      .send({ timestamp: T, marker: true }, h265Slice(TRAIL_R));
    h265Fu(h265Slice(CRA, 3000), 900).forEach((fragment, index, all) => {
      if (index === 1) track.lose();
      else track.send({ timestamp: 2 * T, marker: index === all.length - 1 }, fragment);
    });
    track
      .send({ timestamp: 3 * T, marker: true }, h265Slice(TRAIL_R))
      .send({ timestamp: 4 * T, marker: true }, h265Slice(CRA));
    expect(track.frames.slice(2).map((frame) => [frame.key, frame.damaged])).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it("finds start codes inside payloads", () => {
    const track = new TrackHarness({ codec: Codec.H265 });
    const payload = annexB(H265_VPS, H265_SPS, H265_PPS, h265Slice(IDR_W_RADL));
    track.send({ timestamp: 0, marker: true }, payload.subarray(4)).flush();
    expect(track.frames[0]?.bytes).toEqual(payload);
  });
});
