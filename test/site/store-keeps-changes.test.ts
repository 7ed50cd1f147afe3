import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { NvrdError } from "../../src/base/index.js";
import { DEFAULT_CAMERA_OPTIONS } from "../../src/site/index.js";
import { CONFIGURATION_FORMAT } from "../../src/site/store/revision-document.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { addCamera, startStore } from "../support/site/site-samples.js";

describe("LmdbSiteStore keeps changes", () => {
  it("starts with fresh ids, senior administrators with all rights, and root without a way in", async () => {
    const store = await startStore(await temporaryDirectory(), { serverName: "gate-house" });
    const { current } = store;
    expect(current).toMatchObject({ revision: 1, server: { name: "gate-house" }, cameras: [] });
    expect(current.users).toMatchObject([{ name: "root", secret: "locked", groupId: current.groups[0]?.id }]);
    expect(current.groups[0]).toMatchObject({ seniorAdministrators: true, realtimeChannels: "all" });
    const { IsAllForbidden, ...rights } = current.groups[0]?.rights ?? {};
    expect(IsAllForbidden).toBe(false);
    expect(Object.values(rights).every((granted) => granted === true)).toBe(true);
    expect(new Set([current.id, current.server.id, current.rootSecurityObject.id]).size).toBe(3);
    await store.stop();
  });

  it("reads after a restart what was acknowledged", async () => {
    const directory = await temporaryDirectory();
    const first = await startStore(directory);
    const changed = await first.change(addCamera({ name: "Ворота № 1" }));
    await first.stop();
    const second = await startStore(directory);
    expect(second.current).toEqual(changed);
    expect(second.current.revision).toBe(2);
    await second.stop();
  });

  it("keeps the settings nothing acts on yet, and refuses them malformed", async () => {
    const directory = await temporaryDirectory();
    const first = await startStore(directory);
    const { analyze, ...rest } = DEFAULT_CAMERA_OPTIONS;
    const kept = { ...rest, analyze: { ...analyze, interactiveSearchJson: '{"Depth":[1]}' } };
    await first.change(addCamera({ kept }));
    const malformed = { ...kept, analyze: { ...analyze, interactiveSearchJson: "{" } };
    await expect(first.change(addCamera({ kept: malformed }))).rejects.toThrow("interactiveSearchJson");
    await first.stop();
    const second = await startStore(directory);
    expect(second.current.cameras.map((camera) => camera.kept)).toEqual([kept]);
    await second.stop();
  });

  it("applies concurrent changes one after another, each on the one before", async () => {
    const store = await startStore(await temporaryDirectory());
    const names = ["A", "B", "C", "D", "E"];
    const revisions = await Promise.all(names.map((name) => store.change(addCamera({ name }))));
    expect(revisions.map((site) => site.revision)).toEqual([2, 3, 4, 5, 6]);
    expect(store.current.cameras.map((camera) => camera.name)).toEqual(names);
    await store.stop();
  });

  it("tells followers each change in order, and goes on when one throws", async () => {
    const store = await startStore(await temporaryDirectory());
    const seen: [number, number][] = [];
    store.onChange("events", () => {
      throw new Error("broken follower");
    });
    store.onChange("events", (site, previous) => seen.push([previous.revision, site.revision]));
    await Promise.all([store.change(addCamera()), store.change(addCamera())]);
    expect(seen).toEqual([
      [1, 2],
      [2, 3],
    ]);
    await store.stop();
  });

  it("refuses a change of a revision that is no longer current", async () => {
    const store = await startStore(await temporaryDirectory());
    await store.change(addCamera(), { expectedRevision: 1 });
    const late = store.change(addCamera(), { expectedRevision: 1 });
    await expect(late).rejects.toMatchObject({ code: "CONFLICT" });
    expect(store.current.revision).toBe(2);
    await store.stop();
  });

  it("passes on what the edit throws, changes nothing, and applies the next change", async () => {
    const store = await startStore(await temporaryDirectory());
    const failing = store.change(() => {
      throw new NvrdError("NOT_FOUND", "no such camera");
    });
    await expect(failing).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(store.change(addCamera())).resolves.toMatchObject({ revision: 2 });
    await store.stop();
  });

  it("keeps the revision when the edit changes nothing", async () => {
    const store = await startStore(await temporaryDirectory());
    await expect(store.change((site) => site)).resolves.toMatchObject({ revision: 1 });
    await store.stop();
  });

  it("hands out configurations that cannot be changed in place", async () => {
    const store = await startStore(await temporaryDirectory());
    const site = await store.change(addCamera());
    expect(() => {
      (site.cameras as unknown[]).push("intruder");
    }).toThrow(TypeError);
    expect(Object.isFrozen(site.cameras[0]?.connection.streams.Main.roles)).toBe(true);
    await store.stop();
  });

  it("refuses changes beyond a bounded queue", async () => {
    const store = await startStore(await temporaryDirectory());
    const results = await Promise.allSettled(Array.from({ length: 70 }, () => store.change((site) => site)));
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(6);
    expect(refused[0]?.reason).toMatchObject({ code: "NOT_AVAILABLE" });
    await store.stop();
  });

  it("refuses changes when it is stopped", async () => {
    const store = await startStore(await temporaryDirectory());
    await store.stop();
    await expect(store.change(addCamera())).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });

  it("keeps every file from other users, and the newest hundred revisions", async () => {
    const directory = await temporaryDirectory();
    const store = await startStore(directory);
    for (let i = 0; i < 104; i += 1) await store.change((site) => ({ ...site }));
    await store.stop();
    const revisions = path.join(directory, "configuration-revisions");
    const names = (await readdir(revisions)).sort();
    expect(names).toHaveLength(100);
    expect([names[0], names.at(-1)]).toEqual(["00000006.json", "00000105.json"]);
    const files = [
      ...names.map((name) => path.join(revisions, name)),
      path.join(directory, "configuration/data.mdb"),
    ];
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(revisions)).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(files[0] ?? "", "utf8"))).toMatchObject({
      nvrdConfiguration: CONFIGURATION_FORMAT,
    });
  });
});
