import { getEventListeners } from "node:events";
import { afterEach, expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { SLAB_BYTES_DEFAULT, SlabPool } from "../../../src/live/index.js";
import { NetworkDialer } from "../../../src/rtsp/client/socket/dialer.js";
import { parseRtspUrl, RTSP_TIMEOUTS_DEFAULT, RtspReplay } from "../../../src/rtsp/index.js";
import { replayExtension } from "../../../src/rtsp/server/replay-extension.js";
import {
  describeReply,
  interleaved,
  keyFramePayload,
  reply,
  type ScriptedAnswer,
  type ScriptedRequest,
  ScriptedRtspServer,
  VIDEO_SDP,
} from "../../support/rtsp/scripted-rtsp-server.js";
import { silentLog } from "../../support/site/site-samples.js";

const FROM_US = Date.UTC(2026, 10, 21, 9) * 1000;
const STALL_MS = 700;

const servers: ScriptedRtspServer[] = [];
const replays: RtspReplay[] = [];
afterEach(async () => {
  for (const replay of replays.splice(0)) replay.close();
  for (const server of servers.splice(0)) await server.stop();
});

/** A packet with one key frame, and the time that the extension gives it. */
function picture(index: number, timeUs: number, isJump = false): Buffer {
  const header = Buffer.alloc(12);
  header[0] = 0x90;
  header[1] = 0x80 | 96;
  header.writeUInt16BE(index, 2);
  header.writeUInt32BE(index * 3600, 4);
  header.writeUInt32BE(0x11223344, 8);
  const extension = replayExtension({ timeUs, isKey: true, isJump, endsSection: false, cseq: 1 });
  return interleaved(0, Buffer.concat([header, extension, keyFramePayload(index)]));
}

const STAYING = new AbortController().signal;

async function open(
  packets: Buffer,
  requests: ScriptedRequest[] = [],
  signal = STAYING,
): Promise<RtspReplay> {
  const session = ["Session: 7;timeout=60"];
  const asked =
    (answer: ScriptedAnswer): ScriptedAnswer =>
    (request, socket) => {
      requests.push(request);
      return answer(request, socket);
    };
  const server = await new ScriptedRtspServer({
    OPTIONS: () => reply(200, ["Public: DESCRIBE, SETUP, PLAY, TEARDOWN"]),
    DESCRIBE: () => describeReply(VIDEO_SDP),
    SETUP: asked(() => reply(200, [...session, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"])),
    PLAY: asked(({ headers }) =>
      Buffer.concat([Buffer.from(reply(200, session).replace("$CSEQ", headers.get("cseq") ?? "")), packets]),
    ),
    TEARDOWN: () => reply(200, session),
  }).start();
  servers.push(server);
  const clock = new SystemClock();
  const replay = new RtspReplay({
    url: parseRtspUrl(`rtsp://127.0.0.1:${server.port}/card`),
    ...{ credentials: undefined, verifyCertificate: false, secureOnly: false, ipv4Only: false },
    ...{ redirectsAnywhere: false, digestOnly: false, dialer: new NetworkDialer(), clock, log: silentLog },
    pool: new SlabPool({ slabBytes: SLAB_BYTES_DEFAULT, totalBytesMax: 16 * SLAB_BYTES_DEFAULT }),
    timeouts: RTSP_TIMEOUTS_DEFAULT,
    ...{ fromUs: FROM_US, toUs: FROM_US + 60_000_000, wantAudio: false },
    ...{ bytesPerSecondMax: Number.POSITIVE_INFINITY, stallMs: STALL_MS, signal },
  });
  replays.push(replay);
  await replay.open();
  return replay;
}

async function timesOf(replay: RtspReplay, count: number) {
  const times: { timeUs: number; isJump: boolean }[] = [];
  while (times.length < count)
    for (const frame of await replay.next()) {
      times.push({ timeUs: frame.decodeTimeUs - FROM_US, isJump: frame.discontinuity });
      frame.release();
    }
  return times;
}

it("asks for a recording as ONVIF wants it, on SETUP and on PLAY", async () => {
  const requests: ScriptedRequest[] = [];
  await open(Buffer.alloc(0), requests);
  const of = (method: string) => requests.find((request) => request.method === method)?.headers;
  expect(of("SETUP")?.get("require")).toBe("onvif-replay");
  expect(of("PLAY")?.get("require")).toBe("onvif-replay");
  expect(of("PLAY")?.get("rate-control")).toBe("no");
  expect(of("PLAY")?.get("range")).toBe("clock=20261121T090000.000000Z-20261121T090100.000000Z");
});

it("is closed by its signal", async () => {
  const end = new AbortController();
  const replay = await open(Buffer.alloc(0), [], end.signal);
  const rest = replay.next();
  end.abort();
  expect(await rest).toEqual([]);
});

it("leaves nothing at its signal, which many replays of a task share", async () => {
  const end = new AbortController();
  const replay = await open(Buffer.alloc(0), [], end.signal);
  replay.close();
  expect(getEventListeners(end.signal, "abort")).toEqual([]);
});

it("frames have the times that the packets tell, to the microsecond, over a gap as well", async () => {
  const packets = [
    picture(0, FROM_US + 123_457),
    picture(1, FROM_US + 163_457),
    picture(2, FROM_US + 20_000_001, true),
  ];
  const times = await timesOf(await open(Buffer.concat(packets)), 3);
  expect(times).toEqual([
    { timeUs: 123_457, isJump: false },
    { timeUs: 163_457, isJump: false },
    { timeUs: 20_000_001, isJump: true },
  ]);
});

it("a packet without the extension has its time by its RTP timestamp", async () => {
  const bare = picture(1, 0);
  const without = Buffer.concat([bare.subarray(0, 4), bare.subarray(4, 16), bare.subarray(32)]);
  without[4] = 0x80;
  without.writeUInt16BE(without.length - 4, 2);
  const times = await timesOf(await open(Buffer.concat([picture(0, FROM_US), without])), 2);
  expect(times.map(({ timeUs }) => timeUs)).toEqual([0, 40_000]);
});

it("a camera that tells no times, or cuts the extension short, gives no frames", async () => {
  const torn = Buffer.from(picture(0, FROM_US).subarray(0, 4 + 12 + 8));
  torn.writeUInt16BE(torn.length - 4, 2);
  const replay = await open(torn);
  await expect(replay.next()).rejects.toMatchObject({ kind: "stalled" });
});

it("a playback that stalls ends with a reason", async () => {
  const replay = await open(picture(0, FROM_US));
  await timesOf(replay, 1);
  await expect(replay.next()).rejects.toMatchObject({ kind: "stalled" });
});
