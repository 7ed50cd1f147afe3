import { beforeEach, expect, it } from "vitest";
import { Strangers } from "../../src/base/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const MAX = 6;
const PER_ADDRESS_MAX = 4;
const SECOND_US = 1_000_000;

let clock: SimulatedClock;
let strangers: Strangers;
let port = 0;
let closed: string[];

beforeEach(() => {
  clock = new SimulatedClock(0);
  strangers = new Strangers({ max: MAX, perAddressMax: PER_ADDRESS_MAX, clock });
  port = 0;
  closed = [];
});

/** Connections of an address, by their number. */
function come(address: string, count = 1, bytesRead = 0) {
  return Array.from({ length: count }, () => {
    port += 1;
    const listeners: (() => void)[] = [];
    const name = `${address} ${port}`;
    const connection = {
      ...{ remoteAddress: address, remotePort: port, bytesRead },
      once: (_event: "close", listener: () => void) => void listeners.push(listener),
      destroy: () => {
        closed.push(name);
        for (const listener of listeners.splice(0)) listener();
      },
    };
    strangers.add(connection);
    return connection;
  });
}

it("an address has its share and no more while its connections are new", () => {
  come("a", PER_ADDRESS_MAX + 1);
  expect(closed).toEqual(["a 5"]);
});

it("an address whose connections are idle gets the place of its own oldest one", async () => {
  come("a", PER_ADDRESS_MAX);
  await clock.advance(SECOND_US);
  come("a");
  expect(closed).toEqual(["a 1"]);
});

it("who has begun to speak has five seconds, so that many who come at once do not end each other's handshakes", async () => {
  come("a", PER_ADDRESS_MAX, 1);
  await clock.advance(4 * SECOND_US);
  come("a");
  expect(closed).toEqual([`a ${port}`]);
  await clock.advance(SECOND_US);
  come("a");
  expect(closed.slice(1)).toEqual(["a 1"]);
});

it("a newcomer takes the place of the oldest of the address that has the most, however new that is", () => {
  come("a", PER_ADDRESS_MAX);
  come("b", 2);
  come("c");
  expect(closed).toEqual(["a 1"]);
});

it("who has as many as any other takes the place of idle ones alone", async () => {
  for (const address of ["a", "b", "c"]) come(address, 2);
  come("d", 2);
  expect(closed).toEqual(["a 1", "d 8"]);
  await clock.advance(SECOND_US);
  come("d");
  expect(closed).toEqual(["a 1", "d 8", "b 3"]);
});

it("an address from which somebody known came has its share beside that of all others", () => {
  const [known] = come("k");
  if (known !== undefined) strangers.known(known);
  for (const address of ["a", "b", "c", "d", "e", "f"]) come(address);
  come("k", PER_ADDRESS_MAX);
  expect(closed).toEqual([]);
  come("k");
  expect(closed).toEqual([`k ${port}`]);
});

it("who is expected is known before it comes, and takes nothing from others", () => {
  strangers.expect("192.0.2.7");
  come("::ffff:192.0.2.7", PER_ADDRESS_MAX);
  for (const address of ["a", "b", "c", "d", "e", "f"]) come(address);
  expect(closed).toEqual([]);
});

it("the room of one that has gone, or is known, is free again", () => {
  const [gone, known] = come("a", PER_ADDRESS_MAX);
  gone?.destroy();
  if (known !== undefined) strangers.known(known);
  known?.destroy();
  closed = [];
  come("a", 2);
  expect(closed).toEqual([]);
  come("a");
  expect(closed).toEqual([`a ${port}`]);
});
