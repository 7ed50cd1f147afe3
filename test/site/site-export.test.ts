import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newGuid } from "../../src/base/index.js";
import {
  type AlarmTarget,
  type BrokerInConfiguration,
  createFirstSite,
  type DirectorySettings,
  exportSite,
  importSite,
  type Site,
} from "../../src/site/index.js";
import {
  CONFIGURATION_FORMAT,
  decodeRevision,
  encodeRevision,
} from "../../src/site/store/revision-document.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { arbitrarySite } from "../support/site/arbitrary-site.js";
import { addCamera, startStore } from "../support/site/site-samples.js";

const first = () => createFirstSite({ serverName: "here", nowUs: 1_700_000_000_000_000 });
const throughJson = (data: unknown): unknown => JSON.parse(JSON.stringify(data));

/** The same configuration as that of another server. */
function onServer(site: Site, serverId: string): Site {
  return JSON.parse(JSON.stringify(site).replaceAll(site.server.id, serverId)) as Site;
}

const DIRECTORY: DirectorySettings = {
  ...{ isEnabled: true, url: "ldaps://dc1.example.org", startTls: true, authority: "" },
  ...{ baseDn: "dc=example,dc=org", bindDnTemplate: "{login}", serviceDn: "cn=reader,dc=example,dc=org" },
  ...{ servicePassword: "reader's own", userFilter: "(uid={user})", groupAttribute: "memberOf" },
  ...{ groupFilter: "", timeoutMs: 3000 },
};

const BROKER: BrokerInConfiguration = {
  ...{ isEnabled: true, url: "mqtts://broker.example", authority: "", login: "nvrd" },
  ...{ password: "the broker's own", userName: "", prefix: "nvrd", discoveryPrefix: "homeassistant" },
};

describe("an exported configuration with a broker", () => {
  const site: Site = { ...first(), broker: BROKER };

  it("has the password among the secrets alone, and comes back with it", () => {
    const { document, secrets } = exportSite(site);
    expect(JSON.stringify(document)).not.toContain(BROKER.password);
    const given = { document: throughJson(document), secrets: throughJson(secrets), current: first() };
    expect(importSite(given)).toMatchObject({ site: { broker: BROKER }, notes: [] });
    expect(importSite({ document, current: site }).site.broker).toEqual(BROKER);
  });

  it.each([
    ["address", { url: "mqtts://elsewhere.example" }],
    ["login", { login: "other" }],
  ])("of another %s does not get the password of now, and is reported", (_what, change) => {
    const { document } = exportSite({ ...site, broker: { ...BROKER, ...change } });
    const { site: imported, notes } = importSite({ document, current: site });
    expect(imported.broker).toEqual({ ...BROKER, ...change, password: "" });
    expect(notes).toEqual([expect.stringMatching(/^brokers without a known password: mqtts:/)]);
  });
});

describe("an exported configuration with a directory", () => {
  const site: Site = { ...first(), directory: DIRECTORY };

  it("has the password of the account among the secrets alone, and comes back with it", () => {
    const { document, secrets } = exportSite(site);
    expect(JSON.stringify(document)).not.toContain(DIRECTORY.servicePassword);
    const given = { document: throughJson(document), secrets: throughJson(secrets), current: first() };
    expect(importSite(given)).toMatchObject({ site: { directory: DIRECTORY }, notes: [] });
    expect(importSite({ document, current: site }).site.directory).toEqual(DIRECTORY);
  });

  it.each([
    ["address", { url: "ldaps://elsewhere.example.org" }],
    ["account", { serviceDn: "cn=other,dc=example,dc=org" }],
  ])("of another %s does not get the password of now, and is reported", (_what, change) => {
    const { document } = exportSite({ ...site, directory: { ...DIRECTORY, ...change } });
    const { site: imported, notes } = importSite({ document, current: site });
    expect(imported.directory).toEqual({ ...DIRECTORY, ...change, servicePassword: "" });
    expect(notes).toEqual([expect.stringMatching(/^directories without a known password: ldaps:/)]);
  });

  it("of a former revision gets the password of that time where there is none now", () => {
    const { document } = exportSite(site);
    expect(importSite({ document, current: first(), former: site }).site.directory).toEqual(DIRECTORY);
  });
});

describe("an exported configuration", () => {
  it("is equal after an import with its secrets on any recorder, whatever it holds", () => {
    const property = fc.property(arbitrarySite, (site) => {
      const { document, secrets } = exportSite(site);
      const current = first();
      const imported = importSite({
        document: throughJson(document),
        secrets: throughJson(secrets),
        current,
      });
      expect(imported.site).toEqual(onServer(site, current.server.id));
      const hasOpen = site.users.some(({ secret }) => secret === null);
      expect(imported.notes).toEqual(
        hasOpen ? [expect.stringMatching(/^users who log in without a password now: /)] : [],
      );
    });
    fc.assert(property, { numRuns: 100 });
  });

  it("is equal after an import without secrets on its own recorder", () => {
    const property = fc.property(arbitrarySite, (site) => {
      const { document } = exportSite(site);
      expect(importSite({ document: throughJson(document), current: site })).toEqual({ site, notes: [] });
    });
    fc.assert(property, { numRuns: 50 });
  });

  it("is read back from a revision's document, whatever it holds", () => {
    const property = fc.property(arbitrarySite, (site) => {
      const revision = { site, change: null };
      const text = encodeRevision(revision).toString("utf8");
      expect(decodeRevision(text)).toEqual({ kind: "whole", ...revision });
    });
    fc.assert(property, { numRuns: 50 });
  });

  it("comes through the store and a restart, with everything in it", async () => {
    const [sample] = fc.sample(arbitrarySite, { numRuns: 1, seed: 7 });
    if (sample === undefined) throw new Error("no sample");
    const directory = await temporaryDirectory();
    const store = await startStore(directory);
    const { document, secrets } = exportSite(sample);
    const applied = await store.change((current) => importSite({ document, secrets, current }).site);
    await store.stop();
    const again = await startStore(directory);
    expect(again.current).toEqual(applied);
    const { id, revision, appliedAtUs } = applied;
    expect(applied).toEqual({ ...onServer(sample, applied.server.id), id, revision, appliedAtUs });
    await again.stop();
  });

  it("holds no password and no stored secret", () => {
    const property = fc.property(arbitrarySite, (site) => {
      const text = JSON.stringify(exportSite(site).document);
      expect(text).not.toMatch(/"(?:password|secret)":|scrypt\$/);
    });
    fc.assert(property, { numRuns: 50 });
  });

  it.each([
    ["in the document itself", "document"],
    ["in the second file", "secrets"],
  ] as const)("that leaves root without a password, %s, is reported", (_where, at) => {
    const site = first();
    const { document } = exportSite(site);
    const users = site.users.map(({ secret, ...user }) =>
      at === "document" ? { ...user, secret: null } : user,
    );
    const secrets = {
      ...{ nvrdConfigurationSecrets: 1, cameras: {}, monitoringPassword: "" },
      users: at === "document" ? {} : Object.fromEntries(users.map(({ id }) => [id, null])),
    };
    const given = { document: { ...document, site: { ...site, users } }, secrets };
    const keepPasswords = ["root"];
    const { notes } = importSite({ ...given, keepPasswords, current: site });
    expect(notes).toEqual(["users who log in without a password now: root"]);
    // Who has none already is no news.
    const current = { ...site, users: site.users.map((user) => ({ ...user, secret: null })) };
    expect(importSite({ ...given, keepPasswords, current }).notes).toEqual([]);
  });

  it("without secrets elsewhere: cameras without password, users locked, both told", () => {
    const site = addCamera({ name: "Gate" })(first());
    const { site: imported, notes } = importSite({ document: exportSite(site).document, current: first() });
    expect(imported.cameras[0]?.connection.password).toBe("");
    expect(imported.users[0]?.secret).toBe("locked");
    expect(notes).toEqual([
      "cameras without a known password: Gate",
      "users locked until they get a password: root",
    ]);
  });
});

describe("the address of a webhook in an exported configuration", () => {
  const target = (token: string): AlarmTarget => ({
    ...{ id: newGuid(), name: "Chat", isEnabled: true, events: "errors", channelIds: "all" },
    ...{ isToldOfRecorder: true, perHourMax: 60 },
    delivery: { kind: "webhook", url: `https://hooks.example/${token}`, secret: "" },
  });
  const withTarget = (one: AlarmTarget): Site => ({ ...first(), alarmTargets: [one] });
  const urlOf = ({ alarmTargets: [one] }: Site): string =>
    one?.delivery.kind === "webhook" ? one.delivery.url : "";
  const now = target("now");
  const former = { ...now, delivery: target("former").delivery };

  it("is among the secrets alone, and comes back with them", () => {
    const { document, secrets } = exportSite(withTarget(now));
    expect(JSON.stringify(document)).toContain('"https://hooks.example/***"');
    const given = { document: throughJson(document), secrets: throughJson(secrets), current: first() };
    expect(urlOf(importSite(given).site)).toBe("https://hooks.example/now");
  });

  it("is that of now, and of the former revision where that comes back", () => {
    const { document } = exportSite(withTarget(former));
    const current = withTarget(now);
    expect(urlOf(importSite({ document, current }).site)).toBe("https://hooks.example/now");
    const reverted = importSite({ document, current, former: withTarget(former) });
    expect(urlOf(reverted.site)).toBe("https://hooks.example/former");
  });

  it("that nobody here knows is reported", () => {
    const { document } = exportSite(withTarget(now));
    expect(importSite({ document, current: first() }).notes).toContain(
      "alarm targets with a hidden login (***) in an address, to be entered again: Chat",
    );
  });
});

describe("a former revision that comes back", () => {
  it("gets the password of that time for an address of that time, and never that of now", () => {
    const site = addCamera({ name: "Gate" })(first());
    const camera = (password: string, hostname: string): Site => ({
      ...site,
      cameras: site.cameras.map((one) => ({ ...one, connection: { ...one.connection, hostname, password } })),
    });
    const former = camera("of then", "rtsp://192.0.2.9/");
    const current = camera("of now", "rtsp://192.0.2.1/");
    const { document } = exportSite(former);
    expect(importSite({ document, current, former }).site.cameras).toEqual(former.cameras);
    const [alone] = importSite({ document, current }).site.cameras;
    expect(alone?.connection.password).toBe("");
  });
});

describe("an import", () => {
  const site = addCamera()(first());
  const { document } = exportSite(site);
  const withSite = (change: object) => ({ ...document, site: { ...(document.site as object), ...change } });

  it.each<[string, unknown, string]>([
    ["nothing", null, "not an exported configuration"],
    ["a list", [], "not an exported configuration"],
    ["another JSON", { site: {} }, "not an exported configuration"],
    ...["2", -1, 0, 1.5, null, true].map((format): [string, unknown, string] => [
      `the format ${JSON.stringify(format)}`,
      { ...document, nvrdConfiguration: format },
      "nvrdConfiguration is no format: accepted are 1 to",
    ]),
    [
      "a member of the wrong type",
      withSite({ useTimeZones: "yes" }),
      "useTimeZones: accepted: true or false",
    ],
    ["a camera that is none", withSite({ cameras: [7] }), "cameras[0]"],
    ["an unknown member", withSite({ colour: 1 }), "colour: unknown member"],
    ["nesting without end", JSON.parse("[".repeat(5000) + "]".repeat(5000)), "nested too deep"],
  ])("of %s is refused", (_name, data, message) => {
    const importing = () => importSite({ document: data, current: site });
    expect(importing).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
    expect(importing).toThrow(message);
  });

  it("of a newer format is refused with that word", () => {
    const importing = () =>
      importSite({ document: { ...document, nvrdConfiguration: CONFIGURATION_FORMAT + 1 }, current: site });
    expect(importing).toThrow(expect.objectContaining({ code: "FORMAT_NEWER" }));
  });

  it("of secrets that are none is refused without a word of them", () => {
    const secrets = {
      nvrdConfigurationSecrets: 1,
      cameras: { x: ["hunter2"] },
      users: {},
      monitoringPassword: "",
    };
    const importing = () => importSite({ document, secrets, current: site });
    expect(importing).toThrow("the secrets are not those");
    expect(importing).not.toThrow("hunter2");
  });

  it("takes no secret from what every object has", () => {
    const { cameras } = document.site as { cameras: object[] };
    const odd = withSite({ cameras: [{ ...cameras[0], id: "constructor" }] });
    expect(() => importSite({ document: odd, current: site })).toThrow("cameras[0].id: accepted: a GUID");
  });

  it("never throws anything else, whatever the document", () => {
    const keys = Object.keys(document.site as object);
    const property = fc.property(fc.constantFrom(...keys), fc.jsonValue(), (key, value) => {
      try {
        importSite({ document: withSite({ [key]: value }), current: site });
      } catch (error) {
        expect(error).toMatchObject({ code: "BAD_REQUEST" });
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});
