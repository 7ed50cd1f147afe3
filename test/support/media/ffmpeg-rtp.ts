import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exitText } from "../service/background-process.js";

/** An encode of ffmpeg's, and the RTP packets ffmpeg made of the same encode. */
export interface RtpCapture {
  readonly packets: readonly Buffer[];
  /** The fmtp parameters of its SDP, names in lower case. */
  readonly fmtp: Record<string, string>;
  readonly payloadType: number;
  /** The encode as `-c copy` writes it in the format asked for. */
  readonly copy: Buffer;
}

export interface CaptureOptions {
  /** ffmpeg's input, filter and encoder options. */
  readonly encode: readonly string[];
  /** Output format of the copy to compare with: h264, hevc, m4v, mjpeg, mulaw, adts. */
  readonly copyFormat: string;
  readonly packetBytes?: number;
}

/** How fast ffmpeg sends: a clip of 2 s takes half a second, slowly enough for a socket's buffer. */
const READ_RATE = "4";

export async function captureRtp(options: CaptureOptions): Promise<RtpCapture> {
  const folder = await mkdtemp(join(tmpdir(), "nvrd-rtp-"));
  const socket = createSocket("udp4");
  try {
    const encode = join(folder, "encode.nut");
    const copyFile = join(folder, "copy");
    const sdpFile = join(folder, "sdp");
    await ffmpeg([...options.encode, encode]);
    await ffmpeg(["-i", encode, "-c", "copy", "-f", options.copyFormat, copyFile]);
    const packets: Buffer[] = [];
    socket.on("message", (message) => {
      if (!isRtcp(message)) packets.push(message);
    });
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    socket.setRecvBufferSize(4 * 1024 * 1024);
    const url = `rtp://127.0.0.1:${socket.address().port}?pkt_size=${options.packetBytes ?? 1200}`;
    await ffmpeg([
      "-readrate",
      READ_RATE,
      "-i",
      encode,
      "-c",
      "copy",
      "-f",
      "rtp",
      "-sdp_file",
      sdpFile,
      url,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const sdp = await readFile(sdpFile, "utf8");
    const payloadType = Number(/^m=\w+ \d+ RTP\/AVP (\d+)/m.exec(sdp)?.[1]);
    return { packets, fmtp: fmtpOf(sdp), payloadType, copy: await readFile(copyFile) };
  } finally {
    socket.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function isRtcp(packet: Buffer): boolean {
  const type = packet[1] ?? 0;
  return type >= 200 && type <= 204;
}

function fmtpOf(sdp: string): Record<string, string> {
  const parameters = /^a=fmtp:\d+ (.*)$/m.exec(sdp)?.[1] ?? "";
  const pairs = parameters.split(";").map((pair) => {
    const equals = pair.indexOf("=");
    return [pair.slice(0, equals).trim().toLowerCase(), pair.slice(equals + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

function ffmpeg(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("ffmpeg", ["-nostdin", "-loglevel", "error", "-y", ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    child.stderr.on("data", (data) => {
      errors += String(data);
    });
    child.on("error", reject);
    child.on("close", (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`ffmpeg ${args.join(" ")}: ${exitText({ code, signal })}: ${errors}`)),
    );
  });
}
