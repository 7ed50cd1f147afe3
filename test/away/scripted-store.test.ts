import { afterAll, beforeAll, describe } from "vitest";
import { s3Target } from "../support/away/away-samples.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { itLocksObjects, itStoresObjects } from "../support/away/store-contract.js";

/** By the same contract as Ceph's gateway in `rados-gateway.test.ts`. */
describe.each<[string, boolean, (where: () => ReturnType<typeof s3Target>) => void]>([
  ["the scripted store", false, itStoresObjects],
  ["the scripted store with object lock", true, itLocksObjects],
])("%s", (_name, hasLock, itDoes) => {
  let store: ScriptedStore;

  beforeAll(async () => {
    store = await new ScriptedStore().start();
    store.hasLock = hasLock;
  });
  afterAll(() => store.stop());

  itDoes(() => s3Target({ endpoint: `http://127.0.0.1:${store.port}` }));
});
