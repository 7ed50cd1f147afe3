import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { serialize } from "node:v8";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { codedClip } from "../../support/media/coded-clip.js";
import { buildTestAddon } from "../../support/picture/test-addon.js";

const run = promisify(execFile);
const ADDON = join(REPOSITORY_ROOT, "build/codec.node");
const THREADS_ENDED = 12;
const directory = new TemporaryDirectory("nvrd-ending");
const clipFile = directory.join("clip");

beforeAll(async () => {
  const options = { codec: Codec.H264, width: 64, height: 48, frames: 1 };
  const { format, units } = await codedClip(options);
  writeFileSync(clipFile, serialize({ format, units }));
});
afterAll(() => directory.remove());

it("the process outlives an environment that ends within any call into the codec", async () => {
  const addon = await buildTestAddon(directory.path, "ending-environment", ADDON);
  const script = `${REPOSITORY_ROOT}/test/support/picture/codec-ending.mjs`;
  const { stdout } = await run(process.execPath, ["--expose-gc", script, addon, clipFile]);
  const { counts, load } = JSON.parse(stdout) as { counts: Record<string, number>; load: unknown };
  expect(counts).toMatchObject({ still: expect.any(Number), "encode settled": expect.any(Number) });
  expect(Object.values(counts).filter((count) => count > 1).length).toBeGreaterThan(15);
  expect(load).toMatchObject({ running: 0, queued: 0, open: 0 });
});

it("the process outlives worker threads that are ended while they call the codec without a pause", async () => {
  const script = `${REPOSITORY_ROOT}/test/support/picture/codec-tight-thread.mjs`;
  const output = await run(process.execPath, [script, ADDON, clipFile, `${THREADS_ENDED}`]);
  expect(output).toEqual({ stdout: "", stderr: "" });
});
