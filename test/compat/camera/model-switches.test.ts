import { describe, expect, it } from "vitest";
import { deviceModels, ONVIF_MODEL, RTSP_MODEL } from "../../../src/camera/index.js";
import { SERVER_ID } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forAllTests } from "../../support/base/for-tests.js";

const api = forAllTests(() => startApi());

type Json = Record<string, unknown>;

async function send(method: "POST" | "PUT", camera: Json): Promise<{ status: number; json: Json }> {
  const response = await fetch(api.url(`/configure/channels?${ROOT_QUERY}`), {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify([camera]),
  });
  return { status: response.status, json: (await response.json()) as Json };
}

const ServerBindingsSettings = { OwnerServerId: SERVER_ID };
let devices = 100;

/** Each is another device. */
function add({ Hostname, ...connection }: Json): Promise<{ status: number; json: Json }> {
  devices += 1;
  const ConnectionSettings = {
    ...connection,
    Hostname: `${Hostname}`.replace("192.0.2.7", `192.0.2.${devices}`),
  };
  return send("POST", { ServerBindingsSettings, ConnectionSettings });
}

async function addedId(connection: Json): Promise<string> {
  const { json } = await add(connection);
  return (json.CreatedObjectsIds as string[])[0] ?? "";
}

async function switchesOf(id: string): Promise<Json> {
  const response = await fetch(api.url(`/configure/channels/${id}?${ROOT_QUERY}`));
  return ((await response.json()) as { ConnectionSettings: Json }).ConnectionSettings;
}

/** A model that is found by paths: it is no video server, is not moved, and has no inputs. */
const PATH_MODEL = deviceModels().find(
  (model) =>
    model.connection === "path" &&
    !model.multiChannelServerSupported &&
    !model.ptzSupported &&
    !model.ioProcessingSupported,
);
const MODELS: readonly (readonly [string, string, string])[] = [
  ["RTSP/RTP device", RTSP_MODEL.id, "rtsp://192.0.2.7/a"],
  ["a model of paths", PATH_MODEL?.id ?? "", "192.0.2.7"],
];
const SWITCHES = ["MultiChannelServerEnabled", "PtzEnabled", "IoProcessingEnabled"];

describe.each(MODELS)("a switch that %s cannot do", (_what, ModelId, Hostname) => {
  it.each(SWITCHES)("is kept with a warning in POST: %s", async (name) => {
    const { status, json } = await add({ ModelId, Hostname, [name]: true });
    expect([status, json.Warnings]).toEqual([
      200,
      [expect.stringContaining(`[0].ConnectionSettings.${name}: is kept and has no effect`)],
    ]);
    const [id = ""] = json.CreatedObjectsIds as string[];
    expect((await switchesOf(id))[name]).toBe(true);
  });

  it.each(SWITCHES)("is kept with a warning in PUT: %s", async (name) => {
    const Id = await addedId({ ModelId, Hostname });
    const { status, json } = await send("PUT", { Id, ConnectionSettings: { ModelId, [name]: true } });
    expect([status, json]).toEqual([
      200,
      { ModifiedObjectsIds: [Id], Warnings: [expect.stringContaining(`ConnectionSettings.${name}`)] },
    ]);
    expect((await switchesOf(Id))[name]).toBe(true);
  });

  it.each(SWITCHES)("brings no warning when it is off: %s", async (name) => {
    const { json } = await add({ ModelId, Hostname, [name]: false });
    expect(json).not.toHaveProperty("Warnings");
  });
});

it("a switch that the model can do brings no warning", async () => {
  const all = Object.fromEntries(SWITCHES.map((name) => [name, true]));
  const { status, json } = await add({ ModelId: ONVIF_MODEL.id, Hostname: "192.0.2.7", ...all });
  expect([status, Object.keys(json)]).toEqual([200, ["CreatedObjectsIds"]]);
});

describe("where a camera looks", () => {
  const azimuths = async (id: string): Promise<Json[]> => {
    const json = await fetch(api.url(`/configex?responsetype=json&${ROOT_QUERY}`));
    const text = (await json.text()).replace(/^\ufeff/, "");
    const { Channels } = JSON.parse(text) as { Channels: { Id: string; GeoPosition: Json }[] };
    const own = await fetch(api.url(`/configure/channels/${id}?${ROOT_QUERY}`));
    return [
      Channels.find((channel) => channel.Id === id)?.GeoPosition ?? {},
      ((await own.json()) as { MapSettings: Json }).MapSettings,
    ];
  };
  const connection = { ModelId: RTSP_MODEL.id, Hostname: "rtsp://192.0.2.7/a" };
  const placed = (MapSettings: Json): Json => ({
    ServerBindingsSettings,
    ConnectionSettings: connection,
    MapSettings,
  });

  it("is reported by /configex as it was set, and 0 where it was not", async () => {
    for (const [sent, shown] of [
      [{ Azimuth: 225.5 }, 225.5],
      [{ Azimuth: 0 }, 0],
      [{ Azimuth: 360 }, 360],
      [{}, 0],
    ] as const) {
      const { json } = await send("POST", placed({ Latitude: 1, Longitude: 2, ...sent }));
      const [id = ""] = json.CreatedObjectsIds as string[];
      expect(await azimuths(id)).toEqual([
        { Latitude: 1, Longitude: 2, Azimuth: shown },
        { Latitude: 1, Longitude: 2, Azimuth: shown, IsOnMap: true },
      ]);
    }
  });

  it("stays when another member is changed, and is north again with null", async () => {
    const { json } = await send("POST", placed({ Latitude: 1, Longitude: 2, Azimuth: 90 }));
    const [Id = ""] = json.CreatedObjectsIds as string[];
    const put = (MapSettings: Json) =>
      send("PUT", { Id, ConnectionSettings: { ModelId: RTSP_MODEL.id }, MapSettings });
    await put({ Latitude: 3 });
    expect((await azimuths(Id))[0]).toMatchObject({ Latitude: 3, Azimuth: 90 });
    await put({ Azimuth: null });
    expect((await azimuths(Id))[0]).toMatchObject({ Latitude: 3, Azimuth: 0 });
  });

  it.each([-1, 360.5, "north", true])("is refused outside the circle: %s", async (Azimuth) => {
    const { status, json } = await send("POST", placed({ Azimuth }));
    expect([status, json.ErrorMessage]).toEqual([400, expect.stringContaining("MapSettings.Azimuth")]);
  });
});
