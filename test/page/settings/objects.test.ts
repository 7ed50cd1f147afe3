import { expect, it } from "vitest";
import type { Camera } from "../../../src/page/settings/cameras/model.js";
import {
  isLoiteringTime,
  OBJECT_LABELS,
  objectsDraft,
  objectsSettings,
  scoresOf,
} from "../../../src/page/settings/cameras/objects/objects.js";

const cameraWith = (ObjectDetectionSettings?: unknown) =>
  ({ AnalyzeSettings: { ObjectDetectionSettings } }) as unknown as Camera;

it("a camera of which nobody chose has the recorder's defaults, and all that can be found", () => {
  const draft = objectsDraft(cameraWith());
  expect([...draft.labels]).toEqual(OBJECT_LABELS);
  expect(draft).toMatchObject({ mode: "Auto", minScore: 50, loiteringSeconds: "0" });
});

it("what was chosen is what the form shows and sends", () => {
  const settings = { Mode: "On", Kinds: ["person", "dog"], MinScore: 70, LoiteringSeconds: 30 };
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
