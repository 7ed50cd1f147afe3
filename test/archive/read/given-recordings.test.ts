import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Archive, type ArchiveKey, type LmdbSegmentIndex, rebuildIndex } from "../../../src/archive/index.js";
import { RECORD_HEADER_BYTES } from "../../../src/archive/segment/segment-format.js";
import { type Guid, STREAM_TYPES, type StreamKey, SystemClock } from "../../../src/base/index.js";
import { NINE_US } from "../../support/api/api-frames.js";
import {
  append,
  patternBytes,
  readFrames,
  SILENT_LOG,
  temporaryDirectory,
} from "../../support/archive/archive-fixture.js";
import { openIndex } from "../../support/archive/index-harness.js";
import { guidOfNumber } from "../../support/archive/segment-fixtures.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { makeUnwritable } from "../../support/base/unwritable.js";

/** Recordings of a former camera that belong to another one, on a real index. Times are seconds after nine o'clock. */

const FRAME_US = 40_000;
const CAMERA = guidOfNumber(1, 8);
const FORMER = guidOfNumber(2, 8);
const OLDER = guidOfNumber(3, 8);
const OWN: ArchiveKey = { channelId: CAMERA, streamTypes: STREAM_TYPES };

const seconds = (us: number): number => Math.round((us - NINE_US) / 1000) / 1000;
const at = (second: number): number => NINE_US + Math.round(second * 1_000_000);
const main = (channelId: Guid): StreamKey => ({ channelId, streamType: "Main" });

let directory: { readonly path: string; readonly remove: () => void };
let index: LmdbSegmentIndex;
let archive: Archive;
/** What is configured. */
let names: Map<Guid, string>;

beforeEach(async () => {
  directory = temporaryDirectory();
  names = new Map([[CAMERA, "Gate"]]);
  await start();
});

afterEach(async () => {
  await stop();
  directory.remove();
});

/** A recorder of the data directory `name`, with the volumes of these boxes. */
async function start(name = "box", boxes: readonly string[] = [name]): Promise<void> {
  const dataDir = join(directory.path, name);
  index = await openIndex(join(dataDir, "index"), { commitIntervalMs: 20 });
  archive = new Archive({
    dataDir,
    volumes: boxes.map((box) => ({ path: volumeOf(box) })),
    index,
    startWaitMs: PATIENCE_MS,
    clock: new SystemClock(),
    log: SILENT_LOG,
    segmentSeconds: 2,
    tickMs: 10,
    syncIntervalMs: 30,
    channelNames: () => names,
  });
  await archive.start();
}

const volumeOf = (box: string): string => join(directory.path, box, "volume");

async function stop(): Promise<void> {
  await archive.stop();
  await index.stop();
}

/** A recording of `[fromS, toS)` that is over: a key frame a second. */
async function record(key: StreamKey, fromS: number, toS: number): Promise<void> {
  const writer = archive.writer(key);
  const count = Math.round((toS - fromS) * 25);
  for (let frame = 0; frame < count; frame++)
    append(writer, {
      decodeTimeUs: at(fromS) + frame * FRAME_US,
      bytes: patternBytes(200, frame),
      key: frame % 25 === 0,
      discontinuity: frame === 0,
    });
  await writer.end(at(toS));
}

const fragments = (key: ArchiveKey = OWN): [number, number][] =>
  archive.fragments(key, at(-1000), at(1000)).map(({ fromUs, toUs }) => [seconds(fromUs), seconds(toUs)]);

/** The seconds of the pictures from a moment on, as runs that begin with a gap or where time does not go on. */
async function read(key: ArchiveKey, fromS: number): Promise<[number, number][]> {
  const reader = archive.read(key, { fromUs: at(fromS), videoOnly: true, endsAtEdge: true });
  const runs: [number, number][] = [];
  for (const { decodeTimeUs } of await readFrames(reader, Number.POSITIVE_INFINITY)) {
    const second = seconds(decodeTimeUs);
    const last = runs.at(-1);
    if (last !== undefined && Math.abs(second - last[1] - 0.04) < 0.001) last[1] = second;
    else runs.push([second, second]);
  }
  return runs;
}

/** The pieces that an export is made of: the first and the last picture that it takes of each. */
async function exported(fromS: number, toS: number): Promise<[number, number][]> {
  const found: [number, number][] = [];
  for (const segment of archive.recorded(OWN, { fromUs: at(fromS), toUs: at(toS), pieceUsMin: 0 })) {
    const file = await archive.openRecorded(segment);
    for (const piece of segment.pieces) {
      const memory = new SharedArrayBuffer(piece.bytesMax + RECORD_HEADER_BYTES);
      const { frames } = await file.read(piece, file.start(piece), memory);
      const times = frames.map(({ decodeTimeUs }) => decodeTimeUs);
      const taken = times.filter((time) => time >= piece.fromUs && time < piece.toUs).map(seconds);
      found.push([taken[0] ?? 0, taken.at(-1) ?? 0]);
    }
    file.close();
  }
  return found;
}

/** What the other box recorded of the former camera, in an epoch of its own, on a disk that this box has adopted. */
async function recordElsewhere(epoch: number, times: readonly (readonly [number, number])[]): Promise<void> {
  await stop();
  mkdirSync(join(directory.path, "other"), { recursive: true });
  const kept = { formatVersion: 1, epoch, newestUs: 0, segmentId: 0 };
  writeFileSync(join(directory.path, "other", "archive.json"), JSON.stringify(kept));
  await start("other");
  for (const [fromS, toS] of times) await record(main(FORMER), fromS, toS);
  await stop();
  await start("box", ["box", "other"]);
  await archive.adoptVolume(volumeOf("other"));
  await rebuildIndex({ index, volumes: archive.volumeAccess(), log: SILENT_LOG });
}

describe("a camera that was given a former camera's recordings", () => {
  it("has them under its own id, before and between its own", async () => {
    await record(main(FORMER), 0, 4);
    await record(main(CAMERA), 10, 12);
    await archive.giveRecordings(FORMER, CAMERA);
    expect(fragments()).toEqual([
      [0, 4],
      [10, 12],
    ]);
    expect(fragments(main(CAMERA))).toEqual(fragments());
    expect(await read(OWN, 1)).toEqual([
      [1, 3.96],
      [10, 11.96],
    ]);
    expect([2, 5, 11].map((second) => archive.hasArchiveAt(OWN, at(second)))).toEqual([true, false, true]);
    expect(seconds(archive.nearestFrameUs(OWN, at(5)) ?? 0)).toBe(3);
  });

  it("has its own where both have a moment, and nothing twice", async () => {
    await record(main(FORMER), 0, 10);
    await record(main(CAMERA), 3, 6);
    await archive.giveRecordings(FORMER, CAMERA);
    expect(fragments()).toEqual([
      [0, 3],
      [3, 6],
      [6, 10],
    ]);
    expect(await read(OWN, 0)).toEqual([[0, 9.96]]);
    expect(await exported(2, 7)).toEqual([
      [2, 2.96],
      [3, 3.96],
      [4, 4.96],
      [5, 5.96],
      [6, 6.96],
    ]);
  });

  it("has of several former cameras what the one given first has, where it has nothing itself", async () => {
    await record(main(FORMER), 0, 6);
    await record(main(OLDER), 4, 10);
    await archive.giveRecordings(FORMER, CAMERA);
    await archive.giveRecordings(OLDER, CAMERA);
    expect(await read(OWN, 0)).toEqual([[0, 9.96]]);
    expect(archive.fragments(OWN, at(5), at(5.5)).map(({ toUs }) => seconds(toUs))).toEqual([6]);
  });

  it("has all of a former camera that had been given another one's", async () => {
    await record(main(OLDER), 0, 2);
    await record(main(FORMER), 3, 5);
    await archive.giveRecordings(OLDER, FORMER);
    await archive.giveRecordings(FORMER, CAMERA);
    expect(await read(OWN, 0)).toEqual([
      [0, 1.96],
      [3, 4.96],
    ]);
  });

  it("reads on from a former camera's last recording to what it records itself from now on", async () => {
    await record(main(FORMER), 0, 2);
    await archive.giveRecordings(FORMER, CAMERA);
    const reader = archive.read(OWN, { fromUs: at(0), videoOnly: true });
    await readFrames(reader, 50);
    const next = readFrames(reader, 1);
    await record(main(CAMERA), 5, 6);
    expect((await next).map(({ decodeTimeUs }) => seconds(decodeTimeUs))[0]).toBe(5);
    reader.close();
  });

  it.each([0, 3])(
    "has those of another box in the order of time, recorded there in epoch %d",
    async (epoch) => {
      await record(main(CAMERA), 0, 2);
      await record(main(CAMERA), 8, 12);
      await recordElsewhere(epoch, [
        [4, 6],
        [10, 14],
      ]);
      await archive.giveRecordings(FORMER, CAMERA);
      expect(fragments()).toEqual([
        [0, 2],
        [4, 6],
        [8, 12],
        [12, 14],
      ]);
      expect(await read(OWN, 0)).toEqual([
        [0, 1.96],
        [4, 5.96],
        [8, 13.96],
      ]);
      expect(await exported(5, 9)).toEqual([
        [5, 5.96],
        [8, 8.96],
      ]);
    },
  );

  it.each([4.2, 7])("plays from second %d alone what it plays from the beginning", async (second) => {
    await record(main(CAMERA), 0, 2);
    await record(main(CAMERA), 8, 12);
    await recordElsewhere(7, [[4, 6]]);
    await archive.giveRecordings(FORMER, CAMERA);
    const [first] = await read(OWN, second);
    expect(first).toEqual(second < 6 ? [Math.floor(second), 5.96] : [8, 11.96]);
  });

  it("is notified of them, when they come and when some are removed", async () => {
    await record(main(FORMER), 0, 2);
    const changed: (Guid | undefined)[] = [];
    archive.onChange((change) => changed.push(change?.key.channelId));
    await archive.giveRecordings(FORMER, CAMERA);
    await index.flush();
    await index.remove(index.oldest(1));
    expect(changed).toEqual([undefined, CAMERA]);
    expect(fragments()).toEqual([]);
  });

  it("keeps no day in the index, which would not know of a change of theirs", async () => {
    const day = Math.floor(NINE_US / 86_400_000_000);
    const kept = { runs: [{ fromUs: at(0), toUs: at(2) }], sound: [], keyFrames: [], fromCamera: [] };
    await record(main(CAMERA), 0, 2);
    archive.keepDay(main(CAMERA), day, kept);
    expect(archive.keptDay(main(CAMERA), day)).toEqual(kept);
    await archive.giveRecordings(FORMER, CAMERA);
    expect(archive.keptDay(main(CAMERA), day)).toBeUndefined();
  });

  it("has them after a restart", async () => {
    await record(main(FORMER), 0, 2);
    await archive.giveRecordings(FORMER, CAMERA);
    await stop();
    await start();
    expect(fragments()).toEqual([[0, 2]]);
    expect(archive.givenRecordings()).toEqual([{ formerId: FORMER, channelId: CAMERA }]);
  });

  it("has them no more when they are taken back; the former camera has them as they were", async () => {
    await record(main(FORMER), 0, 2);
    await record(main(CAMERA), 4, 6);
    await archive.giveRecordings(FORMER, CAMERA);
    expect([archive.hasChannel(FORMER), archive.hasChannel(CAMERA)]).toEqual([false, true]);
    await archive.takeBackRecordings(FORMER);
    expect([archive.hasChannel(FORMER), archive.hasChannel(CAMERA)]).toEqual([true, true]);
    expect([fragments(), fragments(main(FORMER))]).toEqual([[[4, 6]], [[0, 2]]]);
  });

  it("leaves them to the former camera where that is set up again", async () => {
    await record(main(FORMER), 0, 2);
    await archive.giveRecordings(FORMER, CAMERA);
    names.set(FORMER, "Yard");
    expect([fragments(), fragments(main(FORMER))]).toEqual([[], [[0, 2]]]);
    expect(archive.givenRecordings()).toEqual([]);
  });

  it("goes with them when its recordings are deleted", async () => {
    await record(main(FORMER), 0, 2);
    await record(main(CAMERA), 4, 6);
    await archive.giveRecordings(FORMER, CAMERA);
    await archive.deleteChannel(CAMERA);
    await expect.poll(() => fragments(), { timeout: PATIENCE_MS }).toEqual([]);
    expect(archive.given.list()).toEqual([]);
    expect(archive.recordedChannels()).toEqual([]);
  });
});

describe("what was given to whom", () => {
  const file = () => join(directory.path, "box", "given-recordings.json");

  it("is known by its copy where the file is damaged", async () => {
    await archive.giveRecordings(FORMER, CAMERA);
    await stop();
    writeFileSync(file(), "{");
    await start();
    expect(archive.given.list()).toEqual([{ formerId: FORMER, channelId: CAMERA }]);
  });

  it("is forgotten where both are damaged: nothing that was recorded is lost", async () => {
    await record(main(FORMER), 0, 2);
    await archive.giveRecordings(FORMER, CAMERA);
    await stop();
    for (const copy of [file(), `${file()}.copy`]) writeFileSync(copy, "{");
    await start();
    expect([fragments(), fragments(main(FORMER))]).toEqual([[], [[0, 2]]]);
  });

  it("is not changed where the change cannot be stored", async () => {
    const giveBack = makeUnwritable(dirname(file()));
    await expect(archive.giveRecordings(FORMER, CAMERA)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    giveBack();
    expect(archive.givenRecordings()).toEqual([]);
  });
});
