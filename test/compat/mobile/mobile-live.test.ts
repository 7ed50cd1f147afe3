import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { DECODER_IDLE_MS_MAX } from "../../../src/picture/index.js";
import { DEFAULT_SITE_PARTS } from "../../../src/site/index.js";
import { GATE_ID, guardsGroup, MemorySiteStore, sampleSite, YARD_ID } from "../../support/api/api-fakes.js";
import { liveFrame, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { labelIn } from "../../support/api/counting-codec.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { type RawClient, type RawPart, readParts } from "../../support/http/raw-http.js";

let api: ApiHarness;

async function begin(options: Parameters<typeof startApi>[0] = {}): Promise<void> {
  await api?.stop();
  api = await startApi(options);
}

beforeEach(async () => {
  api = await startApi();
});

afterEach(async () => {
  await api.stop();
});

function watch(query = "", login = ROOT_QUERY): RawClient {
  const client = api.connect();
  client.get(`/mobile?${login}&channelid=${GATE_ID}&${query}`);
  return client;
}

/** A client that sends its request and reads nothing. */
function stalled(query: string): RawClient {
  const client = api.connect({ paused: true });
  client.socket.pause();
  client.get(`/mobile?${ROOT_QUERY}&channelid=${GATE_ID}&${query}`);
  return client;
}

const parts = (client: RawClient): RawPart[] => readParts(client.body).parts;
const labels = (client: RawClient): string[] => parts(client).map((part) => labelIn(part.body));
const watchers = (): number => api.streams.live(GATE_ID).subscribers;
const decoded = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** Frames `from` to `to`, a key frame each 25, as a camera sends them: one after another is decoded. */
async function play(from: number, to: number): Promise<void> {
  const stream = api.streams.live(GATE_ID);
  stream.setState({ state: "active" });
  for (let index = from; index < to; index++) {
    stream.publish(liveFrame(index, { key: index % 25 === 0 }));
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
}

/** As fast as a viewer takes them on this machine: each picture before the next one. */
async function playTo(viewer: ReturnType<typeof watch>, from: number, to: number): Promise<void> {
  const before = parts(viewer).length;
  for (let index = from; index < to; index++) {
    await play(index, index + 1);
    await until(`the viewer has picture ${index}`, () => parts(viewer).length > before + index - from);
  }
}

describe("live /mobile", () => {
  it("sends JPEG parts in the format of the reference, the next boundary line with each", async () => {
    const client = watch("fps=25&resolutionx=1280&resolutiony=720");
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 2);
    await until("two pictures", () => parts(client).length === 2);
    expect(client.text).toMatch(
      /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Content-Type: multipart\/x-mixed-replace; boundary=myboundary\r\n/,
    );
    const [first] = parts(client);
    const body = first?.body.toString("latin1");
    expect(client.body.toString("latin1", 0, 150)).toContain(
      "--myboundary\r\nContent-Type: image/jpeg\r\nTimestamp: 21.11.2026 09:00:00.000\r\n" +
        `Content-Length: ${first?.body.length}\r\n\r\n`,
    );
    expect(body?.startsWith("\xff\xd8\xff\xe0")).toBe(true);
    expect(client.body.toString("latin1").endsWith("\xff\xd9\r\n--myboundary\r\n")).toBe(true);
  });

  it("uses the lowest level without a resolution, at its rate at the most", async () => {
    const client = watch();
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 50);
    await until("the pictures", () => labels(client).includes("frame 48"));
    expect(client.body.toString("latin1")).toContain("frame 0;320x180");
    // 10 a second of 25: 2 s are 20 pictures.
    expect(parts(client).length).toBeGreaterThanOrEqual(19);
    expect(parts(client).length).toBeLessThanOrEqual(21);
  });

  it("honours a lower rate, and decodes key frames alone where these are enough", async () => {
    const client = watch("fps=1");
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 126);
    await until("the last key frame", () => labels(client).includes("frame 125"));
    expect(labels(client)).toEqual([0, 25, 50, 75, 100, 125].map((index) => `frame ${index}`));
    const afterTheFirstGop = api.codec.calls.filter((call) => Number(call.label.slice(6)) > 25);
    expect(afterTheFirstGop.map((call) => call.label)).toEqual(
      [50, 75, 100, 125].map((index) => `frame ${index}`),
    );
  });

  it("skips what nothing refers to while no picture is due", async () => {
    watch("fps=5");
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 11);
    await decoded();
    const skips = api.codec.calls.map((call) => (call.targets.length > 0 ? "shown" : call.skip));
    const between = Array.from({ length: 4 }, () => "non-reference");
    expect(skips).toEqual(["shown", ...between, "shown", ...between, "shown"]);
  });

  it("decodes once for viewers of one level and of several, and encodes each level once", async () => {
    const many = [1, 2, 3].map(() => watch("fps=25&resolutionx=1280"));
    const low = watch("fps=10");
    await until("two transcodes", () => api.transcoding.size === 2);
    await play(0, 10);
    await until("all have pictures", () => [...many, low].every((client) => parts(client).length >= 4));
    await decoded();
    expect(watchers()).toBe(1);
    expect(api.codec.opened).toBe(1);
    expect(api.codec.calls).toHaveLength(10);
    expect(api.codec.made).toBe(10 + 4);
    for (const client of many) expect(parts(client)).toHaveLength(10);
  });

  it("gives a viewer who comes the newest picture at once, and the GOP's to the first", async () => {
    await play(0, 10);
    const first = watch();
    await until("a picture from the GOP, then the newest", () => labels(first).includes("frame 9"));
    expect(labels(first)).toEqual(["frame 0", "frame 9"]);
    const second = watch();
    await until("the newest", () => parts(second).length === 1);
    expect(labels(second)).toEqual(["frame 9"]);
  });

  it("ends a transcode a while after its last viewer left, and lets the stream go", async () => {
    const client = watch();
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 3);
    await until("a picture", () => parts(client).length > 0);
    client.destroy();
    await until("it is gone", () => api.transcoding.size === 0, 8000);
    expect([watchers(), api.codec.open]).toEqual([0, 0]);
  });

  it("lets a slow viewer lose pictures while the other gets all of them", async () => {
    api.codec.pictureBytes = 400_000;
    const slow = stalled("fps=25&resolutionx=1280");
    const quick = watch("fps=25&resolutionx=1280");
    await until("a viewer subscribes", () => watchers() === 1);
    await playTo(quick, 0, 60);
    expect(parts(quick)).toHaveLength(60);
    slow.resume();
    slow.socket.resume();
    await play(60, 62);
    await until("the slow one has the newest", () => labels(slow).includes("frame 61"));
    expect(labels(slow).length).toBeLessThan(50);
    expect(labels(slow)).toContain("frame 0");
  });

  it("makes pictures for nobody while no viewer takes them, and stops decoding in the end", async () => {
    api.codec.pictureBytes = 400_000;
    const slow = stalled("fps=25&resolutionx=1280");
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 60);
    expect(api.codec.made).toBeLessThan(40);
    expect(slow.length).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, DECODER_IDLE_MS_MAX + 100));
    const calls = api.codec.calls.length;
    await play(60, 70);
    expect(api.codec.calls.length).toBe(calls);
    slow.resume();
    slow.socket.resume();
    await until("it goes on from the current GOP", () => labels(slow).includes("frame 69"));
  });

  it("lets a slow viewer of an H.264 level go on at a key frame that it asks for", async () => {
    await begin({ site: pFrameSite() });
    api.codec.pictureBytes = 400_000;
    const slow = stalled("fps=25&resolutionx=1280");
    const quick = watch("fps=25&resolutionx=1280");
    await until("a viewer subscribes", () => watchers() === 1);
    await playTo(quick, 0, 60);
    slow.resume();
    slow.socket.resume();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await playTo(quick, 60, 80);
    await until("both have the newest", () => [slow, quick].every((one) => labels(one).includes("frame 79")));
    expect(labels(quick)).toHaveLength(80);
    const seen = parts(slow).map((part) => ({ index: Number(labelIn(part.body).slice(6)), type: part.type }));
    const afterLoss = seen.filter(({ index }, at) => at === 0 || index !== (seen[at - 1]?.index ?? 0) + 1);
    expect(afterLoss.length).toBeGreaterThan(1);
    expect(new Set(afterLoss.map(({ type }) => type))).toEqual(new Set(["video, h264, I-frame"]));
  });

  it("sends H.264 parts at a level with UsePFrames, beginning with an I-frame", async () => {
    await begin({ site: pFrameSite() });
    const client = watch("fps=25&resolutionx=1280");
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 4);
    await until("four pictures", () => parts(client).length === 4);
    expect(parts(client).map((part) => part.type)).toEqual([
      "video, h264, I-frame",
      ...Array.from({ length: 3 }, () => "video, h264, P-frame"),
    ]);
    // The source is 640x480: the level of 1280x720 does not enlarge it.
    expect(api.codec.encoders.map(({ width, height }) => [width, height])).toEqual([[640, 480]]);
    const late = watch("fps=25&resolutionx=1280");
    await until("two viewers", () => api.codec.calls.length >= 4);
    await decoded();
    await play(4, 20);
    await until("it begins", () => parts(late).length > 0);
    expect(parts(late)[0]?.type).toBe("video, h264, I-frame");
  });

  it("sends JPEG at a level with UsePFrames where the platform has no encoder", async () => {
    await begin({ site: pFrameSite() });
    api.codec.withoutEncoder = true;
    const client = watch("fps=25&resolutionx=1280");
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 2);
    await until("pictures", () => parts(client).length === 2);
    expect(parts(client).map((part) => part.type)).toEqual(["image/jpeg", "image/jpeg"]);
  });

  it.each([
    ["", "audio, PCMU", "g711u"],
    ["&soundformat=PCM", "audio, PCM", "pcm"],
    ["&soundformat=g711a", "audio, PCMA", "g711a"],
    ["&soundformat=aac", "audio, AAC", "aac"],
  ])("interleaves sound with sound=on%s as %s", async (query, type, form) => {
    const client = watch(`fps=25&sound=on${query}`);
    const quiet = watch("fps=25");
    await until("video and sound are wanted", () => watchers() === 2);
    const stream = api.streams.live(GATE_ID);
    await play(0, 1);
    await until("a picture", () => parts(client).length === 1);
    stream.publish(liveFrame(1, { codec: Codec.PCMU, bytes: Buffer.from("tone") }));
    await until("sound", () => parts(client).length === 2);
    expect(parts(client)[1]?.type).toBe(type);
    expect(parts(client)[1]?.body.toString()).toBe(`${form} tone`);
    expect(parts(quiet).every((part) => part.type === "image/jpeg")).toBe(true);
  });

  it("goes on after a frame that cannot be decoded, at the next key frame", async () => {
    const client = watch("fps=25&resolutionx=1280");
    await until("a viewer subscribes", () => watchers() === 1);
    await play(0, 3);
    api.codec.fault = new Error("invalid data found");
    await play(3, 27);
    await until("pictures again", () => labels(client).includes("frame 26"));
    expect(labels(client)).toEqual([0, 1, 2, 25, 26].map((index) => `frame ${index}`));
    expect(api.logLines.filter((line) => line.reason === "invalid data found")).toHaveLength(1);
  });

  it("opens a new decoder when the camera changes its resolution", async () => {
    const client = watch("fps=25&resolutionx=1280");
    await until("a viewer subscribes", () => watchers() === 1);
    const stream = api.streams.live(GATE_ID);
    for (const codec of [Codec.H264, Codec.H265, Codec.MJPEG]) {
      stream.publish(liveFrame(api.codec.opened, { key: true, codec }));
      await decoded();
    }
    await until("three pictures", () => parts(client).length === 3);
    expect([api.codec.opened, api.codec.open]).toEqual([3, 1]);
  });
});

describe("/mobile of a camera that sends no picture", () => {
  it("is 503 with the reason before clients give up", async () => {
    const clock = new SimulatedClock(NINE_US);
    await begin({ clock });
    api.streams.live(GATE_ID).setState({ state: "lost", reason: "nothing answers at 192.0.2.1" });
    const answers = ["", "&oneframeonly=true"].map((query) =>
      api.get(`/mobile?channelid=${GATE_ID}${query}`),
    );
    await until("both wait", () => watchers() === 1 && clock.timers >= 3);
    await clock.advanceSlowly(4_600_000, 100_000);
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(503);
      expect(await answer.text()).toContain("nothing answers at 192.0.2.1");
    }
  });

  it("begins within 5 s where the next key frame is far, and shows it when it comes", async () => {
    const clock = new SimulatedClock(NINE_US);
    await begin({ clock });
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    const client = watch();
    await until("it waits", () => watchers() === 1, { seen: () => watchers() });
    await clock.advanceSlowly(4_600_000, 100_000);
    await until("the answer begins", () => client.body.toString() === "--myboundary\r\n", {
      seen: () => client.body.toString(),
    });
    stream.publish(liveFrame(0, { key: true }));
    await until("a picture", () => parts(client).length === 1, { seen: () => parts(client).length });
  });

  it("goes on when the camera is back", async () => {
    const client = watch("fps=25&resolutionx=1280");
    await until("it watches", () => watchers() === 1);
    await play(0, 3);
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "lost", reason: "the camera closed the connection" });
    stream.setState({ state: "connecting" });
    await play(25, 28);
    await until("new pictures", () => labels(client).includes("frame 27"));
    expect(labels(client)).toEqual([0, 1, 2, 25, 26, 27].map((index) => `frame ${index}`));
  });
});

describe("/mobile?oneframeonly", () => {
  it("answers the part's headers and the JPEG, without a boundary", async () => {
    await play(0, 3);
    const response = await api.get(`/mobile?channelid=${GATE_ID}&oneframeonly=true`);
    const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
    expect(body).toMatch(
      /^Content-Type: image\/jpeg\r\nTimestamp: 21\.11\.2026 09:00:00\.080\r\nContent-Length: \d+\r\n\r\n\xff\xd8\xff\xe0/,
    );
    expect(body.endsWith("\xff\xd9")).toBe(true);
    expect(response.headers.get("content-type")).toBe("multipart/x-mixed-replace; boundary=myboundary");
  });

  it("answers the bare JPEG of the newest frame with withcontenttype", async () => {
    await play(0, 20);
    const response = await api.get(`/mobile?channelid=${GATE_ID}&oneFrameOnly=True&withContentType=TRUE`);
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get("content-type")).toBe("image/jpeg");
    expect(Number(response.headers.get("content-length"))).toBe(body.length);
    expect(body.toString("latin1")).toMatch(/^\xff\xd8\xff\xe0.*frame 19;.*\xff\xd9$/s);
  });
});

describe("who may watch /mobile", () => {
  it("is reported when the mobile server, or every level, is switched off", async () => {
    const off = new MemorySiteStore({
      ...sampleSite(),
      mobile: { ...DEFAULT_SITE_PARTS.mobile, isEnabled: false },
    });
    await begin({ site: off });
    const response = await api.get(`/mobile?channelid=${GATE_ID}`);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("the mobile server is switched off");
  });

  it("loses the stream when the right is withdrawn, and nobody else does", async () => {
    const guard = watch("", "login=guard");
    const root = watch();
    await until("both watch", () => watchers() === 1);
    await play(0, 3);
    await until("both see", () => parts(guard).length > 0 && parts(root).length > 0);
    const group = guardsGroup();
    const rights = { ...group.rights, CanGetTranscodedVideoFromMobileServer: false };
    await api.site.change((site) => ({
      ...site,
      groups: site.groups.map((one) => (one.id === group.id ? { ...group, rights } : one)),
    }));
    await until("the guard's stream ends", () => guard.text.endsWith("\r\n0\r\n\r\n"));
    expect(root.closed).toBe(false);
    expect(root.text.endsWith("\r\n0\r\n\r\n")).toBe(false);
  });

  it("loses the stream when the level changes", async () => {
    const client = watch();
    await until("it watches", () => watchers() === 1, { seen: () => watchers() });
    await play(0, 3);
    await until("it sees", () => parts(client).length > 0, { seen: () => parts(client).length });
    const level = { ...DEFAULT_SITE_PARTS.mobile.levels.Low, fpsLimit: 2 };
    const levels = { ...DEFAULT_SITE_PARTS.mobile.levels, Low: level };
    await api.site.change((site) => ({ ...site, mobile: { ...site.mobile, levels } }));
    await until("the stream ends", () => client.text.endsWith("\r\n0\r\n\r\n"), { seen: () => client.text });
  });

  it("is 503 with Retry-After beyond the bound of transcodes; who shares one is let in", async () => {
    await begin({ transcodesMax: 1 });
    watch();
    await until("one watches", () => api.transcoding.size === 1);
    const response = await api.get(`/mobile?channelid=${YARD_ID}`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.text()).toContain("1 streams and recordings are being transcoded");
    const sharing = watch();
    await play(0, 2);
    await until("the second sees", () => parts(sharing).length > 0);
  });

  it("is 503 with Retry-After while the memory for decoded pictures is short; who watches goes on", async () => {
    const first = watch();
    await until("one watches", () => api.transcoding.size === 1);
    api.codec.memory = { frameBytes: 800, frameBytesMax: 1000, frameRefusals: 0 };
    const response = await api.get(`/mobile?channelid=${YARD_ID}`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.text()).toContain("as many pictures as there is memory for");
    await play(0, 2);
    await until("the first sees", () => parts(first).length > 0);
    api.codec.memory = { frameBytes: 700, frameBytesMax: 1000, frameRefusals: 0 };
    const second = watch();
    await play(2, 2);
    await until("the second sees", () => parts(second).length > 0);
  });

  it("is told what is missing where there is no codec", async () => {
    api.codec.fault = new NvrdError("NOT_SUPPORTED", "the codec is not installed");
    await play(0, 1);
    const response = await api.get(`/mobile?channelid=${GATE_ID}`);
    expect([response.status, await response.text()]).toEqual([501, expect.stringContaining("not installed")]);
  });
});

function pFrameSite(): MemorySiteStore {
  const { mobile } = DEFAULT_SITE_PARTS;
  const levels = { ...mobile.levels, High: { ...mobile.levels.High, usePFrames: true } };
  return new MemorySiteStore({ ...sampleSite(), mobile: { ...mobile, levels } });
}
