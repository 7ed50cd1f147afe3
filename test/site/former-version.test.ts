import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { openLmdb } from "../../src/kept/lmdb/library.js";
import { LmdbSiteStore } from "../../src/site/index.js";
import { CONFIGURATION_FORMAT, decodeRevision, formatOf } from "../../src/site/store/revision-document.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

/** A version that is booted again after a newer one ran on its data, and one that upgrades what an older one wrote. */

const NEWER_FORMAT = CONFIGURATION_FORMAT + 1;
let directory: string;
const log = createLog({ level: "silent" });
const revisions = (): string => path.join(directory, "configuration-revisions");

async function withStore<T>(use: (store: LmdbSiteStore) => Promise<T>): Promise<T> {
  const store = new LmdbSiteStore({ directory, clock: new SystemClock(), log, serverName: "box" });
  await store.start();
  try {
    return await use(store);
  } finally {
    await store.stop();
  }
}

const rename = (name: string) => async (store: LmdbSiteStore) => {
  await store.change((site) => ({ ...site, server: { ...site.server, name } }));
};
const nameNow = async (store: LmdbSiteStore): Promise<string> => store.current.server.name;

/** What a newer nvrd leaves: its format in the database and in the revisions it has written. */
async function runNewer(options: {
  readonly revisions: readonly number[];
  readonly prunes?: boolean;
}): Promise<void> {
  const text = JSON.stringify({ nvrdConfiguration: NEWER_FORMAT, what: "nobody here knows" });
  for (const number of options.revisions)
    await writeFile(path.join(revisions(), `${String(number).padStart(8, "0")}.json`), text);
  const root = openLmdb<Buffer, string>({
    path: path.join(directory, "configuration"),
    encoding: "binary",
    maxDbs: 1,
  });
  await root.put("current", Buffer.from(text));
  await root.close();
  if (options.prunes !== true) return;
  for (const name of await readdir(revisions()))
    if (/^\d+\.json$/.test(name) && !options.revisions.includes(Number.parseInt(name, 10)))
      await rm(path.join(revisions(), name));
}

/** Writes the newest revision anew as an older nvrd leaves it: without the parts that came later. */
async function makeOlder(format: 1 | 2 | 3): Promise<void> {
  const { createHash } = await import("node:crypto");
  const name = (await readdir(revisions())).toSorted().at(-1) ?? "";
  const { change, site } = JSON.parse(await readFile(path.join(revisions(), name), "utf8"));
  delete site.alarms;
  if (format < 3) for (const camera of site.cameras) delete camera.archive.schedule;
  const hashed = format === 1 ? site : { change, site };
  const sha256 = createHash("sha256").update(JSON.stringify(hashed)).digest("hex");
  const document =
    format === 1
      ? { nvrdConfiguration: 1, sha256, site }
      : { nvrdConfiguration: format, sha256, change, site };
  await writeFile(path.join(revisions(), name), `${JSON.stringify(document, undefined, 2)}\n`);
  await rm(path.join(directory, "configuration"), { recursive: true });
}

beforeEach(async () => {
  directory = await temporaryDirectory();
  await withStore(rename("before"));
});

describe("a former version that is booted again", () => {
  it("starts with the newest configuration it can read", async () => {
    await runNewer({ revisions: [3, 4] });
    expect(await withStore(nameNow)).toBe("before");
  });

  it("says so in a revision of its own, after all those of the newer version", async () => {
    await runNewer({ revisions: [3, 4] });
    const [revision, change] = await withStore(async (store) => [
      store.current.revision,
      store.changeAtStart,
    ]);
    expect(revision).toBe(5);
    expect(change?.summary).toContain("same as revision 2");
    expect(formatOf(await readFile(path.join(revisions(), "00000004.json"), "utf8"))).toBe(NEWER_FORMAT);
  });

  it("takes changes, and keeps them over a restart", async () => {
    await runNewer({ revisions: [3] });
    await withStore(rename("after"));
    expect(await withStore(nameNow)).toBe("after");
    expect(await withStore(async (store) => store.changeAtStart)).toBeUndefined();
  });

  it("starts when only the database is of the newer version", async () => {
    await runNewer({ revisions: [] });
    expect(await withStore(nameNow)).toBe("before");
  });

  it("refuses to start where it can read nothing, rather than to begin anew", async () => {
    await runNewer({ revisions: [3], prunes: true });
    await expect(withStore(nameNow)).rejects.toMatchObject({ code: "FORMAT_NEWER" });
  });
});

describe("an upgrade from an older format", () => {
  it.each([1, 2, 3] as const)(
    "of number %i keeps the configuration as that version wrote it",
    async (format) => {
      await makeOlder(format);
      const written = await readFile(path.join(revisions(), "00000002.json"), "utf8");
      await withStore(rename("upgraded"));
      const kept = await readFile(path.join(revisions(), `00000002.format-${format}.json`), "utf8");
      expect(kept).toBe(written);
      expect(formatOf(kept)).toBe(format);
      expect(decodeRevision(kept)).toMatchObject({ kind: "whole", site: { server: { name: "before" } } });
    },
  );

  it("keeps it however often the configuration changes after that", async () => {
    await makeOlder(2);
    await withStore(async (store) => {
      for (let count = 0; count < 102; count += 1) await rename(`name ${count}`)(store);
    });
    const names = await readdir(revisions());
    expect(names).toContain("00000002.format-2.json");
    expect(names).not.toContain("00000002.json");
  });

  it("keeps the last one of each format", async () => {
    await makeOlder(2);
    await withStore(rename("upgraded"));
    await makeOlder(2);
    await withStore(rename("upgraded again"));
    const kept = (await readdir(revisions())).filter((name) => name.includes("format"));
    expect(kept).toEqual(["00000003.format-2.json"]);
  });

  it("is what the former version starts with, though the newer one has pushed out all its revisions", async () => {
    // The kept file of this version's own format stands for what the next version will keep of it.
    const text = await readFile(path.join(revisions(), "00000002.json"), "utf8");
    await writeFile(path.join(revisions(), "00000002.format-5.json"), text);
    await runNewer({ revisions: [150, 151], prunes: true });
    const [name, revision] = await withStore(async (store) => [
      store.current.server.name,
      store.current.revision,
    ]);
    expect([name, revision]).toEqual(["before", 152]);
  });
});
