import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ensureRootPassword, hashPassword, rootPasswordNotice, SiteAccess } from "../../src/access/index.js";
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
