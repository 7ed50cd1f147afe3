import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  loadSettings,
  SETTING_DEFINITIONS,
  SETTING_NAMES,
  type SettingSources,
  variableOf,
  volumeBounds,
} from "../../src/settings/settings.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const load = (sources: Partial<SettingSources> = {}) =>
  loadSettings({ flags: {}, environment: {}, workingDirectory: "/srv/nvrd", ...sources });

/** The message of the refusal. */
function refusal(sources: Partial<SettingSources>): string {
  try {
    load(sources);
  } catch (error) {
    expect(error).toMatchObject({ code: "SETTINGS_INVALID" });
    return (error as Error).message;
  }
  throw new Error("accepted");
}

async function settingsFile(data: unknown): Promise<string> {
  const file = path.join(await temporaryDirectory(), "settings.json");
  await writeFile(file, typeof data === "string" ? data : JSON.stringify(data));
  return file;
}

describe("settings", () => {
  it("have the documented defaults", () => {
    expect(load()).toEqual({
      dataDir: "/srv/nvrd/data",
      diskKeeper: "/run/nvrd-disks/keeper.sock",
      networkKeeper: "/run/nvrd-network/keeper.sock",
      volumesDirectory: undefined,
      updateDir: undefined,
      listen: "0.0.0.0",
      httpPort: 8080,
      httpsPort: 18_080,
      rtspPort: 554,
      tlsCertificate: undefined,
      tlsKey: undefined,
      codecHardware: "auto",
      logFormat: "auto",
      logLevel: "info",
      volumes: [{ path: "/srv/nvrd/data/volume", reserve: { percent: 5, bytesMax: 1e9 } }],
      segmentSeconds: 60,
      stillCacheBytes: 32_000_000,
      syncIntervalMs: 1000,
      clockTrust: "auto",
      cameraEventPort: 0,
      readTickMs: 200,
      eventDays: 365,
      eventBytesMax: 1e9,
      language: "en",
      timeZoneChoice: "machine",
      page: "on",
      pageFrameAncestors: [],
      corsOrigins: ["*"],
      trustedProxies: [],
      webhookPrivateTargets: "allow",
      pushPrivateTargets: "forbid",
      pushContact: "mailto:nvrd@example.com",
      pathPrefix: "",
      productType: "Ultra",
      protectedPercentMax: 30,
      ldapTls: "starttls",
      ldapBindDn: "{login}",
      ldapUserFilter: "(|(userPrincipalName={login})(uid={user}))",
      ldapGroupAttribute: "memberOf",
      ldapTimeoutMs: 3000,
      mqttPrefix: "nvrd",
      mqttDiscoveryPrefix: "homeassistant",
      onvifUsers: [],
      onvifDiscovery: "on",
      hubPort: 0,
      hubStoreRegion: "us-east-1",
      oidcScopes: "openid profile",
      oidcNameClaim: "preferred_username",
      oidcGroupClaim: "groups",
      partnerPort: 7444,
      replicaPort: 7445,
      deviceArchiveOrder: "oldest",
      deviceArchiveHours: undefined,
      deviceArchiveMbits: 20,
      deviceArchiveDays: 7,
      bucketEndpoint: undefined,
      bucketName: undefined,
      bucketPrefix: undefined,
      bucketRegion: "us-east-1",
      bucketStyle: "path",
      bucketAccessKeyId: undefined,
      bucketSecretKeyFile: undefined,
      bucketIdentityFile: undefined,
      bucketCaFile: undefined,
      bucketProxy: undefined,
      bucketCacheBytes: 1e9,
      portFallback: false,
    });
  });

  it("of a flag win over the environment, the environment over the file", async () => {
    const config = await settingsFile({ httpPort: 1111, httpsPort: 1112, rtspPort: 1113 });
    const settings = load({
      flags: { config, "http-port": "3333" },
      environment: { NVRD_HTTP_PORT: "2222", NVRD_HTTPS_PORT: "2223" },
    });
    expect(settings).toMatchObject({ httpPort: 3333, httpsPort: 2223, rtspPort: 1113 });
  });

  it("are read from the file that the environment names", async () => {
    const config = await settingsFile({ logLevel: "Debug" });
    expect(load({ environment: { NVRD_CONFIG: config } }).logLevel).toBe("debug");
  });

  it("take paths of a file relative to it, others to the working directory", async () => {
    const config = await settingsFile({ dataDir: "data", volumes: [{ path: "v" }, { path: "/disk" }] });
    const directory = path.dirname(config);
    const settings = load({ flags: { config } });
    expect(settings.dataDir).toBe(path.join(directory, "data"));
    expect(settings.volumes.map((volume) => volume.path)).toEqual([path.join(directory, "v"), "/disk"]);
    expect(load({ flags: { data: "elsewhere" } }).dataDir).toBe("/srv/nvrd/elsewhere");
  });

  it("report every problem at once: the value, where it stands and what is accepted", async () => {
    const config = await settingsFile({ httpPort: "80a", readTickMs: -1, corsOrigin: "*" });
    const message = refusal({
      flags: { config, listen: "box" },
      environment: { NVRD_LOG_LEVEL: "loud", NVRD_HTTP: "1" },
    });
    expect(message.split("\n")).toEqual([
      expect.stringMatching(
        /^httpPort: "80a" \(file .*settings.json\) is not accepted; accepted: a whole number, 0 to/,
      ),
      expect.stringMatching(/^readTickMs: -1 \(file/),
      expect.stringMatching(/^"corsOrigin" \(file .*\) is not a setting; did you mean corsOrigins\?$/),
      expect.stringMatching(
        /^logLevel: "loud" \(environment NVRD_LOG_LEVEL\).*accepted: one of trace, debug, info/,
      ),
      expect.stringMatching(/^"NVRD_HTTP" \(environment\) is not a setting; did you mean NVRD_HTTP_PORT/),
      expect.stringMatching(/^listen: "box" \(flag --listen\)/),
    ]);
  });

  it.each([
    ["a file that is not there", "/nowhere/settings.json"],
    ["a file that is a directory", "/tmp"],
  ])("are refused for %s", (_name, config) => {
    expect(refusal({ flags: { config } })).toContain(config);
  });

  it.each([
    ["no JSON", "{ httpPort: 1 }"],
    ["a list", []],
    ["null", "null"],
  ])("are refused for a file of %s", async (_name, data) => {
    const config = await settingsFile(data);
    expect(refusal({ flags: { config } })).toContain(config);
  });

  it.each([
    ["a certificate without its key", { NVRD_TLS_CERTIFICATE: "a.pem" }, /give both, or neither/],
    ["two equal ports", { NVRD_HTTP_PORT: "9000", NVRD_HTTPS_PORT: "9000" }, /both are 9000/],
    ["one volume twice", { NVRD_VOLUMES: "/a,/a/" }, /no path twice/],
    ["a quota above the disk", { NVRD_VOLUMES: '[{"path":"/a","quotaBytes":"101%"}]' }, /500 GB/],
    ["an unknown member of a volume", { NVRD_VOLUMES: '[{"path":"/a","quota":1}]' }, /volumes:/],
    ["a proxy by its name", { NVRD_TRUSTED_PROXIES: "10.0.0.2,proxy.example" }, /addresses or ranges/],
    ["a range of 33 bits", { NVRD_TRUSTED_PROXIES: "10.0.0.0/33" }, /addresses or ranges/],
    ["an origin with a path", { NVRD_CORS_ORIGINS: "https://panel.example/" }, /origins/],
    ["an empty address", { NVRD_LISTEN: "" }, /listen: ""/],
  ])("refuse %s", (_name, environment, reason) => {
    expect(refusal({ environment })).toMatch(reason);
  });

  it.each([
    ...[
      "nvrd@example.com",
      "mailto:",
      "mailto:me@localhost",
      "mailto:me@nvr.local",
      "mailto:<me@example.com>",
    ],
    ...[
      "mailto: me@example.com",
      "mailto:me@box.localdomain",
      "mailto:me@box.home.arpa",
      "https://localhost",
    ],
    ...["http://example.com", "https://192.0.2.1/", "https://nvr", "https://me@example.com"],
  ])("refuse the contact %s", (contact) => {
    expect(refusal({ environment: { NVRD_PUSH_CONTACT: contact } })).toContain("of a domain on the internet");
  });

  it.each([
    "mailto:me@example.com",
    "mailto:a.b+c@mail.xn--80ak6aa92e.xn--p1ai",
    "https://example.com/",
    "https://пример.рф/",
  ])("take the contact %s", (contact) => {
    expect(load({ environment: { NVRD_PUSH_CONTACT: contact } }).pushContact).toBe(contact);
  });

  it("leave other programs' variables alone", () => {
    expect(() =>
      load({ environment: { NVRD_ROOT_PASSWORD: "x", NVRD_TEST_X: "1", PATH: "/bin" } }),
    ).not.toThrow();
  });

  it("read volumes with their bounds", () => {
    const text = '[{"path":"/a","quotaBytes":"1.5 TB","reserveBytes":"10%"},{"path":"b","quotaBytes":5}]';
    const [a, b] = load({ environment: { NVRD_VOLUMES: text } }).volumes;
    expect(a && volumeBounds(a, 4e12)).toEqual({ path: "/a", quotaBytes: 1.5e12, reserveBytes: 4e11 });
    expect(b && volumeBounds(b, 4e12)).toEqual({ path: "/srv/nvrd/b", quotaBytes: 5, reserveBytes: 1e9 });
    // Of a small disk most is for recordings.
    expect(b && volumeBounds(b, 2e9)).toMatchObject({ reserveBytes: 1e8 });
  });

  it("can have other fallbacks, for the demo", () => {
    const fallbackVolumes = (dataDir: string) => [{ path: `${dataDir}/v`, reserve: { bytes: 1 } }];
    const demo = { portFallback: true, fallbackLogLevel: "warn", fallbackVolumes } as const;
    expect(load(demo)).toMatchObject({
      portFallback: true,
      logLevel: "warn",
      volumes: [{ path: "/srv/nvrd/data/v" }],
    });
    expect(load({ ...demo, environment: { NVRD_LOG_LEVEL: "info" } }).logLevel).toBe("info");
  });

  it("each have a description, a default or its words, and a variable of their own", () => {
    expect(new Set(SETTING_NAMES.map(variableOf)).size).toBe(SETTING_NAMES.length);
    for (const name of SETTING_NAMES) {
      const { description, fallback, kind, ...rest } = SETTING_DEFINITIONS[name];
      expect(description.length).toBeGreaterThan(20);
      expect(kind.accepts).not.toBe("");
      expect(fallback !== undefined || "fallbackText" in rest).toBe(true);
      if (fallback !== undefined) expect(kind.read(fallback)).toEqual(fallback);
    }
  });

  it("never throw anything but SETTINGS_INVALID, whatever the file holds", async () => {
    const directory = await temporaryDirectory();
    await mkdir(directory, { recursive: true });
    const config = path.join(directory, "settings.json");
    const keys = fc.oneof(fc.constantFrom<string>(...SETTING_NAMES), fc.string());
    const property = fc.asyncProperty(fc.dictionary(keys, fc.jsonValue()), async (data) => {
      await writeFile(config, JSON.stringify(data));
      try {
        load({ flags: { config } });
      } catch (error) {
        expect(error).toMatchObject({ code: "SETTINGS_INVALID" });
        expect((error as Error).message.length).toBeLessThan(20_000);
      }
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it("mean the same from a flag, a variable and a file", async () => {
    const config = path.join(await temporaryDirectory(), "settings.json");
    const property = fc.asyncProperty(fc.integer({ min: 0, max: 70_000 }), async (port) => {
      await writeFile(config, JSON.stringify({ httpPort: port }));
      const read = (sources: Partial<SettingSources>) => {
        try {
          return load(sources).httpPort;
        } catch {
          return "refused";
        }
      };
      const expected = port > 65_535 || port === 554 || port === 18_080 ? "refused" : port;
      const text = String(port);
      expect(read({ flags: { config } })).toBe(expected);
      expect(read({ flags: { "http-port": text } })).toBe(expected);
      expect(read({ environment: { NVRD_HTTP_PORT: text } })).toBe(expected);
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
