import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { RtspServer } from "../../../src/rtsp/server/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { HandSource, handSlice } from "../../support/rtsp/hand-source.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";

const source = new HandSource();
const server = new RtspServer({
  listen: "127.0.0.1",
  port: 0,
  mounts: new Map([["/hand", source]]),
  clock: new SimulatedClock(),
  log: createLog({ level: "silent" }),
});
let port = 0;

beforeAll(async () => {
  ({ port } = await server.start());
});

afterAll(() => server.stop());

const word = fc.oneof(
  fc.constantFrom("", "*", "a", "0", "-1", "99999999999", "%00", "é", "\u0001", "x".repeat(300)),
  fc.string({ maxLength: 12 }),
);
const uri = fc.oneof(
  fc.constantFrom(
    "rtsp://127.0.0.1/hand",
    "rtsp://127.0.0.1/hand/trackID=0",
    "rtsp://127.0.0.1/hand/trackID=1",
    "rtsp://127.0.0.1/hand/",
    "*",
    "/hand",
    "rtsp://u:p@h:1/hand?x=y/trackID=0",
    "rtsp://",
  ),
  word,
);
const transport = fc.oneof(
  fc.constantFrom(
    "RTP/AVP/TCP;unicast;interleaved=0-1",
    "RTP/AVP/TCP;interleaved=255-0",
    "RTP/AVP/TCP;interleaved=3-3",
    "RTP/AVP;unicast;client_port=1-2",
    ",,,;;;=",
    "RTP/AVP/TCP",
  ),
  word,
);
const request = fc
  .record({
    method: fc.oneof(
      fc.constantFrom(
        "OPTIONS",
        "DESCRIBE",
        "SETUP",
        "SETUP",
        "SETUP",
        "PLAY",
        "PLAY",
        "PAUSE",
        "GET_PARAMETER",
        "SET_PARAMETER",
        "TEARDOWN",
        "RECORD",
      ),
      word,
    ),
    uri,
    transport,
    session: fc.option(word),
    extra: fc.option(
      fc.tuple(
        fc.constantFrom("Range", "Scale", "Require", "Accept", "Authorization", "Content-Length", "CSeq"),
        word,
      ),
    ),
  })
  .map((fields) => {
    const lines = [`${fields.method} ${fields.uri} RTSP/1.0`, "CSeq: 1", `Transport: ${fields.transport}`];
    if (fields.session !== null) lines.push(`Session: ${fields.session}`);
    if (fields.extra !== null) lines.push(`${fields.extra[0]}: ${fields.extra[1]}`);
    return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  });
const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const interleaved = fc
  .uint8Array({ maxLength: 60 })
  .map((bytes) => Buffer.concat([Buffer.from([0x24, 1, 0, bytes.length]), bytes]));

it("continues after any requests, noise and vanished clients", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 8, arbitrary: request },
          { weight: 1, arbitrary: noise },
          { weight: 1, arbitrary: interleaved },
        ),
        { minLength: 1, maxLength: 12 },
      ),
      fc.boolean(),
      async (messages, vanishes) => {
        const socket = connect({ host: "127.0.0.1", port });
        socket.on("error", () => socket.destroy());
        socket.resume();
        await once(socket, "connect");
        for (const message of messages) {
          if (!socket.destroyed) socket.write(message);
          source.send({ atUs: 0, bytes: handSlice(true, 1), key: true });
        }
        if (!vanishes && !socket.destroyed) await new Promise((resolve) => setTimeout(resolve, 2));
        socket.destroy();
      },
    ),
    { numRuns: 150 },
  );
  const client = await RawRtspClient.connect(port);
  expect((await client.request("DESCRIBE", `rtsp://127.0.0.1:${port}/hand`)).status).toBe(200);
  client.close();
  while (server.connections > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(source.sinks.size).toBe(0);
});

it("distinguishes a busy port from a free one", async () => {
  const other = new RtspServer({
    listen: "127.0.0.1",
    port,
    mounts: new Map(),
    clock: new SimulatedClock(),
    log: createLog({ level: "silent" }),
  });
  await expect(other.start()).rejects.toMatchObject({ code: "EADDRINUSE" });
  await other.stop();
});
