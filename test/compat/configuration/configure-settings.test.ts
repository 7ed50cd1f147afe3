import { beforeEach, describe, expect, it } from "vitest";
import { type Administration, errorOf, startAdministration } from "../../support/api/administration.js";
import { GATE_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";

const NOBODY = "99999999-0000-4000-8000-000000000001";
type Json = Record<string, unknown>;

let admin: Administration;
beforeEach(async () => {
  admin = await startAdministration();
});

const configex = async (): Promise<Json> =>
  (await admin.call("GET", "/configex?responsetype=json")).json as Json;

describe("/configure/monitoring", () => {
  it("shows the settings in the members of the reference", async () => {
    expect(await admin.call("GET", "/configure/monitoring")).toMatchObject({
      status: 200,
      text: JSON.stringify({
        MonitoringEnabled: false,
        Password: null,
        MonitoringUrl: "",
        MonitoringNewServerEnabled: false,
        MonitoringPushIntervalSeconds: 60,
        ServerIds: [],
        ProxySettings: { ProxyServerEnabled: false, ProxyServerId: null, ProxyUrl: "" },
      }),
    });
  });

  it("keeps what is given, never shows the password, and keeps it when sent back", async () => {
    const serverId = admin.site.server.id;
    const given = {
      MonitoringEnabled: true,
      Password: "hunter2",
      MonitoringUrl: "https://monitoring.example/push",
      MonitoringNewServerEnabled: true,
      MonitoringPushIntervalSeconds: 30,
      ServerIds: [serverId.toUpperCase()],
      ProxySettings: {
        ProxyServerEnabled: true,
        ProxyServerId: serverId,
        ProxyUrl: "http://proxy.example:3128",
      },
    };
    const shown = { ...given, Password: null, ServerIds: [serverId] };
    const { json } = await admin.call("PUT", "/configure/monitoring", given);
    expect(json).toEqual(shown);
    expect(admin.site.monitoring.password).toBe("hunter2");
    const again = await admin.call("PUT", "/configure/monitoring", json);
    expect([again.json, again.etag, admin.site.monitoring.password]).toEqual([shown, '"3"', "hunter2"]);
    await admin.call("PUT", "/configure/monitoring", { Password: "", MonitoringUrl: null });
    expect(admin.site.monitoring).toMatchObject({ password: "hunter2", url: given.MonitoringUrl });
    await admin.call("PUT", "/configure/monitoring", { ClearPassword: true });
    expect(admin.site.monitoring.password).toBe("");
  });

  it.each<[Json, string]>([
    [{ MonitoringEnabled: 1 }, "MonitoringEnabled: true or false"],
    [{ MonitoringUrl: "ftp://x" }, "MonitoringUrl: an http:// or https:// URL, or empty"],
    [{ MonitoringPushIntervalSeconds: 0 }, "MonitoringPushIntervalSeconds: a whole number 1 to 86400"],
    [{ MonitoringPushIntervalSeconds: 1.5 }, "MonitoringPushIntervalSeconds: a whole number"],
    [{ ServerIds: [NOBODY] }, "ServerIds[0]: not a server of this configuration"],
    [{ ProxySettings: { ProxyServerId: NOBODY } }, "ProxySettings.ProxyServerId: not a server"],
    [{ ProxySettings: [] }, "ProxySettings: an object"],
    [{ ProxySettings: { ProxyUrl: "http://u:p@proxy.example" } }, "ProxySettings.ProxyUrl: http://, a host"],
    [{ Password: 7 }, "Password: a text"],
  ])("refuses %j", async (body, message) => {
    const answer = await admin.call("PUT", "/configure/monitoring", body);
    const status = message.includes("not a server") ? 404 : 400;
    expect([answer.status, errorOf(answer).startsWith(message)]).toEqual([status, true]);
    expect(admin.site.revision).toBe(2);
  });
});

describe("/configure/mobile", () => {
  it("changes the given members of the given levels, and /configex shows them", async () => {
    const { status } = await admin.call("PUT", "/configure/mobile", {
      FpsLimit: 12,
      Port: 8090,
      Resolutions: [{ Type: "Middle", Width: 800, Height: 450 }],
    });
    expect(status).toBe(200);
    expect((await admin.call("GET", "/configure/mobile")).json).toEqual({
      IsEnabled: true,
      IsProxyEnabled: false,
      IsMobilePushEnabled: false,
      Port: 8090,
      UsePFrames: false,
      FpsLimit: 12,
      Resolutions: [
        { Type: "Low", Width: 320, Height: 180, IsEnabled: true, FpsLimit: 10, UsePFrames: false },
        { Type: "Middle", Width: 800, Height: 450, IsEnabled: true, FpsLimit: 15, UsePFrames: false },
        { Type: "High", Width: 1280, Height: 720, IsEnabled: true, FpsLimit: 25, UsePFrames: false },
      ],
    });
    expect((await configex()).MobileServerInfo).toMatchObject({ Port: 8090, MiddleResolution: "800 x 450" });
  });

  it.each<[Json, string]>([
    [{ Resolutions: [{ Type: "Huge" }] }, "Resolutions[0].Type: Low, Middle, High"],
    [{ Resolutions: [{ Width: 1 }] }, "Resolutions[0].Type: is required"],
    [{ Resolutions: [{ Type: "Low", Width: 8000 }] }, "Resolutions[0].Width: a whole number 16 to 7680"],
    [{ Resolutions: [{ Type: "Low" }, { Type: "Low" }] }, "Resolutions[1].Type: occurs twice in the list"],
    [{ Port: 0 }, "Port: a whole number 1 to 65535"],
    [{ FpsLimit: 241 }, "FpsLimit: a whole number 1 to 240"],
  ])("refuses %j", async (body, message) => {
    const answer = await admin.call("PUT", "/configure/mobile", body);
    expect([answer.status, errorOf(answer).startsWith(message)]).toEqual([400, true]);
  });
});

describe("/configure/rtsp and /configure/server", () => {
  it("keep what is given, and /configex shows it", async () => {
    expect(
      (await admin.call("PUT", "/configure/rtsp", { TcpPort: 8554, IsMjpegEnabled: false })).json,
    ).toEqual({
      IsEnabled: true,
      TcpPort: 8554,
      IsMjpegEnabled: false,
    });
    expect(
      (await admin.call("PUT", "/configure/server", { Name: "Depot", UseTimeZones: true })).json,
    ).toEqual({
      Id: admin.site.server.id,
      Name: "Depot",
      UseTimeZones: true,
    });
    const shown = await configex();
    expect(shown).toMatchObject({
      UseTimeZones: true,
      RtspServerInfo: { TcpPort: 8554 },
      Servers: [{ Name: "Depot" }],
    });
    await admin.call("PUT", "/configure/rtsp", { TcpPort: null });
    expect((await configex()).RtspServerInfo).toMatchObject({ TcpPort: 554 });
  });
});

describe("/configure/locations", () => {
  const tree = {
    Name: "World",
    ChildLocations: [{ Name: "Depot", Latitude: 58.01, Longitude: 56.23, Zoom: 14.5 }],
    ChildFolders: [{ Name: "North", ChildLocations: [], ChildFolders: [] }],
  };

  it("takes the tree as a whole, and /configex shows it", async () => {
    expect((await admin.call("PUT", "/configure/locations", { Locations: tree })).json).toEqual({
      Locations: tree,
    });
    expect((await configex()).WorldMapConfig).toEqual({ Locations: tree });
    expect((await admin.call("PUT", "/configure/locations", {})).etag).toBe('"3"');
  });

  it.each<[Json, string]>([
    [{ ChildLocations: [{ Name: "x", Latitude: 91, Longitude: 0 }] }, "Latitude: degrees from -90 to 90"],
    [{ ChildLocations: [{ Name: "x", Latitude: 1 }] }, "Locations.ChildLocations[0].Longitude: is required"],
    [{ ChildFolders: [{ ChildFolders: [7] }] }, "Locations.ChildFolders[0].ChildFolders[0]: an object"],
  ])("refuses %j", async (locations, message) => {
    const answer = await admin.call("PUT", "/configure/locations", { Locations: locations });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toContain(message);
  });

  it("refuses folders that are too deep", async () => {
    const deep = (levels: number): Json => (levels === 0 ? {} : { ChildFolders: [deep(levels - 1)] });
    const answer = await admin.call("PUT", "/configure/locations", { Locations: deep(17) });
    expect([answer.status, errorOf(answer)]).toEqual([400, expect.stringContaining("levels")]);
    expect((await admin.call("PUT", "/configure/locations", { Locations: deep(16) })).status).toBe(200);
  });
});

describe("/configure/views", () => {
  it("adds, shows, changes and deletes views", async () => {
    const { json } = await admin.call("POST", "/configure/views", [
      { Name: "Doors", GridType: "GridType4", ChannelIds: [GATE_ID, YARD_ID, GATE_ID] },
    ]);
    const [id] = (json as { CreatedObjectsIds: string[] }).CreatedObjectsIds;
    const view = {
      ...{ Id: id, Name: "Doors", GridType: "GridType4", ChannelIds: [GATE_ID, YARD_ID, GATE_ID] },
      ...{ IsFilled: false, RotationSeconds: 0 },
    };
    expect((await admin.call("GET", "/configure/views")).json).toEqual([
      { ...view, AllGroups: true, GroupIds: [] },
    ]);
    await admin.call("PUT", "/configure/views", [{ Id: id, AllGroups: false }]);
    expect((await admin.call("GET", `/configure/views/${id}`)).json).toEqual({
      ...view,
      AllGroups: false,
      GroupIds: [],
    });
    expect((await admin.call("DELETE", `/configure/views/${id}`)).status).toBe(200);
    expect(admin.site.views).toEqual([]);
  });

  it.each<[Json, string]>([
    [{ Name: "x", ChannelIds: [NOBODY] }, "[0].ChannelIds: no channel has the id"],
    [{ Name: "x", GroupIds: [NOBODY] }, "[0].GroupIds: no group has the id"],
    [{ Name: "x", GroupIds: [NOBODY], AllGroups: true }, "[0].GroupIds: contradicts AllGroups: true"],
    [{}, "[0].Name: is required"],
  ])("refuses %j", async (body, message) => {
    const answer = await admin.call("POST", "/configure/views", [body]);
    expect(errorOf(answer)).toContain(message);
  });

  it("refuses two of one name in one body", async () => {
    const answer = await admin.call("POST", "/configure/views", [{ Name: "A" }, { Name: "a" }]);
    expect(errorOf(answer)).toContain("[0].Name: another view has this name; [1].Name: another view");
  });
});

describe("/configure/userscenarios", () => {
  it("are shown at their channels in /configex", async () => {
    const { json } = await admin.call("POST", "/configure/userscenarios", [
      { Name: "Open gate", NeedConfirmation: true, ChannelIds: [GATE_ID] },
    ]);
    const [Id] = (json as { CreatedObjectsIds: string[] }).CreatedObjectsIds;
    const channels = (await configex()).Channels as { Id: string; UserScenarios: unknown }[];
    expect(channels.map((channel) => [channel.Id, channel.UserScenarios])).toEqual([
      [GATE_ID, [{ Id, Name: "Open gate", NeedConfirmation: true }]],
      [YARD_ID, []],
      [STORE_ID, []],
    ]);
  });

  it("names the fault", async () => {
    const answer = await admin.call("POST", "/configure/userscenarios", [
      { Name: "x", NeedConfirmation: "no", ChannelIds: {} },
    ]);
    expect(errorOf(answer)).toContain("[0].NeedConfirmation: true or false; [0].ChannelIds: a list");
  });
});
