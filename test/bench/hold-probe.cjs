/**
 * Loaded into a recorder (`--require`): says how long its main thread was held. The main thread stamps shared memory each
 * millisecond; another thread answers on port NVRD_HOLD_PORT with the longest time without a stamp since the last answer.
 */
"use strict";
const { createServer } = require("node:http");
const { isMainThread, Worker, workerData } = require("node:worker_threads");

/** Nanoseconds of the machine's monotonic clock fit: what is compared are differences. */
const now = () => Number(process.hrtime.bigint() / 1000n) % 2 ** 31;
const [STAMP, LONGEST] = [0, 1];

if (isMainThread && process.env.NVRD_HOLD_PORT !== undefined) {
  const port = Number(process.env.NVRD_HOLD_PORT);
  // Programs that the recorder starts are not looked at.
  delete process.env.NVRD_HOLD_PORT;
  delete process.env.NODE_OPTIONS;
  const shared = new Int32Array(new SharedArrayBuffer(8));
  Atomics.store(shared, STAMP, now());
  setInterval(() => {
    const at = now();
    const gap = at - Atomics.exchange(shared, STAMP, at);
    if (gap > Atomics.load(shared, LONGEST)) Atomics.store(shared, LONGEST, gap);
  }, 1).unref();
  new Worker(__filename, { workerData: { hold: shared, port }, execArgv: [] }).unref();
} else if (workerData?.hold !== undefined) {
  const { hold, port } = workerData;
  createServer((_request, response) => {
    const underWay = now() - Atomics.load(hold, STAMP);
    const longest = Math.max(Atomics.exchange(hold, LONGEST, 0), underWay);
    response.end(`${longest}`);
  }).listen(port, "127.0.0.1");
}
