import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { serialize } from "node:v8";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Codec } from "../../../src/live/index.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { codedClip } from "../../support/media/coded-clip.js";

const run = promisify(execFile);
/** How many times the counts below. */
const TIMES = Number(process.env.NVRD_TEST_CODEC_TIMES ?? 1);
/** An encoder takes ten times as long to open as the others; a thread starts a Node of its own. */
const KINDS = [
  { kind: "decoder", cycles: 10_000 },
  { kind: "still", cycles: 5000 },
  { kind: "rejected", cycles: 10_000 },
  { kind: "sound", cycles: 10_000 },
  { kind: "encoder", cycles: 1500 },
  { kind: "thread", cycles: 30 },
];
/** The heap's slack; 10,000 times 1 KB would be 10 MB. Of threads that end, less than the codec of each would leave. */
const GROWTH_MIB_MAX = 8;
const THREAD_GROWTH_MIB_MAX = 48;
/** By default the allocator keeps memory apart for each thread there ever was. */
const ENVIRONMENT = { ...process.env, MALLOC_ARENA_MAX: "2" };
const directory = new TemporaryDirectory("nvrd-leaks");
const clipFile = directory.join("clip");

beforeAll(async () => {
  const options = { codec: Codec.H264, width: 64, height: 48, frames: 2, flags: ["-bf", "0"] };
  const { format, units } = await codedClip(directory.path, "clip", options);
  writeFileSync(clipFile, serialize({ format, units }));
});
afterAll(() => directory.remove());

it.each(KINDS)(
  "memory is flat when one is opened, used and closed again and again: $kind",
  async ({ kind, cycles }) => {
    const script = `${REPOSITORY_ROOT}/test/support/picture/codec-churn.mjs`;
    const args = ["--expose-gc", script, kind, `${cycles * TIMES}`, clipFile];
    const { stdout } = await run(process.execPath, args, { env: ENVIRONMENT });
    const { settled, later, load } = JSON.parse(stdout) as Record<"settled" | "later", number> & {
      load: unknown;
    };
    expect((later - settled) / 2 ** 20).toBeLessThan(
      kind === "thread" ? THREAD_GROWTH_MIB_MAX : GROWTH_MIB_MAX,
    );
    expect(load).toMatchObject({ running: 0, queued: 0, open: 0 });
  },
  3_600_000,
);

it("the process exits in the midst of work of all kinds, without a word", async () => {
  const script = `${REPOSITORY_ROOT}/test/support/picture/codec-busy-thread.mjs`;
  expect(await run(process.execPath, [script, clipFile])).toEqual({ stdout: "", stderr: "" });
});
