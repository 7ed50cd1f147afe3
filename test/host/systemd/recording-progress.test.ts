import { describe, expect, it } from "vitest";
import type { OverloadCounters } from "../../../src/archive/index.js";
import { RecordingProgress, STUCK_AFTER_MS } from "../../../src/service/part/record/recording-progress.js";

const CHANNEL_ID = "22222222-0000-4000-8000-000000000001";
const VOLUME_ID = "33333333-0000-4000-8000-000000000001";
const LOOK_MS = 5000;

type Counters = OverloadCounters["volumes"][number];

/** A recorder of one camera and one volume, to be changed by a test. */
class Bench {
  nowMs = 0;
  isRecording = true;
  volume: { -readonly [Name in keyof Counters]: Counters[Name] } = {
    directory: "/srv/a",
    volumeId: VOLUME_ID,
    usable: true,
    isRetired: false,
    streams: 1,
    heldBytes: 0,
    heldBytesMax: 1,
    level: 0,
    writeStallMs: 0,
    syncStallMs: 0,
    bytesPerSecond: 0,
    freeBytes: 1e12,
    writtenBytes: 0,
    segmentsFailed: 0,
  };
  readonly #progress = new RecordingProgress({
    archive: {
      overload: () => ({
        volumes: [this.volume],
        streams: [
          {
            key: { channelId: CHANNEL_ID, streamType: "Main" },
            volumeId: VOLUME_ID,
            framesThinned: 0,
            framesDropped: 0,
            thinning: false,
            dropping: false,
          },
        ],
      }),
    },
    recording: { state: () => ({ isRecording: this.isRecording }) },
    clock: { monotonicUs: () => this.nowMs * 1000 },
  });

  /** Lets time pass, looking as the service does; answers whether recording ever counted as stuck. */
  pass(ms: number, bytesALook = 0): boolean {
    let stuck = false;
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; this.nowMs += LOOK_MS) {
      this.volume.writtenBytes += bytesALook;
      if (this.#progress.stuckReason() !== undefined) stuck = true;
    }
    return stuck;
  }
}

const LONG_MS = 3 * STUCK_AFTER_MS;

describe("recording makes progress", () => {
  it("as long as the volume is written", () => {
    expect(new Bench().pass(LONG_MS, 1000)).toBe(false);
  });

  it("no more, when frames come and the volume that answers is not written for a minute", () => {
    const bench = new Bench();
    bench.pass(LOOK_MS * 4, 1000);
    expect(bench.pass(STUCK_AFTER_MS - LOOK_MS)).toBe(false);
    expect(bench.pass(2 * LOOK_MS)).toBe(true);
  });

  it("again, as soon as it is written", () => {
    const bench = new Bench();
    bench.pass(LOOK_MS * 4, 1000);
    expect(bench.pass(LONG_MS)).toBe(true);
    expect(bench.pass(LOOK_MS, 1000)).toBe(false);
  });

  it("while the camera is lost", () => {
    const bench = new Bench();
    bench.pass(LOOK_MS * 4, 1000);
    bench.isRecording = false;
    expect(bench.pass(LONG_MS)).toBe(false);
  });

  it("while the disk hangs", () => {
    const bench = new Bench();
    bench.pass(LOOK_MS * 4, 1000);
    bench.volume.syncStallMs = 60_000;
    expect(bench.pass(LONG_MS)).toBe(false);
  });

  it("while the volume is left out", () => {
    const bench = new Bench();
    bench.pass(LOOK_MS * 4, 1000);
    bench.volume.usable = false;
    expect(bench.pass(LONG_MS)).toBe(false);
  });

  it("where nothing was ever written since the start, so that a lasting fault makes no loop of starts", () => {
    expect(new Bench().pass(LONG_MS)).toBe(false);
  });

  it("when the counter begins anew with the volume's threads", () => {
    const bench = new Bench();
    bench.pass(LOOK_MS * 4, 1000);
    bench.volume.writtenBytes = 0;
    expect(bench.pass(STUCK_AFTER_MS - 2 * LOOK_MS)).toBe(false);
  });
});
