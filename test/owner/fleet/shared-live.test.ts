import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { Frame } from "../../../src/live/index.js";
import { changeGuards, rights } from "../../support/api/api-fakes.js";
import { FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { until } from "../../support/base/until.js";
import { RecorderAtHubs } from "../../support/fleet/recorder-at-hubs.js";
import { pictures } from "../../support/hls/hls-frames.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";
const YARD: Guid = "22222222-0000-4000-8000-0000000000a2";
/** As windows of many sizes are. */
const WIDTHS = [320, 333, 480, 640, 700, 900, 1280, 1366, 1920, 2560];

let place: RecorderAtHubs;
const clients: LiveSocketClient[] = [];

beforeEach(async () => {
  place = await RecorderAtHubs.start(3, { [GATE]: "Gate", [YARD]: "Yard" });
  for (const channel of [GATE, YARD]) place.recorder.streams.live(channel).setState({ state: "active" });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await place.stop();
});

async function viewer(
  hub: ApiHarness,
  {
    width = 1280,
    codecs,
    sound = false,
    login = ROOT_QUERY,
  }: {
    readonly width?: number;
    readonly codecs?: readonly ("avc1" | "hvc1")[];
    readonly sound?: boolean;
    readonly login?: string;
  } = {},
): Promise<LiveSocketClient> {
  const client = new LiveSocketClient(hub.port, { path: `/api/live?${login}` });
  clients.push(client);
  await client.greet(codecs);
  client.say({ type: "watch", id: 1, channel: GATE, tile: { width, height: (width * 9) / 16 }, sound });
  return client;
}

function hubAt(at: number): ApiHarness {
  const hub = place.hubs[at];
  if (hub === undefined) throw new Error(`there is no hub ${at}`);
  return hub;
}

function publish(frames: readonly Frame[]): void {
  for (const frame of frames) place.recorder.streams.live(GATE).publish(frame);
}

/** A piece of a camera's sound, 40 ms. */
function sound(at: number): Frame {
  const format = { codec: Codec.PCMU, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) };
  return new Frame({
    ...{ format, decodeTimeUs: NINE_US + at * FRAME_US, presentationOffsetUs: 0, key: true },
    ...{ damaged: false, undecodable: false, discontinuity: false },
    ranges: [{ slab: undefined, bytes: Buffer.alloc(320, 0x9a) }],
  });
}

function sockets() {
  return place.recorder.server.figures().liveSocket;
}

async function allHave(count: number): Promise<void> {
  await until(
    "all viewers have all pictures",
    () => clients.every((each) => each.pictures().length === count),
    {
      seen: () => [sockets(), clients.map((each) => each.pictures().length), clients[0]?.answers],
    },
  );
}

/** Pictures in a row through which no hub asks for another stream, before it is believed that none will. */
const SETTLED_PICTURES = 3;

/**
 * Publishes pictures until all have them by way of one hub, and no hub asks for more: those with other codecs ask for what is theirs
 * once it is known what the camera sends, and share the one stream when they have it. Resolves with the number of pictures.
 */
async function settled(): Promise<number> {
  let sent = 0;
  for (let still = 0, opened = 0; still < SETTLED_PICTURES; sent += 1) {
    publish(pictures(1, { from: sent }));
    await until(
      "it goes to all by way of one hub",
      () => clients.every((each) => each.pictures().at(-1)?.sequence === sent + 1) && sockets().clients === 1,
      { seen: sockets },
    );
    still = opened === place.opened ? still + 1 : 0;
    opened = place.opened;
  }
  return sent;
}

describe("viewers at several hubs", () => {
  it("are one stream on the link for each camera, a hundred of them, in windows of all sizes", async () => {
    for (let at = 0; at < 100; at += 1)
      await viewer(hubAt(at % 3), {
        width: WIDTHS[at % WIDTHS.length] ?? 0,
        codecs: at % 2 === 0 ? ["avc1"] : ["avc1", "hvc1"],
      });
    await until("the camera is read", () => place.recorder.streams.live(GATE).atOnce === 1, {
      seen: sockets,
    });
    const newest = () => clients.map((each) => each.pictures().at(-1)?.sequence);
    const sent = await settled();
    const before = place.bytes;

    for (let from = 0; from < 50; from += 10) {
      // As many as a link takes at once.
      publish(pictures(10, { from: sent + from, bytes: 4000, gop: 50 }));
      await until("all have the newest", () => newest().every((sequence) => sequence === sent + from + 10), {
        seen: newest,
      });
    }

    const made = 50 * 4000;
    expect(place.bytes - before).toBeGreaterThan(made);
    expect(place.bytes - before).toBeLessThan(1.1 * made);
    for (const each of clients) {
      const own = each.pictures(each.of("stream").at(-1)?.feed).map(({ sequence }) => sequence);
      expect(own.slice(-51)).toEqual(Array.from({ length: 51 }, (_, at) => sent + at));
    }
  });

  it("begin with the newest key frame, which does not come again for them", async () => {
    await viewer(hubAt(0));
    await until("the camera is read", () => place.recorder.streams.live(GATE).atOnce === 1, {
      seen: sockets,
    });
    publish(pictures(30, { bytes: 4000 }));
    await allHave(30);
    const before = place.bytes;

    const late = [await viewer(hubAt(0)), await viewer(hubAt(1)), await viewer(hubAt(2))];
    await until("they have it", () => late.every((each) => each.pictures().length === 5), {
      seen: () => late.map((each) => each.answers),
    });

    expect(late.map((each) => each.pictures()[0]?.key)).toEqual([true, true, true]);
    expect(place.bytes - before).toBeLessThan(4000);
  });

  it("hear what they want to, and the others nothing of it, over the one stream", async () => {
    const [silent, hearing] = [await viewer(hubAt(0)), await viewer(hubAt(1), { sound: true })];
    await until("the camera is read", () => place.recorder.streams.live(GATE).atOnce === 1, {
      seen: sockets,
    });
    const gate = place.recorder.streams.live(GATE);
    let at = 0;
    // When the camera's sound is asked for is not seen from here.
    await until(
      "one has the sound",
      () => {
        publish(pictures(1, { from: at }));
        gate.publish(sound(at));
        at += 1;
        return hearing.media.some((each) => each.sound) && silent.pictures().length > 0;
      },
      { seen: () => [silent.answers, hearing.answers] },
    );
    const newest = () => [silent, hearing].map((each) => each.pictures().at(-1)?.sequence);
    await until("both have the newest", () => newest().every((sequence) => sequence === at), {
      seen: newest,
    });

    expect(hearing.of("stream").at(-1)).toMatchObject({
      sound: true,
      mime: expect.stringContaining(",flac"),
    });
    expect(silent.of("stream")).toMatchObject([{ sound: false }]);
    expect(silent.media.some(({ sound }) => sound)).toBe(false);
    expect(sockets().clients).toBe(1);
  });

  it("have no part in what their rights do not allow", async () => {
    const { site } = hubAt(0);
    const allowed = { realtimeChannels: "all", archiveChannels: [], rights: rights() } as const;
    await changeGuards(site, { ...allowed, rights: rights({ CanReceiveMainStream: false }) });
    const [all, less] = [await viewer(hubAt(0)), await viewer(hubAt(0), { login: "login=guard" })];
    publish(pictures(1));
    await until("one has pictures", () => all.pictures().length === 1, { seen: () => all.answers });
    await until("the other is told", () => less.of("problem").length > 0, { seen: () => less.answers });
    expect(less.pictures()).toEqual([]);

    await changeGuards(site, allowed);
    await until("it has them too", () => less.pictures().length > 0, { seen: () => less.answers });
    await until("over the one stream", () => sockets().clients === 1, { seen: sockets });

    await changeGuards(site, { realtimeChannels: [], archiveChannels: [] });
    await until("it is over", () => less.of("ended").length === 1, { seen: () => less.answers });
    const before = less.pictures().length;
    publish(pictures(1, { from: 1, gop: 100 }));
    await until("the other goes on", () => all.pictures().at(-1)?.sequence === 2, {
      seen: () => all.answers,
    });
    expect(less.pictures().length).toBe(before);
  });

  it("do not wait for one that reads nothing", async () => {
    const [slow, quick] = [await viewer(hubAt(0)), await viewer(hubAt(0))];
    await until("the camera is read", () => place.recorder.streams.live(GATE).atOnce === 1, {
      seen: sockets,
    });
    publish(pictures(1));
    await allHave(1);
    slow.socket.pause();

    for (let sent = 1; sent < 200; sent += 1) {
      publish(pictures(1, { from: sent, bytes: 100_000, gop: 1 }));
      await until("it has come", () => quick.pictures().at(-1)?.sequence === sent + 1, {
        seen: () => [sent, quick.pictures().length],
      });
    }

    expect(place.hubs[0]?.server.figures().liveSocket.waitingBytes).toBeLessThan(8_000_000);
    slow.socket.resume();
    await until(
      "it goes on, and is told",
      () => slow.of("dropped").length > 0 && slow.pictures().at(-1)?.sequence === 200,
      {
        seen: () => [slow.of("dropped"), slow.pictures().at(-1)?.sequence],
      },
    );
    expect(quick.of("dropped")).toEqual([]);
  });

  it("leave the camera with the last one", async () => {
    const [one, other] = [await viewer(hubAt(0)), await viewer(hubAt(1))];
    await until("the camera is read", () => place.recorder.streams.live(GATE).atOnce === 1, {
      seen: sockets,
    });

    one.say({ type: "leave", id: 1 });
    other.close();

    await until(
      "nobody watches",
      () => place.recorder.streams.live(GATE).atOnce === 0 && sockets().clients === 0,
      {
        seen: sockets,
      },
    );
  });

  it("see a camera again that nobody there has watched for a while, and others lose nothing by it", async () => {
    const tile = { width: 1280, height: 720 };
    const yard = new LiveSocketClient(hubAt(0).port, { path: `/api/live?${ROOT_QUERY}` });
    // At the recorder itself: there the camera's stream goes on meanwhile.
    const owner = new LiveSocketClient(place.recorder.port, { path: `/api/live?${ROOT_QUERY}` });
    clients.push(yard, owner);
    await yard.greet();
    yard.say({ type: "watch", id: 1, channel: YARD, tile });
    await owner.greet();
    owner.say({ type: "watch", id: 1, channel: GATE, tile });
    const guard = await viewer(hubAt(0));
    await until("both cameras are read", () =>
      [GATE, YARD].every((channel) => place.recorder.streams.live(channel).atOnce > 0),
    );
    publish(pictures(3));
    for (const frame of pictures(3)) place.recorder.streams.live(YARD).publish(frame);
    await allHave(3);

    guard.say({ type: "leave", id: 1 });
    await until("it is left", () => sockets().liveWatches === 2, { seen: sockets });
    guard.say({ type: "watch", id: 2, channel: GATE, tile });

    await until("it is there again", () => guard.pictures().length === 6, {
      seen: () => [sockets(), guard.answers, yard.answers],
    });
    expect(yard.answers.filter(({ type }) => type === "stream")).toHaveLength(1);
  });

  it("go on when the hub ends over which they have their pictures", async () => {
    for (const hub of place.hubs) await viewer(hub);
    publish(pictures(1));
    await allHave(1);
    const ending = place.bench.hubs.findIndex((hub) => hub.liveHub(place.box.id) === "here");
    const [ended] = clients.splice(ending, 1);
    ended?.close();

    await place.bench.stopHub(place.bench.hubs[ending] as never);

    await until(
      "they say so, and go on",
      () => {
        publish(pictures(1));
        return clients.every((each) => each.of("stream").length > 1);
      },
      { seen: () => clients.map((each) => each.answers) },
    );
  });
});
