import { describe, expect, it } from "vitest";
import { firstTakeover, nextTakeover, type Takeover, takenCameras } from "../../src/reserve/takeover.js";

const [GATE, YARD] = ["00000001-0000-4000-8000-000000000001", "00000001-0000-4000-8000-000000000002"];
const CAMERAS = [GATE, YARD];
const LOOK_MS = 250;

/** What happens on the network, told by times in ms since the reserve's start; seconds of simulated time. */
interface Course {
  /** Whether a beat of the owner arrives at this time. */
  readonly owner: (ms: number) => boolean;
  /** Whether a camera or another partner answers. */
  readonly others?: (ms: number) => boolean;
  /** Whether the reserve's process runs. */
  readonly runs?: (ms: number) => boolean;
  /** For how long the owner records each camera, ms. */
  readonly recorded?: (ms: number) => Readonly<Record<string, number>>;
  readonly forMs: number;
}

/** When which camera was armed, recorded or let go: `ms kind`, per camera in turn. */
function run({ owner, others = () => true, runs = () => true, recorded = () => ({}), forMs }: Course) {
  let state: Takeover = firstTakeover(0);
  let heardUs: number | undefined;
  let signUs: number | undefined;
  let pausedMs = 0;
  let last = "";
  const changes: [ms: number, taken: string][] = [];
  for (let ms = 0; ms <= forMs; ms += LOOK_MS) {
    if (!runs(ms)) {
      // What arrives meanwhile lies in the sockets; the time does not count.
      pausedMs += LOOK_MS;
      continue;
    }
    const nowUs = (ms - pausedMs) * 1000;
    if (ms % 500 === 0 && owner(ms)) heardUs = nowUs;
    if (others(ms)) signUs = nowUs;
    const recordedUs = new Map(Object.entries(recorded(ms)).map(([id, forUs]) => [id, forUs * 1000]));
    state = nextTakeover(state, { nowUs, heardUs, signUs, recordedUs, cameras: CAMERAS });
    const taken = takenCameras(state, CAMERAS);
    const text = CAMERAS.map((id) => taken.get(id) ?? "-").join(" ");
    if (text !== last && !(last === "" && text === "- -")) changes.push([ms, text]);
    last = text;
  }
  return changes;
}

const diesAt = (deathMs: number) => (ms: number) => ms <= deathMs;
const silentBetween = (fromMs: number, toMs: number) => (ms: number) => ms <= fromMs || ms >= toMs;

describe("a reserve takes over", () => {
  it("three seconds after the first beat that its owner misses, and connects half that time before", () => {
    expect(run({ owner: diesAt(10_000), forMs: 60_000 })).toEqual([
      [12_000, "armed armed"],
      [13_500, "recording recording"],
    ]);
  });

  it("where another partner answers and no camera does: any sign will do", () => {
    const others = (ms: number) => ms % 1000 === 0;
    expect(run({ owner: diesAt(10_000), others, forMs: 20_000 }).at(-1)).toEqual([
      13_500,
      "recording recording",
    ]);
  });

  it("a minute after its own start where the owner was never heard", () => {
    expect(run({ owner: () => false, forMs: 70_000 })).toEqual([[60_000, "recording recording"]]);
  });

  it("again after the owner was back for a moment", () => {
    const owner = (ms: number) => ms <= 10_000 || (ms >= 20_000 && ms <= 21_000);
    expect(run({ owner, forMs: 60_000 }).at(-1)).toEqual([13_500, "recording recording"]);
  });
});

describe("a reserve does not take over", () => {
  it("while its owner beats", () => {
    expect(run({ owner: () => true, forMs: 120_000 })).toEqual([]);
  });

  it("from an owner whose process is paused for 2.9 s, wherever that begins: it connects at most", () => {
    for (let fromMs = 10_000; fromMs < 10_500; fromMs += 100) {
      const changes = run({ owner: silentBetween(fromMs, fromMs + 2_900), forMs: 30_000 });
      expect(changes.map(([, taken]) => taken)).not.toContain("recording recording");
      expect(changes.at(-1)?.[1] ?? "- -").toBe("- -");
    }
  });

  it("when its own process was paused, for 2.9 s or for a minute", () => {
    for (const pauseMs of [2_900, 60_000]) {
      const runs = (ms: number) => ms < 10_250 || ms >= 10_250 + pauseMs;
      expect(run({ owner: () => true, runs, forMs: 90_000 })).toEqual([]);
    }
  });

  it("when it has just started, and its owner a while later, after one power cut", () => {
    expect(run({ owner: (ms) => ms >= 45_000, forMs: 120_000 })).toEqual([]);
  });

  it("when the switch restarts, and it hears nobody", () => {
    const isUp = (ms: number) => ms < 10_000 || ms >= 40_000;
    expect(run({ owner: isUp, others: isUp, forMs: 90_000 })).toEqual([]);
  });

  it("when the switch restarts, and cameras are there 2.5 s before the owner", () => {
    const owner = (ms: number) => ms < 10_000 || ms >= 42_500;
    const others = (ms: number) => ms < 10_000 || ms >= 40_000;
    expect(run({ owner, others, forMs: 90_000 }).map(([, taken]) => taken)).not.toContain(
      "recording recording",
    );
  });

  it("when its own cable is out, however long", () => {
    expect(run({ owner: diesAt(10_000), others: diesAt(10_000), forMs: 3_600_000 })).toEqual([]);
  });

  it("when its link flaps every two seconds", () => {
    const isUp = (ms: number) => ms < 10_000 || ms % 4000 < 2000;
    expect(
      run({ owner: diesAt(10_000), others: isUp, forMs: 60_000 }).map(([, taken]) => taken),
    ).not.toContain("recording recording");
  });

  it("without a camera of the owner", () => {
    const look = {
      nowUs: 100_000_000,
      heardUs: undefined,
      signUs: 100_000_000,
      recordedUs: new Map(),
      cameras: [],
    };
    const state = { ...firstTakeover(0), connectedUs: 0, signUs: 99_900_000 };
    expect(nextTakeover(state, look).kind).toBe("watching");
  });
});

describe("a reserve gives back", () => {
  it("each camera when its owner has recorded it for ten seconds, and watches when it has all", () => {
    const owner = silentBetween(10_000, 30_000);
    const recorded = (ms: number) => ({ [GATE]: Math.max(0, ms - 32_000), [YARD]: Math.max(0, ms - 35_000) });
    expect(run({ owner, recorded: (ms) => (ms >= 30_000 ? recorded(ms) : {}), forMs: 120_000 })).toEqual([
      [12_000, "armed armed"],
      [13_500, "recording recording"],
      [42_000, "- recording"],
      [45_000, "- -"],
    ]);
  });

  it("nothing while the owner is back and does not record", () => {
    expect(run({ owner: silentBetween(10_000, 30_000), forMs: 600_000 }).at(-1)).toEqual([
      13_500,
      "recording recording",
    ]);
  });

  it("nothing while it hears nobody at all: it may be the one that records", () => {
    const others = silentBetween(20_000, 40_000);
    expect(run({ owner: diesAt(10_000), others, forMs: 90_000 }).at(-1)).toEqual([
      13_500,
      "recording recording",
    ]);
  });

  it("what it had given back it takes again where the owner dies once more", () => {
    const owner = (ms: number) => ms <= 10_000 || (ms >= 30_000 && ms <= 45_000);
    const recorded = (ms: number) => (ms >= 30_000 && ms <= 45_000 ? { [GATE]: ms - 31_000 } : {});
    expect(run({ owner, recorded, forMs: 90_000 })).toEqual([
      [12_000, "armed armed"],
      [13_500, "recording recording"],
      [41_000, "- recording"],
      [48_500, "recording recording"],
    ]);
  });
});
