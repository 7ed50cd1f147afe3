import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { Frame, type LiveStream } from "../../../src/live/index.js";
import { type Site, withoutCameras } from "../../../src/site/index.js";
import { GATE_ID, guardsGroup, rights, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { type Pictures, pictures, H264_FORMAT as SMALL_FORMAT } from "../../support/hls/hls-frames.js";

const TILE = { width: 1920, height: 1080 };
const SMALL = { width: 320, height: 180 };
/** Pictures that say that they fill a tile. */
const H264_FORMAT = { ...SMALL_FORMAT, ...TILE };
const G711: AudioFormat = {
  codec: Codec.PCMU,
  sampleRate: 8000,
  channels: 1,
  initialization: new Uint8Array(0),
};
const AAC: AudioFormat = {
  codec: Codec.AAC,
  sampleRate: 16_000,
  channels: 1,
  initialization: Uint8Array.of(0x14, 0x08),
};

let api: ApiHarness;
let clock: SimulatedClock;
const clients: LiveSocketClient[] = [];

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US);
  api = await startApi({ clock });
  api.streams.live(GATE_ID).setState({ state: "active" });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await api.stop();
});

async function connect(
  codecs?: Parameters<LiveSocketClient["greet"]>[0],
  login?: string,
): Promise<LiveSocketClient> {
  const client = new LiveSocketClient(
    api.port,
    login === undefined ? {} : { path: `/api/live?login=${login}` },
  );
  clients.push(client);
  await client.greet(codecs);
  return client;
}

const change = (edit: (site: Site) => Partial<Site>) =>
  api.site.change((site) => ({ ...site, ...edit(site) }));

/** As the cameras' supervisor has it: the sub-stream of Gate sends H.264 too. */
const withH264Alternative = () =>
  change(({ cameras }) => ({
    cameras: cameras.map((camera) => {
      const { streams } = camera.connection;
      const Alternative = { ...streams.Alternative, format: "H264" } as const;
      return { ...camera, connection: { ...camera.connection, streams: { ...streams, Alternative } } };
    }),
  }));

function publish(stream: LiveStream, count: number, options: Pictures = {}): void {
  for (const frame of pictures(count, { format: H264_FORMAT, ...options })) stream.publish(frame);
}

/** Units of 40 ms, or of 64 ms (AAC). */
function publishSound(stream: LiveStream, format: AudioFormat, units: number): void {
  for (let unit = 0; unit < units; unit += 1) {
    stream.publish(
      new Frame({
        format,
        decodeTimeUs: NINE_US + unit * (format === AAC ? 64_000 : FRAME_US),
        presentationOffsetUs: 0,
        key: true,
        damaged: false,
        undecodable: false,
        discontinuity: false,
        ranges: [{ slab: undefined, bytes: Buffer.alloc(320, 0x9a) }],
      }),
    );
  }
}

const sequences = (client: LiveSocketClient, feed?: number) =>
  client.pictures(feed).map(({ sequence }) => sequence);
const countTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);

describe("watching over the live socket", () => {
  it("sends the stream, an init segment, and each picture as a fragment with its times", async () => {
    const gate = api.streams.live(GATE_ID);
    const client = await connect();
    client.say({ type: "watch", id: 7, channel: GATE_ID, tile: TILE });
    await until("a viewer", () => gate.atOnce === 1);
    publish(gate, 30);
    await until("all pictures", () => client.pictures().length === 30);
    const [stream] = client.of("stream");
    expect(stream).toEqual({
      type: "stream",
      id: 7,
      feed: stream?.feed,
      mime: expect.stringMatching(/^video\/mp4; codecs="avc1\.\w{6}"$/),
      source: "main",
      ...TILE,
      sound: false,
    });
    expect(sequences(client, stream?.feed)).toEqual(countTo(30));
    const [first, second] = client.pictures();
    expect(first).toMatchObject({ key: true, discontinuity: true, timeUs: NINE_US, handoverUs: NINE_US });
    expect(second).toMatchObject({
      key: false,
      discontinuity: false,
      timeUs: NINE_US + FRAME_US,
      durationUs: FRAME_US,
    });
    expect(client.media[0]).toMatchObject({ kind: "init", feed: stream?.feed, timeUs: 0, sequence: 0 });
  });

  it("begins with the newest group of pictures", async () => {
    const gate = api.streams.live(GATE_ID);
    publish(gate, 40);
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("the group so far", () => client.pictures().length === 15);
    expect(client.pictures()[0]).toMatchObject({ key: true, timeUs: NINE_US + 25 * FRAME_US });
    publish(gate, 2, { from: 40, gop: 100 });
    const other = await connect();
    other.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("the newest key frame", () => other.pictures().length === 2);
    await until("the same messages", () => client.pictures().length === 17);
    expect(other.binaries.slice(-2)).toEqual(client.binaries.slice(-2));
  });

  it("reads a camera at once while somebody watches, and no longer", async () => {
    const gate = api.streams.live(GATE_ID);
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("a viewer", () => gate.atOnce === 1);
    client.say({ type: "watch", id: 2, channel: GATE_ID, tile: TILE });
    client.say({ type: "leave", id: 1 });
    await until("two answers", () => client.messages.length > 1);
    expect(gate.atOnce).toBe(1);
    client.say({ type: "leave", id: 2 });
    await until("nobody", () => gate.atOnce === 0);
  });

  it("builds a picture once for all who watch", async () => {
    const gate = api.streams.live(GATE_ID);
    const watching = await Promise.all(countTo(5).map(() => connect()));
    for (const client of watching) client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("one reader of the stream", () => gate.atOnce === 1);
    await until("all of them", () => watching.every((client) => client.of("problem").length > 0));
    publish(gate, 3);
    await until("the pictures", () => watching.every((client) => client.pictures().length === 3));
    expect(gate.atOnce).toBe(1);
    expect(new Set(watching.map((client) => client.pictures()[0]?.feed)).size).toBe(1);
  });

  it("goes over to another stream when the tile changes, without a black moment", async () => {
    await withH264Alternative();
    const gate = api.streams.live(GATE_ID);
    const small = api.streams.live(GATE_ID, "Alternative");
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("a viewer", () => gate.atOnce === 1);
    publish(gate, 5);
    await until("pictures", () => client.pictures().length === 5);
    client.say({ type: "change", id: 1, tile: SMALL });
    await until("the other one is connected", () => small.atOnce === 1);
    publish(gate, 2, { from: 5, gop: 100 });
    await until("what was shown goes on", () => client.pictures().length >= 7);
    small.setState({ state: "active" });
    publish(small, 1);
    await until("the other one", () => client.of("stream").length === 2);
    expect(client.of("stream")[1]).toMatchObject({ id: 1, source: "alternative" });
    expect(client.of("stream")[1]?.feed).not.toBe(client.of("stream")[0]?.feed);
    await until("the first one is left", () => gate.atOnce === 0);
  });

  it("prefers the H.264 sub-stream for a client without H.265, and says why", async () => {
    await withH264Alternative();
    const gate = api.streams.live(GATE_ID);
    const hevc = { ...H264_FORMAT, codec: Codec.H265 } as const;
    publish(gate, 1, { format: hevc });
    const small = api.streams.live(GATE_ID, "Alternative");
    publish(small, 1, { format: SMALL_FORMAT });
    const client = await connect(["avc1"]);
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("a stream", () => client.of("stream").length === 1);
    expect(client.of("stream")[0]).toMatchObject({ source: "alternative", reason: "codec-not-playable" });
  });

  it("begins anew with another format, and goes on after a gap", async () => {
    const gate = api.streams.live(GATE_ID);
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("a viewer", () => gate.atOnce === 1);
    publish(gate, 3);
    publish(gate, 2, { from: 300, gap: true });
    publish(gate, 2, { from: 302, format: { ...H264_FORMAT, width: 320 } });
    await until("all", () => client.pictures().length === 7);
    expect(client.of("stream").map(({ width }) => width)).toEqual([1920, 320]);
    expect(client.pictures().map(({ discontinuity }) => discontinuity)).toEqual([
      true,
      false,
      false,
      true,
      false,
      true,
      false,
    ]);
    expect(sequences(client)).toEqual(countTo(7));
  });
});

describe("sound over the live socket", () => {
  it.each([
    ["G.711 as FLAC", G711, "flac", 10],
    ["AAC as it is", AAC, "mp4a.40.2", 10],
  ])("sends %s to those who want it", async (_, format, codec, pieces) => {
    const gate = api.streams.live(GATE_ID);
    const silent = await connect();
    const client = await connect();
    silent.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE, sound: true });
    await until("both", () => silent.messages.length > 1 && client.messages.length > 1);
    publish(gate, 1);
    publishSound(gate, format, 10);
    publish(gate, 1, { from: 1, gop: 100 });
    publish(gate, 1, { from: 2 });
    await until("pictures", () => silent.pictures().length >= 2 && client.pictures().length >= 2);
    const stream = client.of("stream").at(-1);
    expect(stream).toMatchObject({ sound: true, mime: expect.stringContaining(`,${codec}"`) });
    expect(client.media.filter(({ sound }) => sound).length).toBe(pieces);
    expect(silent.of("stream")).toMatchObject([{ sound: false }]);
    expect(silent.media.some(({ sound }) => sound)).toBe(false);
  });

  it("is said not to be playable to a client without its codec", async () => {
    const gate = api.streams.live(GATE_ID);
    publish(gate, 1);
    publishSound(gate, G711, 1);
    gate.setSound("on");
    const client = await connect(["avc1", "mp4a"]);
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE, sound: true });
    await until("a stream", () => client.of("stream").length === 1);
    expect(client.of("stream")[0]).toMatchObject({ sound: false, reason: "sound-codec-not-playable" });
  });

  it("comes and goes with `change`, and goes when the camera sends none any more", async () => {
    const gate = api.streams.live(GATE_ID);
    gate.setSound("on");
    publish(gate, 1);
    publishSound(gate, G711, 1);
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("a stream", () => client.of("stream").length === 1);
    client.say({ type: "change", id: 1, sound: true });
    await until("with sound", () => client.of("stream").length === 2);
    expect(client.of("stream")[1]?.sound).toBe(true);
    publish(gate, 100, { from: 1, gop: 200 });
    publish(gate, 1, { from: 101 });
    await until("without sound", () => client.of("stream").length === 3);
    expect(client.of("stream")[2]?.sound).toBe(false);
  });
});

describe("what is wrong with a channel", () => {
  it("is said, with the time of the last picture, and passes by itself", async () => {
    const gate = api.streams.live(GATE_ID);
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("a viewer", () => gate.atOnce === 1);
    await until("the problem", () => client.of("problem").length > 0);
    expect(client.of("problem")).toMatchObject([{ id: 1, reason: "starting" }]);
    publish(gate, 3);
    gate.setState({ state: "lost", reason: "no answer from 192.0.2.1", cause: "unreachable" });
    gate.setState({ state: "connecting" });
    gate.setState({ state: "lost", reason: "no answer from 192.0.2.1", cause: "unreachable" });
    await until("the problem", () => client.of("problem").length === 2);
    expect(client.of("problem")[1]).toEqual({
      type: "problem",
      id: 1,
      reason: "camera-lost",
      text: "no answer from 192.0.2.1",
      since: (NINE_US + 2 * FRAME_US) / 1000,
    });
    gate.setState({ state: "active" });
    publish(gate, 2, { from: 500, gap: true });
    await until("pictures again", () => client.pictures().length === 5);
    expect(client.pictures()[3]).toMatchObject({ key: true, discontinuity: true });
    gate.setState({ state: "lost", reason: "no answer from 192.0.2.1", cause: "unreachable" });
    await until("the problem again", () => client.of("problem").length === 3);
  });

  it("is said of a camera that refuses the login", async () => {
    api.streams.live(GATE_ID).setState({ state: "lost", reason: "401", cause: "unauthorized" });
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("the problem", () => client.of("problem").length === 1);
    expect(client.of("problem")[0]).toMatchObject({ reason: "camera-refuses-login" });
  });

  it("is said of a channel that is switched off, and it comes when it is switched on", async () => {
    const client = await connect();
    client.say({ type: "watch", id: 3, channel: STORE_ID, tile: TILE });
    await until("the problem", () => client.of("problem").length === 1);
    expect(client.of("problem")[0]).toMatchObject({ id: 3, reason: "switched-off" });
    await change(({ cameras }) => ({ cameras: cameras.map((camera) => ({ ...camera, disabled: false })) }));
    clock.advance(1_000_000);
    const store = api.streams.live(STORE_ID);
    await until("a viewer", () => store.atOnce === 1);
    publish(store, 1);
    await until("a picture", () => client.pictures().length === 1);
    await change(({ cameras }) => ({
      cameras: cameras.map((camera) => (camera.id === STORE_ID ? { ...camera, disabled: true } : camera)),
    }));
    clock.advance(1_000_000);
    await until("the problem", () => client.of("problem").at(-1)?.reason === "switched-off");
  });
});

describe("rights over the live socket", () => {
  const guards = (edit: Parameters<typeof guardsGroup>[0]) =>
    change(({ groups }) => ({
      groups: groups.map((group) => (group.seniorAdministrators ? group : guardsGroup(edit))),
    }));

  it("decide which channels and streams a user gets", async () => {
    await guards({ realtimeChannels: [GATE_ID], rights: rights({ CanReceiveMainStream: false }) });
    await withH264Alternative();
    const client = await connect(undefined, "guard");
    client.say({ type: "watch", id: 1, channel: STORE_ID, tile: TILE });
    client.say({ type: "watch", id: 2, channel: YARD_ID, tile: TILE });
    client.say({ type: "watch", id: 3, channel: GATE_ID, tile: TILE, sound: true });
    await until("two refusals", () => client.of("error").length === 2);
    expect(client.of("error").map(({ id, code }) => [id, code])).toEqual([
      [1, "NOT_FOUND"],
      [2, "FORBIDDEN"],
    ]);
    await until("a viewer", () => api.streams.live(GATE_ID, "Alternative").atOnce === 1);
    expect(api.streams.live(GATE_ID).atOnce).toBe(0);
  });

  it("end a subscription within a second when one is taken away, and with its channel", async () => {
    const client = await connect(undefined, "guard");
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    client.say({ type: "watch", id: 2, channel: YARD_ID, tile: TILE });
    await until("both", () => client.of("problem").length === 2);
    await guards({ realtimeChannels: [YARD_ID], archiveChannels: [GATE_ID] });
    clock.advance(1_000_000);
    await until("the first is over", () => client.of("ended").length === 1);
    expect(client.of("ended")[0]).toMatchObject({ id: 1, code: "FORBIDDEN" });
    await change((site) => withoutCameras(site, [YARD_ID]));
    clock.advance(1_000_000);
    await until("the other too", () => client.of("ended").length === 2);
    expect(client.of("ended")[1]).toMatchObject({ id: 2, code: "NOT_FOUND" });
    expect(client.isOpen).toBe(true);
  });

  it("go over to another stream when the main stream is taken away", async () => {
    await guards({});
    await withH264Alternative();
    const client = await connect(undefined, "guard");
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("the main stream", () => api.streams.live(GATE_ID).atOnce === 1, {
      seen: () => api.streams.live(GATE_ID).atOnce,
    });
    publish(api.streams.live(GATE_ID), 1);
    await guards({ rights: rights({ CanReceiveMainStream: false }) });
    clock.advance(1_000_000);
    await until("the other one", () => api.streams.live(GATE_ID, "Alternative").atOnce === 1, {
      seen: () => api.streams.live(GATE_ID, "Alternative").atOnce,
    });
    await until("not the main stream", () => api.streams.live(GATE_ID).atOnce === 0, {
      seen: () => api.streams.live(GATE_ID).atOnce,
    });
  });

  it("disconnect a user who is no more", async () => {
    const client = await connect(undefined, "guard");
    await change(({ users }) => ({ users: users.filter(({ name }) => name !== "guard") }));
    clock.advance(1_000_000);
    await until("disconnected", () => client.isClosed);
    expect(client.closeCode).toBe(1008);
  });
});
