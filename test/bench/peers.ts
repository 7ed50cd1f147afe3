import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import type { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { BackgroundProcess, freePorts, runToEnd } from "../support/service/background-process.js";
import { pause } from "../support/service/service.js";

/** Peers that are no Debian package: they are measured where their program is on the PATH (docs/design/bench.md). */
const PYTHON = "/usr/bin/python3";
const MOONFIRE_SCRIPT = join(REPOSITORY_ROOT, "test/bench/programs/moonfire_database.py");
const START_MS = 30_000;
/** Writing a million recordings takes a while. */
const DATABASE_MS = 300_000;

export type PeerProgram = "mediamtx" | "go2rtc" | "moonfire-nvr";

/** A running peer. */
export interface Peer {
  readonly pid: number;
  /** From the start of its program until it listened. */
  readonly startSeconds: number;
  /** Its first port. */
  readonly port: number;
  /** Of its own RTSP server, for a stream by its number; no use where it has none. */
  url(stream: number): string;
  stop(): Promise<void>;
}

export interface PeerOptions {
  readonly directory: TemporaryDirectory;
  /** RTSP addresses of the cameras. */
  readonly cameras: readonly string[];
  /** Below `directory`; absent: nothing is recorded. */
  readonly recordingsIn?: string;
}

/** What is in the database of Moonfire NVR already. */
export interface MoonfireRecordings {
  /** So many of a minute each, without their files. */
  readonly recordings?: number;
  /** Seconds of 4 Mbit/s of the first camera, with their files. */
  readonly archiveSeconds?: number;
}

/** The programs that this machine has. */
export function hasPeer(name: PeerProgram): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** MediaMTX, which takes all cameras at once, with nothing but RTSP switched on. */
export async function startMediamtx({ directory, cameras, recordingsIn }: PeerOptions): Promise<Peer> {
  const [port = 0] = await freePorts(1);
  const off = ["rtmp", "hls", "webrtc", "srt", "moq"].map((name) => `${name}: no`);
  const recording =
    recordingsIn === undefined ? [] : ["    record: yes", `    recordPath: ${recordingsIn}/%path/%s-%f`];
  const paths = cameras.flatMap((camera, stream) => [
    `  "${stream}":`,
    `    source: ${camera}`,
    "    rtspTransport: tcp",
    ...recording,
  ]);
  const settings = ["logLevel: warn", ...off, "rtspTransports: [tcp]", `rtspAddress: 127.0.0.1:${port}`];
  const file = directory.join("mediamtx.yml");
  writeFileSync(file, `${[...settings, "paths:", ...paths].join("\n")}\n`);
  return await served(new BackgroundProcess("mediamtx", [file]), port);
}

/** go2rtc with its RTSP server, and its HTTP server on `apiPort`. It records nothing. */
export async function startGo2rtc({ directory, cameras }: PeerOptions, apiPort?: number): Promise<Peer> {
  const [port = 0] = await freePorts(1);
  const settings = {
    api: { listen: apiPort === undefined ? "" : `127.0.0.1:${apiPort}` },
    rtsp: { listen: `127.0.0.1:${port}` },
    webrtc: { listen: "" },
    srtp: { listen: "" },
    log: { level: "warn" },
    streams: Object.fromEntries(cameras.map((camera, stream) => [`${stream}`, camera])),
  };
  const file = directory.join("go2rtc.yaml");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(settings));
  return await served(new BackgroundProcess("go2rtc", ["-config", file]), port);
}

/** Moonfire NVR. Its cameras are set by a program for terminals only: a script writes them into its database. */
export async function startMoonfire(
  { directory, cameras }: PeerOptions,
  { recordings = 0, archiveSeconds = 0 }: MoonfireRecordings = {},
): Promise<Peer> {
  const [port = 0] = await freePorts(1);
  const database = directory.join("moonfire");
  mkdirSync(database);
  await runToEnd("moonfire-nvr", ["init", "--db-dir", database]);
  const filled = ["--recordings", `${recordings}`, "--archive", `${archiveSeconds}`];
  const places = [join(database, "db"), directory.join("samples")];
  await runToEnd(PYTHON, [MOONFIRE_SCRIPT, ...filled, ...places, ...cameras], DATABASE_MS);
  const settings = [
    `dbDir = ${JSON.stringify(database)}`,
    `uiDir = ${JSON.stringify(database)}`,
    "[[binds]]",
    `ipv4 = "127.0.0.1:${port}"`,
    "allowUnauthenticatedPermissions = { viewVideo = true }",
  ];
  const file = directory.join("moonfire.toml");
  writeFileSync(file, `${settings.join("\n")}\n`);
  return await served(new BackgroundProcess("moonfire-nvr", ["run", "--config", file]), port);
}

async function served(child: BackgroundProcess, port: number): Promise<Peer> {
  const startedMs = performance.now();
  const deadline = startedMs + START_MS;
  while (!(await listens(port))) {
    if (child.exit !== undefined || performance.now() > deadline) {
      const failure = child.failure("does not listen");
      await child.stop();
      throw failure;
    }
    await pause(5);
  }
  return {
    pid: child.pid,
    startSeconds: (performance.now() - startedMs) / 1000,
    port,
    url: (stream) => `rtsp://127.0.0.1:${port}/${stream}`,
    stop: async () => void (await child.stop("SIGTERM")),
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
