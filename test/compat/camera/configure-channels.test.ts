import { hostname, networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { ONVIF_MODEL, RTSP_MODEL } from "../../../src/camera/index.js";
import { type Camera, motionChoice } from "../../../src/site/index.js";
import { OUTSIDE_FOLDER_ID, SERVER_ID } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

type Json = Record<string, unknown>;

/** A camera object; `connection` and `rest` override its members. */
function cameraBody(connection: Json = {}, rest: Json = {}): Json {
  return {
    Name: "Ramp",
    ServerBindingsSettings: { OwnerServerId: SERVER_ID },
    ConnectionSettings: { ModelId: RTSP_MODEL.id, Hostname: "rtsp://192.0.2.9:8554/main", ...connection },
    ...rest,
  };
}

async function post(body: unknown): Promise<{ status: number; json: Json }> {
  const response = await fetch(api.url(`/configure/channels?${ROOT_QUERY}`), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Json };
}

async function added(body: Json): Promise<Camera> {
  const { status, json } = await post([body]);
  expect([status, json.CreatedObjectsIds]).toEqual([200, [expect.any(String)]]);
  const [id] = json.CreatedObjectsIds as string[];
  const camera = api.site.current.cameras.find((candidate) => candidate.id === id);
  if (camera === undefined) throw new Error("the camera is not there");
  return camera;
}

/** Every documented member at a value a program may well send, beside those `cameraBody` has. */
const FULL: Json = {
  Disabled: false,
  ServerBindingsSettings: {
    OwnerServerId: SERVER_ID,
    ReservedServerId: "00000000-0000-0000-0000-000000000000",
    ReplicationServerId: null,
  },
  ParentSecObjectId: null,
  Description: "by the ramp\r\nsecond pole",
  ConnectionSettings: {
    Hostname: "rtsp://192.0.2.9:8554/main",
    Login: "viewer",
    MainVideoStreamFormat: "MJPEG",
    AltVideoStreamEnabled: false,
    AltVideoStreamFormat: "H264",
    SoundReceivingEnabled: true,
    PtzEnabled: true,
    Ipv6Enabled: true,
    MultiChannelServerEnabled: false,
    MultiChannelServerChannelNum: 0,
    IoProcessingEnabled: true,
    SoundTransmittingEnabled: true,
    ExternalNetworkPorts: [{ DefaultPortValue: 80, PortValue: 8080 }],
    SoundVolume: 50,
    MainVideoAdditionalParams: "",
    AltVideoAdditionalParams: "",
    MainStreamRotationMode: "By180Degree",
    AltStreamRotationMode: "None",
    DirectNetworkConnectionToCameraEnabled: true,
    GpuClientVideoDecodingEnabled: true,
    AlternativeVideoDecoderEnabled: true,
    IsSecureConnectionEnabled: false,
    StreamSettings: {
      MainStreamSettings: {
        VideoStreamEnabled: true,
        VideoFormat: "MJPEG",
        VideoAdditionalParams: "",
        RotationMode: "By180Degree",
        Roles: ["Archive", "VideoAnalysis", "DesktopClient"],
      },
      AlternativeStreamSettings: {
        VideoStreamEnabled: false,
        VideoFormat: "H264",
        VideoAdditionalParams: "",
        RotationMode: "None",
        Roles: ["MobileClient"],
      },
    },
  },
  ArchiveSettings: {
    ArchivingDisabled: false,
    ArchivingMode: "MDandManual",
    ArchivingVideoStreamType: "Main",
    ArchivingMinDeepnessInDays: 7,
    ArchivingMaxDeepnessInDays: 30,
    ArchivingSoundDisabled: true,
    PreMotionDetectionRecSecs: 3,
    PostMotionDetectionRecSecs: 6,
    LimitRecordFpsAndOnlyIndepFramesEnabled: true,
    LimitedRecordFps: 12.5,
    DeviceArchiveEnabled: true,
    DeviceArchiveAutoSynchronizationEnabled: true,
  },
  AnalyzeSettings: {
    MotionDetectorEnabled: true,
    MotionDetectorSettings: {
      BuildInCameraDetectorEnabled: true,
      GenerationOfEventMotionStartAndEndEnabled: true,
      DetectOnlyIndependentFrames: true,
      CustomFpsEnabled: true,
      CustomFpsValue: 5,
      Zones: [
        {
          Points: [
            { X: 0.1, Y: 0.25 },
            { X: 1, Y: 0 },
            { X: 0.5, Y: 0.75 },
          ],
          Name: "gate\u0085",
          Colour: "red",
        },
      ],
    },
    AnalyzeStreamType: "Main",
    FaceDetectorEnabled: true,
    FaceDetectorMode: "OptimizedQuality",
    InteractiveSearchEnabled: true,
    InteractiveSearchSettings: { Depth: { Level: [1, 2] } },
    CameraEventSettings: { Marked: ["person", "doorbell"], Recorded: ["doorbell"] },
  },
  MapSettings: { Latitude: 58.01, Longitude: 56.23, IsOnMap: true },
};

describe("POST /configure/channels", () => {
  it("keeps every documented member, and GET gives each back as it was sent", async () => {
    const { ConnectionSettings, ...rest } = FULL;
    const { id } = await added(cameraBody(ConnectionSettings as Json, rest));
    const response = await api.get(`/configure/channels/${id}`);
    const root = api.site.current.rootSecurityObject.id;
    expect(await response.json()).toMatchObject({
      ...FULL,
      ParentSecObjectId: root,
      ServerBindingsSettings: { OwnerServerId: SERVER_ID, ReservedServerId: null, ReplicationServerId: null },
    });
  });

  it("keeps a function that the model does not have, while /configex claims only those that it has", async () => {
    const { id } = await added(cameraBody({ PtzEnabled: true, SoundTransmittingEnabled: true }));
    const configuration = (await (await api.get("/configex?responsetype=json")).json()) as {
      Channels: Json[];
    };
    const channel = configuration.Channels.find((candidate) => candidate.Id === id);
    expect(channel).toMatchObject({ IsPtzOn: false, IsTransmitSoundOn: true });
  });

  it("takes AnalyzeStreamType=Alternative of a camera without that stream as Main", async () => {
    const camera = await added(cameraBody({}, { AnalyzeSettings: { AnalyzeStreamType: "Alternative" } }));
    expect(camera.connection.streams.Main.roles).toContain("VideoAnalysis");
  });

  it("adds a camera by its RTSP address with the defaults, into the root folder, revision up by one", async () => {
    const camera = await added(cameraBody());
    expect(api.site.current.revision).toBe(8);
    expect(api.site.current.rootSecurityObject.channelIds).toContain(camera.id);
    expect(camera).toMatchObject({
      name: "Ramp",
      disabled: false,
      ownerServerId: SERVER_ID,
      archive: { archivingDisabled: false, archivingMode: "AlwaysOn", minDays: 0, maxDays: 0 },
      connection: {
        hostname: "rtsp://192.0.2.9:8554/main",
        login: "",
        password: "",
        streams: {
          Main: { enabled: true, roles: ["Archive", "VideoAnalysis", "DesktopClient", "MobileClient"] },
        },
      },
    });
  });

  it.each([
    ["detects motion of a new camera, by whoever can", {}, "automatic"],
    ["leaves motion alone where that is sent", { MotionDetectorEnabled: false }, "none"],
    [
      "leaves it to the camera where that is sent",
      { MotionDetectorSettings: { BuildInCameraDetectorEnabled: true } },
      "camera",
    ],
  ])("%s", async (_name, AnalyzeSettings, choice) => {
    const camera = await added({ ...cameraBody(), AnalyzeSettings });
    expect(motionChoice(camera)).toBe(choice);
  });

  it("moves credentials from the URL to Login and Password, percent-decoded", async () => {
    const { connection } = await added(
      cameraBody({ Hostname: "RTSPS://ad%40min:p%3Aw@ss@192.0.2.9/x?user=1" }),
    );
    expect(connection).toMatchObject({
      hostname: "rtsps://192.0.2.9/x?user=1",
      login: "ad@min",
      password: "p:w@ss",
    });
  });

  it("takes further streams from VideoAdditionalParams, of the newer and the older names", async () => {
    const streamSettings = {
      AlternativeStreamSettings: { Roles: ["VideoAnalysis"], VideoFormat: "Hevc" },
      ThirdAlternativeStreamSettings: {
        VideoAdditionalParams: "rtsp://viewer:x@192.0.2.9/third",
        Roles: ["Archive"],
      },
    };
    const { connection } = await added(
      cameraBody({
        Login: "viewer",
        Password: "x",
        AltVideoStreamEnabled: true,
        AltVideoAdditionalParams: "rtsp://192.0.2.9/alt",
        AltVideoStreamFormat: "Hevc",
        StreamSettings: streamSettings,
      }),
    );
    expect(connection.streams.Alternative).toEqual({
      enabled: true,
      format: "Hevc",
      additionalParams: "rtsp://192.0.2.9/alt",
      rotationMode: "None",
      roles: ["VideoAnalysis"],
    });
    expect(connection.streams.ThirdAlternative).toMatchObject({
      enabled: true,
      additionalParams: "rtsp://192.0.2.9/third",
      roles: ["Archive"],
    });
    expect(connection.streams.SecondAlternative.enabled).toBe(false);
  });

  it("puts the camera into the security object and on the map", async () => {
    const camera = await added(
      cameraBody({}, { ParentSecObjectId: OUTSIDE_FOLDER_ID, MapSettings: { Latitude: 1.5, Longitude: -2 } }),
    );
    expect(api.site.current.rootSecurityObject.children[0]?.channelIds).toContain(camera.id);
    expect([camera.latitude, camera.longitude]).toEqual([1.5, -2]);
  });

  it("shows the camera in GET without its secrets", async () => {
    const camera = await added(cameraBody({ Hostname: "rtsp://admin:hidden-secret@192.0.2.9/x" }));
    for (const path of ["/configure/channels", `/configure/channels/${camera.id}`, "/configex"]) {
      const text = await (await api.get(path)).text();
      expect(text).toContain(camera.id);
      expect(text).not.toContain("hidden-secret");
    }
    expect(JSON.stringify(api.logLines)).not.toContain("hidden-secret");
    const one = (await (await api.get(`/configure/channels/${camera.id}`)).json()) as Json;
    expect(one.ConnectionSettings).toMatchObject({
      Login: "admin",
      Password: null,
      Hostname: "rtsp://192.0.2.9/x",
    });
  });

  it("takes back what GET gave, as a new camera", async () => {
    const [first] = (await (await api.get("/configure/channels")).json()) as Json[];
    const { status } = await post([{ ...first, Id: null }]);
    expect(status).toBe(200);
  });

  it("takes an empty array and changes nothing", async () => {
    expect(await post([])).toEqual({ status: 200, json: { CreatedObjectsIds: [] } });
    expect(api.site.current.revision).toBe(7);
  });
});

describe("a rejected array", () => {
  it.each<[string, Json, string]>([
    [
      "not a server",
      cameraBody({}, { ServerBindingsSettings: {} }),
      "[1].ServerBindingsSettings.OwnerServerId: is required",
    ],
    [
      "a foreign server",
      cameraBody({}, { ServerBindingsSettings: { OwnerServerId: OUTSIDE_FOLDER_ID } }),
      "not a server",
    ],
    ["no model", cameraBody({ ModelId: null }), "[1].ConnectionSettings.ModelId: is required"],
    ["an unknown model", cameraBody({ ModelId: OUTSIDE_FOLDER_ID }), "not a known model"],
    ["no hostname", cameraBody({ Hostname: undefined }), "[1].ConnectionSettings.Hostname: is required"],
    ["an http URL", cameraBody({ Hostname: "http://192.0.2.9/" }), "Hostname: must be a complete rtsp://"],
    ["a URL without a host", cameraBody({ Hostname: "rtsp:///x" }), "Hostname: must be a complete rtsp://"],
    ["a URL with a line break", cameraBody({ Hostname: "rtsp://a/\r\nX: y" }), "control characters"],
    [
      "two logins",
      cameraBody({ Hostname: "rtsp://a:b@c/", Login: "x" }),
      "[1].ConnectionSettings.Hostname: contradicts the login in [1].ConnectionSettings.Login",
    ],
    [
      "a stream without a URL",
      cameraBody({ AltVideoStreamEnabled: true }),
      "AlternativeStreamSettings.VideoAdditionalParams",
    ],
    ["a bad format", cameraBody({ MainVideoStreamFormat: "VP9" }), "MainVideoStreamFormat: one of MJPEG"],
    [
      "a contradiction",
      cameraBody({
        MainVideoStreamFormat: "H264",
        StreamSettings: { MainStreamSettings: { VideoFormat: "Hevc" } },
      }),
      "MainStreamSettings.VideoFormat: contradicts",
    ],
    [
      "one role on two streams",
      cameraBody({
        AltVideoAdditionalParams: "rtsp://a/b",
        StreamSettings: {
          MainStreamSettings: { Roles: ["Archive"] },
          AlternativeStreamSettings: { Roles: ["Archive"] },
        },
      }),
      "Archive can be given to one stream only",
    ],
    ["half a position", cameraBody({}, { MapSettings: { Latitude: 5 } }), "both Latitude and Longitude"],
    [
      "a latitude out of range",
      cameraBody({}, { MapSettings: { Latitude: 91, Longitude: 1 } }),
      "Latitude: -90 to 90",
    ],
    [
      "days that cross",
      cameraBody({}, { ArchiveSettings: { ArchivingMinDeepnessInDays: 9, ArchivingMaxDeepnessInDays: 3 } }),
      "ArchivingMinDeepnessInDays",
    ],
    [
      "motion seconds out of range",
      cameraBody({}, { ArchiveSettings: { PreMotionDetectionRecSecs: 7 } }),
      "ArchiveSettings.PreMotionDetectionRecSecs: 1 to 6",
    ],
    [
      "half a port",
      cameraBody({ ExternalNetworkPorts: [{ PortValue: 80 }] }),
      "ConnectionSettings.ExternalNetworkPorts[0].DefaultPortValue: is required",
    ],
    [
      "this server as its own reserve",
      cameraBody({}, { ServerBindingsSettings: { OwnerServerId: SERVER_ID, ReservedServerId: SERVER_ID } }),
      "[1].ServerBindingsSettings.ReservedServerId: is this server",
    ],
    [
      "a replication server that is no id",
      cameraBody({}, { ServerBindingsSettings: { OwnerServerId: SERVER_ID, ReplicationServerId: "two" } }),
      "[1].ServerBindingsSettings.ReplicationServerId: must be a server's id, or null",
    ],
    [
      "secure connections only, to an address without",
      cameraBody({ IsSecureConnectionEnabled: true }),
      "ConnectionSettings.IsSecureConnectionEnabled: contradicts an rtsp:// or rtsp+http:// URL",
    ],
    [
      "zones of a megabyte",
      cameraBody({}, { AnalyzeSettings: { MotionDetectorSettings: { Zones: ["z".repeat(5000)] } } }),
      "AnalyzeSettings.MotionDetectorSettings.Zones: at most 4096",
    ],
    [
      "recording a stream that is off",
      cameraBody({ StreamSettings: { AlternativeStreamSettings: { Roles: ["Archive"] } } }),
      "AlternativeStreamSettings.Roles: a stream that is switched off cannot have Archive",
    ],
    ["a name that is no text", cameraBody({}, { Name: 5 }), "[1].Name: must be a text"],
    [
      "a section that is no object",
      cameraBody({}, { ArchiveSettings: [] }),
      "[1].ArchiveSettings: must be an object",
    ],
    ["an id", cameraBody({}, { Id: OUTSIDE_FOLDER_ID }), "[1].Id: is given by the server"],
  ])("for %s names the member by path and changes nothing", async (_what, body, text) => {
    const before = api.site.current;
    const { status, json } = await post([cameraBody(), body]);
    const isUnknown = /^not a (?:server|known model)$/.test(text);
    expect([status, json.ErrorMessage]).toEqual([isUnknown ? 404 : 400, expect.stringContaining(text)]);
    expect(api.site.current).toBe(before);
  });

  it("names every fault of all its cameras, and no password", async () => {
    const { json } = await post([{ Name: 1 }, cameraBody({ Hostname: "http://u:hidden-secret@a/" })]);
    const text = String(json.ErrorMessage);
    for (const path of [
      "[0].Name",
      "[0].ServerBindingsSettings.OwnerServerId",
      "[1].ConnectionSettings.Hostname",
    ]) {
      expect(text).toContain(path);
    }
    expect(text).not.toContain("hidden-secret");
  });

  it.each<[string, unknown, string]>([
    ["that is no JSON", "{", "not JSON"],
    ["that is no array", "{}", "not a JSON array"],
    ["of no objects", "[1, null]", "[0]: must be an object"],
    ["with too many cameras", Array.from({ length: 257 }, () => cameraBody()), "more than 256"],
  ])("or a body %s is 400", async (_what, body, text) => {
    const { status, json } = await post(body);
    expect([status, json.ErrorMessage]).toEqual([400, expect.stringContaining(text)]);
  });
});

it("GET /configure/channels/{id} of an unknown id is 404 in JSON", async () => {
  const response = await api.get(`/configure/channels/${OUTSIDE_FOLDER_ID}`);
  expect(response.status).toBe(404);
  expect(await response.json()).toHaveProperty("ErrorMessage");
});

describe("a camera that is added", () => {
  const ONVIF = { ModelId: ONVIF_MODEL.id, Hostname: "192.0.2.30" };

  it("is warned of where another one has its name, in whatever case", async () => {
    const { json } = await post([cameraBody({}, { Name: "gate" })]);
    expect(json.Warnings).toEqual([
      "cameras with one name, which lists and alarms cannot distinguish: Gate, gate",
    ]);
  });

  it("is warned of where another one is the same device", async () => {
    await post([cameraBody(ONVIF)]);
    const { json } = await post([cameraBody(ONVIF, { Name: "Ramp 2" })]);
    expect(json.Warnings).toEqual([
      "cameras that are the same device, so that it is recorded twice: Ramp, Ramp 2",
    ]);
  });

  it("is not warned of what is said of others", async () => {
    await post([cameraBody({}, { Name: "gate" })]);
    expect((await post([cameraBody()])).json).not.toHaveProperty("Warnings");
  });
});

describe("the recorder's own RTSP server", () => {
  const own = (host: string): string => `rtsp://${host}:${api.server.reach.rtspPort}/rtsp?channelid=1`;

  const SPELLINGS = ["[0:0::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]"];

  it.each(["127.0.0.1", "127.9.9.9", "localhost", "[::1]", ...SPELLINGS, hostname(), `${hostname()}.local`])(
    "is no camera of itself at %s, which is said",
    async (host) => {
      const { status, json } = await post([cameraBody({ Hostname: own(host) })]);
      expect([status, JSON.stringify(json)]).toEqual([
        400,
        expect.stringContaining("is the recorder's own RTSP server: give the address of a camera"),
      ]);
    },
  );

  it("is none at an address of a network card either", async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((known) => known ?? []);
    const [lan] = addresses.filter(({ family, internal }) => family === "IPv4" && !internal);
    const { status } = await post([cameraBody({ Hostname: own(lan?.address ?? "127.0.0.1") })]);
    expect(status).toBe(400);
  });

  it("is none as a camera's second stream", async () => {
    const StreamSettings = { AlternativeStreamSettings: { VideoAdditionalParams: own("127.0.0.1") } };
    expect((await post([cameraBody({ StreamSettings })])).status).toBe(400);
  });

  it("is another one at another port, or on another machine", async () => {
    const port = api.server.reach.rtspPort;
    for (const Hostname of [`rtsp://127.0.0.1:${port + 1}/rtsp`, `rtsp://192.0.2.7:${port}/rtsp`])
      expect((await post([cameraBody({ Hostname })])).status).toBe(200);
  });
});
