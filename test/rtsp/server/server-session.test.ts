import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { RtspServer } from "../../../src/rtsp/server/index.js";
import { SIMULATED_START_US, SimulatedClock } from "../../support/base/simulated-clock.js";
import { HAND_PPS, HAND_SPS, HandSource, handSlice } from "../../support/rtsp/hand-source.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { readRtp, reassembleH264 } from "../../support/rtsp/rtp-reassembly.js";

const TCP = { Transport: "RTP/AVP/TCP;unicast;interleaved=0-1" };
let clock: SimulatedClock;
let source: HandSource;
let server: RtspServer;
let port: number;
const clients: RawRtspClient[] = [];

beforeEach(async () => {
  clock = new SimulatedClock();
  source = new HandSource();
  const mounts = new Map([["/hand", source]]);
  server = new RtspServer({
    listen: "127.0.0.1",
    port: 0,
    mounts,
    clock,
    log: createLog({ level: "silent" }),
    connectionsMax: 3,
  });
  ({ port } = await server.start());
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await server.stop();
  expect(server.connections).toBe(0);
  expect(source.sinks.size).toBe(0);
});

async function connect(): Promise<RawRtspClient> {
  const client = await RawRtspClient.connect(port);
  clients.push(client);
  return client;
}

const url = () => `rtsp://127.0.0.1:${port}/hand`;

async function play(client: RawRtspClient, tracks = 1): Promise<string> {
  let session = "";
  for (let track = 0; track < tracks; track++) {
    const transport = { Transport: `RTP/AVP/TCP;unicast;interleaved=${track * 2}-${track * 2 + 1}` };
    const headers = session === "" ? transport : { ...transport, Session: session };
    const response = await client.request("SETUP", `${url()}/trackID=${track}`, headers);
    expect(response.status).toBe(200);
    session = response.headers.get("session")?.split(";")[0] ?? "";
  }
  expect((await client.request("PLAY", `${url()}/`, { Session: session })).status).toBe(200);
  return session;
}

const rtpOf = (client: RawRtspClient, channel = 0) =>
  client.packets.filter((one) => one.channel === channel).map((one) => readRtp(one.packet));

describe("RTSP server", () => {
  it("describes tracks with parameter sets, a Content-Base without credentials and a clean title", async () => {
    const client = await connect();
    const response = await client.request("DESCRIBE", `rtsp://user:secret@127.0.0.1:${port}/hand`, {
      Accept: "application/sdp",
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-base")).toBe(`rtsp://127.0.0.1:${port}/hand/`);
    const lines = response.body.split("\r\n");
    expect(lines).toContain("s=Hand  made");
    expect(lines).toContain("m=video 0 RTP/AVP 96");
    expect(lines).toContain(
      `a=fmtp:96 packetization-mode=1;profile-level-id=64001e;sprop-parameter-sets=${HAND_SPS.toString("base64")},${HAND_PPS.toString("base64")}`,
    );
    expect(lines).toContain("a=rtpmap:0 PCMU/8000");
    expect(lines.filter((line) => line.startsWith("a=control:"))).toEqual([
      "a=control:*",
      "a=control:trackID=0",
      "a=control:trackID=1",
    ]);
  });

  it("starts a viewer with a whole key frame, sound with the picture", async () => {
    const client = await connect();
    await play(client, 2);
    source.send({ atUs: 0, bytes: Buffer.alloc(160, 1), audio: true });
    source.send({ atUs: 0, bytes: handSlice(false, 1) });
    source.send({ atUs: 40_000, bytes: handSlice(true, 2), key: true, damaged: true, undecodable: true });
    source.send({ atUs: 80_000, bytes: handSlice(true, 3), key: true });
    source.send({ atUs: 90_000, bytes: Buffer.alloc(160, 2), audio: true });
    source.send({ atUs: 120_000, bytes: handSlice(false, 4) });
    await client.until(() => rtpOf(client).length >= 2 && rtpOf(client, 2).length >= 1);
    const video = rtpOf(client);
    expect(reassembleH264(video.map((packet) => packet.payload)).map((nal) => nal[1])).toEqual([3, 4]);
    expect(rtpOf(client, 2).map((packet) => packet.payload[0])).toEqual([2]);
    expect((video[1]?.timestamp ?? 0) - (video[0]?.timestamp ?? 0)).toBe(3600);
    expect(((video[1]?.sequence ?? 0) - (video[0]?.sequence ?? 0)) & 0xffff).toBe(1);
  });

  it("sends sender reports that tie the RTP clock to the wall clock, with counts and CNAME", async () => {
    const client = await connect();
    await play(client);
    source.send({ atUs: 0, bytes: handSlice(true, 1), key: true });
    await client.until(() => client.packets.some((one) => one.channel === 1));
    for (let second = 0; second < 5; second++) clock.advance(1_000_000);
    await client.until(() => client.packets.filter((one) => one.channel === 1).length === 2);
    const [rtp] = rtpOf(client);
    const [first, second] = client.packets.filter((one) => one.channel === 1).map((one) => one.packet);
    expect([first?.[1], first?.readUInt32BE(4)]).toEqual([200, rtp?.ssrc]);
    expect(first?.readUInt32BE(8)).toBe(SIMULATED_START_US / 1_000_000 + 2_208_988_800);
    expect(first?.readUInt32BE(16)).toBe(rtp?.timestamp);
    expect([first?.readUInt32BE(20), first?.readUInt32BE(24)]).toEqual([1, 21]);
    expect(first?.[29]).toBe(202);
    const ticks = ((second?.readUInt32BE(16) ?? 0) - (first?.readUInt32BE(16) ?? 0) + 2 ** 32) % 2 ** 32;
    expect(ticks).toBe(5 * 90_000);
  });

  it("gives each viewer its own SSRC and starts", async () => {
    const [one, other] = [await connect(), await connect()];
    await play(one);
    await play(other);
    source.send({ atUs: 0, bytes: handSlice(true, 1), key: true });
    await one.until(() => rtpOf(one).length > 0);
    await other.until(() => rtpOf(other).length > 0);
    expect(rtpOf(one)[0]?.ssrc).not.toBe(rtpOf(other)[0]?.ssrc);
    expect(rtpOf(one)[0]?.payload).toEqual(rtpOf(other)[0]?.payload);
  });

  it("stops on PAUSE and continues with a key frame on PLAY", async () => {
    const client = await connect();
    const session = await play(client);
    source.send({ atUs: 0, bytes: handSlice(true, 1), key: true });
    expect((await client.request("PAUSE", url(), { Session: session })).status).toBe(200);
    expect(source.sinks.size).toBe(0);
    expect((await client.request("PLAY", url(), { Session: session })).status).toBe(200);
    source.send({ atUs: 80_000, bytes: handSlice(false, 2) });
    source.send({ atUs: 120_000, bytes: handSlice(true, 3), key: true });
    await client.until(() => rtpOf(client).length === 2);
    expect(rtpOf(client).map((packet) => packet.payload[1])).toEqual([1, 3]);
  });

  it("sends RTCP BYE and closes when the source ends", async () => {
    const client = await connect();
    await play(client);
    source.send({ atUs: 0, bytes: handSlice(true, 1), key: true });
    for (const sink of [...source.sinks]) sink.onEnd("the camera was removed");
    await client.until(() => client.closed);
    const farewell = client.packets.at(-1)?.packet;
    expect(farewell?.subarray(-8)[1]).toBe(203);
  });

  it.each([
    ["UDP", "SETUP", { Transport: "RTP/AVP;unicast;client_port=5000-5001" }, 461],
    ["no transport", "SETUP", {}, 461],
    ["PLAY without SETUP", "PLAY", {}, 454],
    ["an unknown session", "TEARDOWN", { Session: "nobody" }, 454],
    ["a required feature", "DESCRIBE", { Require: "onvif-replay" }, 551],
    ["an answer format we do not have", "DESCRIBE", { Accept: "text/html" }, 406],
    ["an unknown method", "RECORD", {}, 501],
    ["a keep-alive without session", "GET_PARAMETER", {}, 200],
  ])("answers %s", async (_, method, headers, status) => {
    const client = await connect();
    expect((await client.request(method, `${url()}/trackID=0`, headers)).status).toBe(status);
  });

  it("answers unknown paths 404, unknown tracks 404, parameters 451, a missing CSeq 400, RTSP/2.0 505", async () => {
    const client = await connect();
    expect((await client.request("DESCRIBE", `rtsp://127.0.0.1:${port}/other`)).status).toBe(404);
    expect((await client.request("SETUP", `${url()}/trackID=7`, TCP)).status).toBe(404);
    expect((await client.request("SET_PARAMETER", url(), {}, "brightness: 3")).status).toBe(451);
    expect((await client.exchange("OPTIONS * RTSP/1.0\r\n\r\n")).status).toBe(400);
    expect((await client.exchange("OPTIONS * RTSP/2.0\r\nCSeq: 1\r\n\r\n")).status).toBe(505);
  });

  it("allows one stream per session, and only free channels", async () => {
    const client = await connect();
    const first = await client.request("SETUP", `${url()}/trackID=0`, TCP);
    const second = await client.request("SETUP", `${url()}/trackID=1`, TCP);
    expect(first.headers.get("transport")).toContain("interleaved=0-1");
    expect(second.headers.get("transport")).toContain("interleaved=2-3");
    expect((await client.request("SETUP", `rtsp://127.0.0.1:${port}/hand2/trackID=1`, TCP)).status).toBe(459);
    expect((await client.request("SETUP", url(), TCP)).status).toBe(459);
  });

  it("answers 503 for a source with nothing to describe, or one that does not answer in time", async () => {
    const client = await connect();
    source.description = "nothing";
    expect((await client.request("DESCRIBE", url())).status).toBe(503);
    source.description = "silent";
    const pending = client.request("DESCRIBE", url());
    while (clock.timers < 2) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(11_000_000);
    expect((await pending).status).toBe(503);
  });

  it("answers 500 for a source that fails, and continues", async () => {
    const client = await connect();
    source.description = "broken";
    expect((await client.request("DESCRIBE", url())).status).toBe(500);
    source.description = "ready";
    expect((await client.request("DESCRIBE", url())).status).toBe(200);
  });

  it("ends a session without signs of life, and not one with", async () => {
    const [quiet, lively] = [await connect(), await connect()];
    await play(quiet);
    await play(lively);
    clock.advance(40_000_000);
    lively.socket.write(Buffer.from([0x24, 1, 0, 1, 0]));
    await lively.request("OPTIONS", "*");
    clock.advance(30_000_000);
    await quiet.until(() => quiet.closed);
    expect(lively.closed).toBe(false);
    expect(server.connections).toBe(1);
  });

  it("closes a connection whose request is not completed", async () => {
    const client = await connect();
    expect((await client.request("OPTIONS", "*")).status).toBe(200);
    client.socket.write("OPTIONS * RTSP/1.0\r\nCSeq");
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (let second = 0; second < 12; second++) clock.advance(1_000_000);
    await client.until(() => client.closed);
    expect(client.closed).toBe(true);
  });

  it("answers unparsable bytes once, and closes", async () => {
    const client = await connect();
    expect((await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")).status).toBe(400);
    await client.until(() => client.closed);
  });

  it("answers pipelined requests in order", async () => {
    const client = await connect();
    client.socket.write(
      ["OPTIONS", "DESCRIBE", "OPTIONS"]
        .map((method, at) => `${method} ${url()} RTSP/1.0\r\nCSeq: ${at}\r\n\r\n`)
        .join(""),
    );
    await client.until(() => client.responses.length === 3);
    expect(client.responses.map((response) => response.headers.get("cseq"))).toEqual(["0", "1", "2"]);
  });

  it("closes connections beyond its limit at once while all play", async () => {
    const kept = [await connect(), await connect(), await connect()];
    for (const client of kept) await play(client);
    const refused = await connect();
    await refused.until(() => refused.closed);
    expect(refused.closed).toBe(true);
    expect(kept.every((client) => !client.closed)).toBe(true);
  });
});
