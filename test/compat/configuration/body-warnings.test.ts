import { describe, expect, it } from "vitest";
import { RTSP_MODEL } from "../../../src/camera/index.js";
import { CONFIGURATION_ROUTES } from "../../../src/compat/configuration/index.js";
import { startAdministration } from "../../support/api/administration.js";
import { GATE_ID, GUARDS_ID } from "../../support/api/api-fakes.js";

const { id: RTSP_MODEL_ID } = RTSP_MODEL;
const warningsOf = (json: unknown): unknown => (json as { Warnings?: unknown }).Warnings;

/** What the recorder says of members of a configuration body that it does not read. */
describe("a camera object with members that nobody reads", () => {
  const change = (members: Record<string, unknown>): Record<string, unknown> => ({
    Id: GATE_ID,
    ConnectionSettings: { ModelId: RTSP_MODEL_ID },
    ...members,
  });

  it("is taken, and the answer names each by its path, however deep", async () => {
    const admin = await startAdministration();
    const { status, json } = await admin.call("PUT", "/configure/channels", [
      change({
        Name: "Gate 2",
        ConnectionSettings: {
          ModelId: RTSP_MODEL_ID,
          StreamSettings: { AlternativeStreamSettings: { Bitrate: 5 } },
        },
        Colour: "red",
      }),
    ]);
    expect(status).toBe(200);
    expect(json).toEqual({
      ModifiedObjectsIds: [GATE_ID],
      Warnings: [
        "[0].ConnectionSettings.StreamSettings.AlternativeStreamSettings.Bitrate: there is no such member, it was not read",
        "[0].Colour: there is no such member, it was not read",
      ],
    });
    expect(admin.site.cameras[0]?.name).toBe("Gate 2");
  });

  it("is told where a member in the wrong place belongs", async () => {
    const admin = await startAdministration();
    const { json } = await admin.call(
      "PUT",
      `/configure/channels/${GATE_ID}`,
      change({ AnalyzeSettings: { buildInCameraDetectorEnabled: true } }),
    );
    expect(warningsOf(json)).toEqual([
      "AnalyzeSettings.buildInCameraDetectorEnabled: there is no such member, it was not read; " +
        "BuildInCameraDetectorEnabled belongs into AnalyzeSettings.MotionDetectorSettings",
    ]);
  });

  it("is told so when it is added, and no value is repeated", async () => {
    const admin = await startAdministration();
    const { status, text, json } = await admin.call("POST", "/configure/channels", [
      {
        ServerBindingsSettings: { OwnerServerId: admin.site.server.id },
        ConnectionSettings: { ModelId: RTSP_MODEL_ID, Hostname: "rtsp://192.0.2.1/main", Pasword: "hush" },
      },
    ]);
    expect([status, warningsOf(json)]).toEqual([
      200,
      ["[0].ConnectionSettings.Pasword: there is no such member, it was not read"],
    ]);
    expect(text).not.toContain("hush");
  });

  it("gets no list where all of it was read: in any case, flattened, or whole as GET gives it", async () => {
    const admin = await startAdministration();
    const whole = (await admin.call("GET", `/configure/channels/${GATE_ID}`)).json;
    for (const body of [
      whole,
      { ConnectionSettingsModelId: RTSP_MODEL_ID, mapsettingslatitude: 1, MapSettingsLongitude: 1 },
      change({ ConnectionSettings: { modelid: RTSP_MODEL_ID, ClearPassword: true } }),
      change({ AnalyzeSettings: { InteractiveSearchSettings: { anything: { at: "all" } } } }),
      change({ AnalyzeSettings: { MotionDetectorSettings: { CustomFpsValue: 5 } } }),
      change({ ArchiveSettings: { Schedule: { monday: [{ From: "08:00", To: "09:00" }] } } }),
    ])
      expect(await admin.call("PUT", `/configure/channels/${GATE_ID}`, body)).toMatchObject({
        status: 200,
        json: { ModifiedObjectsIds: [GATE_ID] },
        text: expect.not.stringContaining("Warnings"),
      });
  });

  it("gets at most twenty warnings, short ones, and the number of the others", async () => {
    const admin = await startAdministration();
    const members = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`x${index}`.repeat(100), 1]),
    );
    const { json } = await admin.call("PUT", `/configure/channels/${GATE_ID}`, change(members));
    const warnings = warningsOf(json) as string[];
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe("and 30 more");
    for (const warning of warnings) expect(warning.length).toBeLessThan(120);
  });
});

describe("other bodies of the configuration with members that nobody reads:", () => {
  it("a group's, among its rights too", async () => {
    const admin = await startAdministration();
    const { status, json } = await admin.call("PUT", "/configure/groups", [
      { Id: GUARDS_ID, Rights: { CanFly: true, CanPTZ: false }, CanPTZ: true },
    ]);
    expect([status, warningsOf(json)]).toEqual([
      200,
      [
        "[0].Rights.CanFly: there is no such member, it was not read",
        "[0].CanPTZ: there is no such member, it was not read; CanPTZ belongs into Rights",
      ],
    ]);
  });

  it("settings: the answer is the whole object, and the list", async () => {
    const admin = await startAdministration();
    const { status, json } = await admin.call("PUT", "/configure/server", { Name: "Depot", Nam: "Depot" });
    expect([status, json]).toMatchObject([
      200,
      { Name: "Depot", Warnings: ["Nam: there is no such member, it was not read"] },
    ]);
  });

  it("folders within folders", async () => {
    const admin = await startAdministration();
    const deep = { Name: "deep", Colour: 3 };
    const folder = { Name: "one", ChildLocations: [], ChildFolders: [{ Name: "two", ChildFolders: [deep] }] };
    const { json } = await admin.call("PUT", "/configure/locations", { Locations: folder });
    expect(JSON.stringify(json)).toContain("ChildFolders[0].ChildFolders[0].Colour: there is no such member");
  });

  it("each object of the configuration as GET gives it is read whole", async () => {
    const admin = await startAdministration();
    const paths = CONFIGURATION_ROUTES.filter(
      ({ method, path }) => method === "PUT" && path.startsWith("/configure/"),
    );
    expect(paths.length).toBeGreaterThan(8);
    for (const { path } of paths) {
      const before = (await admin.call("GET", path)).json;
      // The tree is given as one object, and taken as a list of folders.
      const body = path.endsWith("securityobjects") ? [before] : before;
      const { status, text } = await admin.call("PUT", path, body);
      expect([path, status, text]).toEqual([path, 200, expect.not.stringContaining("Warnings")]);
    }
  });
});
