// Own process: it runs the service inside itself.
import { truncateSync } from "node:fs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RecorderClock } from "../../src/archive/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { found, openEventLog } from "../support/event/event-log-harness.js";
import { Service } from "../support/service/service.js";
import { serviceInProcess } from "../support/service/service-in-process.js";

let directory: TemporaryDirectory;

beforeEach(() => {
  directory = new TemporaryDirectory("event-log");
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  directory.remove();
});

/** Names in code of the events of the service and its log that the data directory holds; logins and the like left out. */
async function loggedNames(): Promise<string[]> {
  const log = await openEventLog(directory.join("data"));
  const names = new Map(Object.entries(EVENT_TYPES).map(([name, { id }]) => [id, name]));
  const events = await found(log);
  await log.stop();
  return events
    .map(({ typeId }) => names.get(typeId) ?? typeId)
    .filter((name) => /^(service|eventLog)/.test(name));
}

it("keeps that the service was started and stopped", async () => {
  for (let run = 0; run < 2; run++) {
    const service = await Service.start({ dataDir: directory.join("data") });
    await service.stop();
  }
  expect(await loggedNames()).toEqual([
    "serviceStarted",
    "serviceStopped",
    "serviceStarted",
    "serviceStopped",
  ]);
});

it("removes no event for its age before the clock is known to be right", async () => {
  const isKnown = vi.spyOn(RecorderClock.prototype, "isKnown", "get").mockReturnValue(false);
  const service = serviceInProcess(directory.join("data"));
  await service.start();
  const { events } = service;
  events.raise({ typeId: EVENT_TYPES.cameraLost.id, timeUs: 1_000_000 });
  const old = () => found(events, { toUs: 2_000_000 });
  await events.flush();
  await events.flush();
  expect(await old()).toHaveLength(1);
  isKnown.mockReturnValue(true);
  await events.flush();
  expect(await old()).toHaveLength(0);
  await service.stop();
});

it("begins a new log when the old one is damaged, and the service starts all the same", async () => {
  const first = await Service.start({ dataDir: directory.join("data") });
  await first.stop();
  truncateSync(directory.join("data", "events", "data.mdb"), 10_000);
  const second = await Service.start({ dataDir: directory.join("data") });
  await expect.poll(() => second.log, { timeout: PATIENCE_MS }).toContain("a new one is created");
  await second.stop();
  const names = await loggedNames();
  expect(names.toSorted()).toEqual(["eventLogLost", "serviceStarted", "serviceStopped"]);
});
