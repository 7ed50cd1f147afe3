import { beforeEach, describe, expect, it } from "vitest";
import { Sessions, SharedSessions, SiteAccess, sessionKey } from "../../src/access/index.js";
import { SHARED_FOR_MS } from "../../src/access/shared-sessions.js";
import { NvrdError } from "../../src/base/index.js";
import { AccessBench, md5 } from "../support/access/access-bench.js";
import { MemoryDocuments } from "../support/fleet/memory-documents.js";
import { silentLog } from "../support/site/site-samples.js";

const ADDRESS = "192.0.2.7";
const HOUR_MS = 3_600_000;

class Store extends MemoryDocuments {
  isSilent = false;

  override read(name: string): Promise<string | undefined> {
    return this.isSilent
      ? Promise.reject(new NvrdError("NOT_AVAILABLE", "the store does not answer"))
      : super.read(name);
  }
}

/** A hub with users of its own that were the others' when it was set up. */
class Place {
  readonly sessions: Sessions;
  readonly access: SiteAccess;
  /** Of the hubs that hear from this one. */
  readonly others: Place[] = [];
  current: AccessBench["current"];

  constructor(store: Store) {
    const { clock } = bench;
    this.current = bench.current;
    this.sessions = new Sessions({ site: this, clock, log: silentLog });
    this.access = new SiteAccess({
      site: this,
      clock,
      log: silentLog,
      derive: bench.derive,
      sessions: this.sessions,
    });
    const say = (key: string): void => {
      for (const { sessions } of this.others) void sessions.changedElsewhere(key);
    };
    this.sessions.share(new SharedSessions({ documents: store, say, clock, log: silentLog }));
  }

  /** Logs in; resolves with the key of the cookie. */
  async logIn(): Promise<string> {
    const credentials = bench.credentials({ login: "guard", password: md5("guard") });
    const principal = await this.access.verify(credentials);
    const token = this.sessions.begin({ principal, address: ADDRESS, userAgent: "Test" });
    await this.sessions.kept(1000);
    return sessionKey(token) ?? "";
  }

  /** Whom a session lets in. */
  async who(key: string): Promise<string | undefined> {
    const credentials = { session: key, address: ADDRESS };
    try {
      const principal = this.access.recall(credentials) ?? (await this.access.verify(credentials));
      return principal.user.name;
    } catch (error) {
      return error instanceof NvrdError ? error.code : String(error);
    }
  }

  end(key: string): Promise<void> {
    this.sessions.end(this.sessions.find(key)?.id ?? "");
    return this.sessions.kept(1000);
  }
}

let bench: AccessBench;
let store: Store;
let one: Place;
let other: Place;

beforeEach(async () => {
  bench = await AccessBench.create();
  store = new Store();
  [one, other] = [new Place(store), new Place(store)];
});

const soon = (): void => bench.clock.advance(SHARED_FOR_MS + 1);

describe("a login at one of several hubs", () => {
  it("holds at the others", async () => {
    const key = await one.logIn();

    expect(await other.who(key)).toBe("guard");
  });

  it("holds at a hub that is started later, and when the first is gone", async () => {
    const key = await one.logIn();
    await one.sessions.stop();

    expect(await new Place(store).who(key)).toBe("guard");
  });

  it("is one at none of them without the cookie's value", async () => {
    await one.logIn();

    const names = [...store.texts.keys()].map((name) => /sessions\/(.*)\.json/.exec(name)?.[1] ?? "");
    expect(names).toHaveLength(1);
    expect(await other.who(sessionKey(names[0] ?? "") ?? "")).toBe("UNAUTHORIZED");
  });

  it("is none where its user is not one", async () => {
    other.current = { ...other.current, users: other.current.users.filter(({ name }) => name !== "guard") };
    const key = await one.logIn();

    expect(await other.who(key)).toBe("UNAUTHORIZED");
    soon();
    expect(await one.who(key)).toBe("guard");
  });
});

describe("a session of several hubs", () => {
  it("ends at all of them within seconds when it is ended at one", async () => {
    const key = await one.logIn();
    expect(await other.who(key)).toBe("guard");
    await one.end(key);

    soon();
    expect(await other.who(key)).toBe("UNAUTHORIZED");
  });

  it("ends at once where the hubs hear each other, and so do streams that are open under it", async () => {
    one.others.push(other);
    const key = await one.logIn();
    await other.who(key);
    const ended = new Promise<void>((resolve) => other.sessions.onEnd(resolve));
    await one.end(key);

    await ended;
    expect(await other.who(key)).toBe("UNAUTHORIZED");
  });

  it("ends everywhere with another password of its user at one", async () => {
    const key = await one.logIn();
    await other.who(key);
    one.current = {
      ...one.current,
      users: one.current.users.map((user) => (user.name === "guard" ? { ...user, secret: "another" } : user)),
    };
    one.sessions.endOver();
    await one.sessions.kept(1000);

    soon();
    expect(await other.who(key)).toBe("UNAUTHORIZED");
  });

  it("ends everywhere when its user is removed at one", async () => {
    const key = await one.logIn();
    await other.who(key);
    one.current = { ...one.current, users: one.current.users.filter(({ name }) => name !== "guard") };
    one.sessions.endOver();
    await one.sessions.kept(1000);

    soon();
    expect(await other.who(key)).toBe("UNAUTHORIZED");
  });

  it("is used at one hub and idle at another for days, and ends at neither", async () => {
    const key = await one.logIn();
    for (let hours = 0; hours < 80; hours += 8) {
      bench.clock.advance(8 * HOUR_MS);
      expect(await other.who(key)).toBe("guard");
    }
    one.sessions.endOver();
    await other.sessions.kept(1000);

    expect(await one.who(key)).toBe("guard");
  });

  it("ends when nobody uses it anywhere", async () => {
    const key = await one.logIn();
    await other.who(key);
    bench.clock.advance(73 * HOUR_MS);

    expect(await other.who(key)).toBe("UNAUTHORIZED");
    await other.sessions.kept(1000);
    expect([...store.texts.keys()]).toEqual([]);
  });

  it("goes on where it is known while the store is silent, and is not taken for ended elsewhere", async () => {
    const key = await one.logIn();
    store.isSilent = true;
    soon();

    expect(await one.who(key)).toBe("guard");
    expect(await other.who(key)).toBe("NOT_AVAILABLE");
    store.isSilent = false;
    expect(await other.who(key)).toBe("guard");
  });
});
