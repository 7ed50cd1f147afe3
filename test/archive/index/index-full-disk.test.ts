import { readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ArchiveNotice, LmdbSegmentIndex } from "../../../src/archive/index.js";
import { newGuid } from "../../../src/base/index.js";
import { GreedyFile } from "../../support/archive/greedy-file.js";
import { openIndex, SILENT_LOG } from "../../support/archive/index-harness.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";

const DISK_BYTES = 16 * 1024 * 1024;
const RETRY_MS = 10_000;
const VOLUME_ID = newGuid();
const missing = loopMountMissing("tmpfs");

let directory: TemporaryDirectory;
let disk: LoopMount | undefined;
let greedy: GreedyFile;
const indexPath = () => path.join(disk?.mountPoint ?? "", "index");

beforeAll(async () => {
  if (missing !== undefined) return;
  directory = new TemporaryDirectory("index-full-disk");
  disk = LoopMount.mount("tmpfs", directory.path, DISK_BYTES);
  greedy = new GreedyFile(disk.mountPoint);
  const index = await openIndex(indexPath(), { reserveBytes: 0 });
  await index.rebuilt([VOLUME_ID]);
  await index.stop();
  greedy.take();
});

afterAll(() => {
  disk?.remove();
  directory?.remove();
});

describe.skipIf(missing !== undefined)(
  `an index whose disk is full when it is opened${notHere(missing)}`,
  () => {
    it("is refused and left as it is: a full disk is no damage", async () => {
      const index = new LmdbSegmentIndex({
        directory: indexPath(),
        clock: new ManualClock(),
        log: SILENT_LOG,
      });
      index.start();
      await expect(index.opened()).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
      await index.stop();
      expect(readdirSync(disk?.mountPoint ?? "").filter((name) => name.startsWith("index"))).toEqual([
        "index",
      ]);
    });

    it("is tried again until there is room, said once, and has what it had", async () => {
      const clock = new ManualClock();
      const notices: ArchiveNotice["kind"][] = [];
      const index = new LmdbSegmentIndex({
        directory: indexPath(),
        clock,
        log: SILENT_LOG,
        reserveBytes: 0,
        notice: ({ kind }) => notices.push(kind),
      });
      index.start();
      await expect.poll(() => notices).toEqual(["index-failing"]);
      clock.advance(2 * RETRY_MS);
      greedy.remove();
      // The walk has a minute of this clock: it must not pass while the walk is under way.
      const open = () => {
        if (!index.status().ready) clock.advance(RETRY_MS);
        return index.status().ready;
      };
      await expect.poll(open, { interval: 4000 }).toBe(true);
      expect(index.isWhole(VOLUME_ID)).toBe(true);
      await expect.poll(() => notices).toEqual(["index-failing", "index-works"]);
      await index.stop();
    });

    it("can be stopped while it is tried", async () => {
      greedy.take();
      const notices: ArchiveNotice["kind"][] = [];
      const index = new LmdbSegmentIndex({
        directory: indexPath(),
        clock: new ManualClock(),
        log: SILENT_LOG,
        notice: ({ kind }) => notices.push(kind),
      });
      index.start();
      await expect.poll(() => notices).toEqual(["index-failing"]);
      await index.stop();
      expect(index.status().ready).toBe(false);
    });
  },
);
