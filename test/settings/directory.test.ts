import { describe, expect, it } from "vitest";
import { ldapSettings } from "../../src/settings/directory-settings.js";
import { loadSettings } from "../../src/settings/settings.js";

const load = (environment: Record<string, string>) =>
  loadSettings({ flags: {}, environment, workingDirectory: "/srv/nvrd" });

const DIRECTORY = {
  NVRD_LDAP_URL: "ldaps://dc1.example.org",
  NVRD_LDAP_BASE_DN: "dc=example,dc=org",
};

describe("the directory's settings", () => {
  it("are none by default", () => {
    expect(ldapSettings(load({}))).toBeUndefined();
  });

  it("need a URL and a base, and ask for TLS unless told not to", () => {
    expect(ldapSettings(load(DIRECTORY))).toEqual({
      url: "ldaps://dc1.example.org",
      baseDn: "dc=example,dc=org",
      startTls: true,
      bindDnTemplate: "{login}",
      userFilter: "(|(userPrincipalName={login})(uid={user}))",
      groupAttribute: "memberOf",
      timeoutMs: 3000,
    });
    expect(ldapSettings(load({ ...DIRECTORY, NVRD_LDAP_TLS: "none" }))?.startTls).toBe(false);
  });

  it("take files relative to the working directory", () => {
    const settings = load({
      ...DIRECTORY,
      NVRD_LDAP_CA_FILE: "ca.pem",
      NVRD_LDAP_SERVICE_DN: "cn=reader,dc=example,dc=org",
      NVRD_LDAP_SERVICE_PASSWORD_FILE: "reader",
    });
    expect(ldapSettings(settings)).toMatchObject({
      caFile: "/srv/nvrd/ca.pem",
      service: { dn: "cn=reader,dc=example,dc=org", passwordFile: "/srv/nvrd/reader" },
    });
  });

  it.each([
    ["LDAP_URL", "http://dc1.example.org"],
    ["LDAP_URL", "ldap://[::1]"],
    ["LDAP_URL", "ldap://user@dc1"],
    ["LDAP_URL", "ldap://dc1:70000"],
    ["LDAP_URL", "ldap://dc1/dc=example?uid"],
    ["LDAP_TLS", "maybe"],
    ["LDAP_BASE_DN", "example.org"],
    ["LDAP_BIND_DN", "uid=alice,dc=example"],
    ["LDAP_SERVICE_DN", "reader"],
    ["LDAP_USER_FILTER", "(uid=alice)"],
    ["LDAP_USER_FILTER", "(uid={user}"],
    ["LDAP_USER_FILTER", "uid={user}"],
    ["LDAP_GROUP_FILTER", "(objectClass=group)"],
    ["LDAP_GROUP_ATTRIBUTE", "member of"],
    ["LDAP_TIMEOUT_MS", "60000"],
  ])("refuse NVRD_%s=%s", (variable, value) => {
    const name = variable.toLowerCase().replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
    expect(() => load({ ...DIRECTORY, [`NVRD_${variable}`]: value })).toThrow(new RegExp(`^${name}: `));
  });

  it.each([
    ["a base without a URL", { NVRD_LDAP_BASE_DN: "dc=example" }, /^ldapBaseDn: requires ldapUrl/],
    ["a URL without a base", { NVRD_LDAP_URL: "ldap://dc1" }, /^ldapUrl: needs ldapBaseDn/],
    [
      "half a service account",
      { ...DIRECTORY, NVRD_LDAP_SERVICE_DN: "cn=reader,dc=example" },
      /^ldapServiceDn, ldapServicePasswordFile: give both/,
    ],
  ])("refuse %s", (_what, environment, message) => {
    expect(() => load(environment)).toThrow(message);
  });
});
