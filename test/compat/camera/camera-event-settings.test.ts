import { expect, it } from "vitest";
import { SEEN_KINDS } from "../../../src/base/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { changeOf, type Json, sendJson } from "../../support/api/camera-requests.js";
import { forAllTests } from "../../support/base/for-tests.js";

const api = forAllTests(() => startApi());

const PATH = `/configure/channels/${GATE_ID}`;

async function change(CameraEventSettings: unknown) {
  const body = changeOf(GATE_ID, { AnalyzeSettings: { CameraEventSettings } });
  return await sendJson(api, "PUT", PATH, body);
}

async function now(): Promise<unknown> {
  const { AnalyzeSettings } = (await sendJson(api, "GET", PATH)).json as Json & { AnalyzeSettings: Json };
  return AnalyzeSettings.CameraEventSettings;
}

it("the kinds that were chosen are kept, each list by itself, and given only where something was chosen", async () => {
  expect(await now()).toBeUndefined();
  expect((await change({ Marked: ["other", "person"] })).status).toBe(200);
  expect(await now()).toEqual({ Marked: ["person", "other"], Recorded: null });
  await change({ Recorded: [] });
  expect(await now()).toEqual({ Marked: ["person", "other"], Recorded: [] });
  await change({ Marked: null });
  expect(await now()).toEqual({ Marked: null, Recorded: [] });
  await change(undefined);
  expect(await now()).toEqual({ Marked: null, Recorded: [] });
  await change(null);
  expect(await now()).toBeUndefined();
});

it.each([[["somebody"]], [["person", "person"]], ["person"], [{ person: true }]])(
  "%j are no kinds",
  async (kinds) => {
    const { status, json } = await change({ Marked: kinds });
    expect([status, json.ErrorMessage]).toEqual([
      400,
      `AnalyzeSettings.CameraEventSettings.Marked: a list of ${SEEN_KINDS.join(", ")}, each once`,
    ]);
  },
);
