import { beforeEach, describe, expect, it } from "vitest";
import type { StreamMessage } from "../../../src/contract/answer/index.js";
import { ConnectionWorld, recordingListener } from "../../support/page/connection-world.js";

const ORDER = { channel: "22222222-0000-4000-8000-000000000001", tile: { width: 640, height: 360 } };

function streamOf(id: number, feed: number): StreamMessage {
  const mime = 'video/mp4; codecs="avc1.640028"';
  return { type: "stream", id, feed, mime, source: "main", width: 640, height: 360, sound: false };
}

describe("the connection of the page", () => {
  let world: ConnectionWorld;
  beforeEach(() => {
    world = new ConnectionWorld();
  });

  it("is made when somebody watches, says hello, and asks for each channel after the welcome", () => {
    world.connection.watch(ORDER, recordingListener());
    world.connection.watch({ ...ORDER, sound: true }, recordingListener());
    world.socket.open();
    expect(world.socket.sent).toEqual([{ type: "hello", codecs: ["avc1"] }]);
    world.socket.welcome();
    expect(world.socket.of("watch")).toEqual([
      { type: "watch", id: 1, ...ORDER },
      { type: "watch", id: 2, ...ORDER, sound: true },
    ]);
    expect(world.sockets).toHaveLength(1);
  });

  it("is closed a moment after the last one leaves, and not when another one watches by then", () => {
    const first = world.connection.watch(ORDER, recordingListener());
    world.socket.welcome();
    first.leave();
    const second = world.connection.watch(ORDER, recordingListener());
    world.pass(5000);
    expect(world.socket.isClosed).toBe(false);
    second.leave();
    world.pass(5000);
    expect(world.socket.isClosed).toBe(true);
    expect(world.reports.at(-1)).toEqual({ state: "closed" });
    expect(world.timers).toBe(0);
  });

  it("hands media to everybody whose stream it is", () => {
    const listeners = [recordingListener(), recordingListener(), recordingListener()];
    for (const listener of listeners) world.connection.watch(ORDER, listener);
    const { socket } = world;
    socket.welcome();
    for (const [id, feed] of [
      [1, 7],
      [2, 7],
      [3, 8],
    ] as const)
      socket.say(streamOf(id, feed));
    socket.media({ kind: "init", feed: 7 });
    socket.media({ feed: 7, sequence: 5, isKey: true });
    socket.media({ feed: 9, sequence: 6 });
    const expected = [
      ["stream", 7],
      ["init", 8],
      ["fragment", 5],
    ];
    expect(listeners.map(({ heard }) => heard)).toEqual([expected, expected, [["stream", 8]]]);
  });

  it("gives the init segment to a second watch of the stream, and a repeated one to nobody else", () => {
    const [first, second] = [recordingListener(), recordingListener()];
    world.connection.watch(ORDER, first);
    const { socket } = world;
    socket.welcome();
    socket.say(streamOf(1, 7));
    socket.media({ kind: "init", feed: 7 });
    world.connection.watch(ORDER, second);
    socket.say(streamOf(2, 7));
    socket.media({ kind: "init", feed: 7 });
    expect(first.heard).toEqual([
      ["stream", 7],
      ["init", 8],
    ]);
    expect(second.heard).toEqual(first.heard);
  });

  it("waits for the new init segment when a stream changes under its number", () => {
    const [first, second] = [recordingListener(), recordingListener()];
    for (const listener of [first, second]) world.connection.watch(ORDER, listener);
    const { socket } = world;
    socket.welcome();
    for (const id of [1, 2]) socket.say(streamOf(id, 7));
    socket.media({ kind: "init", feed: 7 });
    for (const id of [1, 2]) socket.say(streamOf(id, 7));
    socket.media({ kind: "init", feed: 7 }, new Uint8Array(12));
    const expected = [
      ["stream", 7],
      ["init", 8],
      ["stream", 7],
      ["init", 12],
    ];
    expect([first.heard, second.heard]).toEqual([expected, expected]);
  });

  it("comes back after longer and longer waits, and asks for everything again", () => {
    const listener = recordingListener();
    const watch = world.connection.watch(ORDER, listener);
    world.socket.welcome();
    watch.change({ tile: { width: 1280, height: 720 } });
    world.socket.fail();
    expect(world.reports.at(-1)).toEqual({ state: "waiting", lostAtMs: 1_000_000 });
    for (const [attempt, wait] of [500, 1000, 2000, 4000, 8000, 15_000, 15_000].entries()) {
      world.pass(wait - 1);
      expect(world.sockets).toHaveLength(attempt + 1);
      world.pass(1);
      expect(world.sockets).toHaveLength(attempt + 2);
      world.socket.fail();
    }
    expect(world.refused).toBe(7);
    world.pass(15_000);
    world.socket.welcome();
    expect(world.socket.of("watch")).toEqual([
      { type: "watch", id: 1, channel: ORDER.channel, tile: { width: 1280, height: 720 } },
    ]);
    expect(world.reports.at(-1)).toEqual({ state: "open" });
  });

  it("finds a link that is silent, and does not wait to make another", () => {
    world.connection.watch(ORDER, recordingListener());
    world.socket.welcome();
    world.socket.say(streamOf(1, 7));
    world.pass(6000);
    world.socket.media({ feed: 7 });
    world.pass(6000);
    expect(world.sockets).toHaveLength(1);
    world.pass(4000);
    expect(world.sockets).toHaveLength(2);
    expect(world.sockets[0]?.isClosed).toBe(true);
  });

  it("does not take the silence of a lost camera for a silent link", () => {
    world.connection.watch(ORDER, recordingListener());
    world.socket.welcome();
    world.socket.say({ type: "problem", id: 1, reason: "camera-lost", text: "" });
    world.pass(50_000);
    expect(world.sockets).toHaveLength(1);
  });

  it("begins anew at once when the device slept", () => {
    world.connection.watch(ORDER, recordingListener());
    world.socket.welcome();
    world.sleep(3_600_000);
    world.pass(1);
    expect(world.sockets).toHaveLength(2);
    world.socket.welcome();
    expect(world.socket.of("watch")).toHaveLength(1);
  });

  it("gives everything back while nobody looks, and comes back when somebody does", () => {
    world.connection.watch(ORDER, recordingListener());
    world.socket.welcome();
    world.connection.sleep();
    expect(world.socket.isClosed).toBe(true);
    world.pass(100_000);
    expect(world.sockets).toHaveLength(1);
    world.connection.wake();
    world.socket.welcome();
    expect(world.socket.of("watch")).toHaveLength(1);
  });

  it("begins a watch again under another number, and hears no more of the old one", () => {
    const listener = recordingListener();
    const watch = world.connection.watch(ORDER, listener);
    const { socket } = world;
    socket.welcome();
    socket.say(streamOf(1, 7));
    watch.restart();
    expect(socket.sent.slice(-2)).toEqual([
      { type: "leave", id: 1 },
      { type: "watch", id: 2, ...ORDER },
    ]);
    socket.say({ type: "problem", id: 1, reason: "camera-lost", text: "" });
    socket.media({ feed: 7 });
    expect(listener.heard).toEqual([["stream", 7]]);
  });

  it("reports problems, left-out pictures and the end; the one that ended is not asked for again", () => {
    const listener = recordingListener();
    world.connection.watch(ORDER, listener);
    world.connection.watch(ORDER, recordingListener());
    const { socket } = world;
    socket.welcome();
    socket.say({ type: "problem", id: 1, reason: "camera-lost", since: 5, text: "" });
    socket.say({ type: "dropped", id: 1, count: 25 });
    socket.say({ type: "ended", id: 1, code: "forbidden", text: "" });
    expect(listener.heard).toEqual([
      ["problem", "camera-lost"],
      ["dropped", 25],
      ["ended", "forbidden"],
    ]);
    socket.fail();
    world.pass(500);
    world.socket.welcome();
    expect(world.socket.of("watch").map(({ id }) => id)).toEqual([2]);
  });

  it("tells the service's time, with when it said hello and was welcomed", () => {
    world.connection.watch(ORDER, recordingListener());
    world.socket.open();
    world.nowMs += 40;
    world.socket.say({
      type: "welcome",
      version: "1",
      time: 9_000_000,
      limits: { watches: 1, playbackChannels: 1, decks: 2 },
    });
    expect(world.serviceTimes).toEqual([[9_000_000, world.nowMs - 40, world.nowMs]]);
  });
});

describe("a playback over the connection", () => {
  it("is one message with all channels; orders follow; another one takes its place", () => {
    const world = new ConnectionWorld();
    const playback = world.connection.play(
      {
        watches: [
          { order: ORDER, listener: recordingListener() },
          { order: ORDER, listener: recordingListener() },
        ],
        from: 5000,
        deck: 0,
      },
      { onPlayback: () => undefined, onRefused: () => undefined, position: () => undefined },
    );
    const { socket } = world;
    socket.welcome();
    expect(socket.of("watch")).toEqual([]);
    expect(socket.of("play")).toEqual([
      {
        type: "play",
        watches: [
          { id: 1, ...ORDER },
          { id: 2, ...ORDER },
        ],
        from: 5000,
        speed: 1,
        paused: false,
      },
    ]);
    playback.seek(8000);
    playback.speed(-2);
    playback.pause();
    playback.step(1);
    playback.resume();
    expect(socket.sent.slice(2)).toEqual([
      { type: "seek", to: 8000 },
      { type: "speed", speed: -2 },
      { type: "pause" },
      { type: "step", by: 1 },
      { type: "resume" },
    ]);
    playback.close();
    expect(socket.of("leave").map(({ id }) => id)).toEqual([1, 2]);
  });

  it("goes on where it was after a lost connection", () => {
    const world = new ConnectionWorld();
    const heard = recordingListener();
    const playback = world.connection.play(
      { watches: [{ order: ORDER, listener: heard }], from: 5000, deck: 0 },
      { onPlayback: () => undefined, onRefused: () => undefined, position: () => 7777 },
    );
    world.socket.welcome();
    world.socket.say({ type: "playback", state: "playing", time: 5000, speed: 1 });
    playback.speed(4);
    playback.pause();
    world.socket.fail();
    world.pass(500);
    world.socket.welcome();
    expect(world.socket.of("play")).toMatchObject([{ from: 7777, speed: 4, paused: true }]);
    world.socket.say({ type: "gap", id: 2, from: 1, to: 2, reason: "no-motion" });
    expect(heard.heard).toEqual([["gap", 1, 2]]);
  });

  it("is one of two, each with its own orders and answers, which both come back", () => {
    const world = new ConnectionWorld();
    const heard: (readonly [deck: number, time: number])[] = [];
    const play = (deck: number) =>
      world.connection.play(
        { watches: [{ order: ORDER, listener: recordingListener() }], from: 5000, deck },
        {
          onPlayback: ({ time }) => void heard.push([deck, time]),
          onRefused: () => undefined,
          position: () => 7000 + deck,
        },
      );
    play(0);
    const other = play(1);
    world.socket.welcome();
    other.seek(6000);
    expect(world.socket.of("seek")).toEqual([{ type: "seek", deck: 1, to: 6000 }]);
    world.socket.say({ type: "playback", state: "playing", time: 5000, speed: 1 });
    world.socket.say({ type: "playback", deck: 1, state: "paused", time: 6000, speed: 1 });
    expect(heard).toEqual([
      [0, 5000],
      [1, 6000],
    ]);
    world.socket.fail();
    world.pass(500);
    world.socket.welcome();
    expect(world.socket.of("play")).toMatchObject([{ from: 7000 }, { deck: 1, from: 7001 }]);
  });
});
