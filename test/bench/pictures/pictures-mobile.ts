import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { BackgroundProcess } from "../../support/service/background-process.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";
import { type BenchOptions, type Figure, percentile } from "../figure.js";
import { usageOf } from "../process-usage.js";

const VIEWERS = 20;
const WINDOW_MS = 6000;
const SETTLE_MS = 2000;
const TURNS = 3;
/** 20 viewers of one level against one. */
const VIEWERS_TIMES_MAX = 1.3;

interface Turn {
  readonly idle: number;
  readonly one: number;
  readonly many: number;
  readonly ffmpeg: number;
  readonly picturesPerSecond: number;
}

/** One level of one camera for one viewer and for many, beside ffmpeg that makes MJPEG of the same stream. */
export async function* mobileCost(options: BenchOptions): AsyncGenerator<Figure> {
  const directory = new TemporaryDirectory("bench-mobile");
  const source = await PacedSource.start(1, CAMERA_CLIP);
  const service = await Service.start({ dataDir: directory.join("data") });
  try {
    const [id = ""] = await service.addCameras([{ name: "Camera", url: source.url(0) }]);
    await service.recorded([id], 2_000_000, 60_000);
    const level = { Type: "Middle", Width: 640, Height: 360, FpsLimit: CAMERA_CLIP.fps };
    await service.json("/configure/mobile", { method: "PUT", body: { Resolutions: [level] } });
    const path = `/mobile?channelid=${id}&resolutionx=640&resolutiony=360&fps=${CAMERA_CLIP.fps}`;
    const turns: Turn[] = [];
    for (let turn = 0; turn < (options.quick ? 1 : TURNS); turn++) {
      const idle = await cpuShare(service.process.pid);
      const one = await watched(service, path, 1);
      const many = await watched(service, path, VIEWERS);
      const ffmpeg = await ffmpegShare(source.url(0));
      turns.push({ idle, one: one.share, many: many.share, ffmpeg, picturesPerSecond: one.perSecond });
    }
    yield* figures(turns);
  } finally {
    await service.stop();
    await source.stop();
    directory.remove();
  }
}

function figures(turns: readonly Turn[]): Figure[] {
  const median = (value: (turn: Turn) => number): number => percentile(turns.map(value), 0.5);
  const name = "/mobile 640x360 from 1080p25";
  const one = median((turn) => turn.one - turn.idle);
  const ffmpeg = `ffmpeg to MJPEG: ${(median((turn) => turn.ffmpeg) * 100).toFixed(0)} % of a core`;
  const percent = { unit: "% of a core", peer: ffmpeg };
  return [
    { name: `${name}: pictures a second`, value: median((turn) => turn.picturesPerSecond), unit: "/s" },
    { name: `${name}: CPU, one viewer`, value: one * 100, ...percent },
    {
      name: `${name}: CPU of ffmpeg's`,
      value: median((turn) => (turn.one - turn.idle) / turn.ffmpeg),
      unit: "",
    },
    { name: `${name}: streams a core`, value: 1 / one, unit: "" },
    {
      name: `${name}: CPU, ${VIEWERS} viewers of one level`,
      value: median((turn) => (turn.many - turn.idle) / (turn.one - turn.idle)),
      unit: "x",
      wanted: { atMost: VIEWERS_TIMES_MAX },
      peer: "one viewer",
    },
  ];
}

/** CPU seconds a second. */
async function cpuShare(pid: number): Promise<number> {
  const before = usageOf([pid]).cpuSeconds;
  const startedMs = performance.now();
  await pause(WINDOW_MS);
  return ((usageOf([pid]).cpuSeconds - before) * 1000) / (performance.now() - startedMs);
}

/** The same while so many watch, and the pictures a second that the first of them gets. */
async function watched(
  service: Service,
  path: string,
  viewers: number,
): Promise<{ share: number; perSecond: number }> {
  const answers = await Promise.all(Array.from({ length: viewers }, () => service.open(path)));
  let pictures = 0;
  for (const [at, answer] of answers.entries()) {
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`);
    answer.on("error", () => answer.destroy());
    answer.on("data", (chunk: Buffer) => {
      if (at > 0) return;
      for (let found = chunk.indexOf(SOI); found >= 0; found = chunk.indexOf(SOI, found + 1)) pictures += 1;
    });
  }
  await pause(SETTLE_MS);
  pictures = 0;
  const share = await cpuShare(service.process.pid);
  const perSecond = (pictures * 1000) / WINDOW_MS;
  for (const answer of answers) answer.destroy();
  await pause(SETTLE_MS);
  return { share, perSecond };
}

/** Start of image and of what follows it in a JFIF file. */
const SOI = Buffer.of(0xff, 0xd8, 0xff, 0xe0);

async function ffmpegShare(url: string): Promise<number> {
  const input = ["-nostdin", "-v", "error", "-threads", "1", "-rtsp_transport", "tcp", "-i", url];
  const output = ["-vf", "scale=640:360", "-c:v", "mjpeg", "-q:v", "5", "-threads", "1", "-f", "mpjpeg"];
  const child = new BackgroundProcess("ffmpeg", [...input, ...output, "-y", "/dev/null"]);
  try {
    await pause(SETTLE_MS);
    return await cpuShare(child.pid);
  } finally {
    await child.stop("SIGTERM");
  }
}
