import { expect, it } from "vitest";
import { OBJECT_LABELS } from "../../../src/base/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { changeOf, type Json, sendJson } from "../../support/api/camera-requests.js";
import { forAllTests } from "../../support/base/for-tests.js";

const api = forAllTests(() => startApi());

const PATH = `/configure/channels/${GATE_ID}`;
const LINE = { Name: "Gate", X1: 0.2, Y1: 0.9, X2: 0.8, Y2: 0.9, Direction: "Both", Kinds: null };
const USUAL = {
  ...{ Mode: "Auto", Kinds: null, MinScore: 50, Scores: [], MinSize: 0, MaxSize: 100 },
  ...{ LoiteringSeconds: 0, Lines: [] },
};

async function change(ObjectDetectionSettings: unknown) {
  const body = changeOf(GATE_ID, { AnalyzeSettings: { ObjectDetectionSettings } });
  return await sendJson(api, "PUT", PATH, body);
}

async function now(): Promise<unknown> {
  const { AnalyzeSettings } = (await sendJson(api, "GET", PATH)).json as Json & { AnalyzeSettings: Json };
  return AnalyzeSettings.ObjectDetectionSettings;
}

it("what was chosen is kept, member by member, and given only where something was chosen", async () => {
  expect(await now()).toBeUndefined();
  expect((await change({ Mode: "On" })).status).toBe(200);
  expect(await now()).toEqual({ ...USUAL, Mode: "On" });
  await change({ Kinds: ["dog", "person"], Lines: [LINE] });
  expect(await now()).toEqual({ ...USUAL, Mode: "On", Kinds: ["person", "dog"], Lines: [LINE] });
  await change({ Scores: [{ Kind: "dog", MinScore: 70 }], Kinds: null });
  expect(await now()).toEqual({
    ...USUAL,
    ...{ Mode: "On", Lines: [LINE], Scores: [{ Kind: "dog", MinScore: 70, MinSize: 0, MaxSize: 100 }] },
  });
  await change(null);
  expect(await now()).toBeUndefined();
});

it("sizes of a kind and whose crossings count are kept", async () => {
  const settings = {
    Scores: [{ Kind: "car", MinScore: 60, MinSize: 0.5, MaxSize: 30 }],
    Lines: [{ ...LINE, Direction: "RightToLeft", Kinds: ["person"] }],
  };
  await change(settings);
  expect(await now()).toEqual({ ...USUAL, ...settings });
  await change(null);
});

it("a line has the usual direction where none is given", async () => {
  const { Direction: _, Kinds: __, ...line } = LINE;
  await change({ Lines: [line] });
  expect(await now()).toEqual({ ...USUAL, Lines: [LINE] });
});

it.each([
  [{ Mode: "Sometimes" }, "Mode"],
  [{ Kinds: ["horse"] }, `Kinds: a list of ${OBJECT_LABELS.join(", ")}, each once`],
  [{ MinScore: 10 }, "MinScore"],
  [{ MinSize: 60, MaxSize: 50 }, "MinSize: at most MaxSize"],
  [{ LoiteringSeconds: 4000 }, "LoiteringSeconds"],
  [{ Lines: [{ ...LINE, X1: 1.5 }] }, "Lines[0].X1"],
  [{ Lines: [{ Name: "Gate" }] }, "Lines[0].X1: is required"],
  [{ Lines: [{ ...LINE, X2: 0.21 }] }, "Lines[0]: at least 0.02 of the picture long"],
  [{ Lines: [{ ...LINE, Kinds: ["horse"] }] }, "Lines[0].Kinds"],
  [{ Scores: [{ Kind: "dog", MinSize: 5, MaxSize: 4 }] }, "Scores[0].MinSize: at most MaxSize"],
  [{ Lines: [LINE, LINE] }, "two lines have the name Gate"],
  [{ Lines: Array.from({ length: 9 }, (_, at) => ({ ...LINE, Name: `${at}` })) }, "at most 8 objects"],
  [{ Scores: [{ Kind: "dog" }, { Kind: "dog" }] }, "dog occurs twice"],
  [{ Scores: "dog" }, "a list of at most 8 objects"],
])("%j is refused with what is accepted", async (settings, text) => {
  const { status, json } = await change(settings);
  expect([status, json.ErrorMessage]).toEqual([400, expect.stringContaining(text)]);
});
