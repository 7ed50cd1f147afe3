import { expect, it } from "vitest";
import type { StreamKey } from "../../../src/base/index.js";
import type { ViewerCount } from "../../../src/health/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, liveFrame, NINE_US } from "../../support/api/api-frames.js";
import { apiByClock, ROOT_QUERY, until } from "../../support/api/api-harness.js";
import { recordedPictures } from "../../support/hls/hls-frames.js";
import type { RawClient } from "../../support/http/raw-http.js";
import { OutletHarness, recordedSlices } from "../../support/rtsp/rtsp-outlet.js";

/** Who watches, listens and downloads is counted by the way it goes out, live and recorded. */
const GATE: StreamKey = { channelId: GATE_ID, streamType: "Main" };
const START = "mode=archive&starttime=21.11.2026%2009:00:00";

const { api, clock } = apiByClock(NINE_US + 86_400_000_000);

function get(path: string, options: { readonly paused?: boolean } = {}): RawClient {
  const client = api.connect(options);
  client.get(`${path}${path.includes("?") ? "&" : "?"}${ROOT_QUERY}`);
  return client;
}

/** `over source now/since the start` of those that are not nobody. */
const counts = (): string[] =>
  api.server
    .figures()
    .viewers.filter(({ sinceStart }) => sinceStart > 0)
    .map((count: ViewerCount) => `${count.over} ${count.source} ${count.now}/${count.sinceStart}`);

it("nobody, of every kind there is", () => {
  expect(api.server.figures().viewers.map(({ over, source }) => `${over} ${source}`)).toEqual([
    "video live",
    "video recorded",
    "mobile live",
    "mobile recorded",
    "socket live",
    "hls live",
    "hls recorded",
    "rtsp live",
    "rtsp recorded",
    "export recorded",
  ]);
  expect(counts()).toEqual([]);
});

it("viewers of /video while they watch", async () => {
  api.archive.record(GATE, archivedFrames(200, NINE_US));
  const stream = api.streams.live(GATE_ID);
  const live = [get(`/video?channelid=${GATE_ID}`), get(`/video?channelid=${GATE_ID}`)];
  await until("they watch", () => stream.subscribers === 2);
  stream.publish(liveFrame(0));
  get(`/video?channelid=${GATE_ID}&${START}`);
  await until("all are counted", () => counts().length === 2);
  expect(counts()).toEqual(["video live 2/2", "video recorded 1/1"]);
  live[0]?.destroy();
  await until("it has left", () => stream.subscribers === 1);
  expect(counts()).toEqual(["video live 1/2", "video recorded 1/1"]);
});

it("players of HLS while their name lasts", async () => {
  api.archive.record(GATE, recordedPictures(200));
  const answer = await api.get(`/hls?channelid=${GATE_ID}&${START}`);
  expect(answer.status).toBe(200);
  expect(counts()).toEqual(["hls recorded 1/1"]);
  await clock.advanceSlowly(60_000_000, 1_000_000);
  expect(counts()).toEqual(["hls recorded 0/1"]);
});

it("players of RTSP while they play", async () => {
  api.archive.record(GATE, recordedSlices(100));
  const outlet = new OutletHarness(api, clock);
  await outlet.start();
  const client = await outlet.connect();
  await outlet.play(client, outlet.url(`&${START}`));
  await until("it plays", () => counts().length > 0);
  expect(counts()).toEqual(["rtsp recorded 1/1"]);
  client.close();
  await until("it has left", () => counts()[0] === "rtsp recorded 0/1");
  await outlet.stop();
});

it("exports while they are sent, and not their digests", async () => {
  api.archive.recordings.add(GATE, archivedFrames(500, NINE_US, { size: 60_000 }));
  const path = `/exportarchive?channelid=${GATE_ID}&fromtime=21.11.2026%2009:00:00&totime=21.11.2026%2009:00:20`;
  expect((await api.get(`${path}&digest=true`)).status).toBe(200);
  expect((await fetch(`${api.url(path)}&${ROOT_QUERY}`, { method: "HEAD" })).status).toBe(200);
  expect(counts()).toEqual([]);
  const client = get(path, { paused: true });
  await until("it is sent", () => counts().length > 0);
  expect(counts()).toEqual(["export recorded 1/1"]);
  client.socket.resetAndDestroy();
  await until("it has left", () => counts()[0] === "export recorded 0/1");
});

it("single pictures of /mobile are no viewers", async () => {
  api.archive.record(GATE, archivedFrames(50, NINE_US));
  const answer = await api.get(`/mobile?channelid=${GATE_ID}&${START}&oneframeonly=true`);
  expect(answer.status).toBe(200);
  expect(counts()).toEqual([]);
});
