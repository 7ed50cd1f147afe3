import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { BackgroundProcess, freePorts } from "../../support/service/background-process.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";
import type { Bench, BenchOptions, Figure } from "../figure.js";
import { usageOf } from "../process-usage.js";
import { type Played, type PlayedFiles, playHls } from "./hls-viewers.js";

/** Names of one user; each is played by as many viewers as its requests under way allow. */
const NAMES = 32;
const VIEWERS_A_NAME = 3;
const QUICK_VIEWERS_A_NAME = 1;
const WINDOW_MS = 15_000;
const SETTLE_MS = 4000;
const PEER_SCRIPT = join(REPOSITORY_ROOT, "test/bench/scripts/static-files.mjs");
const PLAYLIST = "media.m3u8";
/** Of a server of files, which authenticates nobody and waits for nothing. */
const SHARE_OF_FILES_MIN = 0.5;
const HLS_WORK = "LL-HLS viewers a core";

/** The stream's files as they were listed at one moment. */
interface Files {
  readonly directory: string;
  readonly parts: readonly string[];
  readonly partMs: number;
}

interface Load extends Played {
  /** CPU seconds a second: of the whole process. */
  readonly coreShare: number;
  readonly viewers: number;
  readonly megabytesPerSecond: number;
  readonly requestsPerSecond: number;
}

interface Peer {
  readonly name: string;
  readonly process: BackgroundProcess;
  readonly port: number;
}

/** One 4 Mbit/s stream to players of low-latency HLS, beside a server of files that are there already. */
export const hlsBench: Bench = {
  name: "hls",
  about: "LL-HLS viewers of one stream a core, beside nginx (else Node) serving the same parts as files",
  async *run(options) {
    const directory = new TemporaryDirectory("bench-hls");
    const source = await PacedSource.start(1, CAMERA_CLIP);
    const service = await Service.start({ dataDir: directory.join("data") });
    try {
      const [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
      await service.recorded([id], 5_000_000, 60_000);
      const playlists = await Promise.all(Array.from({ length: NAMES }, () => nameOf(service, id)));
      const { pid } = service.process;
      // Named and packaged, recorded and not played: what is on top of it, the viewers cost.
      const idleShare = () => shareOf(pid, () => pause(windowMs(options) / 2));
      const idleBefore = await idleShare();
      const files = await keepFiles(playlists[0] ?? "", directory.join("files"));
      const { httpPort: port } = service;
      const played = await load({ pid, played: { port, playlists: playlists.map(pathOf) } }, options);
      // V8 still compiles before: the lesser one is what goes on beside the viewers.
      const idle = Math.min(idleBefore, await idleShare());
      const ours = { ...played, coreShare: played.coreShare - idle };
      const peer = await startPeer(files, directory);
      try {
        const { parts, partMs } = files;
        const same = { parts: parts.map((part) => `/${part}`), periodMs: partMs };
        const there = { port: peer.port, playlists: [`/${PLAYLIST}`], files: same };
        const beside = await load({ pid: peer.process.pid, played: there }, options);
        yield* figures(ours, { beside, peer: peer.name, idle });
      } finally {
        await peer.process.stop();
      }
    } finally {
      await service.stop();
      await source.stop();
      directory.remove();
    }
  },
};

const windowMs = (options: BenchOptions): number => (options.quick ? WINDOW_MS / 2 : WINDOW_MS);

/** URL of a new name's media playlist. */
async function nameOf(service: Service, channelId: string): Promise<string> {
  const { status, body } = await service.get(`/hls?channelid=${channelId}`);
  if (status !== 200) throw new Error(`/hls: status ${status}: ${body.toString()}`);
  const name = body.toString().replace(/\.m3u8$/, "");
  return `http://127.0.0.1:${service.httpPort}/hls/${name}/${PLAYLIST}`;
}

const pathOf = (url: string): string => new URL(url).pathname;

interface Loaded {
  readonly pid: number;
  readonly played: PlayedFiles;
}

/** What the process takes while viewers play. */
async function load({ pid, played }: Loaded, options: BenchOptions): Promise<Load> {
  const viewers = NAMES * (options.quick ? QUICK_VIEWERS_A_NAME : VIEWERS_A_NAME);
  const looks: { readonly cpuSeconds: number; readonly ms: number }[] = [];
  const look = (): void => {
    looks.push({ cpuSeconds: usageOf([pid]).cpuSeconds, ms: performance.now() });
  };
  const times = { settleMs: SETTLE_MS, windowMs: windowMs(options) };
  const got = await playHls(played, { viewers, ...times, onBegin: look, onEnd: look });
  const [before, after] = looks;
  if (before === undefined || after === undefined) throw new Error("nothing was measured");
  const seconds = (after.ms - before.ms) / 1000;
  return {
    ...got,
    coreShare: (after.cpuSeconds - before.cpuSeconds) / seconds,
    viewers,
    megabytesPerSecond: got.bytes / 1e6 / seconds,
    requestsPerSecond: got.requests / seconds,
  };
}

/** CPU seconds a second that a process used while `run` ran. */
async function shareOf(pid: number, run: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  const before = usageOf([pid]).cpuSeconds;
  await run();
  return (usageOf([pid]).cpuSeconds - before) / ((performance.now() - startedMs) / 1000);
}

/** Writes the playlist as it is now, and the parts in it, into a directory. */
async function keepFiles(playlist: string, directory: string): Promise<Files> {
  mkdirSync(directory);
  const text = await fetchFile(playlist);
  writeFileSync(join(directory, PLAYLIST), text);
  const parts = readPlaylist(text.toString()).segments.flatMap((segment) => segment.parts);
  for (const { uri } of parts)
    writeFileSync(join(directory, uri), await fetchFile(new URL(uri, playlist).href));
  const partMs = (1000 * parts.reduce((sum, { duration }) => sum + duration, 0)) / parts.length;
  return { directory, parts: parts.map(({ uri }) => uri), partMs };
}

async function fetchFile(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${pathOf(url).split("/").at(-1)}: status ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

async function startPeer({ directory }: Files, scratch: TemporaryDirectory): Promise<Peer> {
  if (spawnSync("nginx", ["-v"]).error === undefined) return await startNginx(directory, scratch);
  const node = new BackgroundProcess(process.execPath, [PEER_SCRIPT, directory], { cwd: REPOSITORY_ROOT });
  const [, port] = await node.waitFor(/^(\d+)$/m);
  return { name: `Node's http and fs (${process.version})`, process: node, port: Number(port) };
}

async function startNginx(directory: string, scratch: TemporaryDirectory): Promise<Peer> {
  const [port = 0] = await freePorts(1);
  const configuration = scratch.join("nginx.conf");
  const lines = [
    "daemon off; master_process off; error_log stderr notice;",
    `pid ${scratch.join("nginx.pid")};`,
    "events { worker_connections 1024; }",
    "http {",
    "  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;",
    ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `  ${name}_temp_path ${scratch.join(`nginx-${name}`)};`,
    ),
    `  server { listen 127.0.0.1:${port}; root ${directory}; }`,
    "}",
  ];
  writeFileSync(configuration, `${lines.join("\n")}\n`);
  const nginx = new BackgroundProcess("nginx", ["-c", configuration, "-p", scratch.join(".")]);
  await nginx.waitFor(/start worker process|using the/);
  return { name: "nginx, sendfile", process: nginx, port };
}

function figures(
  ours: Load,
  { beside, peer, idle }: { beside: Load; peer: string; idle: number },
): readonly Figure[] {
  const name = `LL-HLS, ${ours.viewers} viewers of one stream`;
  const aCore = (one: Load): number => one.viewers / one.coreShare;
  const aGigabyte = (one: Load): number => one.coreShare / (one.megabytesPerSecond / 1000);
  const sent = (one: Load): string =>
    `${one.megabytesPerSecond.toFixed(1)} MB/s, ${one.requestsPerSecond.toFixed(0)} requests/s`;
  return [
    {
      name: `${name}: viewers a core`,
      value: aCore(ours),
      unit: "",
      wanted: { atLeast: aCore(beside) * SHARE_OF_FILES_MIN },
      peer: `${peer}: ${aCore(beside).toFixed(0)}, of files that are there`,
      cell: { work: HLS_WORK, program: "nvrd" },
    },
    ...(peer.startsWith("nginx")
      ? [
          {
            name: `${name}: viewers a core, nginx`,
            value: aCore(beside),
            unit: "",
            cell: { work: HLS_WORK, program: "nginx" } as const,
          },
        ]
      : []),
    {
      name: `${name}: CPU`,
      value: aGigabyte(ours),
      unit: "CPU s/GB",
      wanted: { atMost: aGigabyte(beside) / SHARE_OF_FILES_MIN },
      peer: `${peer}: ${aGigabyte(beside).toFixed(2)} CPU s/GB`,
    },
    {
      name: `${name}: sent`,
      value: ours.megabytesPerSecond,
      unit: "MB/s",
      peer: `${sent(ours)}; peer ${sent(beside)}`,
    },
    {
      name: `${name}: CPU without them`,
      value: idle * 100,
      unit: "% of a core",
      peer: "recording and packaging one stream",
    },
    {
      name: `${name}: age of a part's first picture, p50`,
      value: ours.age.p50,
      unit: "ms",
      peer: "the part's length included",
    },
    {
      name: `${name}: age of a part's first picture, p99`,
      value: ours.age.p99,
      unit: "ms",
      peer: "the part's length included",
    },
  ];
}
