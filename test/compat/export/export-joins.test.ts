import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type StreamKey, SystemClock } from "../../../src/base/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import {
  ExportedArchive,
  type RecordedUnit,
  timeText,
  videoUnits,
} from "../../support/api/exported-archive.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { decodedFrames, gstreamerPictures, packetsOf, probeMovie } from "../../support/media/movie-probe.js";

/** Exports over a change of the archived stream, as players decode them. */

const MAIN: StreamKey = { channelId: GATE_ID, streamType: "Main" };
const ALTERNATIVE: StreamKey = { channelId: GATE_ID, streamType: "Alternative" };
const PART_SECONDS = 4;
const PART_PICTURES = PART_SECONDS * 25;
const HOUR = 3600;

/** The hour of the recordings has just passed. */
class OwnClock extends SystemClock {
  override nowUs(): number {
    return NINE_US + HOUR * 1_000_000;
  }
}

const directory = new TemporaryDirectory("export-joins");
let recorder: ExportedArchive;

/** Where each camera's recordings begin, seconds after nine o'clock. */
const SIZES_S = 0;
const CODECS_S = 100;

beforeAll(async () => {
  recorder = await ExportedArchive.start(directory, 3, { clock: new OwnClock() });
});
beforeEach(() => (recording ??= record()));

let recording: Promise<void> | undefined;

/** Once, within the first test: clips are encoded within one. */
async function record(): Promise<void> {
  const main = await videoUnits("h264", { seconds: PART_SECONDS });
  const small = await videoUnits("h264", { seconds: PART_SECONDS, width: 160, height: 120 });
  const mjpeg = await videoUnits("mjpeg", { seconds: PART_SECONDS });
  await recordParts(SIZES_S, [main, small, main]);
  await recordParts(CODECS_S, [main, mjpeg, main]);
}

afterAll(async () => {
  await recorder?.stop();
  directory.remove();
});

/** One after another, the second one of the other stream. */
async function recordParts(fromS: number, parts: readonly (readonly RecordedUnit[])[]): Promise<void> {
  for (const [at, units] of parts.entries()) {
    const fromUs = NINE_US + (fromS + at * PART_SECONDS) * 1_000_000;
    await recorder.record(units, { key: at === 1 ? ALTERNATIVE : MAIN, fromUs });
  }
}

const allOf = (fromS: number, more = ""): string => recorder.path(fromS, fromS + 3 * PART_SECONDS, more);

describe("an export over a change of the archived stream", () => {
  it("is one track in one file where only the size changes, which ffmpeg and GStreamer decode whole", async () => {
    const file = await recorder.save("sizes.mp4", allOf(SIZES_S));
    const { complaints, format, streams } = await probeMovie(file);
    expect([complaints, streams.length, format.duration]).toEqual(["", 1, "12.000000"]);
    expect(await decodedFrames(["-i", file])).toHaveLength(3 * PART_PICTURES);
    expect(await gstreamerPictures(file)).toEqual({ seconds: 12, pictures: [3 * PART_PICTURES] });
    const times = (await packetsOf(file, "v:0")).map(({ ptsS }) => ptsS);
    expect(times.slice(1).every((time, at) => Math.abs(time - (times[at] ?? 0) - 0.04) < 0.002)).toBe(true);
  });

  it("names the streams that are in it, and begins and ends where each has the pictures", async () => {
    const answer = await recorder.api.get(allOf(SIZES_S, "&digest=true"));
    const digest = (await answer.json()) as Record<string, unknown>;
    expect(digest).toMatchObject({ StreamType: "Main, Alternative", DurationSeconds: 12, PartsCount: 1 });
    expect((digest.Stretches as { MovieSeconds: number }[]).map((one) => one.MovieSeconds)).toEqual([
      0, 4, 8,
    ]);
  });

  it("has a track for each codec where the codec changes, each picture at its time", async () => {
    const file = await recorder.save("codecs.mp4", allOf(CODECS_S));
    const { format, streams } = await probeMovie(file);
    expect([streams.map((stream) => stream.codec_name), format.duration]).toEqual([
      ["h264", "mjpeg"],
      "12.000000",
    ]);
    expect(await decodedFrames(["-i", file], "0:v:0")).toHaveLength(2 * PART_PICTURES);
    expect(await decodedFrames(["-i", file], "0:v:1")).toHaveLength(PART_PICTURES);
    expect((await packetsOf(file, "v:1"))[0]?.ptsS).toBeCloseTo(4, 2);
    expect(await gstreamerPictures(file)).toEqual({
      seconds: 12,
      pictures: [2 * PART_PICTURES, PART_PICTURES],
    });
  });

  it("says how many parts of one codec there are", async () => {
    const { headers } = await recorder.api.get(allOf(CODECS_S));
    expect(headers.get("x-export-parts")).toBe("3");
    expect((await recorder.api.get(allOf(SIZES_S))).headers.get("x-export-parts")).toBe("1");
  });

  it.each([
    [1, "h264"],
    [2, "mjpeg"],
    [3, "h264"],
  ])("gives part %d as a file of its own, which ffmpeg and GStreamer decode whole", async (part, codec) => {
    const file = await recorder.save(`part-${part}.mp4`, allOf(CODECS_S, `&part=${part}`));
    const { complaints, format, streams } = await probeMovie(file);
    expect([complaints, streams.map((stream) => stream.codec_name)]).toEqual(["", [codec]]);
    expect(Number(format.duration)).toBeCloseTo(PART_SECONDS, 2);
    expect(await decodedFrames(["-i", file])).toHaveLength(PART_PICTURES);
    expect(await gstreamerPictures(file)).toEqual({ seconds: PART_SECONDS, pictures: [PART_PICTURES] });
  });

  it.each(["4", "0", "x"])("refuses part %s, and says what there is", async (part) => {
    const answer = await recorder.api.get(allOf(CODECS_S, `&part=${part}`));
    expect([answer.status, await answer.text()]).toEqual(
      part === "4"
        ? [404, expect.stringContaining("the time has 3")]
        : [400, expect.stringContaining("use a whole number from 1 to 9999")],
    );
  });

  it("holds one stream alone where it is named", async () => {
    const file = await recorder.save("named.mp4", allOf(SIZES_S, "&streamtype=Alternative"));
    expect(await decodedFrames(["-i", file])).toHaveLength(PART_PICTURES);
  });
});

describe("an end in the far future", () => {
  const path = (fromS: number, to: string): string =>
    `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(fromS)}&totime=${to}`;

  it("means now", async () => {
    const file = await recorder.api.get(path(CODECS_S, "01.01.2222+23:59:59"));
    const whole = await recorder.api.get(recorder.path(CODECS_S, HOUR));
    const [one, other] = await Promise.all([file.arrayBuffer(), whole.arrayBuffer()]);
    expect(file.status).toBe(200);
    expect(one.byteLength).toBe(other.byteLength);
  });

  it("goes on where a download broke off", async () => {
    const asked = path(SIZES_S, "01.01.2222+23:59:59");
    const { headers } = await recorder.api.get(asked);
    const part = await recorder.api.get(asked, { Range: "bytes=1000-1999" });
    expect([part.status, part.headers.get("etag")]).toEqual([206, headers.get("etag")]);
    await part.arrayBuffer();
  });

  it("leaves the 24 hours, which count up to now", async () => {
    const answer = await recorder.api.get(path(HOUR - 24 * HOUR - 1, "01.01.2222+23:59:59"));
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("24 hours")]);
    expect((await recorder.api.get(path(HOUR - 24 * HOUR, "01.01.2222+23:59:59"))).status).toBe(200);
  });

  it("has nothing where the beginning lies in the future too", async () => {
    const answer = await recorder.api.get(path(2 * HOUR, "01.01.2222+23:59:59"));
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("future")]);
  });
});
