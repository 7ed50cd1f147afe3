import path from "node:path";
import { expect, test } from "vitest";
import { EVENT_TYPES } from "../../src/event/catalogue.js";
import { EventEnvironment } from "../../src/event/event-environment.js";
import { recordOf } from "../../src/event/event-input.js";
import { EventStore } from "../../src/event/event-store.js";
import type { EventRecord } from "../../src/event/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { channelOfNumber } from "../support/event/event-log-harness.js";

function record(sequence: number, channel: number): EventRecord {
  const input = { typeId: EVENT_TYPES.login.id, channelId: channelOfNumber(channel) };
  return recordOf(input, { sequence, nowUs: 1_000_000 + sequence, language: "en" });
}

const MANY = 300;

for (const { name, events } of [
  { name: "not yet in the index", events: 3 },
  { name: "in the index", events: MANY },
]) {
  test(`a series goes with its last event (${name})`, async () => {
    const environment = new EventEnvironment({ directory: path.join(await temporaryDirectory(), "events") });
    const store = new EventStore(environment);
    const first = Array.from({ length: events }, (_, at) => record(1 + at, 1));
    await store.write([...first, record(events + 1, 2)]);
    expect(store.recentCount).toBe(events === MANY ? 0 : events + 1);
    const positioned = first.map(({ timeUs, sequence }) => ({ position: { timeUs, sequence }, series: 1 }));
    await store.remove(positioned.slice(1));
    expect(store.series.size).toBe(2);
    await store.remove(positioned.slice(0, 1));
    expect(store.series.size).toBe(1);
    expect(environment.entryCount("events")).toBe(1);
    expect(environment.entryCount("index") + environment.entryCount("recent")).toBe(1);
    expect(environment.entryCount("series")).toBe(1);
    await environment.close();
  });
}
