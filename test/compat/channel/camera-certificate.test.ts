import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { startAdministration } from "../../support/api/administration.js";
import { GATE_ID } from "../../support/api/api-fakes.js";

const PATH = `/api/channels/${GATE_ID}/certificate`;
const [FIRST, SECOND] = ["a".repeat(64), "b".repeat(64)];

it("administrators see the key that a camera shows and accept it, others do not", async () => {
  const admin = await startAdministration();
  const { cameraKeys, events } = admin.api;
  expect((await admin.call("GET", PATH)).json).toEqual([]);
  cameraKeys.accepts(GATE_ID, 322, { sha256: FIRST });
  expect(cameraKeys.accepts(GATE_ID, 322, { sha256: SECOND })).toBe(false);
  expect((await admin.call("GET", PATH)).json).toEqual([{ Port: 322, Sha256: FIRST, Offered: SECOND }]);
  const accepted = await admin.call("POST", PATH, { Sha256: SECOND.toUpperCase() });
  expect(accepted.json).toEqual([{ Port: 322, Sha256: SECOND, Offered: null }]);
  expect(cameraKeys.accepts(GATE_ID, 322, { sha256: SECOND })).toBe(true);
  const raised = events.raised.find(({ typeId }) => typeId === EVENT_TYPES.cameraKeyAccepted.id);
  expect(raised).toMatchObject({ channelId: GATE_ID, comment: SECOND, initiator: { name: "root" } });
  expect((await fetch(admin.api.url(`${PATH}?login=guard&password=`))).status).toBe(403);
});

it("a key that the camera does not show is not accepted", async () => {
  const admin = await startAdministration();
  admin.api.cameraKeys.accepts(GATE_ID, 322, { sha256: FIRST });
  expect((await admin.call("POST", PATH, { Sha256: SECOND })).status).toBe(409);
  expect((await admin.call("POST", PATH, { Sha256: "not a key" })).status).toBe(400);
  expect((await admin.call("GET", PATH)).json).toEqual([{ Port: 322, Sha256: FIRST, Offered: null }]);
});
