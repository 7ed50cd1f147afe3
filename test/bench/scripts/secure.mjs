// What receiving costs over plain RTSP, TLS, HTTP and SRTP: one process receives paced streams of H.264 with RtspSource and throws the
// pictures away, another one sends them. Processor time of the receiving one.
// Runs on dist: npm run build, then node test/bench/scripts/secure.mjs [--quick] [--json]
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { generate } from "selfsigned";
import { createLog, SystemClock } from "../../../dist/base/index.js";
import { LiveStream, SlabPool } from "../../../dist/live/index.js";
import { ReadTicker, RtspSource } from "../../../dist/rtsp/index.js";
import { SrtpKey } from "../../../dist/rtsp/rtp/srtp-keys.js";
import { SrtpSession } from "../../../dist/rtsp/rtp/srtp-session.js";
import { SRTP_SUITES } from "../../../dist/rtsp/rtp/srtp-suite.js";

const STREAMS = 8;
const PICTURES_A_SECOND = 25;
const PICTURE_MS = 1000 / PICTURES_A_SECOND;
/** 4 Mbit/s a stream. */
const PICTURE_BYTES = 18_400;
const KEY_BYTES = 60_000;
const GOP_PICTURES = 50;
const PACKET_BYTES = 1400;
const TICKS = 90_000 / PICTURES_A_SECOND;
const SETTLE_MS = 20_000;
const WINDOW_MS = 15_000;
const QUICK_SETTLE_MS = 5000;
const QUICK_WINDOW_MS = 5000;
const TICK_MS = 200;
const SPROP = "Z2QAC6zZQoR+XAWyAAADAAIAAAMAZB4oUyw=,aOvjyyLA";
const MASTER = Buffer.from(Array.from({ length: 46 }, (_, at) => at + 1));

const WAYS = [
  { way: "RTSP", scheme: "rtsp" },
  { way: "RTSPS", scheme: "rtsps" },
  { way: "RTSP through HTTP", scheme: "rtsp+http" },
  { way: "RTSP through HTTPS", scheme: "rtsp+https" },
  { way: "RTSPS with SRTP (AES-CM, HMAC-SHA1)", scheme: "rtsps", suite: "AES_CM_128_HMAC_SHA1_80" },
  { way: "RTSPS with SRTP (AES-GCM)", scheme: "rtsps", suite: "AEAD_AES_128_GCM" },
];

/** The RTP payloads of a picture's slice: FU-A (RFC 6184, 5.8). */
function payloadsOf(isKey) {
  const slice = Buffer.alloc(isKey ? KEY_BYTES : PICTURE_BYTES, 0x35);
  slice[0] = isKey ? 0x88 : 0x9a;
  const payloads = [];
  for (let at = 0; at < slice.length; at += PACKET_BYTES) {
    const end = Math.min(slice.length, at + PACKET_BYTES);
    const header = (at === 0 ? 0x80 : 0) | (end === slice.length ? 0x40 : 0) | (isKey ? 5 : 1);
    payloads.push(Buffer.concat([Buffer.from([0x7c, header]), slice.subarray(at, end)]));
  }
  return payloads;
}

const keyOf = (name) => {
  const suite = SRTP_SUITES.find((one) => one.name === name);
  return new SrtpKey(suite, MASTER.subarray(0, suite.keyBytes + suite.saltBytes));
};

/** One stream that is being sent. */
class Sending {
  #picture = 0;
  #sequence = 0;
  #socket;
  #session;

  constructor(socket, suite) {
    this.#socket = socket;
    this.#session =
      suite === undefined ? undefined : new SrtpSession([keyOf(suite)], { rejectsRepeated: false });
  }

  send(payloads) {
    const pieces = [];
    for (const [at, payload] of payloads.entries()) {
      const packet = Buffer.alloc(12 + payload.length);
      packet[0] = 0x80;
      packet[1] = 96 | (at === payloads.length - 1 ? 0x80 : 0);
      packet.writeUInt16BE(this.#sequence & 0xffff, 2);
      packet.writeUInt32BE((this.#picture * TICKS) >>> 0, 4);
      packet.writeUInt32BE(7, 8);
      payload.copy(packet, 12);
      this.#sequence += 1;
      const sent = this.#session?.sealRtp(packet) ?? packet;
      pieces.push(Buffer.from([0x24, 0, sent.length >> 8, sent.length & 0xff]), sent);
    }
    this.#picture += 1;
    this.#socket.write(Buffer.concat(pieces));
  }

  get isKeyNext() {
    return this.#picture % GOP_PICTURES === 0;
  }
}

/** The sending process: answers every dialogue, and sends to whoever plays. */
async function camera(suite) {
  const sendings = new Set();
  const tunnels = new Map();
  const [key, inter] = [payloadsOf(true), payloadsOf(false)];
  setInterval(() => {
    for (const sending of sendings) sending.send(sending.isKeyNext ? key : inter);
  }, PICTURE_MS);

  const profile = suite === undefined ? "RTP/AVP" : "RTP/SAVP";
  const bytes = suite === undefined ? 0 : keyOf(suite).suite.keyBytes + keyOf(suite).suite.saltBytes;
  const crypto =
    suite === undefined ? [] : [`a=crypto:1 ${suite} inline:${MASTER.subarray(0, bytes).toString("base64")}`];
  const sdp = [
    ...["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=camera", "t=0 0", `m=video 0 ${profile} 96`],
    ...["a=rtpmap:96 H264/90000", `a=fmtp:96 packetization-mode=1;sprop-parameter-sets=${SPROP}`],
    ...["a=control:trackID=1", ...crypto, ""],
  ].join("\r\n");

  const answer = (request, socket) => {
    const [method] = request.split(" ");
    const sequence = /CSeq: (\d+)/i.exec(request)?.[1];
    const lines = ["RTSP/1.0 200 OK", `CSeq: ${sequence}`, "Session: 1;timeout=60"];
    if (method === "SETUP") lines.push(`Transport: ${profile}/TCP;unicast;interleaved=0-1`);
    if (method === "DESCRIBE") lines.push("Content-Type: application/sdp", `Content-Length: ${sdp.length}`);
    socket.write(`${lines.join("\r\n")}\r\n\r\n${method === "DESCRIBE" ? sdp : ""}`);
    if (method !== "PLAY") return;
    const sending = new Sending(socket, suite);
    sendings.add(sending);
    socket.on("close", () => sendings.delete(sending));
  };
  const serve = (socket) => {
    let text = "";
    let out = socket;
    let isBase64 = false;
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      const piece = chunk.toString("latin1");
      text += isBase64 ? Buffer.from(piece, "base64").toString("latin1") : piece;
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        // What precedes a request are receiver reports.
        const request = /[A-Z_]{3,} \S+ (?:RTSP|HTTP)[\s\S]*/.exec(text.slice(0, end))?.[0] ?? "";
        text = text.slice(end + 4);
        const cookie = /x-sessioncookie: (\S+)/.exec(request)?.[1];
        if (request.startsWith("GET ")) {
          tunnels.set(cookie, socket);
          socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/x-rtsp-tunnelled\r\n\r\n");
        } else if (request.startsWith("POST ")) {
          out = tunnels.get(cookie);
          isBase64 = true;
          text = Buffer.from(text, "base64").toString("latin1");
        } else if (request !== "") answer(request, out);
      }
    });
  };
  const made = await generate([{ name: "commonName", value: "camera" }], { keySize: 2048 });
  const plain = createServer(serve).listen(0, "127.0.0.1");
  const secure = createTlsServer({ key: made.private, cert: made.cert }, serve).listen(0, "127.0.0.1");
  await Promise.all([once(plain, "listening"), once(secure, "listening")]);
  process.send({ plain: plain.address().port, secure: secure.address().port });
}

async function measure({ scheme, suite }, { settleMs, windowMs }) {
  const child = fork(import.meta.filename, ["camera", suite ?? ""]);
  const [ports] = await once(child, "message");
  const port = scheme.endsWith("s") ? ports.secure : ports.plain;
  const clock = new SystemClock();
  const pool = new SlabPool({ slabBytes: 1024 * 1024, totalBytesMax: 256 * 1024 * 1024 });
  const ticker = new ReadTicker({ clock, periodMs: TICK_MS });
  const log = createLog({ level: "silent" });
  const count = { bytes: 0, frames: 0 };
  const sources = Array.from({ length: STREAMS }, (_, at) => {
    const channelId = `00000000-0000-0000-0000-${String(at).padStart(12, "0")}`;
    const stream = new LiveStream({ channelId, streamType: "Main" });
    const onFrame = ({ byteLength }) => {
      count.bytes += byteLength;
      count.frames += 1;
    };
    stream.subscribe({ onFrame }, { fromGop: false, atOnce: false });
    const url = `${scheme}://127.0.0.1:${port}/live`;
    const common = { transport: "tcp", random: () => 0.5, wantAudio: false };
    return new RtspSource({ url, ...common, stream, pool, clock, ticker, log });
  });
  for (const source of sources) source.start();
  await pause(settleMs);
  const [before, bytes, frames] = [process.cpuUsage(), count.bytes, count.frames];
  await pause(windowMs);
  const { user, system } = process.cpuUsage(before);
  const received = { bytes: count.bytes - bytes, frames: count.frames - frames };
  for (const source of sources) await source.stop();
  child.kill();
  if (received.frames < (STREAMS * windowMs) / PICTURE_MS / 2)
    throw new Error(`only ${received.frames} pictures came over ${scheme}`);
  return (user + system) / 1e6 / (received.bytes / 1e9);
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function main() {
  const isQuick = process.argv.includes("--quick");
  const times = isQuick
    ? { settleMs: QUICK_SETTLE_MS, windowMs: QUICK_WINDOW_MS }
    : { settleMs: SETTLE_MS, windowMs: WINDOW_MS };
  const rows = [];
  for (const [at, { way }] of WAYS.entries()) {
    // A process each: none is measured with code that another one had compiled.
    const receiver = fork(import.meta.filename, ["receiver", String(at), JSON.stringify(times)]);
    const [cpuSecondsPerGigabyte] = await Promise.race([
      once(receiver, "message"),
      once(receiver, "exit").then(() => Promise.reject(new Error(`${way} could not be measured`))),
    ]);
    rows.push({ way, cpuSecondsPerGigabyte: Number(cpuSecondsPerGigabyte.toFixed(2)) });
  }
  if (process.argv.includes("--json")) console.log(JSON.stringify({ streams: STREAMS, rows }));
  else console.table(rows);
}

const [, , role, subject, times] = process.argv;
if (role === "camera") await camera(subject === "" ? undefined : subject);
else if (role === "receiver") {
  process.send(await measure(WAYS[Number(subject)], JSON.parse(times)));
  process.disconnect();
} else await main();
