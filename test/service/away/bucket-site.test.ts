import { describe, expect, it } from "vitest";
import type { Box } from "../../../src/away/reader/bucket-boxes.js";
import { BucketSite } from "../../../src/service/part/away/bucket-site.js";
import { createFirstSite } from "../../../src/site/model/first-site.js";
import type { Site } from "../../../src/site/model/model.js";
import type { SiteStore } from "../../../src/site/model/types.js";
import { silentLog } from "../../support/site/site-samples.js";

const GATE = "11111111-0000-4000-8000-000000000001";
const PLACE = ["https://s3.example", "recordings", ""];

/** A configuration in memory, without checks. */
class MemorySite implements SiteStore {
  current: Site;

  constructor(site: Site) {
    this.current = site;
  }

  async change(edit: (site: Site) => Site): Promise<Site> {
    const next = edit(this.current);
    if (next !== this.current)
      this.current = { ...next, revision: this.current.revision + 1, appliedAtUs: 2 };
    return this.current;
  }

  async history(): Promise<never[]> {
    return [];
  }

  async revision(): Promise<Site> {
    return own;
  }

  onChange(): void {
    // Nobody is told in these tests.
  }
}

const own = createFirstSite({ serverName: "Reader", nowUs: 1 });

function siteOf(
  names: readonly string[],
  start = own,
): { readonly site: BucketSite; readonly store: MemorySite } {
  const store = new MemorySite(start);
  const site = new BucketSite({ own: store, place: PLACE, log: silentLog });
  site.show([boxOf(names)]);
  return { site, store };
}

function boxOf(names: readonly string[]): Box {
  const id = "22222222-0000-4000-8000-000000000001";
  const days = { first: undefined };
  const channels = names.map((name, at) => ({ id: GATE.replace(/1$/, `${at + 1}`), name, days }));
  return { prefix: "a/", id, name: "Harbour", channels } as unknown as Box;
}

describe("the configuration of a server whose archive is a bucket", () => {
  it("has the same revision on each server with the same users, and another one with other channels", () => {
    const restarted = { ...own, revision: 9, appliedAtUs: 5 };
    const revision = siteOf(["Gate"]).site.current.revision;
    expect(siteOf(["Gate"], restarted).site.current.revision).toBe(revision);
    expect(siteOf(["Yard"]).site.current.revision).not.toBe(revision);
    expect(siteOf(["Gate", "Yard"]).site.current.revision).not.toBe(revision);
  });

  it("tells its followers when the channels are others, and only then", () => {
    const { site } = siteOf(["Gate"]);
    const notified: number[] = [];
    site.onChange("rights", (next) => notified.push(next.cameras.length));
    site.show([boxOf(["Gate"])]);
    site.show([boxOf(["Gate", "Yard"])]);
    expect(notified).toEqual([2]);
  });

  it("takes groups with rights to the bucket's channels, and keeps no channel", async () => {
    const { site, store } = siteOf(["Gate"]);
    const [administrators] = own.groups;
    if (administrators === undefined) throw new Error("no group");
    const guards = {
      ...administrators,
      id: GATE.replace(/^1/, "3"),
      name: "Guards",
      archiveChannels: [GATE],
    };
    await site.change((before) => ({ ...before, groups: [...before.groups, guards] }));
    expect(store.current.groups.at(-1)).toEqual(guards);
    expect(store.current.cameras).toEqual([]);
    expect(store.current.rootSecurityObject).toEqual(own.rootSecurityObject);
    expect(site.current.groups.at(-1)).toEqual(guards);
  });

  it.each([
    ["a channel", (site: Site): Site => ({ ...site, cameras: [] })],
    [
      "a folder",
      (site: Site): Site => ({ ...site, rootSecurityObject: { ...site.rootSecurityObject, children: [] } }),
    ],
    ["the server", (site: Site): Site => ({ ...site, server: { ...site.server, id: GATE } })],
  ])("refuses to change %s", async (_name, edit) => {
    const { site, store } = siteOf(["Gate"]);
    await expect(site.change(edit)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(store.current).toBe(own);
  });

  it("takes the name of a server whose configuration it gets, and has the same revision as that one", async () => {
    const { site, store } = siteOf(["Gate"]);
    const { revision } = site.current;
    await site.change((before) => {
      const { server, ...others } = before;
      return { server: { name: "Other", id: server.id }, ...others };
    });
    expect([site.current.server.name, store.current.server]).toEqual([
      "Other",
      { ...own.server, name: "Other" },
    ]);
    expect(site.current.revision).toBe(revision);
  });

  it("refuses a change that was made to another revision", async () => {
    const { site } = siteOf(["Gate"]);
    const change = site.change((before) => before, { expectedRevision: site.current.revision + 1 });
    await expect(change).rejects.toMatchObject({ code: "CONFLICT" });
  });
});
