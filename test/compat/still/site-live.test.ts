import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NvrdError, type StreamType } from "../../../src/base/index.js";
import type { SnapshotSource } from "../../../src/compat/still/snapshot-source.js";
import { Codec } from "../../../src/live/codec/codec.js";
import type { StreamSettings } from "../../../src/site/index.js";
import { GATE_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { liveFrame, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { RawClient } from "../../support/http/raw-http.js";
import { frameNumber, greyOf, ScriptedCodec } from "../../support/picture/scripted-codec.js";

let api: ApiHarness;
let clock: SimulatedClock;
let codec: ScriptedCodec;
let snapshot: SnapshotSource["snapshot"] | undefined;

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US);
  codec = new ScriptedCodec();
  snapshot = undefined;
  const none = new NvrdError("NOT_SUPPORTED", "no snapshot");
  api = await startApi({
    clock,
    codec,
    snapshots: { snapshot: (...given) => snapshot?.(...given) ?? Promise.reject(none) },
  });
});

afterEach(() => api.stop());

const live = (streamType: StreamType = "Main") => api.streams.live(GATE_ID, streamType);

/** Key frame `first`, then frames that follow it. */
function publish(streamType: StreamType, first: number, more = 0): void {
  live(streamType).setState({ state: "active" });
  for (let index = 0; index <= more; index++)
    live(streamType).publish(liveFrame(first + index, { key: index === 0 }));
}

const site = (query = ""): Promise<Response> => api.get(`/site?channelid=${GATE_ID}${query}`);

async function picture(response: Response): Promise<{ size: string; grey: number }> {
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { size: `${info.width}x${info.height}`, grey: data[0] ?? -1 };
}

async function enable(change: Partial<Record<StreamType, Partial<StreamSettings>>>): Promise<void> {
  await api.site.change((current) => ({
    ...current,
    cameras: current.cameras.map((camera) => {
      const { streams } = camera.connection;
      const changed = Object.entries(change).map(([type, settings]) => [
        type,
        { ...streams[type as StreamType], ...settings },
      ]);
      return {
        ...camera,
        connection: { ...camera.connection, streams: { ...streams, ...Object.fromEntries(changed) } },
      };
    }),
  }));
}

describe("the picture of a live stream", () => {
  beforeEach(() => enable({ Alternative: { enabled: false } }));

  it("is the newest key frame, 64x36, whatever withcontenttype says", async () => {
    publish("Main", 10, 5);
    for (const query of ["", "&withcontenttype=true", "&WithContentType=False", "&oneframeonly=true"]) {
      const { size, grey } = await picture(await site(query));
      expect([size, grey]).toEqual(["64x36", greyOf(10)]);
    }
    expect(codec.asked).toHaveLength(1);
  });

  it("says which picture it is, and when it was shown", async () => {
    publish("Main", 10);
    const first = await site();
    expect(first.headers.get("timestamp")).toBe("21.11.2026 09:00:00.400");
    const tag = first.headers.get("etag");
    expect((await site()).headers.get("etag")).toBe(tag);
    publish("Main", 20);
    const next = await site();
    expect(next.headers.get("etag")).not.toBe(tag);
    expect((await picture(next)).grey).toBe(greyOf(20));
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
  });

  it("is the newest frame with exact=true, decoded from its key frame on", async () => {
    publish("Main", 10, 5);
    expect((await picture(await site("&exact=true"))).grey).toBe(greyOf(15));
    expect(codec.asked[0]?.units.map(frameNumber)).toEqual([10, 11, 12, 13, 14, 15]);
    live().publish(liveFrame(16));
    expect((await picture(await site("&Exact=True"))).grey).toBe(greyOf(16));
  });

  it.each([
    ["&resolutionx=320", "320x180"],
    ["&resolutiony=90", "160x90"],
    ["&resolutionX=100&resolutionY=100", "100x100"],
    ["&resolutionx=5000&resolutiony=5000", "640x360"],
    ["&resolutionx=5000", "640x360"],
    ["&resolutionx=999999999", "640x360"],
    ["&resolutionx=&resolutiony=", "64x36"],
    ["&resolutionx=1&resolutiony=1", "1x1"],
  ])("with %s is %s", async (query, size) => {
    publish("Main", 1);
    expect((await picture(await site(query))).size).toBe(size);
  });

  it.each([
    ["resolutionx=0", "resolutionx"],
    ["resolutionx=-5", "resolutionx"],
    ["resolutiony=12.5", "resolutiony"],
    ["resolutiony=big", "resolutiony"],
    ["mode=later", "mode"],
    ["mode=archive", "starttime"],
    ["starttime=21.11.2026+09:00:00", "mode=archive"],
    ["mode=archive&starttime=yesterday", "starttime"],
    ["streamtype=fifth", "streamtype"],
    ["exact=perhaps", "exact"],
    ["channelnum=0", "exactly one"],
  ])("with %s is refused, and the text names it", async (query, named) => {
    publish("Main", 1);
    const response = await site(`&${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(new RegExp(`^Error code: 400\r\nMessage: .*${named}`));
  });

  it("is chosen by name and number too", async () => {
    publish("Main", 3);
    for (const channel of ["channel=Gate", "channelnum=0", `channelid={${GATE_ID.toUpperCase()}}`])
      expect((await picture(await api.get(`/site?${channel}`))).grey).toBe(greyOf(3));
    expect((await api.get("/site?channel=Roof")).status).toBe(404);
  });

  it.each([
    ["By90ClockwiseDegree", 90],
    ["By180Degree", 180],
    ["By90AntiClockwiseDegree", 270],
  ] as const)("is turned %s", async (rotationMode, degrees) => {
    await enable({ Main: { rotationMode } });
    publish("Main", 1);
    await picture(await site("&resolutionx=90"));
    expect(codec.asked[0]?.targets[0]?.rotation).toBe(degrees);
    // Turned back: what is kept of the turned picture does not count.
    await enable({ Main: { rotationMode: "None" } });
    await picture(await site("&resolutionx=90"));
    expect(codec.asked[1]?.targets[0]?.rotation).toBe(0);
  });

  it("of an MJPEG stream is made of its frame, without the codec", async () => {
    const data = Buffer.alloc(320 * 180 * 3, 77);
    const jpeg = await sharp(data, { raw: { width: 320, height: 180, channels: 3 } })
      .jpeg()
      .toBuffer();
    await enable({ Alternative: { enabled: true } });
    live("Alternative").setState({ state: "active" });
    live("Alternative").publish(liveFrame(0, { codec: Codec.MJPEG, key: true, bytes: jpeg }));
    expect(await picture(await site("&streamtype=alternative&resolutiony=90"))).toEqual({
      size: "160x90",
      grey: 77,
    });
    expect(codec.asked).toHaveLength(0);
  });
});

describe("where no stream is named", () => {
  it("the last one that the camera is set to have is taken, whoever watches which", async () => {
    publish("Main", 1);
    const pending = site();
    await until("it connects", () => live("Alternative").subscribers === 1);
    publish("Alternative", 2);
    expect((await picture(await pending)).grey).toBe(greyOf(2));
    await enable({ ThirdAlternative: { enabled: true, additionalParams: "rtsp://192.0.2.1/third" } });
    publish("ThirdAlternative", 3);
    expect((await picture(await site())).grey).toBe(greyOf(3));
    for (const name of ["main", "MainVideo"])
      expect((await picture(await site(`&streamtype=${name}`))).grey).toBe(greyOf(1));
  });

  it("another one is taken while the last one is lost", async () => {
    publish("Main", 1);
    live("Alternative").setState({ state: "lost", reason: "no route", cause: "unreachable" });
    expect((await picture(await site())).grey).toBe(greyOf(1));
    live("Alternative").setState({ state: "idle" });
    const pending = site();
    await until("it connects", () => live("Alternative").subscribers === 1);
    live("Alternative").setState({ state: "lost", reason: "no route", cause: "unreachable" });
    expect((await picture(await pending)).grey).toBe(greyOf(1));
  });

  it("and none is connected, the last one is, and stays so while pictures are asked for", async () => {
    const pending = site();
    await until("it connects", () => live("Alternative").subscribers === 1);
    expect(live("Main").subscribers).toBe(0);
    publish("Alternative", 4);
    expect((await picture(await pending)).grey).toBe(greyOf(4));
    expect(live("Alternative").subscribers).toBe(0);
    let demands = 0;
    live("Alternative").onDemand({ onDemand: () => (demands += 1) });
    await picture(await site());
    expect(demands).toBeGreaterThan(0);
  });

  it("equal requests wait for one connection", async () => {
    const pending = Array.from({ length: 8 }, () => site());
    await until("it connects", () => live("Alternative").subscribers === 1);
    publish("Alternative", 4);
    for (const response of await Promise.all(pending)) await picture(response);
    expect(codec.asked).toHaveLength(1);
  });
});

describe("a camera that does not answer", () => {
  const waiting = () => until("it connects", () => live("Alternative").subscribers === 1);

  it("is 503 with its reason as soon as it is known", async () => {
    const pending = site();
    await waiting();
    live("Alternative").setState({ state: "lost", reason: "no route to 192.0.2.1", cause: "unreachable" });
    const response = await pending;
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("no route to 192.0.2.1");
    expect(live("Alternative").subscribers).toBe(0);
  });

  it("is 503 after 4.5 s of silence, and after 10 s without a key frame", async () => {
    const { timers } = clock;
    const silent = site();
    await waiting();
    clock.advance(4_500_000);
    expect([(await silent).status, await (await silent).text()]).toEqual([
      503,
      expect.stringContaining("within 4.5 s"),
    ]);
    const keyless = site();
    await waiting();
    live("Alternative").setState({ state: "active" });
    live("Alternative").publish(liveFrame(1));
    clock.advance(4_500_000);
    clock.advance(5_500_000);
    expect(await (await keyless).text()).toContain("within 10 s");
    expect(clock.timers).toBe(timers);
  });

  it("that lacks the stream is asked for the one before it", async () => {
    const pending = site();
    await waiting();
    live("Alternative").setState({ state: "lost", reason: "404", cause: "no-stream" });
    await until("Main connects", () => live("Main").subscribers === 1);
    publish("Main", 6);
    expect((await picture(await pending)).grey).toBe(greyOf(6));
  });

  it("is asked for a picture of its own making, which is written anew", async () => {
    const own = await sharp(Buffer.alloc(320 * 180 * 3, 99), {
      raw: { width: 320, height: 180, channels: 3 },
    })
      .jpeg()
      .withMetadata({ exif: { IFD0: { Copyright: "hidden" } } })
      .toBuffer();
    let asked = 0;
    snapshot = async (channelId, streamType) => {
      asked += 1;
      expect([channelId, streamType]).toEqual([GATE_ID, "Alternative"]);
      return own;
    };
    live("Alternative").setState({ state: "lost", reason: "no stream today" });
    const response = await site("&resolutionx=160");
    expect(await picture(response.clone())).toEqual({ size: "160x90", grey: 99 });
    expect(Buffer.from(await response.arrayBuffer()).includes("hidden")).toBe(false);
    // For a second it is the newest.
    await picture(await site("&resolutionx=160"));
    expect(asked).toBe(1);
    clock.advance(1_100_000);
    await picture(await site("&resolutionx=160"));
    expect(asked).toBe(2);
  });

  it("and gives no picture either is 503 with both reasons, and no secret", async () => {
    live("Alternative").setState({ state: "lost", reason: "no stream today" });
    snapshot = async () => Promise.reject(new Error("GET http://viewer:camera-password@192.0.2.1/x failed"));
    const text = await (await site()).text();
    expect(text).toContain("no stream today");
    expect(text).not.toContain("camera-password");
    snapshot = async () => Promise.reject(new NvrdError("NOT_AVAILABLE", "the login is refused"));
    expect(await (await site()).text()).toContain("the login is refused");
    snapshot = async () => Buffer.from("<html>");
    const page = await site();
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("is not a JPEG")]);
  });

  it("and keeps its picture back is given up after 4 s", async () => {
    live("Alternative").setState({ state: "lost", reason: "no stream today" });
    const signals: AbortSignal[] = [];
    snapshot = (_channelId, _streamType, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const pending = site();
    await until("it is asked", () => signals.length === 1);
    clock.advance(4_000_000);
    expect((await pending).status).toBe(503);
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("a client", () => {
  it("that goes away ends the wait for the camera", async () => {
    const { timers } = clock;
    const client = new RawClient(api.port);
    client.get(`/site?${ROOT_QUERY}&channelid=${GATE_ID}`);
    await until("it connects", () => live("Alternative").subscribers === 1);
    client.destroy();
    await until("nobody waits", () => live("Alternative").subscribers === 0 && clock.timers === timers);
    expect(api.logLines.filter((line) => line.level === "error" || line.level === 50)).toEqual([]);
  });

  it("that asks beside too many others is 503 with Retry-After", async () => {
    await api.stop();
    api = await startApi({ clock, codec, stillBounds: { atOnce: 1, waiting: 1, preparing: 1 } });
    codec.hold();
    const pending: Promise<Response>[] = [];
    for (const id of [GATE_ID, YARD_ID]) {
      const stream = api.streams.live(id);
      stream.setState({ state: "active" });
      stream.publish(liveFrame(1, { key: true }));
      pending.push(api.get(`/site?channelid=${id}&streamtype=main`));
      await until(
        "it is under way",
        () => api.stills.load.running + api.stills.load.waiting === pending.length,
      );
    }
    const refused = await api.get(`/site?channelid=${GATE_ID}&streamtype=main&resolutionx=200`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    codec.release();
    for (const response of await Promise.all(pending)) await picture(response);
  });

  it("gets 404 of a channel that is switched off, and of a stream that it has not", async () => {
    const off = await api.get(`/site?channelid=${STORE_ID}`);
    expect([off.status, await off.text()]).toEqual([404, expect.stringContaining("switched off")]);
    expect((await site("&streamtype=ThirdAlternative")).status).toBe(404);
  });

  it("may ask by HEAD", async () => {
    publish("Alternative", 1);
    const response = await fetch(api.url(`/site?${ROOT_QUERY}&channelid=${GATE_ID}`), { method: "HEAD" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });
});
