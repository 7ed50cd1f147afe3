import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { SystemClock } from "../../../src/base/time/clock.js";
import { newGuid } from "../../../src/base/value/guid.js";
import { noteClosed } from "../../../src/kept/lmdb/closed-note.js";
import { inspectDatabase, noteOpening } from "../../../src/kept/lmdb/inspection.js";
import { WALK_STATUS } from "../../../src/kept/lmdb/walk.js";
import { SILENT_LOG } from "../../support/archive/index-harness.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const BOOT_ID = newGuid();
/** More than one piece of reading, and not a whole number of them. */
const FILE = Buffer.from(Array.from({ length: 600_001 }, (_, at) => at % 251));

describe("a database that was closed in order", () => {
  let directory: string;
  let walkScript: string;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    writeFileSync(path.join(directory, "data.mdb"), FILE);
    walkScript = path.join(await temporaryDirectory(), "walk.cjs");
    // Whatever is walked is damaged: only what is not walked is good.
    writeFileSync(walkScript, `console.log("walked"); process.exitCode = ${WALK_STATUS.damaged};\n`);
    await noteClosed(directory, SILENT_LOG);
  });

  async function state(): Promise<string> {
    const { signal } = new AbortController();
    const options = { directory, walkScript, bootId: BOOT_ID, clock: new SystemClock(), signal };
    return (await inspectDatabase(options)).state;
  }

  test("is good without a walk", async () => {
    expect(await state()).toBe("good");
  });

  test("is walked at the second start, if the first did not close it", async () => {
    await state();
    expect(await state()).toBe("bad");
  });

  test.each([
    ["a byte of it changed", Buffer.concat([FILE.subarray(0, -1), Buffer.from([0xff])])],
    ["it became shorter", FILE.subarray(0, -1)],
    ["it became longer", Buffer.concat([FILE, Buffer.from([0])])],
  ])("is walked when %s", async (_name, bytes) => {
    writeFileSync(path.join(directory, "data.mdb"), bytes);
    expect(await state()).toBe("bad");
  });

  test("is walked when another version closed it", async () => {
    const file = path.join(directory, "closed");
    writeFileSync(file, readFileSync(file, "latin1").replace(/^\S+/, "0.0.0"));
    expect(await state()).toBe("bad");
  });

  test("is walked when a start ended while it was being opened", async () => {
    await noteOpening(directory, BOOT_ID);
    expect(await state()).toBe("bad");
  });

  test("is walked when the note is something else", async () => {
    writeFileSync(path.join(directory, "closed"), Buffer.alloc(100_000, 0x41));
    expect(await state()).toBe("bad");
  });
});
