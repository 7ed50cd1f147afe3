import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Site } from "../../src/site/index.js";
import { CONFIGURATION_FORMAT } from "../../src/site/store/revision-document.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { addCamera, startStore } from "../support/site/site-samples.js";

let directory: string;
let lastSite: Site;
const dataFile = () => path.join(directory, "configuration", "data.mdb");
const revision = (number: number) =>
  path.join(directory, "configuration-revisions", `${String(number).padStart(8, "0")}.json`);

async function overwrite(file: string, offset: number, bytes: Buffer): Promise<void> {
  const handle = await open(file, "r+");
  await handle.write(bytes, 0, bytes.length, offset);
  await handle.close();
}

/** What the next start reads. */
async function restart(): Promise<Site> {
  const store = await startStore(directory);
  const { current } = store;
  await store.change(addCamera({ name: "After" }));
  await store.stop();
  return current;
}

const setAside = async () =>
  (await readdir(directory)).filter((name) => name.startsWith("configuration-damaged-"));

describe("LmdbSiteStore survives damage", () => {
  beforeEach(async () => {
    directory = await temporaryDirectory();
    const store = await startStore(directory);
    for (let i = 0; i < 20; i += 1) lastSite = await store.change(addCamera({ name: `Camera ${i}` }));
    await store.stop();
  });

  const damages: [string, () => Promise<void>][] = [
    ["cut to one page", () => truncate(dataFile(), 4096)],
    ["cut in the middle", async () => truncate(dataFile(), (await stat(dataFile())).size / 2)],
    ["of zeros", async () => writeFile(dataFile(), Buffer.alloc((await stat(dataFile())).size))],
    ["of noise", async () => writeFile(dataFile(), Buffer.alloc((await stat(dataFile())).size, "nvrd?"))],
    ["with damaged meta pages", () => overwrite(dataFile(), 0, Buffer.alloc(8192, 0xff))],
    [
      "with every page behind the meta pages zeroed",
      async () => overwrite(dataFile(), 8192, Buffer.alloc((await stat(dataFile())).size - 8192)),
    ],
    ["of another kind", () => writeFile(dataFile(), "this is no database\n")],
    [
      "with a changed word in the record",
      async () => {
        const bytes = await readFile(dataFile());
        for (let at = bytes.indexOf("Camera 7"); at !== -1; at = bytes.indexOf("Camera 7", at + 1)) {
          bytes.write("Xamera 7", at);
        }
        await writeFile(dataFile(), bytes);
      },
    ],
  ];

  it.each(damages)("restores from the JSON copy when it finds a database %s", async (_name, damage) => {
    await damage();
    expect(await restart()).toEqual(lastSite);
    expect(await setAside()).toHaveLength(1);
    expect((await restart()).cameras.at(-1)?.name).toBe("After");
    expect(await setAside()).toHaveLength(1);
  });

  it("restores from the JSON copy when the database is gone", async () => {
    await rm(path.join(directory, "configuration"), { recursive: true });
    expect(await restart()).toEqual(lastSite);
  });

  it("restores the newest whole revision when the newest file is damaged too", async () => {
    await truncate(dataFile(), 4096);
    await truncate(revision(21), 1000);
    await writeFile(revision(20), (await readFile(revision(20), "utf8")).replace("Camera 3", "Camera X"));
    const site = await restart();
    expect(site).toMatchObject({ id: lastSite.id, revision: 19 });
    expect(site.cameras).toHaveLength(18);
  });

  it("starts anew, with the remains set aside, when nothing is whole", async () => {
    await truncate(dataFile(), 4096);
    await rm(path.join(directory, "configuration-revisions"), { recursive: true });
    const site = await restart();
    expect(site).toMatchObject({ revision: 1, cameras: [] });
    expect(site.id).not.toBe(lastSite.id);
    expect(await setAside()).toHaveLength(1);
  });

  it("writes the JSON copies again when they are gone", async () => {
    await rm(path.join(directory, "configuration-revisions"), { recursive: true });
    expect(await restart()).toEqual(lastSite);
    expect(await readdir(path.join(directory, "configuration-revisions"))).toEqual([
      "00000021.json",
      "00000022.json",
    ]);
  });

  it("takes no notice of an unfinished file", async () => {
    const unfinished = `${revision(22)}.unfinished`;
    await copyFile(revision(21), unfinished);
    expect(await restart()).toEqual(lastSite);
    await expect(stat(unfinished)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("refuses what a newer version wrote where there is nothing else, and leaves it as it is", async () => {
    await rm(path.join(directory, "configuration"), { recursive: true });
    for (const name of await readdir(path.join(directory, "configuration-revisions")))
      if (!revision(21).endsWith(name)) await rm(path.join(directory, "configuration-revisions", name));
    const newer = (await readFile(revision(21), "utf8")).replace(
      `"nvrdConfiguration":${CONFIGURATION_FORMAT}`,
      `"nvrdConfiguration":${CONFIGURATION_FORMAT + 1}`,
    );
    await writeFile(revision(21), newer);
    await expect(startStore(directory)).rejects.toMatchObject({ code: "FORMAT_NEWER" });
    expect(await readFile(revision(21), "utf8")).toBe(newer);
  });

  it("does not restore a copy that breaks the rules of a configuration", async () => {
    await rm(path.join(directory, "configuration"), { recursive: true });
    const text = await readFile(revision(21), "utf8");
    const { createHash } = await import("node:crypto");
    const document = JSON.parse(text) as { site: { cameras: unknown[] }; sha256: string };
    document.site.cameras.push(document.site.cameras[0]);
    document.sha256 = createHash("sha256").update(JSON.stringify(document.site)).digest("hex");
    await writeFile(revision(21), JSON.stringify(document));
    expect((await restart()).revision).toBe(20);
  });

  it("survives directories where files should be", async () => {
    await rename(revision(21), `${revision(21)}.bak`);
    await mkdir(revision(21));
    await truncate(dataFile(), 4096);
    expect((await restart()).revision).toBe(20);
  });
});
