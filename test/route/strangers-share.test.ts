import { afterEach, beforeEach, expect, it } from "vitest";
import { type ApiHarness, ROOT_QUERY, startApi } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

/** A clock of a machine so slow that much time passes between two looks at it. */
class SlowClock extends SimulatedClock {
  passesUs = 0;
  #passedUs = 0;

  override monotonicUs(): number {
    this.#passedUs += this.passesUs;
    return super.monotonicUs() + this.#passedUs;
  }
}

const ADDRESS = "127.0.0.1";
let clock: SlowClock;
let api: ApiHarness;

beforeEach(async () => {
  clock = new SlowClock();
  api = await startApi({ clock });
  api.access.strangers.add(ADDRESS);
});
afterEach(() => api.stop());

const ask = async (): Promise<number> => (await fetch(api.url("/api/session"))).status;

/** Requests that take long. */
async function holdLong(): Promise<void> {
  clock.passesUs = 200_000;
  for (let times = 0; times < 3; times += 1) await ask();
  clock.passesUs = 0;
}

it("strangers who held the main thread for long are refused with the time to wait", async () => {
  expect(await ask()).toBe(401);
  await holdLong();
  const answer = await fetch(api.url("/api/session"));
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
});

it("strangers who held it are answered again after a while", async () => {
  await holdLong();
  clock.advance(600_000_000);
  expect(await ask()).toBe(401);
});

it("an address that somebody has logged in from is answered all the time", async () => {
  api.access.strangers.clear();
  await holdLong();
  expect(await ask()).toBe(401);
  expect((await fetch(api.url(`/configex?${ROOT_QUERY}`))).status).toBe(200);
});

it("strangers who hold it for ever get no answer at all", async () => {
  clock.passesUs = 5_000_000;
  await ask();
  clock.passesUs = 0;
  await expect(ask()).rejects.toThrow();
});

it("what strangers are refused for its size counts as well", async () => {
  const sendMuch = (): Promise<number> =>
    fetch(api.url("/api/session"), { method: "POST", body: "x".repeat(9000) }).then(({ status }) => status);
  for (let sent = 0; sent < 2100; sent += 50) {
    const statuses = await Promise.all(Array.from({ length: 50 }, sendMuch));
    expect(new Set(statuses)).toEqual(new Set([413]));
  }
  expect(await ask()).toBe(429);
});
