import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { EMPTY_GUID, newGuid } from "../../src/base/index.js";
import { EVENT_TYPES, type EventRecord } from "../../src/event/index.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { SIMULATED_START_US, SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { channelOfNumber, eventLog, found, openEventLog } from "../support/event/event-log-harness.js";

test("an event gets what its source left out: time, category, description, initiator", async () => {
  const clock = new SimulatedClock();
  const log = await openEventLog(await temporaryDirectory(), { clock });
  expect(log.raise({ typeId: EVENT_TYPES.cameraLost.id.toUpperCase() })).toEqual({
    sequence: 1,
    typeId: EVENT_TYPES.cameraLost.id,
    timeUs: SIMULATED_START_US,
    channelId: EMPTY_GUID,
    channelName: "",
    comment: "",
    description: EVENT_TYPES.cameraLost.name,
    category: 2,
    initiator: { type: 0, id: EMPTY_GUID, name: "System" },
    fields: undefined,
  });
  await log.stop();
});

test("an unknown type, a time that is none and a channel that is no GUID are refused", async () => {
  const log = await openEventLog(await temporaryDirectory());
  const { id: typeId } = EVENT_TYPES.login;
  expect(() => log.raise({ typeId: newGuid() })).toThrow(RangeError);
  for (const timeUs of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY])
    expect(() => log.raise({ typeId, timeUs })).toThrow(RangeError);
  expect(() => log.raise({ typeId, channelId: "front door" })).toThrow(RangeError);
  expect(await found(log)).toEqual([]);
  await log.stop();
});

test("listeners hear of an event before raise returns, and one that throws harms nobody", async () => {
  const log = await openEventLog(await temporaryDirectory());
  const notified: EventRecord[] = [];
  log.onEvent(() => {
    throw new Error("a listener's fault");
  });
  const subscription = log.onEvent((event) => notified.push(event));
  const raised = log.raise({ typeId: EVENT_TYPES.login.id });
  expect(notified).toEqual([raised]);
  subscription.close();
  log.raise({ typeId: EVENT_TYPES.login.id });
  expect(notified).toHaveLength(1);
  await log.stop();
});

test("events raised before the log is open are kept", async () => {
  const log = eventLog(await temporaryDirectory());
  await log.start();
  const raised = log.raise({ typeId: EVENT_TYPES.serviceStarted.id });
  expect(log.status().isOpen).toBe(false);
  await log.ready();
  await log.flush();
  expect(log.status().waitingEvents).toBe(0);
  expect(await found(log)).toEqual([raised]);
  await log.stop();
});

test("a tick writes what was raised, without anybody asking", async () => {
  const clock = new SimulatedClock();
  const log = await openEventLog(await temporaryDirectory(), { clock, flushIntervalMs: 2000 });
  log.raise({ typeId: EVENT_TYPES.login.id });
  const status = () => {
    clock.advance(2_000_000);
    return log.status();
  };
  await expect.poll(status, { timeout: PATIENCE_MS }).toMatchObject({ waitingEvents: 0, isFailing: false });
  await log.stop();
  expect(clock.timers).toBe(0);
});

test("nothing waits to be done while no event comes", async () => {
  const clock = new SimulatedClock();
  const log = await openEventLog(await temporaryDirectory(), { clock, flushIntervalMs: 2000 });
  await log.flush();
  const upkeep = clock.timers;
  log.raise({ typeId: EVENT_TYPES.login.id });
  expect(clock.timers).toBe(upkeep + 1);
  await log.flush();
  expect(clock.timers).toBe(upkeep);
  await log.stop();
});

test("an event that comes while others are written is written too, without anybody asking", async () => {
  const clock = new SimulatedClock();
  const log = await openEventLog(await temporaryDirectory(), { clock, flushIntervalMs: 2000 });
  log.raise({ typeId: EVENT_TYPES.login.id });
  const written = log.flush();
  log.raise({ typeId: EVENT_TYPES.loginFailed.id });
  await written;
  const status = () => {
    clock.advance(2_000_000);
    return log.status();
  };
  await expect.poll(status, { timeout: PATIENCE_MS }).toMatchObject({ waitingEvents: 0 });
  expect((await found(log)).length).toBe(2);
  await log.stop();
});

test("events grow too old while none comes, and are removed then", async () => {
  const clock = new SimulatedClock();
  const options = { clock, flushIntervalMs: 2000, days: 1 };
  const log = await openEventLog(await temporaryDirectory(), options);
  log.raise({ typeId: EVENT_TYPES.login.id });
  await log.flush();
  clock.stepWall(25 * 3600 * 1_000_000);
  expect((await found(log)).length).toBe(1);
  const left = async () => {
    clock.advance(30_000_000);
    return (await found(log)).length;
  };
  await expect.poll(left, { timeout: PATIENCE_MS }).toBe(0);
  await log.stop();
});

test("an event dated back is found at its time, ties in the order of raising", async () => {
  const clock = new SimulatedClock();
  const log = await openEventLog(await temporaryDirectory(), { clock });
  const { id: typeId } = EVENT_TYPES.plateRecognized;
  const now = log.raise({ typeId, comment: "now" });
  await log.flush();
  const first = log.raise({ typeId, timeUs: SIMULATED_START_US - 1000, comment: "back, first" });
  const second = log.raise({ typeId, timeUs: SIMULATED_START_US - 1000, comment: "back, second" });
  expect(await found(log)).toEqual([first, second, now]);
  await log.flush();
  expect(await found(log, { toUs: SIMULATED_START_US - 1 })).toEqual([first, second]);
  expect(await found(log, { fromBegin: false, limit: 2 })).toEqual([second, now]);
  await log.stop();
});

test("numbers rise over restarts, also when the log is lost and when the file of numbers is", async () => {
  const parent = await temporaryDirectory();
  const sequences: number[] = [];
  for (const lost of ["nothing", "events", "events-sequence", "nothing"]) {
    if (lost !== "nothing") rmSync(path.join(parent, lost), { recursive: true });
    const log = await openEventLog(parent);
    for (let at = 0; at < 3; at++) sequences.push(log.raise({ typeId: EVENT_TYPES.login.id }).sequence);
    await log.stop();
  }
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
});

test("numbers that an old copy of the file of numbers gives again are given anew before they are written", async () => {
  const parent = await temporaryDirectory();
  const first = await openEventLog(parent);
  for (let at = 0; at < 5; at++)
    first.raise({ typeId: EVENT_TYPES.login.id, timeUs: 1000, comment: `${at}` });
  await first.stop();
  writeFileSync(path.join(parent, "events-sequence"), "0\n");
  const log = eventLog(parent);
  await log.start();
  for (let at = 5; at < 8; at++) log.raise({ typeId: EVENT_TYPES.login.id, timeUs: 1000, comment: `${at}` });
  await log.ready();
  await log.flush();
  const events = await found(log);
  expect(events.map(({ comment }) => comment)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  expect(log.raise({ typeId: EVENT_TYPES.login.id }).sequence).toBeGreaterThan(events.at(-1)?.sequence ?? 0);
  await log.stop();
});

test("a search finds what was there when it began, whatever is written or removed meanwhile", async () => {
  const log = await openEventLog(await temporaryDirectory());
  const { id: typeId } = EVENT_TYPES.motionDetected;
  const raised: EventRecord[] = [];
  for (let at = 0; at < 3000; at++) {
    raised.push(log.raise({ typeId, channelId: channelOfNumber(at % 3), timeUs: 1000 + at }));
    if (at === 1000 || at === 1100) await log.flush();
  }
  const records: EventRecord[] = [];
  const query = { fromUs: 0, toUs: 1e15, limit: 100_000, fromBegin: true, typeIds: new Set([typeId]) };
  for await (const batch of log.search(query)) {
    expect(batch.length).toBeLessThanOrEqual(256);
    if (records.length === 0) await log.flush();
    records.push(...batch);
  }
  expect(records).toEqual(raised);
  await log.stop();
});

test("a search that is left early leaves nothing behind, and one that outlives the log is refused", async () => {
  const log = await openEventLog(await temporaryDirectory());
  for (let at = 0; at < 2000; at++) log.raise({ typeId: EVENT_TYPES.login.id, timeUs: at });
  await log.flush();
  const query = { fromUs: 0, toUs: 1e15, limit: 100_000, fromBegin: true };
  for await (const batch of log.search(query)) {
    expect(batch.length).toBeGreaterThan(0);
    break;
  }
  const late = log.search(query)[Symbol.asyncIterator]();
  await late.next();
  await log.stop();
  await expect(
    (async () => {
      while ((await late.next()).done !== true);
    })(),
  ).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});

test("a limit beyond the bound is refused, one of 0 finds nothing", async () => {
  const log = await openEventLog(await temporaryDirectory());
  log.raise({ typeId: EVENT_TYPES.login.id });
  expect(() => log.search({ fromUs: 0, toUs: 1, limit: 1_000_001, fromBegin: true })).toThrow(RangeError);
  expect(await found(log, { limit: 0 })).toEqual([]);
  expect(await found(log, { limit: 0, fromBegin: false })).toEqual([]);
  await log.stop();
});

test("5,000 events a second for twenty seconds: none is lost, and each is reported", async () => {
  const clock = new SimulatedClock();
  const log = await openEventLog(await temporaryDirectory(), { clock, flushIntervalMs: 2000 });
  let notified = 0;
  log.onEvent(() => {
    notified += 1;
  });
  const total = 100_000;
  for (let at = 0; at < total; at++) {
    if (at % 500 === 0) await clock.advanceSlowly(100_000, 100_000);
    log.raise({ typeId: EVENT_TYPES.motionDetected.id, channelId: channelOfNumber(at % 64) });
    // The disk of this machine may be slower than simulated time: let it keep pace.
    while (log.status().waitingEvents > 20_000) await log.flush();
  }
  await log.flush();
  expect(log.status()).toMatchObject({ waitingEvents: 0, droppedEvents: 0 });
  expect(notified).toBe(total);
  expect((await found(log)).length).toBe(total);
  await log.stop();
});
