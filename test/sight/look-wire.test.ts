import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ANSWER_BYTES_MAX,
  AnswerReader,
  answerBytes,
  BOXES_MAX,
  type DetectedBox,
  LOOK_SIDE,
  lookHead,
  readLookHead,
} from "../../src/sight/detector/look-wire.js";

const CAR: DetectedBox = { label: "car", score: 0.5, left: 0.25, top: 0.5, width: 0.25, height: 0.125 };

function piecesOf(bytes: Buffer, length: number): readonly Buffer[] {
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * length, (at + 1) * length));
}

describe("an answer of the detector", () => {
  it("is what was said, however it is cut into pieces", () => {
    const answers = [
      { number: 1, tookMs: 12.3, boxes: [CAR, { ...CAR, label: "dog" as const }] },
      { number: 2, tookMs: 0, boxes: [] },
    ];
    const bytes = Buffer.concat(answers.map(answerBytes));
    for (const length of [1, 7, 10, 22, 34, bytes.length]) {
      const reader = new AnswerReader();
      const read = piecesOf(bytes, length).flatMap((piece) => reader.take(piece));
      expect(read.map(({ number, tookMs }) => [number, tookMs])).toEqual([
        [1, 12.3],
        [2, 0],
      ]);
      expect(read[0]?.boxes.map(({ label }) => label)).toEqual(["car", "dog"]);
      expect(read[0]?.boxes[0]?.width).toBeCloseTo(0.25, 4);
    }
  });

  it("has a bounded number of boxes, the first", () => {
    const boxes = Array.from({ length: BOXES_MAX + 5 }, () => CAR);
    const bytes = answerBytes({ number: 1, tookMs: 1, boxes });
    expect(bytes).toHaveLength(ANSWER_BYTES_MAX);
    expect(new AnswerReader().take(bytes)[0]?.boxes).toHaveLength(BOXES_MAX);
  });

  it("lies within the picture, whatever the bytes say, or is refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const reader = new AnswerReader();
        try {
          for (const { boxes } of reader.take(Buffer.from(bytes)))
            for (const { left, top, width, height, score } of boxes) {
              expect(Math.min(left, top, score)).toBeGreaterThanOrEqual(0);
              expect(Math.min(width, height)).toBeGreaterThan(0);
              expect(Math.max(left + width, top + height, score)).toBeLessThanOrEqual(1 + 1e-9);
            }
        } catch (error) {
          expect(`${error}`).toMatch(/^Error: an answer with/);
        }
      }),
    );
  });
});

describe("the head of a look", () => {
  it("is what was written", () => {
    const head = { number: 7, width: LOOK_SIDE, height: 200 };
    expect(readLookHead(lookHead(head))).toEqual(head);
  });

  it.each([
    { number: 0, width: 10, height: 10 },
    { number: 1, width: 0, height: 10 },
    { number: 1, width: LOOK_SIDE + 1, height: 10 },
  ])("%o is none", (head) => {
    expect(readLookHead(lookHead(head))).toBeUndefined();
  });
});
