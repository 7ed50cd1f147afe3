import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StreamKey } from "../../../src/base/index.js";
import { gridOf } from "../../../src/owner/file/grid-making.js";
import { fitted, stampedTime } from "../../../src/owner/file/time-stamp.js";
import { TextPictures } from "../../../src/picture/index.js";
import { GATE_ID, guardsGroup, rights, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import {
  ExportedArchive,
  GATE_MAIN,
  HEIGHT,
  type RecordedUnit,
  timeText,
  toneUnits,
  videoUnits,
  WIDTH,
} from "../../support/api/exported-archive.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { noBrowser, sharedChromium } from "../../support/media/chromium.js";
import { packetsOf, probeMovie } from "../../support/media/movie-probe.js";

const run = promisify(execFile);
const YARD_MAIN: StreamKey = { channelId: YARD_ID, streamType: "Main" };
const directory = new TemporaryDirectory("edited-files");
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

const record = (units: readonly RecordedUnit[], { atS = 0, key = GATE_MAIN } = {}): Promise<void> =>
  recorder.record(units, { fromUs: NINE_US + (startS + atS) * 1_000_000, key });

async function made(toS: number, more: object) {
  const task = await recorder.saveOnRecorder(startS, startS + toS, more);
  expect(task).toMatchObject({ State: "Done", Error: null, Progress: 1 });
  const file = await recorder.save("edited.mp4", `/api/files/${task.Result?.Id}`);
  const probed = await probeMovie(file);
  expect(probed.complaints).toBe("");
  return { task, file, probed };
}

interface GrayImage {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The picture that a file shows at a time, its brightness alone. */
async function shownAt(file: string, atS: number, { width, height }: { width: number; height: number }) {
  const args = ["-v", "error", "-ss", `${atS}`, "-i", file, "-frames:v", "1", "-pix_fmt", "gray"];
  const { stdout } = await run("ffmpeg", [...args, "-f", "rawvideo", "-"], { encoding: "buffer" });
  expect(stdout).toHaveLength(width * height);
  return { data: stdout, width, height } satisfies GrayImage;
}

/** How much brighter a picture is where a text has letters than where it has none, with the text's box at a place. */
async function contrast(image: GrayImage, text: string, size: number, { left = 0, top = 0 } = {}) {
  const drawn = await new TextPictures().draw(text, size);
  const margin = Math.ceil(size / 4);
  const [on, off] = [
    { sum: 0, count: 0 },
    { sum: 0, count: 0 },
  ];
  for (let y = 0; y < drawn.height; y += 1)
    for (let x = 0; x < drawn.width; x += 1) {
      const covered = drawn.data[y * drawn.width + x] ?? 0;
      const part = covered > 200 ? on : covered < 20 ? off : undefined;
      if (part === undefined) continue;
      part.sum += image.data[(top + margin + y) * image.width + left + margin + x] ?? 0;
      part.count += 1;
    }
  return on.sum / on.count - off.sum / off.count;
}

/** Mean brightness of a part. */
function brightness({ data, width }: GrayImage, [left, top, right, bottom]: readonly number[]): number {
  let [sum, count] = [0, 0];
  for (let y = top ?? 0; y < (bottom ?? 0); y += 1)
    for (let x = left ?? 0; x < (right ?? 0); x += 1) {
      sum += data[y * width + x] ?? 0;
      count += 1;
    }
  return sum / count;
}

const moment = (s: number): string => stampedTime(NINE_US + (startS + s) * 1_000_000);

describe("a file with the time in its pictures", () => {
  it("has the camera's name and the time of each picture, second by second, and its sound", async () => {
    await record([
      ...(await videoUnits("h264", { seconds: 4, width: 640, height: 360 })),
      ...(await toneUnits("aac", 4)),
    ]);
    const { file, probed } = await made(60, { ShowTime: true });
    expect(probed.streams).toMatchObject([
      { codec_name: "h264", width: 640, height: 360 },
      { codec_name: "aac" },
    ]);
    for (const second of [0, 1, 3]) {
      const image = await shownAt(file, second + 0.5, { width: 640, height: 360 });
      const { text, size } = fitted("Gate", moment(second), image);
      const right = await contrast(image, text, size);
      expect(right).toBeGreaterThan(120);
      const other = fitted("Gate", moment(second + 1), image);
      expect(right - (await contrast(image, other.text, other.size))).toBeGreaterThan(1);
    }
  });

  it("has it in the recorder's own zone, as that was then", () => {
    const before = process.env.TZ;
    try {
      process.env.TZ = "Europe/Berlin";
      expect(stampedTime(Date.UTC(2026, 6, 1, 10) * 1000)).toBe("2026-07-01 12:00:00 UTC+02:00");
      expect(stampedTime(Date.UTC(2026, 11, 1, 10) * 1000)).toBe("2026-12-01 11:00:00 UTC+01:00");
      process.env.TZ = "America/St_Johns";
      expect(stampedTime(Date.UTC(2026, 11, 1, 10) * 1000)).toBe("2026-12-01 06:30:00 UTC-03:30");
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });

  it("has names in Cyrillic letters and signs of markup as they are", async () => {
    const texts = new TextPictures();
    const widthOf = async (text: string) => (await texts.draw(text, 30)).width;
    expect(Math.abs((await widthOf("Двор <1> & 2")) - (await widthOf("Yard (1) + 2")))).toBeLessThan(8);
    const [yard, gate] = [await texts.draw("Двор", 30), await texts.draw("□□□□", 30)];
    expect(Buffer.from(yard.data).equals(Buffer.from(gate.data))).toBe(false);
  });
});

describe("a file of several cameras in one picture", () => {
  const SIZE = { width: 1920, height: 540 };

  it("shows them in step, and the name of one that has nothing then", async () => {
    await record(await videoUnits("h265", { seconds: 2, width: 640, height: 360 }));
    await record(await videoUnits("h264", { seconds: 1, width: 640, height: 360 }), {
      atS: 1,
      key: YARD_MAIN,
    });
    const { task, file, probed } = await made(60, { WithChannelIds: [YARD_ID], Sound: true });
    expect(probed.streams).toMatchObject([{ codec_name: "h264", ...SIZE }]);
    expect(Number(probed.format.duration)).toBeCloseTo(2, 1);
    expect(task.Result?.Name).toMatch(/^Gate, Двор .* 2026-11-21/);
    const [early, late] = [await shownAt(file, 0.5, SIZE), await shownAt(file, 1.5, SIZE)];
    // Pictures are not enlarged: 640x360 is in the middle of 960x540.
    const corner = [1130, 100, 1260, 190];
    expect(brightness(early, corner)).toBeLessThan(20);
    expect(brightness(late, corner)).toBeGreaterThan(40);
    expect(brightness(early, [170, 100, 300, 190])).toBeGreaterThan(40);
    // Its name stands in the middle of its place.
    expect(brightness(early, [1400, 255, 1480, 285])).toBeGreaterThan(30);
  });

  it("is listed with its channels, and seen by those alone who may export all of them", async () => {
    await record(await videoUnits("h264", { seconds: 2 }));
    await record(await videoUnits("h264", { seconds: 2 }), { key: YARD_MAIN });
    const channels = async (archiveChannels: readonly string[]) =>
      recorder.api.site.change((site) => ({
        ...site,
        groups: site.groups.map((group) =>
          group.seniorAdministrators
            ? group
            : guardsGroup({
                rights: rights({ CanUseArchiveExport: true, CanReceiveMainStream: true }),
                archiveChannels: [...archiveChannels],
              }),
        ),
      }));
    await channels([GATE_ID, YARD_ID]);
    const [FromTime, ToTime] = [timeText(startS), timeText(startS + 60)].map((text) =>
      text.replace("+", " "),
    );
    const order = { Kind: "SaveFile", ChannelId: GATE_ID, WithChannelIds: [YARD_ID], FromTime, ToTime };
    const { Result } = await recorder.endOfTask((await recorder.startTask(order, "login=guard")).Id);
    const seen = async () =>
      (await (await fetch(recorder.api.url("/api/files?login=guard"))).json()) as { Files: object[] };
    expect(await seen()).toMatchObject({
      Files: [{ Id: Result?.Id, ChannelId: GATE_ID, WithChannelIds: [YARD_ID], Speed: 1, Sound: false }],
    });
    await channels([GATE_ID]);
    expect(await seen()).toMatchObject({ Files: [] });
    expect((await fetch(recorder.api.url(`/api/files/${Result?.Id}?login=guard`))).status).toBe(404);
  });

  it("is refused where a channel is named twice, may not be exported, or the pictures are to stay", async () => {
    const [FromTime, ToTime] = [timeText(startS), timeText(startS + 60)].map((text) =>
      text.replace("+", " "),
    );
    const order = { Kind: "SaveFile", ChannelId: GATE_ID, FromTime, ToTime };
    const answer = async (more: object, login = ROOT_QUERY) => {
      const body = JSON.stringify({ ...order, ...more });
      return (await fetch(recorder.api.url(`/api/tasks?${login}`), { method: "POST", body })).status;
    };
    expect(await answer({ WithChannelIds: [GATE_ID] })).toBe(400);
    expect(await answer({ WithChannelIds: [YARD_ID], Pictures: "AsRecorded" })).toBe(400);
    expect(await answer({ Speed: 2, Pictures: "AsRecorded" })).toBe(400);
    expect(await answer({ Speed: 0 })).toBe(400);
    expect(await answer({ Speed: 3601 })).toBe(400);
    expect(await answer({ WithChannelIds: [STORE_ID] }, "login=guard")).toBeGreaterThanOrEqual(403);
  });

  it("has places of 16:9 that fill the width, whatever their number", () => {
    expect(gridOf(2)).toEqual({ columns: 2, rows: 1, cell: { width: 960, height: 540 } });
    expect(gridOf(4)).toEqual({ columns: 2, rows: 2, cell: { width: 960, height: 540 } });
    expect(gridOf(5)).toEqual({ columns: 3, rows: 2, cell: { width: 640, height: 360 } });
    expect(gridOf(16)).toEqual({ columns: 4, rows: 4, cell: { width: 480, height: 270 } });
  });
});

describe("a time lapse", () => {
  it("is of key frames alone where these are enough, and takes no time for what was not recorded", async () => {
    const units = await videoUnits("h264", { seconds: 20 });
    await record([...units, ...(await toneUnits("aac", 20))]);
    await record(units, { atS: 100 });
    const { task, file, probed } = await made(200, { Speed: 20, Sound: true });
    expect(probed.streams).toMatchObject([{ codec_name: "h264", width: WIDTH, height: HEIGHT }]);
    expect(Number(probed.format.duration)).toBeCloseTo(2, 1);
    const times = (await packetsOf(file, "v:0")).map(({ ptsS }) => ptsS);
    // A key frame a second, twenty times as fast.
    expect(times.map((s) => Math.round(s * 20))).toEqual(Array.from({ length: 40 }, (_, at) => at));
    expect(task.Result?.Name).toMatch(/ x20$/);
    expect(task.Result?.Bytes).toBe((await readFile(file)).length);
  });

  it("has 25 pictures a second of all pictures where key frames are too rare, with their times", async () => {
    await record(
      await videoUnits("h265", { seconds: 12, gopFrames: 100, width: 640, height: 360, bFrames: 2 }),
    );
    const { file } = await made(60, { Speed: 4, ShowTime: true });
    const times = (await packetsOf(file, "v:0")).map(({ ptsS }) => ptsS);
    expect(times).toHaveLength(75);
    expect(times.at(-1)).toBeCloseTo(3, 1);
    const image = await shownAt(file, 2, { width: 640, height: 360 });
    const { text, size } = fitted("Gate", moment(8), image);
    expect(await contrast(image, text, size)).toBeGreaterThan(120);
  });

  it("of several cameras goes through the same times in each", async () => {
    const units = await videoUnits("h264", { seconds: 20 });
    await record(units);
    await record(units, { key: YARD_MAIN });
    const { probed, file } = await made(60, { Speed: 20, WithChannelIds: [YARD_ID] });
    expect(Number(probed.format.duration)).toBeCloseTo(1, 1);
    const size = { width: 1920, height: 540 };
    for (const atS of [0.2, 0.5, 0.8]) {
      const { data, width } = await shownAt(file, atS, size);
      let apart = 0;
      for (let y = 180; y < 360; y += 1)
        for (let x = 320; x < 640; x += 1)
          apart += Math.abs((data[y * width + x] ?? 0) - (data[y * width + x + 960] ?? 0));
      expect(apart / (180 * 320)).toBeLessThan(4);
    }
  });

  it.skipIf(noBrowser !== undefined)(`is played by Chromium to its end${notHere(noBrowser)}`, async () => {
    await record(await videoUnits("h265", { seconds: 20 }));
    const { task } = await made(60, { Speed: 10, ShowTime: true, WithChannelIds: [YARD_ID] });
    const url = recorder.api.url(`/api/files/${task.Result?.Id}?${ROOT_QUERY}`);
    const page = await (await sharedChromium()).newPage();
    try {
      await page.setContent(`<video id="v" muted src="${url.replaceAll("&", "&amp;")}"></video>`);
      await page.waitForFunction("document.querySelector('#v').readyState >= 2", null, { timeout: 45_000 });
      expect(await page.evaluate("document.querySelector('#v').duration")).toBeCloseTo(2, 0);
      await page.evaluate("document.querySelector('#v').play()");
      await page.waitForFunction("document.querySelector('#v').ended", null, { timeout: 45_000 });
      expect(await page.evaluate("document.querySelector('#v').videoWidth")).toBe(1920);
    } finally {
      await page.close();
    }
  });
});
