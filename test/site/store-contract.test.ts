import { describe, expect, it, onTestFinished } from "vitest";
import type { Site, SiteStore } from "../../src/site/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { MemorySite } from "../support/site/memory-site.js";
import { addCamera, startStore } from "../support/site/site-samples.js";

/** What all that stands for the configuration does as the configuration does: whoever is tested with it, is tested with less otherwise. */
describe.each<[string, () => Promise<SiteStore>]>([
  [
    "the configuration on the disk",
    async () => {
      const store = await startStore(await temporaryDirectory());
      onTestFinished(() => store.stop());
      const unlocked = (site: Site) => site.users.map((user) => ({ ...user, secret: null }));
      await store.change((site) => ({ ...site, users: unlocked(site) }));
      return store;
    },
  ],
  [
    "the configuration in memory",
    async () => {
      const store = new MemorySite();
      store.onFollowerFault = () => undefined;
      return store;
    },
  ],
])("%s", (_name, make) => {
  it("numbers changes, and keeps its id", async () => {
    const store = await make();
    const { id, revision } = store.current;
    const next = await store.change((site) => ({
      ...addCamera({ name: "Gate" })(site),
      id: "other",
      revision: 77,
    }));
    expect([next.id, next.revision]).toEqual([id, revision + 1]);
    expect(store.current).toBe(next);
  });

  it("makes changes that come at once one after another, each of the one before", async () => {
    const store = await make();
    const { revision } = store.current;
    const names = ["A", "B", "C"];
    const all = await Promise.all(names.map((name) => store.change(addCamera({ name }))));
    expect(all.map((site) => site.revision - revision)).toEqual([1, 2, 3]);
    expect(store.current.cameras.map(({ name }) => name)).toEqual(names);
  });

  it("has changed nothing before a change is awaited", async () => {
    const store = await make();
    const before = store.current;
    const changing = store.change(addCamera());
    expect(store.current).toBe(before);
    await changing;
    expect(store.current).not.toBe(before);
  });

  it("refuses a change of another revision than the present one", async () => {
    const store = await make();
    const { revision } = store.current;
    const stale = store.change(addCamera(), { expectedRevision: revision - 1 });
    await expect(stale).rejects.toMatchObject({ code: "CONFLICT" });
    const fresh = await store.change(addCamera(), { expectedRevision: revision });
    expect(fresh.revision).toBe(revision + 1);
  });

  it("makes no revision of a change that changes nothing, and tells nobody", async () => {
    const store = await make();
    const before = store.current;
    let notified = 0;
    store.onChange("events", () => {
      notified += 1;
    });
    expect(await store.change((site) => site)).toBe(before);
    expect(notified).toBe(0);
  });

  it.each<[string, (site: Site) => Site]>([
    ["two cameras with one id", (site) => twice(addCamera()(site))],
    ["a camera without a name", addCamera({ name: "" })],
    [
      "a user of no group",
      (site) => ({ ...site, users: site.users.map((user) => ({ ...user, groupId: site.id })) }),
    ],
    ["another server", (site) => ({ ...site, server: { ...site.server, id: site.id } })],
  ])("refuses %s, and stays as it was", async (_what, edit) => {
    const store = await make();
    const before = store.current;
    await expect(store.change(edit)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(store.current).toBe(before);
  });

  it("refuses to lose the last administrator", async () => {
    const store = await make();
    const lost = store.change((site) => ({ ...site, users: [] }));
    await expect(lost).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("goes on behind an edit that throws", async () => {
    const store = await make();
    const failing = store.change(() => {
      throw new Error("an edit that fails");
    });
    await expect(failing).rejects.toThrow("an edit that fails");
    expect((await store.change(addCamera())).cameras).toHaveLength(1);
  });

  it("gives what nobody can change in place", async () => {
    const store = await make();
    const { cameras } = await store.change(addCamera());
    expect(() => Object.assign(cameras[0] ?? {}, { name: "other" })).toThrow(TypeError);
    expect(() => Object.assign(store.current.server, { name: "other" })).toThrow(TypeError);
  });

  it("tells followers in their order, each change once, with what was before, and goes on where one throws", async () => {
    const store = await make();
    const { revision } = store.current;
    const notified: [string, number, number][] = [];
    store.onChange("events", (site, previous) => notified.push(["events", site.revision, previous.revision]));
    store.onChange("rights", () => {
      throw new Error("a follower that fails");
    });
    store.onChange("cameras", (site, previous) =>
      notified.push(["cameras", site.revision, previous.revision]),
    );
    await store.change(addCamera());
    expect(notified).toEqual([
      ["cameras", revision + 1, revision],
      ["events", revision + 1, revision],
    ]);
  });

  it("says who changed what, in its own words where nobody gives any", async () => {
    const store = await make();
    const changes: unknown[] = [];
    store.onChange("events", (_site, _previous, change) => changes.push(change));
    const by = { userId: store.current.users[0]?.id ?? "", name: "root" };
    await store.change(addCamera({ name: "Gate" }), { by });
    await store.change(addCamera({ name: "Yard" }), { summary: () => "a yard" });
    expect(changes).toMatchObject([{ by: { name: "root" } }, { by: null, summary: "a yard" }]);
    expect(JSON.stringify(changes[0])).toContain("Gate");
  });
});

function twice(site: Site): Site {
  return { ...site, cameras: site.cameras.flatMap((camera) => [camera, camera]) };
}
