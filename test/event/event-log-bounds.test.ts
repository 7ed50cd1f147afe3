import { statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { EVENT_IMAGE_CHARACTERS_MAX, EVENT_TEXT_CHARACTERS_MAX, EVENT_TYPES } from "../../src/event/index.js";
import { SIMULATED_START_US, SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { channelOfNumber, found, openEventLog } from "../support/event/event-log-harness.js";

const US_PER_DAY = 86_400_000_000;
const MEGABYTE = 1_000_000;
const GROUP = 2000;

test("the file keeps to its bytes over many turns, the oldest events going first", async () => {
  const parent = await temporaryDirectory();
  const bytesMax = 3 * MEGABYTE;
  const log = await openEventLog(parent, { bytesMax });
  const sizes: number[] = [];
  let raised = 0;
  for (let turn = 0; turn < 40; turn++) {
    for (let at = 0; at < GROUP; at++, raised++)
      log.raise({
        typeId: EVENT_TYPES.motionDetected.id,
        channelId: channelOfNumber(raised % 17),
        timeUs: SIMULATED_START_US + raised,
        comment: "c".repeat(raised % 50),
      });
    await log.flush();
    sizes.push(statSync(path.join(parent, "events", "data.mdb")).size);
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(bytesMax);
  const kept = await found(log);
  expect(kept.length).toBeGreaterThan(GROUP);
  expect(kept.length).toBeLessThan(raised);
  expect(kept.map(({ timeUs }) => timeUs)).toEqual(
    Array.from({ length: kept.length }, (_, at) => SIMULATED_START_US + raised - kept.length + at),
  );
  const ofChannel = await found(log, { channelIds: new Set([channelOfNumber(3)]) });
  expect(ofChannel).toEqual(kept.filter(({ channelId }) => channelId === channelOfNumber(3)));
  await log.stop();
});

test("pictures count: a log of large events keeps to its bytes too", async () => {
  const parent = await temporaryDirectory();
  const bytesMax = 8 * MEGABYTE;
  const log = await openEventLog(parent, { bytesMax });
  const sizes: number[] = [];
  for (let turn = 0; turn < 30; turn++) {
    for (let at = 0; at < 20; at++)
      log.raise({
        typeId: EVENT_TYPES.faceRecognized.id,
        fields: { FaceId: `${at}`, ImageBytes: "A".repeat(1000 + 4000 * (at % 12)) },
      });
    await log.flush();
    sizes.push(statSync(path.join(parent, "events", "data.mdb")).size);
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(bytesMax);
  expect((await found(log)).length).toBeGreaterThan(50);
  await log.stop();
});

test("events older than the days allowed go, and series without events with them", async () => {
  const parent = await temporaryDirectory();
  const clock = new SimulatedClock();
  const log = await openEventLog(parent, { clock, days: 10 });
  log.raise({ typeId: EVENT_TYPES.cameraLost.id, channelId: channelOfNumber(1), comment: "old" });
  await log.flush();
  clock.advance(6 * US_PER_DAY);
  log.raise({ typeId: EVENT_TYPES.cameraBack.id, channelId: channelOfNumber(1), comment: "young" });
  await log.flush();
  clock.advance(5 * US_PER_DAY);
  await log.flush();
  expect((await found(log)).map(({ comment }) => comment)).toEqual(["young"]);
  const onlyOld = { typeIds: new Set([EVENT_TYPES.cameraLost.id]) };
  expect(await found(log, onlyOld)).toEqual([]);
  log.raise({ typeId: EVENT_TYPES.cameraLost.id, channelId: channelOfNumber(1), comment: "again" });
  await log.flush();
  expect((await found(log, onlyOld)).map(({ comment }) => comment)).toEqual(["again"]);
  await log.stop();
});

test("while the clock is not known to be right, no event goes for its age", async () => {
  const clock = new SimulatedClock();
  let isKnown = false;
  const log = await openEventLog(await temporaryDirectory(), {
    clock,
    days: 10,
    isClockKnown: () => isKnown,
  });
  log.raise({ typeId: EVENT_TYPES.login.id });
  await log.flush();
  clock.stepWall(50 * 365 * US_PER_DAY);
  await log.flush();
  expect(await found(log)).toHaveLength(1);
  isKnown = true;
  await log.flush();
  expect(await found(log)).toEqual([]);
  await log.stop();
});

test("too long texts are cut, and a picture beyond its bound is left out", async () => {
  const log = await openEventLog(await temporaryDirectory());
  const event = log.raise({
    typeId: EVENT_TYPES.faceRecognized.id,
    comment: "x".repeat(EVENT_TEXT_CHARACTERS_MAX + 1),
    fields: { ImageBytes: "A".repeat(EVENT_IMAGE_CHARACTERS_MAX + 1), lastName: "Doe" },
  });
  expect(event.comment).toHaveLength(EVENT_TEXT_CHARACTERS_MAX);
  expect(event.fields).toEqual({ lastName: "Doe" });
  await log.flush();
  expect(await found(log)).toEqual([event]);
  await log.stop();
});

test("with a disk that refuses, memory is bounded: information goes first, and the loss is reported", async () => {
  const clock = new SimulatedClock();
  const reserve = { reserveBytes: Number.MAX_SAFE_INTEGER };
  const log = await openEventLog(await temporaryDirectory(), {
    clock,
    ...reserve,
    queueBounds: { eventsMax: 10, bytesMax: MEGABYTE },
  });
  for (let at = 0; at < 4; at++) log.raise({ typeId: EVENT_TYPES.cameraLost.id, comment: `${at}` });
  await log.flush();
  for (let at = 0; at < 100; at++) log.raise({ typeId: EVENT_TYPES.login.id, comment: `${at}` });
  expect(log.status()).toMatchObject({ isFailing: true, waitingEvents: 10, droppedEvents: 95 });
  const waiting = await found(log);
  expect(waiting.filter(({ typeId }) => typeId === EVENT_TYPES.cameraLost.id)).toHaveLength(4);
  expect(waiting.at(-1)?.comment).toBe("99");
  await log.stop();
});
