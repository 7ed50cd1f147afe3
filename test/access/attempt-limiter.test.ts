import { beforeEach, describe, expect, it } from "vitest";
import { AttemptLimiter, addressKey } from "../../src/access/attempt-limiter.js";
import { KnownLogins } from "../../src/access/known-logins.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const HOME = "192.0.2.7";
const CAFE = "198.51.100.9";

describe("guesses at a password", () => {
  let clock: SimulatedClock;
  let limiter: AttemptLimiter;

  beforeEach(async () => {
    clock = new SimulatedClock();
    const known = new KnownLogins({ clock, dataDir: await temporaryDirectory(), log: silentLog });
    limiter = new AttemptLimiter({ clock, known });
  });

  const fail = (times: number, login: string | ((time: number) => string), address = CAFE) => {
    for (let time = 0; time < times; time++)
      limiter.failed({ login: typeof login === "string" ? login : login(time), address });
  };
  const waitMs = (login: string, address: string) => limiter.waitMs({ login, address });

  it("make the user wait where they come from, from the eleventh on", () => {
    fail(10, "alice");
    expect(waitMs("alice", CAFE)).toBe(0);
    fail(1, "alice");
    expect([waitMs("alice", CAFE), waitMs("bob", CAFE), waitMs("alice", HOME)]).toEqual([1000, 0, 0]);
    fail(20, "alice");
    expect(waitMs("alice", CAFE)).toBe(300_000);
  });

  it("from many addresses make each of them wait that has failed, from its own last failure on", () => {
    for (let at = 0; at < 21; at++) fail(1, "alice", `203.0.113.${at}`);
    clock.advance(400_000);
    fail(1, "alice", CAFE);
    clock.advance(500_000);
    expect([waitMs("alice", CAFE), waitMs("alice", "203.0.113.0"), waitMs("alice", HOME)]).toEqual([
      1500, 1100, 0,
    ]);
  });

  it("at many users make the address wait for all of them, from the 51st on, and nobody who logged in there", () => {
    limiter.succeeded({ login: "carol", address: CAFE });
    fail(51, (time) => `user${time}`);
    expect([waitMs("dave", CAFE), waitMs("carol", CAFE), waitMs("dave", HOME)]).toEqual([1000, 0, 0]);
  });

  it("are forgotten of a user who logs in there, and not of the address", () => {
    fail(51, "alice");
    limiter.succeeded({ login: "alice", address: CAFE });
    expect([waitMs("alice", CAFE), waitMs("bob", CAFE)]).toEqual([0, 1000]);
  });

  it("put a remembered login under suspicion once a hundred were refused, while there is a wait", () => {
    const attempt = { login: "alice", address: CAFE };
    expect(limiter.isUnderSuspicion(attempt)).toBe(false);
    fail(11, "alice");
    for (let time = 0; time < 99; time++) limiter.refused(attempt);
    expect(limiter.isUnderSuspicion(attempt)).toBe(false);
    limiter.refused(attempt);
    expect(limiter.isUnderSuspicion(attempt)).toBe(true);
    expect(limiter.isUnderSuspicion({ ...attempt, address: HOME })).toBe(false);
    expect(waitMs("alice", CAFE)).toBe(1000);
    clock.advance(1_000_000);
    expect(limiter.isUnderSuspicion(attempt)).toBe(false);
  });

  it("wait in lanes: who has logged in from an address, who is new there, who has failed there", () => {
    const lane = (address: string) => limiter.lane({ login: "alice", address });
    expect(lane(CAFE)).toBe("new");
    fail(1, "bob");
    expect(lane(CAFE)).toBe("failed");
    limiter.succeeded({ login: "carol", address: CAFE });
    expect(lane(CAFE)).toBe("known");
    expect(lane(HOME)).toBe("new");
  });

  it("from one address are judged one after the other, but for who has logged in there", () => {
    const queue = (login: string, address = CAFE) => limiter.queueName({ login, address });
    limiter.succeeded({ login: "carol", address: CAFE });
    expect(queue("alice")).toBe(queue("bob"));
    expect(queue("carol")).not.toBe(queue("alice"));
    expect(queue("carol", HOME)).not.toBe(queue("carol"));
  });
});

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["", ""],
  ["no address", ""],
  ["192.0.2.700", ""],
])("the address %j counts as %j", (address, key) => {
  expect(addressKey(address)).toBe(key);
});

it("addresses of one IPv6 site count as one, and those of another not", () => {
  expect(addressKey("2001:db8:1:2::1")).toBe(addressKey("2001:db8:1:2:ffff::7"));
  expect(addressKey("2001:db8:1:2::1")).not.toBe(addressKey("2001:db8:1:3::1"));
});
