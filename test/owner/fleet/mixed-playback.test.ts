import { beforeEach, describe, expect, it } from "vitest";
import type { PlaybackOrder, PlayMessage } from "../../../src/contract/answer/index.js";
import { MixedPlayback, type PlaybackNotice } from "../../../src/owner/fleet/mixed-playback.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const NORTH = "0d9c0000-0000-4000-8000-00000000000b";
const SOUTH = "0d9c0000-0000-4000-8000-00000000000c";
const T = 1_795_251_600_000;
const tile = { width: 640, height: 360 };
const watchOf = (id: number) => ({ id, channel: `22222222-0000-4000-8000-00000000000${id}`, tile });

let clock: SimulatedClock;
let sent: [box: string, order: string][];
let notices: PlaybackNotice[];
let playback: MixedPlayback;

const says = (box: string, state: PlaybackNotice["state"], time: number, speed = 1): void =>
  playback.said(box, { type: "playback", state, time, speed });

function play(order: Partial<PlayMessage> = {}, boxes: readonly string[] = [NORTH, SOUTH]): void {
  clock = new SimulatedClock();
  sent = [];
  notices = [];
  const watches = boxes.map((box, at) => [box, [watchOf(at + 1)]] as const);
  const all = watches.flatMap(([, ofBox]) => ofBox);
  playback = new MixedPlayback({ type: "play", from: T, watches: all, ...order }, new Map(watches), {
    send: (box, message) => sent.push([box === NORTH ? "north" : "south", textOf(message)]),
    notify: (notice) => notices.push(notice),
    clock,
  });
  sent = [];
}

function textOf(order: PlaybackOrder | PlayMessage): string {
  if (order.type === "seek") return `seek ${order.to - T}`;
  return order.type === "step" ? `step ${order.by}` : order.type;
}

const shown = () => notices.map(({ state, time }) => [state, Math.round(time - T)]);

describe("a playback of recorders in step", () => {
  beforeEach(() => {
    play();
    says(NORTH, "playing", T);
    says(SOUTH, "playing", T);
  });

  it("begins when all have begun", () => {
    expect([shown(), sent]).toEqual([[["playing", 0]], []]);
  });

  it("lets who is ahead by a gap of its own wait until the others are there", () => {
    clock.advance(2_000_000);
    says(NORTH, "playing", T + 12_000);

    expect(sent).toEqual([["north", "pause"]]);
    expect(shown().at(-1)).toEqual(["playing", 2000]);
    says(NORTH, "paused", T + 12_000);
    clock.advance(8_400_000);
    expect(sent).toHaveLength(1);

    clock.advance(200_000);
    expect(sent.slice(1)).toEqual([["north", "resume"]]);
  });

  it("goes on behind a gap that all have", () => {
    clock.advance(2_000_000);
    says(NORTH, "playing", T + 12_000);
    says(NORTH, "paused", T + 12_000);
    says(SOUTH, "playing", T + 30_000);

    expect(shown().at(-1)).toEqual(["playing", 12_000]);
    expect(sent.slice(1)).toEqual([
      ["south", "pause"],
      ["north", "resume"],
    ]);
  });

  it("stands at one moment: the others go to where the first stands", () => {
    playback.order({ type: "pause" });
    says(NORTH, "paused", T + 1000);
    says(SOUTH, "paused", T + 1240);

    expect(sent.slice(2)).toEqual([["south", "seek 1000"]]);
    expect(notices).toHaveLength(1);
    says(SOUTH, "paused", T + 1000);
    expect(shown().at(-1)).toEqual(["paused", 1000]);
  });

  it("steps by a picture of the first, and the others follow to its moment", () => {
    playback.order({ type: "pause" });
    says(NORTH, "paused", T + 1000);
    says(SOUTH, "paused", T + 1000);
    sent = [];

    playback.order({ type: "step", by: 1 });
    expect(sent).toEqual([
      ["north", "step 1"],
      ["south", "pause"],
    ]);
    says(SOUTH, "paused", T + 1000);
    says(NORTH, "paused", T + 1040);
    expect(sent.slice(2)).toEqual([["south", "seek 1040"]]);
    says(SOUTH, "paused", T + 1040);
    expect(shown().at(-1)).toEqual(["paused", 1040]);
  });

  it("is at the edge when all are", () => {
    says(NORTH, "edge", T + 5000);
    expect(shown().at(-1)?.[0]).toBe("playing");

    says(SOUTH, "edge", T + 6000);
    expect(shown().at(-1)?.[0]).toBe("edge");
  });

  it("waits no longer than three seconds for a recorder that does not answer", () => {
    playback.order({ type: "seek", to: T + 60_000 });
    says(NORTH, "playing", T + 60_000);
    expect(notices).toHaveLength(1);

    clock.advance(3_000_000);
    expect(notices.length).toBeGreaterThan(1);
  });
});

it("a playback of one recorder passes as it is", () => {
  play({ paused: true }, [NORTH]);
  says(NORTH, "paused", T + 7);

  expect([shown(), sent]).toEqual([[["paused", 7]], []]);
});

describe("a playback of recorders on another deck", () => {
  it("names its deck in what it asks and says", () => {
    const orders: (PlaybackOrder | PlayMessage)[] = [];
    const told: PlaybackNotice[] = [];
    const watches = new Map([
      [NORTH, [watchOf(1)]],
      [SOUTH, [watchOf(2)]],
    ]);
    const order = { type: "play", deck: 1, from: T, watches: [watchOf(1), watchOf(2)] } as const;
    const other = new MixedPlayback(order, watches, {
      send: (_box, message) => void orders.push(message),
      notify: (notice) => void told.push(notice),
      clock: new SimulatedClock(),
    });
    other.said(NORTH, { type: "playback", deck: 1, state: "playing", time: T, speed: 1 });
    other.said(SOUTH, { type: "playback", deck: 1, state: "playing", time: T + 9000, speed: 1 });
    expect(orders.map(({ type, deck }) => [type, deck])).toEqual([
      ["play", 1],
      ["play", 1],
      ["pause", 1],
    ]);
    expect(told.map(({ deck }) => deck)).toEqual([1]);
    other.close();
  });
});
