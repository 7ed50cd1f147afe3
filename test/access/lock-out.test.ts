import { beforeEach, describe, expect, it } from "vitest";
import { RecentMap } from "../../src/access/recent-map.js";
import { AccessBench, md5 } from "../support/access/access-bench.js";

let bench: AccessBench;

beforeEach(async () => {
  bench = await AccessBench.create();
});

const ATTACKER = "198.51.100.1";

async function fail(
  count: number,
  credentials: { address?: string; login?: string } = {},
): Promise<string[]> {
  const outcomes: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const password = md5(`guess ${i} ${Math.random()}`);
    outcomes.push(await bench.login({ address: ATTACKER, ...credentials, password }));
  }
  return outcomes;
}

describe("guessing", () => {
  it("is turned away from an address after ten failures, without work", async () => {
    const outcomes = await fail(12);
    expect(outcomes.slice(0, 11)).toEqual(Array(11).fill("UNAUTHORIZED"));
    expect(outcomes[11]).toBe("TOO_MANY_REQUESTS");
    const calls = bench.deriveCalls;
    await fail(20);
    expect(bench.deriveCalls).toBe(calls);
  });

  it("is told how long to wait", async () => {
    await fail(12);
    const attempt = bench.access.verify(bench.credentials({ address: ATTACKER }));
    await expect(attempt).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS", retryAfterMs: 1000 });
  });

  it("waits longer after each failure, up to five minutes", async () => {
    await fail(11);
    const waits: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      let waitedS = 0;
      const password = md5(`no ${round}`);
      while ((await bench.login({ address: ATTACKER, password })) === "TOO_MANY_REQUESTS") {
        bench.clock.advance(1000);
        waitedS += 1;
      }
      waits.push(waitedS);
    }
    expect(waits.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(waits.at(-1)).toBe(300);
  });

  it("is forgotten after a quarter of an hour without a failure", async () => {
    await fail(12);
    bench.clock.advance(15 * 60_000);
    expect(await fail(11)).toEqual(Array(11).fill("UNAUTHORIZED"));
  });

  it("refuses even the right password of that user to the address while it waits", async () => {
    await fail(12);
    expect(await bench.login({ address: ATTACKER })).toBe("TOO_MANY_REQUESTS");
  });

  it("of one user by many addresses does not lock the user out", async () => {
    for (let host = 0; host < 50; host += 1) await fail(2, { address: `203.0.113.${host}` });
    expect(await bench.login({ address: "192.0.2.200" })).toBe("root");
  });

  it("of one user by many addresses is slowed for those that failed before", async () => {
    for (let host = 0; host < 30; host += 1) await fail(1, { address: `203.0.113.${host}` });
    expect(await fail(1, { address: "203.0.113.29" })).toEqual(["TOO_MANY_REQUESTS"]);
    expect(await fail(1, { address: "203.0.113.200" })).toEqual(["UNAUTHORIZED"]);
  });

  it("does not become free by logging in with an account of one's own in between", async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      await bench.login({ address: ATTACKER, login: "guard", password: md5("guard") });
      outcomes.push(...(await fail(1)));
    }
    expect(outcomes.at(-1)).toBe("TOO_MANY_REQUESTS");
  });

  it("does not end what the owner does behind the same address with a login that was right before", async () => {
    await bench.login({ address: ATTACKER });
    await fail(50);
    expect(await bench.login({ address: ATTACKER })).toBe("root");
  });

  it("learns little from remembered logins: after a hundred refusals they are not distinguished either", async () => {
    await bench.login({ address: ATTACKER });
    await fail(115);
    expect(await bench.login({ address: ATTACKER })).toBe("TOO_MANY_REQUESTS");
    bench.clock.advance(5 * 60_000);
    expect(await bench.login({ address: ATTACKER })).toBe("root");
  });

  it("of one user leaves others behind the same address alone, also at their first login", async () => {
    await fail(40, { login: "root" });
    expect(await bench.login({ address: ATTACKER, login: "guard", password: md5("guard") })).toBe("guard");
  });

  it("of many users from one address is turned away after fifty failures", async () => {
    const outcomes: string[] = [];
    for (let user = 0; user < 60; user += 1) outcomes.push(...(await fail(1, { login: `user ${user}` })));
    expect(outcomes.filter((outcome) => outcome === "UNAUTHORIZED")).toHaveLength(51);
    expect(await bench.login({ address: ATTACKER, login: "guard", password: md5("guard") })).toBe(
      "TOO_MANY_REQUESTS",
    );
  });

  it("of many users does not hold up a user who has logged in from that address", async () => {
    await bench.login({ address: ATTACKER });
    for (let user = 0; user < 60; user += 1) await fail(1, { login: `user ${user}` });
    bench.changeUser("root", { secret: bench.secretOf("guard") });
    expect(await bench.login({ address: ATTACKER, password: md5("guard") })).toBe("root");
  });

  it("that never stops does not lock the owner out for one slip of the keys elsewhere", async () => {
    const owner = { address: "192.0.2.200" };
    for (let host = 0; host < 60; host += 1) await fail(1, { address: `203.0.113.${host}` });
    expect(await bench.login({ ...owner, password: md5("sceret") })).toBe("UNAUTHORIZED");
    for (let second = 0; second < 60; second += 1) {
      bench.clock.advance(1000);
      await fail(1, { address: `198.18.1.${second}` });
      if (second === 30) expect(await bench.login(owner)).toBe("TOO_MANY_REQUESTS");
    }
    expect(await bench.login(owner)).toBe("root");
  });

  it("refused attempts do not lengthen the wait", async () => {
    await fail(11);
    await fail(30);
    bench.clock.advance(1000);
    expect(await bench.login({ address: ATTACKER })).toBe("root");
  });

  it("counts a /64 of IPv6 as one address, and mapped IPv4 as IPv4", async () => {
    for (let host = 1; host <= 12; host += 1)
      await fail(1, { address: `2001:db8:1:2::${host.toString(16)}` });
    expect(await bench.login({ address: "2001:db8:1:2:ffff::1" })).toBe("TOO_MANY_REQUESTS");
    expect(await bench.login({ address: "2001:db8:1:3::1" })).toBe("root");
    await fail(12);
    expect(await bench.login({ address: `::ffff:${ATTACKER}` })).toBe("TOO_MANY_REQUESTS");
  });

  it("is not what a client with an old password does: the same thing again is the same failure", async () => {
    const old = { address: ATTACKER, password: md5("old password") };
    await bench.login(old);
    const calls = bench.deriveCalls;
    for (let request = 0; request < 200; request += 1) expect(await bench.login(old)).toBe("UNAUTHORIZED");
    expect(bench.deriveCalls).toBe(calls);
    expect(await bench.login({ address: ATTACKER })).toBe("root");
  });

  it("is distinguished from an old password that has become the right one", async () => {
    const guard = bench.current.users.find(({ name }) => name === "guard");
    expect(await bench.login({ password: md5("guard") })).toBe("UNAUTHORIZED");
    bench.changeUser("root", { secret: guard?.secret ?? null });
    expect(await bench.login({ password: md5("guard") })).toBe("root");
  });

  it("by one wrong client that sends the same thing at once counts as one failure", async () => {
    const credentials = { address: ATTACKER, password: md5("old password") };
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => bench.login(credentials)));
    expect(new Set(outcomes)).toEqual(new Set(["UNAUTHORIZED"]));
    expect(await bench.login({ address: ATTACKER })).toBe("root");
  });
});

describe("RecentMap", () => {
  it("is bounded: what was used longest ago gives way", () => {
    const map = new RecentMap<string, number>(3);
    for (const [index, key] of ["a", "b", "c"].entries()) map.set(key, index);
    map.get("a");
    map.set("d", 3);
    expect(["a", "b", "c", "d"].map((key) => map.get(key))).toEqual([0, undefined, 2, 3]);
    expect(map.size).toBe(3);
  });
});
