import { mkdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { THREAD_START_MS_MAX } from "../../../src/archive/disk/thread-starts.js";
import type { IdentifyResult } from "../../../src/archive/disk/volume-messages.js";
import { VolumeThreads } from "../../../src/archive/volume/volume-threads.js";
import { newGuid } from "../../../src/base/index.js";
import { SILENT_LOG } from "../../support/archive/archive-fixture.js";
import {
  HangingThreads,
  LoadingThreads,
  REAL_DISK,
  threadsOnDisk,
} from "../../support/archive/volume-threads.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const DISK_MS = 10_000;

let files: TemporaryDirectory;
let clock: ManualClock;
let threads: VolumeThreads;
let loading: LoadingThreads;
let hanging: HangingThreads;
let expectsStreams: boolean;
let roles: string[];

beforeEach(() => {
  files = new TemporaryDirectory("thread-start");
  mkdirSync(files.join("volume"));
  clock = new ManualClock();
  roles = [];
  hanging = new HangingThreads(threadsOnDisk(REAL_DISK));
  loading = new LoadingThreads(hanging.start);
  expectsStreams = true;
  makeThreads();
});

function makeThreads(): void {
  threads = new VolumeThreads({
    directory: files.join("volume"),
    startThread: (start) => {
      roles.push(start.role);
      return loading.start(start);
    },
    expectsStreams: () => expectsStreams,
    listener: { onReadable: () => undefined, onClosed: () => undefined, onFailed: () => undefined },
    health: { onSegmentFailure: () => undefined, onSuccess: () => undefined },
    onFailure: () => undefined,
    clock,
    log: SILENT_LOG,
    tickMs: 100,
    syncIntervalMs: 1000,
    heldBytesMax: 1024 * 1024,
  });
}

afterEach(async () => {
  await threads.terminate();
  files.remove();
});

function identify(): Promise<IdentifyResult> {
  const request = {
    knownId: undefined,
    freshId: newGuid(),
    ownIds: [],
    takesUnknown: true,
    mustBeMounted: false,
    wasMounted: false,
    probes: false,
    nowUs: clock.nowUs(),
  };
  const identified = threads.identify(request, DISK_MS);
  // A test that waits for the clock first is no stray rejection.
  identified.catch(() => undefined);
  return identified;
}

it("does not take the time that threads need to load for silence of the disk", async () => {
  const identified = identify();
  clock.advance(THREAD_START_MS_MAX - 1);
  loading.finish();
  expect((await identified).created).toBe(true);
});

it("gives a disk its ordinary time once the threads have loaded", async () => {
  hanging.hang(files.join("volume"), "reader");
  const identified = identify();
  clock.advance(THREAD_START_MS_MAX - 1);
  loading.finish();
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  clock.advance(DISK_MS);
  await expect(identified).rejects.toThrow(`does not answer for ${DISK_MS} ms`);
});

it("gives up threads that do not load", async () => {
  const identified = identify();
  clock.advance(THREAD_START_MS_MAX);
  await expect(identified).rejects.toThrow(`its threads did not start within ${THREAD_START_MS_MAX} ms`);
});

it("stops waiting for threads when the volume is given up", async () => {
  const identified = identify();
  threads.failRequests("stopped");
  await expect(identified).rejects.toThrow("stopped");
});

it("starts the writer with the first stream where none is expected", async () => {
  await threads.terminate();
  roles = [];
  expectsStreams = false;
  makeThreads();
  const identified = identify();
  loading.finish();
  expect((await identified).created).toBe(true);
  expect(roles).toEqual(["reader"]);
  threads.writer.addSource({ fill: () => true, onVolumeLost: () => undefined, moveAway: () => undefined });
  expect(roles).toEqual(["reader", "writer", "syncer"]);
});
