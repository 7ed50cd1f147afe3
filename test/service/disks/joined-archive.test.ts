import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { videoParts } from "../../support/http/multipart-reader.js";
import { jpegSize } from "../../support/media/jpeg.js";
import { probeMovie } from "../../support/media/movie-probe.js";
import { GstRtspServer } from "../../support/rtsp/gst-rtsp-server.js";
import { runPlayer } from "../../support/rtsp/rtsp-players.js";
import { freePorts } from "../../support/service/background-process.js";
import { apiTime, type Fragment, pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";

/** The recordings of a camera whose archived stream was changed, and changed back, through every way out of the archive. */

const run = promisify(execFile);
const PART_US = 4_000_000;
const TIMEOUT_MS = 120_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const LOGIN = `login=root&password=${createHash("md5").update(ROOT_PASSWORD).digest("hex")}`;

const X264 = "-c:v libx264 -preset ultrafast -tune zerolatency -x264-params aud=1:repeat-headers=1";

let cameras: GstRtspServer;
let directory: TemporaryDirectory;
let service: Service;
let rtspPort: number;
/** Both of its streams are H.264, of two sizes. */
let sizes: string;
/** Its second stream is MJPEG. */
let codecs: string;
/** When the archived stream was changed, Unix microseconds. */
const changedUs: number[] = [];

beforeAll(async () => {
  directory = new TemporaryDirectory("joined-archive");
  const small = { codec: "h264", args: X264, sizes: ["160x120"], seconds: 3 } as const;
  cameras = await GstRtspServer.start({ videos: ["h264", "mjpeg"], clips: { small } });
  [rtspPort = 0] = await freePorts(1);
  service = await start();
  [sizes = "", codecs = ""] = await service.addCameras([
    { name: "Sizes", url: cameras.url("h264-mulaw"), alternativeUrl: cameras.url("small"), sound: true },
    { name: "Codecs", url: cameras.url("h264"), alternativeUrl: cameras.url("mjpeg") },
  ]);
  await grows(PART_US);
  await archiveStream("Alternative");
  await grows(PART_US);
  await archiveStream("Main");
  await grows(PART_US);
});

afterAll(async () => {
  await service?.stop();
  await cameras?.stop();
  directory?.remove();
});

function start(httpPort?: number): Promise<Service> {
  const port = httpPort === undefined ? {} : { httpPort };
  return Service.start({ dataDir: directory.join("data"), rtspPort, ...port });
}

/** Waits until each camera was recorded for so long without a break, since now. */
async function grows(minimumUs: number): Promise<void> {
  await service.recorded([sizes, codecs], minimumUs, TIMEOUT_MS, (changedUs.at(-1) ?? 0) - 2_000_000);
}

async function archiveStream(type: string): Promise<void> {
  for (const id of [sizes, codecs]) {
    const { ConnectionSettings } = await service.json<{ ConnectionSettings: { ModelId: string } }>(
      `/configure/channels/${id}`,
    );
    const { ModelId } = ConnectionSettings;
    const change = { ConnectionSettings: { ModelId }, ArchiveSettings: { ArchivingVideoStreamType: type } };
    const { status, body } = await service.get("/configure/channels", {
      method: "PUT",
      body: [{ Id: id, ...change }],
    });
    expect([status, body.toString()]).toEqual([200, expect.anything()]);
  }
  changedUs.push(Date.now() * 1000);
}

/** All that is recorded up to a moment before now, as a start and an end. */
async function span(id: string): Promise<{ fromUs: number; toUs: number; fragments: Fragment[] }> {
  const fragments = await service.fragments(id);
  return { fromUs: fragments[0]?.fromUs ?? 0, toUs: (changedUs.at(-1) ?? 0) + 3_000_000, fragments };
}

const archive = (id: string, fromUs: number, more = ""): string =>
  `channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}${more}`;

const secondsOf = ({ fromUs, toUs }: { fromUs: number; toUs: number }): number => (toUs - fromUs) / 1e6;

async function exported(id: string, more = ""): Promise<{ file: string; seconds: number }> {
  const asked = await span(id);
  const path = `/exportarchive?channelid=${id}&fromtime=${apiTime(asked.fromUs)}&totime=${apiTime(asked.toUs)}${more}`;
  const { status, body } = await service.get(path);
  expect(status).toBe(200);
  const file = directory.join(`${id}.mp4`);
  writeFileSync(file, body);
  return { file, seconds: secondsOf(asked) };
}

const CASES = [
  ["sizes", () => sizes],
  ["codecs", () => codecs],
] as const;

function tests(): void {
  describe.each(CASES)("a camera with streams of two %s", (name, idOf) => {
    it("has one list of fragments, without a gap where the streams join", async () => {
      const { fragments, fromUs } = await span(idOf());
      expect(fromUs).toBeLessThan((changedUs[0] ?? 0) - PART_US + 2_000_000);
      const until = fragments.filter((fragment) => fragment.fromUs < (changedUs.at(-1) ?? 0) + 3_000_000);
      expect(until).toHaveLength(3);
      const gaps = until.slice(1).map((fragment, at) => fragment.fromUs - (until[at]?.toUs ?? 0));
      expect(gaps).toEqual([0, 0]);
    });

    it("has archive before and behind each change, says findarchive", async () => {
      for (const at of [-1.5, 1.5].flatMap((by) => changedUs.map((us) => us + by * 1e6))) {
        const path = `/command?type=findarchive&channelid=${idOf()}&searchtime=${apiTime(at)}&responsetype=json&accept=application/json`;
        const found = await service.json<{ HasArchive: boolean; NearestFrameTimestamp: string }>(path);
        expect(found.HasArchive).toBe(true);
        expect(Math.abs(Date.parse(found.NearestFrameTimestamp) * 1000 - at)).toBeLessThan(1_100_000);
      }
    });

    it("plays over the joins on /video, forward in time and without a hole", async () => {
      const { fromUs, toUs } = await span(idOf());
      const video = await service.video(archive(idOf(), fromUs, "&speed=20"));
      let lastUs = fromUs - 40_000;
      let longestUs = 0;
      const types = new Set<string>();
      for await (const { contentType, timestampMs } of video.parts) {
        const timeUs = timestampMs * 1000;
        types.add(contentType.replace(/, [IP]-frame/, ""));
        // The header has whole milliseconds: pictures of two streams that meet may share one.
        expect(timeUs).toBeGreaterThanOrEqual(lastUs);
        longestUs = Math.max(longestUs, timeUs - lastUs);
        lastUs = timeUs;
        if (timeUs > toUs) break;
      }
      video.close();
      expect([...types]).toEqual(name === "sizes" ? ["video, h264"] : ["video, h264", "image/jpeg"]);
      expect(longestUs).toBeLessThan(500_000);
    });

    it("plays over the joins on /mobile", async () => {
      const { fromUs, toUs } = await span(idOf());
      const response = await service.open(`/mobile?${archive(idOf(), fromUs, "&speed=5&fps=25")}`);
      const seen: number[] = [];
      for await (const { timestampMs } of videoParts(response)) {
        const timeUs = timestampMs * 1000;
        seen.push(timeUs);
        if (timeUs > toUs) break;
      }
      response.destroy();
      const longestUs = seen.slice(1).reduce((most, us, at) => Math.max(most, us - (seen[at] ?? 0)), 0);
      expect(seen[0]).toBeLessThan(fromUs + 1_000_000);
      expect(longestUs).toBeLessThan(1_500_000);
    });

    it("shows a picture of each stream's part on /site and as one frame of /mobile", async () => {
      const [first = 0, second = 0] = changedUs;
      for (const at of [first - 1_500_000, (first + second) / 2 + 1_000_000, second + 2_500_000]) {
        const site = await service.get(`/site?${archive(idOf(), at, "&resolutionx=640&resolutiony=480")}`);
        expect(site.status).toBe(200);
        expect(jpegSize(site.body).width).toBeGreaterThan(100);
        const one = await service.get(
          `/mobile?${archive(idOf(), at, "&oneframeonly=true&withcontenttype=true")}`,
        );
        expect([one.status, one.headers["content-type"]]).toEqual([200, "image/jpeg"]);
      }
    });

    it("gives only the one stream where one is named", async () => {
      const range = `fromtime=${apiTime(0)}&totime=01.01.2222 00:00:00`.replaceAll(" ", "%20");
      const list = async (type: string) => {
        const path = `/archivefragments?channelid=${idOf()}&${range}&streamtype=${type}&responsetype=json`;
        return (await service.json<{ Fragments: unknown[] }>(path)).Fragments;
      };
      expect(await list("Alternative")).toHaveLength(1);
      expect((await list("Main")).length).toBeGreaterThanOrEqual(2);
    });
  });

  it("exports streams of two sizes in one file that ffmpeg decodes whole", async () => {
    const { file, seconds } = await exported(sizes, "&sound=on");
    const { complaints, format, streams } = await probeMovie(file);
    expect(complaints).toBe("");
    expect(Math.abs(Number(format.duration) - seconds)).toBeLessThan(1.5);
    expect(streams.filter(({ codec_type }) => codec_type === "video")).toHaveLength(1);
    const { pictures, errors } = await decoded(file);
    expect(errors).toBe("");
    expect(Math.abs(pictures - seconds * 25)).toBeLessThan(40);
  });

  it("plays the archive over HLS, over the joins", async () => {
    const { fromUs } = await span(sizes);
    const { body } = await service.get(`/hls?${archive(sizes, fromUs)}`);
    const address = `http://127.0.0.1:${service.httpPort}/hls/${body.toString()}`;
    const args = ["-v", "error", "-i", address, "-t", "11", "-map", "0:v", "-f", "framemd5", "pipe:1"];
    const { stdout } = await run("ffmpeg", args, { maxBuffer: OUTPUT_BYTES_MAX });
    expect(stdout.split("\n").filter((line) => line.startsWith("0,")).length).toBeGreaterThan(240);
  });

  it("plays the archive over RTSP, over the joins", async () => {
    const { fromUs } = await span(sizes);
    const url = `rtsp://127.0.0.1:${rtspPort}/rtsp?${archive(sizes, fromUs, "&speed=4")}&${LOGIN}`;
    const args = [
      "-v",
      "error",
      "-rtsp_transport",
      "tcp",
      "-i",
      url,
      "-t",
      "2.6",
      "-map",
      "0:v",
      "-c",
      "copy",
    ];
    const { output } = await runPlayer("ffmpeg", [...args, "-f", "framemd5", "pipe:1"]);
    expect(
      output
        .toString()
        .split("\n")
        .filter((line) => line.startsWith("0,")).length,
    ).toBeGreaterThan(220);
  });
}

/** Pictures that ffmpeg decodes of a file, and what it complains of. */
async function decoded(file: string, map = "0:v"): Promise<{ pictures: number; errors: string }> {
  const args = ["-v", "error", "-i", file, "-map", map, "-fps_mode", "passthrough", "-f", "framemd5", "-"];
  const { stdout, stderr } = await run("ffmpeg", args, { maxBuffer: OUTPUT_BYTES_MAX });
  return { pictures: stdout.split("\n").filter((line) => /^\d,/.test(line)).length, errors: stderr };
}

describe("as recorded", tests);

describe("after a restart", () => {
  beforeAll(async () => {
    await service.stop();
    await pause(100);
    service = await start(service.httpPort);
    // Until the index is open, requests for recordings are answered 503.
    const range = `fromtime=${apiTime(0)}&totime=${apiTime(Date.now() * 1000)}`;
    while ((await service.get(`/archivefragments?channelid=${sizes}&${range}`)).status !== 200)
      await pause(50);
  });
  tests();
});
