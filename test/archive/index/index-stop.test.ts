import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { IndexEnvironment } from "../../../src/archive/index/index-environment.js";
import type { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import { segmentOf } from "../../support/archive/segment-fixtures.js";

const scratch = scratchDirectory();

afterEach(() => void vi.restoreAllMocks());
afterAll(() => scratch.remove());

/** An index whose disk takes no commit, and that somebody waits for; how the wait ended. */
async function waitedFor(directory: string): Promise<{ index: LmdbSegmentIndex; wait: Promise<unknown> }> {
  const index = await openIndex(directory);
  await index.flush();
  vi.spyOn(IndexEnvironment.prototype, "checkRoom").mockRejectedValue(new Error("no room"));
  index.add(segmentOf());
  const wait = index.flush().then(
    () => "durable",
    (error: unknown) => error,
  );
  await expect.poll(() => index.status().failing).toBe(true);
  return { index, wait };
}

it("who waits for a commit is told that the index has stopped when closing it fails", async () => {
  vi.spyOn(IndexEnvironment.prototype, "close").mockRejectedValue(new Error("no close"));
  const { index, wait } = await waitedFor(path.join(scratch.path, "close"));
  await expect(index.stop()).rejects.toThrow("no close");
  expect(await wait).toMatchObject({ code: "NOT_AVAILABLE", message: "the index is stopped" });
  await expect(index.flush()).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});

it("stops although it cannot note that it was well", async () => {
  const directory = path.join(scratch.path, "note");
  const { index, wait } = await waitedFor(directory);
  const note = path.join(directory, "unclean-opens");
  await rm(note);
  await mkdir(note);
  await index.stop();
  expect(await wait).toMatchObject({ code: "NOT_AVAILABLE", message: "the index is stopped" });
});
