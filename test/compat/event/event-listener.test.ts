import { beforeEach, expect, it } from "vitest";
import type { Principal } from "../../../src/access/index.js";
import { createLog, EMPTY_GUID } from "../../../src/base/index.js";
import {
  EventListener,
  GAP_ITEMS_MAX,
  ITEM_GAP_MS,
  LISTENER_QUEUE_ITEMS_MAX,
  type SharedItem,
} from "../../../src/compat/event/event-listener.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { type ChunkSocket, StreamResponse } from "../../../src/http/stream-response.js";
import { GATE_ID, MemoryAccess, MemorySiteStore, ROOT_MD5 } from "../../support/api/api-fakes.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

/** A socket that says what was written in each cork, and takes as much as it is told to. */
class CorkedSocket implements ChunkSocket {
  readonly corks: string[][] = [];
  takes = true;
  #cork: string[] = [];
  #onWritable: () => void = () => undefined;

  cork(run: () => void): void {
    this.#cork = [];
    run();
    if (this.#cork.length > 0) this.corks.push(this.#cork);
  }
  write(chunk: Uint8Array): boolean {
    this.#cork.push(Buffer.from(chunk).toString("utf8"));
    return this.takes;
  }
  onWritable(handler: (offset: number) => boolean): void {
    this.#onWritable = () => handler(0);
  }
  drain(): void {
    this.takes = true;
    this.#onWritable();
  }
  end(): void {
    this.corks.push(["end"]);
  }
  close(): void {
    this.corks.push(["close"]);
  }
}

let clock: SimulatedClock;
let socket: CorkedSocket;
let listener: EventListener;
let principal: Principal;
let nextItem = 0;

beforeEach(async () => {
  clock = new SimulatedClock();
  socket = new CorkedSocket();
  nextItem = 0;
  const log = createLog({ level: "silent" });
  const stream = new StreamResponse({
    socket,
    writeHead: () => undefined,
    clock,
    log,
    stallTimeoutMs: 60_000,
    onFault: (error) => {
      throw error;
    },
  });
  principal = await new MemoryAccess(new MemorySiteStore()).verify({
    login: "root",
    password: ROOT_MD5,
    userType: undefined,
    address: "",
  });
  listener = new EventListener({
    stream,
    principal,
    typeId: undefined,
    channelId: undefined,
    demo: false,
    clock,
    log,
  });
});

/** Item `#n`, `size` bytes long. */
function item(size = 1000): SharedItem {
  const text = `\r\n{#${nextItem++}`.padEnd(size, " ");
  return {
    event: {
      sequence: nextItem,
      typeId: EVENT_TYPES.motionDetected.id,
      timeUs: clock.nowUs(),
      channelId: GATE_ID,
      channelName: "",
      comment: "",
      description: "",
      category: 0,
      initiator: { type: 0, id: EMPTY_GUID, name: "System" },
      fields: undefined,
    },
    demo: false,
    bytes: () => Buffer.from(text),
  };
}

const numbers = (cork: readonly string[] | undefined): string =>
  (cork ?? []).map((chunk) => /#\d+/.exec(chunk)?.[0] ?? "-").join(" ");

it("the head leaves at once, with a line end", () => {
  expect(socket.corks).toEqual([["\r\n"]]);
});

it("items of one turn go out one by one, each a write of its own, a gap between them", () => {
  for (let index = 0; index < 3; index++) listener.offer(item());
  listener.flush();
  expect(socket.corks.slice(1).map(numbers)).toEqual(["#0 -"]);
  clock.advance(ITEM_GAP_MS * 1000 - 1000);
  expect(socket.corks.slice(1).map(numbers)).toEqual(["#0 -"]);
  clock.advance(1000);
  expect(socket.corks.slice(1).map(numbers)).toEqual(["#0 -", "#1 -"]);
  clock.advance(ITEM_GAP_MS * 1000);
  expect(socket.corks.slice(1).map(numbers)).toEqual(["#0 -", "#1 -", "#2 -"]);
});

it("an item after a pause goes out at once", () => {
  listener.offer(item());
  listener.flush();
  clock.advance(ITEM_GAP_MS * 1000);
  listener.offer(item());
  listener.flush();
  expect(socket.corks.slice(1).map(numbers)).toEqual(["#0 -", "#1 -"]);
});

it("of very many items those beyond the bound go out without a gap, still each for itself", () => {
  for (let index = 0; index < GAP_ITEMS_MAX + 10; index++) listener.offer(item());
  listener.flush();
  const first = Array.from({ length: 10 }, (_, index) => `#${index} -`);
  expect(socket.corks.slice(1).map(numbers)).toEqual(first);
  clock.advance(GAP_ITEMS_MAX * ITEM_GAP_MS * 1000);
  expect(socket.corks).toHaveLength(1 + GAP_ITEMS_MAX + 10);
});

it("a client that ends during a gap leaves no timer", () => {
  for (let index = 0; index < 2; index++) listener.offer(item());
  listener.flush();
  const before = clock.timers;
  listener.end();
  expect(clock.timers).toBe(before - 1);
});

it("an item as long as may be goes out alone", () => {
  listener.offer(item(4093));
  listener.flush();
  clock.advance(ITEM_GAP_MS * 1000);
  listener.offer(item(4093));
  listener.flush();
  expect(socket.corks.slice(1).map(numbers)).toEqual(["#0 -", "#1 -"]);
});

it("a client behind gets the newest items, in order, when it reads again", () => {
  socket.takes = false;
  for (let index = 0; index < LISTENER_QUEUE_ITEMS_MAX + 50; index++) {
    listener.offer(item(2000));
    listener.flush();
  }
  expect(socket.corks).toHaveLength(2);
  expect(listener.dropped).toBe(49);
  socket.drain();
  expect(numbers(socket.corks[2])).toBe("#50 -");
  clock.advance(GAP_ITEMS_MAX * ITEM_GAP_MS * 1000);
  expect(numbers(socket.corks.at(-1))).toContain(`#${LISTENER_QUEUE_ITEMS_MAX + 49} -`);
  for (let seconds = 0; seconds < 30; seconds++) {
    clock.advance(1_000_000);
    listener.tick(() => Buffer.from("keep"));
  }
  expect(socket.corks.at(-1)?.[0]).toBe("keep");
});

it("a client from which items were dropped is closed when it stays behind", () => {
  socket.takes = false;
  for (let index = 0; index < LISTENER_QUEUE_ITEMS_MAX + 50; index++) {
    listener.offer(item());
    listener.flush();
  }
  clock.advance(9_900_000);
  listener.tick(() => Buffer.from("keep"));
  expect(socket.corks.at(-1)).not.toEqual(["close"]);
  clock.advance(200_000);
  listener.tick(() => Buffer.from("keep"));
  expect(socket.corks.at(-1)).toEqual(["close"]);
});

it("nothing goes out while the rights are being checked, and all that may when they are", () => {
  listener.setPrincipal(undefined);
  listener.offer(item());
  listener.flush();
  expect(socket.corks).toHaveLength(1);
  listener.setPrincipal({ ...principal, maySee: () => false });
  expect(socket.corks).toHaveLength(1);
  listener.setPrincipal(undefined);
  listener.offer(item());
  listener.setPrincipal(principal);
  expect(socket.corks.slice(1).map(numbers)).toEqual(["#1 -"]);
});
