import { execFileSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { HttpServer } from "../../src/http/http-server.js";
import {
  HANDSHAKE_MS,
  STRANGERS_OVER_TLS_MAX,
  StrangerHandshakes,
} from "../../src/http/stranger-handshakes.js";
import { until } from "../support/api/api-harness.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const KNOWN = "127.0.0.200";

interface Opened {
  readonly socket: Socket;
  closed: boolean;
}

let directory: TemporaryDirectory;
let server: HttpServer;
let port: number;
let opened: Opened[];
let spent: [address: string, ms: number][];
let dropped: string | undefined;

beforeEach(() => {
  directory = new TemporaryDirectory("stranger-handshakes");
  opened = [];
  spent = [];
  dropped = undefined;
  const tls = { keyFile: directory.join("key.pem"), certificateFile: directory.join("certificate.pem") };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=nvr"];
  const files = ["-keyout", tls.keyFile, "-out", tls.certificateFile];
  execFileSync("openssl", ["req", "-x509", ...key, ...files], { stdio: "pipe" });
  server = new HttpServer({
    handler: (_request, response) =>
      response.send({ status: 200, headers: [], body: Buffer.from("an answer") }),
    clock: new SystemClock(),
    log: createLog({ level: "silent" }),
    knowsAddress: (address) => address === KNOWN,
    spent: (address, ms) => spent.push([address, ms]),
    drops: (address) => address === dropped,
    tls,
  });
  port = server.listen("127.0.0.1", 0);
});
afterEach(async () => {
  for (const { socket } of opened) socket.destroy();
  await server.stop();
  directory.remove();
});

async function open(localAddress: string): Promise<Opened> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  const state: Opened = { socket, closed: false };
  opened.push(state);
  socket.on("close", () => {
    state.closed = true;
  });
  socket.on("error", () => undefined);
  socket.resume();
  await new Promise((resolve) => socket.once("connect", resolve));
  return state;
}

/** What is answered after a handshake; empty: it was refused. */
async function answerTo(localAddress: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  opened.push({ socket, closed: false });
  socket.on("error", () => undefined);
  const secure = connectTls({ socket, rejectUnauthorized: false });
  secure.on("error", () => undefined);
  secure.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  let text = "";
  secure.on("data", (bytes) => {
    text += bytes.toString();
  });
  await new Promise((resolve) => secure.once("close", resolve));
  return text;
}

/** Connections of strangers on which no handshake has begun, one of each address. */
async function fill(): Promise<Opened[]> {
  const strangers: Opened[] = [];
  for (let host = 1; host <= STRANGERS_OVER_TLS_MAX; host += 1) {
    strangers.push(await open(`127.0.1.${host}`));
    await until("it is open", () => server.connections === host);
  }
  return strangers;
}

describe("strangers at a port for HTTPS", () => {
  it("have few connections at once: for a newcomer one goes that asks for nothing", async () => {
    const strangers = await fill();
    expect(strangers.some(({ closed }) => closed)).toBe(false);
    // It may have to try again, until the kernel has said who is there.
    let answer = "";
    while (answer === "") answer = await answerTo("127.0.2.1");
    expect(answer).toContain("an answer");
    await until("one has gone", () => strangers.some(({ closed }) => closed));
    // One each time that it tries. Of those that the kernel showed at once for the first time, nobody knows the oldest.
    expect(strangers.filter(({ closed }) => closed).length).toBeLessThan(STRANGERS_OVER_TLS_MAX / 2);
  });

  it("never have more, however many they open", async () => {
    await fill();
    for (let host = 1; host <= 2 * STRANGERS_OVER_TLS_MAX; host += 1) await open(`127.0.2.${host}`);
    const left = (): number => opened.filter(({ closed }) => !closed).length;
    await until("what is too much is closed", () => left() <= STRANGERS_OVER_TLS_MAX);
    expect(server.connections).toBeLessThanOrEqual(STRANGERS_OVER_TLS_MAX);
  });

  it("do not keep out who has logged in, who is not counted", async () => {
    await fill();
    const users = [];
    for (let at = 0; at < 8; at += 1) users.push(await open(KNOWN));
    expect(await answerTo(KNOWN)).toContain("an answer");
    expect(users.some(({ closed }) => closed)).toBe(false);
    expect(spent.some(([address]) => address === KNOWN)).toBe(false);
  });

  it("pay for a handshake before they ask for anything", async () => {
    const one = await open("127.0.1.1");
    await until("it is open", () => server.connections === 1);
    expect(spent).toEqual([["127.0.1.1", HANDSHAKE_MS]]);
    expect(one.closed).toBe(false);
  });

  it("get none while they are in debt", async () => {
    dropped = "127.0.1.1";
    expect(await answerTo("127.0.1.1")).toBe("");
    expect(await answerTo("127.0.1.2")).toContain("an answer");
    expect(spent.map(([address]) => address)).toEqual(expect.not.arrayContaining(["127.0.1.1"]));
  });
});

describe("the count of strangers' connections", () => {
  const counts = (...of: [string, number][]) => new Map<string, number>(of);

  it("is that of the kernel and of those that came since, until it is read again", () => {
    let read = counts(["a", STRANGERS_OVER_TLS_MAX - 2], [KNOWN, 50]);
    const kernel = { begun: 0 };
    const handshakes = new StrangerHandshakes({
      ...{ counter: { counts: () => read }, kernel },
      isStranger: (address) => address !== KNOWN,
    });
    expect(handshakes.isFull()).toBe(false);
    handshakes.add();
    expect(handshakes.isFull()).toBe(false);
    handshakes.add();
    expect(handshakes.isFull()).toBe(true);
    handshakes.remove();
    expect(handshakes.isFull()).toBe(false);
    kernel.begun = 1;
    expect(handshakes.isFull()).toBe(false);
    // It comes while the tables are read, which may have it or not.
    handshakes.add();
    expect(handshakes.isFull()).toBe(true);
    read = counts(["a", 1], ["b", STRANGERS_OVER_TLS_MAX - 3]);
    expect(handshakes.isFull()).toBe(false);
    handshakes.add();
    expect(handshakes.isFull()).toBe(true);
  });
});
