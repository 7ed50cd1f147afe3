// Own process: it is about what a process holds, and replaces modules.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { DataLock } from "../../../src/host/control/index.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const holder = fileURLToPath(new URL("../../support/control/lock-holder.mjs", import.meta.url));

async function holdInAnotherProcess(directory: string) {
  const child = spawn(process.execPath, [holder, directory], { stdio: ["ignore", "pipe", "inherit"] });
  const [first] = await once(child.stdout, "data");
  const end = async () => {
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  };
  return { pid: child.pid, says: String(first).trim(), end };
}

describe("DataLock", () => {
  it("creates the data directory, for its owner only, and names the holder in its file", async () => {
    const directory = path.join(await temporaryDirectory(), "new", "data");
    const lock = DataLock.acquire(directory);
    expect(await readFile(path.join(directory, "lock"), "utf8")).toBe(`${process.pid}\n`);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    lock.release();
    lock.release();
  });

  it("is refused with the holder's pid while another process has it, and free when that is killed", async () => {
    const directory = await temporaryDirectory();
    const other = await holdInAnotherProcess(directory);
    expect(other.says).toBe("locked");
    expect(() => DataLock.acquire(directory)).toThrow(
      expect.objectContaining({
        code: "ARCHIVE_LOCKED",
        message: expect.stringContaining(`pid ${other.pid}`),
      }),
    );
    expect(() => DataLock.acquire(directory)).toThrow(expect.objectContaining({ code: "ARCHIVE_LOCKED" }));
    await other.end();
    DataLock.acquire(directory).release();
  });

  it("exists once per directory, also within a process, and can be taken again after release", async () => {
    const directory = await temporaryDirectory();
    const lock = DataLock.acquire(directory);
    expect(() => DataLock.acquire(directory)).toThrow(expect.objectContaining({ code: "ARCHIVE_LOCKED" }));
    lock.release();
    const other = await holdInAnotherProcess(directory);
    expect(other.says).toBe("locked");
    await other.end();
  });

  it("is given to exactly one of many processes that start at once", async () => {
    const directory = await temporaryDirectory();
    const holders = await Promise.all(Array.from({ length: 5 }, () => holdInAnotherProcess(directory)));
    expect(holders.filter((one) => one.says === "locked")).toHaveLength(1);
    expect(holders.filter((one) => one.says === "ARCHIVE_LOCKED")).toHaveLength(4);
    for (const one of holders) await one.end();
  });

  it("says what is wrong with a directory that cannot be used", () => {
    expect(() => DataLock.acquire("/dev/null/data")).toThrow(
      expect.objectContaining({ code: "NOT_AVAILABLE", message: expect.stringContaining("/dev/null/data") }),
    );
  });

  it("says how an ordinary user gets a directory that may not be written", async () => {
    const directory = await temporaryDirectory();
    vi.resetModules();
    vi.doMock("node:fs", async (load) => ({
      ...(await load<typeof import("node:fs")>()),
      mkdirSync: () => {
        throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
      },
    }));
    const { DataLock: Refused } = await import("../../../src/host/control/data-lock.js");
    vi.doUnmock("node:fs");
    const owner = process.getuid?.() ?? 0;
    const remedy = `sudo install -d -o ${owner} -m 700 '${directory}'), or choose another with --data DIR`;
    expect(() => Refused.acquire(directory)).toThrow(
      expect.objectContaining({ code: "NOT_AVAILABLE", message: expect.stringContaining(remedy) }),
    );
  });

  it("advises to make room first where the disk is full", async () => {
    const directory = await temporaryDirectory();
    vi.resetModules();
    vi.doMock("node:fs", async (load) => ({
      ...(await load<typeof import("node:fs")>()),
      writeSync: () => {
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      },
    }));
    const { DataLock: Full } = await import("../../../src/host/control/data-lock.js");
    vi.doUnmock("node:fs");
    expect(() => Full.acquire(directory)).toThrow(
      expect.objectContaining({
        code: "NOT_AVAILABLE",
        message: expect.stringContaining("its disk is full: make room"),
      }),
    );
  });

  it("says that the native addon is missing, and leaves the directory free", async () => {
    const directory = await temporaryDirectory();
    vi.resetModules();
    vi.doMock("../../../src/base/process/native-addon.js", () => ({
      loadNativeAddon: () => ({ functions: {}, missing: "Cannot find module nvrd.node" }),
    }));
    const { DataLock: Unable } = await import("../../../src/host/control/data-lock.js");
    vi.doUnmock("../../../src/base/process/native-addon.js");
    expect(() => Unable.acquire(directory)).toThrow(
      expect.objectContaining({
        code: "NOT_AVAILABLE",
        message: expect.stringMatching(/native addon is missing \(Cannot find module nvrd\.node\)/),
      }),
    );
    DataLock.acquire(directory).release();
  });
});
