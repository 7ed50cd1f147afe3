import { expect, it } from "vitest";
import { startAdministration } from "../../support/api/administration.js";
import { GATE_ID } from "../../support/api/api-fakes.js";

const PATH = `/api/channels/${GATE_ID}/cameraevents`;

it("administrators are told which events a camera offers and what is used of them, others are not", async () => {
  const admin = await startAdministration();
  const { status, json } = await admin.call("GET", PATH);
  expect(status).toBe(200);
  const names = { Source: ["Source"], Data: ["State"] };
  expect(json).toEqual([
    {
      ...{ Topic: "VideoSource/MotionAlarm", Kind: "motion", IsUsed: false },
      ...{ Setting: "BuildInCameraDetectorEnabled", IsState: true, ...names },
    },
    {
      ...{ Topic: "RuleEngine/LineDetector/Crossed", Kind: "rule", IsUsed: true },
      ...{ Setting: null, IsState: false, ...names },
    },
    {
      ...{ Topic: "Device/HardwareFailure/FanFailure", Kind: null, IsUsed: false },
      ...{ Setting: null, IsState: true, ...names },
    },
  ]);
  const asGuard = await fetch(admin.api.url(`${PATH}?login=guard&password=`));
  expect(asGuard.status).toBe(403);
  const unknown = PATH.replace(GATE_ID, "99999999-0000-4000-8000-000000000001");
  expect((await admin.call("GET", unknown)).status).toBe(404);
});
