// Changes the configuration as fast as it can and prints each acknowledged revision, until it is killed.
import { createLog, newGuid, SystemClock } from "../../../dist/base/index.js";
import { LmdbSiteStore } from "../../../dist/site/index.js";

const store = new LmdbSiteStore({
  directory: process.argv[2],
  clock: new SystemClock(),
  log: createLog({ level: "silent" }),
});
await store.start();
for (;;) {
  const site = await store.change((current) => ({
    ...current,
    rootSecurityObject: { ...current.rootSecurityObject, id: newGuid() },
  }));
  process.stdout.write(`${site.revision} ${site.rootSecurityObject.id}\n`);
}
