import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { serialize } from "node:v8";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { codedClip } from "../../support/media/coded-clip.js";
import { buildTestAddon } from "../../support/picture/test-addon.js";

/** What codec-churn.mjs prints. */
interface BytesInUse {
  readonly native: number;
  readonly script: number;
}

const run = promisify(execFile);
/** How many times the counts below; `npm run torture -- codec-leaks` asks for more. */
const TIMES = Number(process.env.NVRD_TEST_CODEC_TIMES ?? 1);
/** An encoder takes ten times as long to open as the others; a thread starts a Node of its own. */
const KINDS = [
  { kind: "decoder", cycles: 1250 },
  { kind: "still", cycles: 625 },
  { kind: "rejected", cycles: 1250 },
  { kind: "sound", cycles: 1250 },
  { kind: "encoder", cycles: 200 },
  { kind: "thread", cycles: 15 },
];
/**
 * Bytes in use are counted, not resident memory: what the allocator keeps of memory that was freed differs by 60 MiB from
 * run to run. Measured are 20 to 100 KiB, of caches that fill up. The bound is 210 bytes for each of 1,250 turns: less than
 * any object of a codec. With eight times as many turns it is 26; the smallest piece malloc gives is 32. Each thread that
 * ends leaves some KiB, the smallest codec would leave 1.3 MiB.
 */
const GROWTH_KIB_MAX = 256;
const THREAD_GROWTH_KIB_MAX = 1024;
const directory = new TemporaryDirectory("nvrd-leaks");
const clipFile = directory.join("clip");

beforeAll(async () => {
  const options = { codec: Codec.H264, width: 64, height: 48, frames: 2, flags: ["-bf", "0"] };
  const { format, units } = await codedClip(options);
  writeFileSync(clipFile, serialize({ format, units }));
});
afterAll(() => directory.remove());

it.each(KINDS)(
  "memory is flat when one is opened, used and closed again and again: $kind",
  async ({ kind, cycles }) => {
    const script = `${REPOSITORY_ROOT}/test/support/picture/codec-churn.mjs`;
    const heapUse = await buildTestAddon(directory.path, "heap-use");
    const args = ["--expose-gc", script, kind, `${cycles * TIMES}`, clipFile, heapUse];
    const { stdout } = await run(process.execPath, args);
    const { settled, later, load } = JSON.parse(stdout) as Record<"settled" | "later", BytesInUse> & {
      load: unknown;
    };
    const growth = later.native + later.script - settled.native - settled.script;
    expect(growth / 1024).toBeLessThan(kind === "thread" ? THREAD_GROWTH_KIB_MAX * TIMES : GROWTH_KIB_MAX);
    expect(load).toMatchObject({ running: 0, queued: 0, open: 0 });
  },
  3_600_000,
);

it("the process exits during work of all kinds, without output", async () => {
  const script = `${REPOSITORY_ROOT}/test/support/picture/codec-busy-thread.mjs`;
  expect(await run(process.execPath, [script, clipFile])).toEqual({ stdout: "", stderr: "" });
});

describe("what a thread of the codec keeps for the next picture", () => {
  /** What of it goes within `waitMs` after some pictures of 720p. */
  async function goneBytes(keepMs: number, waitMs: number): Promise<number> {
    const options = { codec: Codec.H264, width: 1280, height: 720, frames: 2, flags: ["-bf", "0"] };
    const { format, units } = await codedClip(options);
    const file = directory.join("large-clip");
    writeFileSync(file, serialize({ format, units }));
    const script = `${REPOSITORY_ROOT}/test/support/picture/codec-idle.mjs`;
    const heapUse = await buildTestAddon(directory.path, "heap-use");
    const { stdout } = await run(process.execPath, [script, file, heapUse, `${keepMs}`, `${waitMs}`]);
    const { worked, later } = JSON.parse(stdout) as Record<"worked" | "later", number>;
    return worked - later;
  }

  it("goes when there is no work for a while", async () => {
    // Scratch memory alone is 1280 x 720 x 3 bytes.
    expect(await goneBytes(500, 3000)).toBeGreaterThan(2_500_000);
  });

  it("stays until then", async () => {
    expect(await goneBytes(60_000, 1500)).toBeLessThan(500_000);
  });
});
