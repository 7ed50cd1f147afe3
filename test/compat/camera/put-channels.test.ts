import { describe, expect, it } from "vitest";
import type { Camera } from "../../../src/site/index.js";
import {
  GATE_ID,
  OUTSIDE_FOLDER_ID,
  ROOT_FOLDER_ID,
  STORE_ID,
  YARD_ID,
} from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { changeOf, type Json, type JsonAnswer, sendJson } from "../../support/api/camera-requests.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

const put = (body: unknown, headers?: Record<string, string>): Promise<JsonAnswer> =>
  sendJson(api, "PUT", "/configure/channels", body, headers);

const get = async (id = GATE_ID): Promise<Json> =>
  (await sendJson(api, "GET", `/configure/channels/${id}`)).json;

function cameraOf(id: string): Camera {
  const camera = api.site.current.cameras.find((candidate) => candidate.id === id);
  if (camera === undefined) throw new Error("no such camera");
  return camera;
}

async function changed(members: Json, id = GATE_ID): Promise<Camera> {
  const { status, json } = await put([changeOf(id, members)]);
  expect([status, json.ModifiedObjectsIds]).toEqual([200, [id]]);
  return cameraOf(id);
}

async function refused(members: Json): Promise<string> {
  const before = api.site.current;
  const { status, json } = await put([changeOf(GATE_ID, members)]);
  expect([status, api.site.current]).toEqual([400, before]);
  return String(json.ErrorMessage);
}

const streams = (members: Json): Json => ({ ConnectionSettings: { StreamSettings: members } });

describe("PUT /configure/channels", () => {
  it("changes the members given, of the cameras given, and raises the revision by one", async () => {
    const { cameras } = api.site.current;
    const answer = await put([
      changeOf(GATE_ID, { Description: "new" }),
      changeOf(STORE_ID, { Disabled: false, ArchiveSettings: { ArchivingMaxDeepnessInDays: 5 } }),
    ]);
    expect(answer).toEqual({ status: 200, json: { ModifiedObjectsIds: [GATE_ID, STORE_ID] }, etag: '"8"' });
    const [gate, yard, store] = cameras;
    const kept = { kept: expect.anything(), onMap: false };
    expect(cameraOf(GATE_ID)).toEqual({ ...gate, description: "new", ...kept });
    expect(cameraOf(YARD_ID)).toBe(yard);
    expect(cameraOf(STORE_ID)).toEqual({
      ...store,
      disabled: false,
      archive: { ...store?.archive, maxDays: 5 },
      ...kept,
    });
  });

  it("takes [] and changes nothing", async () => {
    expect(await put([])).toEqual({ status: 200, json: { ModifiedObjectsIds: [] }, etag: '"7"' });
    expect(api.site.current.revision).toBe(7);
  });

  it("takes back what GET gave, of all cameras, without a new revision", async () => {
    const before = api.site.current;
    const all = await sendJson(api, "GET", "/configure/channels");
    expect((await put(all.json)).status).toBe(200);
    expect(api.site.current).toBe(before);
  });

  it("takes back what GET gave of a camera with every setting", async () => {
    await changed({
      ServerBindingsSettings: { ReservedServerId: OUTSIDE_FOLDER_ID },
      ConnectionSettings: { ExternalNetworkPorts: [{ DefaultPortValue: 80, PortValue: 81 }] },
      AnalyzeSettings: { MotionDetectorSettings: { Zones: [1] }, InteractiveSearchSettings: { A: null } },
      MapSettings: { Latitude: 1, Longitude: 2, IsOnMap: false },
    });
    const before = api.site.current;
    expect((await put([await get()])).status).toBe(200);
    expect(api.site.current).toBe(before);
  });

  it("takes null of any member as left out, and ignores members nobody knows", async () => {
    const before = api.site.current;
    const nulls = Object.fromEntries(Object.keys(await get()).map((name) => [name, null]));
    const body = { ...nulls, ...changeOf(GATE_ID), Unknown: { Deep: [1] }, __proto__: { Name: "x" } };
    expect((await put([body])).status).toBe(200);
    expect(
      (
        await put(
          '[{"Id":"' +
            GATE_ID +
            '","ConnectionSettingsModelId":"5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01","__proto__":{"Name":"x"},"constructor":1}]',
        )
      ).status,
    ).toBe(200);
    expect(api.site.current).toBe(before);
  });

  it("takes names of members and values of enumerations in any case", async () => {
    const { archive } = await changed({
      archiveSETTINGS: { archivingmode: "alwayson", ARCHIVINGDISABLED: true },
    });
    expect(archive).toMatchObject({ archivingMode: "AlwaysOn", archivingDisabled: true });
  });

  it("takes the flattened names, and those beside equal nested ones", async () => {
    const model = cameraOf(GATE_ID).connection.modelId;
    const flat = {
      Id: GATE_ID,
      ConnectionSettingsModelId: model,
      MapSettingsLatitude: -0.5,
      MapSettingsLongitude: 100,
      MapSettings: { Latitude: -0.5, IsOnMap: true },
    };
    expect((await put([flat])).status).toBe(200);
    expect(cameraOf(GATE_ID)).toMatchObject({ latitude: -0.5, longitude: 100, onMap: true });
    expect((await put([{ ...flat, MapSettings: null, MapSettingsIsOnMap: false }])).status).toBe(200);
    expect((await get()).MapSettings).toEqual({ Latitude: -0.5, Longitude: 100, Azimuth: 0, IsOnMap: false });
  });

  it("clears the position by null, which takes the camera off the map", async () => {
    await changed({ MapSettings: { Latitude: null, Longitude: null } }, YARD_ID);
    expect((await get(YARD_ID)).MapSettings).toEqual({
      Latitude: null,
      Longitude: null,
      Azimuth: 0,
      IsOnMap: false,
    });
  });

  it("takes one coordinate of a camera that has both", async () => {
    expect(await changed({ MapSettings: { Latitude: 1 } }, YARD_ID)).toMatchObject({
      latitude: 1,
      longitude: 37.61,
    });
  });

  it("moves the camera in the tree of security objects, where GET and /configex find it", async () => {
    await changed({ ParentSecObjectId: OUTSIDE_FOLDER_ID });
    const { rootSecurityObject: root } = api.site.current;
    expect(root.channelIds).toEqual([STORE_ID]);
    expect(root.children[0]?.channelIds).toEqual([YARD_ID, GATE_ID]);
    expect((await get()).ParentSecObjectId).toBe(OUTSIDE_FOLDER_ID);
    expect((await get(STORE_ID)).ParentSecObjectId).toBe(ROOT_FOLDER_ID);
  });

  it("keeps the stored password when it is null, empty or left out, and clears it by ClearPassword", async () => {
    for (const Password of [null, "", undefined]) {
      expect(
        (await changed({ ConnectionSettings: { Password, PtzEnabled: true } })).connection.password,
      ).toBe("camera-password");
    }
    expect((await changed({ ConnectionSettings: { Password: "other" } })).connection.password).toBe("other");
    expect((await changed({ ConnectionSettings: { ClearPassword: true } })).connection.password).toBe("");
    const words = await refused({ ConnectionSettings: { ClearPassword: true, Password: "secret-word" } });
    expect(words).toContain("[0].ConnectionSettings.ClearPassword: contradicts the password in the request");
    expect(words).not.toContain("secret-word");
  });

  it("moves credentials of a new URL to Login and Password", async () => {
    const { connection } = await changed({ ConnectionSettings: { Hostname: "rtsp://me:word@192.0.2.5/x" } });
    expect(connection).toMatchObject({ hostname: "rtsp://192.0.2.5/x", login: "me", password: "word" });
  });

  it("keeps login and password when a new URL of the same host and port has none", async () => {
    const { hostname } = cameraOf(GATE_ID).connection;
    const { connection } = await changed({
      ConnectionSettings: { Hostname: new URL("/other", hostname).href },
    });
    expect(connection).toMatchObject({ login: "viewer", password: "camera-password" });
  });
});

describe("login and password within an address", () => {
  const main = "rtsp://192.0.2.1/user=admin_password=Secret.1_channel=1_stream=0.sdp";
  const second = "rtsp://192.0.2.1/live?usr=admin&pwd=Secret.2&ch=2";
  const withAddresses = (hostname: string, params: string): Json => ({
    ConnectionSettings: {
      ...{ Hostname: hostname, AltVideoStreamEnabled: true, AltVideoAdditionalParams: params },
      Password: "given-again",
    },
  });

  it("are masked in answers, and stay as they are when the masked address comes back", async () => {
    await changed(withAddresses(main, second));
    const shown = await get();
    expect(JSON.stringify(shown)).not.toContain("Secret");
    expect(shown).toMatchObject({
      ConnectionSettings: {
        Hostname: "rtsp://192.0.2.1/user=***_password=***_channel=1_stream=0.sdp",
        AltVideoAdditionalParams: "rtsp://192.0.2.1/live?usr=***&pwd=***&ch=2",
      },
    });
    expect((await put([{ ...shown, Description: "new" }])).status).toBe(200);
    const { connection } = cameraOf(GATE_ID);
    expect(connection.hostname).toBe(main);
    expect(connection.streams.Alternative.additionalParams).toBe(second);
  });

  it("have to be given with another address", async () => {
    await changed(withAddresses(main, second));
    const words = await refused(
      withAddresses(
        "rtsp://192.0.2.99/user=***_password=***_channel=1_stream=0.sdp",
        "rtsp://192.0.2.99/live?usr=***&pwd=***&ch=2",
      ),
    );
    expect(words).toContain("Hostname: holds *** in place of a login or password: give the whole address");
    expect(words).toContain("AltVideoAdditionalParams: holds ***");
  });
});

describe("members that say one thing twice", () => {
  it.each<[string, Json, string, string]>([
    ["a format", { MainVideoStreamFormat: "Hevc" }, "Main", "format"],
    ["a rotation", { AltStreamRotationMode: "By180Degree" }, "Alternative", "rotationMode"],
    ["a URL", { AltVideoAdditionalParams: "rtsp://192.0.2.8/b" }, "Alternative", "additionalParams"],
    ["a switch", { AltVideoStreamEnabled: false }, "Alternative", "enabled"],
  ])("the older name alone changes both: %s", async (_what, older, type, member) => {
    const camera = await changed({ ConnectionSettings: { ...older, Password: "given-again" } });
    const [value] = Object.values(older);
    expect(camera.connection.streams[type as "Main"][member as "format"]).toBe(value);
    const connection = (await get()).ConnectionSettings as Json;
    expect(connection).toMatchObject(older);
    expect(JSON.stringify((connection.StreamSettings as Json)[`${type}StreamSettings`])).toContain(
      JSON.stringify(value),
    );
  });

  it("the newer name alone changes both", async () => {
    await changed(streams({ AlternativeStreamSettings: { VideoFormat: "Hevc", VideoStreamEnabled: false } }));
    expect((await get()).ConnectionSettings).toMatchObject({
      AltVideoStreamFormat: "Hevc",
      AltVideoStreamEnabled: false,
    });
  });

  it.each<[Json, string, string]>([
    [
      {
        ConnectionSettings: {
          MainVideoStreamFormat: "H264",
          StreamSettings: { MainStreamSettings: { VideoFormat: "Hevc" } },
        },
      },
      "[0].ConnectionSettings.StreamSettings.MainStreamSettings.VideoFormat",
      "[0].ConnectionSettings.MainVideoStreamFormat",
    ],
    [
      {
        ConnectionSettings: {
          AltVideoAdditionalParams: "rtsp://192.0.2.8/b",
          StreamSettings: { AlternativeStreamSettings: { VideoAdditionalParams: "" } },
        },
      },
      "[0].ConnectionSettings.StreamSettings.AlternativeStreamSettings.VideoAdditionalParams",
      "[0].ConnectionSettings.AltVideoAdditionalParams",
    ],
    [
      { MapSettings: { Latitude: 1, Longitude: 1 }, MapSettingsLatitude: 2 },
      "[0].MapSettings.Latitude",
      "[0].MapSettingsLatitude",
    ],
    [{ Name: "a", name: "b" }, "[0].Name", "[0].name"],
    [
      {
        ...streams({ MainStreamSettings: { Roles: ["Archive"] } }),
        ArchiveSettings: { ArchivingVideoStreamType: "Alternative" },
      },
      "[0].ArchiveSettings.ArchivingVideoStreamType",
      "[0].ConnectionSettings.StreamSettings.MainStreamSettings.Roles",
    ],
    [
      {
        ...streams({ AlternativeStreamSettings: { Roles: ["VideoAnalysis"] } }),
        AnalyzeSettings: { AnalyzeStreamType: "Main" },
      },
      "[0].AnalyzeSettings.AnalyzeStreamType",
      "[0].ConnectionSettings.StreamSettings.AlternativeStreamSettings.Roles",
    ],
    [
      streams({
        MainStreamSettings: { Roles: ["Archive"] },
        AlternativeStreamSettings: { Roles: ["Archive"] },
      }),
      "[0].ConnectionSettings.StreamSettings.AlternativeStreamSettings.Roles",
      "[0].ConnectionSettings.StreamSettings.MainStreamSettings.Roles",
    ],
  ])("a contradiction names both: %#", async (members, one, other) => {
    const words = await refused(members);
    expect(words).toContain(`${one}: `);
    expect(words.slice(words.indexOf(`${one}: `) + one.length)).toContain(other);
  });
});

describe("roles", () => {
  const rolesOf = ({ connection: { streams: all } }: Camera) => [all.Main.roles, all.Alternative.roles];

  it("stay as they are, in their order, where something else is changed", async () => {
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) => {
        const { connection } = camera;
        const Main = { ...connection.streams.Main, roles: [...connection.streams.Main.roles].reverse() };
        return { ...camera, connection: { ...connection, streams: { ...connection.streams, Main } } };
      }),
    }));
    const { connection } = cameraOf(GATE_ID);
    expect((await changed({ ArchiveSettings: { Schedule: {} } })).connection).toEqual(connection);
  });

  it("ArchivingVideoStreamType moves Archive, AnalyzeStreamType moves VideoAnalysis, other roles stay", async () => {
    const camera = await changed({
      ArchiveSettings: { ArchivingVideoStreamType: "Alternative" },
      AnalyzeSettings: { AnalyzeStreamType: "Main" },
    });
    expect(rolesOf(camera)).toEqual([
      ["VideoAnalysis", "DesktopClient"],
      ["Archive", "MobileClient"],
    ]);
  });

  it("Archive given to one stream leaves the other", async () => {
    const camera = await changed(
      streams({ AlternativeStreamSettings: { Roles: ["Archive", "MobileClient"] } }),
    );
    expect(rolesOf(camera)).toEqual([["DesktopClient"], ["Archive", "MobileClient"]]);
    expect(((await get()).ArchiveSettings as Json).ArchivingVideoStreamType).toBe("Alternative");
  });

  it("a stream that is switched off leaves Archive and VideoAnalysis to Main", async () => {
    await changed({ ArchiveSettings: { ArchivingVideoStreamType: "Alternative" } });
    const camera = await changed({ ConnectionSettings: { AltVideoStreamEnabled: false } });
    expect(rolesOf(camera)).toEqual([["Archive", "VideoAnalysis", "DesktopClient"], ["MobileClient"]]);
  });

  it("the third further stream can be recorded, and GET and PUT name it", async () => {
    const third = { VideoAdditionalParams: "rtsp://192.0.2.1/third", Roles: ["Archive"] };
    await changed(streams({ ThirdAlternativeStreamSettings: third }));
    const before = api.site.current;
    expect(((await get()).ArchiveSettings as Json).ArchivingVideoStreamType).toBe("ThirdAlternative");
    expect((await put([await get()])).status).toBe(200);
    expect(api.site.current).toBe(before);
  });
});

describe("a rejected array", () => {
  it("names each fault by path, of all cameras, and changes nothing", async () => {
    const before = api.site.current;
    const { status, json } = await put([
      changeOf(GATE_ID, { Name: "changed" }),
      changeOf(YARD_ID, { ArchiveSettings: { PreMotionDetectionRecSecs: 7 }, Disabled: "no" }),
      { Id: STORE_ID },
    ]);
    expect(status).toBe(400);
    expect(json.ErrorMessage).toBe(
      "[1].ArchiveSettings.PreMotionDetectionRecSecs: 1 to 6; [1].Disabled: true or false; " +
        "[2].ConnectionSettings.ModelId: is required: see GET /configure/devicemanufacturers",
    );
    expect(api.site.current).toBe(before);
  });

  it("names a bounded number of faults", async () => {
    const { json } = await put(Array.from({ length: 256 }, () => ({ Id: 5 })));
    expect(String(json.ErrorMessage)).toContain("; and 236 more");
    expect(String(json.ErrorMessage).length).toBeLessThan(3000);
  });

  it.each<[string, unknown, number, string]>([
    ["an id twice", [changeOf(GATE_ID), changeOf(GATE_ID.toUpperCase())], 409, "[1].Id: is already in [0]"],
    ["no id", [changeOf(null as unknown as string)], 400, "[0].Id: is required"],
    ["an id that is none", [changeOf("gate")], 400, "[0].Id: must be a camera's id"],
    [
      "an unknown id",
      [changeOf(GATE_ID), changeOf(OUTSIDE_FOLDER_ID)],
      404,
      `[1].Id: there is no channel ${OUTSIDE_FOLDER_ID}`,
    ],
    ["null for a camera", [null], 400, "[0].Id: is required"],
    ["a list for a camera", [[]], 400, "[0]: must be an object"],
    ["a text for a camera", ["x"], 400, "[0]: must be an object"],
    ["an object", {}, 400, "not a JSON array"],
    ["no JSON", "[{", 400, "not JSON"],
    ["nothing", "", 400, "not JSON"],
    [
      "a name in Latin-1",
      Buffer.from(`[{"Id":"${GATE_ID}","Name":"Entr\xe9e"}]`, "latin1"),
      400,
      "not UTF-8",
    ],
    ["257 cameras", Array(257).fill({}), 400, "more than 256 cameras"],
    ["10,000 numbers", Array(10_000).fill(1), 400, "more than 256 cameras"],
    ["100,000 lists in each other", "[".repeat(100_000), 400, "nests deeper than 64"],
    [
      "zones nested deep",
      `[{"AnalyzeSettings":{"MotionDetectorSettings":{"Zones":${"[".repeat(70)}${"]".repeat(70)}}}}]`,
      400,
      "nests deeper than 64",
    ],
    [
      "a number beyond all",
      `[{"Id":"${GATE_ID}","ConnectionSettings":{"SoundVolume":1e999}}]`,
      400,
      "SoundVolume: 0 to 100",
    ],
    ["NaN", `[{"Id":"${GATE_ID}","ConnectionSettings":{"SoundVolume":NaN}}]`, 400, "not JSON"],
    ["more than a megabyte", `["${"x".repeat(1024 * 1024)}"]`, 413, "larger than"],
  ])("of %s is refused", async (_what, body, status, words) => {
    const before = api.site.current;
    const answer = await put(body);
    expect([answer.status, answer.json.ErrorMessage]).toEqual([status, expect.stringContaining(words)]);
    expect(api.site.current).toBe(before);
  });
});

describe("PUT /configure/channels/{id}", () => {
  const putOne = (id: string, body: unknown) => sendJson(api, "PUT", `/configure/channels/${id}`, body);
  const withoutId = ({ Id: _id, ...members }: Json): Json => members;

  it("changes one camera; the object need not repeat the id", async () => {
    const body = withoutId(changeOf(GATE_ID, { Name: " Front gate " }));
    expect(await putOne(GATE_ID.toUpperCase(), body)).toEqual({
      status: 200,
      json: { ModifiedObjectsIds: [GATE_ID] },
      etag: '"8"',
    });
    expect(cameraOf(GATE_ID).name).toBe("Front gate");
  });

  it("names faults without an index", async () => {
    const { status, json } = await putOne(GATE_ID, { Id: YARD_ID, Name: "" });
    expect([status, json.ErrorMessage]).toEqual([
      400,
      "Id: contradicts the id in the request's path; ConnectionSettings.ModelId: is required: see GET " +
        "/configure/devicemanufacturers; Name: must not be empty",
    ]);
  });

  it.each([
    [OUTSIDE_FOLDER_ID, {}, 404],
    ["gate", {}, 404],
    [GATE_ID, [], 400],
    [GATE_ID, "null", 400],
    [GATE_ID, "5", 400],
  ])("of %s with %j is %i", async (id, body, status) => {
    expect((await putOne(id, body)).status).toBe(status);
  });
});

describe("concurrent edits", () => {
  const rename = (name: string) => [changeOf(GATE_ID, { Name: name })];

  it("GET answers the revision as ETag, and If-Match with it lets the change pass once", async () => {
    const { etag } = await sendJson(api, "GET", `/configure/channels/${GATE_ID}`);
    expect(etag).toBe('"7"');
    expect((await put(rename("one"), { "If-Match": '"7"' })).status).toBe(200);
    const { status, json } = await put(rename("two"), { "If-Match": '"7"' });
    expect([status, json.ErrorMessage]).toEqual([409, expect.stringContaining("read it again")]);
    expect(cameraOf(GATE_ID).name).toBe("one");
  });

  it.each(["7", "*", '"7"'])("If-Match: %s passes", async (value) => {
    expect((await put(rename("x"), { "If-Match": value })).status).toBe(200);
  });

  it("the parameter revision does the same, in POST and DELETE too", async () => {
    for (const [method, path] of [
      ["PUT", "/configure/channels?revision=6"],
      ["POST", "/configure/channels?revision=6"],
      ["PUT", `/configure/channels/${GATE_ID}?revision=6`],
      ["DELETE", `/configure/channels/${GATE_ID}?revision=6`],
    ] as const) {
      const body = path.includes(GATE_ID) ? changeOf(GATE_ID) : [];
      expect((await sendJson(api, method, path, body)).status, path).toBe(409);
    }
    expect((await sendJson(api, "PUT", "/configure/channels?revision=7", rename("x"))).status).toBe(200);
  });

  it.each(["seven", '"7', "-1", "W/7", "99999999999999999"])("If-Match: %s is 400", async (value) => {
    const { status, json } = await put(rename("x"), { "If-Match": value });
    expect([status, json.ErrorMessage]).toEqual([400, expect.stringContaining("header If-Match")]);
  });

  it("two changes of different members at once are both kept", async () => {
    const answers = await Promise.all([
      put([changeOf(GATE_ID, { Name: "both" })]),
      put([changeOf(GATE_ID, { Description: "kept" })]),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(cameraOf(GATE_ID)).toMatchObject({ name: "both", description: "kept" });
  });
});
