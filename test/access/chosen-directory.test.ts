import { expect, it, vi } from "vitest";
import { ChosenDirectory, type LdapSettings } from "../../src/access/index.js";
import type { DirectorySettings } from "../../src/site/index.js";
import { AccessBench } from "../support/access/access-bench.js";
import { FakeDirectory } from "../support/access/fake-directory.js";
import { makeCertificate } from "../support/http/certificate.js";
import { MemorySite } from "../support/site/memory-site.js";

const { cert: CERTIFICATE } = await makeCertificate();

const OWN: DirectorySettings = {
  ...{ isEnabled: true, url: "ldaps://own.example.org", startTls: true, authority: "", baseDn: "dc=example" },
  ...{ bindDnTemplate: "{login}", serviceDn: "cn=reader", servicePassword: "first", groupFilter: "" },
  ...{ userFilter: "(uid={user})", groupAttribute: "memberOf", timeoutMs: 3000 },
};
const OF_FILE: LdapSettings = {
  ...{ url: "ldaps://file.example.org", startTls: true, baseDn: "dc=example", bindDnTemplate: "{login}" },
  ...{ userFilter: "(uid={user})", groupAttribute: "memberOf", timeoutMs: 3000 },
};

function chosen(ofFile: LdapSettings | undefined) {
  const site = new MemorySite();
  const directory = new ChosenDirectory({ site, ofFile, make: () => new FakeDirectory() });
  const set = (own: DirectorySettings | undefined) =>
    site.change(({ directory: _, ...rest }) => (own === undefined ? rest : { ...rest, directory: own }));
  return { directory, set, site };
}

it("the settings file's directory holds where the configuration says nothing, and none where it says none", async () => {
  const { directory, set } = chosen(OF_FILE);
  const seen = () => [directory.source, directory.now?.settings.url];
  expect(seen()).toEqual(["settings file", OF_FILE.url]);
  await set(OWN);
  expect(seen()).toEqual(["configuration", OWN.url]);
  await set({ ...OWN, isEnabled: false });
  expect(seen()).toEqual(["configuration", undefined]);
  await set(undefined);
  expect(seen()).toEqual(["settings file", OF_FILE.url]);
  expect(chosen(undefined).directory.source).toBe("nobody");
});

it("another change of the configuration leaves the directory and what it said", async () => {
  const { directory, set, site } = chosen(undefined);
  await set(OWN);
  const before = directory.now;
  let changes = 0;
  directory.onChange(() => {
    changes += 1;
  });
  await site.change((now) => ({ ...now, useTimeZones: true }));
  expect([directory.now === before, changes]).toEqual([true, 0]);
});

it.each([
  ["another password of the account", { servicePassword: "second" }, true],
  ["another time limit", { timeoutMs: 500 }, true],
  ["another address", { url: "ldaps://other.example.org" }, false],
  ["no encryption", { startTls: false }, false],
  ["other authorities", { authority: CERTIFICATE }, false],
  ["another base", { baseDn: "dc=other" }, false],
  ["another account", { serviceDn: "cn=other" }, false],
  ["another filter", { userFilter: "(mail={login})" }, false],
] as const)(
  "with %s it is another one to sessions only where it may know others",
  async (_what, change, isSame) => {
    const { directory, set } = chosen(undefined);
    await set(OWN);
    const before = directory.mark;
    await set({ ...OWN, ...change });
    expect(directory.mark === before).toBe(isSame);
  },
);

it("a login that the former directory is asked about is asked of the new one", async () => {
  const former = new FakeDirectory();
  const bench = await AccessBench.create(former);
  bench.changeGroup("Guards", { directoryGroups: ["Guards"] });
  let resolve = (): void => undefined;
  former.held = new Promise((done) => {
    resolve = done;
  });
  const credentials = bench.credentials({
    login: "alice@example.org",
    password: "alice-secret",
    userType: "ActiveDirectory",
  });
  const login = bench.access.verify(credentials);
  await vi.waitFor(() => expect(former.asked).toBe(1));
  const now = new FakeDirectory();
  now.down = true;
  bench.access.useDirectory(now);
  resolve();
  await expect(login).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  expect([former.asked, now.asked]).toEqual([1, 1]);
  expect(bench.access.recall(credentials)).toBeUndefined();
});
