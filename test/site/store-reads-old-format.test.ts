import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createFirstSite, DEFAULT_SITE_PARTS, type Site } from "../../src/site/index.js";
import { ConfigurationDatabase } from "../../src/site/store/configuration-database.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { addCamera, startStore } from "../support/site/site-samples.js";

/** A revision as format 1 wrote it: no author, the hash of the site alone, none of the later parts. */
function formatOne(site: Site): string {
  const { views, mapLocations, userScenarios, mobile, rtsp, monitoring, useTimeZones, ...rest } = site;
  const groups = rest.groups.map(({ gridTypes, directoryGroups, ...group }) => group);
  const old = { ...rest, groups };
  const sha256 = createHash("sha256").update(JSON.stringify(old)).digest("hex");
  return JSON.stringify({ nvrdConfiguration: 1, sha256, site: old });
}

const first = createFirstSite({ serverName: "old", nowUs: 1_700_000_000_000_000 });
const old: Site = { ...addCamera({ name: "Gate" })(first), revision: 2 };

describe("LmdbSiteStore reads format 1", () => {
  it("from the database, fills in defaults, and writes the next revision in the new format", async () => {
    const directory = await temporaryDirectory();
    const database = await ConfigurationDatabase.open(path.join(directory, "configuration"));
    await database.write(Buffer.from(formatOne(old)));
    await database.close();
    const store = await startStore(directory);
    expect(store.current).toEqual(old);
    expect(store.current).toMatchObject(DEFAULT_SITE_PARTS);
    await store.change((site) => ({ ...site, useTimeZones: true }));
    await store.stop();
    const again = await startStore(directory);
    expect(again.current).toMatchObject({ revision: 3, useTimeZones: true, cameras: [{ name: "Gate" }] });
    await again.stop();
  });

  it("from the JSON files, and tells what changed by comparing them", async () => {
    const directory = await temporaryDirectory();
    const revisions = path.join(directory, "configuration-revisions");
    await mkdir(revisions, { recursive: true });
    await writeFile(path.join(revisions, "00000001.json"), formatOne(first));
    await writeFile(path.join(revisions, "00000002.json"), formatOne(old));
    const store = await startStore(directory);
    expect(store.current).toEqual(old);
    expect(await store.history()).toMatchObject([
      {
        revision: 2,
        by: null,
        summary: "camera Gate added",
      },
      { revision: 1, by: null, summary: "not known" },
    ]);
    await store.stop();
    await rm(directory, { recursive: true });
  });
});
