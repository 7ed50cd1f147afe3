import { beforeEach, describe, expect, it } from "vitest";
import {
  DIRECTORY_GRACE_MS,
  DIRECTORY_MEMORY_MS,
  DIRECTORY_REFUSAL_MS,
  DIRECTORY_RETRY_MS,
  DirectoryLogins,
} from "../../src/access/directory-logins.js";
import type { Credentials, DirectoryUser } from "../../src/access/index.js";
import { DIRECTORY_CHECKS_AT_ONCE_MAX, DIRECTORY_REFUSAL_STEP_MS } from "../../src/access/site-access.js";
import { newGuid } from "../../src/base/index.js";
import { AccessBench, md5 } from "../support/access/access-bench.js";
import { FakeDirectory } from "../support/access/fake-directory.js";

let directory: FakeDirectory;
let bench: AccessBench;

beforeEach(async () => {
  directory = new FakeDirectory();
  bench = await AccessBench.create(directory);
  bench.changeGroup("Guards", { directoryGroups: ["guards"] });
});

const ALICE: Partial<Credentials> = {
  login: "alice@example.org",
  password: "alice-secret",
  userType: "ActiveDirectory",
};

describe("a directory user", () => {
  it("has the rights of the user group that its directory group is mapped to", async () => {
    const channel = newGuid();
    bench.changeGroup("Guards", { realtimeChannels: [channel] });
    const principal = await bench.access.verify(bench.credentials(ALICE));
    expect(principal.user.name).toBe("alice@example.org");
    expect(principal.group.name).toBe("Guards");
    expect(principal.mayWatchRealtime(channel)).toBe(true);
    expect(principal.mayWatchRealtime(newGuid())).toBe(false);
  });

  it("has one id, however the name is written", async () => {
    const one = await bench.access.verify(bench.credentials(ALICE));
    const other = await bench.access.verify(bench.credentials({ ...ALICE, login: "Alice@Example.org" }));
    expect(other.user.id).toBe(one.user.id);
    expect(one.user.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it.each([
    ["the name", "guards"],
    ["the name in another case", "GUARDS"],
    ["the distinguished name", "cn=guards, ou=groups, dc=example, dc=org"],
  ])("is mapped by %s of the group", async (_what, name) => {
    bench.changeGroup("Guards", { directoryGroups: ["others", name] });
    expect(await bench.loginInTime(ALICE)).toBe("alice@example.org");
  });

  it.each([
    ["another group", "administrators"],
    ["another group of the same name", "cn=guards,ou=elsewhere,dc=example,dc=org"],
    ["nothing", undefined],
  ])("is refused like a wrong password when %s is mapped", async (_what, name) => {
    bench.changeGroup("Guards", { directoryGroups: name === undefined ? [] : [name] });
    expect(await bench.loginInTime(ALICE)).toBe("UNAUTHORIZED");
  });

  it("of several mapped groups gets the first one in the configuration's order", async () => {
    directory.groups = ["cn=guards,dc=example", "cn=bosses,dc=example"];
    bench.changeGroup("Senior administrators", { directoryGroups: ["bosses"] });
    const principal = await bench.access.verify(bench.credentials(ALICE));
    expect(principal.group.name).toBe("Senior administrators");
  });

  it("is no internal user: neither an internal user's password nor its name is taken", async () => {
    expect(await bench.loginInTime({ userType: "ActiveDirectory", password: md5("secret") })).toBe(
      "UNAUTHORIZED",
    );
    expect(await bench.loginInTime({ userType: "ActiveDirectory", password: "secret" })).toBe("UNAUTHORIZED");
  });

  it("needs no user type when the login has the form of an address", async () => {
    const untyped = { login: "alice@example.org", password: "alice-secret", userType: undefined };
    expect(await bench.loginInTime({ ...untyped, directoryPassword: "alice-secret" })).toBe(
      "alice@example.org",
    );
    expect(await bench.loginInTime({ ...untyped, directoryPassword: "wrong" })).toBe("UNAUTHORIZED");
    expect(await bench.loginInTime({ ...untyped, directoryPassword: undefined })).toBe("UNAUTHORIZED");
  });

  it("is not asked for when the login has not that form, or is said to be internal", async () => {
    await bench.loginInTime({ login: "alice", directoryPassword: "alice-secret" });
    await bench.loginInTime({ ...ALICE, userType: "internal" });
    expect(directory.asked).toBe(0);
  });

  it("whose name an internal user has too is either, by the password", async () => {
    bench.changeUser("guard", { name: "alice@example.org" });
    const login = "alice@example.org";
    expect(await bench.loginInTime({ login, password: md5("guard"), directoryPassword: "?" })).toBe(login);
    expect(directory.asked).toBe(0);
    expect(await bench.loginInTime({ login, password: "x", directoryPassword: "alice-secret" })).toBe(login);
    expect(directory.asked).toBe(1);
  });

  it.each([
    ["an empty one", ""],
    ["none", undefined],
    ["one with a control character", "alice\0secret"],
    ["an endless one", "x".repeat(100_000)],
  ])("is refused without asking when the password is %s", async (_what, password) => {
    expect(await bench.loginInTime({ ...ALICE, password })).toBe("UNAUTHORIZED");
    expect(directory.asked).toBe(0);
  });
});

describe("what the directory said", () => {
  it("of two at once counts as it said it last: who was let in is not refused a minute later", async () => {
    const answers: ((user: DirectoryUser | undefined) => void)[] = [];
    const authenticate = () => new Promise<DirectoryUser | undefined>((resolve) => answers.push(resolve));
    const logins = new DirectoryLogins({ directory: { authenticate }, clock: bench.clock });
    const attempt = { key: "alice", login: "alice@example.org", password: "new-secret" };
    const both = [logins.check(attempt), logins.check(attempt)];
    const user = { dn: "CN=alice", groups: [] };
    answers[0]?.(undefined);
    expect(await both[0]).toBeUndefined();
    answers[1]?.(user);
    expect(await both[1]).toBe(user);
    bench.clock.advance(DIRECTORY_MEMORY_MS);
    const later = logins.check(attempt);
    answers[2]?.(user);
    expect(await later).toBe(user);
  });

  it("is remembered for a minute, then asked for again", async () => {
    await bench.loginInTime(ALICE);
    for (let request = 0; request < 50; request += 1)
      expect(await bench.login(ALICE)).toBe("alice@example.org");
    expect(directory.asked).toBe(1);
    bench.clock.advance(DIRECTORY_MEMORY_MS);
    expect(await bench.login(ALICE)).toBe("alice@example.org");
    expect(directory.asked).toBe(2);
  });

  it("no longer counts after that minute: a changed password, a group that was left", async () => {
    await bench.loginInTime(ALICE);
    bench.clock.advance(DIRECTORY_MEMORY_MS);
    directory.groups = [];
    expect(await bench.loginInTime(ALICE)).toBe("UNAUTHORIZED");
    directory.groups = ["cn=guards,dc=example"];
    bench.clock.advance(DIRECTORY_MEMORY_MS);
    directory.passwords.set("alice@example.org", "second");
    expect(await bench.loginInTime(ALICE)).toBe("UNAUTHORIZED");
    expect(await bench.loginInTime({ ...ALICE, password: "second" })).toBe("alice@example.org");
  });

  it("counts for the password and the address it was said of", async () => {
    await bench.loginInTime(ALICE);
    expect(bench.access.recall(bench.credentials({ ...ALICE, address: "192.0.2.8" }))).toBeUndefined();
    expect(bench.access.recall(bench.credentials({ ...ALICE, password: "ALICE-SECRET" }))).toBeUndefined();
  });

  it("follows the configuration at once: a group that is no longer mapped", async () => {
    await bench.loginInTime(ALICE);
    bench.changeGroup("Guards", { directoryGroups: [] });
    expect(bench.access.recall(bench.credentials(ALICE))).toBeUndefined();
    expect(await bench.loginInTime(ALICE)).toBe("UNAUTHORIZED");
  });

  it("of a wrong password is remembered for five minutes, so that an old password in a client locks no account", async () => {
    const wrong = { ...ALICE, password: "old" };
    for (let request = 0; request < 5; request += 1)
      expect(await bench.loginInTime(wrong)).toBe("UNAUTHORIZED");
    expect(directory.asked).toBe(1);
    bench.clock.advance(DIRECTORY_REFUSAL_MS);
    expect(await bench.loginInTime(wrong)).toBe("UNAUTHORIZED");
    expect(directory.asked).toBe(2);
  });

  it("is asked for once when equal logins come at the same time, and a few at a time otherwise", async () => {
    const equal = await Promise.all(Array.from({ length: 50 }, () => bench.login(ALICE)));
    expect(new Set(equal)).toEqual(new Set(["alice@example.org"]));
    expect(directory.asked).toBe(1);
    const others = Array.from({ length: 20 }, (_value, index) =>
      bench.loginInTime({ ...ALICE, password: `wrong ${index}`, address: `192.0.2.${index}` }),
    );
    expect(new Set(await Promise.all(others))).toEqual(new Set(["UNAUTHORIZED"]));
    expect(directory.atOnceMax).toBe(DIRECTORY_CHECKS_AT_ONCE_MAX);
  });
});

describe("a wrong client behind the same address", () => {
  it("that repeats its old password holds up nobody", async () => {
    for (let request = 0; request < 100; request += 1) {
      expect(await bench.loginInTime({ ...ALICE, password: "old" })).toBe("UNAUTHORIZED");
      bench.clock.advance(5000);
    }
    expect(directory.asked).toBe(2);
    const carol = { ...ALICE, login: "carol@example.org", password: "carol-secret" };
    expect(await bench.loginInTime(carol)).toBe("carol@example.org");
  });

  it("that guesses does not hold up a user whom the directory found right lately", async () => {
    await bench.loginInTime(ALICE);
    for (let guess = 0; guess < 55; guess += 1) await bench.loginInTime({ login: `user ${guess}` });
    expect(await bench.loginInTime({ login: "guard", password: md5("guard") })).toBe("TOO_MANY_REQUESTS");
    bench.clock.advance(DIRECTORY_MEMORY_MS);
    for (let guess = 0; guess < 5; guess += 1) {
      await bench.loginInTime({ password: md5(`later guess ${guess}`) });
      bench.clock.advance(DIRECTORY_MEMORY_MS);
      expect(await bench.login(ALICE)).toBe("alice@example.org");
    }
    expect(directory.asked).toBe(6);
  });
});

describe("a directory that is down", () => {
  it("is no wrong password: nobody is locked out by it", async () => {
    directory.down = true;
    for (let request = 0; request < 40; request += 1) {
      expect(await bench.loginInTime(ALICE)).toBe("NOT_AVAILABLE");
      bench.clock.advance(DIRECTORY_RETRY_MS);
    }
    directory.down = false;
    expect(await bench.loginInTime(ALICE)).toBe("alice@example.org");
  });

  it("is asked no more than each five seconds, and the client is told when to come again", async () => {
    directory.down = true;
    await bench.loginInTime(ALICE);
    for (let request = 0; request < 10; request += 1) {
      const login = bench.access.verify(bench.credentials(ALICE));
      await expect(login).rejects.toMatchObject({ code: "NOT_AVAILABLE", retryAfterMs: DIRECTORY_RETRY_MS });
    }
    expect(directory.asked).toBe(1);
    bench.clock.advance(DIRECTORY_RETRY_MS);
    await bench.loginInTime(ALICE);
    expect(directory.asked).toBe(2);
  });

  it("lets those on whom it found right lately, and no others", async () => {
    await bench.loginInTime(ALICE);
    directory.down = true;
    bench.clock.advance(DIRECTORY_GRACE_MS - 1000);
    expect(await bench.loginInTime(ALICE)).toBe("alice@example.org");
    expect(await bench.loginInTime({ ...ALICE, password: "guess" })).toBe("NOT_AVAILABLE");
    expect(await bench.loginInTime({ ...ALICE, login: "carol@example.org" })).toBe("NOT_AVAILABLE");
    bench.clock.advance(1000);
    expect(await bench.loginInTime(ALICE)).toBe("NOT_AVAILABLE");
  });

  it("that hangs holds up no internal user, from the same address neither", async () => {
    let release: () => void = () => undefined;
    directory.held = new Promise((resolve) => {
      release = resolve;
    });
    const waiting = Array.from({ length: 40 }, (_value, index) =>
      bench.login({
        ...ALICE,
        password: `x${index}`,
        address: index < 20 ? "192.0.2.7" : `192.0.2.${index}`,
      }),
    );
    expect(await bench.login({})).toBe("root");
    expect(await bench.login({ login: "guard", password: md5("guard") })).toBe("guard");
    directory.down = true;
    release();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["NOT_AVAILABLE"]));
  });
});

describe("guessing at directory users", () => {
  it("is slowed down by address as for internal users", async () => {
    const outcomes: string[] = [];
    for (let guess = 0; guess < 12; guess += 1)
      outcomes.push(await bench.loginInTime({ ...ALICE, password: `guess ${guess}` }));
    expect(outcomes.slice(0, 11)).toEqual(Array(11).fill("UNAUTHORIZED"));
    expect(outcomes[11]).toBe("TOO_MANY_REQUESTS");
  });

  it("counts for one user, however the name is written", async () => {
    const spellings = ["alice", "ALICE", "alice@example.org", "alice@elsewhere.org", "Alice@example.org"];
    for (let host = 0; host < 30; host += 1)
      await bench.loginInTime({
        ...ALICE,
        login: spellings[host % spellings.length] ?? "",
        password: `guess ${host}`,
        address: `203.0.113.${host}`,
      });
    const next = { ...ALICE, login: "aLICE", password: "guess", address: "203.0.113.1" };
    expect(await bench.loginInTime(next)).toBe("TOO_MANY_REQUESTS");
  });

  it("learns nothing from the time: a refusal comes at a whole step, known user or not", async () => {
    for (const login of ["alice@example.org", "mallory@example.org"]) {
      let settled = false;
      const refusal = bench.access.verify(bench.credentials({ ...ALICE, login, password: "wrong" }));
      const ended = refusal.catch(() => {
        settled = true;
      });
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      bench.clock.advance(DIRECTORY_REFUSAL_STEP_MS - 1);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(settled).toBe(false);
      bench.clock.advance(1);
      await ended;
      expect(settled).toBe(true);
    }
  });
});
