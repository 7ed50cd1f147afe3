import { closeSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { EVENT_TYPES, type LmdbEventLog } from "../../src/event/index.js";
import { sealValue } from "../../src/event/series.js";
import { openLmdb } from "../../src/kept/lmdb/library.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { channelOfNumber, eventLog, found, openEventLog } from "../support/event/event-log-harness.js";

const EVENTS = 3000;
const DATA_FILE = path.join("events", "data.mdb");

async function makeLog(): Promise<string> {
  const parent = await temporaryDirectory();
  const log = await openEventLog(parent);
  for (let at = 0; at < EVENTS; at++)
    log.raise({
      typeId: EVENT_TYPES.motionDetected.id,
      channelId: channelOfNumber(1 + (at % 5)),
      comment: `${at}`,
    });
  await log.stop();
  return parent;
}

function overwrite(file: string, bytes: Uint8Array, position: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

test("an event whose record was changed in the file is passed over once the log is open, and counted", async () => {
  const parent = await temporaryDirectory();
  const log = await openEventLog(parent);
  for (const comment of ["whole", "soon to be harmed", "whole too"])
    log.raise({ typeId: EVENT_TYPES.login.id, comment });
  await log.flush();
  const file = path.join(parent, DATA_FILE);
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf("soon"); at >= 0; at = bytes.indexOf("soon", at + 1))
    overwrite(file, Buffer.from("late"), at);
  expect((await found(log)).map(({ comment }) => comment)).toEqual(["whole", "whole too"]);
  expect(log.status().damagedRecords).toBeGreaterThan(0);
  await log.stop();
});

test("a log of a newer format is left as it is, and events are reported live", async () => {
  const parent = await makeLog();
  const directory = path.join(parent, "events");
  const root = openLmdb<Buffer, Buffer>({
    path: directory,
    maxDbs: 8,
    encoding: "binary",
    keyEncoding: "binary",
  });
  const meta = root.openDB<Buffer, Buffer>({ name: "meta", encoding: "binary", keyEncoding: "binary" });
  const key = Buffer.from("format");
  await meta.put(key, sealValue(key, Buffer.from([0, 0, 0, 9])));
  await root.close();
  const log = await openEventLog(parent);
  const logged: string[] = [];
  log.onEvent(({ comment }) => logged.push(comment));
  log.raise({ typeId: EVENT_TYPES.login.id, comment: "told" });
  expect(logged).toEqual(["told"]);
  expect(log.status().isOpen).toBe(false);
  await expect(found(log)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  await log.stop();
  expect(readdirSync(parent).filter((entry) => entry.includes(".bad-"))).toEqual([]);
});

test("a log that cannot be opened is tried again; what was raised meanwhile is kept", async () => {
  const parent = await temporaryDirectory();
  const inTheWay = path.join(parent, "events");
  writeFileSync(inTheWay, "a file where the directory belongs");
  const clock = new SimulatedClock();
  const log: LmdbEventLog = eventLog(parent, { clock });
  await log.start();
  log.raise({ typeId: EVENT_TYPES.cameraLost.id });
  await expect.poll(() => clock.timers).toBe(2);
  await rm(inTheWay);
  clock.advance(10_000_000);
  await log.ready();
  await log.flush();
  expect(log.status()).toMatchObject({ isOpen: true, waitingEvents: 0 });
  expect(await found(log)).toHaveLength(1);
  await log.stop();
});
