import { expect, it } from "vitest";
import { startArchive, temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";

class OpeningIndex extends MemorySegmentIndex {
  ready = false;
  failure: string | undefined;

  override status() {
    return { ready: this.ready, failure: this.failure };
  }
}

it("an archive says that what was recorded before the start is not known, until its index is open", async () => {
  const directory = temporaryDirectory();
  const index = new OpeningIndex();
  const { archive } = await startArchive(directory.path, { index });
  expect(archive.indexFault()).toBe("the index of recordings is being opened");
  index.failure = "its disk has 3 bytes left";
  // The log says which disk: what a user reads names no paths.
  expect(archive.indexFault()).toBe("the index of recordings cannot be opened: GET /api/health says why");
  index.ready = true;
  expect(archive.indexFault()).toBeUndefined();
  await archive.stop();
  directory.remove();
});
