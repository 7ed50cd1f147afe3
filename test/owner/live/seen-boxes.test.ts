import { afterEach, beforeEach, expect, it } from "vitest";
import type { FindingGrowth } from "../../../src/finding/index.js";
import { changeGuards, GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const TILE = { width: 320, height: 240 };
const BOX = { left: 0.1, top: 0.2, width: 0.1, height: 0.3 };

let api: ApiHarness;
let clock: SimulatedClock;
let client: LiveSocketClient;

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US);
  api = await startApi({ clock });
  for (const id of [GATE_ID, YARD_ID]) api.streams.live(id).setState({ state: "active" });
});

afterEach(async () => {
  client.close();
  await api.stop();
});

async function connect(login?: string): Promise<void> {
  client = new LiveSocketClient(api.port, login === undefined ? {} : { path: `/api/live?login=${login}` });
  await client.greet();
}

async function watch(boxes: boolean | undefined, channel = GATE_ID): Promise<void> {
  client.say({ type: "watch", id: 1, channel, tile: TILE, ...(boxes === undefined ? {} : { boxes }) });
  await answered();
}

/** What was said before is taken. */
async function answered(): Promise<void> {
  const { length } = client.of("error");
  client.say({ type: "pause" });
  await until("an answer", () => client.of("error").length > length);
}

function see(kind: "person" | "vehicle" | "motion", growth: Partial<FindingGrowth> = {}): string {
  const source = kind === "motion" ? "motion" : "recorder";
  return (
    api.lasting.begin({ channelId: GATE_ID, kind, source, atUs: clock.nowUs(), box: BOX, ...growth }) ?? ""
  );
}

async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 4; step++) clock.advance(250_000);
  await answered();
}

const boxes = () => client.of("boxes").map(({ boxes: list }) => list);

it("tells where something is seen, where it moves to, and that it is gone", async () => {
  await connect();
  await watch(true);
  const id = see("vehicle", { label: "car" });
  await pass(0.25);
  expect(client.of("boxes")).toEqual([
    { type: "boxes", id: 1, boxes: [{ kind: "vehicle", label: "car", ...BOX }] },
  ]);
  api.lasting.grow(id, { atUs: clock.nowUs(), box: { ...BOX, left: 0.5 } });
  await pass(0.25);
  expect(boxes()[1]).toMatchObject([{ left: 0.5 }]);
  api.lasting.end(id);
  await pass(3);
  expect(boxes().slice(2)).toEqual([[]]);
});

it("reports what is posted as a moment, and not one that is long past", async () => {
  await connect();
  await watch(true);
  api.lasting.end(see("vehicle"));
  await pass(0.25);
  expect(boxes()).toHaveLength(1);
  api.lasting.end(see("person", { atUs: clock.nowUs() - 60_000_000 }));
  await pass(3);
  expect(boxes().slice(1)).toEqual([[]]);
});

it("tells nothing to those who do not ask, and nothing more once they do not", async () => {
  await connect();
  await watch(undefined);
  see("person");
  await pass(1);
  expect(boxes()).toEqual([]);
  client.say({ type: "change", id: 1, boxes: true });
  await answered();
  see("person");
  await pass(1);
  const { length } = boxes();
  expect(length).toBeGreaterThan(0);
  client.say({ type: "change", id: 1, boxes: false });
  await answered();
  see("person");
  await pass(1);
  expect(boxes()).toHaveLength(length);
});

it("reports what moves only while it moves, and a thing as long as it is looked at now and then", async () => {
  await connect();
  await watch(true);
  see("motion");
  see("person");
  await pass(2);
  expect(boxes().at(-1)).toMatchObject([{ kind: "person" }]);
  await pass(8);
  expect(boxes().at(-1)).toEqual([]);
});

it("tells at most four times a second, however often something is seen", async () => {
  await connect();
  await watch(true);
  const id = see("person");
  for (let step = 1; step <= 40; step++) {
    clock.advance(25_000);
    api.lasting.grow(id, { atUs: clock.nowUs(), box: { ...BOX, left: step / 100 } });
  }
  await answered();
  expect(boxes().length).toBeLessThanOrEqual(4);
});

it("reports no other channel, and nothing of one that may not be watched any more", async () => {
  await changeGuards(api.site, { realtimeChannels: [YARD_ID, GATE_ID] });
  await connect("guard");
  await watch(true, YARD_ID);
  see("person");
  await pass(1);
  expect(boxes()).toEqual([]);
  client.say({ type: "leave", id: 1 });
  await watch(true, GATE_ID);
  await changeGuards(api.site, { realtimeChannels: [YARD_ID] });
  await pass(1);
  await until("it is over", () => client.of("ended").length === 1);
  see("person");
  await pass(1);
  expect(boxes()).toEqual([]);
});
