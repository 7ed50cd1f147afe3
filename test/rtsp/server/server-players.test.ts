import { describe, expect, it } from "vitest";
import { ambientSound } from "../../../src/demo/ambient-sound.js";
import { H264_CLIP, H265_CLIP, MJPEG_CLIP, readClip } from "../../../src/demo/demo-cameras.js";
import { ambientLane, type Clip, clipLane, type Lane } from "../../../src/demo/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { parseJpegPicture } from "../../../src/rtsp/packetize/packetizer-jpeg-header.js";
import { nalUnitsOf, type RtspServerOptions } from "../../../src/rtsp/server/index.js";
import { startClipServer } from "../../support/rtsp/clip-server.js";
import { ffmpegCopy, ffmpegMake, gstreamerTake, runPlayer } from "../../support/rtsp/rtsp-players.js";

/** Ten times the clip's rate: a whole turn of the loop in two seconds. */
const FRAMES_PER_SECOND = 100;
const CLIP_NALS_MAX = 10_000;

async function serving<T>(
  lanes: readonly Lane[],
  use: (url: string) => Promise<T>,
  options: Partial<RtspServerOptions> = {},
): Promise<T> {
  const server = await startClipServer(lanes, options);
  try {
    return await use(server.url);
  } finally {
    await server.stop();
  }
}

function isParameterSet(codec: number, nal: Buffer): boolean {
  const first = nal[0] ?? 0;
  const type = codec === Codec.H264 ? first & 0x1f : (first >> 1) & 0x3f;
  return codec === Codec.H264 ? type === 7 || type === 8 : type >= 32 && type <= 34;
}

/**
 * What a player wrote must be the clip's NAL units in the clip's order over the loop's end, starting at some key
 * frame. Players repeat parameter sets from the SDP, so these are compared as a set.
 */
function expectClipNals(clip: Clip, output: Buffer, unitsMin: number): void {
  const slices = clip.units.map((unit) =>
    nalUnitsOf(unit.bytes).filter((nal) => !isParameterSet(clip.codec, nal)),
  );
  const received = nalUnitsOf(output, CLIP_NALS_MAX);
  const sets = nalUnitsOf(clip.initialization).map((nal) => nal.toString("hex"));
  for (const nal of received)
    if (isParameterSet(clip.codec, nal)) expect(sets).toContain(nal.toString("hex"));
  const pictures = received.filter((nal) => !isParameterSet(clip.codec, nal));
  const start = slices.findIndex(
    (nals, at) => clip.units[at]?.key === true && nals[0]?.equals(pictures[0] ?? Buffer.alloc(0)),
  );
  expect(start).toBeGreaterThanOrEqual(0);
  const expected = Array.from(
    { length: unitsMin * 3 },
    (_, at) => slices[(start + at) % slices.length] ?? [],
  ).flat();
  pictures.forEach((nal, at) => {
    if (!nal.equals(expected[at] ?? Buffer.alloc(0)))
      throw new Error(`NAL unit ${at} of ${pictures.length} differs from the clip`);
  });
  expect(pictures.length).toBeGreaterThanOrEqual(unitsMin);
}

/** The clip's headers say 10 frames a second: ffmpeg's file writer remarks on each frame of the fast play. */
function withoutRateRemarks(errors: string): string {
  return errors.replace(/^.*(?:non monotonically increasing dts|Last message repeated).*\n/gm, "");
}

describe.concurrent("players of the RTSP server", () => {
  it.each([
    ["H.264", H264_CLIP, "h264", undefined],
    ["H.265", H265_CLIP, "hevc", undefined],
    ["H.264 behind Digest MD5", H264_CLIP, "h264", { user: "viewer", password: "secret" }],
  ] as const)(
    "ffmpeg -c copy gives back the clip's NAL units over the loop's end: %s",
    async (_, settings, format, credentials) => {
      const clip = await readClip(settings);
      const frames = clip.units.length + 60;
      const { output, errors } = await serving(
        [clipLane(clip, FRAMES_PER_SECOND)],
        (url) =>
          ffmpegCopy(credentials === undefined ? url : url.replace("://", "://viewer:secret@"), format, [
            "-frames:v",
            String(frames),
          ]),
        credentials === undefined ? {} : { credentials },
      );
      expect(withoutRateRemarks(errors)).toBe("");
      expectClipNals(clip, output, frames);
    },
  );

  it.each([
    ["H.264", H264_CLIP, "rtph264depay ! video/x-h264,stream-format=byte-stream,alignment=au"],
    ["H.265", H265_CLIP, "rtph265depay ! video/x-h265,stream-format=byte-stream,alignment=au"],
  ] as const)(
    "GStreamer gives back the clip's NAL units over the loop's end: %s",
    async (_, settings, pipeline) => {
      const clip = await readClip(settings);
      const clipBytes = clip.units.reduce((sum, unit) => sum + unit.bytes.length, 0);
      const { output, errors } = await serving([clipLane(clip, FRAMES_PER_SECOND)], (url) =>
        gstreamerTake(url, pipeline, clipBytes * 1.3),
      );
      expect(errors).toBe("");
      // The player was stopped in mid-write: its last NAL unit may be cut.
      const whole = output.subarray(0, output.lastIndexOf(Buffer.from([0, 0, 0, 1])));
      expectClipNals(clip, whole, clip.units.length);
    },
  );

  it("ffmpeg decodes picture and sound without an error", async () => {
    const clip = await readClip(H264_CLIP);
    const { output, errors, status } = await serving([clipLane(clip), ambientLane()], (url) =>
      runPlayer("ffmpeg", [
        "-v",
        "warning",
        "-rtsp_transport",
        "tcp",
        "-i",
        url,
        "-t",
        "3",
        "-map",
        "0:a",
        "-c:a",
        "copy",
        "-f",
        "mulaw",
        "pipe:1",
        "-t",
        "2",
        "-map",
        "0:v",
        "-f",
        "null",
        "-",
      ]),
    );
    expect([errors, status]).toEqual(["", 0]);
    const sound = ambientSound();
    const turn = Buffer.concat([sound, sound, sound]);
    expect(output.length).toBeGreaterThan(8000);
    expect(turn.includes(output)).toBe(true);
  });

  it("ffmpeg gets each picture's scan data and tables of MJPEG", async () => {
    const clip = await readClip(MJPEG_CLIP);
    const frames = clip.units.length + 10;
    const { output } = await serving([clipLane(clip, 50)], (url) =>
      ffmpegCopy(url, "mjpeg", ["-frames:v", String(frames)]),
    );
    const content = (jpeg: Uint8Array) => {
      const bytes = Buffer.from(jpeg);
      const picture = parseJpegPicture(bytes);
      return (
        picture &&
        Buffer.concat([picture.tables, bytes.subarray(picture.scanStart, picture.scanEnd)]).toString("base64")
      );
    };
    const sent = clip.units.map((unit) => content(unit.bytes));
    const received: (string | undefined)[] = [];
    for (let start = 0; start < output.length; ) {
      const next = output.indexOf(Buffer.from([0xff, 0xd8, 0xff]), start + 3);
      const end = next === -1 ? output.length : next;
      received.push(content(output.subarray(start, end)));
      start = end;
    }
    const first = sent.indexOf(received[0]);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(received).toEqual(received.map((_, at) => sent[(first + at) % sent.length]));
    expect(received).toHaveLength(frames);
  });

  it("ffmpeg gets MPEG-4 Part 2 and AAC as they were encoded", async () => {
    const [mpeg4, adts] = await Promise.all([
      ffmpegMake([
        "-f",
        "lavfi",
        "-i",
        "testsrc2=s=320x240:r=25",
        "-t",
        "2",
        "-c:v",
        "mpeg4",
        "-g",
        "25",
        "-b:v",
        "2M",
        "-f",
        "m4v",
      ]),
      ffmpegMake(["-f", "lavfi", "-i", "sine=f=440:r=44100", "-t", "2", "-c:a", "aac", "-f", "adts"]),
    ]);
    const [video, sound] = [mpeg4Lane(mpeg4), aacLane(adts)];
    const received = await serving([video, sound], (url) =>
      Promise.all([
        ffmpegCopy(url, "m4v", ["-an", "-frames:v", "60"]),
        // ffmpeg 7.1 takes AAC out of RTP for non-key frames, which a copy leaves out at its beginning: all of them.
        ffmpegCopy(url, "adts", ["-vn", "-frames:a", "100", "-copyinkf:a"]),
      ]),
    );
    expect(received.map((player) => player.errors)).toEqual(["", ""]);
    const turns = Buffer.concat([mpeg4, mpeg4, mpeg4]);
    expect(received[0]?.output.length).toBeGreaterThan(mpeg4.length);
    expect(turns.includes(received[0]?.output ?? "")).toBe(true);
    const units = adtsUnits(adts).map((unit) => unit.toString("base64"));
    const got = adtsUnits(received[1]?.output ?? Buffer.alloc(0)).map((unit) => unit.toString("base64"));
    const first = units.indexOf(got[0] ?? "");
    expect(got).toHaveLength(100);
    expect(got).toEqual(got.map((_, at) => units[(first + at) % units.length]));
  });
});

/** VOPs with the headers before them, at 25 a second. */
function mpeg4Lane(stream: Buffer): Lane {
  const [vop, sequence] = [Buffer.from([0, 0, 1, 0xb6]), Buffer.from([0, 0, 1, 0xb0])];
  const units: { bytes: Buffer; key: boolean }[] = [];
  for (let start = 0; start < stream.length; ) {
    const picture = stream.indexOf(vop, start);
    const nextPicture = stream.indexOf(vop, picture + 4);
    const nextHeader = stream.indexOf(sequence, picture + 4);
    const ends = [nextPicture, nextHeader].filter((at) => at !== -1);
    const end = ends.length === 0 ? stream.length : Math.min(...ends);
    units.push({ bytes: stream.subarray(start, end), key: ((stream[picture + 4] ?? 0) & 0xc0) === 0 });
    start = end;
  }
  const [first = { bytes: Buffer.alloc(0), key: true }] = units;
  const initialization = first.bytes.subarray(0, first.bytes.indexOf(vop));
  return {
    format: { codec: Codec.MPEG4, width: 320, height: 240, initialization },
    length: units.length,
    timeUs: (index) => index * 40_000,
    unit: (index) => units[index % units.length] ?? first,
  };
}

/** Raw access units out of ADTS frames without CRC (ISO/IEC 14496-3, 1.A.2). */
function adtsUnits(stream: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + 7 <= stream.length; ) {
    const byteLength = (stream.readUInt32BE(at + 3) >> 13) & 0x1fff;
    if (byteLength < 7) break;
    units.push(stream.subarray(at + 7, at + byteLength));
    at += byteLength;
  }
  return units;
}

function aacLane(adts: Buffer): Lane {
  const units = adtsUnits(adts);
  return {
    // AudioSpecificConfig: AAC LC (2), 44100 Hz (4), one channel.
    format: { codec: Codec.AAC, sampleRate: 44_100, channels: 1, initialization: Buffer.from([0x12, 0x08]) },
    length: units.length,
    timeUs: (index) => Math.round((index * 1024 * 1_000_000) / 44_100),
    unit: (index) => ({ bytes: units[index % units.length] ?? Buffer.alloc(0), key: true }),
  };
}
