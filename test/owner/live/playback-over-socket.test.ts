import { afterEach, beforeEach, expect, it } from "vitest";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { MEMORY_VIDEO } from "../../support/api/memory/memory-recordings.js";

const TILE = { width: 640, height: 360 };
const NINE_MS = NINE_US / 1000;

let api: ApiHarness;
const clients: LiveSocketClient[] = [];

beforeEach(async () => {
  api = await startApi();
  for (const channelId of [GATE_ID, YARD_ID]) {
    const frames = archivedFrames(500).map((frame) => ({
      ...frame,
      format: MEMORY_VIDEO,
      bytes: Buffer.concat([Buffer.from([0, 0, 0, 1, frame.key ? 0x65 : 0x41]), frame.bytes]),
    }));
    api.archive.record({ channelId, streamType: "Main" }, frames);
  }
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await api.stop();
});

async function connect(path?: string): Promise<LiveSocketClient> {
  const client = new LiveSocketClient(api.port, path === undefined ? {} : { path });
  clients.push(client);
  await client.greet();
  return client;
}

it("plays several channels, and takes the client's orders", async () => {
  const client = await connect();
  expect(client.of("welcome")[0]?.limits.playbackChannels).toBe(16);
  const watches = [GATE_ID, YARD_ID].map((channel, index) => ({ id: index + 1, channel, tile: TILE }));
  client.say({ type: "play", watches, from: NINE_MS + 12_000 });
  await until("both streams", () => client.of("stream").length === 2 && client.pictures().length > 50);
  expect(client.of("playback")).toEqual([
    { type: "playback", state: "playing", time: NINE_MS + 12_000, speed: 1 },
  ]);
  expect(client.pictures().every(({ playback }) => playback)).toBe(true);
  client.say({ type: "pause" });
  await until("it stands", () => client.of("playback").length === 2);
  client.say({ type: "seek", to: NINE_MS + 10_080 });
  await until("the picture", () => client.of("playback").length === 3);
  client.say({ type: "step", by: 1 });
  await until("the next picture", () => client.of("playback").length === 4);
  expect(client.of("playback").at(-1)).toMatchObject({ state: "paused", time: NINE_MS + 10_120 });
  expect(client.pictures().at(-1)?.timeUs).toBe(NINE_US + 10_120_000);
  client.say({ type: "speed", speed: -2 });
  client.say({ type: "resume" });
  await until("it plays back", () => client.pictures().some(({ timeUs }) => timeUs === NINE_US + 8_000_000));
  client.say({ type: "leave", id: 1 });
  client.say({ type: "leave", id: 2 });
  client.say({ type: "resume" });
  await until("an error", () => client.of("error").length === 1);
  expect(client.of("error")[0]?.code).toBe("BAD_REQUEST");
  expect(api.archive.readers).toBe(0);
});

it("has two playbacks, each with its own orders and answers, until their subscriptions leave", async () => {
  const client = await connect();
  expect(client.of("welcome")[0]?.limits.decks).toBe(2);
  const watch = (id: number) => ({ id, channel: GATE_ID, tile: TILE });
  client.say({ type: "play", watches: [watch(1)], from: NINE_MS + 12_000 });
  client.say({ type: "play", deck: 1, watches: [watch(2)], from: NINE_MS + 4080, paused: true });
  const told = (deck: number | undefined) => client.of("playback").filter((message) => message.deck === deck);
  await until("both have begun", () => told(undefined).length === 1 && told(1).length === 1);
  expect(told(1)).toMatchObject([{ state: "paused", time: NINE_MS + 4080 }]);
  client.say({ type: "seek", deck: 1, to: NINE_MS + 2040 });
  await until("the other picture", () => told(1).length === 2);
  client.say({ type: "play", deck: 1, watches: [watch(1)], from: NINE_MS });
  await until("an error", () => client.of("error").length === 1);
  client.say({ type: "leave", id: 2 });
  client.say({ type: "resume", deck: 1 });
  await until("another error", () => client.of("error").length === 2);
  client.say({ type: "pause" });
  await until("the first one stands", () => told(undefined).length === 2);
  expect(told(undefined).at(-1)?.state).toBe("paused");
  expect(api.archive.readers).toBe(0);
});

it("plays nothing that the user may not see, and ends what is forbidden while it plays", async () => {
  const client = await connect("/api/live?login=guard");
  const nobody = "22222222-0000-4000-8000-00000000000f";
  const watches = [YARD_ID, nobody].map((channel, index) => ({ id: index + 1, channel, tile: TILE }));
  client.say({ type: "play", watches, from: NINE_MS });
  await until("an end", () => client.of("ended").length === 1 && client.pictures().length > 0);
  expect(client.of("ended")[0]).toMatchObject({ id: 2, code: "NOT_FOUND" });
  await api.site.change((site) => ({
    ...site,
    groups: site.groups.map((group) =>
      group.seniorAdministrators ? group : { ...group, realtimeChannels: [], archiveChannels: [] },
    ),
  }));
  await until("the other end", () => client.of("ended").length === 2, 2000);
  expect(client.of("ended")[1]).toMatchObject({ id: 1, code: "NOT_FOUND" });
  expect(api.archive.readers).toBe(0);
});
