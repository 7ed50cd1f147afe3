import { describe, expect, it, onTestFinished } from "vitest";
import { newGuid } from "../../src/base/index.js";
import { shownSite, withOwnerCameras } from "../../src/reserve/reserved-site.js";
import { cameraOptions, foldersOf, ownCameras, type Site, siteChange } from "../../src/site/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { addCamera, sampleCamera, startStore } from "../support/site/site-samples.js";

const OWNER = { id: newGuid(), name: "Gatehouse" };

async function store() {
  const started = await startStore(await temporaryDirectory());
  onTestFinished(() => started.stop());
  return started;
}

const ownerCamera = (site: Site, change = {}) =>
  sampleCamera(site, { id: newGuid(), name: "Gate", ...change });

describe("cameras of another recorder in the configuration of its reserve", () => {
  it("are kept under their own ids, with their owner, in a folder with its name", async () => {
    const site = await store();
    const camera = ownerCamera(site.current);

    const { cameras, rootSecurityObject } = await site.change((before) =>
      withOwnerCameras(before, OWNER, [camera]),
    );

    expect(cameras).toMatchObject([
      { id: camera.id, ownerServerId: OWNER.id, connection: camera.connection },
    ]);
    expect(rootSecurityObject.children).toEqual([{ ...OWNER, children: [], channelIds: [camera.id] }]);
  });

  it("make no new revision where they came as they were", async () => {
    const site = await store();
    const camera = ownerCamera(site.current);
    const { revision } = await site.change((before) => withOwnerCameras(before, OWNER, [camera]));

    const again = await site.change((before) => withOwnerCameras(before, OWNER, [camera]));

    expect(again.revision).toBe(revision);
  });

  it("go with their folder when the owner has none any more", async () => {
    const site = await store();
    await site.change(addCamera({ name: "Own" }));
    await site.change((before) => withOwnerCameras(before, OWNER, [ownerCamera(before)]));

    const { cameras } = await site.change((before) => withOwnerCameras(before, OWNER, []));

    expect(cameras.map(({ name }) => name)).toEqual(["Own"]);
    expect(foldersOf(site.current)).toHaveLength(1);
  });

  it("do not take the place of a camera of this recorder", async () => {
    const site = await store();
    const { cameras: own } = await site.change(addCamera({ name: "Own" }));
    const [camera] = own;

    const { cameras } = await site.change((before) =>
      withOwnerCameras(before, OWNER, [ownerCamera(before, { id: camera?.id })]),
    );

    expect(cameras).toEqual(own);
  });

  it("stay in the folder into which an administrator of the reserve moved them", async () => {
    const site = await store();
    const camera = ownerCamera(site.current);
    await site.change((before) => withOwnerCameras(before, OWNER, [camera]));
    await site.change((before) => ({
      ...before,
      rootSecurityObject: {
        ...before.rootSecurityObject,
        channelIds: [camera.id],
        children: before.rootSecurityObject.children.map((child) => ({ ...child, channelIds: [] })),
      },
    }));

    const { rootSecurityObject } = await site.change((before) =>
      withOwnerCameras(before, OWNER, [{ ...camera, name: "Gate, north" }]),
    );

    expect(rootSecurityObject.channelIds).toEqual([camera.id]);
  });

  it("are none of the reserve's own, which alone it sends off the box", async () => {
    const site = await store();
    await site.change(addCamera({ name: "Own" }));
    const all = await site.change((before) => withOwnerCameras(before, OWNER, [ownerCamera(before)]));

    expect(ownCameras(all).map(({ name }) => name)).toEqual(["Own"]);
  });

  it("look for nothing, fill nothing and have no reserve there", async () => {
    const site = await store();
    const options = cameraOptions(ownerCamera(site.current));
    const kept = {
      ...options,
      analyze: { ...options.analyze, motionDetectorEnabled: true },
      servers: { reservedServerId: site.current.server.id, replicationServerId: null },
    };

    const { cameras } = await site.change((before) =>
      withOwnerCameras(before, OWNER, [ownerCamera(before, { kept })]),
    );

    expect(cameras[0]?.kept).toMatchObject({
      ...{ analyze: { motionDetectorEnabled: false }, servers: { reservedServerId: null } },
    });
  });
});

describe("what acts on the configuration of a reserve", () => {
  it("sees cameras of others switched off, until they are taken", async () => {
    const site = await store();
    await site.change(addCamera({ name: "Own" }));
    const gate = ownerCamera(site.current, {
      name: "Gate",
      archive: { ...ownerCamera(site.current).archive, archivingMode: "MDandManual" },
    });
    await site.change((before) => withOwnerCameras(before, OWNER, [gate]));
    const seen = (taken: Parameters<typeof shownSite>[1]) =>
      shownSite(site.current, taken).cameras.map(({ name, disabled, archive }) => [
        name,
        disabled,
        archive.archivingMode,
      ]);

    expect(seen(new Map())).toEqual([
      ["Own", false, "AlwaysOn"],
      ["Gate", true, "MDandManual"],
    ]);
    expect(seen(new Map([[gate.id, "armed"]]))[1]).toEqual(["Gate", false, "OnlyManual"]);
    expect(seen(new Map([[gate.id, "recording"]]))[1]).toEqual(["Gate", false, "AlwaysOn"]);
  });

  it("never records a camera that its owner has switched off", async () => {
    const site = await store();
    const gate = ownerCamera(site.current, { disabled: true });
    await site.change((before) => withOwnerCameras(before, OWNER, [gate]));

    expect(shownSite(site.current, new Map([[gate.id, "recording"]])).cameras[0]?.disabled).toBe(true);
  });

  it("is notified of what is shown, while edits get what is kept, and the revision stays", async () => {
    const site = await store();
    await site.change((before) => withOwnerCameras(before, OWNER, [ownerCamera(before)]));
    const { revision } = site.current;
    const shown: (boolean | undefined)[][] = [];
    site.onChange("recording", (now, before) =>
      shown.push([before.cameras[0]?.disabled, now.cameras[0]?.disabled]),
    );

    site.show((whole) => shownSite(whole, new Map()), siteChange(null, "switched off"));
    let edited: boolean | undefined;
    await site.change((whole) => {
      edited = whole.cameras[0]?.disabled;
      return { ...whole, server: { ...whole.server, name: "Reserve" } };
    });

    expect(shown).toEqual([
      [false, true],
      [true, true],
    ]);
    expect(edited).toBe(false);
    expect(site.current.cameras[0]?.disabled).toBe(true);
    expect(site.current.revision).toBe(revision + 1);
  });
});
