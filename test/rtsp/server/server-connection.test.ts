import { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { createLog, RequestTurns } from "../../../src/base/index.js";
import { ServerConnection } from "../../../src/rtsp/server/server-connection.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;

/** A client's side of a socket that takes nothing while it `holds`. */
class HeldSocket extends Duplex {
  holds = false;
  sent = "";
  #taken: (() => void) | undefined;

  override _read(): void {
    // The test pushes.
  }

  override _write(bytes: Buffer, _encoding: string, taken: () => void): void {
    this.sent += bytes.toString("latin1");
    if (this.holds) this.#taken = taken;
    else taken();
  }

  release(): void {
    this.holds = false;
    this.#taken?.();
  }
}

function setUp() {
  const clock = new SimulatedClock();
  const socket = new HeldSocket();
  const reasons: string[] = [];
  let isClosed = false;
  const log = createLog({ level: "silent" });
  log.debug = ((fields: { reason?: string }, text: string) => {
    if (text === "RTSP connection closed") reasons.push(fields.reason ?? "");
  }) as typeof log.debug;
  const connection = new ServerConnection({
    ...{ socket, clock, log, peer: "192.0.2.1:5", address: "192.0.2.1", localAddress: "192.0.2.2" },
    resolve: () => Promise.reject(new Error("no mounts")),
    ...{ tracksOf: () => [], authenticator: undefined, udp: undefined, strangers: undefined },
    ...{ sessionTimeoutMs: 60_000, publicUri: (uri: string) => uri, turns: new RequestTurns(clock) },
    onClose: () => {
      isClosed = true;
    },
  });
  connection.start();
  const send = async (text: string): Promise<void> => {
    socket.push(Buffer.from(text, "latin1"));
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  const tick = (): void => connection.onTick(clock.monotonicUs());
  /** The reason of the end, looked at once the time has passed, to the microsecond, and just after it. */
  const endsAfter = (us: number): (string | undefined)[] => {
    clock.advance(us);
    tick();
    const [before] = reasons;
    clock.advance(1);
    tick();
    return [before, ...reasons];
  };
  return { clock, socket, reasons, send, tick, endsAfter, isClosed: () => isClosed, connection };
}

const OPTIONS = "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n";

it("a request that is not complete ten seconds after its first byte ends the connection", async () => {
  const { send, endsAfter, clock, isClosed } = setUp();
  await send("OPTIONS * RT");
  clock.advance(9 * SECOND_US);
  await send("SP/1.0\r\n");
  expect(endsAfter(SECOND_US)).toEqual([undefined, "a request was not completed in time"]);
  expect(isClosed()).toBe(true);
});

it("a client that sends nothing for the time of a session is disconnected, one that does is not", async () => {
  const { send, endsAfter, clock, tick, isClosed } = setUp();
  clock.advance(59 * SECOND_US);
  await send(OPTIONS);
  clock.advance(59 * SECOND_US);
  tick();
  expect(isClosed()).toBe(false);
  expect(endsAfter(SECOND_US)).toEqual([undefined, expect.stringContaining("within the session's timeout")]);
});

it("a client that takes nothing for thirty seconds is disconnected, whatever it sends", async () => {
  const { send, endsAfter, clock, socket } = setUp();
  socket.holds = true;
  await send(OPTIONS);
  clock.advance(20 * SECOND_US);
  await send(OPTIONS);
  expect(endsAfter(10 * SECOND_US)).toEqual([undefined, "the client has stopped reading"]);
});

it("a client that takes what is sent is not slow for what it took long ago", async () => {
  const { send, clock, socket, tick, isClosed } = setUp();
  await send(OPTIONS);
  clock.advance(40 * SECOND_US);
  socket.holds = true;
  await send(OPTIONS);
  clock.advance(SECOND_US);
  tick();
  expect(isClosed()).toBe(false);
  clock.advance(20 * SECOND_US);
  socket.release();
  clock.advance(20 * SECOND_US);
  tick();
  expect(isClosed()).toBe(false);
});

it("the last bytes have five seconds to be sent", async () => {
  const { send, endsAfter, socket, isClosed } = setUp();
  socket.holds = true;
  await send("no RTSP at all\r\n\r\n");
  expect(socket.sent).toMatch(/^RTSP\/1\.0 400 /);
  expect(isClosed()).toBe(false);
  expect(endsAfter(5 * SECOND_US)).toEqual([undefined, "the last bytes were not sent in time"]);
});

it("a client that sends requests and reads no response is disconnected from 256 KiB of them on", async () => {
  const { send, socket, reasons } = setUp();
  socket.holds = true;
  const lengths: number[] = [];
  const write = socket.write.bind(socket) as (bytes: Buffer, onWritten: () => void) => boolean;
  socket.write = ((bytes: Buffer, onWritten: () => void) => {
    lengths.push(bytes.length);
    return write(bytes, onWritten);
  }) as typeof socket.write;
  for (let batch = 0; batch < 2000 && reasons.length === 0; batch++) await send(OPTIONS.repeat(16));
  expect(reasons).toEqual(["the client sends requests but does not read the responses"]);
  const [length = 0] = lengths;
  expect(lengths).toHaveLength(Math.floor(262_144 / length) + 1);
});

it("responses that were read do not count", async () => {
  const { send, socket, isClosed } = setUp();
  for (let batch = 0; batch < 150; batch++) await send(OPTIONS.repeat(16));
  expect(socket.sent.length).toBeGreaterThan(262_144);
  expect(isClosed()).toBe(false);
});

it("of interleaved data without a session 4 KiB are passed over, more end the connection", async () => {
  const { send, reasons, tick } = setUp();
  const packet = (bytes: number): string =>
    `$\0${String.fromCharCode(bytes >> 8, bytes & 255)}${"x".repeat(bytes)}`;
  await send(packet(2044));
  tick();
  await send(packet(2044));
  expect(reasons).toEqual([]);
  await send(packet(0));
  expect(reasons).toEqual(["interleaved data without a session"]);
});

it("a closed connection is closed once, and answers nothing more", async () => {
  const { connection, socket, reasons, send } = setUp();
  connection.close("enough");
  connection.close("again");
  await send(OPTIONS);
  expect([reasons, socket.sent, socket.destroyed]).toEqual([["enough"], "", true]);
});
