import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/index.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { until } from "../../support/base/until.js";
import { RecordersAtHub } from "../../support/fleet/recorders-at-hub.js";
import { H264_FORMAT, pictures } from "../../support/hls/hls-frames.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";
const YARD: Guid = "22222222-0000-4000-8000-0000000000b1";
const TILE = { width: 1920, height: 1080 };

let place: RecordersAtHub;
let client: LiveSocketClient;

beforeEach(async () => {
  place = await RecordersAtHub.start({ cameras: { North: { [GATE]: "Gate" }, South: { [YARD]: "Yard" } } });
  for (const [name, id] of [
    ["North", GATE],
    ["South", YARD],
  ] as const)
    place.of(name).api.streams.live(id).setState({ state: "active" });
  client = new LiveSocketClient(place.hub.port, { path: `/api/live?${ROOT_QUERY}` });
  await client.greet();
});

afterEach(async () => {
  client.close();
  await place.stop();
});

async function watch(id: number, channel: Guid, name: string): Promise<void> {
  client.say({ type: "watch", id, channel, tile: TILE });
  await until(`camera ${channel} is read`, () => place.of(name).api.streams.live(channel).atOnce === 1, {
    seen: () => client.answers,
  });
}

function publish(name: string, channel: Guid, count: number): void {
  for (const frame of pictures(count, { format: H264_FORMAT }))
    place.of(name).api.streams.live(channel).publish(frame);
}

/** The subscriptions whose recorder is said to be gone. */
function lost(): number[] {
  return client.of("problem").flatMap(({ id, reason }) => (reason === "recorder-lost" ? [id] : []));
}

describe("the live socket of a hub", () => {
  it("shows cameras of several recorders over one connection, each with a feed of its own", async () => {
    await watch(1, GATE, "North");
    await watch(2, YARD, "South");
    publish("North", GATE, 30);
    publish("South", YARD, 20);
    await until("all pictures come", () => client.pictures().length === 50, { seen: () => client.answers });

    const feeds = new Map(client.of("stream").map(({ id, feed }) => [id, feed]));
    expect(feeds.size).toBe(2);
    expect(client.pictures(feeds.get(1))).toHaveLength(30);
    expect(client.pictures(feeds.get(2))).toHaveLength(20);
    expect(client.of("welcome")).toHaveLength(1);
  });

  it("gives a camera back that is left, and keeps the others", async () => {
    await watch(1, GATE, "North");
    await watch(2, YARD, "South");

    client.say({ type: "leave", id: 1 });

    await until("the camera is read no more", () => place.of("North").api.streams.live(GATE).atOnce === 0, {
      seen: () => client.answers,
    });
    expect(place.of("South").api.streams.live(YARD).atOnce).toBe(1);
  });

  it("says that a recorder is gone, and shows the others", async () => {
    await watch(1, GATE, "North");
    await watch(2, YARD, "South");

    await place.of("South").box.membership.stop();
    await until("it is said", () => lost().includes(2), { seen: () => client.answers });

    publish("North", GATE, 5);
    await until("pictures of the other come", () => client.pictures().length >= 5, {
      seen: () => client.answers,
    });
    expect(lost()).toEqual([2]);
  });

  it("refuses a number that is taken, and a channel that nobody has", async () => {
    await watch(1, GATE, "North");

    client.say({ type: "watch", id: 1, channel: YARD, tile: TILE });
    client.say({ type: "watch", id: 3, channel: "22222222-0000-4000-8000-0000000000ff", tile: TILE });

    await until("both are refused", () => client.of("error").length === 2, { seen: () => client.answers });
    expect(client.of("error").map(({ id, code }) => [id, code])).toEqual([
      [1, "BAD_REQUEST"],
      [3, "NOT_FOUND"],
    ]);
  });

  it("plays recordings of a recorder on two decks, each with its own answers", async () => {
    const watches = (id: number) => [{ id, channel: GATE, tile: TILE }];
    client.say({ type: "play", watches: watches(1), from: 5000, paused: true });
    client.say({ type: "play", deck: 1, watches: watches(2), from: 6000, paused: true });
    const told = (deck: number | undefined) =>
      client.of("playback").filter((message) => message.deck === deck);
    await until("both have begun", () => told(undefined).length === 1 && told(1).length === 1, {
      seen: () => client.answers,
    });
    client.say({ type: "seek", deck: 1, to: 7000 });
    await until("the other one has gone on", () => told(1).length === 2, { seen: () => client.answers });
    client.say({ type: "leave", id: 2 });
    client.say({ type: "seek", to: 5500 });
    await until("the first one has gone on", () => told(undefined).length === 2, {
      seen: () => client.answers,
    });
    expect(client.of("error")).toEqual([]);
  });

  it("shows a camera again when its recorder is back", async () => {
    await watch(1, GATE, "North");
    const { membership } = place.of("North").box;
    await membership.stop();
    await until("it is gone", () => lost().includes(1), { seen: () => client.answers });
    await until("its camera is given back", () => place.of("North").api.streams.live(GATE).atOnce === 0, {
      seen: () => place.of("North").api.streams.live(GATE).atOnce,
    });

    await membership.start();

    await until("it is read again", () => place.of("North").api.streams.live(GATE).atOnce === 1, {
      seen: () => client.answers,
    });
  });

  it("says that a recorder is gone that was removed from the hub", async () => {
    await watch(1, GATE, "North");

    await place.bench.hub.remove(place.of("North").box.id);

    await until("it is said", () => lost().includes(1), { seen: () => client.answers });
  });
});
