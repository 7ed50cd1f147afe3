import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { type DeviceAccess, type DeviceDescription, inspectDevice } from "../../../src/camera/index.js";
import {
  type FrontAnswer,
  headOf,
  type Manner,
  plainly,
  SoapFront,
} from "../../support/camera/soap-front.js";

const MODEL = "Kamera Süd 门口";
const fronts: SoapFront[] = [];
afterEach(async () => {
  for (const front of fronts.splice(0)) await front.stop();
});

async function frontOf(manner: Manner, model = MODEL): Promise<SoapFront> {
  const front = await SoapFront.start({ manner, camera: { auth: "none", model } });
  fronts.push(front);
  return front;
}

async function inspected(manner: Manner, more: Partial<DeviceAccess> = {}): Promise<DeviceDescription> {
  const front = await frontOf(manner);
  return await inspectDevice({
    ...{ address: front.address, login: "admin", password: "Secret#1", clock: new SystemClock() },
    ...more,
  });
}

const chunk = (bytes: Buffer, more = ""): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}${more}\r\n`), bytes, Buffer.from("\r\n")]);

function whole(answer: FrontAnswer, socket: Socket, lines: readonly string[], body = answer.body): void {
  socket.write(Buffer.concat([headOf(answer, lines), body]));
}

/** In characters, as some count where they should count bytes. */
const characters = (answer: FrontAnswer): number => answer.body.toString("utf8").length;

const MANNERS: readonly (readonly [string, Manner])[] = [
  ["as any server", plainly],
  [
    "HTTP 1.0 without a length, and hangs up",
    (answer, socket) => void socket.end(Buffer.concat([headOf(answer, [], "HTTP/1.0"), answer.body])),
  ],
  [
    "without a length, and goes on holding the connection",
    (answer, socket) => whole(answer, socket, ["Connection: keep-alive"]),
  ],
  [
    "with a length that counts characters",
    (answer, socket) => whole(answer, socket, [`Content-Length: ${characters(answer)}`, "Connection: close"]),
  ],
  [
    "with a length that counts characters, on a connection that stays",
    (answer, socket) =>
      whole(answer, socket, [`Content-Length: ${characters(answer)}`, "Connection: keep-alive"]),
  ],
  [
    "with a length that is too great, and hangs up",
    (answer, socket) => {
      whole(answer, socket, [`Content-Length: ${answer.body.length + 100}`]);
      socket.end();
    },
  ],
  [
    "with a length that is too great, and waits",
    (answer, socket) => whole(answer, socket, [`Content-Length: ${answer.body.length + 100}`]),
  ],
  [
    "with a length of 0",
    (answer, socket) => {
      whole(answer, socket, ["Content-Length: 0"]);
      socket.end();
    },
  ],
  [
    "with two lengths",
    (answer, socket) =>
      whole(answer, socket, [
        `Content-Length: ${answer.body.length}`,
        `Content-Length: ${answer.body.length}`,
      ]),
  ],
  [
    "with chunks and a length",
    (answer, socket) =>
      whole(
        answer,
        socket,
        [`Content-Length: ${answer.body.length}`, "Transfer-Encoding: chunked"],
        Buffer.concat([chunk(answer.body), Buffer.from("0\r\n\r\n")]),
      ),
  ],
  [
    "with chunks of any size, extensions and trailers",
    async (answer, socket) => {
      socket.write(headOf(answer, ["Transfer-Encoding: Chunked", "Trailer: X-Sum"]));
      for (let at = 0; at < answer.body.length; at += 333) {
        socket.write(chunk(answer.body.subarray(at, at + 333), ";a=b"));
        if (at % 999 === 0) await pause(1);
      }
      socket.write("0\r\nX-Sum: 1\r\n\r\n");
    },
  ],
  [
    "with chunks, and hangs up instead of the last one",
    (answer, socket) => {
      socket.write(headOf(answer, ["Transfer-Encoding: chunked"]));
      socket.end(chunk(answer.body));
    },
  ],
  [
    "with chunks, and never sends the last one",
    (answer, socket) => {
      socket.write(headOf(answer, ["Transfer-Encoding: chunked"]));
      socket.write(chunk(answer.body));
    },
  ],
  [
    "with lines that end with LF alone",
    (answer, socket) => {
      const head = headOf(answer, [`Content-Length: ${answer.body.length}`]).toString("latin1");
      socket.write(Buffer.concat([Buffer.from(head.replaceAll("\r\n", "\n"), "latin1"), answer.body]));
    },
  ],
  [
    "behind 100 Continue",
    (answer, socket) => {
      socket.write("HTTP/1.1 100 Continue\r\n\r\n");
      plainly(answer, socket);
    },
  ],
  [
    "with blanks, a folded line and a line without a colon in its head",
    (answer, socket) =>
      whole(answer, socket, [
        `Content-Length:   ${answer.body.length}  `,
        "Server : gSOAP/2.8",
        "X-Long: one",
        " two",
      ]),
  ],
  [
    "as multipart with one part",
    (answer, socket) => {
      const body = Buffer.concat([
        Buffer.from("--b\r\nContent-Type: application/xop+xml\r\n\r\n"),
        answer.body,
        Buffer.from("\r\n--b--\r\n"),
      ]);
      const type = 'multipart/related; type="application/xop+xml"; boundary="b"';
      whole({ ...answer, type }, socket, [`Content-Length: ${body.length}`], body);
    },
  ],
  [
    "with another document behind it",
    (answer, socket) => {
      const body = Buffer.concat([answer.body, Buffer.from("\r\n<html><body>OK</body></html>")]);
      whole(answer, socket, [`Content-Length: ${body.length}`], body);
    },
  ],
  [
    "with the rest of an older, longer answer behind it",
    (answer, socket) => {
      const body = Buffer.concat([answer.body, answer.body.subarray(-60)]);
      whole(answer, socket, [`Content-Length: ${body.length}`], body);
    },
  ],
  [
    "with a blank and another status for each good answer",
    (answer, socket) => plainly({ ...answer, status: answer.status === 200 ? 202 : answer.status }, socket),
  ],
  [
    "with status 500 for each good answer",
    (answer, socket) => plainly({ ...answer, status: answer.status === 200 ? 500 : answer.status }, socket),
  ],
  ["with status 200 for each fault", (answer, socket) => plainly({ ...answer, status: 200 }, socket)],
  [
    "deep in blanks and comments",
    (answer, socket) => {
      const text = answer.body.toString("utf8").replace(/></g, ">\r\n\t <!-- - -->\r\n<");
      plainly({ ...answer, body: Buffer.from(text) }, socket);
    },
  ],
  [
    "compressed by nobody's wish",
    async (answer, socket) => {
      const { gzipSync } = await import("node:zlib");
      const body = gzipSync(answer.body);
      whole(answer, socket, [`Content-Length: ${body.length}`, "Content-Encoding: gzip"], body);
    },
  ],
  [
    "hanging up every second connection without a word",
    (() => {
      let count = 0;
      return (answer: FrontAnswer, socket: Socket) => {
        count += 1;
        if (count % 2 === 0)
          socket.end(Buffer.concat([headOf(answer, [`Content-Length: ${answer.body.length}`]), answer.body]));
        else plainly(answer, socket);
      };
    })(),
  ],
  [
    "a byte at a time, head and all",
    async (answer, socket) => {
      const bytes = Buffer.concat([headOf(answer, [`Content-Length: ${answer.body.length}`]), answer.body]);
      for (let at = 0; at < bytes.length; at += 97) {
        socket.write(bytes.subarray(at, at + 97));
        await pause(1);
      }
    },
  ],
];

describe("a device is described that answers", () => {
  it.each(MANNERS)("%s", async (_, manner) => {
    const device = await inspected(manner);
    expect([device.model, device.profiles.length]).toEqual([MODEL, 2]);
  });
});
