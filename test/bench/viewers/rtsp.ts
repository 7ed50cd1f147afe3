import { createHash } from "node:crypto";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { BackgroundProcess, freePorts } from "../../support/service/background-process.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";
import type { Bench, BenchOptions, Figure, Program } from "../figure.js";
import { hasPeer, type Peer, startGo2rtc, startMediamtx } from "../peers.js";
import { usageOf } from "../process-usage.js";
import { type Watched, type WatchedStream, watchRtsp, watchSource } from "./rtsp-viewers.js";

const VIEWERS = 100;
const WINDOW_MS = 15_000;
const SETTLE_MS = 5000;
const PEER_SCRIPT = join(REPOSITORY_ROOT, "test/bench/programs/gst_fan_out.py");
const PYTHON = "/usr/bin/python3";

/** A server under load: how its stream is asked for, and its process. */
interface Server extends WatchedStream {
  readonly pid: number;
}

interface FanOut extends Watched {
  readonly cpuSecondsPerGb: number;
  readonly coreShare: number;
  readonly megabytesPerSecond: number;
  readonly peakBytes: number;
}

/** What nvrd may take at most. */
const CPU_SECONDS_PER_GB_MAX = 0.9;
const ADDED_P99_MS_MAX = 3.5;

/** One 4 Mbit/s stream to 100 viewers over RTSP interleaved, beside its peers. */
export const rtspBench: Bench = {
  name: "rtsp",
  about: "RTSP fan-out of one stream to 100 viewers, beside GStreamer's RTSP server, MediaMTX and go2rtc",
  async *run(options) {
    const directory = new TemporaryDirectory("bench-rtsp");
    const source = await PacedSource.start(1, CAMERA_CLIP);
    try {
      const direct = await watchSource(source, 0, windowMs(options) / 2);
      const peers = new Map<Program, FanOut>([["GStreamer", await gstreamerFanOut(source, options)]]);
      const cameras = [source.url(0)];
      if (hasPeer("mediamtx"))
        peers.set("MediaMTX", await peerFanOut(await startMediamtx({ directory, cameras }), options));
      if (hasPeer("go2rtc"))
        peers.set("go2rtc", await peerFanOut(await startGo2rtc({ directory, cameras }), options));
      const ours = await serviceFanOut(source, directory, options);
      yield* figures(ours, { peers, direct });
    } finally {
      await source.stop();
      directory.remove();
    }
  },
};

const windowMs = (options: BenchOptions): number => (options.quick ? WINDOW_MS / 3 : WINDOW_MS);

async function gstreamerFanOut(source: PacedSource, options: BenchOptions): Promise<FanOut> {
  const peer = new BackgroundProcess(PYTHON, [PEER_SCRIPT, source.url(0)], { cwd: REPOSITORY_ROOT });
  try {
    const [, port] = await peer.waitFor(/^(\d+)$/m);
    const url = `rtsp://127.0.0.1:${port}/stream`;
    return await fanOut({ pid: peer.pid, url, track: "stream=0" }, options);
  } finally {
    await peer.stop();
  }
}

async function peerFanOut(peer: Peer, options: BenchOptions): Promise<FanOut> {
  try {
    // It asks the camera first.
    await pause(SETTLE_MS);
    const url = peer.url(0);
    return await fanOut({ pid: peer.pid, url, track: "trackID=0" }, options);
  } finally {
    await peer.stop();
  }
}

async function serviceFanOut(
  source: PacedSource,
  directory: TemporaryDirectory,
  options: BenchOptions,
): Promise<FanOut> {
  const [rtspPort = 0] = await freePorts(1);
  const service = await Service.start({ dataDir: directory.join("data"), rtspPort });
  try {
    const [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
    await service.recorded([id], 2_000_000, 60_000);
    const password = createHash("md5").update(ROOT_PASSWORD).digest("hex");
    const url = `rtsp://127.0.0.1:${rtspPort}/rtsp?channelid=${id}&login=root&password=${password}`;
    return await fanOut({ pid: service.process.pid, url, track: "trackID=0" }, options);
  } finally {
    await service.stop();
  }
}

async function fanOut(server: Server, options: BenchOptions): Promise<FanOut> {
  const usages: { readonly cpuSeconds: number; readonly peakBytes: number; readonly atMs: number }[] = [];
  const look = (): void => {
    usages.push({ ...usageOf([server.pid]), atMs: performance.now() });
  };
  const watched = await watchRtsp(server, {
    ...{ viewers: VIEWERS, settleMs: SETTLE_MS, windowMs: windowMs(options) },
    ...{ onBegin: look, onEnd: look },
  });
  const [before, after] = usages;
  if (before === undefined || after === undefined) throw new Error("nothing was measured");
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  const seconds = (after.atMs - before.atMs) / 1000;
  return {
    ...watched,
    cpuSecondsPerGb: cpuSeconds / (watched.bytes / 1e9),
    coreShare: cpuSeconds / seconds,
    megabytesPerSecond: watched.bytes / 1e6 / seconds,
    peakBytes: after.peakBytes,
  };
}

const CPU_WORK = `${VIEWERS} RTSP viewers, CPU s/GB`;
const DELAY_WORK = `${VIEWERS} RTSP viewers, added delay p99, ms`;

function cellOf(work: string, program: Program = "nvrd"): NonNullable<Figure["cell"]> {
  return { work, program };
}

interface Beside {
  /** By name. */
  readonly peers: ReadonlyMap<Program, FanOut>;
  /** Straight from the source. */
  readonly direct: Watched;
}

function figures(ours: FanOut, { peers, direct }: Beside): Figure[] {
  const name = `RTSP, ${VIEWERS} viewers of one stream`;
  const added =
    (of: "first" | "whole", share: "p50" | "p99") =>
    (one: FanOut): number =>
      one[of][share] - direct[of].p50;
  const listed = (of: (one: FanOut) => number): string =>
    [...peers].map(([peer, one]) => `${peer} ${of(one).toFixed(2)}`).join(", ");
  const row = (what: string, unit: string, of: (one: FanOut) => number, atMost?: number): Figure => ({
    name: `${name}: ${what}`,
    value: of(ours),
    unit,
    wanted: { atMost: atMost ?? Math.min(...[...peers.values()].map(of)) },
    peer: listed(of),
  });
  const memory = (one: FanOut): number => one.peakBytes / 1e6;
  return [
    {
      name: `${name}: sent`,
      value: ours.megabytesPerSecond,
      unit: "MB/s",
      peer: `${listed((one) => one.megabytesPerSecond)}; one is recorded beside`,
    },
    {
      ...row("CPU", "CPU s/GB", (one) => one.cpuSecondsPerGb, CPU_SECONDS_PER_GB_MAX),
      cell: cellOf(CPU_WORK),
    },
    ...[...peers].map(([peer, one]) => ({
      name: `${name}: CPU, ${peer}`,
      value: one.cpuSecondsPerGb,
      unit: "CPU s/GB",
      cell: cellOf(CPU_WORK, peer),
    })),
    row("CPU", "% of a core", (one) => one.coreShare * 100),
    row("added delay, p50", "ms", added("first", "p50")),
    row("added delay of whole frames, p50", "ms", added("whole", "p50")),
    row("added delay of whole frames, p99", "ms", added("whole", "p99")),
    {
      ...row("added delay, p99", "ms", added("first", "p99"), ADDED_P99_MS_MAX),
      cell: cellOf(DELAY_WORK),
    },
    ...[...peers].map(([peer, one]) => ({
      name: `${name}: added delay, p99, ${peer}`,
      value: added("first", "p99")(one),
      unit: "ms",
      cell: cellOf(DELAY_WORK, peer),
    })),
    { name: `${name}: memory`, value: memory(ours), unit: "MB", peer: listed(memory) },
  ];
}
