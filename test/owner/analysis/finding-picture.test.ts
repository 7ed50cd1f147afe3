import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, FRAME_US, frameBytes, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { ScriptedCodec } from "../../support/picture/scripted-codec.js";

const SECOND_US = 1_000_000;
const BOX = { left: 0.25, top: 0.25, width: 0.5, height: 0.5 };

let api: ApiHarness;
let clock: SimulatedClock;

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US + 52 * FRAME_US);
  api = await startApi({ clock, codec: new ScriptedCodec() });
});

afterEach(() => api.stop());

function record(from: number, count: number): void {
  const frames = archivedFrames(count, NINE_US + from * FRAME_US, { gopFrames: 25 });
  api.archive.record(
    { channelId: GATE_ID, streamType: "Main" },
    frames.map((frame, index) => ({ ...frame, bytes: frameBytes(from + index) })),
  );
}

/** The frame whose picture comes, known by its grey, and how long it may be kept. */
async function shown(response: Response): Promise<{ readonly frame: number; readonly isKept: boolean }> {
  expect(response.status).toBe(200);
  const { data } = await sharp(Buffer.from(await response.arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const isKept = response.headers.get("cache-control")?.includes("max-age") === true;
  return { frame: (data[0] ?? -3) / 3, isKept };
}

function seen(frame: number, toFrame = frame): string {
  const atUs = NINE_US + frame * FRAME_US;
  const id = api.lasting.begin({ channelId: GATE_ID, kind: "person", source: "recorder", atUs, box: BOX });
  api.lasting.grow(id ?? "", { atUs: NINE_US + toFrame * FRAME_US, box: BOX, quality: 0 });
  return id ?? "";
}

describe("the picture of a finding", () => {
  it("is that of the moment at which it was seen best, and is kept when it is over", async () => {
    record(0, 80);
    const id = seen(30, 40);
    api.lasting.end(id);
    clock.advance(60 * SECOND_US);
    expect(await shown(await api.get(`/api/findings/${id}/picture?whole=true`))).toEqual({
      ...{ frame: 30, isKept: true },
    });
  });

  it("is that of another moment of it, where that is asked for", async () => {
    record(0, 80);
    const id = seen(30, 50);
    const at = (frame: number) => new Date((NINE_US + frame * FRAME_US) / 1000).toISOString();
    const shownAt = async (frame: number) =>
      (await shown(await api.get(`/api/findings/${id}/picture?time=${at(frame)}`))).frame;
    expect([await shownAt(45), await shownAt(75), await shownAt(5)]).toEqual([45, 50, 30]);
  });

  it("waits until the moment is recorded, and may be another one later", async () => {
    record(0, 50);
    const id = seen(51);
    api.lasting.end(id);
    const picture = api.get(`/api/findings/${id}/picture?whole=true`);
    const timers = clock.timers;
    await until("it waits", () => clock.timers > timers);
    record(50, 20);
    clock.advance(SECOND_US);
    expect(await shown(await picture)).toEqual({ frame: 51, isKept: false });
  });

  it("is 404 where nothing was recorded then, 204 where it is optional", async () => {
    const id = seen(30);
    clock.advance(60 * SECOND_US);
    const status = async (query: string) => (await api.get(`/api/findings/${id}/picture?${query}`)).status;
    expect([await status(""), await status("optional=true")]).toEqual([404, 204]);
    const unknown = `${GATE_ID}-1795251600000000`;
    expect((await api.get(`/api/findings/${unknown}/picture?optional=true`)).status).toBe(404);
  });

  it("is the nearest one where the moment is not recorded in time", async () => {
    record(0, 50);
    const id = seen(51);
    const picture = api.get(`/api/findings/${id}/picture?whole=true`);
    const timers = clock.timers;
    await until("it waits", () => clock.timers > timers);
    await clock.advanceSlowly(4 * SECOND_US);
    expect((await shown(await picture)).frame).toBe(49);
  });
});
