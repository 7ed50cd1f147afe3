import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  ensureRootPassword,
  hashNewPassword,
  hashPassword,
  rootPasswordNotice,
  SiteAccess,
  StalePasswordFile,
} from "../../src/access/index.js";
import { SystemClock } from "../../src/base/index.js";
import type { LmdbSiteStore } from "../../src/site/index.js";
import { md5 } from "../support/access/access-bench.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog, startStore } from "../support/site/site-samples.js";

async function logsIn(store: LmdbSiteStore, password: string | undefined): Promise<boolean> {
  const access = new SiteAccess({ site: store, clock: new SystemClock(), log: silentLog });
  const hashed = password === undefined ? undefined : md5(password);
  const credentials = { login: "root", password: hashed, userType: undefined, address: "127.0.0.1" };
  return await access.verify(credentials).then(
    () => true,
    () => false,
  );
}

describe("ensureRootPassword", () => {
  it("leaves no way in before it was called", async () => {
    const store = await startStore(await temporaryDirectory());
    expect(await logsIn(store, undefined)).toBe(false);
    await store.stop();
  });

  it("generates a password once and keeps it in a file for the service alone", async () => {
    const dataDir = await temporaryDirectory();
    const store = await startStore(dataDir);
    const first = await ensureRootPassword({ store, dataDir });
    expect(first).toMatchObject({ generated: true, file: path.join(dataDir, "root-password") });
    expect(first.password).toMatch(/^[a-z2-9]{20}$/);
    expect(await readFile(first.file ?? "", "utf8")).toBe(`${first.password}\n`);
    expect((await stat(first.file ?? "")).mode & 0o777).toBe(0o600);
    expect(await logsIn(store, first.password)).toBe(true);
    expect(rootPasswordNotice(first)).toContain(`password=${md5(first.password ?? "")}`);
    const second = await ensureRootPassword({ store, dataDir });
    expect(second).toEqual({ generated: false, file: first.file });
    expect(rootPasswordNotice(second)).toBeUndefined();
    await store.stop();
  });

  it("takes the environment's password on the first start only", async () => {
    const dataDir = await temporaryDirectory();
    const store = await startStore(dataDir);
    const first = await ensureRootPassword({ store, dataDir, fromEnvironment: "первый" });
    expect(first).toMatchObject({ generated: false });
    expect(await first.isFromEnvironment?.()).toBe(true);
    const again = await ensureRootPassword({ store, dataDir, fromEnvironment: "первый" });
    expect(await again.isFromEnvironment?.()).toBe(true);
    const second = await ensureRootPassword({ store, dataDir, fromEnvironment: "second" });
    expect(second).toMatchObject({ generated: false });
    expect(await second.isFromEnvironment?.()).toBe(false);
    expect([await logsIn(store, "первый"), await logsIn(store, "second")]).toEqual([true, false]);
    await store.stop();
  });

  it.each([
    ["an empty one", ""],
    ["one with a line break", "a\nb"],
    ["one that is too long", "x".repeat(257)],
  ])("refuses %s from the environment without saying it", async (_name, fromEnvironment) => {
    const dataDir = await temporaryDirectory();
    const store = await startStore(dataDir);
    const refused = ensureRootPassword({ store, dataDir, fromEnvironment });
    await expect(refused).rejects.toMatchObject({ code: "SETTINGS_INVALID" });
    await store.stop();
  });

  it("uses the file's password when a crash came before it was set", async () => {
    const dataDir = await temporaryDirectory();
    await writeFile(path.join(dataDir, "root-password"), "kept-before-the-crash\n");
    await chmod(path.join(dataDir, "root-password"), 0o600);
    const store = await startStore(dataDir);
    const result = await ensureRootPassword({ store, dataDir });
    expect(result).toMatchObject({ generated: true, password: "kept-before-the-crash" });
    expect(await logsIn(store, "kept-before-the-crash")).toBe(true);
    await store.stop();
  });

  it("does not name the file any more when root's password was changed", async () => {
    const dataDir = await temporaryDirectory();
    const store = await startStore(dataDir);
    await ensureRootPassword({ store, dataDir });
    const secret = await hashPassword(md5("changed"));
    await store.change((site) => ({ ...site, users: site.users.map((user) => ({ ...user, secret })) }));
    expect(await ensureRootPassword({ store, dataDir })).toEqual({ generated: false });
    await store.stop();
  });
});

describe("the file with the generated password", () => {
  const changeRoot = async (store: LmdbSiteStore, password: string): Promise<void> => {
    const secret = await hashNewPassword(password);
    await store.change((site) => ({
      ...site,
      users: site.users.map((user) => (user.name === "root" ? { ...user, secret } : user)),
    }));
  };
  const started = async () => {
    const dataDir = await temporaryDirectory();
    const store = await startStore(dataDir);
    const { password = "", file = "" } = await ensureRootPassword({ store, dataDir });
    const follow = (isValid: boolean): StalePasswordFile => {
      const stale = new StalePasswordFile({ store, dataDir, log: silentLog, isValid });
      stale.start();
      return stale;
    };
    return { store, dataDir, password, file, follow };
  };
  const isThere = (file: string): Promise<boolean> =>
    stat(file).then(
      () => true,
      () => false,
    );

  it("is removed when root gets another password", async () => {
    const { store, file, follow } = await started();
    const stale = follow(true);
    await changeRoot(store, "another one of my own");
    await stale.stop();
    expect(await isThere(file)).toBe(false);
    await store.stop();
  });

  it("stays when root's password is only hashed anew, or another user's is changed", async () => {
    const { store, file, password, follow } = await started();
    const stale = follow(true);
    await changeRoot(store, password);
    await store.change((site) => ({ ...site, useTimeZones: !site.useTimeZones }));
    await stale.stop();
    expect(await isThere(file)).toBe(true);
    await store.stop();
  });

  it("is removed at the next start where a change came without this one", async () => {
    const { store, dataDir, file, follow } = await started();
    await changeRoot(store, "another one of my own");
    const again = await ensureRootPassword({ store, dataDir });
    const stale = follow(again.file !== undefined);
    await stale.stop();
    expect(await isThere(file)).toBe(false);
    await store.stop();
  });
});
