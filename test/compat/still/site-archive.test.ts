import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ArchivedFrame } from "../../../src/archive/index.js";
import type { StreamType } from "../../../src/base/index.js";
import { RUN_FRAMES_MAX } from "../../../src/picture/index.js";
import { GATE_ID, rights } from "../../support/api/api-fakes.js";
import { archivedFrames, FRAME_US, frameBytes, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { RawClient } from "../../support/http/raw-http.js";
import { frameNumber, ScriptedCodec } from "../../support/picture/scripted-codec.js";

const HOUR_US = 3_600_000_000;

let api: ApiHarness;
let codec: ScriptedCodec;
let clock: SimulatedClock;

beforeEach(async () => {
  codec = new ScriptedCodec();
  clock = new SimulatedClock(NINE_US + 24 * HOUR_US);
  api = await startApi({ clock, codec });
});

afterEach(() => api.stop());

const site = (time: string, query = ""): Promise<Response> =>
  api.get(`/site?channelid=${GATE_ID}&mode=archive&starttime=${time}${query}`);

/** The frame whose picture comes, known by its grey (frames 0 to 84). */
async function shown(time: string, query = ""): Promise<number> {
  const response = await site(time, query);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  const { data } = await sharp(Buffer.from(await response.arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true });
  return (data[0] ?? -3) / 3;
}

/** Frames `from` to `from + count - 1`, a fragment of their own, the first one shown at `fromUs`. */
function fragment(from: number, count: number, fromUs: number, gopFrames = 25): ArchivedFrame[] {
  return archivedFrames(count, fromUs, { gopFrames }).map((frame, index) => ({
    ...frame,
    bytes: frameBytes(from + index),
  }));
}

function record(frames: readonly ArchivedFrame[], streamType: StreamType = "Main"): void {
  api.archive.record({ channelId: GATE_ID, streamType }, frames);
}

describe("the picture of a recorded moment", () => {
  it("is the frame at it or before it, decoded from its key frame on", async () => {
    record(fragment(0, 80, NINE_US));
    expect(await shown("21.11.2026+09:00:00")).toBe(0);
    expect(await shown("21.11.2026+09:00:01.400")).toBe(35);
    expect(await shown("21.11.2026%2009:00:01.439")).toBe(35);
    expect(await shown("21.11.2026+09:00:01,440")).toBe(36);
    expect(codec.asked.map(({ units }) => [frameNumber(units[0]), units.length])).toEqual([
      [0, 1],
      [25, 11],
      [25, 12],
    ]);
  });

  it("is known again without the disk and the codec, by all spellings of its time and moments of the frame", async () => {
    record(fragment(0, 80, NINE_US));
    await shown("21.11.2026+09:00:01.400");
    const { read } = api.archive;
    api.archive.read = () => {
      throw new Error("the archive is read again");
    };
    expect(await shown("2026-11-21%209%3A00%3A01.4")).toBe(35);
    api.archive.read = read;
    expect(await shown("21.11.2026+09:00:01.430")).toBe(35);
    expect(codec.asked).toHaveLength(1);
  });

  it("says when it was shown", async () => {
    record(fragment(0, 80, NINE_US));
    const response = await site("21.11.2026+09:00:01.430");
    expect(response.headers.get("timestamp")).toBe("21.11.2026 09:00:01.400");
  });

  it("goes by presentation where frames were sent in another order", async () => {
    // Sent I0 P3 B1 B2, shown 0 1 2 3 from 40 ms on.
    const order = [0, 3, 1, 2];
    record(
      order.map((place, sent) => {
        const [frame] = fragment(place, 1, NINE_US + sent * FRAME_US);
        if (frame === undefined) throw new Error("no frame");
        const presentationOffsetUs = (place + 1 - sent) * FRAME_US;
        return { ...frame, key: place === 0, startsFragment: sent === 0, presentationOffsetUs };
      }),
    );
    expect(await shown("21.11.2026+09:00:00.040")).toBe(0);
    expect(await shown("21.11.2026+09:00:00.090")).toBe(1);
    expect(await shown("21.11.2026+09:00:00.120")).toBe(2);
    expect(codec.asked.map(({ units }) => units.map(frameNumber))).toEqual([[0], [0, 3, 1], [0, 3, 1, 2]]);
  });

  it("leaves out what cannot be decoded", async () => {
    record(
      fragment(0, 10, NINE_US).map((frame, index) =>
        index < 5 ? frame : { ...frame, damaged: true, undecodable: true },
      ),
    );
    expect(await shown("21.11.2026+09:00:00.350")).toBe(4);
  });

  it("of a GOP longer than the bound is the last one within it", async () => {
    record(fragment(0, RUN_FRAMES_MAX + 50, NINE_US, 5000));
    await shown("21.11.2026+09:00:41");
    expect(codec.asked[0]?.units).toHaveLength(RUN_FRAMES_MAX);
  });

  it("is read from the archive by as many as its places allow, and no reader is left", async () => {
    record(fragment(0, 80, NINE_US));
    const times = Array.from({ length: 64 }, (_, index) => `21.11.2026+09:00:0${(index * 0.04).toFixed(2)}`);
    const responses = await Promise.all(times.map((time) => site(time)));
    expect(responses.map(({ status }) => status)).toEqual(times.map(() => 200));
    expect(api.archive.readers).toBe(0);
    expect(codec.asked.length).toBeLessThanOrEqual(64);
  });
});

describe("where nothing was recorded then", () => {
  beforeEach(() => {
    record(fragment(0, 30, NINE_US));
    record(fragment(40, 30, NINE_US + HOUR_US));
  });

  it.each([
    ["in a gap, nearer to its beginning: the last frame before it", "21.11.2026+09:20:00", 29],
    ["in a gap, nearer to its end: the first frame behind it", "21.11.2026+09:40:00", 40],
    ["a moment behind a fragment's last frame", "21.11.2026+09:00:01.300", 29],
    ["before all that is recorded: the first frame", "01.01.2020+00:00:00", 0],
    ["after all that is recorded: the last frame", "21.11.2026+23:00:00", 69],
    ["in the future: the last frame", "01.01.2222+23:59:59", 69],
  ])("%s", async (_title, time, frame) => {
    expect(await shown(time)).toBe(frame);
  });

  it("and more is recorded, the newest is the newer one", async () => {
    expect(await shown("01.01.2222+00:00:00")).toBe(69);
    record(fragment(75, 5, NINE_US + 2 * HOUR_US));
    expect(await shown("01.01.2222+00:00:00")).toBe(79);
  });
});

describe("the recorded stream", () => {
  it("is the last one that has the moment, where none is named", async () => {
    record(fragment(0, 30, NINE_US));
    record(fragment(50, 10, NINE_US), "SecondAlternative");
    expect(await shown("21.11.2026+09:00:00.200")).toBe(55);
    expect(await shown("21.11.2026+09:00:01")).toBe(25);
    expect(await shown("21.11.2026+09:00:00.200", "&streamtype=main")).toBe(5);
    const none = await site("21.11.2026+09:00:00", "&streamtype=alternative");
    expect([none.status, await none.text()]).toEqual([404, expect.stringContaining("nothing is recorded")]);
  });

  it("of which nothing is there is 404", async () => {
    const none = await site("21.11.2026+09:00:00");
    // No stream was asked for, and most cameras do not have the one that is looked at first.
    expect([none.status, await none.text()]).toEqual([404, expect.not.stringContaining("ThirdAlternative")]);
  });

  it("of which nothing is there is 204 without a body where it is optional, and not of a channel that is not there", async () => {
    const none = await site("21.11.2026+09:00:00", "&optional=true");
    expect([none.status, none.headers.get("content-length"), await none.text()]).toEqual([204, null, ""]);
    const unknown = "/site?channelnum=99&mode=archive&starttime=21.11.2026+09:00:00&optional=true";
    expect((await api.get(unknown)).status).toBe(404);
  });

  it("is left out where the user may not receive it", async () => {
    record(fragment(0, 30, NINE_US));
    record(fragment(50, 10, NINE_US - HOUR_US), "Alternative");
    await api.site.change((current) => ({
      ...current,
      groups: current.groups.map((group) =>
        group.seniorAdministrators
          ? group
          : { ...group, rights: rights({ CanReceiveMainStream: false }), archiveChannels: [GATE_ID] },
      ),
    }));
    const asGuard = (query: string) =>
      fetch(
        api.url(`/site?login=guard&channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:00${query}`),
      );
    const nearest = await asGuard("");
    expect([nearest.status, nearest.headers.get("timestamp")]).toEqual([200, "21.11.2026 08:00:00.360"]);
    expect((await asGuard("&streamtype=main")).status).toBe(403);
    // What another user was shown before is not shown to this one.
    expect(await shown("21.11.2026+09:00:00")).toBe(0);
    expect((await asGuard("")).headers.get("timestamp")).toBe("21.11.2026 08:00:00.360");
  });
});

it("a client that goes away ends the reading", async () => {
  record(fragment(0, 30, NINE_US));
  let closed = 0;
  let asked = 0;
  api.archive.read = () => {
    let end: (frames: readonly ArchivedFrame[]) => void = () => undefined;
    return {
      next: () => {
        asked += 1;
        return new Promise((resolve) => {
          end = resolve;
        });
      },
      close: () => {
        closed += 1;
        end([]);
      },
    };
  };
  const client = new RawClient(api.port);
  client.get(`/site?${ROOT_QUERY}&channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:00`);
  await until("it is read", () => asked === 1, { seen: () => asked });
  client.destroy();
  await until("the reader is closed", () => closed > 0 && api.stills.load.running === 0, {
    seen: () => [closed, api.stills.load.running],
  });
});

it("a camera that is switched off is shown from the archive", async () => {
  record(fragment(0, 30, NINE_US));
  await api.site.change((current) => ({
    ...current,
    cameras: current.cameras.map((camera) => ({ ...camera, disabled: true })),
  }));
  expect(await shown("21.11.2026+09:00:00")).toBe(0);
  expect((await api.get(`/site?channelid=${GATE_ID}`)).status).toBe(404);
});
