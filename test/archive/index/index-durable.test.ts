// Own process: it puts another module in the place of lmdb.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { Archive, type LmdbSegmentIndex } from "../../../src/archive/index.js";
import { SystemClock } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  SILENT_LOG,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { openIndex } from "../../support/archive/index-harness.js";
import { segmentOf } from "../../support/archive/segment-fixtures.js";
import { PATIENCE_MS } from "../../support/base/patience.js";

/** lmdb with its disk in the test's hands: a put resolves at once, `flushed` when the test says so. */
const lmdb = vi.hoisted(() => {
  const waiting: (() => void)[] = [];
  const state = { isHeld: false, puts: 0 };
  const flushed = {
    // biome-ignore lint/suspicious/noThenProperty: lmdb's `flushed` is a thenable too.
    then(resolve: () => void): void {
      if (state.isHeld) waiting.push(resolve);
      else resolve();
    },
  };
  function release(): void {
    state.isHeld = false;
    for (const resolve of waiting.splice(0)) resolve();
  }
  return { state, flushed, release, waiting };
});

vi.mock("../../../src/kept/lmdb/library.js", () => {
  function table() {
    const rows = new Map<string, { key: Buffer; value: Buffer }>();
    return {
      get: (key: Buffer) => rows.get(key.toString("latin1"))?.value,
      put: (key: Buffer, value: Buffer) => {
        lmdb.state.puts += 1;
        rows.set(key.toString("latin1"), { key, value });
        return Promise.resolve(true);
      },
      remove: (key: Buffer) => Promise.resolve(rows.delete(key.toString("latin1"))),
      *getRange({ start, end, reverse = false }: { start: Buffer; end: Buffer; reverse?: boolean }) {
        const [low, high] = reverse ? [end, start] : [start, end];
        const names = [...rows.keys()].sort();
        if (reverse) names.reverse();
        for (const name of names) {
          const row = rows.get(name);
          if (row !== undefined && row.key.compare(low) >= 0 && row.key.compare(high) <= 0) yield row;
        }
      },
      getStats: () => ({ entryCount: rows.size }),
    };
  }
  return {
    openLmdb: () => ({
      openDB: () => table(),
      flushed: lmdb.flushed,
      resetReadTxn: () => undefined,
      close: () => Promise.resolve(),
    }),
  };
});

let index: LmdbSegmentIndex;
let archive: Archive | undefined;

afterEach(async () => {
  lmdb.release();
  await archive?.stop();
  archive = undefined;
  await index.stop();
});

test("a segment is durable when lmdb has flushed it, not when its put has resolved", async () => {
  const directory = temporaryDirectory();
  index = await openIndex(join(directory.path, "index"));
  await index.flush();
  const notified: number[] = [];
  index.onCommitted((files) => notified.push(...files.map(({ segmentId }) => segmentId)));
  lmdb.state.isHeld = true;
  const before = lmdb.state.puts;
  index.add(segmentOf());
  let isFlushed = false;
  const flushed = index.flush().then(() => {
    isFlushed = true;
  });
  await until(() => lmdb.state.puts > before && lmdb.waiting.length > 0, "the puts to be made");
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect({ notified, isFlushed, isDurable: index.isDurable(segmentOf().segmentId) }).toEqual({
    notified: [],
    isFlushed: false,
    isDurable: false,
  });
  expect(index.oldest(10)).toEqual([]);
  lmdb.release();
  await flushed;
  expect(notified).toEqual([segmentOf().segmentId]);
  expect(index.isDurable(segmentOf().segmentId)).toBe(true);
  directory.remove();
});

test("a file leaves open/ when lmdb has flushed its record, and not before", async () => {
  const directory = temporaryDirectory();
  index = await openIndex(join(directory.path, "index"), { commitIntervalMs: 20 });
  const volume = join(directory.path, "volume");
  archive = new Archive({
    dataDir: directory.path,
    volumes: [{ path: volume }],
    index,
    startWaitMs: PATIENCE_MS,
    clock: new SystemClock(),
    log: SILENT_LOG,
    tickMs: 10,
    syncIntervalMs: 30,
  });
  await archive.start();
  lmdb.state.isHeld = true;
  const key = newStreamKey();
  append(archive.writer(key), { decodeTimeUs: Date.now() * 1000, bytes: patternBytes(500, 1), key: true });
  await archive.writer(key).end();
  await until(() => lmdb.waiting.length > 0, "the record to be put");
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(readdirSync(join(volume, "open"))).toHaveLength(1);
  lmdb.release();
  await until(() => readdirSync(join(volume, "open")).length === 0, "the file to leave open/");
  expect(readdirSync(join(volume, "streams"))).toEqual([key.channelId]);
  directory.remove();
});
