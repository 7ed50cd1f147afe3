import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { PacketBatch } from "../../../src/rtsp/packetize/packetizer-batch.js";
import { MjpegPacketizer } from "../../../src/rtsp/packetize/packetizer-mjpeg.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const run = promisify(execFile);
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
  it("ends a picture without marker and EOI with the packet after it, also where that is in the next slab", () => {
    const track = new TrackHarness({ codec: Codec.MJPEG, payloadType: 26 });
    const pictures = Array.from({ length: 200 }, (_, at) => filler(4000 + at));
    for (const [at, scan] of pictures.entries()) {
      const fields = { payloadType: 26, timestamp: at * T };
      track.send(fields, jpeg({}, scan.subarray(0, 1200)));
      track.send(fields, jpeg({ offset: 1200 }, scan.subarray(1200)));
    }
    track.flush();
    expect(track.frames.map(({ bytes }) => segments(bytes).scan)).toEqual(
      pictures.map((scan) => Buffer.concat([scan, EOI])),
    );
    track.close();
  });

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

  it("takes the tables of the frame before where a frame of Q 255 has none", () => {
    const track = play([{ q: 255, tables: filler(128, 1) }, filler(9)], [{ q: 255 }, filler(9)]);
    expect(track.frames.map(({ bytes }) => segments(bytes).byMarker.get(0xdb))).toEqual([
      segments(track.frames[0]?.bytes ?? EOI).byMarker.get(0xdb),
      segments(track.frames[0]?.bytes ?? EOI).byMarker.get(0xdb),
    ]);
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

  it("leaves out zeros behind EOI, and no others", () => {
    const scan = Buffer.concat([filler(20), Buffer.alloc(4)]);
    const [plain, filled] = [
      [scan, EOI],
      [scan, EOI, Buffer.alloc(9)],
    ].map((parts) => play([{}, Buffer.concat(parts)]));
    expect(filled?.frames.map(({ bytes }) => bytes)).toEqual(plain?.frames.map(({ bytes }) => bytes));
    expect(plain?.frames[0]?.bytes.subarray(-26)).toEqual(Buffer.concat([scan, EOI]));
  });

  it("goes on behind a marker without EOI, where pictures have had it; where they had none, behind the next such", () => {
    for (const end of [EOI, Buffer.alloc(0)]) {
      const track = new TrackHarness({ codec: Codec.MJPEG, payloadType: 26 });
      const parts = [filler(100), filler(100), Buffer.concat([filler(50), end])];
      const send = (timestamp: number, markedAt: number) => {
        for (const [at, part] of parts.entries())
          track.send(
            { payloadType: 26, timestamp, marker: at === markedAt },
            jpeg({ offset: 100 * at }, part),
          );
      };
      for (const [picture, markedAt] of [2, 2, 1, 1, 2].entries()) send(picture * T, markedAt);
      track.receiver.flush();
      const lengths = track.frames.filter(({ damaged }) => !damaged).map(({ bytes }) => bytes.length);
      const [whole = 0] = lengths;
      const cut = end.length > 0 ? whole : whole - 50;
      expect(lengths).toEqual([whole, whole, cut, whole, whole]);
    }
  });

  it.each([
    ["stand at 0", () => 0],
    ["count packets", (_offset: number, at: number) => at],
    ["are too far", (offset: number) => (offset === 0 ? 0 : offset + 132)],
  ])(
    "puts a picture together whose offsets %s, and damages it where a packet is missing",
    (_name, offsetOf) => {
      const track = new TrackHarness({ codec: Codec.MJPEG, payloadType: 26 });
      const parts = [filler(1000, 1), filler(1000, 2), filler(300, 3)];
      for (const [timestamp, missing] of [
        [1, -1],
        [2, 1],
        [3, -1],
      ] as const)
        for (const [at, part] of parts.entries()) {
          const payload = jpeg({ offset: offsetOf(1000 * at, at) }, part);
          if (at === missing) track.lose();
          else track.send({ payloadType: 26, timestamp, marker: at === 2 }, payload);
        }
      track.flush();
      expect(track.frames.map(({ damaged }) => damaged)).toEqual([false, true, false]);
      expect(segments(track.frames[0]?.bytes ?? Buffer.alloc(0)).scan).toEqual(
        Buffer.concat([...parts, EOI]),
      );
    },
  );

  it("ends a frame without marker when the next begins", () => {
    const track = play([{}, filler(20), false], [{}, filler(30), false]);
    expect(track.frames.map((frame) => segments(frame.bytes).scan.length)).toEqual([22, 32]);
  });
});

describe("MJPEG beyond 2040 pixels", () => {
  const EXTENSION = 0xffd8;
  /** A JPEG of 2592x1944, which RFC 2435 cannot describe. */
  const large = async (): Promise<Buffer> => {
    const source = ["-f", "lavfi", "-i", "testsrc=size=2592x1944:rate=1", "-frames:v", "1"];
    const coding = ["-pix_fmt", "yuvj420p", "-huffman", "default", "-f", "mjpeg", "-"];
    return (await run("ffmpeg", ["-loglevel", "error", ...source, ...coding], { ...BYTES })).stdout;
  };
  const decodedSize = async (bytes: Buffer): Promise<string> => {
    const child = run(
      "ffmpeg",
      ["-v", "error", "-f", "mjpeg", "-i", "-", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
      BYTES,
    );
    child.child.stdin?.end(bytes);
    const { stdout, stderr } = await child;
    return `${stdout.length} ${stderr.toString().trim()}`;
  };
  const BYTES = { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 } as const;

  /** Through the payloads of RFC 2435 with the width and height `told`; `changes` to the packets. */
  async function received(
    jpegBytes: Buffer,
    size: { width: number; height: number } | undefined,
    stated: (blocks: number) => number,
    extension?: Buffer,
  ): Promise<TrackHarness> {
    const track = new TrackHarness({ codec: Codec.MJPEG, payloadType: 26, ...(size && { size }) });
    const batch = new PacketBatch({ payloadType: 26, payloadBytesMax: 1400 });
    expect(new MjpegPacketizer().packetize(jpegBytes, 0, batch)).toBe(true);
    for (let index = 0; index < batch.packetCount; index += 1) {
      const payload = Buffer.from(batch.packet(index).subarray(12));
      payload[6] = stated(2592 / 8);
      payload[7] = stated(1944 / 8);
      const head = extension === undefined || index > 0 ? {} : { extension, extensionProfile: EXTENSION };
      track.send(
        { payloadType: 26, timestamp: 0, marker: index === batch.packetCount - 1, ...head },
        payload,
      );
    }
    return track.flush();
  }

  it("takes the size of the session description, where the packets have 0 or what is left of it", async () => {
    const bytes = await large();
    for (const stated of [() => 0, (blocks: number) => blocks & 0xff]) {
      const track = await received(bytes, { width: 2592, height: 1944 }, stated);
      expect(track.frames[0]?.format).toMatchObject({ width: 2592, height: 1944 });
      expect(await decodedSize(track.frames[0]?.bytes ?? EOI)).toBe(`${2592 * 1944} `);
    }
  });

  it("takes what the header extension of ONVIF says", async () => {
    const bytes = await large();
    const { byMarker } = segments(bytes);
    const frame = byMarker.get(0xc0)?.[0] ?? EOI;
    const piece = Buffer.concat([Buffer.from([0xff, 0xc0, 0, frame.length + 2]), frame]);
    const extension = Buffer.concat([piece, Buffer.alloc((4 - (piece.length % 4)) % 4, 0xff)]);
    const track = await received(bytes, undefined, () => 0, extension);
    expect(track.frames[0]?.format).toMatchObject({ width: 2592, height: 1944 });
    expect(await decodedSize(track.frames[0]?.bytes ?? EOI)).toBe(`${2592 * 1944} `);
  });

  it("is dropped without any size, and a smaller picture keeps its own beside a larger one in the description", async () => {
    const bytes = await large();
    expect((await received(bytes, undefined, () => 0)).frames).toHaveLength(0);
    const track = new TrackHarness({
      codec: Codec.MJPEG,
      payloadType: 26,
      size: { width: 2592, height: 1944 },
    });
    track.send({ payloadType: 26, timestamp: 0, marker: true }, jpeg({}, filler(500)));
    expect(track.flush().frames[0]?.format).toMatchObject({ width: 320, height: 240 });
  });
});

describe("whole JPEGs in packets", () => {
  const SIZE = Buffer.from([0xff, 0xc0, 0, 17, 8, 7, 152, 10, 32, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
  const whole = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    SIZE,
    Buffer.from([0xff, 0xda, 0, 2]),
    filler(900),
    EOI,
  ]);

  it("behind the header of RFC 2435 are taken as they are, with their own size", () => {
    const track = play(
      [{ width: 0, height: 0 }, whole.subarray(0, 600), false],
      [{ offset: 600 }, whole.subarray(600)],
    );
    expect(track.frames.map(({ bytes }) => bytes)).toEqual([whole]);
    expect(track.frames[0]?.format).toMatchObject({ width: 2592, height: 1944 });
  });

  it("instead of that header are put together from packet to packet", () => {
    const track = new TrackHarness({ codec: Codec.MJPEG, payloadType: 26 });
    for (const timestamp of [0, T]) {
      track.send({ payloadType: 26, timestamp }, whole.subarray(0, 600));
      track.send({ payloadType: 26, timestamp, marker: true }, whole.subarray(600));
    }
    expect(track.frames.map(({ bytes }) => bytes)).toEqual([whole, whole]);
  });

  it("instead of that header are damaged where one of their packets is lost, and the next are not", () => {
    const track = new TrackHarness({ codec: Codec.MJPEG, payloadType: 26 });
    const send = (timestamp: number, from: number, to = whole.length) =>
      track.send({ payloadType: 26, timestamp, marker: to === whole.length }, whole.subarray(from, to));
    for (const timestamp of [0, T, 2 * T]) {
      send(timestamp, 0, 600);
      if (timestamp === T) track.lose();
      else send(timestamp, 600, 900);
      send(timestamp, 900);
    }
    expect(track.frames.map(({ damaged }) => damaged)).toEqual([false, true, false]);
  });

  it("never throw and stay within bounds, whatever extension and payload say", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.uint8Array({ maxLength: 400 }),
        fc.boolean(),
        (head, data, marker) => {
          const track = new TrackHarness({
            codec: Codec.MJPEG,
            payloadType: 26,
            size: { width: 2592, height: 1944 },
          });
          const extension = Buffer.from(head.subarray(0, head.length - (head.length % 4)));
          const payload = Buffer.concat([whole.subarray(0, data[0] ?? 0), Buffer.from(data)]);
          track.send({ payloadType: 26, timestamp: 1, marker, extension, extensionProfile: 0xffd8 }, payload);
          for (const { bytes } of track.flush().frames) expect(bytes.length).toBeLessThan(2000);
        },
      ),
    );
  });
});
