// Child process for kill and full-disk tests: raises events numbered in their comments, flushes after each group, and prints
// the number of the last event after each flush that succeeded.
// argv: dist directory, data directory, first number, number of events ("0": until killed), flush interval in ms.
import path from "node:path";
import { pathToFileURL } from "node:url";

const [dist, dataDirectory, first, events, flushIntervalMs] = process.argv.slice(2);
const room = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { LmdbEventLog, EVENT_TYPE_LIST } = await room("event/index.js");
const { LmdbGuard } = await room("kept/lmdb/index.js");
const { SystemClock, createLog } = await room("base/index.js");

const GROUP = 50;
const START_US = Date.UTC(2026, 2, 1) * 1000;
const US_PER_S = 1_000_000;
const log = createLog({ level: "info", destination: process.stderr });
const guard = new LmdbGuard(log);
guard.start();
const eventLog = new LmdbEventLog({
  directory: path.join(dataDirectory, "events"),
  bootId: "00000000-0000-4000-8000-000000000001",
  clock: new SystemClock(),
  log,
  days: 36_500,
  bytesMax: 1e9,
  isClockKnown: () => true,
  flushIntervalMs: Number(flushIntervalMs),
  reserveBytes: 0,
});
// The clock's timers keep no process alive, and the writer may wait for nothing else.
const keepAlive = setInterval(() => undefined, 1000);
await eventLog.start();
await eventLog.ready();

const last = Number(events) === 0 ? Number.POSITIVE_INFINITY : Number(first) + Number(events);
for (let number = Number(first); number < last; ) {
  for (let at = 0; at < GROUP; at++, number++) {
    const type = EVENT_TYPE_LIST[number % EVENT_TYPE_LIST.length];
    eventLog.raise({ typeId: type.id, timeUs: START_US + number * US_PER_S, comment: `number ${number}` });
  }
  await eventLog.flush();
  const { isFailing, waitingEvents } = eventLog.status();
  if (!isFailing && waitingEvents === 0) process.stdout.write(`${number - 1}\n`);
}
while (eventLog.status().waitingEvents > 0) await new Promise((resolve) => setTimeout(resolve, 20));
await eventLog.stop();
clearInterval(keepAlive);
process.stdout.write(`end ${guard.commitErrors}\n`);
