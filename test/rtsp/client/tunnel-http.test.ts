import { describe, expect, test } from "vitest";
import {
  ChunkRemover,
  HttpHeadReader,
  writeTunnelRequest,
} from "../../../src/rtsp/client/socket/tunnel-http.js";
import { SeededRandom } from "../../support/base/seeded-random.js";

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

/** Pieces of `bytes` as a network might deliver them. */
function slices(bytes: Buffer, random: SeededRandom): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + random.between(1, 40));
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}

function randomBytes(length: number, random: SeededRandom): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

describe("chunks", () => {
  test("are taken out, wherever the network cuts them", () => {
    for (const seed of SEEDS) {
      const random = new SeededRandom(seed);
      const contents = randomBytes(random.between(1, 500), random);
      const framed: Buffer[] = [];
      for (let at = 0; at < contents.length; ) {
        const piece = contents.subarray(at, at + random.between(1, 60));
        const extension = random.chance(0.3) ? ";name=value" : "";
        framed.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece, Buffer.from("\r\n"));
        at += piece.length;
      }
      const remover = new ChunkRemover();
      const kept = slices(Buffer.concat(framed), random).map((piece) =>
        piece.subarray(0, remover.remove(piece)),
      );
      expect(Buffer.concat(kept)).toEqual(contents);
      expect(remover.isOver).toBe(false);
    }
  });

  test.each([
    ["line breaks before the first", "\r\n\r\n5\r\nhello\r\n", "hello"],
    ["line breaks alone, and what is no chunk behind them", "\r\n$hello", "\r\n$hello"],
  ])("may have %s", (_what, text, contents) => {
    const bytes = Buffer.from(text);
    const remover = new ChunkRemover();
    expect(bytes.subarray(0, remover.remove(bytes)).toString()).toBe(contents);
    expect(remover.isOver).toBe(false);
  });

  test.each([
    ["the last one", "5\r\nhello\r\n0\r\n\r\n", "hello"],
    ["a line that is none", "5\r\nhello\r\nxyz\r\nmore", "hello"],
    ["a line without an end", `5\r\nhello\r\n${"1".repeat(300)}`, "hello"],
  ])("end with %s", (_what, text, contents) => {
    const bytes = Buffer.from(text);
    const remover = new ChunkRemover();
    expect(bytes.subarray(0, remover.remove(bytes)).toString()).toBe(contents);
    expect(remover.isOver).toBe(true);
  });
});

describe("a head", () => {
  test("is read whole, wherever the network cuts it, and nothing of the body is lost", () => {
    for (const seed of SEEDS) {
      const random = new SeededRandom(seed);
      const body = randomBytes(30, random);
      const interim = random.chance(0.5) ? "HTTP/1.1 100 Continue\r\n\r\n" : "";
      const text = `${interim}HTTP/1.0 200 OK\r\nServer: x\r\nX:  y \r\n\r\n`;
      const reader = new HttpHeadReader();
      const rest: Buffer[] = [];
      let status = 0;
      for (const piece of slices(Buffer.concat([Buffer.from(text), body]), random)) {
        if (status > 0) {
          rest.push(piece);
          continue;
        }
        const taken = reader.take(piece);
        if (taken === undefined || taken === "not-http") continue;
        status = taken.head.status;
        expect(taken.head.headers.get("x")).toEqual(["y"]);
        rest.push(taken.body);
      }
      expect(status).toBe(200);
      expect(Buffer.concat(rest)).toEqual(body);
    }
  });

  test("of bytes that are not HTTP is known by them, or by its length", () => {
    expect(new HttpHeadReader().take(Buffer.from("SSH-2"))).toBe("not-http");
    expect(new HttpHeadReader().take(Buffer.from("HT"))).toBeUndefined();
    const reader = new HttpHeadReader();
    let taken = reader.take(Buffer.from("HTTP/1.1 200 OK\r\n"));
    for (let line = 0; line < 1000 && taken === undefined; line += 1)
      taken = reader.take(Buffer.from("X: some header of a camera\r\n"));
    expect(taken).toBe("not-http");
  });

  test("of interim answers alone does not go on for ever", () => {
    const reader = new HttpHeadReader();
    expect(reader.take(Buffer.from("HTTP/1.1 102 Processing\r\n\r\n".repeat(20)))).toBe("not-http");
  });
});

test("a value with a line break makes no request", () => {
  const request = { method: "GET", target: "/a", place: "h", cookie: "c", userAgent: "nvrd" } as const;
  expect(() => writeTunnelRequest({ ...request, authorization: 'Digest realm="a\rX: y"' })).toThrow(
    RangeError,
  );
  expect(writeTunnelRequest({ ...request, authorization: undefined }).toString()).toMatch(
    /^GET \/a HTTP\/1.1\r\n/,
  );
});
