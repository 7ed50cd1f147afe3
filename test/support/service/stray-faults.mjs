// Child process for crash-watch.test.ts: lets happen what nobody catches, says that it is alive, and then what ends it.
// argv: dist directory.
import { EventEmitter } from "node:events";
import { pathToFileURL } from "node:url";

const [dist] = process.argv.slice(2);
const file = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { createLog, SystemClock } = await file("base/index.js");
const { LmdbGuard } = await file("kept/lmdb/index.js");
const { CrashWatch } = await file("service/part/crash-watch.js");

const log = createLog({ level: "silent" });
const watch = new CrashWatch({
  runs: { noteCrash: (error) => console.log(`noted ${error.message}`) },
  clock: new SystemClock(),
  log,
});
watch.start();
new LmdbGuard(log, watch.rejected).start();
const turn = () => new Promise((resolve) => setTimeout(resolve, 10));

Promise.reject(new TypeError("in a promise"));
await turn();
setImmediate(() => {
  const error = Object.assign(new Error("accept EMFILE"), { code: "EMFILE", syscall: "accept", errno: -24 });
  new EventEmitter().emit("error", error);
});
await turn();
console.log("alive");
setImmediate(() => {
  throw new TypeError("of the program");
});
await new Promise((resolve) => setTimeout(resolve, 60_000));
