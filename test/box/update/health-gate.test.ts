import { describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import {
  GATE_TIMES,
  type GateState,
  type GateVerdict,
  gateProblems,
  HealthGate,
} from "../../../src/box/update/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const GATE = "22222222-0000-4000-8000-000000000001";
const YARD = "22222222-0000-4000-8000-000000000002";
const VOLUME = "33333333-0000-4000-8000-000000000001";
const BEFORE = { channels: [GATE, YARD], volumes: [VOLUME] };
const SECOND_US = 1_000_000;

const camera = (id: string, change = {}) => ({
  ...{ id, name: id === GATE ? "Gate" : "Yard", wanted: true, isRecording: true, isUnreachable: false },
  ...change,
});

function look(change: Partial<GateState> = {}): GateState {
  return {
    runId: "first",
    apiAnswers: true,
    dataWritable: true,
    channels: [camera(GATE), camera(YARD)],
    volumes: [{ id: VOLUME, directory: "/data/volume", usable: true }],
    ...change,
  };
}

/** The verdict on a service that looks as `at` says, by seconds since the boot; undefined: it does not answer. */
async function judge(
  at: (seconds: number) => GateState | undefined,
): Promise<{ verdict: GateVerdict; seconds: number }> {
  const clock = new SimulatedClock();
  const probe = async (): Promise<GateState> => {
    const seen = at(clock.monotonicUs() / SECOND_US);
    if (seen === undefined) throw new Error("no socket");
    return seen;
  };
  const gate = new HealthGate({ probe, clock, log: createLog({ level: "silent" }) });
  let verdict: GateVerdict | undefined;
  void gate.judge(BEFORE).then((found) => {
    verdict = found;
  });
  for (let steps = 0; steps < 2000; steps += 1) {
    for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
    if (verdict !== undefined) return { verdict, seconds: clock.monotonicUs() / SECOND_US };
    clock.advance(SECOND_US);
  }
  throw new Error("no verdict");
}

describe("the health gate", () => {
  it("keeps a system that is healthy for a minute", async () => {
    const { verdict, seconds } = await judge(() => look());
    expect(verdict).toEqual({ good: true });
    expect(seconds).toBeGreaterThanOrEqual(GATE_TIMES.holdMs / 1000);
    expect(seconds).toBeLessThan(GATE_TIMES.holdMs / 1000 + 10);
  });

  it("gives a system minutes to start", async () => {
    const slow = await judge((seconds) => (seconds < 300 ? undefined : look()));
    expect(slow.verdict).toEqual({ good: true });
  });

  it("rejects one that never answers, at its deadline", async () => {
    const { verdict, seconds } = await judge(() => undefined);
    expect(verdict).toEqual({ good: false, reason: "the service does not answer: no socket" });
    expect(seconds).toBeLessThanOrEqual(GATE_TIMES.deadlineMs / 1000);
  });

  it("rejects one that crashes repeatedly, although each run looks healthy", async () => {
    const { verdict } = await judge((seconds) => look({ runId: `run ${Math.floor(seconds / 30)}` }));
    expect(verdict).toEqual({ good: false, reason: "the service has restarted meanwhile" });
  });

  it("rejects one that is healthy for half a minute and then is not", async () => {
    const { verdict } = await judge((seconds) => look({ apiAnswers: seconds < 30 }));
    expect(verdict).toEqual({ good: false, reason: "the API does not answer" });
  });

  it.each([
    ["a camera that recorded", { channels: [camera(GATE), camera(YARD, { isRecording: false })] }, "Yard"],
    ["a volume that was in use", { volumes: [] }, "volumes are not in use: 1"],
    [
      "a volume that fails",
      { volumes: [{ id: VOLUME, directory: "/data/volume", usable: false }] },
      "volumes are not in use: /data/volume",
    ],
    ["the data directory", { dataWritable: false }, "the data directory cannot be written"],
  ])("refuses one that lost %s", async (_what, change, reason) => {
    const { verdict } = await judge(() => look(change));
    expect(verdict).toMatchObject({ good: false, reason: expect.stringContaining(reason) });
  });

  it("keeps a system despite an unreachable camera, as long as another one records: cameras fail too", async () => {
    const { verdict } = await judge(() =>
      look({ channels: [camera(GATE), camera(YARD, { isRecording: false, isUnreachable: true })] }),
    );
    expect(verdict).toEqual({ good: true });
  });

  it("rejects one that reaches no camera at all", async () => {
    const lost = { isRecording: false, isUnreachable: true };
    const { verdict } = await judge(() => look({ channels: [camera(GATE, lost), camera(YARD, lost)] }));
    expect(verdict).toMatchObject({ good: false });
  });
});

describe("what the gate requires", () => {
  it("ignores a camera that is not to be recorded at this hour, or was removed", () => {
    const channels = [camera(GATE, { wanted: false, isRecording: false })];
    expect(gateProblems(look({ channels }), BEFORE, false)).toEqual([]);
  });

  it("requires nothing that did not record before", () => {
    const channels = [camera(GATE), camera(YARD, { isRecording: false })];
    expect(gateProblems(look({ channels }), { channels: [GATE], volumes: [VOLUME] }, false)).toEqual([]);
  });

  it("names at most five cameras", () => {
    const ids = Array.from({ length: 9 }, (_none, index) => `22222222-0000-4000-8000-00000000000${index}`);
    const channels = ids.map((id, index) => ({ ...camera(id), name: `Camera ${index}`, isRecording: false }));
    expect(gateProblems(look({ channels }), { channels: ids, volumes: [] }, false)).toEqual([
      "cameras do not record as before: 9, among them Camera 0, Camera 1, Camera 2, Camera 3, Camera 4",
    ]);
  });
});
