import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GATE_ID, guardsGroup, rights } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import {
  ExportedArchive,
  HEIGHT,
  type RecordedUnit,
  type SoundName,
  timeText,
  toneUnits,
  videoUnits,
  WIDTH,
} from "../../support/api/exported-archive.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { noBrowser, sharedChromium } from "../../support/media/chromium.js";
import { decodedFrames, packetsOf, probeMovie } from "../../support/media/movie-probe.js";
import { ffmpegFilter, hear } from "../../support/media/tone.js";

const directory = new TemporaryDirectory("files");
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

const record = (units: readonly RecordedUnit[], atS = 0): Promise<void> =>
  recorder.record(units, { fromUs: NINE_US + (startS + atS) * 1_000_000 });

/** Has the test's own time saved on the recorder, and fetches it. */
async function saved(toS: number, more: object = {}): Promise<string> {
  const task = await recorder.saveOnRecorder(startS, startS + toS, more);
  expect(task).toMatchObject({ State: "Done", Error: null, Progress: 1 });
  return recorder.save("saved.mp4", `/api/files/${task.Result?.Id}`);
}

const codecsOf = async (file: string) =>
  (await probeMovie(file)).streams.map(({ codec_name, profile }) => `${codec_name} ${profile}`);

/** Boxes of the first level, in order. */
async function boxesOf(file: string): Promise<string[]> {
  const bytes = await readFile(file);
  const boxes: string[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    boxes.push(bytes.toString("latin1", at + 4, at + 8));
  return boxes;
}

const toneIn = async (file: string) =>
  hear(
    (
      await ffmpegFilter(
        ["-v", "error", "-i", file, "-vn", "-ac", "1", "-ar", "16000", "-f", "s16le", "-"],
        Buffer.alloc(0),
      )
    ).subarray(32_000),
    16_000,
  );

describe("a file that plays everywhere", () => {
  it.each([
    ["h265", "pcm_alaw", 0],
    ["h265", "opus", 2],
    ["mjpeg", "pcm_mulaw", 0],
    ["mpeg4", "pcm_s16be", 0],
    ["h264", "pcm_mulaw", 2],
  ] as const)("has H.264 and AAC of %s with %s, %i B-frames", async (codec, sound: SoundName, bFrames) => {
    const units = await videoUnits(codec, { seconds: 4, bFrames });
    await record([...units, ...(await toneUnits(sound, 4))]);
    const file = await saved(60);
    const probed = await probeMovie(file);
    expect(probed.complaints).toBe("");
    expect(probed.streams).toMatchObject([
      { codec_name: "h264", width: WIDTH, height: HEIGHT },
      { codec_name: "aac", profile: "LC" },
    ]);
    expect(Number(probed.format.duration)).toBeCloseTo(4, 0);
    expect(await decodedFrames(["-i", file])).toHaveLength(units.length);
    expect((await toneIn(file)).frequency).toBe(1000);
    const sounds = await packetsOf(file, "a:0");
    expect(sounds[0]?.ptsS).toBeLessThan(0.15);
    expect(sounds.at(-1)?.ptsS).toBeCloseTo(4, 0);
    expect(await boxesOf(file)).toEqual(["ftyp", "moov", "mdat"]);
  });

  it("shows each picture when it was", async () => {
    const units = await videoUnits("h265", { seconds: 4, bFrames: 2 });
    await record(units);
    const packets = await packetsOf(await saved(60), "v:0");
    expect(packets.map(({ ptsS }) => Math.round(ptsS * 25))).toEqual(units.map((_, at) => at));
  });

  it("has H.264 and AAC as they were recorded, and nothing is converted", async () => {
    const units = await videoUnits("h264", { seconds: 4, bFrames: 2 });
    await record([...units, ...(await toneUnits("aac", 4))]);
    const recorded = await recorder.save("recorded.mp4", recorder.path(startS, startS + 60, "&sound=on"));
    const file = await saved(60);
    for (const map of ["0:v:0", "0:a:0"])
      expect(await decodedFrames(["-i", file], map)).toEqual(await decodedFrames(["-i", recorded], map));
    expect((await packetsOf(file, "v:0")).map(({ ptsS }) => ptsS)).toEqual(
      (await packetsOf(recorded, "v:0")).map(({ ptsS }) => ptsS),
    );
  });

  it("takes no time for what was not recorded", async () => {
    const units = [...(await videoUnits("h265", { seconds: 2 })), ...(await toneUnits("pcm_alaw", 2))];
    await record(units);
    await record(units, 30);
    const file = await saved(60);
    expect(Number((await probeMovie(file)).format.duration)).toBeCloseTo(4, 0);
    const times = (await packetsOf(file, "v:0")).map(({ ptsS }) => Math.round(ptsS * 25));
    expect(times).toEqual(Array.from({ length: 100 }, (_, at) => at));
  });

  it("shows pictures of two codecs and sizes one after the other", async () => {
    await record(await videoUnits("h265", { seconds: 2 }));
    await record(await videoUnits("mjpeg", { seconds: 2, width: 160, height: 90 }), 2);
    const file = await saved(60);
    expect(await codecsOf(file)).toHaveLength(1);
    expect(await decodedFrames(["-i", file])).toHaveLength(100);
  });

  it("keeps pictures as recorded where that is asked, and makes AAC of G.711", async () => {
    const units = await videoUnits("h265", { seconds: 4 });
    await record([...units, ...(await toneUnits("pcm_alaw", 4))]);
    const file = await saved(60, { Pictures: "AsRecorded" });
    expect((await probeMovie(file)).streams).toMatchObject([
      { codec_name: "hevc", codec_tag_string: "hvc1" },
      { codec_name: "aac" },
    ]);
    const recorded = await recorder.save("recorded.mp4", recorder.path(startS, startS + 60));
    expect(await decodedFrames(["-i", file])).toEqual(await decodedFrames(["-i", recorded]));
  });
});

describe("a file on the recorder is played", () => {
  it.skipIf(noBrowser !== undefined)(
    `by Chromium, pictures and sound, to where one seeks${notHere(noBrowser)}`,
    async () => {
      await record([...(await videoUnits("h265", { seconds: 8 })), ...(await toneUnits("pcm_alaw", 8))]);
      const task = await recorder.saveOnRecorder(startS, startS + 60);
      const url = recorder.api.url(`/api/files/${task.Result?.Id}?${ROOT_QUERY}`);
      const page = await (await sharedChromium()).newPage();
      try {
        await page.setContent(`<video id="v" src="${url.replaceAll("&", "&amp;")}"></video>`);
        await page.waitForFunction("document.querySelector('#v').readyState >= 2", null, { timeout: 45_000 });
        expect(await page.evaluate("document.querySelector('#v').duration")).toBeCloseTo(8, 0);
        await page.evaluate("document.querySelector('#v').currentTime = 5");
        await page.waitForFunction("!document.querySelector('#v').seeking", null, { timeout: 45_000 });
        await page.evaluate("document.querySelector('#v').play()");
        await page.waitForFunction(
          "(() => { const v = document.querySelector('#v'); return v.currentTime > 6 && v.webkitAudioDecodedByteCount > 0 && v.getVideoPlaybackQuality().totalVideoFrames > 0; })()",
          null,
          { timeout: 45_000 },
        );
      } finally {
        await page.close();
      }
    },
  );
});

describe("files on the recorder", () => {
  const list = async () =>
    (await (await recorder.api.get("/api/files")).json()) as {
      readonly Files: readonly { readonly Id: string; readonly Name: string; readonly Bytes: number }[];
      readonly Lack: string;
    };
  const order = () => {
    const [FromTime, ToTime] = [timeText(startS), timeText(startS + 60)].map((text) =>
      text.replace("+", " "),
    );
    return { Kind: "SaveFile", ChannelId: GATE_ID, FromTime, ToTime };
  };
  const kept = () => readdirSync(`${recorder.api.dataDir}/files`).filter((name) => name !== "list.json");

  it("are listed with their name until they are deleted, and then nothing of them is left", async () => {
    await record(await videoUnits("h264", { seconds: 2 }));
    const before = kept().length;
    const { Result } = await recorder.saveOnRecorder(startS, startS + 60);
    const listed = await list();
    expect(listed.Lack).toBe("None");
    expect(listed.Files[0]).toMatchObject({ Id: Result?.Id, Name: Result?.Name, Bytes: Result?.Bytes });
    expect(Result?.Name).toMatch(/^Gate 2026-11-21 \d\d-\d\d-\d\d to \d\d-\d\d-\d\d$/);
    expect(kept()).toHaveLength(before + 2);
    const path = `/api/files/${Result?.Id}`;
    await fetch(recorder.api.url(`${path}?${ROOT_QUERY}`), { method: "DELETE" });
    expect((await recorder.api.get(path)).status).toBe(404);
    expect(kept()).toHaveLength(before);
  });

  it("are sent in ranges, which together are the file", async () => {
    await record(await videoUnits("h264", { seconds: 2 }));
    const { Result } = await recorder.saveOnRecorder(startS, startS + 60);
    const path = `/api/files/${Result?.Id}`;
    const whole = Buffer.from(await (await recorder.api.get(path)).arrayBuffer());
    expect(whole).toHaveLength(Result?.Bytes ?? -1);
    const pieces: Buffer[] = [];
    for (const [from, to] of [
      [0, 99],
      [100, 2999],
      [3000, whole.length - 1],
    ]) {
      const part = await recorder.api.get(path, { range: `bytes=${from}-${to}` });
      expect(part.status).toBe(206);
      pieces.push(Buffer.from(await part.arrayBuffer()));
    }
    expect(Buffer.concat(pieces)).toEqual(whole);
  });

  it("wait in line, and leave nothing where they are cancelled", async () => {
    await record(await videoUnits("h265", { seconds: 20, width: 640, height: 360 }));
    const before = kept();
    const [FromTime, ToTime] = [timeText(startS), timeText(startS + 60)].map((text) =>
      text.replace("+", " "),
    );
    const order = { Kind: "SaveFile", ChannelId: GATE_ID, FromTime, ToTime };
    const [first, second] = [await recorder.startTask(order), await recorder.startTask(order)];
    await expect.poll(async () => (await recorder.task(first.Id)).Result).not.toBeNull();
    expect(await recorder.task(first.Id)).toMatchObject({ State: "Running", Result: { Id: null } });
    expect((await recorder.task(second.Id)).State).toBe("Waiting");
    for (const { Id } of [second, first])
      await fetch(recorder.api.url(`/api/tasks/${Id}?${ROOT_QUERY}`), { method: "DELETE" });
    expect((await recorder.task(first.Id)).State).toBe("Cancelled");
    await expect.poll(kept).toEqual(before);
  });

  it("end when who wanted them may not export the channel any more", async () => {
    await record(await videoUnits("h265", { seconds: 20, width: 640, height: 360 }));
    const before = kept();
    const change = (may: boolean) =>
      recorder.api.site.change((site) => ({
        ...site,
        groups: site.groups.map((group) =>
          group.seniorAdministrators
            ? group
            : guardsGroup({
                rights: rights({ CanUseArchiveExport: may, CanReceiveMainStream: true }),
                archiveChannels: [GATE_ID],
              }),
        ),
      }));
    await change(true);
    const { Id } = await recorder.startTask(order(), "login=guard");
    await expect.poll(async () => (await recorder.task(Id)).State).toBe("Running");
    await change(false);
    const ended = await recorder.endOfTask(Id);
    expect(ended).toMatchObject({
      State: "Failed",
      Error: expect.stringContaining("may not have it any more"),
    });
    expect(kept()).toEqual(before);
  });

  it("are not seen by users who did not have them made", async () => {
    await record(await videoUnits("h264", { seconds: 2 }));
    const { Result } = await recorder.saveOnRecorder(startS, startS + 60);
    await recorder.api.site.change((site) => ({
      ...site,
      groups: site.groups.map((group) =>
        group.seniorAdministrators
          ? group
          : guardsGroup({ rights: rights({ CanUseArchiveExport: true }), archiveChannels: [GATE_ID] }),
      ),
    }));
    const asGuard = (path: string) => fetch(recorder.api.url(`${path}?login=guard`));
    expect((await asGuard(`/api/files/${Result?.Id}`)).status).toBe(404);
    expect(await (await asGuard("/api/files")).json()).toMatchObject({ Files: [] });
  });
});
