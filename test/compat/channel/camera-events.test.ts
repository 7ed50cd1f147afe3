import { expect, it } from "vitest";
import { SEEN_KINDS } from "../../../src/base/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
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
      ...{ Topic: "VideoSource/MotionAlarm", Kind: "motion", Kinds: ["motion"], IsUsed: false },
      ...{ Setting: "BuildInCameraDetectorEnabled", IsState: true, ...names },
    },
    {
      ...{
        Topic: "RuleEngine/LineDetector/Crossed",
        Kind: "lineCrossed",
        Kinds: ["lineCrossed"],
        IsUsed: true,
      },
      ...{ Setting: null, IsState: false, ...names },
    },
    {
      ...{ Topic: "Monitoring/ProcessorUsage", Kind: null, Kinds: [], IsUsed: false },
      ...{ Setting: null, IsState: true, ...names },
    },
  ]);
  const asGuard = await fetch(admin.api.url(`${PATH}?login=guard&password=`));
  expect(asGuard.status).toBe(403);
  const unknown = PATH.replace(GATE_ID, "99999999-0000-4000-8000-000000000001");
  expect((await admin.call("GET", unknown)).status).toBe(404);
});

it("everybody is told the kinds that are chosen among, by the names of their events, in his language", async () => {
  const { api } = await startAdministration();
  const list = await fetch(api.url("/api/cameraeventkinds?login=guard&password=&language=ru"));
  const kinds = (await list.json()) as { Kind: string; Name: string; EventId: string; IsPresence: boolean }[];
  expect(kinds.map(({ Kind }) => Kind)).toEqual(SEEN_KINDS.filter((kind) => kind !== "motion"));
  expect(kinds.find(({ Kind }) => Kind === "person")).toMatchObject({
    Name: "Обнаружен человек",
    EventId: EVENT_TYPES.personDetected.id,
    EndEventId: EVENT_TYPES.personGone.id,
    IsPresence: true,
  });
});
