import { expect, it } from "vitest";
import type { ObjectTrialAnswer } from "../../../src/contract/answer/index.js";
import type { FindingBegin } from "../../../src/finding/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { startApi } from "../../support/api/api-harness.js";
import { sendJson } from "../../support/api/camera-requests.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const clock = new SimulatedClock(NINE_US);
const api = forEachTest(() => startApi({ clock }));

const PATH = `/api/channels/${GATE_ID}/objects/trial`;
const MIDDLE = { Name: "Middle", X1: 0.5, Y1: 0, X2: 0.5, Y2: 1 };
const LEFT = [
  {
    Name: "Left",
    Points: [
      { X: 0, Y: 0 },
      { X: 0.4, Y: 0 },
      { X: 0.4, Y: 1 },
      { X: 0, Y: 1 },
    ],
  },
];

/** Something that went along these columns, a step a second, some seconds ago. */
function went(columns: readonly number[], more: Partial<FindingBegin> = {}): string {
  const { lasting } = api;
  const beginUs = clock.nowUs() - 60_000_000;
  const boxAt = (x: number) => ({ left: x - 0.05, top: 0.4, width: 0.1, height: 0.2 });
  const [first = 0, ...others] = columns;
  const box = boxAt(first);
  const seen = {
    channelId: GATE_ID,
    kind: "person",
    source: "recorder",
    score: 0.8,
    atUs: beginUs,
    box,
  } as const;
  const id = lasting.begin({ ...seen, ...more }) ?? "";
  for (const [step, x] of others.entries())
    lasting.grow(id, { atUs: beginUs + (step + 1) * 1_000_000, box: boxAt(x) });
  lasting.end(id);
  return id;
}

async function tried(body: object): Promise<ObjectTrialAnswer> {
  const { status, json } = await sendJson(api, "POST", PATH, body);
  expect(status).toBe(200);
  return json as unknown as ObjectTrialAnswer;
}

it("a line that is drawn now is crossed by who went over it before, with its direction", async () => {
  const id = went([0.2, 0.4, 0.6, 0.8]);
  went([0.1, 0.2, 0.3]);
  const { Found, Seen } = await tried({ ObjectDetectionSettings: { Lines: [MIDDLE] } });
  expect(Seen).toBe(2);
  const crossed = Found.filter(({ Acts }) => Acts.length > 0);
  expect(crossed).toMatchObject([
    { Finding: { Id: id }, Acts: [{ Kind: "lineCrossed", Name: "Middle", Direction: "rightToLeft" }] },
  ]);
});

it("of a zone those are found who were in it, and what they did", async () => {
  went([0.6, 0.8]);
  const id = went([0.6, 0.5, 0.3, 0.2]);
  const { Found } = await tried({ Zones: LEFT });
  expect(Found.map(({ Finding }) => [Finding.Id, Finding.Zones])).toEqual([[id, ["Left"]]]);
  expect(Found[0]?.Acts.map(({ Kind }) => Kind)).toEqual(["zoneEntered"]);
});

it("kinds, certainty and sizes count as they are chosen", async () => {
  went([0.2, 0.3]);
  const settings = (ObjectDetectionSettings: object) => tried({ ObjectDetectionSettings });
  expect((await settings({})).Found).toHaveLength(1);
  expect((await settings({ Kinds: ["car"] })).Found).toEqual([]);
  expect((await settings({ MinScore: 85 })).Found).toEqual([]);
  expect((await settings({ Scores: [{ Kind: "person", MinScore: 50, MinSize: 3 }] })).Found).toEqual([]);
  expect((await settings({ Scores: [{ Kind: "car", MinScore: 50, MinSize: 3 }] })).Found).toHaveLength(1);
  expect((await settings({ MaxSize: 1 })).Found).toEqual([]);
});

it("what is longer ago, or somebody else saw, is not looked through", async () => {
  went([0.2, 0.8], { source: "analyser" });
  const atUs = clock.nowUs() - 7_200_000_000;
  went([0.2], { atUs });
  expect((await tried({ Minutes: 60 })).Seen).toBe(0);
  expect((await tried({ Minutes: 180 })).Seen).toBe(1);
});

it.each([
  [{ Minutes: 0 }, "Minutes"],
  [{ Zones: [{ Name: "Left", Points: [] }] }, "Zones[0].Points"],
  [{ ObjectDetectionSettings: { Lines: [{ Name: "Gate" }] } }, "Lines[0].X1"],
])("%j is refused with what is accepted", async (body, text) => {
  const { status, json } = await sendJson(api, "POST", PATH, body);
  expect([status, json.ErrorMessage]).toEqual([400, expect.stringContaining(text)]);
});
