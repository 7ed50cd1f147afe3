import { describe, expect, it } from "vitest";
import { type Credentials, SiteAccess } from "../../src/access/index.js";
import { SystemClock } from "../../src/base/index.js";
import { AccessBench, md5 } from "../support/access/access-bench.js";
import { silentLog } from "../support/site/site-samples.js";

const HASH_MS = 10;
/** Between two guesses of an address: with a thousand of them, 2000 guesses a second. */
const PAUSE_MS = 500;
const OWNER = "192.0.2.7";

/** SiteAccess on the real clock with a derivation of `HASH_MS`; counts derivations that began. */
async function startAccess(): Promise<{ access: SiteAccess; work: { begun: number } }> {
  const bench = await AccessBench.create();
  const work = { begun: 0 };
  const access = new SiteAccess({
    site: bench,
    clock: new SystemClock(),
    log: silentLog,
    derive: async (password, salt, cost) => {
      work.begun += 1;
      await new Promise((resolve) => setTimeout(resolve, HASH_MS));
      return await bench.derive(password, salt, cost);
    },
  });
  await access.verify(rootFrom(OWNER, "secret"));
  return { access, work };
}

function rootFrom(address: string, password: string): Credentials {
  return { login: "root", password: md5(password), userType: undefined, address };
}

function hostAddress(host: number): string {
  return `198.${18 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
}

/** Guesses from `addresses` addresses, each of which asks again soon after it is answered. Ends with the signal. */
function guess(access: SiteAccess, addresses: number, signal: AbortSignal): Promise<unknown> {
  let guesses = 0;
  const one = async (host: number): Promise<void> => {
    while (!signal.aborted) {
      guesses += 1;
      await access.verify(rootFrom(hostAddress(host), `guess ${guesses}`)).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  return Promise.all(Array.from({ length: addresses }, (_value, host) => one(host)));
}

function percentile99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}

describe("guessing from many addresses", () => {
  it("does not delay logins from an address that has logged in before", async () => {
    const { access, work } = await startAccess();
    const end = new AbortController();
    const attack = guess(access, 1000, end.signal);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const begunMeanwhile: number[] = [];
    const times: number[] = [];
    for (let login = 0; login < 100; login += 1) {
      const before = work.begun;
      const startedMs = performance.now();
      // `verify` works the password out each time, as for a login that is not remembered.
      await access.verify(rootFrom(OWNER, "secret"));
      times.push(performance.now() - startedMs);
      begunMeanwhile.push(work.begun - before);
    }
    end.abort();
    await attack;
    console.info(`p99 of the owner's login while 1000 addresses guess: ${percentile99(times).toFixed(0)} ms`);
    // The own one, and those of strangers that took their one place meanwhile: the time itself depends on the machine.
    expect(percentile99(begunMeanwhile)).toBeLessThanOrEqual(6);
    expect(percentile99(times)).toBeLessThan(10_000);
  });

  it("answers a right login from an address that nobody has failed from", async () => {
    const { access, work } = await startAccess();
    const end = new AbortController();
    const attack = guess(access, 60, end.signal);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const before = work.begun;
    await expect(access.verify(rootFrom("192.0.2.200", "secret"))).resolves.toBeDefined();
    // Its own, and at most one of each stranger: nobody who asks again comes before it.
    expect(work.begun - before).toBeLessThanOrEqual(61);
    end.abort();
    await attack;
  });
});
