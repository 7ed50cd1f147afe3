import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { ChannelRemoval } from "../../../src/archive/retention/channel-removal.js";
import { type StreamKey, SystemClock } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { openIndex, SILENT_LOG } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import {
  fragmentOf,
  guidOfNumber,
  openSegmentOf,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { makeUnwritable } from "../../support/base/unwritable.js";

/** Channels of streams 1 and 2 of the fixtures. */
const GONE = guidOfNumber(1, 1);
const KEPT = guidOfNumber(2, 1);

let directory: { readonly path: string; remove(): void };
let index: LmdbSegmentIndex;
let volume: MemoryVolume;
let allIndexed: boolean;
const removals: ChannelRemoval[] = [];

beforeEach(async () => {
  directory = temporaryDirectory();
  index = await openIndex(join(directory.path, "index"));
  volume = new MemoryVolume(volumeOfNumber(1));
  allIndexed = true;
});

afterEach(async () => {
  for (const removal of removals.splice(0)) await removal.stop();
  await index.stop();
  directory.remove();
});

function start(): ChannelRemoval {
  const removal = new ChannelRemoval({
    dataDir: directory.path,
    index,
    allIndexed: () => allIndexed,
    newestSegmentId: () => 0,
    clock: new SystemClock(),
    log: SILENT_LOG,
  });
  removals.push(removal);
  removal.start();
  return removal;
}

function record(stream: number, count: number): void {
  for (const segment of fragmentOf(count, { stream, fragment: stream })) {
    index.add(segment);
    volume.put(segment);
  }
}

/** The files go with retention's turn, which unlinks what is noted. */
async function unlinkNoted(): Promise<void> {
  const { retention } = makeRetention({ index, volumes: [volume], directory: directory.path });
  await retention.turn();
}

const filesOf = (key: StreamKey): number =>
  [...volume.files.values()].filter((file) => file.key.channelId === key.channelId).length;

describe("removing a channel's recordings", () => {
  test("takes all its segments out of the index, then its files, and leaves other channels", async () => {
    record(1, 600);
    record(2, 10);
    const removal = start();
    await removal.remove(GONE);
    await until(() => index.newest(streamOfNumber(1)) === undefined, "the index to forget the channel");
    expect(filesOf(streamOfNumber(1))).toBe(600);
    await unlinkNoted();
    expect(filesOf(streamOfNumber(1))).toBe(0);
    expect([filesOf(streamOfNumber(2)), index.streams()]).toEqual([10, [streamOfNumber(2)]]);
    await until(() => removal.pending.length === 0, "the removal to be done");
    expect(index.newest({ channelId: KEPT, streamType: "Main" })).toBeDefined();
  });

  test("goes on after a restart, also when the service died right after it was asked for", async () => {
    record(1, 5);
    const first = start();
    const asked = first.remove(GONE);
    await asked;
    await first.stop();
    expect(JSON.parse(readFileSync(join(directory.path, "channel-removals.json"), "utf8"))).toEqual({
      formatVersion: 1,
      removals: { [GONE]: expect.any(Number) },
    });
    const second = start();
    expect(second.pending).toEqual([GONE]);
    await until(() => index.newest(streamOfNumber(1)) === undefined, "the index to forget the channel");
    await unlinkNoted();
    await until(() => second.pending.length === 0, "the removal to be done");
    expect(filesOf(streamOfNumber(1))).toBe(0);
    await second.stop();
    expect(start().pending).toEqual([]);
  });

  test("waits for the segment that is still being written, and takes it when it is closed", async () => {
    record(1, 2);
    const open = openSegmentOf({ stream: 1, fragment: 9, fromUs: segmentOf().fromUs + 3_600_000_000 });
    index.trackOpen(open);
    const removal = start();
    await removal.remove(GONE);
    await until(() => index.newest(streamOfNumber(1))?.segmentId === open.segmentId, "the closed ones to go");
    expect(removal.pending).toEqual([GONE]);
    const { readableBytes: _open, ...closed } = open;
    index.add(closed);
    await until(() => index.newest(streamOfNumber(1)) === undefined, "the last segment to go");
  });

  test("leaves what the channel records after it was asked for", async () => {
    record(1, 3);
    const removal = start();
    await removal.remove(GONE);
    const later = segmentOf({ stream: 1, fragment: 7, fromUs: new SystemClock().nowUs() + 60_000_000 });
    index.add(later);
    await until(() => index.seek(streamOfNumber(1), 0)?.segmentId === later.segmentId, "the old ones to go");
    await unlinkNoted();
    await until(() => removal.pending.length === 0, "the removal to be done");
    expect(index.newest(streamOfNumber(1))?.segmentId).toBe(later.segmentId);
  });

  test("takes segments of every epoch", async () => {
    for (const [at, epoch] of [0, 1, 2].entries()) {
      index.add(segmentOf({ stream: 1, fragment: 1 + at, epoch, segmentId: 1000 + at }));
    }
    await start().remove(GONE);
    await until(
      () => index.newest(streamOfNumber(1)) === undefined,
      "all epochs to go",
      () => index.newest(streamOfNumber(1)),
    );
  });

  test("is not done while a file cannot be unlinked, or the index is being read from the disks", async () => {
    record(1, 2);
    allIndexed = false;
    const removal = start();
    await removal.remove(GONE);
    await until(() => index.newest(streamOfNumber(1)) === undefined, "the index to forget the channel");
    await unlinkNoted();
    // A segment that the rebuild finds only now is of the channel too.
    const found = segmentOf({ stream: 1, fragment: 5, fromUs: segmentOf().fromUs + 7_200_000_000 });
    index.add(found);
    await until(() => index.newest(streamOfNumber(1)) === undefined, "what the rebuild found to go");
    expect(removal.pending).toEqual([GONE]);
    allIndexed = true;
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(removal.pending).toEqual([GONE]);
    await unlinkNoted();
    await until(() => removal.pending.length === 0, "the removal to be done");
  });

  test("is not done before a crash's open segments are in the index, and takes those too", async () => {
    record(1, 2);
    allIndexed = false;
    const removal = start();
    await removal.remove(GONE);
    await until(
      () => index.newest(streamOfNumber(1)) === undefined,
      "the index to forget the channel",
      () => index.newest(streamOfNumber(1)),
    );
    await unlinkNoted();
    index.add(segmentOf({ stream: 1, fragment: 5, fromUs: segmentOf().fromUs + 7_200_000_000 }));
    allIndexed = true;
    await until(
      () => index.newest(streamOfNumber(1)) === undefined,
      "the recovered one to go",
      () => index.newest(streamOfNumber(1)),
    );
    await unlinkNoted();
    await until(
      () => removal.pending.length === 0,
      "the removal to be done",
      () => removal.pending.length,
    );
  });

  test("is refused when it cannot be noted, and nothing goes", async () => {
    record(1, 2);
    const removal = start();
    const giveBack = makeUnwritable(directory.path);
    await expect(removal.remove(GONE)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    giveBack();
    expect(removal.pending).toEqual([]);
    expect(index.newest(streamOfNumber(1))).toBeDefined();
  });

  test("starts without a word that can be read: nothing goes", async () => {
    writeFileSync(join(directory.path, "channel-removals.json"), '{"removals":{"x":1}}');
    expect(start().pending).toEqual([]);
  });
});

test("the archive removes a channel's files while others record on", async () => {
  const { archive, volumePath } = await startArchive(directory.path, { index: index as never });
  const [gone, kept] = [newStreamKey(), newStreamKey()];
  try {
    for (const key of [gone, kept]) {
      const writer = archive.writer(key);
      for (let frame = 0; frame < 5; frame += 1) {
        append(writer, {
          decodeTimeUs: segmentOf().fromUs + frame * 40_000,
          key: frame === 0,
          bytes: patternBytes(500, frame),
        });
      }
      await writer.end();
    }
    expect(archive.hasChannel(gone.channelId)).toBe(true);
    await archive.deleteChannel(gone.channelId);
    await until(() => !archive.hasChannel(gone.channelId), "the channel to be gone");
    const { retention } = makeRetention({
      index,
      volumes: archive.volumeAccess(),
      directory: directory.path,
    });
    await retention.turn();
    const files = readdirSync(volumePath, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".seg"),
    );
    expect(files).toHaveLength(1);
    expect(files[0]).toContain(kept.channelId);
    expect(archive.hasChannel(kept.channelId)).toBe(true);
  } finally {
    await archive.stop();
  }
});
