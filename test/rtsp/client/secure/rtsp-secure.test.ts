import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { PeerKey } from "../../../../src/rtsp/client/socket/peer-key.js";
import { SrtpKey } from "../../../../src/rtsp/rtp/srtp-keys.js";
import { SrtpSession } from "../../../../src/rtsp/rtp/srtp-session.js";
import { SRTP_SUITES } from "../../../../src/rtsp/rtp/srtp-suite.js";
import { temporaryDirectory } from "../../../support/base/temporary-directory.js";
import { encodeClip, GST_CLIPS } from "../../../support/camera/camera-clips.js";
import { TlsProxy } from "../../../support/http/tls-proxy.js";
import { codedNalUnits, differenceFromLoop } from "../../../support/media/elementary-stream.js";
import {
  cameraAnswers,
  describeReply,
  interleaved,
  keyFramePayload,
  reply,
  rtpPacket,
  type ScriptedAnswer,
  ScriptedRtspServer,
  VIDEO_SDP,
} from "../../../support/rtsp/scripted-rtsp-server.js";
import {
  type HarnessOptions,
  lastReason,
  makeSource,
  type SourceHarness,
} from "../../../support/rtsp/source-harness.js";

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

interface SecureCamera {
  readonly camera: ScriptedRtspServer;
  readonly proxy: TlsProxy;
  readonly harness: SourceHarness;
}

/** A scripted camera behind TLS, and a source for it. */
async function secureCamera(
  answers: Readonly<Record<string, ScriptedAnswer>> = {},
  options: Partial<HarnessOptions> = {},
): Promise<SecureCamera> {
  const camera = await new ScriptedRtspServer(cameraAnswers(answers)).start();
  const proxy = await TlsProxy.start(camera.port);
  const harness = makeSource({ url: `rtsps://127.0.0.1:${proxy.port}/live`, ...options });
  open.push(camera, proxy, harness.source);
  harness.source.start();
  return { camera, proxy, harness };
}

const isLost = ({ harness }: SecureCamera): Promise<void> => harness.until(() => lastReason(harness) !== "");

describe("the key of a camera's certificate", () => {
  test("is asked about with its port before anything is sent", async () => {
    const asked: [number, PeerKey][] = [];
    const acceptsKey = (port: number, key: PeerKey): boolean => asked.push([port, key]) > 0;
    const made = await secureCamera({}, { acceptsKey });
    await made.harness.until(() => made.harness.frames.length >= 3);
    expect(asked).toEqual([[made.proxy.port, { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]]);
  });

  test("that is not the expected one ends the attempt, with nothing sent", async () => {
    const made = await secureCamera(
      {},
      { acceptsKey: () => false, credentials: { user: "u", password: "p" } },
    );
    await isLost(made);
    expect(lastReason(made.harness)).toMatch(/^127\.0\.0\.1:\d+ shows another certificate than before/);
    expect(made.harness.states.at(-1)).toMatchObject({ cause: "certificate-changed" });
    expect(made.camera.requests).toEqual([]);
  });

  test("is the same where the certificate is renewed with it, and another with a new key", async () => {
    const keys = new Set<string>();
    const acceptsKey = (_port: number, { sha256 }: PeerKey): boolean => keys.add(sha256).size > 0;
    const made = await secureCamera({}, { acceptsKey });
    const again = async (renewed: "same key" | "new key"): Promise<void> => {
      const { length } = made.harness.frames;
      made.proxy.renew(renewed);
      for (const socket of made.camera.sockets) socket.destroy();
      await made.harness.until(() => made.harness.frames.length > length);
    };
    await made.harness.until(() => made.harness.frames.length >= 3);
    await again("same key");
    expect(keys.size).toBe(1);
    await again("new key");
    expect(keys.size).toBe(2);
  });
});

test("pictures that are not protected themselves do not leave TLS for UDP", async () => {
  const made = await secureCamera({}, { transport: "udp" });
  await made.harness.until(() => made.harness.frames.length >= 3);
  expect(made.camera.find("SETUP")?.headers.get("transport")).toContain("RTP/AVP/TCP");
});

const SUITE = SRTP_SUITES.find(({ name }) => name === "AES_CM_128_HMAC_SHA1_80") ?? SRTP_SUITES[0];
const MASTER = Buffer.from(Array.from({ length: 30 }, (_, at) => 3 * at + 1));
const CRYPTO = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${MASTER.toString("base64")}|2^31`;
const SRTP_SDP = [...VIDEO_SDP.map((line) => line.replace("RTP/AVP", "RTP/SAVP")), CRYPTO];

/** Protected key frames `from` to `to`. */
function protectedFrames(from: number, to: number, master = MASTER): Buffer {
  if (SUITE === undefined) throw new Error("no suite");
  const session = new SrtpSession([new SrtpKey(SUITE, master)], { rejectsRepeated: false });
  const packets: Buffer[] = [];
  for (let index = from; index <= to; index += 1) {
    const packet = rtpPacket({ sequence: index, timestamp: index * 3600, payload: keyFramePayload(index) });
    packets.push(interleaved(0, session.sealRtp(packet)));
  }
  return Buffer.concat(packets);
}

/** Protected packets of G.711 `from` to `to`, on the channel of the pictures. */
function soundPackets(from: number, to: number): Buffer {
  if (SUITE === undefined) throw new Error("no suite");
  const session = new SrtpSession([new SrtpKey(SUITE, MASTER)], { rejectsRepeated: false });
  const packets: Buffer[] = [];
  for (let index = from; index <= to; index += 1) {
    const fields = {
      sequence: index,
      timestamp: index * 160,
      payload: Buffer.alloc(160, 0x55),
      ssrc: 0x55667788,
    };
    const packet = rtpPacket(fields);
    packet[1] = 0;
    packets.push(interleaved(0, session.sealRtp(packet)));
  }
  return Buffer.concat(packets);
}

const playing = (frames: Buffer): Readonly<Record<string, ScriptedAnswer>> => ({
  DESCRIBE: () => describeReply(SRTP_SDP),
  SETUP: () => reply(200, ["Session: 4711;timeout=60", "Transport: RTP/SAVP/TCP;unicast;interleaved=0-1"]),
  PLAY: () => Buffer.concat([Buffer.from(reply(200, ["Session: 4711"])), frames]),
});

describe("SRTP by the keys of the description", () => {
  test("is received over RTSPS, as its profile is asked for", async () => {
    const made = await secureCamera(playing(protectedFrames(1, 3)));
    await made.harness.until(() => made.harness.frames.length >= 3);
    expect(made.camera.find("SETUP")?.headers.get("transport")).toBe("RTP/SAVP/TCP;unicast;interleaved=0-1");
    expect(made.harness.frames.every(({ damaged }) => !damaged)).toBe(true);
    for (const [at, frame] of made.harness.frames.entries())
      expect(frame.bytes.includes(keyFramePayload(at + 1))).toBe(true);
  });

  test("is received by keys that the description names for all sections", async () => {
    const sdp = SRTP_SDP.filter((line) => line !== CRYPTO);
    const at = sdp.findIndex((line) => line.startsWith("m="));
    const made = await secureCamera({
      ...playing(protectedFrames(1, 3)),
      DESCRIBE: () => describeReply([...sdp.slice(0, at), CRYPTO, ...sdp.slice(at)]),
    });
    await made.harness.until(() => made.harness.frames.length >= 3);
    expect(made.harness.frames.every(({ damaged }) => !damaged)).toBe(true);
  });

  test("is refused where the keys come unencrypted", async () => {
    const camera = await new ScriptedRtspServer(cameraAnswers(playing(protectedFrames(1, 3)))).start();
    const harness = makeSource({ url: camera.url });
    open.push(camera, harness.source);
    harness.source.start();
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toContain("use rtsps://");
    expect(harness.states.at(-1)).toMatchObject({ cause: "insecure" });
    expect(camera.find("SETUP")).toBeUndefined();
  });

  test("is received where the camera sends pictures and sound on one channel", async () => {
    const sound = ["m=audio 0 RTP/SAVP 0", "a=control:trackID=2", CRYPTO];
    const made = await secureCamera(
      {
        ...playing(Buffer.concat([soundPackets(1, 5), protectedFrames(1, 3), soundPackets(6, 10)])),
        DESCRIBE: () => describeReply([...SRTP_SDP, ...sound]),
      },
      { wantAudio: true },
    );
    const count = (isAudio: boolean) =>
      made.harness.frames.filter((frame) => frame.isAudio === isAudio).length;
    await made.harness.until(() => count(false) >= 3 && count(true) >= 5);
    expect(made.harness.logLines.join("")).not.toContain("do not fit its SRTP keys");
  });

  test("with another key than the described one is reported as such", async () => {
    const made = await secureCamera(playing(protectedFrames(1, 3, Buffer.alloc(30, 9))), {
      timeouts: { firstFrameMs: 300 },
    });
    await isLost(made);
    expect(lastReason(made.harness)).toContain("do not fit the keys that it names (SRTP)");
    expect(made.harness.logLines.join("")).toContain("do not fit its SRTP keys");
  });

  test("with a suite that is not known is reported as such", async () => {
    const DESCRIBE = () =>
      describeReply(SRTP_SDP.map((line) => line.replace("AES_CM_128_HMAC_SHA1_80", "F8_128")));
    const made = await secureCamera({ DESCRIBE });
    await isLost(made);
    expect(lastReason(made.harness)).toContain("video H264 with SRTP keys that are not supported");
  });

  test.each([
    ["by MIKEY", "RTP/SAVP", ["a=key-mgmt:mikey AQAFgM0XflABAAAAAAAAAAAAAAsAyO"], "with SRTP keys by MIKEY"],
    [
      "by DTLS",
      "UDP/TLS/RTP/SAVPF",
      ["a=fingerprint:sha-256 0F:74:31:25:CB:A2:13:EC:28:6F:6D:2C:61:FF:5D:C2", "a=setup:actpass"],
      "with SRTP keys by DTLS",
    ],
    ["nowhere", "RTP/SAVP", [], "with SRTP and without keys"],
  ])("with keys that come %s is reported as such, with what to do", async (_, protocol, lines, problem) => {
    const sdp = [...VIDEO_SDP.map((line) => line.replace("RTP/AVP", protocol)), ...lines];
    const made = await secureCamera({ DESCRIBE: () => describeReply(sdp) });
    await isLost(made);
    expect(lastReason(made.harness)).toContain(`video H264 ${problem}`);
    expect(lastReason(made.harness)).toContain("switch SRTP off in the camera");
  });

  test("leaves no key in the log", async () => {
    const made = await secureCamera(playing(protectedFrames(1, 3)));
    await made.harness.until(() => made.harness.frames.length >= 3);
    await made.harness.source.stop();
    const log = made.harness.logLines.join("");
    expect(log).not.toContain(MASTER.toString("base64").slice(0, 12));
    expect(log).not.toContain(MASTER.toString("hex").slice(0, 12));
  });

  test("as ffmpeg sends it over UDP: byte for byte", async () => {
    const directory = await temporaryDirectory();
    const { file } = await encodeClip(directory, "clip", { ...GST_CLIPS.h264, seconds: 2 });
    await ffmpegOverUdp(join(directory, file));
  });
});

/** ffmpeg as the camera's sender of packets: its SRTP is an implementation of its own. */
async function ffmpegOverUdp(file: string): Promise<void> {
  const senders: { stop(): Promise<void> }[] = [];
  let clientPort = "";
  const SETUP: ScriptedAnswer = ({ headers }) => {
    clientPort = /client_port=(\d+)/.exec(headers.get("transport") ?? "")?.[1] ?? "";
    const ports = `client_port=${clientPort}-${Number(clientPort) + 1};server_port=40000-40001`;
    return reply(200, ["Session: 4711;timeout=60", `Transport: RTP/SAVP;unicast;${ports}`]);
  };
  const PLAY: ScriptedAnswer = () => {
    const protection = [
      "-srtp_out_suite",
      "AES_CM_128_HMAC_SHA1_80",
      "-srtp_out_params",
      MASTER.toString("base64"),
    ];
    const input = ["-re", "-stream_loop", "-1", "-f", "h264", "-i", file, "-c", "copy"];
    const target = ["-f", "rtp", ...protection, `srtp://127.0.0.1:${clientPort}?pkt_size=1200`];
    const child = spawn("ffmpeg", ["-v", "error", ...input, ...target], { stdio: "ignore" });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    senders.push({
      stop: async () => {
        child.kill("SIGKILL");
        await ended;
      },
    });
    return reply(200, ["Session: 4711"]);
  };
  const answers = { ...playing(Buffer.alloc(0)), SETUP, PLAY };
  try {
    const { harness, camera } = await secureCamera(answers, { transport: "udp" });
    await harness.until(() => harness.frames.length >= 20);
    await harness.source.stop();
    expect(camera.find("SETUP")?.headers.get("transport")).toMatch(/^RTP\/SAVP;unicast;client_port=/);
    const sent = codedNalUnits(await readFile(file), "h264");
    const received = harness.frames.flatMap(({ bytes }) => codedNalUnits(bytes, "h264"));
    expect(differenceFromLoop(received, sent)).toBeUndefined();
    expect(harness.frames.some(({ damaged }) => damaged)).toBe(false);
  } finally {
    for (const sender of senders) await sender.stop();
  }
}
