import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PingAnswers } from "../../support/http/ping-answers.js";
import { WebSocketClient } from "../../support/http/web-socket.js";
import { freePorts } from "../../support/service/background-process.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";
import { type Bench, type BenchOptions, type Figure, percentile } from "../figure.js";
import { hasPeer, type PeerOptions, startGo2rtc } from "../peers.js";
import { usageOf } from "../process-usage.js";

const VIEWERS = [1, 16, 100] as const;
const ALL = 100;
const WINDOW_MS = 14_000;
const SETTLE_MS = 4000;
const CORE_PERCENT_MAX = 6;
const CPU_SECONDS_PER_GB_MAX = 1;
const SOCKET_WORK = `${ALL} viewers by WebSocket (go2rtc: MSE), CPU s/GB`;
const AUTHORIZATION = `Authorization: Basic ${Buffer.from(`root:${ROOT_PASSWORD}`).toString("base64")}`;

/** The live socket: what viewers of one stream cost over recording it, and how soon they have its pictures. */
export const liveSocketBench: Bench = {
  name: "live-socket",
  about: "CPU of 1, 16 and 100 viewers of one stream over the live socket; /video and go2rtc in the same run",
  async *run(options) {
    const directory = new TemporaryDirectory("bench-live-socket");
    const source = await PacedSource.start(1, CAMERA_CLIP);
    const service = await Service.start({ dataDir: directory.join("data") });
    try {
      const ids = await service.addCameras([{ name: "Camera", url: source.url(0) }]);
      await service.recorded(ids, 5_000_000, 60_000);
      yield* await figuresOf(service, ids[0] ?? "", options);
      if (hasPeer("go2rtc")) yield await peerFigure({ directory, cameras: [source.url(0)] }, options);
    } finally {
      await service.stop();
      await source.stop();
      directory.remove();
    }
  },
};

async function figuresOf(service: Service, id: string, options: BenchOptions): Promise<Figure[]> {
  const windowMs = options.quick ? WINDOW_MS / 2 : WINDOW_MS;
  const recording = await costOf(service.process.pid, windowMs, []);
  const figures: Figure[] = [
    {
      name: "recording alone: CPU",
      value: recording.corePercent,
      unit: "% of a core",
      peer: "one stream of 4 Mbit/s",
    },
  ];
  let socket = { added: 0, bytes: 1 };
  for (const count of VIEWERS) {
    const viewers = Array.from({ length: count }, () => new ByteViewer(service.httpPort, socketOpener(id)));
    const cost = await costOf(service.process.pid, windowMs, viewers);
    const added = cost.corePercent - recording.corePercent;
    if (count === ALL) socket = { added, bytes: cost.bytes };
    figures.push({
      name: `live socket, ${count} viewers: CPU over recording`,
      value: added,
      unit: "% of a core",
      ...(count === ALL ? { wanted: { atMost: CORE_PERCENT_MAX } } : {}),
      peer: `${(cost.bytes / 1e6 / (windowMs / 1000)).toFixed(1)} MB/s sent`,
    });
  }
  figures.push({
    name: `live socket, ${ALL} viewers: CPU`,
    value: ((socket.added / 100) * (windowMs / 1000)) / (socket.bytes / 1e9),
    unit: "CPU s/GB",
    wanted: { atMost: CPU_SECONDS_PER_GB_MAX },
    cell: { work: SOCKET_WORK, program: "nvrd" },
  });
  const video = Array.from({ length: ALL }, () => new ByteViewer(service.httpPort, videoOpener(id)));
  const cost = await costOf(service.process.pid, windowMs, video);
  const ofVideo = cost.corePercent - recording.corePercent;
  const peer = `${(cost.bytes / 1e6 / (windowMs / 1000)).toFixed(1)} MB/s sent`;
  figures.push(
    { name: `/video, ${ALL} viewers: CPU over recording`, value: ofVideo, unit: "% of a core", peer },
    {
      name: `/video, ${ALL} viewers: CPU`,
      value: ((ofVideo / 100) * (windowMs / 1000)) / (cost.bytes / 1e9),
      unit: "CPU s/GB",
      cell: { work: `${ALL} viewers of /video, CPU s/GB`, program: "nvrd" },
    },
    {
      name: `live socket's share of /video's CPU, ${ALL} viewers`,
      value: socket.added / ofVideo,
      unit: "x",
      wanted: { atMost: 0.5 },
      peer: "all that was sent",
    },
    {
      name: `live socket's share of /video's CPU, ${ALL} viewers`,
      value: socket.added / socket.bytes / (ofVideo / cost.bytes),
      unit: "x",
      peer: "for the same bytes: clients that get no time to read lose pictures",
    },
    ...(await delays(service, id, windowMs)),
  );
  return figures;
}

/** go2rtc's way to a browser: fragmented MP4 over a WebSocket. */
async function peerFigure(peer: PeerOptions, options: BenchOptions): Promise<Figure> {
  const [port = 0] = await freePorts(1);
  const go2rtc = await startGo2rtc(peer, port);
  try {
    const windowMs = options.quick ? WINDOW_MS / 2 : WINDOW_MS;
    const viewers = Array.from({ length: ALL }, () => new ByteViewer(port, mseOpener));
    const cost = await costOf(go2rtc.pid, windowMs, viewers);
    return {
      name: `go2rtc's MSE, ${ALL} viewers: CPU`,
      value: ((cost.corePercent / 100) * (windowMs / 1000)) / (cost.bytes / 1e9),
      unit: "CPU s/GB",
      cell: { work: SOCKET_WORK, program: "go2rtc" },
      peer: `${(cost.bytes / 1e6 / (windowMs / 1000)).toFixed(1)} MB/s sent`,
    };
  } finally {
    await go2rtc.stop();
  }
}

/** What the service uses while the viewers watch. */
async function costOf(
  pid: number,
  windowMs: number,
  viewers: readonly ByteViewer[],
): Promise<{ readonly corePercent: number; readonly bytes: number }> {
  await pause(SETTLE_MS);
  const received = (): number => viewers.reduce((sum, viewer) => sum + viewer.bytes, 0);
  const before = { bytes: received(), usage: usageOf([pid]), ms: performance.now() };
  await pause(windowMs);
  const seconds = (performance.now() - before.ms) / 1000;
  const cpuSeconds = usageOf([pid]).cpuSeconds - before.usage.cpuSeconds;
  const bytes = received() - before.bytes;
  for (const viewer of viewers) viewer.close();
  return { corePercent: (cpuSeconds / seconds) * 100, bytes };
}

/** From the hand-over by the service to the arrival here. */
async function delays(service: Service, id: string, windowMs: number): Promise<Figure[]> {
  const port = service.httpPort;
  const headers = [AUTHORIZATION];
  const client = new WebSocketClient({ port, path: "/api/live", protocol: "nvrd.live.1", headers });
  const delaysMs: number[] = [];
  const { width, height } = CAMERA_CLIP;
  client.send({ type: "hello", codecs: ["avc1"] });
  client.send({ type: "watch", id: 1, channel: id, tile: { width, height } });
  await pause(SETTLE_MS / 2);
  const until = performance.now() + windowMs;
  client.onBinary = (message) => {
    delaysMs.push(Date.now() - Number(message.readBigUInt64BE(16)) / 1000);
  };
  while (performance.now() < until) await pause(100);
  client.close();
  const name = "live socket: hand-over to a client";
  return [0.5, 0.95].map((share) => ({
    name: `${name}, p${share * 100}`,
    value: percentile(delaysMs, share),
    unit: "ms",
  }));
}

type Opener = (socket: Socket) => void;

const videoOpener =
  (id: string): Opener =>
  (socket) =>
    socket.write(`GET /video?channelid=${id} HTTP/1.1\r\nHost: nvr\r\n${AUTHORIZATION}\r\n\r\n`);

const socketOpener =
  (id: string): Opener =>
  (socket) => {
    upgrade(socket, "/api/live", ["Sec-WebSocket-Protocol: nvrd.live.1", AUTHORIZATION]);
    socket.once("data", () => {
      const watch = { type: "watch", id: 1, channel: id, tile: { width: 1920, height: 1080 } };
      for (const message of [{ type: "hello", codecs: ["avc1"] }, watch])
        socket.write(maskedText(JSON.stringify(message)));
      // As any client does.
      const pings = new PingAnswers((pong) => socket.write(pong));
      socket.on("data", (chunk: Buffer) => pings.take(chunk));
    });
  };

const mseOpener: Opener = (socket) => {
  upgrade(socket, "/api/ws?src=0", []);
  socket.once("data", () => {
    socket.write(maskedText(JSON.stringify({ type: "mse", value: "avc1.640029,avc1.42E01E" })));
  });
};

function upgrade(socket: Socket, path: string, headers: readonly string[]): void {
  const key = randomBytes(16).toString("base64");
  const names = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const all = [...names, `Sec-WebSocket-Key: ${key}`, ...headers];
  socket.write(`GET ${path} HTTP/1.1\r\nHost: nvr\r\n${all.join("\r\n")}\r\n\r\n`);
}

/** A text frame with a mask of zeros. */
function maskedText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length =
    bytes.length < 126 ? [0x80 | bytes.length] : [0x80 | 126, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), bytes]);
}

/** A viewer that counts bytes, so that a hundred of them cost little here. */
class ByteViewer {
  readonly #socket: Socket;
  bytes = 0;

  constructor(port: number, open: Opener) {
    this.#socket = connect(port, "127.0.0.1");
    open(this.#socket);
    this.#socket.on("data", (chunk: Buffer) => {
      this.bytes += chunk.length;
    });
    // The service is stopped while some still read.
    this.#socket.on("error", () => this.#socket.destroy());
  }

  close(): void {
    this.#socket.destroy();
  }
}
