import { describe, expect, it } from "vitest";
import type { StreamKey } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { apiByClock, ROOT_QUERY, until } from "../../support/api/api-harness.js";
import { labelIn } from "../../support/api/counting-codec.js";
import { type RawClient, readParts } from "../../support/http/raw-http.js";

const GATE: StreamKey = { channelId: GATE_ID, streamType: "Main" };

const { api, clock } = apiByClock(NINE_US + 86_400_000_000);

function play(query: string): RawClient {
  const client = api.connect();
  client.get(`/mobile?${ROOT_QUERY}&channelid=${GATE_ID}&mode=archive&${query}`);
  return client;
}

const HIGH = "resolutionx=1280&resolutiony=720&fps=25";
const indexes = (client: RawClient): number[] =>
  readParts(client.body).parts.map((part) => Number(labelIn(part.body).slice(6)));
const times = (client: RawClient): string[] => readParts(client.body).parts.map((part) => part.timestamp);

describe("/mobile from the archive", () => {
  it("begins with the last frame at or before starttime, then paces by the frames' times", async () => {
    api.archive.record(GATE, archivedFrames(100));
    const client = play(`starttime=21.11.2026%2009:00:01.410&${HIGH}`);
    await until("the first picture", () => indexes(client).length === 1);
    // Key frame 25 stands at 1.0 s; frame 35 is the last one at or before 1.41 s.
    expect(indexes(client)).toEqual([35]);
    await clock.advanceSlowly(400_000, 5000);
    await until("ten more", () => indexes(client).length === 11);
    expect(indexes(client).at(-1)).toBe(45);
  });

  it.each([
    ["0.5", 2_000_000, 24],
    ["2", 1_000_000, 25],
    ["20", 1_000_000, 20],
  ])("at speed %s shows a level's rate at the most, at the speed asked for", async (speed, us, atLeast) => {
    api.archive.record(GATE, archivedFrames(600));
    const client = play(`starttime=21.11.2026+09:00:00&speed=${speed}&${HIGH}`);
    await until("the first picture", () => indexes(client).length === 1);
    await clock.advanceSlowly(us, 5000);
    const reached = (Number(speed) * us) / FRAME_US;
    await until("the frame that is due", () => (indexes(client).at(-1) ?? 0) >= reached - 26);
    expect(indexes(client).at(-1)).toBeLessThanOrEqual(reached + 1);
    expect(indexes(client).length).toBeGreaterThanOrEqual(atLeast - 2);
    expect(indexes(client).length).toBeLessThanOrEqual(Math.ceil((us / 1_000_000) * 25) + 2);
  });

  it("decodes key frames alone at a speed at which these are enough", async () => {
    api.archive.record(GATE, archivedFrames(600));
    const client = play("starttime=21.11.2026+09:00:00&speed=20&fps=5");
    await until("the first picture", () => indexes(client).length === 1);
    await clock.advanceSlowly(1_000_000, 5000);
    await until("key frames", () => indexes(client).length >= 4);
    expect(
      indexes(client)
        .slice(2)
        .every((index) => index % 25 === 0),
    ).toBe(true);
    expect(
      api.codec.calls.filter(
        (call) => Number(call.label.slice(6)) > 50 && Number(call.label.slice(6)) % 25 !== 0,
      ),
    ).toEqual([]);
  });

  it("crosses a gap without waiting", async () => {
    api.archive.record(GATE, archivedFrames(3));
    api.archive.record(GATE, archivedFrames(3, NINE_US + 3600_000_000));
    const client = play(`starttime=21.11.2026+09:00:00&${HIGH}`);
    await until("the first picture", () => indexes(client).length === 1);
    await clock.advanceSlowly(250_000, 5000);
    await until("both fragments", () => indexes(client).length === 6);
    expect(times(client).slice(2, 4)).toEqual(["21.11.2026 09:00:00.080", "21.11.2026 10:00:00.000"]);
  });

  it.each([
    ["21.11.2026+09:10:00", "21.11.2026 09:00:00.080"],
    ["21.11.2026+09:50:00", "21.11.2026 10:00:00.000"],
    ["21.11.2026+08:00:00", "21.11.2026 09:00:00.000"],
  ])("shows the nearest picture where nothing is recorded: %s", async (start, shown) => {
    api.archive.record(GATE, archivedFrames(3));
    api.archive.record(GATE, archivedFrames(3, NINE_US + 3600_000_000));
    const client = play(`starttime=${start}&${HIGH}`);
    await until("a picture", () => times(client).length >= 1);
    expect(times(client)[0]).toBe(shown);
  });

  it("shows the last picture for a start in the future, and stays for what is recorded", async () => {
    api.archive.record(GATE, archivedFrames(30));
    const client = play(`starttime=01.01.2222+23:59:59&${HIGH}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
    await clock.advanceSlowly(600_000, 20_000);
    await until("the last picture", () => indexes(client).length === 1);
    expect(indexes(client)).toEqual([29]);
    const more = archivedFrames(32).slice(30);
    api.archive.record(GATE, more);
    await clock.advanceSlowly(200_000, 10_000);
    await until("what was recorded since", () => indexes(client).length === 3);
    expect(client.closed).toBe(false);
  });

  it("shows the last picture too where timers run a moment before they are due", async () => {
    clock.earlyMs = 0.4;
    const { timers } = clock;
    api.archive.record(GATE, archivedFrames(30));
    const client = play(`starttime=01.01.2222+23:59:59&${HIGH}`);
    await until("the wait for another picture", () => clock.timers >= timers + 2);
    clock.advance(499_700);
    await until("the last picture", () => indexes(client).length === 1);
    expect(indexes(client)).toEqual([29]);
  });

  it("answers 404 when nothing is recorded", async () => {
    const response = await api.get(`/mobile?channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:00`);
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining("nothing is recorded"),
    ]);
  });

  it.each([
    ["none where it has none", false, "sound=on", "none"],
    ["nothing where it has some", true, "sound=on", undefined],
    ["nothing where none was asked for", false, "sound=off", undefined],
  ])("says in a header whether sound comes: %s", async (_name, hasSound, query, said) => {
    api.archive.record(GATE, archivedFrames(100));
    if (hasSound) api.archive.withSound.add(GATE_ID);
    const client = play(`starttime=21.11.2026+09:00:01&${query}`);
    await until("the answer", () => client.text.includes("\r\n\r\n"));
    expect(/^sound: (\w+)/im.exec(client.text)?.[1]).toBe(said);
  });

  it("sends sound between the pictures, at another speed too", async () => {
    const sound = { codec: Codec.PCMU, key: true, startsFragment: false, bytes: Buffer.from("tone") };
    const frames = archivedFrames(10).flatMap((frame, index) =>
      index % 2 === 0 ? [frame] : [frame, { ...frame, ...sound }],
    );
    api.archive.record(GATE, frames);
    const loud = play(`starttime=21.11.2026+09:00:00&sound=on&soundformat=pcm&${HIGH}`);
    const quick = play(`starttime=21.11.2026+09:00:00&sound=on&soundformat=pcm&speed=2&${HIGH}`);
    await until("both begin", () => indexes(loud).length >= 1 && indexes(quick).length >= 1);
    await clock.advanceSlowly(500_000, 5000);
    await until("all", () => indexes(loud).length === 15 && indexes(quick).length >= 10);
    const types = readParts(loud.body).parts.map((part) => part.type);
    expect(types.slice(0, 6)).toEqual([
      "image/jpeg",
      "image/jpeg",
      "audio, PCM",
      "image/jpeg",
      "image/jpeg",
      "audio, PCM",
    ]);
    expect(times(loud).toSorted()).toEqual(times(loud));
    const soundsOf = (client: typeof quick) =>
      readParts(client.body).parts.filter((part) => part.type === "audio, PCM");
    expect(soundsOf(quick)).toEqual(soundsOf(loud));
  });

  it("answers the picture of starttime alone with oneframeonly, and closes its reader", async () => {
    api.codec.delay = 2;
    api.archive.record(GATE, archivedFrames(100));
    const query = "mode=archive&starttime=21.11.2026+09:00:01.400&oneframeonly=true&withcontenttype=true";
    const response = await api.get(`/mobile?channelid=${GATE_ID}&${query}`);
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get("content-type")).toBe("image/jpeg");
    expect(labelIn(body)).toBe("frame 35");
    expect([api.archive.readers, api.codec.open, api.transcoding.size]).toEqual([0, 0, 0]);
  });

  it("ends with its client: reader, decoder and the place among the transcodes", async () => {
    api.archive.record(GATE, archivedFrames(100));
    const client = play("starttime=21.11.2026+09:00:00");
    await until("the first picture", () => indexes(client).length === 1);
    expect([api.archive.readers, api.transcoding.size]).toEqual([1, 1]);
    client.destroy();
    await until("all is given back", () => api.archive.readers === 0 && api.transcoding.size === 0);
    expect(api.codec.open).toBe(0);
  });

  it("leaves out what it is late with and is at its speed again, rather than slowing down", async () => {
    api.archive.record(GATE, archivedFrames(200));
    const client = play(`starttime=21.11.2026+09:00:00&${HIGH}`);
    await until("the first picture", () => indexes(client).length === 1);
    // The decoder, or the client, was away for 3 s.
    clock.advance(3_000_000);
    await clock.advanceSlowly(400_000, 5000);
    await until("it is at its time", () => (indexes(client).at(-1) ?? 0) >= 80);
    expect(indexes(client).length).toBeLessThan(40);
  });
});
