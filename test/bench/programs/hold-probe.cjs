/**
 * Loaded into a recorder (`--require`): says how long its main thread was held. The main thread stamps shared memory each
 * millisecond; another thread answers on port NVRD_HOLD_PORT with the longest time without a stamp since the last answer, less the
 * time in which other programs had the processors. With NVRD_HOLD_CPU it is the processor time of the main thread alone, which a
 * busy machine does not change; what the thread waited for, such as a disk, is not in it then.
 */
"use strict";
const { openSync, readSync } = require("node:fs");
const { createServer } = require("node:http");
const { isMainThread, Worker, workerData } = require("node:worker_threads");

/** Nanoseconds of the machine's monotonic clock fit: what is compared are differences. */
const now = () => Number(process.hrtime.bigint() / 1000n) % 2 ** 31;
const [STAMP, LONGEST, WAITED] = [0, 1, 2];
/** Of a line of schedstat: the time on a processor, and that in which it was ready and had none; in ns. */
const [ON_PROCESSOR, READY] = [0, 1];

/** A figure of this process's main thread, in µs. */
const schedstat = (field) => {
  const bytes = Buffer.alloc(64);
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  return () => {
    const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
    return Math.floor(Number(text.split(" ")[field]) / 1000) % 2 ** 31;
  };
};

if (isMainThread && process.env.NVRD_HOLD_PORT !== undefined) {
  const port = Number(process.env.NVRD_HOLD_PORT);
  const isCpu = process.env.NVRD_HOLD_CPU !== undefined;
  // Programs that the recorder starts are not looked at.
  delete process.env.NVRD_HOLD_PORT;
  delete process.env.NVRD_HOLD_CPU;
  delete process.env.NODE_OPTIONS;
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const waited = schedstat(READY);
  const used = schedstat(ON_PROCESSOR);
  let usedUs = used();
  Atomics.store(shared, WAITED, waited());
  Atomics.store(shared, STAMP, now());
  setInterval(() => {
    const at = now();
    const waitedUs = waited();
    const waitUs = waitedUs - Atomics.exchange(shared, WAITED, waitedUs);
    const wall = at - Atomics.exchange(shared, STAMP, at) - waitUs;
    const before = usedUs;
    usedUs = used();
    const gap = isCpu ? usedUs - before : wall;
    if (gap > Atomics.load(shared, LONGEST)) Atomics.store(shared, LONGEST, gap);
  }, 1).unref();
  new Worker(__filename, { workerData: { hold: shared, port, isCpu }, execArgv: [] }).unref();
} else if (workerData?.hold !== undefined) {
  const { hold, port, isCpu } = workerData;
  const waited = schedstat(READY);
  const server = createServer((_request, response) => {
    const underWay = isCpu ? 0 : now() - Atomics.load(hold, STAMP) - (waited() - Atomics.load(hold, WAITED));
    const longest = Math.max(Atomics.exchange(hold, LONGEST, 0), underWay);
    response.end(`${longest}`);
  });
  // The bench asks again after seconds, on the same connection.
  server.keepAliveTimeout = 0;
  server.listen(port, "127.0.0.1");
}
