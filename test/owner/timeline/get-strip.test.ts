import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StripHeader } from "../../../src/contract/answer/index.js";
import { CodecError } from "../../../src/picture/index.js";
import { GATE_ID, rights, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, frameBytes, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { frameNumber, ScriptedCodec } from "../../support/picture/scripted-codec.js";

const SECOND_MS = 1000;
const HOUR_US = 3_600_000_000;
const NINE_MS = NINE_US / 1000;
const FRAMES_A_SECOND = 25;
const UNKNOWN_ID = "22222222-0000-4000-8000-0000000000ff";

let api: ApiHarness;
let codec: ScriptedCodec;
let clock: SimulatedClock;

beforeEach(async () => {
  codec = new ScriptedCodec();
  clock = new SimulatedClock(NINE_US + HOUR_US);
  api = await startApi({ clock, codec });
});
afterEach(() => api.stop());

/** A key frame a second, each of its own grey: three for each second. */
function record(seconds: number, fromUs = NINE_US): void {
  const frames = archivedFrames(seconds * FRAMES_A_SECOND, fromUs).map((frame, index) => ({
    ...frame,
    bytes: frameBytes(Math.floor(index / FRAMES_A_SECOND)),
  }));
  api.archive.record({ channelId: GATE_ID, streamType: "Main" }, frames);
}

function path(query: Record<string, string | number> = {}): string {
  const all = {
    channel: GATE_ID,
    from: NINE_MS,
    to: NINE_MS + 10 * SECOND_MS,
    count: 5,
    width: 64,
    ...query,
  };
  const pairs = Object.entries(all).map(([name, value]): [string, string] => [name, String(value)]);
  return `/api/strip?${new URLSearchParams(pairs)}`;
}

function headerOf(response: Response): StripHeader {
  return JSON.parse(response.headers.get("strip") ?? "null") as StripHeader;
}

/** The second whose picture is shown in each place, by its grey. */
async function secondsShown(response: Response, { Width, Height, Columns, Times }: StripHeader) {
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Times.map((_, at) => {
    const x = (at % Columns) * Width + Width / 2;
    const y = Math.floor(at / Columns) * Height + Height / 2;
    return Math.round((data[(Math.floor(y) * info.width + Math.floor(x)) * info.channels] ?? 0) / 3);
  });
}

describe("a strip", () => {
  it("has the key frame nearest to the middle of each part, in one JPEG, and says when each was shown", async () => {
    record(10);
    const response = await api.get(path());
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    const header = headerOf(response);
    expect(header).toEqual({
      ...{ Width: 64, Height: 36, Columns: 5 },
      Times: [1, 3, 5, 7, 9].map((second) => NINE_MS + second * SECOND_MS),
    });
    expect(await secondsShown(response, header)).toEqual([1, 3, 5, 7, 9]);
  });

  it("decodes a key frame alone", async () => {
    record(10);
    await api.get(path());
    expect(codec.asked.map(({ units }) => units.length)).toEqual([1, 1, 1, 1, 1]);
  });

  it("has rows of ten", async () => {
    record(24);
    const response = await api.get(path({ to: NINE_MS + 24 * SECOND_MS, count: 24 }));
    const header = headerOf(response);
    expect([header.Columns, header.Times.length]).toEqual([10, 24]);
    const size = await sharp(Buffer.from(await response.clone().arrayBuffer())).metadata();
    expect([size.width, size.height]).toEqual([640, 3 * 36]);
    expect((await secondsShown(response, header)).slice(9, 12)).toEqual([9, 10, 11]);
  });

  it("leaves the place of a part black of which nothing is recorded", async () => {
    record(2);
    record(2, NINE_US + 8_000_000);
    const response = await api.get(path());
    const header = headerOf(response);
    expect(header.Times.map((time) => time !== null)).toEqual([true, false, false, false, true]);
    expect((await secondsShown(response, header)).slice(1, 4)).toEqual([0, 0, 0]);
  });

  it("leaves the place of a picture black that cannot be decoded", async () => {
    record(10);
    codec.failure = ({ units }) =>
      frameNumber(units[0]) === 3 ? new CodecError("corrupt", "no picture") : undefined;
    expect(headerOf(await api.get(path())).Times.map((time) => time !== null)).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
  });

  it("is made from pictures that are in memory the second time", async () => {
    record(10);
    await api.get(path());
    await api.get(path({ to: NINE_MS + 10 * SECOND_MS, count: 5 }));
    expect(codec.asked.length).toBe(5);
  });

  it("of a time that is over is kept by browsers; of the present it is asked for again by its ETag", async () => {
    record(10);
    const settled = await api.get(path());
    expect(settled.headers.get("cache-control")).toBe("private, max-age=86400, immutable");
    expect(settled.headers.get("vary")).toContain("Authorization");
    clock.stepWall(-HOUR_US + 20_000_000);
    const young = await api.get(path());
    expect(young.headers.get("cache-control")).toBe("private, no-cache");
    const again = await api.get(path(), { "If-None-Match": young.headers.get("etag") ?? "" });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
  });

  it("is not kept by browsers where recordings are missing, and says so", async () => {
    record(10);
    api.archive.lack = "recordings of a volume could not be read";
    const { headers } = await api.get(path());
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("recordings-incomplete")).toBe(api.archive.lack);
  });

  it("whose client goes away is not made to its end", async () => {
    record(10);
    codec.hold();
    const client = api.connect();
    client.send(
      `GET ${path()}&login=root&password=5ebe2294ecd0e0f08eab7690d2a6ee69 HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    await until("a picture is decoded", () => codec.held === 1);
    client.destroy();
    await until("nobody waits", () => api.stills.load.waiting === 0);
    codec.release();
    await until("the work is over", () => api.stills.load.running === 0);
    expect(codec.asked.length).toBe(1);
  });
});

it("a strip that is optional is 204 where nothing is recorded", async () => {
  expect((await api.get(path({ channel: YARD_ID, optional: "true" }))).status).toBe(204);
});

describe("what /api/strip refuses", () => {
  it.each([
    ["no channel", { channel: "" }, 400],
    ["something else than a channel", { channel: "Gate" }, 400],
    ["an unknown channel", { channel: UNKNOWN_ID }, 404],
    ["a channel without recordings", { channel: YARD_ID }, 404],
    ["an unknown channel, also where pictures are optional", { channel: UNKNOWN_ID, optional: "true" }, 404],
    ["no beginning", { from: "" }, 400],
    ["an end before the beginning", { to: NINE_MS }, 400],
    ["no pictures", { count: 0 }, 400],
    ["61 pictures", { count: 61 }, 400],
    ["pictures that are too small", { width: 15 }, 400],
    ["pictures that are too large", { width: 481 }, 400],
  ])("%s", async (_what, query, status) => {
    expect((await api.get(path(query))).status).toBe(status);
  });

  it("a time while it is not known what is recorded", async () => {
    api.archive.fault = "the index of recordings is being opened";
    const response = await api.get(path());
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
  });

  it("the main stream to whoever may not receive it", async () => {
    record(10);
    await api.site.change((site) => ({
      ...site,
      groups: site.groups.map((group) =>
        group.name === "Guards"
          ? { ...group, archiveChannels: "all" as const, rights: rights({ CanReceiveMainStream: false }) }
          : group,
      ),
    }));
    const response = await fetch(api.url(`${path()}&login=guard`));
    expect(response.status).toBe(403);
  });
});
