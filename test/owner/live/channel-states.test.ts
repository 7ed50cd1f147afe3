import { afterEach, beforeEach, expect, it } from "vitest";
import { withoutCameras } from "../../../src/site/index.js";
import { changeGuards, GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

let api: ApiHarness;
let clock: SimulatedClock;
const clients: LiveSocketClient[] = [];

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US);
  api = await startApi({ clock });
  for (const id of [GATE_ID, YARD_ID]) api.streams.live(id).setState({ state: "active" });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await api.stop();
});

async function follow(login?: string): Promise<LiveSocketClient> {
  const client = new LiveSocketClient(
    api.port,
    login === undefined ? {} : { path: `/api/live?login=${login}` },
  );
  clients.push(client);
  await client.greet();
  client.say({ type: "states", on: true });
  await answered(client);
  return client;
}

/** What was said before is taken. */
async function answered(client: LiveSocketClient): Promise<void> {
  const { length } = client.of("error");
  client.say({ type: "pause" });
  await until("an answer", () => client.of("error").length > length);
}

const see = (channelId: string) =>
  api.lasting.begin({ channelId, kind: "person", source: "camera", atUs: clock.nowUs() }) ?? "";

/** Clients are looked after. */
const look = () => clock.advance(1_000_000);

const state = (channel: string, seen: readonly string[], isLost = false) => ({
  ...{ type: "state", channel, isLost, seen },
});

it("tells at first of the channels where something is to be reported, and of each that changes", async () => {
  see(GATE_ID);
  const client = await follow();
  expect(client.of("state")).toEqual([state(GATE_ID, ["person"])]);
  api.lasting.begin({ channelId: YARD_ID, kind: "motion", source: "motion", atUs: clock.nowUs() });
  const id = see(YARD_ID);
  await look();
  await until("Yard", () => client.of("state").length === 2);
  expect(client.of("state")[1]).toEqual(state(YARD_ID, ["motion", "person"]));
  api.lasting.end(id);
  for (let second = 0; second < 5; second += 1) await look();
  await look();
  await until("Yard again", () => client.of("state").length === 3);
  expect(client.of("state")[2]).toEqual(state(YARD_ID, ["motion"]));
});

it("reports what only happens for some seconds", async () => {
  const client = await follow();
  const ring = { channelId: GATE_ID, kind: "doorbell", source: "camera", atUs: clock.nowUs() } as const;
  api.lasting.end(api.lasting.begin(ring) ?? "");
  await look();
  await until("a ring", () => client.of("state").length === 1);
  for (let second = 0; second < 5; second += 1) await look();
  await until("its end", () => client.of("state").length === 2);
  expect(client.of("state")).toEqual([state(GATE_ID, ["doorbell"]), state(GATE_ID, [])]);
});

it("tells that a camera is lost, and that it is back", async () => {
  const client = await follow();
  expect(client.of("state")).toEqual([]);
  api.streams.live(GATE_ID).setState({ state: "lost", reason: "no answer", cause: "unreachable" });
  await look();
  await until("lost", () => client.of("state").length === 1);
  api.streams.live(GATE_ID).setState({ state: "active" });
  await look();
  await until("back", () => client.of("state").length === 2);
  expect(client.of("state")).toEqual([state(GATE_ID, [], true), state(GATE_ID, [])]);
});

it("tells nobody of a channel that they may not watch, until they may", async () => {
  await changeGuards(api.site, { realtimeChannels: [YARD_ID] });
  see(GATE_ID);
  see(YARD_ID);
  const guard = await follow("guard");
  expect(guard.of("state")).toEqual([state(YARD_ID, ["person"])]);
  await changeGuards(api.site, { realtimeChannels: [YARD_ID, GATE_ID] });
  await look();
  await until("Gate", () => guard.of("state").some(({ channel }) => channel === GATE_ID));
});

it("takes back what it told of a camera that is switched off", async () => {
  see(GATE_ID);
  const client = await follow();
  await api.site.change(({ cameras, ...site }) => ({
    ...site,
    cameras: cameras.map((one) => (one.id === GATE_ID ? { ...one, disabled: true } : one)),
  }));
  await look();
  await until("nothing of Gate", () => client.of("state").length === 2);
  expect(client.of("state")[1]).toEqual(state(GATE_ID, []));
});

it("takes back what it told of a camera that is deleted", async () => {
  see(GATE_ID);
  const client = await follow();
  await api.site.change((site) => withoutCameras(site, [GATE_ID]));
  await look();
  await until("nothing of Gate", () => client.of("state").length === 2);
  expect(client.of("state")[1]).toEqual(state(GATE_ID, []));
});

it("takes back what it told of a channel that the user may not watch any more, and says no more of it", async () => {
  see(GATE_ID);
  const guard = await follow("guard");
  await changeGuards(api.site, { realtimeChannels: [YARD_ID] });
  await look();
  await until("nothing of Gate", () => guard.of("state").length === 2);
  api.lasting.begin({ channelId: GATE_ID, kind: "motion", source: "motion", atUs: clock.nowUs() });
  await look();
  await answered(guard);
  expect(guard.of("state")).toEqual([state(GATE_ID, ["person"]), state(GATE_ID, [])]);
});

it("tells a client that asks again what is over meanwhile", async () => {
  const id = see(GATE_ID);
  const client = await follow();
  client.say({ type: "states", on: false });
  await answered(client);
  api.lasting.end(id);
  for (let second = 0; second < 6; second += 1) await look();
  client.say({ type: "states", on: true });
  await answered(client);
  expect(client.of("state")).toEqual([state(GATE_ID, ["person"]), state(GATE_ID, [])]);
});

it("tells nothing any more after it was asked to stop", async () => {
  const client = await follow();
  client.say({ type: "states", on: false });
  await answered(client);
  see(GATE_ID);
  await look();
  await answered(client);
  expect(client.of("state")).toEqual([]);
});
