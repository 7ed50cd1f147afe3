import { beforeEach, describe, expect, it } from "vitest";
import { ByteBudget } from "../../../src/base/index.js";
import type { SocketConnection } from "../../../src/http/index.js";
import type { FeedMessage } from "../../../src/player/feed/feed-message.js";
import type { FeedSeat } from "../../../src/player/feed/live-feeds.js";
import { ClientFeed } from "../../../src/player/socket/client-feed.js";
import { FeedTurns } from "../../../src/player/socket/feed-turns.js";
import { SocketPace } from "../../../src/player/socket/socket-pace.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const PICTURE_MS = 40;
const GOP = 50;
const KEY_BYTES = 60_000;
const PICTURE_BYTES = 15_000;
/** What the kernel takes at once, however slow the link is: the library does not see that it waits. */
const KERNEL_BYTES = 1_000_000;
/** The way there and back of an empty link. */
const ROUND_MS = 20;

/** Where a message says of itself what it is: behind its flags, which may change. */
const MARK_AT = 4;
const MARK = { picture: 1, key: 2, sound: 3 } as const;

function marked(length: number, feed: number, mark: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.set([feed, mark], MARK_AT);
  return bytes;
}

interface Arrival {
  readonly feed: number;
  readonly key: boolean;
  readonly sound: boolean;
  readonly delayMs: number;
  readonly atMs: number;
}

/** A client behind a link of so many bytes a second, with cameras of 3 Mbit/s each. */
class World {
  readonly clock = new SimulatedClock();
  readonly arrivals: Arrival[] = [];
  dropped = 0;
  #bytesPerMs: number;
  /** What is on its way; pings have a text. */
  #queue: { left: number; note?: Omit<Arrival, "atMs" | "delayMs">; sentMs: number; ping?: string }[] = [];
  #answers: { readonly text: string; readonly atMs: number }[] = [];
  #sentBytes = 0;
  readonly #pace: SocketPace;
  readonly #turns: FeedTurns;
  readonly #feeds: { readonly feed: ClientFeed; readonly gop: FeedMessage[] }[] = [];
  #pictures = 0;

  constructor(cameras: number, bytesPerSecond: number, sounding?: number) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    const world = this;
    const connection = {
      get waitingBytes() {
        return Math.max(0, world.#underWay - KERNEL_BYTES);
      },
      get sentBytes() {
        return world.#sentBytes;
      },
      send: (message: Uint8Array) => world.#send(message),
      ping: (text: string) => world.#queue.push({ left: 2, sentMs: world.nowMs, ping: text }),
    } as unknown as SocketConnection;
    this.#pace = new SocketPace(connection, new ByteBudget(Number.POSITIVE_INFINITY), this.clock);
    this.#turns = new FeedTurns(this.#pace, this.clock);
    for (let index = 0; index < cameras; index += 1) this.#add(connection, index === sounding);
  }

  get nowMs(): number {
    return this.clock.monotonicUs() / 1000;
  }

  set bytesPerSecond(rate: number) {
    this.#bytesPerMs = rate / 1000;
  }

  /** Cameras send, and the link carries, for so long. */
  run(ms: number): void {
    for (let passed = 0; passed < ms; passed += PICTURE_MS) {
      for (const index of this.#feeds.keys()) this.#publish(index);
      this.#pictures += 1;
      this.#carry();
      if (this.#pictures % 25 === 0) this.#turns.lookAfter();
    }
  }

  since(ms: number): Arrival[] {
    return this.arrivals.filter(({ atMs }) => atMs > ms);
  }

  get #underWay(): number {
    return this.#queue.reduce((sum, { left }) => sum + left, 0);
  }

  #add(connection: SocketConnection, hasSound: boolean): void {
    const gop: FeedMessage[] = [];
    const seat = { feed: { gop, lastPictureUs: 0, replay: () => undefined }, leave: () => undefined };
    const feed = new ClientFeed({
      connection,
      pace: this.#pace,
      turns: this.#turns,
      clock: this.clock,
      sit: () => seat as unknown as FeedSeat,
      onEmpty: () => undefined,
      onDropped: (count) => {
        this.dropped += count;
      },
    });
    feed.add({
      takesSound: () => hasSound,
      onStart: () => true,
      onDropped: () => undefined,
      onFailure: () => undefined,
    });
    const init = { message: Buffer.alloc(900), mime: "", sound: hasSound };
    feed.onStart({ feed: this.#feeds.length, width: 1, height: 1, init, isSoundLeft: false });
    this.#feeds.push({ feed, gop });
  }

  #publish(index: number): void {
    const one = this.#feeds[index];
    if (one === undefined) return;
    const key = (this.#pictures + index) % GOP === 0;
    const sequence = this.#pictures + 1;
    const bytes = marked(key ? KEY_BYTES : PICTURE_BYTES, index, key ? MARK.key : MARK.picture);
    const message = { bytes, key, sequence, sound: false };
    if (key) one.gop.splice(0);
    one.gop.push(message);
    one.feed.onMessage(message);
    one.feed.onMessage({ bytes: marked(320, index, MARK.sound), key: false, sequence, sound: true });
  }

  #send(message: Uint8Array): void {
    this.#sentBytes += message.length;
    const [feed = 0, mark = 0] = message.subarray(MARK_AT);
    const note = mark === 0 ? {} : { note: { feed, key: mark === MARK.key, sound: mark === MARK.sound } };
    this.#queue.push({ left: message.length, sentMs: this.nowMs, ...note });
  }

  #carry(): void {
    for (let ms = 0; ms < PICTURE_MS; ms += 4) {
      this.clock.advance(4000);
      let bytes = this.#bytesPerMs * 4;
      for (let next = this.#queue[0]; next !== undefined && bytes > 0; next = this.#queue[0]) {
        const taken = Math.min(bytes, next.left);
        bytes -= taken;
        next.left -= taken;
        if (next.left > 0) break;
        this.#queue.shift();
        if (next.ping !== undefined) this.#answers.push({ text: next.ping, atMs: this.nowMs + ROUND_MS });
        if (next.note !== undefined)
          this.arrivals.push({ ...next.note, atMs: this.nowMs, delayMs: this.nowMs - next.sentMs });
      }
      while ((this.#answers[0]?.atMs ?? Number.POSITIVE_INFINITY) <= this.nowMs) {
        this.#pace.answered(this.#answers.shift()?.text ?? "");
        this.#turns.pump();
      }
    }
  }
}

const MEGABIT = 125_000;

describe("a link of 2 Mbit/s, asked for nine cameras of 3 Mbit/s each", () => {
  let world: World;
  beforeEach(() => {
    world = new World(9, 2 * MEGABIT, 4);
    world.run(40_000);
  });

  it("carries something new of each again and again", () => {
    const late = world.since(20_000);
    for (let feed = 0; feed < 9; feed += 1) {
      const own = late.filter((arrival) => arrival.feed === feed && !arrival.sound);
      expect(own.length, `feed ${feed}`).toBeGreaterThan(2);
    }
    expect(world.dropped).toBeGreaterThan(1000);
  });

  it("makes nothing wait for long, though the kernel takes four seconds of it", () => {
    expect(Math.max(...world.since(5000).map(({ delayMs }) => delayMs))).toBeLessThan(2500);
  });

  it("carries the sound of the one that is heard without a hole", () => {
    const sounds = world.since(20_000).filter(({ sound }) => sound);
    expect(sounds.length).toBeGreaterThan(0.9 * 500);
    expect(new Set(sounds.map(({ feed }) => feed))).toEqual(new Set([4]));
  });

  it("carries all pictures of all when it is good again", () => {
    world.bytesPerSecond = 1000 * MEGABIT;
    world.run(60_000);
    const now = world.nowMs;
    world.run(4000);
    expect(world.since(now).filter(({ sound }) => !sound).length).toBeGreaterThan(9 * 90);
  });
});

it("a good link carries every picture of sixteen cameras", () => {
  const world = new World(16, 1000 * MEGABIT);
  world.run(10_000);
  expect(world.dropped).toBe(0);
  expect(world.arrivals.filter(({ sound }) => !sound).length).toBeGreaterThan(16 * 198);
});
