import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { H264_CLIP, H265_CLIP, readClip } from "../../../src/demo/demo-cameras.js";
import { Codec, type MediaFormat } from "../../../src/live/codec/codec.js";
import { opusHeader } from "../../../src/live/codec/opus.js";
import { Frame, type FrameRange } from "../../../src/live/index.js";
import { parseJpegPicture } from "../../../src/rtsp/packetize/packetizer-jpeg-header.js";
import { nalUnitsOf } from "../../../src/rtsp/server/index.js";
import { PacketizedTrack } from "../../../src/rtsp/server/packetized-tracks.js";
import { sessionDescription } from "../../../src/rtsp/server/session-description.js";
import { SessionTrack } from "../../../src/rtsp/server/session-track.js";
import { InterleavedDelivery } from "../../../src/rtsp/server/track-delivery.js";
import { SIMULATED_START_US } from "../../support/base/simulated-clock.js";
import { annexB } from "../../support/rtsp/rtp-reassembly.js";
import { type SeenFrame, TrackHarness } from "../../support/rtsp/track-harness.js";

interface Unit {
  readonly bytes: Buffer;
  readonly key: boolean;
}

const FRAME_US = 40_000;
/** What the receiver's clock may be slewed by within the longest of these streams. */
const SLEW_US_MAX = 5_000;
const RUNS = 40;

/** The fmtp parameters that the server's SDP gives a receiver. */
function fmtpOf(track: PacketizedTrack): Record<string, string> {
  const sdp = sessionDescription({
    title: "t",
    trackBase: "",
    sessionId: 1,
    localAddress: "127.0.0.1",
    tracks: [track],
  });
  const line = /^a=fmtp:\d+ (.*)$/m.exec(sdp)?.[1]?.trim() ?? "";
  const pairs = line
    .split(";")
    .map((pair) => [pair.split("=", 1)[0] ?? "", pair.slice(pair.indexOf("=") + 1)]);
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}

/** `bytes` in up to three ranges, as frames lie in slabs. */
function rangesOf(bytes: Buffer, pieces: number): FrameRange[] {
  const step = Math.max(1, Math.ceil(bytes.length / pieces));
  const ranges: FrameRange[] = [];
  for (let at = 0; at < bytes.length; at += step)
    ranges.push({ slab: undefined, bytes: bytes.subarray(at, at + step) });
  return ranges;
}

/** Units through packetizer, wire and receiver: what a viewer's recorder would publish. */
function roundtrip(
  format: MediaFormat,
  units: readonly Unit[],
  options: { payloadBytesMax: number; pieces: number },
): SeenFrame[] {
  const track = new PacketizedTrack({ format, payloadBytesMax: options.payloadBytesMax });
  const sent: Buffer[] = [];
  const output = {
    queuedBytes: 0,
    sendableFd: () => -1,
    write: (bytes: Buffer) => sent.push(bytes),
    finish: () => undefined,
  };
  const delivery = new InterleavedDelivery(output, [0, 1]);
  const session = new SessionTrack({ index: 0, packetized: track, delivery, onFailed: () => undefined });
  const { codec } = format;
  const harness = new TrackHarness({
    codec,
    payloadType: track.payloadType,
    clockRate: track.clockRate,
    channels: "channels" in format ? format.channels : 1,
    fmtp: fmtpOf(track),
    ssrc: session.ssrc,
  });
  units.forEach((unit, at) => {
    const frame = new Frame({
      format,
      decodeTimeUs: SIMULATED_START_US + at * FRAME_US,
      presentationOffsetUs: 0,
      key: unit.key,
      damaged: false,
      undecodable: false,
      discontinuity: false,
      ranges: rangesOf(unit.bytes, options.pieces),
    });
    const batch = track.packetize(frame);
    if (batch === undefined) throw new Error(`unit ${at} was not packetized`);
    const timeUs = frame.decodeTimeUs;
    session.send(batch, { mediaUs: timeUs, wallUs: timeUs, monotonicUs: 0, continues: true });
    for (const bytes of sent.splice(0)) harness.bytes(bytes);
    harness.clock.advance(FRAME_US);
  });
  harness.flush();
  harness.close();
  const { lost } = harness.receiver.statistics;
  expect([lost, harness.receiver.statistics.droppedUnits]).toEqual([0, 0]);
  return harness.frames;
}

const settings = fc.record({
  payloadBytesMax: fc.integer({ min: 320, max: 3000 }),
  pieces: fc.integer({ min: 1, max: 3 }),
});

/** Bytes with many zeros, with emulation prevention as an encoder writes it (ITU-T H.264, 7.4.1.1). */
const escaped = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.nat(255) }, { weight: 2, arbitrary: fc.nat(3) }), {
    minLength: 4,
    maxLength: 2500,
  })
  .map((raw) => {
    const out: number[] = [];
    let zeros = 0;
    for (const byte of raw) {
      if (zeros >= 2 && byte <= 3) {
        out.push(3);
        zeros = 0;
      }
      out.push(byte);
      zeros = byte === 0 ? zeros + 1 : 0;
    }
    return Buffer.from([...out, 0x80]);
  });

/** Access units of one to four slices, parameter sets before key frames, SEI before some. */
function accessUnits(codec: { header(kind: "key" | "slice" | "sei"): Buffer; sets: Buffer }) {
  const slices = fc.array(escaped, { minLength: 1, maxLength: 4 });
  const unit = fc.record({ key: fc.boolean(), sei: fc.boolean(), slices });
  return fc.array(unit, { minLength: 1, maxLength: 8 }).map((parts) =>
    parts.map(({ key, sei, slices: bodies }, at) => {
      const isKey = key || at === 0;
      const firstByte = (body: Buffer, first: boolean) =>
        Buffer.concat([Buffer.from([first ? 0x80 : 0x40]), body]);
      const nals = bodies.map((body, index) =>
        Buffer.concat([codec.header(isKey ? "key" : "slice"), firstByte(body, index === 0)]),
      );
      const seiNal = sei ? [Buffer.concat([codec.header("sei"), Buffer.from([5, 2, 9, 9, 0x80])])] : [];
      return {
        key: isKey,
        bytes: Buffer.concat([isKey ? codec.sets : Buffer.alloc(0), annexB([...seiNal, ...nals])]),
      };
    }),
  );
}

function expectSame(frames: readonly SeenFrame[], units: readonly Unit[]): void {
  expect(frames.map((frame) => frame.bytes.toString("base64"))).toEqual(
    units.map((unit) => unit.bytes.toString("base64")),
  );
  expect(frames.map((frame) => [frame.key, frame.damaged])).toEqual(units.map((unit) => [unit.key, false]));
  const times = frames.map((frame) => frame.decodeTimeUs - (frames[0]?.decodeTimeUs ?? 0));
  times.forEach((time, at) => {
    expect(Math.abs(time - at * FRAME_US)).toBeLessThan(SLEW_US_MAX);
  });
}

describe("packetizer, wire and receiver give back the access units", () => {
  it("H.264", async () => {
    const clip = await readClip(H264_CLIP);
    const { codec, width, height, initialization } = clip;
    const header = (kind: "key" | "slice" | "sei") =>
      Buffer.from([{ key: 0x65, slice: 0x41, sei: 0x06 }[kind]]);
    fc.assert(
      fc.property(accessUnits({ header, sets: Buffer.from(initialization) }), settings, (units, options) => {
        expectSame(roundtrip({ codec, width, height, initialization }, units, options), units);
      }),
      { numRuns: RUNS },
    );
  });

  it("H.265", async () => {
    const clip = await readClip(H265_CLIP);
    const { codec, width, height, initialization } = clip;
    const header = (kind: "key" | "slice" | "sei") =>
      Buffer.from([{ key: 19, slice: 1, sei: 39 }[kind] << 1, 1]);
    fc.assert(
      fc.property(accessUnits({ header, sets: Buffer.from(initialization) }), settings, (units, options) => {
        expectSame(roundtrip({ codec, width, height, initialization }, units, options), units);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([H264_CLIP, H265_CLIP])("the bundled clip $name, format and all", async (clipSettings) => {
    const clip = await readClip(clipSettings);
    const { codec, width, height, initialization } = clip;
    const units = clip.units.map((unit) => ({ key: unit.key, bytes: Buffer.from(unit.bytes) }));
    const frames = roundtrip({ codec, width, height, initialization }, units, {
      payloadBytesMax: 1400,
      pieces: 1,
    });
    expectSame(frames, units);
    expect(frames[0]?.format).toMatchObject({ codec, width, height });
    const setsOf = (bytes: Uint8Array) => nalUnitsOf(bytes).map((nal) => nal.toString("hex"));
    expect(setsOf(frames[0]?.format.initialization ?? Buffer.alloc(0))).toEqual(setsOf(initialization));
  });

  it("MPEG-4 Part 2", () => {
    const config = Buffer.from(
      "000001b001000001b58913000001000000012000c48d8800f50a041e1463000001b24c61766335392e3337",
      "hex",
    );
    const vop = fc.tuple(fc.boolean(), escaped).map(([key, body]) => ({ key, body }));
    fc.assert(
      fc.property(fc.array(vop, { minLength: 1, maxLength: 8 }), settings, (vops, options) => {
        const units = vops.map(({ key, body }, at) => {
          const isKey = key || at === 0;
          const picture = Buffer.concat([Buffer.from([0, 0, 1, 0xb6, isKey ? 0x10 : 0x50]), body]);
          return { key: isKey, bytes: isKey ? Buffer.concat([config, picture]) : picture };
        });
        const format = { codec: Codec.MPEG4, width: 320, height: 240, initialization: config };
        expectSame(roundtrip(format, units, options), units);
      }),
      { numRuns: RUNS },
    );
  });

  it("MJPEG: scan data, tables, size, restart interval", () => {
    const picture = fc.record({
      wide: fc.boolean(),
      tables: fc.uint8Array({ minLength: 128, maxLength: 128 }),
      restart: fc.option(fc.integer({ min: 1, max: 65_535 })),
      scan: fc
        .uint8Array({ minLength: 1, maxLength: 5000 })
        .map((bytes) => bytes.map((byte) => (byte === 0xff ? 0xfe : byte))),
    });
    fc.assert(
      fc.property(fc.array(picture, { minLength: 1, maxLength: 5 }), settings, (pictures, options) => {
        const units = pictures.map((one) => ({ key: true, bytes: jpegOf(one) }));
        const format = { codec: Codec.MJPEG, width: 0, height: 0, initialization: Buffer.alloc(0) };
        const frames = roundtrip(format, units, options);
        expect(frames.map((frame) => contentOf(frame.bytes))).toEqual(
          units.map((unit) => contentOf(unit.bytes)),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it("AAC", () => {
    const unit = fc
      .uint8Array({ minLength: 1, maxLength: 8191 })
      .map((bytes) => ({ key: true, bytes: Buffer.from(bytes) }));
    const format = {
      codec: Codec.AAC,
      sampleRate: 48_000,
      channels: 2,
      initialization: Buffer.from([0x11, 0x90]),
    };
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 5 }), settings, (units, options) => {
        expectSame(roundtrip(format, units, options), units);
      }),
      { numRuns: RUNS },
    );
  });

  it("L16 of 48 kHz, stereo", () => {
    const format = { codec: Codec.L16, sampleRate: 48_000, channels: 2, initialization: Buffer.alloc(0) };
    const unit = fc
      .uint8Array({ minLength: 7680, maxLength: 7680 })
      .map((bytes) => ({ key: true, bytes: Buffer.from(bytes) }));
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 4 }), settings, (units, options) => {
        const seen = roundtrip(format, units, options);
        const joined = (all: readonly { readonly bytes: Uint8Array }[]) =>
          Buffer.concat(all.map(({ bytes }) => bytes));
        expect(joined(seen).equals(joined(units))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("Opus", () => {
    const format = { codec: Codec.OPUS, sampleRate: 48_000, channels: 2, initialization: opusHeader(2) };
    const unit = fc
      .uint8Array({ minLength: 1, maxLength: 1275 })
      .map((bytes) => ({ key: true, bytes: Buffer.concat([Buffer.from([0xfc]), bytes]) }));
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 5 }), settings, (units, options) => {
        expectSame(roundtrip(format, units, options), units);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([Codec.PCMU, Codec.PCMA])("G.711, codec %i", (codec) => {
    const format = { codec, sampleRate: 8000, channels: 1, initialization: Buffer.alloc(0) };
    const unit = fc
      .uint8Array({ minLength: 320, maxLength: 320 })
      .map((bytes) => ({ key: true, bytes: Buffer.from(bytes) }));
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 10 }), settings, (units, options) => {
        expectSame(roundtrip(format, units, options), units);
      }),
      { numRuns: RUNS },
    );
  });
});

function jpegOf(picture: {
  wide: boolean;
  tables: Uint8Array;
  restart: number | null;
  scan: Uint8Array;
}): Buffer {
  const { tables, restart, scan } = picture;
  const table = (id: number) => [0xff, 0xdb, 0, 67, id, ...tables.subarray(id * 64, id * 64 + 64)];
  const dri = restart === null ? [] : [0xff, 0xdd, 0, 4, restart >> 8, restart & 0xff];
  const sampling = picture.wide ? 0x21 : 0x22;
  const sof = [0xff, 0xc0, 0, 17, 8, 0, 240, 1, 64, 3, 1, sampling, 0, 2, 0x11, 1, 3, 0x11, 1];
  const sos = [0xff, 0xda, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0];
  return Buffer.from([0xff, 0xd8, ...table(0), ...table(1), ...sof, ...dri, ...sos, ...scan, 0xff, 0xd9]);
}

function contentOf(jpeg: Buffer): unknown {
  const picture = parseJpegPicture(jpeg);
  if (picture === undefined) return undefined;
  const { scanStart, scanEnd, tables, ...rest } = picture;
  return { ...rest, tables: tables.toString("hex"), scan: jpeg.toString("base64", scanStart, scanEnd) };
}
