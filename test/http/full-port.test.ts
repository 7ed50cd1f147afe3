import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { peersOf } from "../../src/http/connection-rows.js";
import { HttpServer } from "../../src/http/http-server.js";
import { IdleConnections, type OpenDescriptors } from "../../src/http/idle-connections.js";
import { until } from "../support/api/api-harness.js";
import { ManualClock } from "../support/base/manual-clock.js";

const CONNECTIONS_MAX = 16;
/** 7 of 8 of them. */
const STRANGERS_MAX = 14;
const KNOWN = "127.0.0.200";

interface Opened {
  readonly socket: Socket;
  closed: boolean;
  text: string;
}

let server: HttpServer;
let port: number;
let opened: Opened[];

beforeEach(() => {
  opened = [];
  server = new HttpServer({
    handler: (request, response) => {
      if (request.path !== "/slow")
        response.send({ status: 200, headers: [], body: Buffer.from("an answer") });
      else return new Promise<void>((resolve) => response.onClose(resolve));
    },
    clock: new SystemClock(),
    log: createLog({ level: "silent" }),
    connectionsMax: CONNECTIONS_MAX,
    connectionsPerAddressMax: 4,
    knowsAddress: (address) => address === KNOWN,
  });
  port = server.listen("127.0.0.1", 0);
});
afterEach(async () => {
  for (const { socket } of opened) socket.destroy();
  await server.stop();
});

async function open(localAddress: string): Promise<Opened> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  const state: Opened = { socket, closed: false, text: "" };
  opened.push(state);
  socket.on("close", () => {
    state.closed = true;
  });
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    state.text += bytes.toString();
  });
  await new Promise((resolve) => socket.once("connect", resolve));
  return state;
}

const ask = ({ socket }: Opened, path = "/"): void => {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
};

/**
 * Idle connections of strangers, one of each address, in order. The server ends those that are idle for 10 s: on a machine that
 * stood still for so long they are opened anew.
 */
async function fill(): Promise<Opened[]> {
  const strangers: Opened[] = [];
  while (strangers.length < STRANGERS_MAX) {
    strangers.push(await open(`127.0.0.${strangers.length + 2}`));
    const hasEnded = () => strangers.some(({ closed }) => closed);
    await until("it is open", () => server.connections === strangers.length || hasEnded());
    if (!hasEnded()) continue;
    for (const { socket } of strangers.splice(0)) socket.destroy();
    await until("all are closed", () => server.connections === 0);
  }
  return strangers;
}

describe("a port that strangers have filled", () => {
  it("takes another one, and the oldest that asks for nothing goes", async () => {
    const strangers = await fill();
    const newcomer = await open("127.0.0.100");
    ask(newcomer);
    await until("the newcomer is answered", () => newcomer.text.includes("an answer"));
    await until("one has gone", () => strangers.some(({ closed }) => closed));
    expect(strangers.map(({ closed }) => closed)).toEqual(strangers.map((_, index) => index === 0));
  });

  it("keeps connections with a request under way", async () => {
    const strangers = await fill();
    for (const stranger of strangers.slice(0, 3)) ask(stranger, "/slow");
    const probe = strangers[3];
    if (probe !== undefined) ask(probe);
    await until("the requests are there", () => probe?.text.includes("an answer") === true);
    const newcomer = await open("127.0.0.100");
    ask(newcomer);
    await until("the newcomer is answered", () => newcomer.text.includes("an answer"));
    await until("one has gone", () => strangers.some(({ closed }) => closed));
    expect(strangers.slice(0, 3).some(({ closed }) => closed)).toBe(false);
  });

  it("has places left for an address that somebody has logged in from", async () => {
    const strangers = await fill();
    for (const stranger of strangers) ask(stranger, "/slow");
    const user = await open(KNOWN);
    ask(user);
    await until("the user is answered", () => user.text.includes("an answer"));
    const another = await open("127.0.0.100");
    await until("a stranger finds no place", () => another.closed);
    expect(user.closed).toBe(false);
  });

  it("never ends connections of an address that somebody has logged in from", async () => {
    const users = [await open(KNOWN), await open(KNOWN)];
    for (let host = 1; host <= 3 * CONNECTIONS_MAX; host += 1) {
      const newcomer = await open(`127.0.1.${host}`);
      // What is idle for long is closed in any case.
      for (const one of [newcomer, ...users]) ask(one);
      await until("it is answered or closed", () => newcomer.closed || newcomer.text !== "");
    }
    expect(users.map(({ closed }) => closed)).toEqual([false, false]);
  });
});

describe("the oldest connection that may go", () => {
  const row = (peer: string, inode: number): string =>
    `   1: 0100007F:1F90 ${peer}:D431 01 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1`;

  it("is not ended where its descriptor is another file's by now", () => {
    const ended: number[] = [];
    const reading = { peers: peersOf([row("0201A8C0", 77), row("0301A8C0", 78)].join("\n"), 8080) };
    const own: OpenDescriptors = {
      descriptors: () =>
        new Map([
          [20, "socket:[77]"],
          [21, "socket:[78]"],
        ]),
      opened: (descriptor) => (descriptor === 20 ? "/var/lib/nvrd/segment" : "socket:[78]"),
      end: (descriptor) => {
        ended.push(descriptor);
        return true;
      },
    };
    const idle = new IdleConnections({
      ...{ clock: new ManualClock(), log: createLog({ level: "silent" }), own, kernel: { reading } },
    });
    expect(idle.endOldest(() => true)).toBe(true);
    expect(ended).toEqual([21]);
    expect(idle.endOldest(() => true)).toBe(false);
  });
});
