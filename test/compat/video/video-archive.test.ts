// Own process: it measures the memory of its process.
import { describe, expect, it } from "vitest";
import type { StreamKey } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, FRAME_US, frameBytes, NINE_US } from "../../support/api/api-frames.js";
import { apiByClock, ROOT_QUERY, until } from "../../support/api/api-harness.js";
import { type RawClient, readParts } from "../../support/http/raw-http.js";

const GATE: StreamKey = { channelId: GATE_ID, streamType: "Main" };

const { api, clock } = apiByClock(NINE_US + 86_400_000_000);

function play(query: string): RawClient {
  const client = api.connect();
  client.get(`/video?${ROOT_QUERY}&channelid=${GATE_ID}&mode=archive&${query}`);
  return client;
}

const indexes = (client: RawClient): number[] =>
  readParts(client.body).parts.map((part) => Number(/^frame (\d+)/.exec(part.body.toString("latin1"))?.[1]));

/** Lets sockets and promises run without moving the clock. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 40));

describe("/video from the archive", () => {
  it("sends the frames from the key frame before starttime up to it at once, then paces by their times", async () => {
    api.archive.record(GATE, archivedFrames(100));
    const client = play("starttime=21.11.2026%2009:00:01.400");
    // Key frame 25 stands at 1.0 s, starttime at 1.4 s is frame 35.
    await until("all up to starttime", () => indexes(client).length === 11);
    await settle();
    expect(indexes(client)).toEqual(Array.from({ length: 11 }, (_, index) => 25 + index));
    await clock.advanceSlowly(400_000, 5000);
    await until("ten more", () => indexes(client).length === 21);
    await settle();
    expect(indexes(client).at(-1)).toBe(45);
  });

  it.each([
    ["0.1", 4_000_000],
    ["0,5", 800_000],
    ["20", 20_000],
  ])("plays at speed %s by the frames' times", async (speed, tenFramesUs) => {
    api.archive.record(GATE, archivedFrames(200));
    const client = play(`starttime=21.11.2026+09:00:00&speed=${speed}`);
    await until("the first frame", () => indexes(client).length === 1);
    await clock.advanceSlowly(tenFramesUs, 1000);
    await until("ten frames more", () => indexes(client).length >= 11);
    await settle();
    expect(indexes(client).length).toBeLessThanOrEqual(12);
  });

  it("crosses a gap without waiting", async () => {
    api.archive.record(GATE, archivedFrames(3));
    api.archive.record(GATE, archivedFrames(3, NINE_US + 3600_000_000));
    const client = play("starttime=21.11.2026+09:00:00");
    await until("the first frame", () => indexes(client).length === 1);
    await clock.advanceSlowly(250_000, 5000);
    await until("both fragments", () => indexes(client).length === 6);
    const times = readParts(client.body).parts.map((part) => part.timestamp);
    expect(times[2]).toBe("21.11.2026 09:00:00.080");
    expect(times[3]).toBe("21.11.2026 10:00:00.000");
  });

  it("begins with what is nearer when starttime lies in a gap", async () => {
    api.archive.record(GATE, archivedFrames(3));
    api.archive.record(GATE, archivedFrames(3, NINE_US + 3600_000_000));
    const before = play("starttime=21.11.2026+09:29:00");
    const behind = play("starttime=21.11.2026+09:31:00");
    await until("frames", () => indexes(before).length >= 1 && indexes(behind).length >= 1);
    expect(readParts(before.body).parts[0]?.timestamp).toBe("21.11.2026 09:00:00.000");
    expect(readParts(behind.body).parts[0]?.timestamp).toBe("21.11.2026 10:00:00.000");
  });

  it("stays open at the live edge and sends frames as they are recorded", async () => {
    api.archive.record(GATE, archivedFrames(2));
    const client = play("starttime=21.11.2026+09:00:00");
    await until("the first frame", () => indexes(client).length === 1);
    await clock.advanceSlowly(2_000_000, 20_000);
    await until("all there is", () => indexes(client).length === 2);
    expect(client.closed).toBe(false);
    const more = archivedFrames(4).slice(2);
    api.archive.record(GATE, more);
    await clock.advanceSlowly(200_000, 10_000);
    await until("what was recorded since", () => indexes(client).length === 4);
  });

  it("reads no further while the client takes nothing, and drops nothing", async () => {
    const size = 200_000;
    api.archive.record(GATE, archivedFrames(150, NINE_US, { size }));
    const client = api.connect({ paused: true });
    client.get(
      `/video?${ROOT_QUERY}&channelid=${GATE_ID}&mode=archive&speed=20&starttime=21.11.2026+09:00:00`,
    );
    client.socket.pause();
    await clock.advanceSlowly(3_000_000, 20_000);
    const before = process.memoryUsage().rss;
    await clock.advanceSlowly(3_000_000, 20_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1024 * 1024);
    client.resume();
    client.socket.resume();
    const pushing = setInterval(() => clock.advance(20_000), 1);
    try {
      await until("every frame", () => client.length > 150 * size);
    } finally {
      clearInterval(pushing);
    }
    await until("the last part", () => indexes(client).length === 150);
    const { parts } = readParts(client.body);
    expect(indexes(client)).toEqual(Array.from({ length: 150 }, (_, index) => index));
    expect(parts.every((part, index) => part.body.equals(frameBytes(index, size)))).toBe(true);
  });

  it("closes the reader when the client leaves, and when the stream is ended", async () => {
    const { timers } = clock;
    api.archive.record(GATE, archivedFrames(2));
    const client = play("starttime=21.11.2026+09:00:00");
    await until("a reader", () => api.archive.readers === 1 && indexes(client).length === 1);
    client.destroy();
    await until("no reader", () => api.archive.readers === 0);
    expect(clock.timers).toBe(timers);
  });

  it("plays the recorded stream where it is not Main, unless another is asked for", async () => {
    const [gate] = api.site.current.cameras;
    if (gate === undefined) throw new Error("no camera");
    const { Main, Alternative } = gate.connection.streams;
    const streams = {
      ...gate.connection.streams,
      Main: { ...Main, roles: [] },
      Alternative: { ...Alternative, roles: ["Archive" as const] },
    };
    await api.site.change((site) => ({
      ...site,
      cameras: [{ ...gate, connection: { ...gate.connection, streams } }, ...site.cameras.slice(1)],
    }));
    api.archive.record({ channelId: GATE_ID, streamType: "Alternative" }, archivedFrames(2));
    const client = play("starttime=21.11.2026+09:00:00");
    await until("a frame of Alternative", () => indexes(client).length === 1);
    const main = await api.get(
      `/video?channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:00&streamtype=Main`,
    );
    expect(main.status).toBe(404);
  });

  it("answers 404 when nothing is recorded", async () => {
    const none = await api.get(`/video?channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:00`);
    expect(none.status).toBe(404);
    expect(await none.text()).toMatch(/nothing is recorded .*: see GET \/archivefragments/);
  });

  it.each([
    ["behind the last frame", "21.11.2026+09:01:00"],
    ["in the future", "01.01.2030+00:00:00"],
  ])("begins at once with the last frames when starttime lies %s", async (_what, starttime) => {
    api.archive.record(GATE, archivedFrames(30));
    const client = play(`starttime=${starttime}`);
    await until("the last group of pictures", () => indexes(client).length === 5);
    expect(indexes(client)).toEqual([25, 26, 27, 28, 29]);
    api.archive.record(GATE, archivedFrames(32).slice(30));
    await clock.advanceSlowly(200_000, 10_000);
    await until("what is recorded then", () => indexes(client).length === 7);
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

  it("says nothing of sound where the recording has only begun: it may still come", async () => {
    api.archive.record(GATE, archivedFrames(3));
    const client = play("starttime=21.11.2026+09:00:00&sound=on");
    await until("the answer", () => client.text.includes("\r\n\r\n"));
    expect(client.text).not.toMatch(/^sound:/im);
  });

  it("sends recorded sound with sound=on", async () => {
    const [first, second, third] = archivedFrames(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error("no frames");
    const sound = { ...second, codec: Codec.PCMU, key: true, bytes: Buffer.from([1, 2]) };
    api.archive.record(GATE, [first, sound, third]);
    const client = play("starttime=21.11.2026+09:00:00&sound=on");
    await until("the first frame", () => readParts(client.body).parts.length === 1);
    await clock.advanceSlowly(2 * FRAME_US, 5000);
    await until("three parts", () => readParts(client.body).parts.length === 3);
    expect(readParts(client.body).parts[1]?.type).toBe("audio, PCMU");
  });
});
