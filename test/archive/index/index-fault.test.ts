import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StartVolumeThread } from "../../../src/archive/disk/volume-thread.js";
import type { Archive, ArchiveOptions } from "../../../src/archive/index.js";
import { openSegmentPath } from "../../../src/archive/segment/segment-summary.js";
import { CLOCK_KNOWN, type Guid, newGuid } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  startArchive,
  temporaryDirectory,
} from "../../support/archive/archive-fixture.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { segmentBytes } from "../../support/archive/segment-bytes.js";
import { REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const SECOND_US = 1_000_000;

class OpeningIndex extends MemorySegmentIndex {
  ready = false;
  failure: string | undefined;
  whole = true;

  override isWhole(): boolean {
    return this.whole;
  }

  override status() {
    return { ready: this.ready, failure: this.failure };
  }
}

/** What an archive says of earlier recordings until it knows all of them. */
describe("an archive whose recordings are not all known", () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let index: OpeningIndex;
  let running: Archive | undefined;

  beforeEach(() => {
    directory = temporaryDirectory();
    index = new OpeningIndex();
  });

  afterEach(async () => {
    await running?.stop();
    directory.remove();
  });

  async function start(options: Omit<Partial<ArchiveOptions>, "index"> = {}): Promise<Archive> {
    await running?.stop();
    running = (await startArchive(directory.path, { index, ...options })).archive;
    return running;
  }

  /** A run that records, and ends. */
  async function recordedBefore(): Promise<number> {
    const archive = await start();
    const writer = archive.writer(newStreamKey());
    const fromUs = Date.now() * 1000;
    for (let at = 0; at < 10; at++)
      append(writer, { decodeTimeUs: fromUs + at * 1000, key: at === 0, bytes: new Uint8Array(100) });
    await archive.stop();
    running = undefined;
    return fromUs;
  }

  it("says why, until its index is open", async () => {
    const archive = await start();
    expect(archive.indexFault()).toBe("the index of recordings is being opened");
    index.failure = "its disk has 3 bytes left";
    // The log says which disk: what a user reads names no paths.
    expect(archive.indexFault()).toBe("the index of recordings cannot be opened: GET /api/health says why");
    index.ready = true;
    expect(archive.indexFault()).toBeUndefined();
  });

  it("knows what was recorded since its start", async () => {
    const beforeUs = await recordedBefore();
    const archive = await start();
    expect(archive.indexFault(beforeUs)).toBe("the index of recordings is being opened");
    expect(archive.indexFault(Date.now() * 1000 + SECOND_US)).toBeUndefined();
  });

  it("knows it where a full disk did not keep when the run before ended", async () => {
    const beforeUs = await recordedBefore();
    rmSync(join(directory.path, "data", "archive.json"), { force: true });
    const archive = await start();
    expect(archive.indexFault(beforeUs)).toBe("the index of recordings is being opened");
    expect(archive.indexFault(Date.now() * 1000 + SECOND_US)).toBeUndefined();
  });

  it("does not know it where the clock was set back since", async () => {
    await recordedBefore();
    const clock = new ManualClock((Date.now() - 3_600_000) * 1000);
    const archive = await start({ clock });
    expect(archive.indexFault(clock.nowUs() + SECOND_US)).toBe("the index of recordings is being opened");
  });

  it("does not know it where the clock is not known", async () => {
    await recordedBefore();
    const knowledge = { ...CLOCK_KNOWN, isKnown: false, knownBy: undefined, provisionalOffsetUs: 0 };
    const archive = await start({ knowledge });
    expect(archive.indexFault(Date.now() * 1000 + SECOND_US)).toBe("the index of recordings is being opened");
  });

  /** With recordings of a run before; `readIn`: all volumes are read into the index from now on. */
  async function startReadingIn() {
    await recordedBefore();
    index.ready = true;
    const toRead = new Set<Guid>();
    const archive = await start({ isReadIn: (id) => toRead.has(id) });
    const readIn = () => {
      for (const { id } of archive.volumeAccess()) toRead.add(id);
    };
    return { archive, readIn };
  }

  it("says that a volume is being read into the index", async () => {
    const { archive, readIn } = await startReadingIn();
    expect(archive.indexFault()).toBeUndefined();
    readIn();
    expect(archive.indexFault()).toBe("recordings are being read into the index");
    expect(archive.indexFault(Date.now() * 1000 + SECOND_US)).toBeUndefined();
  });

  it("says so of a volume that takes nothing new meanwhile", async () => {
    await recordedBefore();
    index.ready = true;
    const archive = await start({ isReadIn: () => true });
    for (const { writer } of archive.volumeAccess()) writer?.shun("its disk has not answered");
    expect(archive.indexFault()).toBe("recordings are being read into the index");
  });

  it("says that a volume is being opened, however long that takes", async () => {
    await recordedBefore();
    index.ready = true;
    const disk = new HeldRequests("identify");
    const archive = await start({ startThread: disk.start, startWaitMs: 0 });
    expect(archive.indexFault()).toBe("volumes are being opened");
    expect(archive.indexFault(Date.now() * 1000 + SECOND_US)).toBeUndefined();
    disk.release();
    await expect.poll(() => archive.indexFault()).toBeUndefined();
    expect(archive.volumeAccess()).toHaveLength(1);
  });

  it("waits for no volume that was refused, and for none that is tried again", async () => {
    index.ready = true;
    const missing = { path: join(directory.path, "not mounted"), mount: true };
    const archive = await start({ volumes: [{ path: join(directory.path, "volume") }, missing] });
    expect(archive.absentVolumes()).toHaveLength(1);
    expect(archive.indexFault()).toBeUndefined();
    const adopted = archive.adoptVolume(missing.path);
    expect(archive.indexFault()).toBeUndefined();
    await expect(adopted).rejects.toMatchObject({ code: "VOLUME_REFUSED" });
  });

  it("says that it lacks recordings of a volume that could not be read, once nothing more is to come of it", async () => {
    const { archive, readIn } = await startReadingIn();
    expect(archive.indexLack()).toBeUndefined();
    index.whole = false;
    expect(archive.indexLack()).toBe("recordings of a volume could not be read: GET /api/health says more");
    expect(archive.indexFault()).toBeUndefined();
    readIn();
    expect(archive.indexLack()).toBeUndefined();
  });

  it("says that a crash's last recordings are being read into the index", async () => {
    index.ready = true;
    const first = await start();
    const volumeId = first.volumeAccess()[0]?.id ?? newGuid();
    const segmentId = Date.now() * 1000;
    const bytes = segmentBytes(20, { segmentId, volumeId }).closed;
    writeFileSync(join(directory.path, "volume", openSegmentPath({ key: newStreamKey(), segmentId })), bytes);
    const disk = new HeldRequests("recover");
    const archive = await start({ startThread: disk.start });
    expect(archive.indexFault()).toBe("recordings are being read into the index");
    disk.release();
    await archive.recovered();
    expect(archive.indexFault()).toBeUndefined();
  });
});

/** The threads of a volume that does not get to one kind of work until a test lets it. */
class HeldRequests {
  readonly #op: string;
  #isHolding = true;
  readonly #held: (() => void)[] = [];

  constructor(op: "identify" | "recover") {
    this.#op = op;
  }

  release(): void {
    this.#isHolding = false;
    for (const deliver of this.#held.splice(0)) deliver();
  }

  readonly start: StartVolumeThread = (start) => {
    const thread = threadsOnDisk(REAL_DISK)(start);
    return {
      ...thread,
      postMessage: (message) => {
        const deliver = () => thread.postMessage(message);
        if (this.#isHolding && opOf(message) === this.#op) this.#held.push(deliver);
        else deliver();
      },
    };
  };
}

/** Requests to the reader carry theirs inside. */
function opOf(message: unknown): string | undefined {
  const { op, request } = message as { readonly op?: string; readonly request?: { readonly op?: string } };
  return op ?? request?.op;
}
