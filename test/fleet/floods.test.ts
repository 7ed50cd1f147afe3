// Own process: it measures the memory of its process.
import { once } from "node:events";
import type { Socket } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { readCode } from "../../src/fleet/join/code.js";
import { joinHub } from "../../src/fleet/join/enrolment-client.js";
import { forEachTest } from "../support/base/for-tests.js";
import { FleetBench } from "../support/fleet/fleet-bench.js";
import { again, FLAG, FRAME, frame, literal, PREFACE, requestBlock } from "../support/fleet/raw-http2.js";

const bench = forEachTest(() => FleetBench.start());

/** So much is sent, unless the connection ends before. */
const FLOOD_BYTES = 4 * 1024 * 1024;
const UNTAKEN_BYTES_MAX = 1024 * 1024;
/** Who has not taken it after so many turns of the loop, which is its own too, takes nothing. */
const TURNS_MAX = 2000;
const GROWTH_BYTES_MAX = 16 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function usedBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Makes the next piece of a flood. */
type Flood = (round: number) => Buffer;

const together = (count: number, made: (at: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => made(at)));

/** Frames that either side may get. */
const BOTH: readonly (readonly [string, () => Flood])[] = [
  [
    "settings",
    () => () => together(500, () => frame(FRAME.settings, { payload: Buffer.from("000400010000", "hex") })),
  ],
  ["pings", () => () => together(500, () => frame(FRAME.ping, { payload: Buffer.alloc(8, 1) }))],
  [
    "empty data of a stream that there is not",
    () => () => together(500, () => frame(FRAME.data, { stream: 9 })),
  ],
  [
    "windows that are opened beyond all bounds",
    () => () => together(500, () => frame(FRAME.window, { payload: Buffer.from("7fffffff", "hex") })),
  ],
  [
    "a frame that is longer than may be",
    () => () => frame(FRAME.data, { stream: 1, payload: Buffer.alloc(1_000_000) }),
  ],
  ["bytes that are no frames", () => () => Buffer.alloc(65_536, 0xff)],
];

/** Sends it until the connection ends, the other side takes nothing more, or so much was sent; the most that was held meanwhile. */
async function flooded(socket: TLSSocket, flood: Flood): Promise<number> {
  const before = usedBytes();
  let most = 0;
  let sent = 0;
  for (let round = 0; sent < FLOOD_BYTES && !socket.destroyed; round += 1) {
    const piece = flood(round);
    sent += piece.length;
    socket.write(piece);
    for (
      let turn = 0;
      turn === 0 || (socket.writableLength > UNTAKEN_BYTES_MAX && turn < TURNS_MAX);
      turn += 1
    )
      await new Promise((resolve) => setImmediate(resolve));
    // The other side takes nothing more.
    if (socket.writableLength > UNTAKEN_BYTES_MAX) break;
    if (round % 64 === 0) most = Math.max(most, usedBytes() - before);
  }
  return Math.max(most, usedBytes() - before);
}

describe("a recorder whose hub floods it", () => {
  const block = requestBlock("/fleet/about");
  const request = (at: number, payload = block, flags: number = FLAG.endHeaders | FLAG.endStream) =>
    frame(FRAME.headers, { flags, stream: 2 * at + 1, payload });

  it.each<readonly [string, () => Flood]>([
    ...BOTH,
    [
      "headers that never end",
      () => (round) =>
        round === 0
          ? request(0, block, 0)
          : together(20, () =>
              frame(FRAME.continuation, { stream: 1, payload: literal("x", "y".repeat(1000)) }),
            ),
    ],
    [
      "empty parts of headers that never end",
      () => (round) =>
        round === 0 ? request(0, block, 0) : together(500, () => frame(FRAME.continuation, { stream: 1 })),
    ],
    [
      "requests that are taken back at once",
      () => (round) =>
        together(200, (at) => {
          const stream = 2 * (round * 200 + at) + 1;
          return Buffer.concat([
            request(round * 200 + at),
            frame(FRAME.reset, { stream, payload: Buffer.from("00000008", "hex") }),
          ]);
        }),
    ],
    [
      "headers that become large by being named again",
      () => (round) =>
        request(
          round,
          Buffer.concat([
            block,
            ...(round === 0 ? [literal("x", "y".repeat(3900), true)] : []),
            again(15_000),
          ]),
        ),
    ],
    [
      "requests whose answers it does not read",
      () => (round) => together(100, (at) => request(round * 100 + at)),
    ],
  ])("with %s stays within its bounds, and comes to its hub again", async (_, made) => {
    const box = await bench.joined();
    const { port } = bench.hub;
    await bench.hub.stop();
    const server = createServer({
      ...{ key: bench.pem("hub-key"), cert: bench.pem("hub"), ALPNProtocols: ["h2"] },
    });
    const all = new Set<Socket>();
    server.on("connection", (each: Socket) => void all.add(each));
    server.on("secureConnection", (each: TLSSocket) => each.on("error", () => each.destroy()));
    server.on("tlsClientError", (_error, each) => each.destroy());
    const come = once(server, "secureConnection") as Promise<[TLSSocket]>;
    server.listen(port, "127.0.0.1");
    const [socket] = await come;
    socket.on("error", () => socket.destroy());
    socket.write(Buffer.concat([PREFACE, frame(FRAME.settings)]));
    socket.resume();

    const most = await flooded(socket, made());

    expect(most).toBeLessThan(GROWTH_BYTES_MAX);
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    for (const each of all) each.destroy();
    await closed;
    bench.hub = bench.newHub(port);
    await bench.hub.start();
    await bench.connected(box);
    expect(await bench.ask(box)).toMatchObject({ status: 200 });
  });
});

describe("a hub that a recorder floods", () => {
  const answer = (at: number, payload: Buffer, flags: number = FLAG.endHeaders) =>
    frame(FRAME.headers, { flags, stream: 2 * at + 1, payload });
  const ok = literal(":status", "200");

  it.each<readonly [string, () => Flood]>([
    ...BOTH,
    [
      "headers that never end",
      () => (round) =>
        round === 0
          ? answer(0, ok, 0)
          : together(20, () =>
              frame(FRAME.continuation, { stream: 1, payload: literal("x", "y".repeat(1000)) }),
            ),
    ],
    [
      "headers that become large by being named again",
      () => () => answer(0, Buffer.concat([ok, literal("x", "y".repeat(3900), true), again(12_000)])),
    ],
    [
      "answers that nobody has asked for",
      () => () =>
        together(300, () =>
          frame(FRAME.push, {
            flags: FLAG.endHeaders,
            stream: 1,
            payload: Buffer.concat([Buffer.of(0, 0, 0, 2), requestBlock("/x")]),
          }),
        ),
    ],
    [
      "an answer without an end to its first question",
      () => (round) =>
        round === 0
          ? answer(0, ok)
          : together(60, () => frame(FRAME.data, { stream: 1, payload: Buffer.alloc(1000, 0x20) })),
    ],
    [
      "resets of what it was asked",
      () => () =>
        together(500, () => frame(FRAME.reset, { stream: 1, payload: Buffer.from("00000002", "hex") })),
    ],
  ])("with %s stays within its bounds, and reaches the others", async (_, made) => {
    const other = await bench.joined();
    const read = readCode("hub", bench.hub.makeCode().code);
    if (read === undefined) throw new Error("no code");
    const id = "00000001-0000-4000-8000-0000000000c7";
    const { hub, own } = await joinHub(read, { id, name: "Odd", clock: bench.clock });
    const socket = connect({
      ...{ host: hub.host, port: hub.port, ca: hub.authority, cert: own.certificate, key: own.key },
      ...{ servername: "hub.nvrd.internal", minVersion: "TLSv1.3", ALPNProtocols: ["h2"] },
    });
    socket.on("error", () => socket.destroy());
    await once(socket, "secureConnect");
    socket.write(frame(FRAME.settings));
    // The hub's first question.
    await once(socket, "data");
    socket.resume();

    const most = await flooded(socket, made());

    expect(most).toBeLessThan(GROWTH_BYTES_MAX);
    expect(await bench.ask(other)).toMatchObject({ status: 200 });
    socket.destroy();
  });
});
