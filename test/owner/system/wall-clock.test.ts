import { expect, it } from "vitest";
import { startAdministration } from "../../support/api/administration.js";

it("GET /api/clock says who vouches for the clock", async () => {
  const admin = await startAdministration();
  expect((await admin.call("GET", "/api/clock")).json).toMatchObject({
    IsKnown: true,
    KnownBy: "time-server",
  });
  admin.api.wallClock.knownBy = undefined;
  expect((await admin.call("GET", "/api/clock")).json).toMatchObject({ IsKnown: false, KnownBy: null });
});

it("POST /api/clock takes an operator's word for a clock that nobody vouches for", async () => {
  const admin = await startAdministration();
  admin.api.wallClock.knownBy = undefined;
  const { status, json } = await admin.call("POST", "/api/clock", { IsRight: true });
  expect([status, json]).toEqual([200, expect.objectContaining({ IsKnown: true, KnownBy: "operator" })]);
});

it.each([{}, { IsRight: false }, { IsRight: "yes" }])("POST /api/clock refuses %j", async (body) => {
  const admin = await startAdministration();
  admin.api.wallClock.knownBy = undefined;
  expect((await admin.call("POST", "/api/clock", body)).status).toBe(400);
  expect(admin.api.wallClock.knownBy).toBeUndefined();
});
