// Takes the lock of a data directory, says how that went, and stays until it is killed.
import { DataLock } from "../../../dist/host/control/index.js";

try {
  globalThis.lock = DataLock.acquire(process.argv[2]);
  process.stdout.write("locked\n");
} catch (error) {
  process.stdout.write(`${error.code}\n`);
}
setInterval(() => undefined, 1000);
