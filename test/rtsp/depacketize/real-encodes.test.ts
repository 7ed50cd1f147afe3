import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { splitAnnexB } from "../../../src/rtsp/index.js";
import { type CaptureOptions, captureRtp, type RtpCapture } from "../../support/media/ffmpeg-rtp.js";
import { type HarnessOptions, TrackHarness } from "../../support/rtsp/track-harness.js";

const PICTURES = ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=2", "-pix_fmt", "yuv420p"];
const TONE = ["-f", "lavfi", "-i", "sine=f=440:d=2"];

async function play(
  capture: CaptureOptions,
  options: HarnessOptions,
): Promise<{ capture: RtpCapture; track: TrackHarness }> {
  const captured = await captureRtp(capture);
  const track = new TrackHarness({ ...options, fmtp: captured.fmtp, payloadType: captured.payloadType });
  const isSound = options.codec >= Codec.PCMU;
  let timestamp = captured.packets[0]?.readUInt32BE(4) ?? 0;
  for (const packet of captured.packets) {
    // A picture each 40 ms, and sound as long as it lasts, as a camera sends them.
    const ticks = (packet.readUInt32BE(4) - timestamp) >>> 0;
    const elapsedUs = isSound ? (ticks * 1_000_000) / (options.clockRate ?? 1) : 40_000;
    if (ticks !== 0) track.clock.advance(elapsedUs);
    timestamp = packet.readUInt32BE(4);
    track.packet(packet);
  }
  track.flush();
  expect(track.receiver.statistics).toMatchObject({
    lost: 0,
    malformed: 0,
    wrongPayloadType: 0,
    repeated: 0,
    restarts: 0,
  });
  return { capture: captured, track };
}

/** The NAL units of a stream without parameter sets: those ffmpeg repeats or not as the output format asks for. */
function pictureUnits(bytes: Buffer, isSet: (nal: Buffer) => boolean): string[] {
  return splitAnnexB(bytes)
    .filter((nal) => !isSet(nal))
    .map((nal) => nal.toString("base64"));
}

const isH264Set = (nal: Buffer) => [7, 8].includes((nal[0] ?? 0) & 0x1f);
const isH265Set = (nal: Buffer) => [32, 33, 34].includes(((nal[0] ?? 0) >> 1) & 0x3f);

function expectRisingTimes(track: TrackHarness, frameUs: number, slackUs: number): void {
  const frames = track.frames;
  const first = frames[0]?.decodeTimeUs ?? 0;
  frames.forEach((frame, index) => {
    expect(frame.presentationOffsetUs).toBeGreaterThanOrEqual(0);
    expect(Math.abs(frame.decodeTimeUs - first - index * frameUs)).toBeLessThanOrEqual(slackUs);
    if (index > 0) expect(frame.decodeTimeUs).toBeGreaterThan(frames[index - 1]?.decodeTimeUs ?? 0);
  });
}

describe.each(["tcp", "udp"] as const)("encodes of ffmpeg over %s", (transport) => {
  it("gives back the NAL units of H.264 with B-frames byte for byte", async () => {
    const encode = [...PICTURES, "-c:v", "libx264", "-g", "25", "-bf", "3", "-x264-params", "slices=3"];
    const { capture, track } = await play({ encode, copyFormat: "h264" }, { codec: Codec.H264, transport });
    expect(track.frames).toHaveLength(50);
    const sent = Buffer.concat(track.frames.map((frame) => frame.bytes));
    expect(pictureUnits(sent, isH264Set)).toEqual(pictureUnits(capture.copy, isH264Set));
    expect(track.frames.filter((frame) => frame.key)).toHaveLength(2);
    for (const frame of track.frames.filter((frame) => frame.key)) {
      expect(splitAnnexB(frame.bytes).filter(isH264Set).length).toBeGreaterThanOrEqual(2);
    }
    expect(track.frames[0]?.format).toMatchObject({ width: 320, height: 240 });
    expect(track.frames.some((frame) => frame.damaged)).toBe(false);
    expectRisingTimes(track, 40_000, 2);
    const shown = track.frames
      .map((frame) => frame.decodeTimeUs + frame.presentationOffsetUs)
      .sort((a, b) => a - b);
    shown.forEach((timeUs, index) => {
      expect(Math.abs(timeUs - (shown[0] ?? 0) - index * 40_000)).toBeLessThanOrEqual(2);
    });
    track.close();
    expect(track.pool.idleBytes).toBe(track.pool.allocatedBytes);
  });

  it("gives back the NAL units of H.265 with B-frames byte for byte", async () => {
    const encode = [...PICTURES, "-c:v", "libx265", "-x265-params", "keyint=25:bframes=3:log-level=error"];
    const { capture, track } = await play({ encode, copyFormat: "hevc" }, { codec: Codec.H265, transport });
    expect(track.frames).toHaveLength(50);
    const sent = Buffer.concat(track.frames.map((frame) => frame.bytes));
    expect(pictureUnits(sent, isH265Set)).toEqual(pictureUnits(capture.copy, isH265Set));
    expect(track.frames.filter((frame) => frame.key)).toHaveLength(2);
    expect(track.frames[0]?.format).toMatchObject({ width: 320, height: 240 });
    expectRisingTimes(track, 40_000, 2);
    track.close();
    expect(track.pool.idleBytes).toBe(track.pool.allocatedBytes);
  });

  it("gives back the elementary stream of MPEG-4 Part 2", async () => {
    const encode = [...PICTURES, "-c:v", "mpeg4", "-g", "25", "-bf", "2", "-q:v", "2"];
    const { capture, track } = await play({ encode, copyFormat: "m4v" }, { codec: Codec.MPEG4, transport });
    expect(track.frames).toHaveLength(50);
    const config = Buffer.from(capture.fmtp.config ?? "", "hex");
    const sent = Buffer.concat(
      track.frames.map((frame) => {
        const repeated = frame.bytes.subarray(0, config.length).equals(config);
        expect(repeated).toBe(frame.key);
        return repeated ? frame.bytes.subarray(config.length) : frame.bytes;
      }),
    );
    const start = capture.copy.subarray(0, config.length).equals(config) ? config.length : 0;
    expect(sent.equals(capture.copy.subarray(start))).toBe(true);
    expect(track.frames[0]?.format).toMatchObject({ width: 320, height: 240 });
    track.close();
    expect(track.pool.idleBytes).toBe(track.pool.allocatedBytes);
  });

  it("gives back scan data and tables of MJPEG", async () => {
    const encode = [
      ...PICTURES.slice(0, 4),
      "-pix_fmt",
      "yuvj420p",
      "-c:v",
      "mjpeg",
      "-huffman",
      "default",
      "-q:v",
      "3",
    ];
    const { capture, track } = await play({ encode, copyFormat: "mjpeg" }, { codec: Codec.MJPEG, transport });
    expect(track.frames).toHaveLength(50);
    const sent = jpegs(Buffer.concat(track.frames.map((frame) => frame.bytes)));
    const copied = jpegs(capture.copy);
    expect(sent.map((jpeg) => jpeg.scan)).toEqual(copied.map((jpeg) => jpeg.scan));
    expect(sent.map((jpeg) => jpeg.tables)).toEqual(copied.map((jpeg) => jpeg.tables));
    expect(sent[0]?.huffman).toEqual(copied[0]?.huffman);
    expect(track.frames.every((frame) => frame.bytes.subarray(0, 4).toString("hex") === "ffd8ffe0")).toBe(
      true,
    );
    track.close();
    expect(track.pool.idleBytes).toBe(track.pool.allocatedBytes);
  });
});

describe("sound of ffmpeg", () => {
  it("gives back the samples of G.711", async () => {
    const encode = [...TONE, "-c:a", "pcm_mulaw", "-ar", "8000", "-ac", "1"];
    const { capture, track } = await play(
      { encode, copyFormat: "mulaw" },
      { codec: Codec.PCMU, clockRate: 8000 },
    );
    expect(Buffer.concat(track.frames.map((frame) => frame.bytes)).equals(capture.copy)).toBe(true);
    const last = track.frames.at(-1);
    const durationUs = (last?.decodeTimeUs ?? 0) - (track.frames[0]?.decodeTimeUs ?? 0);
    expect(durationUs + ((last?.bytes.length ?? 0) * 1_000_000) / 8000).toBeCloseTo(2_000_000, -2);
  });

  it("gives back the access units of AAC", async () => {
    const encode = [...TONE, "-c:a", "aac", "-ar", "48000", "-ac", "2", "-b:a", "64k"];
    const options: HarnessOptions = { codec: Codec.AAC, clockRate: 48_000, channels: 2 };
    const { capture, track } = await play({ encode, copyFormat: "adts" }, options);
    const sent = track.frames.map((frame) => frame.bytes.toString("base64"));
    const copied = adtsUnits(capture.copy);
    // ffmpeg's RTP muxer keeps the units of an unfilled last packet to itself.
    expect(sent.length).toBeGreaterThan(copied.length - 8);
    expect(sent).toEqual(copied.slice(0, sent.length));
    expect(track.frames[0]?.format).toMatchObject({ sampleRate: 48_000, channels: 2 });
  });
});

interface Jpeg {
  readonly scan: string;
  readonly tables: string;
  readonly huffman: string[];
}

/** Scan data, quantization and Huffman tables of each JPEG in a row of them. */
function jpegs(bytes: Buffer): Jpeg[] {
  const found: Jpeg[] = [];
  let at = 0;
  while (at + 4 <= bytes.length && bytes.readUInt16BE(at) === 0xffd8) {
    at += 2;
    const tables: string[] = [];
    const huffman: string[] = [];
    while (bytes[at + 1] !== 0xda) {
      const length = bytes.readUInt16BE(at + 2);
      if (bytes[at + 1] === 0xdb) tables.push(...quantizers(bytes.subarray(at + 4, at + 2 + length)));
      if (bytes[at + 1] === 0xc4) huffman.push(...huffmanTables(bytes.subarray(at + 4, at + 2 + length)));
      at += 2 + length;
    }
    at += 2 + bytes.readUInt16BE(at + 2);
    const end = bytes.indexOf(Buffer.from([0xff, 0xd9]), at) + 2;
    found.push({
      huffman: huffman.sort(),
      scan: bytes.subarray(at, end).toString("base64"),
      tables: [...new Set(tables.map((table) => table.slice(2)))].join(" "),
    });
    at = end;
  }
  expect(at).toBe(bytes.length);
  return found;
}

function huffmanTables(segment: Buffer): string[] {
  const tables: string[] = [];
  for (let at = 0; at + 17 <= segment.length; ) {
    const end = at + 17 + segment.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0);
    tables.push(segment.subarray(at, end).toString("hex"));
    at = end;
  }
  return tables;
}

function quantizers(segment: Buffer): string[] {
  const tables: string[] = [];
  for (let at = 0; at + 65 <= segment.length; at += 65)
    tables.push(segment.subarray(at, at + 65).toString("hex"));
  return tables;
}

function adtsUnits(bytes: Buffer): string[] {
  const units: string[] = [];
  for (let at = 0; at + 7 <= bytes.length; ) {
    const length = (bytes.readUInt32BE(at + 2) >> 5) & 0x1fff || 7;
    const header = ((bytes[at + 1] ?? 0) & 1) === 1 ? 7 : 9;
    units.push(bytes.subarray(at + header, at + length).toString("base64"));
    at += length;
  }
  return units;
}
