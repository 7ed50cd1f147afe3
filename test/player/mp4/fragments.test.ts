import { writeFile } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import { Codec, isAudioCodec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { fragmentHead, type Sample } from "../../../src/player/mp4/fragment.js";
import { lengthPrefixed } from "../../../src/player/mp4/length-prefixed.js";
import { movieHeader, VIDEO_TIMESCALE } from "../../../src/player/mp4/movie-header.js";
import { sampleEntry } from "../../../src/player/mp4/sample-entry.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { decodedFrames, packetsOf, probeMovie } from "../../support/media/movie-probe.js";
import { type SentClip, sentClip } from "../../support/media/shown-clip.js";

const GOP_FRAMES = 10;

describe("fragments of a movie", () => {
  const directory = new TemporaryDirectory();
  afterAll(() => directory.remove());

  it.each([
    ["h264", 0, "h264"],
    ["h264", 2, "h264"],
    ["h265", 0, "hevc"],
    ["h265", 2, "hevc"],
    ["mpeg4", 0, "m4v"],
    ["mjpeg", 0, "mjpeg"],
  ] as const)(
    "are decoded by ffmpeg as what was put in: %s with %i B-frames",
    async (codec, bFrames, raw) => {
      const clip = await sentClip({
        codec,
        width: 320,
        height: 180,
        seconds: 2,
        gopFrames: GOP_FRAMES,
        bFrames,
      });
      const file = directory.join(`${codec}-${bFrames}.mp4`);
      await writeFile(file, movieOf(clip));
      const elementary = directory.join(`${codec}-${bFrames}.raw`);
      await writeFile(
        elementary,
        Buffer.concat(clip.units.flatMap(({ bytes }) => bytes.map((part) => Buffer.from(part)))),
      );
      expect(await decodedFrames(["-i", file])).toEqual(await decodedFrames(["-f", raw, "-i", elementary]));
    },
  );

  it("keep decode times, presentation times and key frames", async () => {
    const clip = await sentClip({
      codec: "h264",
      width: 64,
      height: 48,
      seconds: 2,
      gopFrames: 10,
      bFrames: 2,
    });
    const file = directory.join("times.mp4");
    await writeFile(file, movieOf(clip));
    const packets = await packetsOf(file, "v:0");
    expect(packets.map(({ key }) => key)).toEqual(clip.units.map(({ key }) => key));
    expect(packets.map(({ dtsS }) => Math.round(dtsS * 1000))).toEqual(
      clip.units.map(({ decodeTimeUs }) => Math.round(decodeTimeUs / 1000)),
    );
    expect(packets.map(({ ptsS }) => Math.round(ptsS * 1000))).toEqual(
      clip.units.map((unit) => Math.round((unit.decodeTimeUs + unit.presentationOffsetUs) / 1000)),
    );
  });

  it("are probed without a warning, with size and title", async () => {
    const clip = await sentClip({ codec: "h265", width: 320, height: 180, seconds: 1, gopFrames: 10 });
    const file = directory.join("probed.mp4");
    await writeFile(file, movieOf(clip));
    const probed = await probeMovie(file);
    expect(probed.complaints).toBe("");
    expect(probed.streams).toMatchObject([
      { codec_name: "hevc", codec_tag_string: "hvc1", width: 320, height: 180 },
    ]);
    expect(probed.format.tags).toMatchObject({ title: "Gate", date: "2026-11-21T09:00:00.000Z" });
  });
});

/** The clip in fragments of a GOP. */
function movieOf(clip: SentClip): Buffer {
  const first = Buffer.concat(clip.units[0]?.bytes ?? []);
  const format: VideoFormat = {
    codec: clip.codec,
    width: clip.codec === Codec.H264 || clip.codec === Codec.H265 ? 0 : 320,
    height: clip.codec === Codec.H264 || clip.codec === Codec.H265 ? 0 : 180,
    initialization:
      clip.codec === Codec.MPEG4
        ? first.subarray(0, first.indexOf(Buffer.from([0, 0, 1, 0xb3])))
        : new Uint8Array(0),
  };
  const pieces = [
    movieHeader({
      tracks: [
        {
          id: 1,
          kind: "video",
          timescale: VIDEO_TIMESCALE,
          entries: [sampleEntry(format, first)],
          width: 320,
          height: 180,
        },
      ],
      createdMs: Date.UTC(2026, 10, 21, 9),
      title: "Gate",
    }),
  ];
  const ticks = (us: number) => Math.round((us * VIDEO_TIMESCALE) / 1_000_000);
  for (let at = 0, sequence = 1; at < clip.units.length; at += GOP_FRAMES, sequence += 1) {
    const units = clip.units.slice(at, at + GOP_FRAMES);
    const data = units.map(({ bytes }) => {
      const unit = Buffer.concat(bytes);
      return clip.codec === Codec.H264 || clip.codec === Codec.H265 ? lengthPrefixed(unit) : unit;
    });
    const samples: Sample[] = units.map((unit, index) => ({
      bytes: data[index]?.length ?? 0,
      durationTicks: ticks(
        (units[index + 1]?.decodeTimeUs ?? unit.decodeTimeUs + 40_000) - unit.decodeTimeUs,
      ),
      compositionTicks: ticks(unit.presentationOffsetUs),
      sync: unit.key || isAudioCodec(clip.codec),
    }));
    const runs = [{ trackId: 1, decodeTicks: ticks(units[0]?.decodeTimeUs ?? 0), samples }];
    pieces.push(fragmentHead({ sequence, runs }), ...data);
  }
  return Buffer.concat(pieces);
}
