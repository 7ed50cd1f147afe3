import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { g711ToPcm } from "../../../src/live/codec/g711.js";
import type { TransportChoice } from "../../../src/rtsp/index.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { TlsProxy } from "../../support/http/tls-proxy.js";
import {
  adtsUnits,
  codedNalUnits,
  differenceFromLoop,
  jpegContents,
  mpeg4Pictures,
} from "../../support/media/elementary-stream.js";
import { hear } from "../../support/media/tone.js";
import {
  GST_PASSWORD,
  GST_USER,
  type GstAccess,
  type GstAudio,
  GstRtspServer,
  type GstVideo,
  PACKET_LENGTH_BYTES,
} from "../../support/rtsp/gst-rtsp-server.js";
import {
  lastReason,
  makeSource,
  type SeenFrame,
  type SourceHarness,
} from "../../support/rtsp/source-harness.js";

const VIDEO_FRAMES_WANTED = 40;
const credentials = { user: GST_USER, password: GST_PASSWORD };

const server = forAllTests(() => GstRtspServer.start());

/** Units of a clip as they are compared, of what was sent or of what was received. */
function unitsOf(name: GstVideo | GstAudio, stream: Buffer): Buffer[] {
  if (name === "mjpeg") return jpegContents(stream);
  if (name === "mpeg4") return mpeg4Pictures(stream);
  if (name === "aac" || name === "latm") return adtsUnits(stream);
  if (name === "opus" || name === "l16") return packetsOf(stream);
  return codedNalUnits(stream, name.startsWith("h264") ? "h264" : "h265");
}

/** What `GstRtspServer` wrote: packets behind their lengths. */
function packetsOf(stream: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const end = at + PACKET_LENGTH_BYTES + stream.readUInt16BE(at);
    packets.push(stream.subarray(at + PACKET_LENGTH_BYTES, end));
    at = end;
  }
  return packets;
}

async function record(
  harness: SourceHarness,
  withAudio: boolean,
): Promise<{ video: SeenFrame[]; audio: SeenFrame[] }> {
  harness.source.start();
  const count = (isAudio: boolean) => harness.frames.filter((frame) => frame.isAudio === isAudio).length;
  try {
    await harness.until(
      () => count(false) >= VIDEO_FRAMES_WANTED && (!withAudio || count(true) >= 20),
      15_000,
    );
  } finally {
    await harness.source.stop();
  }
  const { frames } = harness;
  return { video: frames.filter((frame) => !frame.isAudio), audio: frames.filter((frame) => frame.isAudio) };
}

async function expectSent(name: GstVideo | GstAudio, frames: readonly SeenFrame[]): Promise<void> {
  const clip = await server.clip(name);
  const bytes = frames.map((frame) => frame.bytes);
  if (name === "g726" || name === "aal2") {
    const heard = hear(g711ToPcm([Buffer.concat(bytes)], "mu"), 8000);
    expect([heard.frequency, heard.purity > 0.9]).toEqual([440, true]);
  } else if (name === "mulaw" || name === "l16") {
    const sent = name === "mulaw" ? clip : Buffer.concat(packetsOf(clip));
    expect(Buffer.concat([sent, sent, sent, sent]).includes(Buffer.concat(bytes))).toBe(true);
  } else {
    const received = WHOLE.has(name) ? bytes : bytes.flatMap((frame) => unitsOf(name, frame));
    expect(differenceFromLoop(received, unitsOf(name, clip))).toBeUndefined();
  }
}

function expectSound(frames: readonly SeenFrame[]): void {
  expect(frames[0]).toMatchObject({ key: true, discontinuity: true });
  expect(frames.slice(1).some((frame) => frame.discontinuity)).toBe(false);
  expect(frames.some((frame) => frame.damaged)).toBe(false);
  const times = frames.map((frame) => frame.decodeTimeUs);
  for (const [index, time] of times.entries())
    if (index > 0) expect(time).toBeGreaterThan(times[index - 1] ?? 0);
}

/** Of these a frame is what was sent in one piece. */
const WHOLE: ReadonlySet<string> = new Set(["aac", "latm", "opus"]);

const MATRIX: readonly (readonly [GstVideo, GstAudio | undefined, GstAccess, TransportChoice])[] = [
  ["h264", undefined, "none", "tcp"],
  ["h264", "mulaw", "digest", "udp"],
  ["h264b", "aac", "none", "tcp"],
  ["h264b", undefined, "basic", "udp"],
  ["h265", "mulaw", "none", "tcp"],
  ["h265", "aac", "digest", "tcp"],
  ["h265b", undefined, "none", "udp"],
  ["mjpeg", "mulaw", "basic", "tcp"],
  ["mjpeg", undefined, "none", "udp"],
  ["mpeg4", "aac", "digest", "tcp"],
  ["mpeg4", undefined, "none", "udp"],
  ["h264", "latm", "none", "tcp"],
  ["h264", "l16", "none", "udp"],
  ["h265", "opus", "none", "tcp"],
  ["h264", "g726", "none", "tcp"],
  ["h264", "aal2", "none", "udp"],
];

describe.concurrent("GStreamer's RTSP server", () => {
  for (const [video, audio, access, transport] of MATRIX) {
    it(`${video}${audio === undefined ? "" : ` with ${audio}`}, ${access}, ${transport}: byte for byte`, async () => {
      const url = server.url(audio === undefined ? video : `${video}-${audio}`, access);
      const harness = makeSource({
        url,
        transport,
        wantAudio: true,
        ...(access === "none" ? {} : { credentials }),
      });
      const seen = await record(harness, audio !== undefined);
      expectSound(seen.video);
      await expectSent(video, seen.video);
      if (audio !== undefined) await expectSent(audio, seen.audio);
      expect(harness.pool.idleBytes).toBe(harness.pool.allocatedBytes);
    });
  }

  it("B-frames: presentation times are those of the encoder, 40 ms apart but for settling", async () => {
    const { video } = await record(makeSource({ url: server.url("h264b") }), false);
    const steady = video.slice(5, VIDEO_FRAMES_WANTED - 3);
    expect(steady.some((frame) => frame.presentationOffsetUs > 0)).toBe(true);
    const shown = steady
      .map((frame) => frame.decodeTimeUs + frame.presentationOffsetUs)
      .sort((a, b) => a - b);
    // The ends of the run may miss neighbours that were decoded outside it.
    for (let index = 4; index < shown.length - 4; index += 1) {
      expect((shown[index] ?? 0) - (shown[index - 1] ?? 0)).toBeGreaterThan(34_000);
      expect((shown[index] ?? 0) - (shown[index - 1] ?? 0)).toBeLessThan(46_000);
    }
  });

  for (const access of ["none", "digest"] as const) {
    it(`h264 with aac, ${access}, through HTTP: byte for byte`, async () => {
      const url = server.url("h264-aac", access).replace("rtsp:", "rtsp+http:");
      const harness = makeSource({ url, wantAudio: true, ...(access === "none" ? {} : { credentials }) });
      const seen = await record(harness, true);
      await expectSent("h264", seen.video);
      await expectSent("aac", seen.audio);
      expect(harness.pool.idleBytes).toBe(harness.pool.allocatedBytes);
    });
  }

  it("461 to TCP: falls back to UDP by itself", async () => {
    const harness = makeSource({ url: server.url("h264", "udpOnly"), transport: "auto" });
    const { video } = await record(harness, false);
    await expectSent("h264", video);
    expect(harness.source.attempts).toBe(1);
  });

  it("461 to TCP with TCP only: the reason says so", async () => {
    const harness = makeSource({ url: server.url("h264", "udpOnly"), transport: "tcp" });
    harness.source.start();
    await harness.until(() => lastReason(harness) !== "");
    await harness.source.stop();
    expect(lastReason(harness)).toContain("choose another transport");
  });

  it("wrong password: unauthorized, one attempt", async () => {
    const wrong = { user: GST_USER, password: "guess" };
    const harness = makeSource({ url: server.url("h264", "digest"), credentials: wrong });
    harness.source.start();
    await harness.until(() => lastReason(harness) !== "");
    await harness.source.stop();
    expect(lastReason(harness)).toContain("refuses user name or password");
    expect(harness.source.attempts).toBe(1);
  });
});

describe("RTSPS", () => {
  let proxy: TlsProxy;
  beforeAll(async () => {
    proxy = await TlsProxy.start(Number(new URL(server.url("h264").replace("rtsp:", "http:")).port));
  });
  afterAll(() => proxy?.stop());
  const url = () => `rtsps://127.0.0.1:${proxy.port}/h264`;

  it("accepts a camera's self-signed certificate, and data byte for byte", async () => {
    const { video } = await record(makeSource({ url: url() }), false);
    expectSound(video);
    await expectSent("h264", video);
  });

  it("through HTTPS: byte for byte", async () => {
    const { video } = await record(makeSource({ url: url().replace("rtsps:", "rtsp+https:") }), false);
    await expectSent("h264", video);
  });

  it("refuses it if certificates must be verified, and reports it", async () => {
    const harness = makeSource({ url: url(), verifyCertificate: true });
    harness.source.start();
    await harness.until(() => lastReason(harness) !== "");
    await harness.source.stop();
    expect(lastReason(harness)).toContain("secure connection");
    expect(harness.frames).toHaveLength(0);
  });
});
