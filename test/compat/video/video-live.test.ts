import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { frameBytes, liveFrame } from "../../support/api/api-frames.js";
import { ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { type RawClient, readParts } from "../../support/http/raw-http.js";

const api = forEachTest(() => startApi());

function watch(query: string): RawClient {
  const client = api.connect();
  client.get(`/video?${ROOT_QUERY}&${query}`);
  return client;
}

const watchers = (): number => api.streams.live(GATE_ID).subscribers;
const bodies = (client: RawClient): string[] =>
  readParts(client.body).parts.map((part) => part.body.toString("latin1").split(";")[0] ?? "");

describe("live /video", () => {
  it("sends each frame as a multipart part in the format of the reference, the next boundary line with it", async () => {
    const client = watch(`channelid=${GATE_ID}`);
    await until("a viewer subscribes", () => watchers() === 1);
    expect(client.length).toBe(0);
    api.streams.live(GATE_ID).publish(liveFrame(0, { key: true, presentationOffsetUs: 7000 }));
    await until("the part is there", () => client.body.toString("latin1").endsWith("--myboundary\r\n"));
    expect(client.text).toMatch(
      /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Content-Type: multipart\/x-mixed-replace; boundary=myboundary\r\n/,
    );
    expect(client.body.toString("latin1")).toBe(
      "--myboundary\r\nContent-Type: video, h264, I-frame\r\nTimestamp: 21.11.2026 09:00:00.007\r\n" +
        `Content-Length: 64\r\n\r\n${frameBytes(0).toString("latin1")}\r\n--myboundary\r\n`,
    );
  });

  it("puts a frame's chunk and its terminator on the wire at once", async () => {
    const client = watch(`channelid=${GATE_ID}`);
    await until("a viewer subscribes", () => watchers() === 1);
    api.streams.live(GATE_ID).publish(liveFrame(0, { key: true }));
    await until("the part is there", () => client.text.includes("frame 0;"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const wire = client.text;
    const frameEnd = wire.indexOf("frame 0;") + 64;
    expect(wire.slice(frameEnd, frameEnd + 2)).toBe("\r\n");
    expect(wire.slice(frameEnd)).toMatch(/^\r\n[0-9a-f]+\r\n\r\n--myboundary\r\n$/i);
  });

  it.each([
    [Codec.MJPEG, true, "image/jpeg"],
    [Codec.MPEG4, true, "video, mpeg4, I-frame"],
    [Codec.H264, true, "video, h264, I-frame"],
    [Codec.H265, true, "video, h265, I-frame"],
  ])("names the part of codec %i", async (codec, key, type) => {
    const client = watch(`channelid=${GATE_ID}`);
    await until("a viewer subscribes", () => watchers() === 1);
    api.streams.live(GATE_ID).publish(liveFrame(0, { codec, key }));
    api.streams.live(GATE_ID).publish(liveFrame(1, { codec, key: codec === Codec.MJPEG }));
    await until("two parts", () => readParts(client.body).parts.length === 2);
    const [first, second] = readParts(client.body).parts;
    expect(first?.type).toBe(type);
    expect(second?.type).toBe(type.replace("I-frame", "P-frame"));
  });

  it("starts a late viewer at the current GOP", async () => {
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    for (let index = 0; index < 5; index++) stream.publish(liveFrame(index, { key: index === 2 }));
    const client = watch(`channelid=${GATE_ID}`);
    await until("the GOP is there", () => bodies(client).length === 3);
    expect(bodies(client)).toEqual(["frame 2", "frame 3", "frame 4"]);
  });

  it("starts at a key frame only, and after a damaged key frame again at the next whole one", async () => {
    const client = watch(`channelid=${GATE_ID}`);
    const stream = api.streams.live(GATE_ID);
    await until("a viewer subscribes", () => watchers() === 1);
    const keys = [2, 5, 8];
    for (let index = 0; index < 10; index++) {
      stream.publish(
        liveFrame(index, {
          key: keys.includes(index) && index !== 5,
          damaged: index >= 3,
          undecodable: index >= 5 && index < 8,
        }),
      );
    }
    await until("the last frame", () => bodies(client).includes("frame 9"));
    expect(bodies(client)).toEqual(["frame 2", "frame 3", "frame 4", "frame 8", "frame 9"]);
  });

  it("interleaves sound with sound=on and leaves it out otherwise", async () => {
    const loud = watch(`channelid=${GATE_ID}&sound=ON`);
    const quiet = watch(`channelid=${GATE_ID}`);
    await until("both subscribe", () => watchers() === 2);
    const stream = api.streams.live(GATE_ID);
    stream.publish(liveFrame(0, { key: true }));
    stream.publish(liveFrame(1, { codec: Codec.PCMU, bytes: Buffer.from([1, 2, 3]) }));
    stream.publish(liveFrame(2));
    await until("all parts", () => bodies(loud).length === 3 && bodies(quiet).length === 2);
    expect(readParts(loud.body).parts.map((part) => part.type)).toEqual([
      "video, h264, I-frame",
      "audio, PCMU",
      "video, h264, P-frame",
    ]);
    expect(readParts(quiet.body).parts.every((part) => part.type.startsWith("video"))).toBe(true);
  });

  it("turns A-law into µ-law", async () => {
    const client = watch(`channelid=${GATE_ID}&sound=on`);
    await until("a viewer subscribes", () => watchers() === 1);
    const stream = api.streams.live(GATE_ID);
    stream.publish(liveFrame(0, { key: true }));
    stream.publish(liveFrame(1, { codec: Codec.PCMA, bytes: Buffer.from([0xd5, 0x55, 0xaa, 0x2a]) }));
    await until("two parts", () => readParts(client.body).parts.length === 2);
    const [, sound] = readParts(client.body).parts;
    expect(sound?.type).toBe("audio, PCMU");
    expect(sound?.body).toEqual(Buffer.from([0xfe, 0x7e, 0x80, 0x00]));
  });

  it("connects another stream type while somebody watches it, and lets it go afterwards", async () => {
    const alternative = api.streams.live(GATE_ID, "Alternative");
    const demands: number[] = [];
    alternative.onDemand({ onDemand: ({ atOnce }) => demands.push(atOnce) });
    const client = watch(`channelid=${GATE_ID}&streamtype=alternativevideo`);
    await until("the stream is wanted", () => alternative.subscribers === 1);
    alternative.publish(liveFrame(0, { codec: Codec.MJPEG, key: true }));
    await until("the picture", () => bodies(client).length === 1);
    client.destroy();
    await until("the stream is let go", () => alternative.subscribers === 0);
    expect(demands).toEqual([1, 0]);
  });

  it("ends the streams of a user whose right is withdrawn, and no others", async () => {
    const guard = api.connect();
    guard.get(`/video?login=guard&channelid=${YARD_ID}`);
    const root = watch(`channelid=${YARD_ID}`);
    const stream = api.streams.live(YARD_ID);
    await until("both subscribe", () => stream.subscribers === 2, { seen: () => stream.subscribers });
    stream.publish(liveFrame(0, { key: true }));
    await until("both see it", () => bodies(guard).length === 1 && bodies(root).length === 1, {
      seen: () => [bodies(guard).length, bodies(root).length],
    });
    await api.site.change((site) => ({
      ...site,
      groups: site.groups.map((group) =>
        group.seniorAdministrators ? group : { ...group, realtimeChannels: [] },
      ),
    }));
    await until("the guard's stream ends", () => stream.subscribers === 1, {
      seen: () => stream.subscribers,
    });
    await until("the answer ends in good order", () => guard.text.endsWith("\r\n0\r\n\r\n"), {
      seen: () => guard.text,
    });
    stream.publish(liveFrame(1));
    await until("root still watches", () => bodies(root).length === 2, { seen: () => bodies(root).length });
  });

  it("ends streams of a channel that is switched off", async () => {
    watch(`channelid=${GATE_ID}`);
    const stream = api.streams.live(GATE_ID);
    await until("a viewer subscribes", () => stream.subscribers === 1, { seen: () => stream.subscribers });
    stream.publish(liveFrame(0, { key: true }));
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) => ({ ...camera, disabled: true })),
    }));
    await until("the viewer is gone", () => stream.subscribers === 0, { seen: () => stream.subscribers });
  });
});

describe("a stream without frames", () => {
  it("is answered 503 with the camera's reason when no frame comes in time", async () => {
    const clock = new SimulatedClock();
    const lost = await startApi({ clock });
    try {
      const { timers } = clock;
      const stream = lost.streams.live(GATE_ID);
      stream.setState({ state: "lost", reason: "connection refused by 192.0.2.1" });
      const answer = lost.get(`/video?channelid=${GATE_ID}`);
      await until("a viewer waits", () => stream.subscribers === 1);
      clock.advance(4_500_000);
      const response = await answer;
      expect(response.status).toBe(503);
      expect(await response.text()).toContain("connection refused by 192.0.2.1");
      expect(stream.subscribers).toBe(0);
      expect(clock.timers).toBe(timers);
    } finally {
      await lost.stop();
    }
  });

  it("is waited for twice as long when its camera answers", async () => {
    const clock = new SimulatedClock();
    const slow = await startApi({ clock });
    try {
      const stream = slow.streams.live(GATE_ID);
      stream.setState({ state: "active" });
      const answer = slow.get(`/video?channelid=${GATE_ID}`);
      await until("a viewer waits", () => stream.subscribers === 1);
      clock.advance(9_900_000);
      expect(stream.subscribers).toBe(1);
      clock.advance(100_000);
      expect((await answer).status).toBe(503);
    } finally {
      await slow.stop();
    }
  });

  it("ends after a minute of silence", async () => {
    const clock = new SimulatedClock();
    const silent = await startApi({ clock });
    try {
      const stream = silent.streams.live(GATE_ID);
      const response = silent.get(`/video?channelid=${GATE_ID}`);
      await until("a viewer waits", () => stream.subscribers === 1);
      stream.publish(liveFrame(0, { key: true }));
      const body = (await response).text();
      clock.advance(59_000_000);
      expect(stream.subscribers).toBe(1);
      clock.advance(20_000_000);
      expect(stream.subscribers).toBe(0);
      expect(await body).toContain("frame 0;");
    } finally {
      await silent.stop();
    }
  });
});
