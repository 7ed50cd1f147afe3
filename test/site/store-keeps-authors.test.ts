import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newGuid } from "../../src/base/index.js";
import type { SiteChange } from "../../src/site/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { addCamera, startStore } from "../support/site/site-samples.js";

const by = { userId: newGuid(), name: "eva" };

describe("LmdbSiteStore keeps who changed what", () => {
  it("hands author and summary to followers", async () => {
    const store = await startStore(await temporaryDirectory());
    const changes: SiteChange[] = [];
    store.onChange("events", (_site, _previous, change) => changes.push(change));
    await store.change(addCamera(), { by, summary: "camera Gate\nadded" });
    await store.change(addCamera({ name: "Yard" }));
    expect(changes).toEqual([
      { by, summary: "camera Gate added" },
      { by: null, summary: "camera Yard added" },
    ]);
    await store.stop();
  });

  it("tells the history after a restart, newest first, and gives back a revision", async () => {
    const directory = await temporaryDirectory();
    const store = await startStore(directory);
    const second = await store.change(addCamera(), { by, summary: "camera Gate added" });
    await store.change((site) => ({ ...site, useTimeZones: true }), { by });
    await store.stop();
    const again = await startStore(directory);
    expect(await again.history()).toMatchObject([
      { revision: 3, by, summary: "use of time zones changed", appliedAtUs: again.current.appliedAtUs },
      { revision: 2, by, summary: "camera Gate added" },
      { revision: 1, by: null, summary: "first configuration" },
    ]);
    expect(await again.revision(2)).toEqual(second);
    await expect(again.revision(7)).rejects.toMatchObject({
      code: "NOT_FOUND",
      hint: "see nvrd config history for the stored revisions",
    });
    await again.stop();
  });

  it("reports a damaged revision as damaged", async () => {
    const directory = await temporaryDirectory();
    const store = await startStore(directory);
    await store.change(addCamera());
    await writeFile(path.join(directory, "configuration-revisions", "00000001.json"), "x");
    expect(await store.history()).toMatchObject([
      { revision: 2 },
      { revision: 1, appliedAtUs: null, summary: "its file is damaged" },
    ]);
    await expect(store.revision(1)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await store.stop();
  });

  it("cuts a summary without end", async () => {
    const store = await startStore(await temporaryDirectory());
    await store.change(addCamera(), { by, summary: "x".repeat(10_000) });
    expect((await store.history())[0]?.summary).toHaveLength(500);
    await store.stop();
  });
});
