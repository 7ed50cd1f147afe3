import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OverloadCounters } from "../../../src/archive/index.js";
import {
  ArchiveHealth,
  type DiskState,
  type DiskVerdict,
  hasArchiveError,
} from "../../../src/health/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const DAY_US = 86_400 * SECOND_US;
const CHANNEL_ID = "22222222-0000-4000-8000-000000000001";

/** What the archive says, to be changed by a test. */
class Figures {
  volumes = [volume("/a"), volume("/b")];
  streams = [stream("Main"), stream("Alternative")];
  index: { ready: boolean; failure: string | undefined; failing: boolean } = {
    ready: true,
    failure: undefined,
    failing: false,
  };
  bytes = 0;
  log = { isOpen: true, isFailing: false };
  /** Reads that a round over the recorded time takes, and what it finds. */
  readsARound = 1;
  foundUs = 0;
  reads = 0;
  longestUs: number | undefined;

  looks = 0;

  overload() {
    this.looks += 1;
    return { volumes: this.volumes, streams: this.streams };
  }

  indexStatus() {
    return this.index;
  }

  recordedBytes(): number {
    return this.bytes;
  }

  readonly recordedTime = recordedTimeOf(this);

  status() {
    return this.log;
  }
}

function recordedTimeOf(figures: Figures) {
  return {
    read(): boolean {
      figures.reads += 1;
      if (figures.reads % figures.readsARound !== 0) return false;
      figures.longestUs = figures.foundUs;
      return true;
    },
    get longestUs(): number | undefined {
      return figures.longestUs;
    },
  };
}

type VolumeCounters = OverloadCounters["volumes"][number];
type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

function volume(directory: string): Mutable<VolumeCounters> {
  return {
    directory,
    volumeId: CHANNEL_ID,
    usable: true,
    isRetired: false,
    streams: 1,
    heldBytes: 0,
    heldBytesMax: 1,
    level: 0,
    writeStallMs: 0,
    syncStallMs: 0,
    bytesPerSecond: 0,
    freeBytes: 0,
    writtenBytes: 0,
    segmentsFailed: 0,
  };
}

function stream(streamType: "Main" | "Alternative") {
  return {
    key: { channelId: CHANNEL_ID, streamType },
    volumeId: CHANNEL_ID,
    framesThinned: 0,
    framesDropped: 0,
    thinning: false,
    dropping: false,
  };
}

let clock: SimulatedClock;
let figures: Figures;
let health: ArchiveHealth;

beforeEach(() => {
  clock = new SimulatedClock();
  figures = new Figures();
  health = new ArchiveHealth({ archive: figures, events: figures, clock });
});

afterEach(() => {
  health.stop();
  expect(clock.timers).toBe(0);
});

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`there is no ${index}`);
  return found;
}

const pass = (seconds: number): void => clock.advance(seconds * SECOND_US);
const errors = () => health.status.errors;

describe("before anything is known", () => {
  it("all is null before the start", () => {
    expect(health.status).toEqual({
      sizeMb: null,
      writeMbitPerSecond: null,
      depthDays: null,
      errors: { database: null, frameSaving: null, drives: null, thinning: null, smart: null },
    });
    expect(hasArchiveError(errors())).toBeNull();
  });

  it("size and depth are null until the index is open, the speed until the second look", () => {
    figures.index.ready = false;
    figures.bytes = 5_000_000;
    health.start();
    expect(health.status).toMatchObject({ sizeMb: null, writeMbitPerSecond: null, depthDays: null });
    pass(1);
    expect(health.status).toMatchObject({ sizeMb: null, writeMbitPerSecond: 0, depthDays: null });
    figures.index.ready = true;
    pass(1);
    expect(health.status).toMatchObject({ sizeMb: 5, depthDays: 0 });
  });
});

describe("how often it looks", () => {
  it("once a second at most, however often it is asked", () => {
    health.start();
    for (let at = 0; at < 100; at++) errors();
    expect(figures.looks).toBe(1);
    pass(1);
    for (let at = 0; at < 100; at++) errors();
    expect(figures.looks).toBe(2);
  });

  it("six times a minute while nobody asks", () => {
    health.start();
    pass(60);
    expect(figures.looks).toBe(7);
  });

  it("it sets no timer for the depth but while a round is under way", () => {
    figures.readsARound = 3;
    health.start();
    const during = clock.timers;
    pass(2);
    expect([during, clock.timers]).toEqual([2, 1]);
  });

  it("tells what it saw last after it was stopped", () => {
    health.start();
    health.stop();
    figures.log.isFailing = true;
    pass(10);
    expect(errors().database).toBe(false);
  });
});

describe("the figures", () => {
  it("the size is in millions of bytes, with three decimals", () => {
    figures.bytes = 1_234_567_890;
    health.start();
    expect(health.status.sizeMb).toBe(1234.568);
  });

  it("the speed is all volumes' together in megabits, averaged over two minutes", () => {
    health.start();
    for (let second = 0; second < 60; second++) {
      at(figures.volumes, 0).writtenBytes += 1_000_000;
      at(figures.volumes, 1).writtenBytes += 500_000;
      pass(1);
    }
    expect(health.status.writeMbitPerSecond).toBe(12);
    pass(60);
    expect(health.status.writeMbitPerSecond).toBe(6);
    pass(61);
    expect(health.status.writeMbitPerSecond).toBe(0);
  });

  it("the speed does not jump or fall below 0 when a volume comes back and counts from 0", () => {
    at(figures.volumes, 0).writtenBytes = 900_000_000;
    health.start();
    pass(1);
    expect(health.status.writeMbitPerSecond).toBe(0);
    at(figures.volumes, 0).writtenBytes = 0;
    pass(1);
    expect(health.status.writeMbitPerSecond).toBe(0);
    at(figures.volumes, 0).writtenBytes = 1_000_000;
    pass(2);
    expect(health.status.writeMbitPerSecond).toBe(2);
  });

  it("the depth is the longest recorded time in days, read anew each minute", () => {
    figures.foundUs = 1.5 * DAY_US;
    health.start();
    expect(health.status.depthDays).toBe(1.5);
    figures.foundUs = 2 * DAY_US;
    pass(59);
    expect(health.status.depthDays).toBe(1.5);
    pass(1);
    expect(health.status.depthDays).toBe(2);
    expect(figures.reads).toBe(2);
  });

  it("the depth of a recorder that has just begun is told to the second", () => {
    figures.foundUs = 61 * SECOND_US;
    health.start();
    expect(health.status.depthDays).toBe(0.00071);
  });

  it("a round over a long archive is read a part a second, and told when it is whole", () => {
    figures.readsARound = 5;
    figures.foundUs = DAY_US;
    health.start();
    pass(3);
    expect(health.status.depthDays).toBeNull();
    pass(1);
    expect(health.status.depthDays).toBe(1);
  });
});

describe("ErrorDb", () => {
  it.each([
    ["the index cannot commit", () => (figures.index.failing = true), () => (figures.index.failing = false)],
    [
      "the index cannot be opened",
      () => (figures.index = { ready: false, failure: "full", failing: false }),
      () => (figures.index = { ready: true, failure: undefined, failing: false }),
    ],
    [
      "the event log cannot be written",
      () => (figures.log.isFailing = true),
      () => (figures.log.isFailing = false),
    ],
  ])("is set while %s and cleared after it", (_title, begin, end) => {
    health.start();
    expect(errors().database).toBe(false);
    begin();
    pass(1);
    expect(errors().database).toBe(true);
    expect(hasArchiveError(errors())).toBe(true);
    end();
    pass(1);
    expect(errors().database).toBe(false);
    expect(hasArchiveError(errors())).toBe(false);
  });

  it("is null while index or event log are being opened, and set when the event log is not open after a minute", () => {
    figures.index.ready = false;
    figures.log.isOpen = false;
    health.start();
    expect(errors().database).toBeNull();
    figures.index.ready = true;
    pass(59);
    expect(errors().database).toBeNull();
    pass(1);
    expect(errors().database).toBe(true);
    figures.log.isOpen = true;
    pass(1);
    expect(errors().database).toBe(false);
  });
});

describe("ErrorFrameSaving", () => {
  it("is set while a stream drops, and cleared five minutes after it ended", () => {
    health.start();
    expect(errors().frameSaving).toBe(false);
    at(figures.streams, 1).dropping = true;
    pass(1000);
    expect(errors().frameSaving).toBe(true);
    at(figures.streams, 1).dropping = false;
    pass(299);
    expect(errors().frameSaving).toBe(true);
    pass(1);
    expect(errors().frameSaving).toBe(false);
  });

  it("is set by frames that were dropped between two looks", () => {
    health.start();
    at(figures.streams, 0).framesDropped += 1;
    pass(1);
    expect(errors().frameSaving).toBe(true);
  });

  it("is set by a segment that failed, for five minutes", () => {
    health.start();
    at(figures.volumes, 1).segmentsFailed += 1;
    pass(1);
    expect(errors().frameSaving).toBe(true);
    pass(300);
    expect(errors().frameSaving).toBe(false);
  });
});

describe("ErrorFramesShrinked", () => {
  it("is set while a stream is thinned, and cleared five minutes after it ended", () => {
    health.start();
    expect(errors().thinning).toBe(false);
    at(figures.streams, 0).thinning = true;
    pass(1);
    expect(errors()).toMatchObject({ thinning: true, frameSaving: false });
    at(figures.streams, 0).thinning = false;
    pass(299);
    expect(errors().thinning).toBe(true);
    pass(1);
    expect(errors().thinning).toBe(false);
  });

  it("is set by frames that were thinned out between two looks", () => {
    health.start();
    at(figures.streams, 0).framesThinned += 3;
    pass(1);
    expect(errors().thinning).toBe(true);
  });
});

describe("ErrorAllDrives", () => {
  it("is set while one volume cannot be used and cleared when it is back", () => {
    health.start();
    expect(errors().drives).toBe(false);
    at(figures.volumes, 1).usable = false;
    pass(1);
    expect(errors().drives).toBe(true);
    at(figures.volumes, 1).usable = true;
    pass(1);
    expect(errors().drives).toBe(false);
  });

  it("is set while a disk that is recorded onto is failing", () => {
    startWith(disk("failing", ["/a"]));
    expect(errors().drives).toBe(true);
    disks.disks = [disk("worn", ["/a"])];
    pass(1);
    expect(errors().drives).toBe(false);
  });

  it("is not set by a failing disk that nothing is recorded onto", () => {
    startWith(disk("failing", []));
    expect(errors().drives).toBe(false);
  });
});

describe("BadSmartStatus", () => {
  it("is null until a disk has told how it is", () => {
    startWith(disk("unknown", ["/a"]));
    expect(errors().smart).toBeNull();
    disks.disks = [disk("unknown", ["/a"]), disk("good", [])];
    pass(1);
    expect(errors().smart).toBe(false);
  });

  it("is set while any disk is failing and cleared when none is", () => {
    startWith(disk("good", []), disk("failing", []));
    expect(errors().smart).toBe(true);
    disks.disks = [disk("good", []), disk("worn", [])];
    pass(1);
    expect(errors().smart).toBe(false);
  });
});

/** What the disks say, to be changed by a test. */
const disks: { disks: readonly DiskState[] | undefined; problem: string | undefined } = {
  disks: undefined,
  problem: undefined,
};

function startWith(...found: readonly DiskState[]): void {
  disks.disks = found;
  health = new ArchiveHealth({ archive: figures, events: figures, disks, clock });
  health.start();
}

function disk(verdict: DiskVerdict, volumes: readonly string[]): DiskState {
  return {
    ...{ device: "/dev/sda", model: "", serial: "", firmware: "", bytes: 1, kind: "ata" },
    ...{ isRotational: true, isAsleep: false, volumes, verdict, summary: "", smart: undefined },
  };
}
