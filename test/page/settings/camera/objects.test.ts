import { expect, it } from "vitest";
import type { Camera } from "../../../../src/page/settings/cameras/model.js";
import { OBJECT_LABELS } from "../../../../src/page/settings/cameras/objects/labels.js";
import { type Line, lineOutline, newLine } from "../../../../src/page/settings/cameras/objects/lines.js";
import {
  isLoiteringTime,
  objectsDraft,
  objectsFault,
  objectsSettings,
  scoresOf,
} from "../../../../src/page/settings/cameras/objects/objects.js";

const cameraWith = (ObjectDetectionSettings?: unknown) =>
  ({ AnalyzeSettings: { ObjectDetectionSettings } }) as unknown as Camera;

it("a camera of which nobody chose has the recorder's defaults, and all that can be found", () => {
  const draft = objectsDraft(cameraWith());
  expect([...draft.labels]).toEqual(OBJECT_LABELS);
  expect(draft).toMatchObject({ mode: "Auto", minScore: 50, loiteringSeconds: "0" });
});

it("what was chosen is what the form shows and sends", () => {
  const settings = {
    ...{
      Mode: "On",
      Kinds: ["person", "dog"],
      MinScore: 70,
      LoiteringSeconds: 30,
      MinSize: 0.5,
      MaxSize: 40,
    },
    Scores: [{ Kind: "dog", MinScore: 60, MinSize: 1, MaxSize: 20 }],
    Lines: [
      { Name: "Gate", X1: 0.2, Y1: 0.9, X2: 0.8, Y2: 0.9, Direction: "LeftToRight", Kinds: ["dog"] },
      { Name: "Path", X1: 0, Y1: 0, X2: 1, Y2: 1, Direction: "Both", Kinds: null },
    ],
  };
  expect(objectsSettings(objectsDraft(cameraWith(settings)))).toEqual(settings);
});

it("all that can be found is sent as no choice, so that later kinds are among them", () => {
  expect(objectsSettings(objectsDraft(cameraWith())).Kinds).toBeNull();
});

it("a certainty that a program has set stays among those that are offered", () => {
  expect(scoresOf(72)).toContain(72);
  expect(scoresOf(50)).toEqual(scoresOf(50).toSorted((one, other) => one - other));
});

it.each([
  ["0", true],
  ["3600", true],
  ["3601", false],
  ["", false],
  ["1.5", false],
])("%j seconds of loitering: %j", (text, isOne) => {
  expect(isLoiteringTime(text)).toBe(isOne);
});

const LINE = newLine("Gate");
const drawn = (lines: readonly Line[]) => objectsFault({ ...objectsDraft(cameraWith()), lines });

it.each<[string, readonly Line[], string | undefined]>([
  ["of its own name", [LINE, newLine("Path")], undefined],
  ["without a name", [newLine(" ")], "lineNameNeeded"],
  ["with the name of another", [LINE, newLine("Gate ")], "lineNameTwice"],
  ["that is a point", [{ ...LINE, to: LINE.from }], "lineTooShort"],
  ["for nobody", [{ ...LINE, labels: new Set() }], "lineForNobody"],
])("a line %s", (_what, lines, fault) => {
  expect(drawn(lines)).toBe(fault);
});

it.each([
  ["0", "100", undefined],
  ["0.5", "0.5", undefined],
  ["5", "4", "sizesWrong"],
  ["0,5", "4", "sizesWrong"],
  ["", "4", "sizesWrong"],
  ["1", "101", "sizesWrong"],
])("from %j to %j percent of the picture", (minSize, maxSize, fault) => {
  const draft = objectsDraft(cameraWith());
  expect(objectsFault({ ...draft, minSize, maxSize })).toBe(fault);
  expect(objectsFault({ ...draft, kinds: [{ label: "dog", minScore: 50, minSize, maxSize }] })).toBe(fault);
});

it("an arrow shows the direction: over a line to the right, left to right is downwards", () => {
  const tips = (direction: Line["direction"]) =>
    [...lineOutline({ ...LINE, direction }, 1).matchAll(/L0\.5 ([\d.]+)M/g)].map(([, y]) => Number(y) - 0.6);
  expect(tips("LeftToRight").map(Math.sign)).toEqual([1]);
  expect(tips("RightToLeft").map(Math.sign)).toEqual([-1]);
  expect(tips("Both").map(Math.sign)).toEqual([1, -1]);
});
