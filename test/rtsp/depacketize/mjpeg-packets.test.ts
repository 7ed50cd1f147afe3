import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/index.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const T = 3600;
const EOI = Buffer.from([0xff, 0xd9]);

interface JpegFields {
  readonly offset?: number;
  readonly type?: number;
  readonly q?: number;
  readonly width?: number;
  readonly height?: number;
  readonly restartInterval?: number;
  readonly tables?: Buffer;
  readonly precision?: number;
}

/** An RTP payload of RFC 2435. */
function jpeg(fields: JpegFields, scan: Buffer): Buffer {
  const { offset = 0, type = 1, q = 50, width = 320, height = 240 } = fields;
  const head = Buffer.from([
    0,
    offset >> 16,
    (offset >> 8) & 0xff,
    offset & 0xff,
    type,
    q,
    width / 8,
    height / 8,
  ]);
  const pieces: Buffer[] = [head];
  if (type >= 64) {
    const interval = fields.restartInterval ?? 0;
    pieces.push(Buffer.from([interval >> 8, interval & 0xff, 0xff, 0xff]));
  }
  if (offset === 0 && q >= 128) {
    const tables = fields.tables ?? Buffer.alloc(0);
    pieces.push(Buffer.from([0, fields.precision ?? 0, tables.length >> 8, tables.length & 0xff]), tables);
  }
  return Buffer.concat([...pieces, scan]);
}

/** The segments of a JPEG by marker, and what follows SOS. */
function segments(bytes: Buffer): { byMarker: Map<number, Buffer[]>; scan: Buffer } {
  const byMarker = new Map<number, Buffer[]>();
  let at = 2;
  for (;;) {
    const marker = bytes[at + 1] ?? 0;
    const length = bytes.readUInt16BE(at + 2);
    byMarker.set(marker, [...(byMarker.get(marker) ?? []), bytes.subarray(at + 4, at + 2 + length)]);
    at += 2 + length;
    if (marker === 0xda) return { byMarker, scan: bytes.subarray(at) };
  }
}

function play(...packets: [JpegFields, Buffer, boolean?][]): TrackHarness {
  const track = new TrackHarness({ codec: Codec.MJPEG, payloadType: 26 });
  for (const [fields, scan, marker = true] of packets) {
    track.send({ payloadType: 26, timestamp: 0, marker }, jpeg(fields, scan));
  }
  return track.flush();
}

describe("MJPEG packets", () => {
  it("begins with SOI and JFIF and ends with EOI if the camera omitted it", () => {
    const scan = filler(500);
    const track = play([{}, scan.subarray(0, 200), false], [{ offset: 200 }, scan.subarray(200)]);
    const bytes = track.frames[0]?.bytes ?? Buffer.alloc(0);
    expect(bytes.subarray(0, 4).toString("hex")).toBe("ffd8ffe0");
    expect(segments(bytes).scan).toEqual(Buffer.concat([scan, EOI]));
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
    expect(track.frames[0]?.format).toMatchObject({ width: 320, height: 240 });
  });

  it("adds no second EOI", () => {
    const scan = Buffer.concat([filler(50), EOI]);
    expect(segments(play([{}, scan]).frames[0]?.bytes ?? EOI).scan).toEqual(scan);
  });

  it("writes sampling and size into SOF0, and computed tables for Q below 100", () => {
    const { byMarker } = segments(play([{ type: 0, q: 75 }, filler(9)]).frames[0]?.bytes ?? EOI);
    expect(byMarker.get(0xc0)?.[0]?.toString("hex")).toBe("0800f0014003012100021101031101");
    expect(byMarker.get(0xdb)?.[0]?.subarray(0, 5)).toEqual(Buffer.from([0, 8, 6, 6, 7]));
    expect(byMarker.get(0xdb)).toHaveLength(2);
  });

  it("writes the restart interval of types 64 and 65", () => {
    const { byMarker } = segments(
      play([{ type: 65, restartInterval: 40 }, filler(9)]).frames[0]?.bytes ?? EOI,
    );
    expect(byMarker.get(0xdd)?.[0]).toEqual(Buffer.from([0, 40]));
    expect(byMarker.get(0xc0)?.[0]?.[7]).toBe(0x22);
  });

  it("takes in-band tables and remembers them by Q", () => {
    const tables = filler(128);
    const track = play([{ q: 130, tables }, filler(9)], [{ q: 130 }, filler(9)]);
    for (const frame of track.frames) {
      const dqt = segments(frame.bytes).byMarker.get(0xdb) ?? [];
      expect(Buffer.concat(dqt.map((segment) => segment.subarray(1)))).toEqual(tables);
    }
    expect(track.frames).toHaveLength(2);
  });

  it("takes 16-bit tables", () => {
    const tables = filler(256);
    const { byMarker } = segments(
      play([{ q: 255, tables, precision: 3 }, filler(9)]).frames[0]?.bytes ?? EOI,
    );
    expect(byMarker.get(0xdb)?.map((segment) => segment[0])).toEqual([0x10, 0x11]);
  });

  it("uses a single table for chroma too", () => {
    const { byMarker } = segments(play([{ q: 255, tables: filler(64) }, filler(9)]).frames[0]?.bytes ?? EOI);
    expect(byMarker.get(0xdb)).toHaveLength(1);
    expect(byMarker.get(0xc0)?.[0]?.[11]).toBe(0);
  });

  it("takes changed dynamic tables with each frame (Q 255)", () => {
    const track = play(
      [{ q: 255, tables: filler(128, 1) }, filler(9)],
      [{ q: 255, tables: filler(128, 2) }, filler(9)],
    );
    expect(track.frames[0]?.bytes.equals(track.frames[1]?.bytes ?? EOI)).toBe(false);
    expect(track.frames[1]?.format).toBe(track.frames[0]?.format);
  });

  it("drops a frame whose tables are missing (Q 255 without tables)", () => {
    expect(play([{ q: 255 }, filler(9)]).frames).toHaveLength(0);
  });

  it("makes a new format of a new size", () => {
    const track = play([{}, filler(9)], [{ width: 640, height: 480 }, filler(9)]);
    expect(track.frames[1]?.format).toMatchObject({ width: 640, height: 480 });
  });

  it("marks a frame damaged that lost a packet, and the next whole one not", () => {
    const track = new TrackHarness({ codec: Codec.MJPEG, payloadType: 26 });
    const send = (timestamp: number, offset: number, marker: boolean) => {
      track.send({ payloadType: 26, timestamp, marker }, jpeg({ offset }, filler(100)));
    };
    send(0, 0, true);
    send(T, 0, false);
    track.lose();
    send(T, 200, true);
    send(2 * T, 0, true);
    expect(track.frames.map((frame) => [frame.key, frame.damaged])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });

  it("ends a frame without marker when the next begins", () => {
    const track = play([{}, filler(20), false], [{}, filler(30), false]);
    expect(track.frames.map((frame) => segments(frame.bytes).scan.length)).toEqual([22, 32]);
  });
});
