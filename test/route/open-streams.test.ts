import { beforeEach, describe, expect, it } from "vitest";
import type { Access, Principal } from "../../src/access/index.js";
import { NvrdError } from "../../src/base/index.js";
import { type OpenStream, OpenStreams, RECHECK_PERIOD_MS } from "../../src/route/endpoint/open-streams.js";
import type { SiteStore } from "../../src/site/index.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { silentLog } from "../support/site/site-samples.js";

const PRINCIPAL = {
  group: { seniorAdministrators: true, rights: { IsAllForbidden: false } },
} as unknown as Principal;
const CREDENTIALS = { login: "guard", password: "a", address: "192.0.2.7" } as OpenStream["credentials"];

let clock: ManualClock;
let changed: () => void;
let verified: number;
let refusal: NvrdError | undefined;
let streams: OpenStreams;

beforeEach(() => {
  clock = new ManualClock();
  verified = 0;
  refusal = undefined;
  const site = {
    onChange: (_part: string, listener: () => void) => {
      changed = listener;
    },
  } as unknown as SiteStore;
  const access = {
    recall: () => undefined,
    verify: () => {
      verified += 1;
      return refusal === undefined ? Promise.resolve(PRINCIPAL) : Promise.reject(refusal);
    },
  } as unknown as Access;
  streams = new OpenStreams({ site, access, clock, log: silentLog });
});

/** A stream that is open, and whether it was ended. */
function opened(mayContinue = () => true): { remove: () => void; ended: () => boolean } {
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
  };
  const remove = streams.add({ credentials: CREDENTIALS, viewer: undefined, mayContinue, end });
  return { remove, ended: () => isEnded };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("open streams", () => {
  it("are checked once after many changes of one moment, and again after the next one", async () => {
    opened();
    for (let change = 0; change < 5; change += 1) changed();
    clock.advance(1000);
    await settled();
    expect(verified).toBe(1);
    changed();
    clock.advance(1000);
    await settled();
    expect(verified).toBe(2);
  });

  it("are checked every minute, as long as there are any", async () => {
    const { remove } = opened();
    clock.advance(RECHECK_PERIOD_MS);
    await settled();
    expect(verified).toBe(1);
    remove();
    clock.advance(10 * RECHECK_PERIOD_MS);
    await settled();
    expect(verified).toBe(1);
    opened();
    clock.advance(RECHECK_PERIOD_MS);
    await settled();
    expect(verified).toBe(2);
  });

  it("end when they are allowed no more", async () => {
    let may = true;
    const { ended } = opened(() => may);
    changed();
    clock.advance(1000);
    await settled();
    expect(ended()).toBe(false);
    may = false;
    changed();
    clock.advance(1000);
    await settled();
    expect(ended()).toBe(true);
  });

  it("outlast somebody who guesses passwords, and not a change of the configuration meanwhile", async () => {
    const { ended } = opened();
    refusal = new NvrdError("TOO_MANY_REQUESTS", "too many wrong passwords");
    clock.advance(RECHECK_PERIOD_MS);
    await settled();
    expect(ended()).toBe(false);
    changed();
    clock.advance(1000);
    await settled();
    expect(ended()).toBe(true);
  });
});
