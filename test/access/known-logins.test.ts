import { readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AttemptLimiter } from "../../src/access/attempt-limiter.js";
import { KNOWN_MAX, KNOWN_MS, KnownLogins } from "../../src/access/known-logins.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const NOON_US = Date.UTC(2026, 10, 21, 12) * 1000;
const DAY_MS = 86_400_000;
const ROOT = { login: "root", address: "192.0.2.7" };
const GUESSER = { login: "root", address: "198.51.100.9" };

let directory: TemporaryDirectory;
let file: string;

beforeEach(() => {
  directory = new TemporaryDirectory("known-logins");
  file = directory.join("known-logins.json");
});

afterEach(() => directory.remove());

function started(nowUs = NOON_US) {
  const clock = new SimulatedClock(nowUs);
  const known = new KnownLogins({ clock, dataDir: directory.path, log: silentLog });
  return { clock, known, limiter: new AttemptLimiter({ clock, known }) };
}

async function loggedIn(nowUs?: number): Promise<void> {
  const { limiter, known } = started(nowUs);
  limiter.failed(GUESSER);
  limiter.succeeded(ROOT);
  await known.stop();
}

describe("an address from which somebody has logged in", () => {
  it("has its lane after a restart, and the user there waits for nobody's failures", async () => {
    await loggedIn();
    const { limiter } = started(NOON_US + DAY_MS * 1000);
    expect(limiter.lane(ROOT)).toBe("known");
    expect(limiter.lane(GUESSER)).toBe("new");
    for (let guess = 0; guess < 100; guess += 1) limiter.failed({ ...ROOT, login: `user ${guess}` });
    expect(limiter.waitMs(ROOT)).toBe(0);
    expect(limiter.waitMs({ ...ROOT, login: "guard" })).toBeGreaterThan(0);
  });

  it("is kept for 30 days, also over several restarts", async () => {
    await loggedIn();
    const late = started(NOON_US + (KNOWN_MS - DAY_MS) * 1000);
    expect(late.limiter.lane(ROOT)).toBe("known");
    late.limiter.succeeded({ login: "guard", address: "203.0.113.1" });
    await late.known.stop();
    const { limiter } = started(NOON_US + (KNOWN_MS + 1) * 1000);
    expect(limiter.lane(ROOT)).toBe("new");
    expect(limiter.lane({ login: "guard", address: "203.0.113.1" })).toBe("known");
  });

  it("counts from the restart where the clock went back meanwhile", async () => {
    await loggedIn();
    const { clock, limiter } = started(NOON_US - 400 * DAY_MS * 1000);
    expect(limiter.lane(ROOT)).toBe("known");
    clock.advance(KNOWN_MS * 1000);
    expect(limiter.lane(ROOT)).toBe("new");
  });

  it("is kept in a file of bounded size that only the service reads, with no more than address and user", async () => {
    const { limiter, known } = started();
    for (let host = 0; host < KNOWN_MAX + 100; host += 1)
      limiter.succeeded({ login: "root", address: `10.0.${host >> 8}.${host & 255}` });
    await known.stop();
    const kept = JSON.parse(readFileSync(file, "utf8"));
    expect([kept.Addresses.length, kept.Users.length]).toEqual([KNOWN_MAX, KNOWN_MAX]);
    expect(kept.Users.at(-1)).toEqual({ Key: "10.0.16.99 root", AtUs: NOON_US });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = started();
    expect(again.limiter.lane({ login: "root", address: "10.0.0.0" })).toBe("new");
    expect(again.limiter.lane({ login: "root", address: "10.0.16.99" })).toBe("known");
  });

  it.each([
    ["is no JSON", "{"],
    ["is another's", '{"Version":1,"Addresses":7,"Users":[]}'],
    ["has a time that is none", '{"Version":1,"Addresses":[{"Key":"192.0.2.7","AtUs":null}],"Users":[]}'],
  ])("is forgotten where the file %s", (_what, text) => {
    writeFileSync(file, text);
    expect(started().limiter.lane(ROOT)).toBe("new");
  });
});
