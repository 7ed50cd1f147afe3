import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MultipartParser, type VideoPart } from "../support/http/multipart-reader.js";

const HEAD = "--myboundary\r\nContent-Type: video, h264, I-frame\r\nTimestamp: 02.01.2024 03:04:05.678\r\n";

function answerOf(bodies: readonly Uint8Array[]): Buffer {
  const parts = bodies.map((body) =>
    Buffer.concat([Buffer.from(`${HEAD}Content-Length: ${body.length}\r\n\r\n`), body, Buffer.from("\r\n")]),
  );
  return Buffer.concat([...parts, Buffer.from("--myboundary\r\n")]);
}

function parse(bytes: Buffer, cuts: readonly number[] = []): VideoPart[] {
  const parser = new MultipartParser();
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const parts = edges.flatMap((edge, at) =>
    at === 0 ? [] : parser.push(bytes.subarray(edges[at - 1], edge)),
  );
  expect(parser.atBoundary).toBe(true);
  return parts;
}

describe("the reader of /video answers", () => {
  it("takes type, time and body of a part", () => {
    const [part] = parse(answerOf([Buffer.from("abc")]));
    expect(part).toMatchObject({
      contentType: "video, h264, I-frame",
      timestampMs: Date.UTC(2024, 0, 2, 3, 4, 5, 678),
    });
    expect(part?.body.toString()).toBe("abc");
  });

  it("gives the same parts however the answer is cut into chunks", () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(), { maxLength: 20 }), (list, cuts) => {
        const parts = parse(answerOf(list), cuts);
        expect(parts.map((part) => [...part.body])).toEqual(list.map((body) => [...body]));
      }),
    );
  });

  it.each([
    ["text before the first boundary", `x${HEAD}Content-Length: 0\r\n\r\n\r\n`],
    [
      "a header before Content-Type",
      "--myboundary\r\nX: y\r\nContent-Type: a\r\nTimestamp: 02.01.2024 03:04:05.678\r\nContent-Length: 0\r\n\r\n",
    ],
    [
      "Content-Length that is not last",
      "--myboundary\r\nContent-Type: a\r\nContent-Length: 0\r\nTimestamp: 02.01.2024 03:04:05.678\r\n\r\n",
    ],
    ["a body longer than its length", `${HEAD}Content-Length: 1\r\n\r\nab\r\n`],
    ["two line ends after a body", `${HEAD}Content-Length: 1\r\n\r\na\r\n\r\n--myboundary\r\n`],
    ["an endless header", `${HEAD}${"x".repeat(2000)}`],
  ])("refuses %s", (_, text) => {
    expect(() => new MultipartParser().push(Buffer.from(text, "latin1"))).toThrow();
  });
});
