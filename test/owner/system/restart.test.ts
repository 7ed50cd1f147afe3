import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

const restart = (what: string, login = ROOT_QUERY) =>
  fetch(api.url(`/api/system/restart?${login}`), { method: "POST", body: JSON.stringify({ What: what }) });

it("POST /api/system/restart restarts the recorder in a user's name, and the event log says so", async () => {
  const response = await restart("Recorder");
  expect([response.status, await response.json()]).toEqual([202, { What: "Recorder" }]);
  expect(api.restarts.asked).toEqual([["Recorder", "root"]]);
  expect(api.events.raised.map(({ typeId, initiator }) => [typeId, initiator?.name])).toContainEqual([
    EVENT_TYPES.restartRequested.id,
    "root",
  ]);
});

it("the box is restarted where that is possible, which GET tells", async () => {
  expect(await (await api.get("/api/system/restart")).json()).toEqual({ Recorder: true, Box: false });
  expect((await restart("Box")).status).toBe(501);
  api.restarts.canRestartBox = true;
  expect(await (await api.get("/api/system/restart")).json()).toEqual({ Recorder: true, Box: true });
  expect((await restart("Box")).status).toBe(202);
  expect(api.restarts.asked).toEqual([["Box", "root"]]);
});

it("anything else is refused, and everybody but administrators", async () => {
  expect((await restart("Everything")).status).toBe(400);
  expect((await restart("Recorder", "login=guard")).status).toBe(403);
  expect(api.restarts.asked).toEqual([]);
});
