import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type KeptSession, SessionFile } from "../../src/access/session-file.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const SECOND_US = 1_000_000;

const SESSION: KeptSession = {
  id: "s1",
  key: "k1",
  userId: "u1",
  userName: "guard",
  secretMark: null,
  directoryUser: { dn: "cn=guard", groups: ["guards"] },
  address: "192.0.2.7",
  userAgent: "Test",
  sinceUs: 1,
  lastUsedUs: 2,
  ageUs: 3,
  idleUs: 4,
};

let directory: string;
let file: string;
let clock: SimulatedClock;
let sessions: KeptSession[];
/** The sessions that each write has taken, by their ids. */
let writes: string[][];
let kept: SessionFile;

beforeEach(async () => {
  directory = await temporaryDirectory();
  file = join(directory, "sessions.json");
  clock = new SimulatedClock();
  sessions = [SESSION];
  writes = [];
  kept = new SessionFile({
    ...{ dataDir: directory, clock, log: silentLog },
    sessions: () => {
      writes.push(sessions.map(({ id }) => id));
      return sessions;
    },
  });
});

const idsOf = (of: SessionFile): string[] => of.read().map(({ id }) => id);

/** Ends what has been allowed at once, one write after the other. */
async function spendCredit(): Promise<void> {
  for (let count = 0; count < 8; count += 1) {
    kept.writeSoon();
    await kept.written();
  }
}

describe("the file of sessions", () => {
  it("is read as it was written, by its owner alone", async () => {
    kept.writeSoon();
    await kept.written();
    expect(kept.read()).toEqual([SESSION]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is absent or damaged without harm", () => {
    expect(kept.read()).toEqual([]);
    for (const text of ["{", '{"Version":2,"Sessions":[]}', '{"Version":1,"Sessions":[{"id":1}]}']) {
      writeFileSync(file, text);
      expect(kept.read(), text).toEqual([]);
    }
  });

  it("is not read where it is larger than any of ours", () => {
    const text = JSON.stringify({ Version: 1, Sessions: [SESSION] });
    writeFileSync(file, text.padEnd(16_000_000, " "));
    expect(idsOf(kept)).toEqual(["s1"]);
    writeFileSync(file, text.padEnd(16_000_001, " "));
    expect(kept.read()).toEqual([]);
  });
});

describe("writes of sessions", () => {
  it("are joined while one waits for its turn", async () => {
    for (let count = 0; count < 5; count += 1) kept.writeSoon();
    await kept.written();
    expect(writes).toEqual([["s1"]]);
  });

  it("take a change that comes while one is under way with the next, however many come", async () => {
    kept.writeSoon();
    // The write is under way as soon as it has asked for the sessions.
    await Promise.resolve();
    expect(writes).toEqual([["s1"]]);
    sessions = [{ ...SESSION, id: "s2" }];
    for (let count = 0; count < 5; count += 1) kept.writeSoon();
    await kept.written();
    expect(writes).toEqual([["s1"], ["s2"]]);
    expect(idsOf(kept)).toEqual(["s2"]);
  });

  it("are eight at once, then one a second, with what there is then", async () => {
    await spendCredit();
    expect(writes).toHaveLength(8);
    for (const id of ["a", "b", "c"]) {
      sessions = [{ ...SESSION, id }];
      kept.writeSoon();
    }
    expect(clock.timers).toBe(1);
    clock.advance(SECOND_US - 1);
    expect(clock.timers).toBe(1);
    const written = kept.written();
    clock.advance(1);
    await written;
    expect(writes.slice(8)).toEqual([["c"]]);
    expect(clock.timers).toBe(0);
  });

  it("are allowed at once again after quiet seconds, eight at most", async () => {
    await spendCredit();
    clock.advance(3 * SECOND_US);
    for (let count = 0; count < 3; count += 1) kept.writeSoon();
    expect(clock.timers).toBe(0);
    kept.writeSoon();
    expect(clock.timers).toBe(1);
    clock.advance(1000 * SECOND_US);
    for (let count = 0; count < 8; count += 1) kept.writeSoon();
    expect(clock.timers).toBe(0);
    kept.writeSoon();
    expect(clock.timers).toBe(1);
    await kept.stop();
  });

  it("are not called done while one still waits for its second", async () => {
    await spendCredit();
    sessions = [{ ...SESSION, id: "late" }];
    kept.writeSoon();
    let isWritten = false;
    const written = kept.written().then(() => {
      isWritten = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isWritten).toBe(false);
    clock.advance(SECOND_US);
    await written;
    expect(idsOf(kept)).toEqual(["late"]);
  });

  it("end with a last one, which leaves no timer", async () => {
    await spendCredit();
    kept.writeSoon();
    sessions = [{ ...SESSION, id: "last" }];
    await kept.stop();
    expect(clock.timers).toBe(0);
    expect(idsOf(kept)).toEqual(["last"]);
  });

  it("go on after one that failed", async () => {
    const lost = new SessionFile({
      ...{ dataDir: join(directory, "absent"), clock, log: silentLog },
      sessions: () => sessions,
    });
    lost.writeSoon();
    await lost.written();
    expect(lost.read()).toEqual([]);
    writeFileSync(file, "damaged");
    chmodSync(file, 0o644);
    kept.writeSoon();
    await kept.written();
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ Version: 1, Sessions: [{ id: "s1" }] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
