import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Principal } from "../../src/access/index.js";
import { Sessions, SiteAccess, sessionKey } from "../../src/access/index.js";
import {
  SESSION_AGE_MS_MAX,
  SESSION_UNUSED_MS_MAX,
  SESSIONS_MAX,
  SESSIONS_PER_USER_MAX,
} from "../../src/access/sessions.js";
import { newGuid } from "../../src/base/index.js";
import { AccessBench, md5 } from "../support/access/access-bench.js";
import { FakeDirectory } from "../support/access/fake-directory.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const ADDRESS = "192.0.2.7";
const HOUR_MS = 3_600_000;

let bench: AccessBench;
let sessions: Sessions;
let ended: number;

beforeEach(async () => {
  bench = await AccessBench.create(new FakeDirectory());
  sessions = new Sessions({ site: bench, clock: bench.clock, log: silentLog });
  ended = 0;
  sessions.onEnd(() => {
    ended += 1;
  });
});

const principalOf = async (login: string, password: string): Promise<Principal> =>
  await bench.access.verify(bench.credentials({ login, password: md5(password) }));

/** Begins a session; returns the key of its cookie. */
const begin = async (login = "root", password = "secret", of = sessions): Promise<string> => {
  const token = of.begin({
    principal: await principalOf(login, password),
    address: ADDRESS,
    userAgent: "Test",
  });
  return sessionKey(token) ?? "";
};

const userOf = (key: string, of = sessions): string | undefined => of.use(key, ADDRESS)?.user.name;

describe("a session", () => {
  it("is its user's, with the rights of now", async () => {
    const key = await begin("guard", "guard");
    expect(sessions.use(key, ADDRESS)?.group.rights.CanPTZ).toBe(true);
    const rights = { ...bench.current.groups[1]?.rights, CanPTZ: false } as Principal["group"]["rights"];
    bench.changeGroup("Guards", { rights });
    expect(sessions.use(key, ADDRESS)?.group.rights.CanPTZ).toBe(false);
  });

  it("has an id of 256 random bits, which is kept nowhere", async () => {
    const principal = await principalOf("root", "secret");
    const tokens = Array.from({ length: 8 }, () =>
      sessions.begin({ principal, address: ADDRESS, userAgent: "" }),
    );
    expect(new Set(tokens).size).toBe(8);
    for (const token of tokens) {
      expect(Buffer.from(token, "base64url")).toHaveLength(32);
      expect(userOf(token)).toBeUndefined();
    }
  });

  it.each(["", "x", "A".repeat(42), "A".repeat(44), `${"A".repeat(42)}!`, "__proto__"])(
    "has no key for %j, which no session has",
    (token) => {
      expect(sessionKey(token)).toBeUndefined();
    },
  );

  it("says where it was used last, and by what, cleaned and cut", async () => {
    const principal = await principalOf("root", "secret");
    const userAgent = `Mozilla\r\n\u0000${"x".repeat(1000)}`;
    const key = sessionKey(sessions.begin({ principal, address: ADDRESS, userAgent })) ?? "";
    bench.clock.advance(HOUR_MS);
    sessions.use(key, "198.51.100.1");
    const [session] = sessions.list();
    expect(session).toMatchObject({ userName: "root", address: "198.51.100.1" });
    expect(session?.userAgent).toMatch(/^Mozilla\?\?\?x{200,}$/);
    expect(session?.userAgent).toHaveLength(256);
    expect((session?.lastUsedUs ?? 0) - (session?.sinceUs ?? 0)).toBe(HOUR_MS * 1000);
  });
});

describe("a session ends", () => {
  it.each<[string, () => Promise<void> | void]>([
    ["another password", () => bench.setPassword("guard", "another")],
    ["no password any more", () => bench.changeUser("guard", { secret: null })],
    ["a locked user", () => bench.changeUser("guard", { secret: "locked" })],
    [
      "a removed user",
      () => bench.change((site) => ({ ...site, users: site.users.filter(({ name }) => name !== "guard") })),
    ],
    ["another user of the same name", () => bench.changeUser("guard", { id: newGuid() })],
  ])("with %s", async (_what, change) => {
    const key = await begin("guard", "guard");
    await change();
    expect(userOf(key)).toBeUndefined();
    expect(sessions.list()).toEqual([]);
    expect(ended).toBe(1);
  });

  it("not with another name of its user", async () => {
    const key = await begin("guard", "guard");
    bench.changeUser("guard", { name: "watchman" });
    expect(userOf(key)).toBe("watchman");
    expect(sessions.list()[0]?.userName).toBe("watchman");
  });

  it("when nobody uses it", async () => {
    const key = await begin();
    bench.clock.advance(SESSION_UNUSED_MS_MAX - 1);
    expect(userOf(key)).toBe("root");
    bench.clock.advance(SESSION_UNUSED_MS_MAX);
    expect(userOf(key)).toBeUndefined();
  });

  it("at its greatest age, however much it is used", async () => {
    const key = await begin();
    for (let ms = 0; ms < SESSION_AGE_MS_MAX - HOUR_MS; ms += HOUR_MS) {
      bench.clock.advance(HOUR_MS);
      expect(userOf(key)).toBe("root");
    }
    bench.clock.advance(HOUR_MS);
    expect(userOf(key)).toBeUndefined();
  });

  it("of the user that has too many: the one not used for longest", async () => {
    const other = await begin("guard", "guard");
    const keys: string[] = [];
    for (let count = 0; count < SESSIONS_PER_USER_MAX; count++) keys.push(await begin());
    expect(userOf(keys[0] ?? "")).toBe("root");
    await begin();
    expect(userOf(keys[0] ?? "")).toBe("root");
    expect(userOf(keys[1] ?? "")).toBeUndefined();
    expect(userOf(other)).toBe("guard");
    expect(sessions.list()).toHaveLength(SESSIONS_PER_USER_MAX + 1);
  });

  it("when there are too many of all users", async () => {
    const root = await principalOf("root", "secret");
    const oldest = await begin("guard", "guard");
    // Each of a user of its own; who they are decides nothing here.
    const users = Array.from({ length: SESSIONS_MAX }, (_, index) => ({
      ...root.user,
      id: newGuid(),
      name: `u${index}`,
    }));
    bench.change((site) => ({ ...site, users: [...site.users, ...users] }));
    for (const user of users)
      sessions.begin({ principal: { ...root, user }, address: ADDRESS, userAgent: "" });
    expect(sessions.list()).toHaveLength(SESSIONS_MAX);
    expect(userOf(oldest)).toBeUndefined();
  });

  it("for all but its own when the user changes the password by it", async () => {
    const own = await begin();
    const other = await begin();
    const guard = await begin("guard", "guard");
    const { id } = (await principalOf("root", "secret")).user;
    await bench.setPassword("root", "another");
    const secret = bench.secretOf("root") ?? "";
    bench.change((site) => site);
    await sessions.keepWhile(own, { id, secret }, () => Promise.resolve());
    expect([userOf(own), userOf(other), userOf(guard)]).toEqual(["root", undefined, "guard"]);
  });

  it("for none when the password was not changed after all", async () => {
    const own = await begin();
    const { id } = (await principalOf("root", "secret")).user;
    const fail = () => Promise.reject(new Error("disk"));
    await expect(sessions.keepWhile(own, { id, secret: "scrypt$new" }, fail)).rejects.toThrow("disk");
    expect(userOf(own)).toBe("root");
    bench.changeUser("root", { secret: "scrypt$new" });
    expect(userOf(own)).toBeUndefined();
  });
});

describe("a directory user's session", () => {
  const beginDirectory = async (): Promise<string> => {
    const credentials = bench.credentials({
      login: "alice@example.org",
      password: "alice-secret",
      userType: "ActiveDirectory",
    });
    const principal = await bench.access.verify(credentials);
    return sessionKey(sessions.begin({ principal, address: ADDRESS, userAgent: "" })) ?? "";
  };

  beforeEach(() => {
    bench.changeGroup("Guards", { directoryGroups: ["Guards"] });
  });

  it("follows the groups of the configuration", async () => {
    const key = await beginDirectory();
    expect(sessions.use(key, ADDRESS)?.group.name).toBe("Guards");
    bench.changeGroup("Guards", { directoryGroups: [] });
    expect(userOf(key)).toBeUndefined();
  });

  it("lasts a working day, because the directory cannot be asked without the password", async () => {
    const key = await beginDirectory();
    bench.clock.advance(12 * 3_600_000 - 1);
    expect(userOf(key)).toBe("alice@example.org");
    bench.clock.advance(1);
    expect(userOf(key)).toBeUndefined();
  });
});

describe("SiteAccess with sessions", () => {
  it("takes a session for its user, and reports where it is used first", async () => {
    const access = new SiteAccess({ site: bench, clock: bench.clock, log: silentLog, sessions });
    const reported: string[] = [];
    access.onAudit(({ userName, address }) => reported.push(`${userName} ${address}`));
    const session = await begin("guard", "guard");
    for (const address of [ADDRESS, ADDRESS, "198.51.100.1"])
      expect((await access.verify({ session, address })).user.name).toBe("guard");
    expect(reported).toEqual([`guard ${ADDRESS}`, "guard 198.51.100.1"]);
  });

  it("makes the address known where a session of somebody is used, and not where one that has ended is", async () => {
    const access = new SiteAccess({ site: bench, clock: bench.clock, log: silentLog, sessions });
    const session = await begin("guard", "guard");
    await expect(access.verify({ session: "never", address: ADDRESS })).rejects.toThrow();
    expect(access.knowsAddress(ADDRESS)).toBe(false);
    await access.verify({ session, address: ADDRESS });
    expect([access.knowsAddress(ADDRESS), access.knowsAddress("198.51.100.1")]).toEqual([true, false]);
  });

  it("says the same of a session that never was and of one that has ended", async () => {
    const access = new SiteAccess({ site: bench, clock: bench.clock, log: silentLog, sessions });
    const session = await begin();
    sessions.end(sessions.find(session)?.id ?? "");
    for (const key of [session, "never"]) {
      expect(access.recall({ session: key, address: ADDRESS })).toBeUndefined();
      await expect(access.verify({ session: key, address: ADDRESS })).rejects.toMatchObject({
        code: "UNAUTHORIZED",
        message: "the session has ended",
      });
    }
  });
});

describe("over a restart", () => {
  let file: string;
  let clock: ManualClock;

  beforeEach(async () => {
    file = join(await temporaryDirectory(), "sessions.json");
    clock = new ManualClock(bench.clock.nowUs());
  });

  const started: Sessions[] = [];
  // What is being written would be written into a folder that goes away.
  afterEach(async () => {
    for (const one of started.splice(0)) await one.stop();
  });

  /** The sessions of a service that starts so much later. */
  const restart = (laterMs = 0): Sessions => {
    clock = new ManualClock(clock.nowUs() + laterMs * 1000);
    const next = new Sessions({ site: bench, clock, log: silentLog, dataDir: dirname(file) });
    started.push(next);
    return next;
  };

  it("they go on, with their times", async () => {
    const before = restart();
    const key = await begin("root", "secret", before);
    clock.advance(HOUR_MS);
    expect(userOf(key, before)).toBe("root");
    await before.stop();
    const [kept] = before.list();
    const after = restart();
    expect(userOf(key, after)).toBe("root");
    expect(after.list()).toEqual([kept]);
  });

  it("they go on after a crash, also where many began at once", async () => {
    const before = restart();
    const keys: string[] = [];
    for (let count = 0; count < 12; count++) keys.push(await begin("root", "secret", before));
    const kept = before.kept(10_000);
    clock.advance(1000);
    await kept;
    const after = restart();
    expect(keys.map((key) => userOf(key, after))).toEqual(keys.map(() => "root"));
  });

  it("their last use is kept after ten minutes in which nothing else was", async () => {
    const before = restart();
    const key = await begin("root", "secret", before);
    await before.stop();
    const again = restart();
    const lastUse = async () => JSON.parse(await readFile(file, "utf8")).Sessions[0];
    const first = await lastUse();
    clock.advance(10 * 60_000);
    expect(userOf(key, again)).toBe("root");
    expect(await lastUse()).toEqual(first);
    clock.advance(1);
    expect(userOf(key, again)).toBe("root");
    await vi.waitFor(async () => expect(await lastUse()).not.toEqual(first));
  });

  it("the file is the service's alone, and holds nothing that opens anything", async () => {
    const before = restart();
    const token = before.begin({
      principal: await principalOf("root", "secret"),
      address: ADDRESS,
      userAgent: "",
    });
    await before.stop();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, "utf8");
    for (const secret of [token, md5("secret"), bench.secretOf("root") ?? ""])
      expect(text).not.toContain(secret);
  });

  it("ages go on while it is off, and where the clock goes back as well", async () => {
    const before = restart();
    const key = await begin("root", "secret", before);
    await before.stop();
    expect(userOf(key, restart(SESSION_UNUSED_MS_MAX - HOUR_MS))).toBe("root");
    expect(userOf(key, restart(2 * HOUR_MS))).toBeUndefined();
    const again = restart();
    const used = await begin("root", "secret", again);
    clock.advance(SESSION_UNUSED_MS_MAX - HOUR_MS);
    await again.stop();
    const back = restart(-48 * HOUR_MS);
    expect(userOf(used, back)).toBe("root");
    const idle = restart(-48 * HOUR_MS);
    clock.advance(HOUR_MS);
    expect(userOf(used, idle)).toBeUndefined();
  });

  it("a password that was changed meanwhile ends them", async () => {
    const before = restart();
    const key = await begin("root", "secret", before);
    await before.stop();
    await bench.setPassword("root", "another");
    expect(userOf(key, restart())).toBeUndefined();
  });

  it("an ended session stays ended without an orderly stop", async () => {
    const before = restart();
    const key = await begin("root", "secret", before);
    before.end(before.find(key)?.id ?? "");
    clock.advance(1000);
    await before.stop();
    expect(userOf(key, restart())).toBeUndefined();
  });

  it.each([
    ["no JSON", "{"],
    ["another form", '{"Version":1,"Sessions":[{"id":7}]}'],
    ["a newer version", '{"Version":2,"Sessions":[]}'],
    ["endless ages", '{"Version":1,"Sessions":[{"ageUs":-1e999}]}'],
  ])("a file with %s logs everybody out, and nothing else", async (_what, text) => {
    await writeFile(file, text);
    const after = restart();
    expect(after.list()).toEqual([]);
    const key = await begin("root", "secret", after);
    await after.stop();
    expect(userOf(key, restart())).toBe("root");
  });

  it("logins without end write the file once a second", async () => {
    const before = restart();
    const principal = await principalOf("root", "secret");
    const begun = (count: number) => `login ${count}.`;
    const isWritten = async (count: number) => expect(await readFile(file, "utf8")).toContain(begun(count));
    // The first ones are written at once, while the clock stands.
    for (let count = 1; count <= 8; count++) {
      before.begin({ principal, address: ADDRESS, userAgent: begun(count) });
      await vi.waitFor(() => isWritten(count));
    }
    for (let count = 9; count <= 20; count++)
      before.begin({ principal, address: ADDRESS, userAgent: begun(count) });
    clock.advance(999);
    await expect(isWritten(9)).rejects.toThrow();
    clock.advance(1);
    await vi.waitFor(() => isWritten(20));
    await before.stop();
  });
});
