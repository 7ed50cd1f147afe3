import { afterEach, expect, it } from "vitest";
import type { HubBoxes, HubMap } from "../../../src/contract/answer/index.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import { until } from "../../support/base/until.js";
import { RecordersAtHub } from "../../support/fleet/recorders-at-hub.js";

const GATE = "22222222-0000-4000-8000-0000000000a1";
const YARD = "22222222-0000-4000-8000-0000000000a2";
const DOOR = "22222222-0000-4000-8000-0000000000b1";

let place: RecordersAtHub;

afterEach(() => place?.stop());

async function started(): Promise<{ readonly north: string; readonly south: string }> {
  place = await RecordersAtHub.start({
    cameras: { North: { [GATE]: "Gate", [YARD]: "Yard" }, South: { [DOOR]: "Door" } },
    positions: { [GATE]: [59.93, 30.31], [YARD]: [59.95, 30.33] },
  });
  return { north: place.of("North").box.id, south: place.of("South").box.id };
}

const positions = async () =>
  Object.fromEntries(
    (await place.json<HubBoxes>("/api/boxes")).value.Boxes.map((box) => [box.Name, box.Position]),
  );

async function put(id: string, body: unknown) {
  const answer = await fetch(place.hub.url(`/api/boxes/${id}?${ROOT_QUERY}`), {
    ...{ method: "PUT", body: JSON.stringify(body) },
  });
  return answer.status;
}

it("a hub has its recorders in the middle of their cameras, and where somebody has put them", async () => {
  const { north, south } = await started();
  const [middle] = [
    { Latitude: expect.closeTo(59.94, 6), Longitude: expect.closeTo(30.32, 6), IsSet: false },
  ];

  expect(await positions()).toEqual({ North: middle, South: null });

  for (const id of [north, south])
    expect(await put(id, { Position: { Latitude: -33.9, Longitude: 151.2 } })).toBe(200);
  const put151 = { Latitude: -33.9, Longitude: 151.2, IsSet: true };
  expect(await positions()).toEqual({ North: put151, South: put151 });

  expect(await put(north, { Position: null })).toBe(200);
  expect(await positions()).toEqual({ North: middle, South: put151 });
});

it("a hub lists the cameras that are on the map, of a recorder that is silent too", async () => {
  const { north } = await started();
  const cameras = [
    { Id: GATE, Name: "Gate", Recorder: north, Latitude: 59.93, Longitude: 30.31, Azimuth: 0 },
    { Id: YARD, Name: "Yard", Recorder: north, Latitude: 59.95, Longitude: 30.33, Azimuth: 0 },
  ];
  expect((await place.json<HubMap>("/api/boxes/map")).value.Cameras).toEqual(cameras);

  await place.of("North").box.membership.stop();
  await until("it is silent", () => place.bench.hub.box(north)?.silence !== undefined);
  expect((await place.json<HubMap>("/api/boxes/map")).value.Cameras).toEqual(cameras);
});

it("a recorder stays where it was put when the hub starts anew, and no other place is taken", async () => {
  const { south } = await started();
  await put(south, { Position: { Latitude: 1, Longitude: 2 } });

  for (const body of [{ Position: { Latitude: 91, Longitude: 2 } }, { Position: { Latitude: 1 } }])
    expect(await put(south, body)).toBe(400);
  expect(await put(GATE, { Position: null })).toBe(404);

  const again = place.bench.newHub(0);
  try {
    await again.start();
    expect(again.box(south)?.position).toEqual({ latitude: 1, longitude: 2 });
  } finally {
    await again.stop();
  }
});
