import { createLog, SystemClock } from "../base/index.js";
import { LmdbGuard } from "../kept/lmdb/index.js";
import { LmdbSiteStore } from "../site/index.js";

/** Runs work on the configuration of a data directory that no service uses: the caller has the lock. */
export async function withOfflineStore<T>(
  dataDir: string,
  work: (store: LmdbSiteStore) => Promise<T>,
): Promise<T> {
  const log = createLog({ level: "silent" });
  const guard = new LmdbGuard(log);
  const store = new LmdbSiteStore({ directory: dataDir, clock: new SystemClock(), log });
  guard.start();
  try {
    await store.start();
    try {
      return await work(store);
    } finally {
      await store.stop();
    }
  } finally {
    guard.stop();
  }
}
