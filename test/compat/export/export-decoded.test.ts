import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NINE_US } from "../../support/api/api-frames.js";
import {
  ExportedArchive,
  HEIGHT,
  type RecordedUnit,
  toneUnits,
  videoUnits,
  WIDTH,
} from "../../support/api/exported-archive.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { decodedFrames, packetsOf, probeMovie } from "../../support/media/movie-probe.js";
import { ffmpegFilter, hear } from "../../support/media/tone.js";

const RAW = { h264: "h264", h265: "hevc", mpeg4: "m4v", mjpeg: "mjpeg" } as const;

/** As the header of an export has them. */
const SOUND_NAMES = {
  ...{ aac: "AAC", pcm_mulaw: "G.711 u-law", pcm_alaw: "G.711 A-law", pcm_s16be: "L16", opus: "Opus" },
};

const directory = new TemporaryDirectory("export");
let recorder: ExportedArchive;

/** Each test has ten minutes of its own. */
let startS = 0;

beforeAll(async () => {
  recorder = await ExportedArchive.start(directory);
});
beforeEach(() => {
  startS += 600;
});
afterAll(async () => {
  await recorder?.stop();
  directory.remove();
});

const clips = new Map<string, Promise<RecordedUnit[]>>();

/** A clip, made once. */
function clip(codec: "h264" | "h265" | "mpeg4" | "mjpeg", seconds: number, bFrames = 0, width = WIDTH) {
  const name = [codec, seconds, bFrames, width].join(" ");
  const height = Math.round((width * 9) / 16);
  const made = clips.get(name) ?? videoUnits(codec, { seconds, bFrames, width, height });
  clips.set(name, made);
  return made;
}

const record = (units: readonly RecordedUnit[], atS = 0): Promise<void> =>
  recorder.record(units, { fromUs: NINE_US + (startS + atS) * 1_000_000 });

/** Exports seconds of the test's own time. */
const save = (name: string, fromS: number, toS: number, more = ""): Promise<string> =>
  recorder.save(name, recorder.path(startS + fromS, startS + toS, more));

async function elementary(name: string, units: readonly RecordedUnit[]): Promise<string> {
  const file = directory.join(name);
  await writeFile(file, Buffer.concat(units.map(({ bytes }) => bytes)));
  return file;
}

describe("an exported file", () => {
  it.each([
    ["h264", 0],
    ["h264", 2],
    ["h265", 2],
    ["mpeg4", 0],
    ["mjpeg", 0],
  ] as const)("holds the pictures that the camera sent: %s with %i B-frames", async (codec, bFrames) => {
    const units = await clip(codec, 4, bFrames);
    await record(units);
    const file = await save("whole.mp4", -1, 60);
    const sent = await elementary(`${codec}-${bFrames}.raw`, units);
    expect(await decodedFrames(["-i", file])).toEqual(await decodedFrames(["-f", RAW[codec], "-i", sent]));
    const probed = await probeMovie(file);
    expect(probed.complaints).toBe("");
    expect(probed.streams).toMatchObject([{ width: WIDTH, height: HEIGHT }]);
    expect(Number(probed.format.duration)).toBeCloseTo(4, 1);
    const packets = await packetsOf(file, "v:0");
    expect(packets.map(({ key }) => key)).toEqual(units.map(({ key }) => key));
    expect(packets.map(({ dtsS }) => Math.round(dtsS * 1000))).toEqual(
      units.map(({ decodeTimeUs }) => Math.round(decodeTimeUs / 1000)),
    );
  });

  it.each(["aac", "pcm_mulaw", "pcm_alaw", "pcm_s16be", "opus"] as const)(
    "holds the sound beside the pictures: %s",
    async (name) => {
      const video = await clip("h264", 4);
      await record([...video, ...(await toneUnits(name, 4))]);
      const silent = await probeMovie(await save("silent.mp4", 0, 60));
      expect(silent.streams.map(({ codec_type }) => codec_type)).toEqual(["video"]);
      const said = await recorder.api.get(recorder.path(startS, startS + 60, "&sound=on"));
      expect(said.headers.get("x-export-codecs")).toBe(`H.264, ${SOUND_NAMES[name]}`);
      const file = await save("sound.mp4", 0, 60, "&sound=on");
      const probed = await probeMovie(file);
      expect(probed.complaints).toBe("");
      expect(probed.streams.map(({ codec_name }) => codec_name)).toEqual(["h264", name]);
      const audio = await packetsOf(file, "a:0");
      expect(audio[0]?.ptsS).toBeCloseTo(0, 2);
      expect(audio.at(-1)?.ptsS).toBeCloseTo(4, 0);
      const pcm = await ffmpegFilter(
        ["-v", "error", "-i", file, "-vn", "-ac", "1", "-ar", "16000", "-f", "s16le", "-"],
        Buffer.alloc(0),
      );
      expect(hear(pcm.subarray(32_000), 16_000).frequency).toBe(1000);
    },
  );

  it("holds pictures and sound of a group of pictures that is longer than the memory of an export", async () => {
    const filler = Buffer.concat([Buffer.from([0, 0, 0, 1, 12]), Buffer.alloc(60_000, 0xff)]);
    const plain = await videoUnits("h264", { seconds: 6, gopFrames: 150 });
    const units = plain.map((unit) => ({ ...unit, bytes: Buffer.concat([unit.bytes, filler]) }));
    const sound = await toneUnits("aac", 6);
    await record([...units, ...sound]);
    const file = await save("long.mp4", 0, 60, "&sound=on");
    expect((await probeMovie(file)).complaints).toBe("");
    const packets = await packetsOf(file, "v:0");
    expect(packets.map(({ dtsS }) => Math.round(dtsS * 1000))).toEqual(units.map((_, at) => at * 40));
    expect(packets.map(({ durationS }) => Math.round(durationS * 1000))).toEqual(units.map(() => 40));
    const sent = await elementary("long.h264", plain);
    expect(await decodedFrames(["-i", file])).toEqual(await decodedFrames(["-f", "h264", "-i", sent]));
    const audio = await packetsOf(file, "a:0");
    expect(audio.length).toBeGreaterThanOrEqual(sound.length - 1);
    expect(audio.map(({ ptsS }) => Math.round(ptsS * 1000))).toEqual(audio.map((_, at) => at * 64));
  });

  it("begins with the key frame at or before fromtime and ends before totime", async () => {
    await record(await clip("h264", 9));
    const packets = await packetsOf(await save("part.mp4", 2.5, 5.5), "v:0");
    // Key frames stand at each second: from 2 s to 5.48 s.
    expect(packets.length).toBe(88);
    expect(packets[0]).toMatchObject({ key: true, dtsS: 0 });
  });

  it("keeps gaps as time", async () => {
    const two = await clip("h264", 2);
    await record(two);
    await record(two, 10);
    const file = await save("gap.mp4", 0, 60);
    const probed = await probeMovie(file);
    expect(probed.complaints).toBe("");
    expect(Number(probed.format.duration)).toBeCloseTo(12, 1);
    const times = (await packetsOf(file, "v:0")).map(({ dtsS }) => dtsS);
    expect([times[49], times[50]]).toEqual([1.96, 10]);
  });

  it("goes on where the clock was set back", async () => {
    const two = await clip("h264", 2);
    await record(two, 30);
    await record(two);
    const times = (await packetsOf(await save("back.mp4", 0, 60), "v:0")).map(({ dtsS }) => dtsS);
    expect(times.length).toBe(100);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(times[50]).toBe(2);
  });

  it("holds pictures of both sizes where the camera's format changed", async () => {
    const small = await clip("h264", 2);
    const large = await clip("h264", 2, 0, 640);
    const later = large.map((unit) => ({ ...unit, decodeTimeUs: unit.decodeTimeUs + 2_000_000 }));
    await record([...small, ...later]);
    const file = await save("sizes.mp4", 0, 60);
    expect((await probeMovie(file)).complaints).toBe("");
    const sent = await elementary("sizes.h264", [...small, ...later]);
    const scaled = ["-s", "160x90"];
    expect((await decodedFrames(["-i", file, ...scaled])).length).toBe(100);
    expect(await decodedFrames(["-i", file, ...scaled])).toEqual(
      await decodedFrames(["-f", "h264", "-i", sent, ...scaled]),
    );
  });

  it("has a track for each codec where the camera's codec changed", async () => {
    await record(await clip("h264", 2));
    await record(await clip("h265", 2), 5);
    const file = await save("codecs.mp4", 0, 60);
    const probed = await probeMovie(file);
    expect(probed.complaints).toBe("");
    expect(probed.streams.map(({ codec_name }) => codec_name)).toEqual(["h264", "hevc"]);
    expect((await packetsOf(file, "v:0")).length).toBe(50);
    expect((await packetsOf(file, "v:1"))[0]?.dtsS).toBe(5);
  });

  it("says which channel it is of, and when", async () => {
    await record(await clip("h264", 2));
    const probed = await probeMovie(await save("tags.mp4", 0, 60));
    const startText = new Date(NINE_US / 1000 + startS * 1000).toISOString();
    expect(probed.format.tags).toMatchObject({
      title: "Gate",
      date: startText,
      creation_time: startText.replace("000Z", "000000Z"),
    });
  });
});
