import { describe, expect, it } from "vitest";
import {
  type ConfigurationView,
  describeConfiguration,
} from "../../../src/compat/configuration/configuration-description.js";
import { toJson } from "../../../src/route/answer/description.js";
import { documentText } from "../../../src/route/answer/document-text.js";
import { DEFAULT_CAMERA_OPTIONS, GROUP_RIGHTS, type Site, type UserGroup } from "../../../src/site/index.js";
import {
  GATE_ID,
  GUARDS_ID,
  guardsGroup,
  rights,
  STORE_ID,
  sampleSite,
  YARD_ID,
} from "../../support/api/api-fakes.js";
import { configurationView, principalOf } from "../../support/api/configuration-view.js";

interface Folder {
  Id: string;
  Name: string | null;
  ChildSecObjects: Folder[];
  ChildChannels: string[];
}

interface Configuration {
  SenderId: string;
  Servers: Record<string, unknown>[];
  Channels: ({ Id: string; UserScenarios: { Name: string }[] } & Record<string, unknown>)[];
  RootSecObject: Folder;
  UserGroup: Record<string, unknown>;
  MobileServerInfo: Record<string, unknown> & { Resolutions: { IsEnabled: boolean }[] };
  RtspServerInfo: Record<string, unknown>;
  MobileDevicesCapabilities: Record<string, boolean>;
}

const shown = (change: Partial<ConfigurationView> = {}): Configuration =>
  toJson(describeConfiguration(configurationView(change))) as Configuration;

/** The site as the guards see it when their group is this. */
function asGuard(change: Partial<UserGroup>, site: Site = sampleSite()): Partial<ConfigurationView> {
  const groups = site.groups.map((group) => (group.seniorAdministrators ? group : guardsGroup(change)));
  const changed = { ...site, groups };
  return { site: changed, principal: principalOf(changed, GUARDS_ID) };
}

describe("the servers of /configex", () => {
  it("are this one and its partners", () => {
    const partner = { id: "00000001-0000-4000-8000-0000000000cc", name: "Gatehouse" };
    const reach = { address: "192.0.2.11", httpPort: 80, httpsPort: 443 };
    const { SenderId, Servers } = shown({ partners: [{ ...partner, ...reach }] });

    expect(Servers.map(({ Id }) => Id)).toEqual([SenderId, partner.id]);
    expect(Servers[1]).toEqual({
      ...{ Id: partner.id, Name: "Gatehouse", Url: "http://192.0.2.11:80", PrimaryIp: "192.0.2.11" },
      ...{
        PrimaryPort: "80",
        PrimarySslPort: "443",
        SecondaryIp: "",
        SecondaryPort: "0",
        SecondarySslPort: "0",
      },
      ConnectionUrl: null,
    });
  });
});

describe("the rights of /configex", () => {
  it("are the group's", () => {
    for (const right of GROUP_RIGHTS.filter((name) => name !== "IsAllForbidden")) {
      const { UserGroup } = shown(asGuard({ rights: rights({ [right]: false }) }));
      const refused = GROUP_RIGHTS.filter((name) => UserGroup[name] === false);
      expect(refused).toEqual(GROUP_RIGHTS.filter((name) => name === right || name === "IsAllForbidden"));
    }
  });

  it("of senior administrators are all, whatever their group's switches say", () => {
    const site = sampleSite();
    const groups = site.groups.map((group) => ({
      ...group,
      rights: rights({ CanPTZ: false, IsAllForbidden: true }),
    }));
    const changed = { ...site, groups };
    const principal = { ...principalOf(changed), maySee: () => true };
    expect(shown({ site: changed, principal }).UserGroup).toMatchObject({
      CanPTZ: true,
      IsAllForbidden: false,
    });
  });

  it("of a group that is forbidden everything are none, and it is shown no channel and no folder", () => {
    const answer = shown(asGuard({ rights: rights({ IsAllForbidden: true }) }));
    expect(GROUP_RIGHTS.filter((name) => answer.UserGroup[name] === true)).toEqual(["IsAllForbidden"]);
    expect(answer.Channels).toEqual([]);
    expect(answer.RootSecObject).toMatchObject({ ChildSecObjects: [], ChildChannels: [] });
  });

  it("say of each channel whether it may be watched live and from the archive", () => {
    const answer = shown(asGuard({ realtimeChannels: [GATE_ID], archiveChannels: [YARD_ID] }));
    const allowed = answer.Channels.map(({ Id, AllowedRealtime, AllowedArchive }) => [
      Id,
      AllowedRealtime,
      AllowedArchive,
    ]);
    expect(allowed).toEqual([
      [GATE_ID, true, false],
      [YARD_ID, false, true],
    ]);
  });
});

describe("a channel the user may not see", () => {
  const scenario = { name: "Lock", needConfirmation: false };
  const site: Site = {
    ...sampleSite(),
    userScenarios: [
      {
        ...scenario,
        id: "99999999-0000-4000-8000-000000000001",
        name: "Of the store",
        channelIds: [STORE_ID],
      },
      { ...scenario, id: "99999999-0000-4000-8000-000000000002", channelIds: [GATE_ID, STORE_ID] },
    ],
  };

  it("stands in no list, neither do its scenarios", () => {
    const view = configurationView(asGuard({}, site));
    for (const text of [
      documentText(describeConfiguration(view), "xml"),
      JSON.stringify(toJson(describeConfiguration(view))),
    ]) {
      expect(text).not.toContain(STORE_ID);
      expect(text).not.toContain("Store");
      expect(text).not.toContain("Of the store");
      expect(text).toContain("Lock");
    }
  });

  it("takes a folder that holds nothing else with it, and one above that holds nothing else", () => {
    const inner = {
      id: "33333333-0000-4000-8000-000000000004",
      name: "Inner",
      children: [],
      channelIds: [STORE_ID],
    };
    const outer = {
      id: "33333333-0000-4000-8000-000000000003",
      name: "Outer",
      children: [inner],
      channelIds: [],
    };
    const root = { ...site.rootSecurityObject, channelIds: [GATE_ID] };
    const nested = { ...site, rootSecurityObject: { ...root, children: [...root.children, outer] } };
    const names = (folder: Folder): unknown =>
      folder.ChildSecObjects.map((child) => [child.Name, names(child)]);
    expect(names(shown(asGuard({}, nested)).RootSecObject)).toEqual([["Outside", []]]);
    expect(names(shown({ site: nested }).RootSecObject)).toEqual([
      ["Outside", []],
      ["Outer", [["Inner", []]]],
    ]);
  });

  it("hides scenarios from those who may run none", () => {
    const scenarios = (view: Partial<ConfigurationView>): number =>
      shown(view).Channels.flatMap((channel) => channel.UserScenarios).length;
    expect(scenarios(asGuard({}, site))).toBe(1);
    expect(scenarios(asGuard({ rights: rights({ CanRunUserScenarios: false }) }, site))).toBe(0);
  });
});

describe("what /configex says the server can do", () => {
  it("follows from its routes", () => {
    const paths = ["/configex", "/command", "/archivefragments", "/mobile", "/ptz", "/hls"];
    const none = shown({ servedPaths: new Set(["/configex"]) });
    expect(none.MobileDevicesCapabilities).toMatchObject({
      Archive: false,
      Ptz: false,
      Hls: false,
      Profiles: false,
    });
    expect(none.MobileServerInfo.IsEnabled).toBe(false);
    expect(none.MobileServerInfo.Resolutions.map((level) => level.IsEnabled)).toEqual([false, false, false]);
    const all = shown({ servedPaths: new Set(paths) });
    expect(all.MobileDevicesCapabilities).toMatchObject({
      Archive: true,
      Ptz: true,
      Hls: true,
      Profiles: true,
    });
    expect(all.MobileServerInfo.IsEnabled).toBe(true);
    expect(all.MobileServerInfo.Resolutions.map((level) => level.IsEnabled)).toEqual([true, true, true]);
  });

  it("is no more than what is configured", () => {
    const site = sampleSite();
    const mobile = { ...site.mobile, isEnabled: false };
    const rtsp = { ...site.rtsp, isEnabled: false };
    const answer = shown({ site: { ...site, mobile, rtsp }, servedPaths: new Set(["/mobile"]) });
    expect(answer.MobileServerInfo.IsEnabled).toBe(false);
    expect(answer.RtspServerInfo).toEqual({ IsEnabled: false, TcpPort: 554, IsMjpegEnabled: false });
  });

  it("has no RTSP where no port is open", () => {
    const reach = { address: "192.0.2.10", httpPort: 8080, httpsPort: 0, rtspPort: 0 };
    expect(shown({ reach }).RtspServerInfo).toEqual({ IsEnabled: false, TcpPort: 0, IsMjpegEnabled: false });
  });
});

describe("the server's addresses", () => {
  it("are those of HTTPS where HTTP is off, IPv6 in brackets", () => {
    const reach = { address: "2001:db8::1", httpPort: 0, httpsPort: 18080, rtspPort: 0 };
    const answer = shown({ reach });
    const expected = {
      Url: "https://[2001:db8::1]:18080",
      PrimaryIp: "2001:db8::1",
      PrimaryPort: "0",
      PrimarySslPort: "18080",
    };
    expect(answer.Servers).toMatchObject([expected]);
    expect(answer.MobileServerInfo.Port).toBe(18080);
  });
});

it("claims no function that is not there, however cameras and settings are configured", () => {
  const site = sampleSite();
  const cameras = site.cameras.map((camera) => ({
    ...camera,
    kept: {
      ...DEFAULT_CAMERA_OPTIONS,
      connection: { ...DEFAULT_CAMERA_OPTIONS.connection, soundTransmittingEnabled: true },
      analyze: { ...DEFAULT_CAMERA_OPTIONS.analyze, faceDetectorEnabled: true },
    },
  }));
  const mobile = { ...site.mobile, isMobilePushEnabled: true, isProxyEnabled: true };
  const { Channels, MobileServerInfo, MobileDevicesCapabilities } = shown({
    site: { ...site, cameras, mobile },
  });
  for (const channel of Channels)
    expect(channel).toMatchObject({
      IsFaceRecOn: false,
      IsPeopleCountingOn: false,
      IsObjectCountingOn: false,
    });
  expect(MobileServerInfo).toMatchObject({ IsMobilePushEnabled: false, IsProxyEnabled: false });
  expect(MobileDevicesCapabilities).toMatchObject({ AppleMobilePush: false, AndroidMobilePush: false });
});
