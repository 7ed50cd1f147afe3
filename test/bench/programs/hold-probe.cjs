/**
 * Loaded into a recorder (`--require`): says how long its main thread was held. The main thread stamps shared memory each
 * millisecond; another thread answers on port NVRD_HOLD_PORT with the longest time without a stamp since the last answer, less the
 * time in which other programs had the processors.
 */
"use strict";
const { openSync, readSync } = require("node:fs");
const { createServer } = require("node:http");
const { isMainThread, Worker, workerData } = require("node:worker_threads");

/** Nanoseconds of the machine's monotonic clock fit: what is compared are differences. */
const now = () => Number(process.hrtime.bigint() / 1000n) % 2 ** 31;
const [STAMP, LONGEST, WAITED] = [0, 1, 2];

/** How long this process's main thread was ready and had no processor, in µs: other programs' time is no hold. */
const schedstat = () => {
  const bytes = Buffer.alloc(64);
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  return () => {
    const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
    return Math.floor(Number(text.split(" ")[1]) / 1000) % 2 ** 31;
  };
};

if (isMainThread && process.env.NVRD_HOLD_PORT !== undefined) {
  const port = Number(process.env.NVRD_HOLD_PORT);
  // Programs that the recorder starts are not looked at.
  delete process.env.NVRD_HOLD_PORT;
  delete process.env.NODE_OPTIONS;
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const waited = schedstat();
  Atomics.store(shared, WAITED, waited());
  Atomics.store(shared, STAMP, now());
  setInterval(() => {
    const at = now();
    const waitedUs = waited();
    const waitUs = waitedUs - Atomics.exchange(shared, WAITED, waitedUs);
    const gap = at - Atomics.exchange(shared, STAMP, at) - waitUs;
    if (gap > Atomics.load(shared, LONGEST)) Atomics.store(shared, LONGEST, gap);
  }, 1).unref();
  new Worker(__filename, { workerData: { hold: shared, port }, execArgv: [] }).unref();
} else if (workerData?.hold !== undefined) {
  const { hold, port } = workerData;
  const waited = schedstat();
  const server = createServer((_request, response) => {
    const underWay = now() - Atomics.load(hold, STAMP) - (waited() - Atomics.load(hold, WAITED));
    const longest = Math.max(Atomics.exchange(hold, LONGEST, 0), underWay);
    response.end(`${longest}`);
  });
  // The bench asks again after seconds, on the same connection.
  server.keepAliveTimeout = 0;
  server.listen(port, "127.0.0.1");
}
