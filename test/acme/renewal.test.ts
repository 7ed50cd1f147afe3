import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { renewalId } from "../../src/acme/renewal-info.js";
import { AcmeHarness, type AcmeHarnessOptions, OWNER } from "../support/acme/acme-harness.js";
import { problem } from "../support/acme/acme-server.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const MINUTE_US = 60_000_000;
const HOUR_US = 60 * MINUTE_US;
const DAY_US = 24 * HOUR_US;
const START_US = Date.UTC(2026, 10, 1) * 1000;

let harness: AcmeHarness;
let clock: SimulatedClock;

/** A recorder that has a certificate since this moment. */
async function started(options: AcmeHarnessOptions = {}): Promise<void> {
  clock = new SimulatedClock(START_US);
  harness = await AcmeHarness.start({ clock, ...options });
  harness.acme.start();
}

afterEach(() => harness.stop());

/** Lets time pass; no time passes while something is asked. */
async function pass(us: number, until: () => boolean = () => false, stepUs = 6 * HOUR_US): Promise<void> {
  const endUs = clock.monotonicUs() + us;
  while (clock.monotonicUs() < endUs && !until()) {
    clock.advance(Math.min(stepUs, endUs - clock.monotonicUs()));
    await harness.acme.whenIdle();
    await harness.acme.whenIdle();
  }
}

const orders = () => harness.server.count("new-order");
const ageDays = () => (clock.nowUs() - START_US) / DAY_US;

function fingerprint(): string {
  return new X509Certificate(readFileSync(harness.certificate.files.certificateFile)).fingerprint256;
}

describe("the renewal of a certificate", () => {
  it("comes when a third of the lifetime is left, a little earlier by chance, and again after that", async () => {
    await started();
    await harness.use();
    const first = fingerprint();
    await pass(57 * DAY_US);
    expect(orders()).toBe(1);
    await pass(3 * DAY_US, () => orders() === 2);
    expect(ageDays()).toBeGreaterThan(57);
    expect(ageDays()).toBeLessThan(60);
    expect(fingerprint()).not.toBe(first);
    await pass(60 * DAY_US, () => orders() === 3);
    expect(orders()).toBe(3);
    expect(harness.notices.map(({ what }) => what)).toEqual(["obtained", "obtained", "obtained"]);
  });

  it("comes within the time that the authority wants, and names the certificate that it replaces", async () => {
    const day = (days: number) => new Date(START_US / 1000 + days * 86_400_000).toISOString();
    await started({ windowAgainS: 21_600, window: () => ({ start: day(20), end: day(22) }) });
    await harness.use();
    const before = await renewalId(readFileSync(harness.certificate.files.certificateFile, "utf8"));
    await pass(30 * DAY_US, () => orders() === 2);
    expect(ageDays()).toBeCloseTo(21, 0);
    expect(harness.server.orders[1]?.replaces).toBe(before);
    expect(harness.server.count(`renewal-info/${before}`)).toBeGreaterThan(70);
    expect(harness.server.count(`renewal-info/${before}`)).toBeLessThan(90);
  });

  it("comes at once when the authority takes the certificate back, and not again and again where it always says so", async () => {
    await started({ window: () => ({ start: "2020-01-01T00:00:00Z", end: "2020-01-02T00:00:00Z" }) });
    await harness.use();
    await pass(10 * DAY_US);
    expect(orders()).toBeGreaterThan(8);
    expect(orders()).toBeLessThanOrEqual(11);
  });

  it("is not kept in mind any more where no authority is asked since", async () => {
    let answered = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answered = resolve;
    });
    await started({
      window: () => ({ start: "2050-01-01T00:00:00Z", end: "2050-01-02T00:00:00Z" }),
      instead: ({ path }) => {
        if (!path.startsWith("renewal-info")) return undefined;
        answered();
        return "hang";
      },
    });
    await harness.use();
    clock.advance(MINUTE_US);
    await asked;
    await harness.acme.turnOff();
    clock.advance(MINUTE_US);
    await harness.acme.whenIdle();
    expect(existsSync(harness.directory.join("tls/acme"))).toBe(false);
  });

  it("comes in time although the authority wants it after the end", async () => {
    await started({ window: () => ({ start: "2050-01-01T00:00:00Z", end: "2050-01-02T00:00:00Z" }) });
    await harness.use();
    await pass(80 * DAY_US, () => orders() === 2);
    expect(ageDays()).toBeGreaterThan(70);
    expect(ageDays()).toBeLessThan(76);
  });

  it("of a certificate for six days comes after four", async () => {
    await started({ days: 6 });
    await harness.use();
    await pass(6 * DAY_US, () => orders() === 2, HOUR_US);
    expect(ageDays()).toBeCloseTo(4, 0);
  });

  it("waits while the clock is not known", async () => {
    let isKnown = true;
    await started({ isClockKnown: () => isKnown });
    await harness.use();
    isKnown = false;
    await pass(70 * DAY_US);
    expect(orders()).toBe(1);
    expect((await harness.acme.state()).nextUs).toBeUndefined();
    isKnown = true;
    await pass(HOUR_US);
    expect(orders()).toBe(2);
  });

  it("that fails is tried again ever more seldom, and is a problem once a quarter of the lifetime is left", async () => {
    let isDown = false;
    await started({
      instead: ({ path }) =>
        isDown && path === "new-order" ? problem("serverInternal", "down", 500) : undefined,
    });
    await harness.use();
    const first = fingerprint();
    isDown = true;
    await pass(59 * DAY_US);
    const before = orders();
    expect(harness.acme.problem).toBeUndefined();
    await pass(8 * DAY_US);
    expect(harness.acme.problem).toBeUndefined();
    await pass(DAY_US);
    expect(harness.acme.problem).toContain("for nvr.example.org ends in 21 days and could not be renewed");
    expect(orders() - before).toBeLessThan(12);
    expect(fingerprint()).toBe(first);
    // Told once, not at each try.
    expect(harness.notices.filter(({ what }) => what === "failed")).toHaveLength(1);
    isDown = false;
    await pass(2 * DAY_US, () => harness.acme.problem === undefined);
    expect(harness.acme.problem).toBeUndefined();
    expect(fingerprint()).not.toBe(first);
  });

  it("waits as long as the authority's limit says, over restarts", async () => {
    await started({
      instead: ({ path }) =>
        path === "new-order" && orders() === 1
          ? { ...problem("rateLimited", "too many certificates", 429), headers: { "Retry-After": "172800" } }
          : undefined,
    });
    expect((await harness.use()).state).toBe("Failed");
    expect((await harness.acme.state()).failure).toMatchObject({
      problem: "RateLimited",
      untilUs: START_US + 2 * DAY_US,
    });
    for (let day = 0; day < 3; day += 0.25) {
      await harness.acme.stop();
      await harness.restart();
      harness.acme.start();
      await pass(DAY_US / 4, () => orders() > 1, HOUR_US / 2);
      if (orders() > 1) break;
    }
    expect(ageDays()).toBeCloseTo(2, 1);
    expect((await harness.acme.state()).failure).toBeUndefined();
  });

  it("that ends the service is not begun again at once", async () => {
    await started({ instead: ({ path }) => (path === "new-order" ? "hang" : undefined) });
    await harness.acme.use(harness.settings, OWNER);
    await expect.poll(orders).toBe(1);
    await harness.acme.stop();
    await harness.restart();
    harness.acme.start();
    await harness.acme.whenIdle();
    expect(orders()).toBe(1);
    expect((await harness.acme.state()).nextUs).toBeGreaterThan(clock.nowUs() + 9 * MINUTE_US);
  });

  it("is not put off by a clock that was years ahead", async () => {
    await started({
      instead: ({ path }) =>
        path === "new-order" && orders() === 1 ? problem("serverInternal", "down", 500) : undefined,
    });
    clock.stepWall(5 * 365 * DAY_US);
    await harness.use();
    clock.stepWall(-5 * 365 * DAY_US);
    await pass(HOUR_US);
    expect((await harness.acme.state()).facts).toBeDefined();
  });
});
