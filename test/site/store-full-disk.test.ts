import { execFileSync } from "node:child_process";
import { mkdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Site } from "../../src/site/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { addCamera, sampleCamera, startStore } from "../support/site/site-samples.js";

/** A small file system of its own, or undefined where this user may not mount one. */
async function smallDisk(megabytes: number): Promise<string | undefined> {
  const directory = path.join(await temporaryDirectory(), "disk");
  await mkdir(directory);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", directory], {
      stdio: "ignore",
    });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", directory]));
  return directory;
}

const fillDisk = (directory: string) =>
  writeFile(path.join(directory, "ballast"), Buffer.alloc(64 * 1024 * 1024)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOSPC") throw error;
    },
  );

describe("LmdbSiteStore on a full system disk", () => {
  it("refuses a change with the reason before the last bytes are gone, and goes on reading", async () => {
    let freeBytes = 1e9;
    const store = await startStore(await temporaryDirectory(), { room: async () => ({ freeBytes }) });
    const before = await store.change(addCamera());
    freeBytes = 1000;
    const refused = store.change(addCamera());
    await expect(refused).rejects.toMatchObject({
      code: "NOT_AVAILABLE",
      message: expect.stringContaining("full"),
    });
    expect(store.current).toBe(before);
    freeBytes = 1e9;
    await expect(store.change(addCamera())).resolves.toMatchObject({ revision: before.revision + 1 });
    await store.stop();
  });

  it("refuses what would leave no room, with its file and its record", async () => {
    let freeBytes = 1e9;
    const store = await startStore(await temporaryDirectory(), { room: async () => ({ freeBytes }) });
    const [small, large] = ["x", "x".repeat(1000)];
    freeBytes = 4.5 * 1024 * 1024;
    await store.change(addCamera({ description: small }));
    const cameras = (site: Site): Site =>
      Array.from({ length: 250 }, () => addCamera({ description: large })).reduce(
        (next, add) => add(next),
        site,
      );
    await expect(store.change(cameras)).rejects.toMatchObject({ message: expect.stringContaining("full") });
    freeBytes = 6 * 1024 * 1024;
    await expect(store.change(cameras)).resolves.toBeDefined();
    await store.stop();
  });

  it("names the inodes where they are used up and bytes are left", async () => {
    let freeFiles = 100;
    const store = await startStore(await temporaryDirectory(), {
      room: async () => ({ freeBytes: 1e9, freeFiles }),
    });
    freeFiles = 2;
    await expect(store.change(addCamera())).rejects.toMatchObject({
      code: "NOT_AVAILABLE",
      message: expect.stringMatching(/has inodes for 2 more files: delete files on it/),
    });
    freeFiles = 100;
    await expect(store.change(addCamera())).resolves.toBeDefined();
    await store.stop();
  });

  it("refuses, keeps and recovers on a disk that is really full", async ({ skip }) => {
    const directory = await smallDisk(16);
    if (directory === undefined) return skip("this user may not mount a tmpfs");
    const data = path.join(directory, "data");
    const store = await startStore(data);
    const before = await store.change(addCamera());
    await fillDisk(directory);
    await expect(store.change(addCamera())).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(store.current).toBe(before);
    await store.stop();
    const again = await startStore(data);
    expect(again.current).toEqual(before);
    await expect(again.change(addCamera())).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    await rm(path.join(directory, "ballast"));
    await expect(again.change(addCamera())).resolves.toMatchObject({ revision: before.revision + 1 });
    await again.stop();
  });

  it("refuses when the disk fills up between the check and the write", async ({ skip }) => {
    const directory = await smallDisk(16);
    if (directory === undefined) return skip("this user may not mount a tmpfs");
    const store = await startStore(path.join(directory, "data"), { room: async () => ({ freeBytes: 1e9 }) });
    const before = await store.change(addCamera());
    await fillDisk(directory);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(store.change(addCamera())).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    }
    await rm(path.join(directory, "ballast"));
    await expect(store.change(addCamera())).resolves.toMatchObject({ revision: before.revision + 1 });
    await store.stop();
  });

  it("changes nothing when the room runs out in the midst of the transaction", async ({ skip }) => {
    const directory = await smallDisk(16);
    if (directory === undefined) return skip("this user may not mount a tmpfs");
    const store = await startStore(path.join(directory, "data"), { room: async () => ({ freeBytes: 1e9 }) });
    const before = await store.change(addCamera());
    const many = (site: Site) => {
      const cameras = Array.from({ length: 120 }, () => sampleCamera(site, { description: "d".repeat(500) }));
      return { ...site, cameras: [...site.cameras, ...cameras] };
    };
    await fillDisk(directory);
    const ballast = path.join(directory, "ballast");
    const reasons: string[] = [];
    for (let attempt = 0; attempt < 40 && store.current === before; attempt += 1) {
      await truncate(ballast, (await stat(ballast)).size - 24 * 1024);
      await store.change(many).catch((error: Error) => reasons.push(error.message));
    }
    expect(store.current).toMatchObject({ revision: before.revision + 1 });
    const inFile = reasons.filter((reason) => reason.includes("ENOSPC"));
    expect(inFile.length).toBeGreaterThan(0);
    // The others got past the file and failed in LMDB.
    expect(reasons.length).toBeGreaterThan(inFile.length);
    await store.stop();
    const again = await startStore(path.join(directory, "data"));
    expect(again.current).toEqual(store.current);
    await again.stop();
  });
});
