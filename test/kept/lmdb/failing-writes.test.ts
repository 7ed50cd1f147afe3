import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LIBLMDB, patchedLmdb } from "../../../scripts/native/lmdb.mjs";
import { openLmdb } from "../../../src/kept/lmdb/library.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const AS_PUBLISHED = `${REPOSITORY_ROOT}/node_modules/lmdb/dependencies/lmdb/libraries/liblmdb`;

const directory = forAllTests(() => new TemporaryDirectory("failing-writes"));

/** What test/support/lmdb/failed-write.c says over LMDB's sources in `liblmdb`, with the address sanitizer. */
function failWrites(
  liblmdb: string,
  name: string,
): { status: number | null; stdout: string; stderr: string } {
  const program = directory.join(name);
  const sources = [`${REPOSITORY_ROOT}/test/support/lmdb/failed-write.c`, `${liblmdb}/midl.c`];
  // The text has sizes that were never set: whatever compiler it is, they are large ones.
  const unset = "-ftrivial-auto-var-init=pattern";
  const flags = ["-w", "-g", "-fsanitize=address", unset];
  const common = [...flags, `-I${liblmdb}`, "-DMDB_MAXKEYSIZE=0", "-DMDB_USE_ROBUST"];
  const calls = ["-Dpwrite=faulty_pwrite", "-Dwritev=faulty_writev"];
  execFileSync("gcc", [...common, ...calls, "-c", "-o", `${program}.o`, `${liblmdb}/mdb.c`]);
  execFileSync("gcc", [...common, "-o", program, ...sources, `${program}.o`, "-lpthread"]);
  mkdirSync(`${program}.env`);
  const env = { ...process.env, ASAN_OPTIONS: "detect_leaks=0" };
  return spawnSync(program, [`${program}.env`], { encoding: "utf8", env });
}

describe("a write of pages that the system disk refuses", () => {
  it("damages the heap in LMDB as published", () => {
    const { status, stderr } = failWrites(AS_PUBLISHED, "published");
    expect(stderr).toContain("heap-buffer-overflow");
    expect(status).not.toBe(0);
  });

  it("is an error with its place in LMDB as built here, and the next commit holds", () => {
    patchedLmdb(directory.join("sources"));
    const { status, stdout, stderr } = failWrites(directory.join("sources", LIBLMDB), "mended");
    expect(stderr).not.toContain("AddressSanitizer");
    expect(status).toBe(0);
    const lines = stdout.trim().split("\n");
    const place = "Attempting to write page at position \\d+, size \\d+, blocks \\d+";
    for (const reason of ["Input/output error", "No space left on device"])
      expect(lines.filter((line) => new RegExp(`^${reason}: ${place}$`).test(line)).length).toBeGreaterThan(
        10,
      );
    // A short write has no text of its own.
    expect(lines.filter((line) => line === "Input/output error").length).toBeGreaterThan(10);
  });
});

describe("an environment that cannot be opened", () => {
  it("is an error each time, and leaves the heap as it was", () => {
    const script = `${REPOSITORY_ROOT}/test/support/lmdb/failing-opens.mjs`;
    // Memory that was given back is overwritten: whoever still uses it crashes.
    const env = { ...process.env, MALLOC_PERTURB_: "85" };
    const args = [script, directory.join("opens")];
    const { status, signal, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env });
    expect({ status, signal, stdout }).toEqual({ status: 0, signal: null, stdout: "20 failed, 20 opened\n" });
  });
});

describe("the addon of lmdb", () => {
  it("is the one that is built here", () => {
    openLmdb({ path: directory.join("environment"), noSubdir: false });
    const mapped = new Set(readFileSync("/proc/self/maps", "utf8").match(/\/\S*lmdb\S*\.node/g) ?? []);
    expect([...mapped]).toEqual([`${REPOSITORY_ROOT}/build/Release/lmdb.node`]);
  });
});
