import { beforeEach, describe, expect, it } from "vitest";
import { newGuid } from "../../src/base/index.js";
import { AccessBench, md5 } from "../support/access/access-bench.js";
import { FakeDirectory } from "../support/access/fake-directory.js";

const EMPTY_MD5 = "d41d8cd98f00b204e9800998ecf8427e";
let bench: AccessBench;

beforeEach(async () => {
  bench = await AccessBench.create();
});

describe("HTTP Basic", () => {
  const MD5_LIKE = "0123456789abcdef0123456789ABCDEF";

  it.each([
    ["the password itself", "root", "secret"],
    ["its MD5", "root", md5("secret")],
    ["its MD5 in upper case", "root", md5("secret").toUpperCase()],
    ["the password itself of an ordinary user", "guard", "guard"],
    ["no password of a user without one", "open", ""],
    ["the MD5 of nothing", "open", EMPTY_MD5],
  ])("takes %s", async (_what, login, password) => {
    expect(await bench.login({ login, password, isPlainOrMd5: true })).toBe(login);
    expect(bench.access.recall(bench.credentials({ login, password, isPlainOrMd5: true }))).toBeDefined();
  });

  it("takes a password that looks like an MD5, as itself and as its MD5", async () => {
    await bench.setPassword("guard", MD5_LIKE);
    expect(await bench.login({ login: "guard", password: MD5_LIKE, isPlainOrMd5: true })).toBe("guard");
    expect(await bench.login({ login: "guard", password: md5(MD5_LIKE), isPlainOrMd5: true })).toBe("guard");
    expect(await bench.login({ login: "guard", password: MD5_LIKE })).toBe("UNAUTHORIZED");
  });

  it("refuses a password in another case, a wrong one and a huge one", async () => {
    for (const password of ["Secret", "wrong", "secret ", md5("wrong"), "x".repeat(100_000)])
      expect(await bench.login({ password, isPlainOrMd5: true })).toBe("UNAUTHORIZED");
  });

  it("costs the same work for an unknown user as for a wrong password, whatever its form", async () => {
    for (const password of ["wrong", md5("wrong")]) {
      const calls: number[] = [];
      for (const login of ["root", "nobody", "open"]) {
        const before = bench.deriveCalls;
        expect(await bench.login({ login, password, isPlainOrMd5: true })).toBe("UNAUTHORIZED");
        calls.push(bench.deriveCalls - before);
      }
      expect(new Set(calls).size).toBe(1);
    }
  });

  it("takes the password itself of a user beside a directory", async () => {
    bench = await AccessBench.create(new FakeDirectory());
    expect(
      await bench.loginInTime({ password: "secret", directoryPassword: "secret", isPlainOrMd5: true }),
    ).toBe("root");
  });
});

describe("SiteAccess", () => {
  it("takes the MD5 of the password in either case", async () => {
    expect(await bench.login({})).toBe("root");
    expect(await bench.login({ password: md5("secret").toUpperCase() })).toBe("root");
    expect(await bench.login({ userType: "internal" })).toBe("root");
  });

  it.each([
    ["the password itself", "secret"],
    ["another MD5", md5("other")],
    ["nothing", undefined],
    ["the MD5 of nothing", EMPTY_MD5],
    ["a huge text", "x".repeat(1_000_000)],
  ])("refuses %s", async (_name, password) => {
    expect(await bench.login({ password })).toBe("UNAUTHORIZED");
  });

  it.each([
    ["none", undefined],
    ["an empty one", ""],
    ["the MD5 of the empty text", EMPTY_MD5],
    ["the same in upper case", EMPTY_MD5.toUpperCase()],
  ])("lets a user without a password in with %s", async (_name, password) => {
    expect(await bench.login({ login: "open", password })).toBe("open");
    expect(await bench.login({ login: "open", password: md5("other") })).toBe("UNAUTHORIZED");
  });

  it("lets nobody in as a locked user", async () => {
    bench.changeUser("root", { secret: "locked" });
    for (const password of ["locked", undefined, md5("locked"), md5("secret")]) {
      expect(await bench.login({ password })).toBe("UNAUTHORIZED");
    }
  });

  it("tells an unknown user from a wrong password neither by the error nor by the work", async () => {
    const errorOf = async (login: string) => {
      const before = bench.deriveCalls;
      const error = await bench.access
        .verify(bench.credentials({ login, password: md5("wrong") }))
        .catch((e) => e);
      return { code: error.code, message: error.message, calls: bench.deriveCalls - before };
    };
    const wrong = await errorOf("root");
    expect(wrong).toMatchObject({ code: "UNAUTHORIZED", calls: 1 });
    for (const login of ["nobody", "open", "", "x".repeat(10_000), "__proto__"])
      expect(await errorOf(login)).toEqual(wrong);
  });

  it("remembers a verified login: no more work, also for a user without a password", async () => {
    for (const credentials of [
      bench.credentials(),
      bench.credentials({ login: "open", password: undefined }),
    ]) {
      expect(bench.access.recall(credentials)).toBeUndefined();
      const verified = await bench.access.verify(credentials);
      const calls = bench.deriveCalls;
      expect(bench.access.recall(credentials)).toBe(verified);
      expect(bench.deriveCalls).toBe(calls);
    }
  });

  it("recalls a login only for the address, the name and the password it was verified with", async () => {
    await bench.login({});
    expect(bench.access.recall(bench.credentials({ address: "192.0.2.8" }))).toBeUndefined();
    expect(bench.access.recall(bench.credentials({ login: "guard" }))).toBeUndefined();
    expect(bench.access.recall(bench.credentials({ password: md5("wrong") }))).toBeUndefined();
    expect(bench.access.recall(bench.credentials({ userType: "ActiveDirectory" }))).toBeUndefined();
  });

  it("forgets a login when the user's password changes, the user goes, or gets another id", async () => {
    await bench.login({});
    bench.changeUser("root", { secret: null });
    expect(await bench.login({})).toBe("UNAUTHORIZED");
    await bench.login({ login: "guard", password: md5("guard") });
    bench.changeUser("guard", { id: newGuid() });
    expect(
      bench.access.recall(bench.credentials({ login: "guard", password: md5("guard") })),
    ).toBeUndefined();
    bench.change((site) => ({ ...site, users: [] }));
    expect(await bench.login({ login: "guard", password: md5("guard") })).toBe("UNAUTHORIZED");
  });

  it("recalls a login with the rights of the current revision", async () => {
    const channel = newGuid();
    const credentials = bench.credentials({ login: "guard", password: md5("guard") });
    expect((await bench.access.verify(credentials)).mayWatchRealtime(channel)).toBe(false);
    bench.change((site) => ({
      ...site,
      groups: site.groups.map((group) => ({ ...group, realtimeChannels: [channel] })),
    }));
    const calls = bench.deriveCalls;
    expect(bench.access.recall(credentials)?.mayWatchRealtime(channel)).toBe(true);
    expect(bench.deriveCalls).toBe(calls);
  });

  it("refuses a password that was changed while it was being checked", async () => {
    const check = bench.access.verify(bench.credentials());
    await Promise.resolve();
    bench.changeUser("root", { secret: "locked" });
    await expect(check).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("lets in who asks after the password has become right, while the former one is still being compared", async () => {
    const secret = bench.secretOf("root");
    bench.changeUser("root", { secret: "locked" });
    const calls = bench.deriveCalls;
    const early = bench.access.verify(bench.credentials());
    while (bench.deriveCalls === calls) await Promise.resolve();
    bench.changeUser("root", { secret });
    await expect(early).resolves.toMatchObject({ user: { name: "root" } });
  });

  it("says that directory login is not configured", async () => {
    const refused = bench.access.verify(bench.credentials({ userType: "ActiveDirectory" }));
    await expect(refused).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining("directory users is not configured"),
    });
  });

  it("checks equal credentials once, however many ask at the same time", async () => {
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => bench.login({})));
    expect(new Set(outcomes)).toEqual(new Set(["root"]));
    expect(bench.deriveCalls).toBe(1);
  });

  it("works on one password of strangers at a time, and on two where known addresses ask too", async () => {
    await bench.login({ address: "192.0.2.50" });
    await bench.login({ address: "192.0.2.51" });
    bench.deriveAtOnceMax = 0;
    const addresses = ["192.0.2.50", "192.0.2.51", "192.0.2.1", "192.0.2.2", "192.0.2.3"];
    await Promise.all(addresses.map((address) => bench.login({ address, password: md5(address) })));
    expect(bench.deriveAtOnceMax).toBe(2);
  });

  it("works on one password of an address at a time", async () => {
    const addresses = Array.from({ length: 16 }, (_value, index) => `192.0.2.${index % 8}`);
    const logins = addresses.map((address, index) =>
      bench.login({ address, password: md5(`wrong ${index}`) }),
    );
    expect(new Set(await Promise.all(logins))).toEqual(new Set(["UNAUTHORIZED"]));
    expect(bench.deriveAtOnceMax).toBe(1);
    const before = bench.deriveCalls;
    bench.deriveAtOnceMax = 0;
    await Promise.all([1, 2, 3].map((n) => bench.login({ address: "192.0.2.99", password: md5(`x${n}`) })));
    expect(bench.deriveCalls - before).toBe(3);
    expect(bench.deriveAtOnceMax).toBe(1);
  });

  it("turns logins away when too many are waiting", async () => {
    const logins = Array.from({ length: 80 }, (_value, index) => bench.login({ login: `nobody ${index}` }));
    const outcomes = await Promise.all(logins);
    expect(outcomes.filter((outcome) => outcome === "TOO_MANY_REQUESTS").length).toBeGreaterThanOrEqual(16);
    expect(await bench.login({ address: "192.0.2.99" })).toBe("root");
  });
});
