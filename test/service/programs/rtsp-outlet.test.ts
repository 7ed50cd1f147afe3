import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { GstRtspServer } from "../../support/rtsp/gst-rtsp-server.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { runPlayer } from "../../support/rtsp/rtsp-players.js";
import { freePorts } from "../../support/service/background-process.js";
import { apiTime, pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";

/** The RTSP outlet of the service as it runs, with real cameras and real players. */

const RECORDED_US = 4_000_000;
const TIMEOUT_MS = 60_000;
const ROOT_MD5 = createHash("md5").update(ROOT_PASSWORD).digest("hex");
const LOGIN = `login=root&password=${ROOT_MD5}`;

const CAMERAS = [
  { name: "h264-mulaw", format: "H264", codecs: ["h264", "pcm_mulaw"] },
  { name: "h265-aac", format: "Hevc", codecs: ["hevc", "aac"] },
  { name: "mpeg4", format: "MPEG4_Part2", codecs: ["mpeg4"] },
  { name: "mjpeg", format: "MJPEG", codecs: ["mjpeg"] },
] as const;

let cameras: GstRtspServer;
let directory: TemporaryDirectory;
let service: Service;
let rtspPort: number;
let ids: string[];

beforeAll(async () => {
  directory = new TemporaryDirectory("rtsp-outlet");
  cameras = await GstRtspServer.start({ videos: ["h264", "h265", "mpeg4", "mjpeg"] });
  [rtspPort = 0] = await freePorts(1);
  service = await Service.start({ dataDir: directory.join("data"), rtspPort });
  ids = await service.addCameras(
    CAMERAS.map(({ name, format }) => ({ name, format, url: cameras.url(name), sound: true })),
  );
  await service.recorded(ids, RECORDED_US);
}, 2 * TIMEOUT_MS);

afterAll(async () => {
  await service?.stop();
  await cameras?.stop();
  directory?.remove();
});

const url = (at: number, query = "", port = rtspPort): string =>
  `rtsp://127.0.0.1:${port}/rtsp?channelid=${ids[at]}${query}&${LOGIN}`;

/** The start of what is recorded of a camera, as a query. */
async function archive(at: number): Promise<string> {
  const [fragment] = await service.fragments(ids[at] ?? "");
  return `&mode=archive&starttime=${apiTime(fragment?.fromUs ?? 0)}`;
}

async function ffmpeg(args: readonly string[]) {
  const { output, errors, status } = await runPlayer("ffmpeg", ["-v", "error", ...args]);
  return { text: output.toString(), errors, status };
}

interface Shown {
  readonly codec_name: string;
}

/** The codecs that ffprobe finds. */
async function codecsOf(address: string, transport: string): Promise<string[]> {
  const { output } = await runPlayer("ffprobe", [
    ..."-v error -show_entries stream=codec_name -of json -rtsp_transport".split(" "),
    transport,
    address,
  ]);
  return (JSON.parse(output.toString()) as { streams: Shown[] }).streams.map((one) => one.codec_name);
}

const COPY = ["-map", "0:v", "-c", "copy", "-f", "framemd5", "pipe:1"];
const DECODE = ["-t", "1", "-f", "framemd5", "pipe:1"];
/** Pictures that ffmpeg decoded. */
const pictures = (text: string): number => text.split("\n").filter((line) => line.startsWith("0,")).length;

describe.concurrent("players of the RTSP outlet", () => {
  it.each(CAMERAS.map((camera, at) => ({ ...camera, at })))(
    "ffmpeg finds and decodes $name live over TCP and UDP without a word",
    async ({ at, codecs }) => {
      expect(await codecsOf(url(at, "&sound=on"), "tcp")).toEqual(codecs);
      for (const transport of ["tcp", "udp"]) {
        const input = ["-rtsp_transport", transport, "-i", url(at, "&sound=on"), "-map", "0:v"];
        const { text, errors, status } = await ffmpeg([...input, ...DECODE]);
        expect([errors, status]).toEqual(["", 0]);
        expect(pictures(text)).toBeGreaterThan(5);
      }
    },
  );

  it.each(CAMERAS.map((camera, at) => ({ ...camera, at })))(
    "ffmpeg finds and decodes $name from the middle of the archive without a word",
    async ({ at }) => {
      const address = url(at, `${await archive(at)}&sound=on`);
      const input = ["-rtsp_transport", "tcp", "-ss", "2", "-i", address, "-map", "0:v"];
      const { text, errors, status } = await ffmpeg([...input, ...DECODE]);
      expect([errors, status]).toEqual(["", 0]);
      expect(pictures(text)).toBeGreaterThan(5);
    },
  );

  it("ffmpeg plays the archive at four times the speed in a quarter of the time", async () => {
    const fast = url(0, `${await archive(0)}&speed=4`);
    const { text } = await ffmpeg(["-rtsp_transport", "tcp", "-i", fast, "-t", "0.9", ...COPY]);
    const recorded = url(0, await archive(0));
    const plain = await ffmpeg(["-rtsp_transport", "tcp", "-i", recorded, "-t", "0.9", ...COPY]);
    expect(pictures(text)).toBeGreaterThan(2.5 * pictures(plain.text));
  });

  it.each(["tcp", "udp"])("GStreamer takes H.264 live over %s", async (protocol) => {
    const { output, errors } = await runPlayer(
      "gst-launch-1.0",
      [
        "-q",
        "rtspsrc",
        `location=${url(0)}`,
        `protocols=${protocol}`,
        ..."! rtph264depay ! video/x-h264,stream-format=byte-stream ! fdsink fd=1".split(" "),
      ],
      { untilBytes: 20_000 },
    );
    expect(errors).toBe("");
    expect(output.subarray(0, 4)).toEqual(Buffer.from([0, 0, 0, 1]));
  });

  it("GStreamer replays the archive as ONVIF has it", async () => {
    const { output, errors } = await runPlayer(
      "gst-launch-1.0",
      [
        "-q",
        "rtspsrc",
        `location=${url(0, "&mode=archive")}`,
        ..."protocols=tcp onvif-mode=true onvif-rate-control=false ! rtponvifparse".split(" "),
        ..."! rtph264depay ! video/x-h264,stream-format=byte-stream ! fdsink fd=1".split(" "),
      ],
      { untilBytes: 20_000 },
    );
    expect(errors).toBe("");
    expect(output.length).toBeGreaterThanOrEqual(20_000);
  });
});

describe("the RTSP outlet", () => {
  it("is a camera for another recorder, which keeps what the first one has", async () => {
    const [port = 0] = await freePorts(1);
    const second = await Service.start({ dataDir: directory.join("second"), rtspPort: port });
    try {
      const address = `rtsp://127.0.0.1:${rtspPort}/rtsp?channelid=${ids[0]}&sound=on`;
      const camera = { name: "Recorder", url: address, sound: true, login: "root", password: ROOT_MD5 };
      const [id = ""] = await second.addCameras([camera]);
      await second.recorded([id], 2_000_000);
      const again = `rtsp://127.0.0.1:${port}/rtsp?channelid=${id}&sound=on&${LOGIN}`;
      expect(await codecsOf(again, "tcp")).toEqual(["h264", "pcm_mulaw"]);
    } finally {
      await second.stop();
    }
  });

  it("follows the configuration: another port, off, on; /configex says the truth", async () => {
    const [port = 0] = await freePorts(1);
    const problem = async () =>
      (await service.json<{ RtspServerInfo: unknown }>("/configex?responsetype=json")).RtspServerInfo;
    const change = (body: object) => service.get("/configure/rtsp", { method: "PUT", body });
    const untilProblem = async (expected: object) => {
      const deadline = performance.now() + TIMEOUT_MS;
      for (;;) {
        const now = await problem();
        if (JSON.stringify(now) === JSON.stringify(expected)) return;
        if (performance.now() > deadline) expect(now).toEqual(expected);
        await pause(50);
      }
    };
    const viewer = await RawRtspClient.connect(rtspPort);
    expect((await viewer.request("DESCRIBE", url(0))).status).toBe(200);
    await change({ TcpPort: port });
    await viewer.until(() => viewer.closed);
    await untilProblem({ IsEnabled: true, TcpPort: port, IsMjpegEnabled: true });
    const moved = await RawRtspClient.connect(port);
    expect((await moved.request("DESCRIBE", url(0, "", port))).status).toBe(200);
    await change({ IsEnabled: false });
    await moved.until(() => moved.closed);
    await untilProblem({ IsEnabled: false, TcpPort: port, IsMjpegEnabled: false });
    const blocker = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => blocker.listen(rtspPort, "127.0.0.1", resolve));
    await change({ IsEnabled: true, TcpPort: null });
    await service.process.waitFor(/RTSP outlet cannot be reached/);
    await untilProblem({ IsEnabled: false, TcpPort: 0, IsMjpegEnabled: false });
    await new Promise((resolve) => blocker.close(resolve));
    await untilProblem({ IsEnabled: true, TcpPort: rtspPort, IsMjpegEnabled: true });
  });

  it("says no password in its log", () => {
    expect(service.log).not.toContain(ROOT_MD5);
  });
});
