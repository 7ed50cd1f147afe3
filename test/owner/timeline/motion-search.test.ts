import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecordingUnreachable } from "../../../src/archive/index.js";
import type { MotionSearch } from "../../../src/contract/answer/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import type { DecodeStillOptions, Picture } from "../../../src/picture/index.js";
import { GATE_ID, ROOT_MD5, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, frameBytes, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { frameNumber, ScriptedCodec } from "../../support/picture/scripted-codec.js";

const NINE_MS = NINE_US / 1000;
const HOUR_US = 3_600_000_000;
const FRAMES_A_SECOND = 25;
const WIDTH = 160;
const HEIGHT = 90;
const LEFT_HALF = [{ Left: 0, Top: 0, Width: 0.5, Height: 1 }];
const RIGHT_HALF = [{ Left: 0.5, Top: 0, Width: 0.5, Height: 1 }];

/** Pictures of a grey wall with noise; in the seconds that `boxes` names, a bright box at a place. */
class WallCodec extends ScriptedCodec {
  boxes = new Map<number, { readonly x: number; readonly y: number }>();
  /** Where it is in pictures between the key frame of a second and the next one. */
  size = 20;
  between = new Map<number, { readonly x: number; readonly y: number }>();

  override async decodeStill(options: DecodeStillOptions): Promise<readonly Picture[]> {
    const pictures = await super.decodeStill(options);
    const second = frameNumber(options.units[0]);
    return pictures.map((picture, at) =>
      options.targets[at]?.form === "gray"
        ? {
            ...picture,
            form: "gray",
            width: WIDTH,
            height: HEIGHT,
            data: this.#wall(second, options.units.length > 1),
          }
        : picture,
    );
  }

  #wall(second: number, isBetween: boolean): Uint8Array {
    const data = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => 100 + ((at * 7 + second) % 3));
    const box = (isBetween ? this.between : this.boxes).get(second);
    const { size } = this;
    for (let y = box?.y ?? HEIGHT; y < Math.min(HEIGHT, (box?.y ?? 0) + size); y++)
      data.fill(220, y * WIDTH + (box?.x ?? 0), y * WIDTH + (box?.x ?? 0) + size);
    return data;
  }
}

let api: ApiHarness;
let codec: WallCodec;

beforeEach(async () => {
  codec = new WallCodec();
  api = await startApi({ clock: new SimulatedClock(NINE_US + HOUR_US), codec });
});
afterEach(() => api.stop());

/** A key frame a second, with the number of the second. */
function record(seconds: number, channelId = GATE_ID): void {
  const frames = archivedFrames(seconds * FRAMES_A_SECOND).map((frame, index) => ({
    ...frame,
    bytes: frameBytes(Math.floor(index / FRAMES_A_SECOND)),
  }));
  api.archive.record({ channelId, streamType: "Main" }, frames);
}

async function send(method: string, path: string, body?: unknown, user = `login=root&password=${ROOT_MD5}`) {
  const response = await fetch(api.url(`/api/motionsearch${path}?${user}`), {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as MotionSearch };
}

const question = (more: object = {}) => ({
  ...{ Channel: GATE_ID, From: NINE_MS, To: NINE_MS + 30_000 },
  ...more,
});

async function ended(id: string): Promise<MotionSearch> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { json } = await send("GET", `/${id}`);
    if (json.State !== "waiting" && json.State !== "running") return json;
    if (performance.now() > deadline) throw new Error(`the search is ${json.State} at ${json.Progress}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function search(more: object = {}): Promise<MotionSearch> {
  const { status, json } = await send("POST", "", question(more));
  expect(status).toBe(202);
  return await ended(json.Id);
}

/** The spans in seconds after nine. */
function seconds({ Spans }: MotionSearch): number[][] {
  return Spans.map(({ From, To }) => [(From - NINE_MS) / 1000, (To - NINE_MS) / 1000]);
}

const WHOLE_PICTURE = { Left: 0, Top: 0, Width: 1, Height: 1 };

describe("a search in pictures", () => {
  beforeEach(() => {
    record(30);
    // Something passes on the left from second 10 to 12, on the right in second 25.
    for (const [second, x] of [
      [10, 10],
      [11, 30],
      [12, 50],
      [25, 120],
    ] as const)
      codec.boxes.set(second, { x, y: 30 });
  });

  it("finds what moves in the region, and not what moves elsewhere", async () => {
    const left = await search({ Region: LEFT_HALF });
    expect([left.State, left.Progress, left.Source, left.IsCut, left.Error]).toEqual([
      "done",
      1,
      "pictures",
      false,
      null,
    ]);
    expect(seconds(left)).toEqual([[9, 13]]);
    expect(seconds(await search({ Region: RIGHT_HALF }))).toEqual([[24, 26]]);
  });

  it("waits for recordings that have to be fetched first, at each question", async () => {
    api.archive.coolDown();
    const found = await search({ Region: LEFT_HALF });
    expect([found.State, found.Error, seconds(found)]).toEqual(["done", null, [[9, 13]]]);
  });

  it("fails, with the reason, where pictures cannot be read: nobody takes that for no motion", async () => {
    api.archive.read = () => {
      throw new RecordingUnreachable("it is off the box, and the link is down", { retryAfterMs: 1000 });
    };
    const { State, Error: reason } = await search();
    expect([State, reason]).toEqual(["failed", "it is off the box, and the link is down"]);
  });

  it("takes a polygon, several areas, and without a region all of the picture", async () => {
    const triangle = {
      Points: [
        { X: 1, Y: 0 },
        { X: 1, Y: 1 },
        { X: 0.6, Y: 0.5 },
      ],
    };
    expect(seconds(await search({ Region: [triangle] }))).toEqual([[24, 26]]);
    expect(seconds(await search({ Region: [...LEFT_HALF, ...RIGHT_HALF] }))).toEqual([
      [9, 13],
      [24, 26],
    ]);
    expect(seconds(await search())).toEqual([
      [9, 13],
      [24, 26],
    ]);
  });

  it("finds who passes the region between two key frames that show them before and behind it", async () => {
    codec.boxes = new Map([
      [10, { x: 0, y: 30 }],
      [11, { x: 130, y: 30 }],
    ]);
    codec.between = new Map([[10, { x: 70, y: 30 }]]);
    const middle = [{ Left: 0.4, Top: 0, Width: 0.2, Height: 1 }];
    const found = await search({ Region: middle });
    expect(seconds(found)).toEqual([[10, 11]]);
    expect(found.Spans.map(({ At }) => (At - NINE_MS) / 1000)).toEqual([10.5]);
  });

  it("takes the least size of the region, and not of the picture", async () => {
    codec.size = 3;
    codec.boxes = new Map([[15, { x: 20, y: 30 }]]);
    const door = [{ Left: 0.1, Top: 0.3, Width: 0.1, Height: 0.2 }];
    expect(seconds(await search({ Region: door }))).toEqual([[14, 16]]);
    expect(seconds(await search())).toEqual([]);
  });

  it("says how far apart the pictures were that it compared", async () => {
    expect((await search({ Region: RIGHT_HALF, To: NINE_MS + 8000 })).Apart).toBe(1000);
  });

  it("decodes each key frame alone, and once", async () => {
    await search();
    expect(codec.asked.map(({ units }) => units.length)).toEqual(Array(30).fill(1));
  });

  it("goes on over a gap, and does not compare what lies before it with what lies behind it", async () => {
    codec.boxes = new Map(Array.from({ length: 30 }, (_, second) => [second, { x: 10, y: 30 }]));
    const far = archivedFrames(2 * FRAMES_A_SECOND, NINE_US + 90_000_000).map((frame) => ({
      ...frame,
      bytes: frameBytes(70),
    }));
    api.archive.record({ channelId: GATE_ID, streamType: "Main" }, far);
    expect(seconds(await search({ To: NINE_MS + 120_000 }))).toEqual([]);
  });

  it("tells its progress, waits while stills are made, and is cancelled with what it has found", async () => {
    codec.hold();
    const still = fetch(
      api.url(
        `/site?channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:20&login=root&password=${ROOT_MD5}`,
      ),
    );
    while (codec.held === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const { json: started } = await send("POST", "", question());
    const { json: running } = await send("GET", `/${started.Id}`);
    expect([running.State, running.Progress, codec.held]).toEqual(["running", 0, 1]);
    const { json: ended } = await send("DELETE", `/${started.Id}`);
    expect([ended.Id, ended.State]).toEqual([started.Id, "cancelled"]);
    codec.release();
    expect((await still).status).toBe(200);
    expect((await send("GET", `/${started.Id}`)).status).toBe(404);
    expect((await send("DELETE", `/${started.Id}`)).status).toBe(404);
  });

  it("that has ended stays readable until it is deleted; the answer has what was found", async () => {
    record(10);
    const done = await search();
    expect(done.State).toBe("done");
    expect((await send("GET", `/${done.Id}`)).json).toEqual(done);
    expect((await send("DELETE", `/${done.Id}`)).json).toEqual(done);
    expect((await send("GET", `/${done.Id}`)).status).toBe(404);
  });

  it("belongs to the user who began it", async () => {
    record(10, YARD_ID);
    const { json } = await send("POST", "", question({ Channel: YARD_ID }), "login=guard");
    expect((await send("GET", `/${json.Id}`, undefined, "login=guard")).status).toBe(200);
    expect((await send("GET", `/${json.Id}`)).status).toBe(404);
    expect((await send("DELETE", `/${json.Id}`)).status).toBe(404);
    const lists = [await send("GET", ""), await send("GET", "", undefined, "login=guard")];
    expect(lists.map(({ json: list }) => (list as unknown as MotionSearch[]).length)).toEqual([0, 1]);
  });

  it("is refused beyond four of a user", async () => {
    codec.hold();
    const started = await Promise.all(Array.from({ length: 4 }, () => send("POST", "", question())));
    expect(started.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect((await send("POST", "", question())).status).toBe(429);
    for (const { json } of started) await send("DELETE", `/${json.Id}`);
    codec.release();
    expect((await search({ To: NINE_MS + 1000 })).State).toBe("done");
  });

  it("is closed to a user who may no longer watch the channel's archive", async () => {
    record(10, YARD_ID);
    const { json } = await send("POST", "", question({ Channel: YARD_ID }), "login=guard");
    await api.site.change((site) => ({
      ...site,
      groups: site.groups.map((group) =>
        group.name === "Guards" ? { ...group, archiveChannels: [] } : group,
      ),
    }));
    expect((await send("GET", `/${json.Id}`, undefined, "login=guard")).status).toBe(403);
  });
});

describe("a search in stored events", () => {
  beforeEach(() => {
    record(30);
    const event = (second: number, left: string) => ({
      ...{ typeId: EVENT_TYPES.motionDetected.id, channelId: GATE_ID, timeUs: NINE_US + second * 1_000_000 },
      fields: { Left: left, Top: "0,4", Width: "0,1", Height: "0,2" },
    });
    api.events.raise(event(10, "0,1"));
    api.events.raise(event(25, "0,8"));
  });

  it("answers from them where they say where motion was, without a picture", async () => {
    const found = await search({ Region: LEFT_HALF });
    expect([found.State, found.Source, seconds(found)]).toEqual(["done", "events", [[10, 15]]]);
    expect(codec.asked).toEqual([]);
  });

  it("compares pictures all the same when that is asked for", async () => {
    const found = await search({ Pictures: true, To: NINE_MS + 5000 });
    expect([found.Source, seconds(found)]).toEqual(["pictures", []]);
  });
});

describe("what POST /api/motionsearch refuses", () => {
  it.each([
    ["no channel", { Channel: undefined }, 400],
    ["something else than a channel", { Channel: "Gate" }, 400],
    ["an unknown channel", { Channel: "22222222-0000-4000-8000-0000000000ff" }, 404],
    ["no beginning", { From: undefined }, 400],
    ["something else than a time", { From: "yesterday" }, 400],
    ["a list for a time", { From: [1] }, 400],
    ["an end before the beginning", { To: NINE_MS }, 409],
    ["more than a month", { To: NINE_MS + 32 * 86_400_000 }, 409],
    ["a region that is no list", { Region: { Left: 0 } }, 400],
    ["a region of texts", { Region: ["left"] }, 400],
    ["a rectangle beyond the picture", { Region: [{ Left: 1.1, Top: 0, Width: 0.5, Height: 1 }] }, 400],
    ["a rectangle that ends beyond it", { Region: [{ Left: 0.6, Top: 0, Width: 0.5, Height: 1 }] }, 202],
    ["a rectangle without an area", { Region: [{ Left: 1, Top: 0, Width: 0, Height: 1 }] }, 202],
    ["a rectangle with more members", { Region: [{ ...WHOLE_PICTURE, Points: {} }] }, 202],
    ["a beginning behind all times", { From: "20.03.4739 02:10:05" }, 409],
    ["one point three times", { Region: [{ Points: Array(3).fill({ X: 1, Y: 0.5 }) }] }, 202],
    [
      "two points",
      {
        Region: [
          {
            Points: [
              { X: 0, Y: 0 },
              { X: 1, Y: 1 },
            ],
          },
        ],
      },
      400,
    ],
    ["seventeen areas", { Region: Array(17).fill(LEFT_HALF[0]) }, 400],
    ["a sensitivity of none", { Sensitivity: 0 }, 400],
    ["a text for a flag", { Pictures: "yes" }, 400],
  ])("%s", async (_what, more, status) => {
    expect((await send("POST", "", question(more))).status).toBe(status);
  });

  it("a channel whose archive the user may not watch", async () => {
    expect((await send("POST", "", question(), "login=guard")).status).toBe(403);
  });

  it("a time while it is not known what is recorded", async () => {
    api.archive.fault = "the index of recordings is being opened";
    expect((await send("POST", "", question())).status).toBe(503);
  });
});
