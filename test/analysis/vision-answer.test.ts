import { describe, expect, it } from "vitest";
import { readAnswer } from "../../src/analysis/index.js";

const WHOLE = { left: 0, top: 0, width: 1, height: 1 };
const PICTURE = { width: 640, height: 360, region: WHOLE };
const BOX = { x_min: 64, y_min: 36, x_max: 320, y_max: 180 };

function answer(predictions: unknown, more: object = {}): Buffer {
  return Buffer.from(JSON.stringify({ success: true, predictions, ...more }));
}

describe("answers that can be used", () => {
  it("objects have their label, their kind and their box as parts of the picture", () => {
    const predictions = [
      { label: "dog", confidence: 0.55, ...BOX },
      { label: "Person", confidence: 0.91, ...BOX },
      { label: "truck", confidence: 0.7, ...BOX },
    ];
    const box = { left: 0.1, top: 0.1, width: 0.4, height: 0.4 };
    expect(readAnswer(answer(predictions), "objects", PICTURE)).toEqual([
      { kind: "person", label: "person", confidence: 0.91, box },
      { kind: "vehicle", label: "truck", confidence: 0.7, box },
      { kind: "object", label: "dog", confidence: 0.55, box },
    ]);
  });

  it("a box of a part of the picture becomes one of the whole", () => {
    const region = { left: 0.5, top: 0, width: 0.5, height: 0.5 };
    const [found] = readAnswer(answer([{ label: "car", confidence: 1, ...BOX }]), "objects", {
      ...PICTURE,
      region,
    });
    expect(found?.box).toEqual({ left: 0.55, top: 0.05, width: 0.2, height: 0.2 });
  });

  it("plates have their number, wherever the server writes it", () => {
    const predictions = [
      { plate: "a 123 bc77", label: "Plate: a 123 bc77", confidence: 0.9, ...BOX },
      { label: "Plate: XY-9", confidence: 0.8, ...BOX },
    ];
    const found = readAnswer(answer(predictions), "plates", PICTURE);
    expect(found.map(({ kind, number }) => [kind, number])).toEqual([
      ["plate", "A123BC77"],
      ["plate", "XY-9"],
    ]);
  });

  it("a face has a name where the server knows one", () => {
    const predictions = [
      { userid: "Idris Elba", confidence: 0.9, ...BOX },
      { userid: "unknown", confidence: 0.8, ...BOX },
      { confidence: 0.7, ...BOX },
    ];
    const found = readAnswer(answer(predictions), "faces", PICTURE);
    expect(found.map(({ person }) => person)).toEqual(["Idris Elba", undefined, undefined]);
  });

  it("corners outside the picture are taken back into it", () => {
    const corners = { x_min: -50, y_min: 300, x_max: 1e9, y_max: 400 };
    const [found] = readAnswer(answer([{ label: "car", confidence: 0.5, ...corners }]), "objects", PICTURE);
    expect(found?.box).toEqual({ left: 0, top: 300 / 360, width: 1, height: 1 - 300 / 360 });
  });
});

describe("answers of a hostile server", () => {
  it.each([
    ["nothing", ""],
    ["no JSON", "<html>"],
    ["half of JSON", '{"success": true, "predictions": ['],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "1e309"],
    ["no predictions", '{"success": true}'],
    ["predictions that are no list", '{"success": true, "predictions": {"length": 3}}'],
    ["predictions that are no objects", '{"success": true, "predictions": [1, "x", null]}'],
    ["nothing but brackets", "[".repeat(100_000)],
  ])("%s is refused in words", (_what, text) => {
    expect(() => readAnswer(Buffer.from(text), "objects", PICTURE)).toThrow(/^its /);
  });

  it("the server's own reason is told in one short line", () => {
    const refused = { success: false, error: `No\nmodule${"x".repeat(1000)}` };
    expect(() => readAnswer(Buffer.from(JSON.stringify(refused)), "plates", PICTURE)).toThrow(
      /^it could not do it: No modulex{1,200}$/,
    );
  });

  it.each([
    ["no confidence", { label: "car", ...BOX }],
    ["a confidence as a text", { label: "car", confidence: "0.9", ...BOX }],
    ["a confidence above 1", { label: "car", confidence: 90, ...BOX }],
    ["a negative confidence", { label: "car", confidence: -1, ...BOX }],
    ["no label", { confidence: 0.9, ...BOX }],
    ["a label with control characters", { label: "car\u0000\n", confidence: 0.9, ...BOX }],
    ["a long label", { label: "x".repeat(65), confidence: 0.9, ...BOX }],
    ["a label that is an object", { label: { toString: 1 }, confidence: 0.9, ...BOX }],
    ["no box", { label: "car", confidence: 0.9 }],
    ["a corner as a text", { label: "car", confidence: 0.9, ...BOX, x_max: "1" }],
    ["a corner that is null", { label: "car", confidence: 0.9, ...BOX, y_min: null }],
    ["a box of no size", { label: "car", confidence: 0.9, ...BOX, x_max: 64 }],
    ["a box outside", { label: "car", confidence: 0.9, x_min: 700, y_min: 0, x_max: 800, y_max: 10 }],
  ])("a prediction with %s is left out", (_what, prediction) => {
    const good = { label: "bus", confidence: 0.6, ...BOX };
    const found = readAnswer(answer([prediction, good]), "objects", PICTURE);
    expect(found.map(({ label }) => label)).toEqual(["bus"]);
  });

  it.each(["", "   ", "<b>", "A;DROP", "x".repeat(17), "\u202e1", "---"])(
    "%j is no number of a plate",
    (plate) => {
      expect(readAnswer(answer([{ plate, confidence: 0.9, ...BOX }]), "plates", PICTURE)).toEqual([]);
    },
  );

  it("64 predictions are read, however many there are", () => {
    const many = Array.from({ length: 5000 }, () => ({ label: "car", confidence: 0.9, ...BOX }));
    expect(readAnswer(answer(many), "objects", PICTURE)).toHaveLength(64);
  });

  it("a name of a prototype is a label like any other", () => {
    const found = readAnswer(answer([{ label: "__proto__", confidence: 0.9, ...BOX }]), "objects", PICTURE);
    expect(found[0]).toMatchObject({ kind: "object", label: "__proto__" });
  });
});
