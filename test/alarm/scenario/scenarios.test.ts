import { describe, expect, it, onTestFinished } from "vitest";
import { RUNS_AT_ONCE_MAX, Scenarios, type ScenarioUser } from "../../../src/alarm/scenario/index.js";
import { CLOCK_KNOWN, EMPTY_GUID, NvrdError } from "../../../src/base/index.js";
import { EVENT_KINDS, EVENT_TYPES, type EventTypeName, seenTypeNames } from "../../../src/event/index.js";
import type { ScenarioAction, ScenarioStart, UserScenario } from "../../../src/site/index.js";
import { GATE_ID, MemorySiteStore, STORE_ID, sampleSite, YARD_ID } from "../../support/api/api-fakes.js";
import { MemoryAnnouncements } from "../../support/api/memory/memory-announcements.js";
import { MemoryPtz } from "../../support/api/memory/memory-ptz.js";
import { MemoryRecording } from "../../support/api/memory/memory-recording.js";
import { MemoryRelays } from "../../support/api/memory/memory-relays.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";
import { silentLog } from "../../support/site/site-samples.js";

const SECOND_US = 1_000_000;
const idOf = (number: number) => `88888888-0000-4000-8000-${String(number).padStart(12, "0")}`;
const ROOT: ScenarioUser = {
  id: "66666666-0000-4000-8000-000000000001",
  name: "root",
  priority: "High",
  maySee: () => true,
};

function scenario(number: number, change: Partial<UserScenario> = {}): UserScenario {
  const id = idOf(number);
  return { id, name: `Scenario ${number}`, needConfirmation: false, channelIds: [GATE_ID], ...change };
}
const onEvent = (...names: EventTypeName[]): ScenarioStart => ({
  kind: "event",
  eventTypeIds: names.map((name) => EVENT_TYPES[name].id),
});
const raiseEvent = (text: string): ScenarioAction => ({ kind: "event", channelId: null, text });

/** A recorder of fakes with these scenarios. The clock stands at a Monday, 0:00 UTC. */
function setUp(userScenarios: readonly UserScenario[]) {
  const clock = new SimulatedClock();
  const site = new MemorySiteStore({ ...sampleSite(), userScenarios });
  const events = new MemoryEventLog(clock);
  const [recording, ptz, relays] = [new MemoryRecording(clock), new MemoryPtz(), new MemoryRelays()];
  const announcements = new MemoryAnnouncements();
  const scenarios = new Scenarios({
    ...{ site, events, recording, ptz, relays, announcements, clock },
    ...{ knowledge: CLOCK_KNOWN, zone: "UTC", log: silentLog },
  });
  scenarios.start();
  onTestFinished(() => scenarios.stop());
  const run = (number: number, change: Partial<Parameters<Scenarios["run"]>[0]> = {}) =>
    scenarios.run({
      scenarioId: idOf(number),
      channelId: undefined,
      isConfirmed: false,
      user: ROOT,
      ...change,
    });
  /** The names of what was raised, with the comments. */
  const raised = () =>
    events.raised.map(({ typeId, comment }) => {
      const name = Object.entries(EVENT_TYPES).find(([, { id }]) => id === typeId)?.[0];
      return `${name} ${comment}`;
    });
  return { clock, site, events, recording, ptz, relays, announcements, scenarios, run, raised };
}

/** Lets what was started without a clock run to its end. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a run by a user", () => {
  it("carries out its actions in order, and each of them is reported with the scenario as initiator 3", async () => {
    const actions: ScenarioAction[] = [
      { kind: "preset", channelId: null, preset: 4 },
      { kind: "record", channelId: YARD_ID, seconds: 60 },
      { kind: "alarm", channelId: null, text: "somebody rang" },
    ];
    const { run, recording, ptz, events, raised } = setUp([scenario(1, { actions })]);
    const { results, endedUs } = await run(1, { channelId: GATE_ID });
    expect(results.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(endedUs).toBeDefined();
    expect(ptz.requests).toMatchObject([
      { channelId: GATE_ID, command: { kind: "preset", index: 4 }, user: { name: "root", priority: "High" } },
    ]);
    const by = { type: 3, id: idOf(1), name: "Scenario 1" };
    expect(recording.timed).toEqual([{ channelId: YARD_ID, seconds: 60, by }]);
    expect(raised()).toEqual([
      "scenarioStarted Scenario 1",
      "scenarioAlarm somebody rang",
      "scenarioEnded Scenario 1",
    ]);
    expect(events.raised.map(({ initiator }) => initiator.type)).toEqual([1, 3, 3]);
    expect(events.raised[1]).toMatchObject({ category: 1, channelId: GATE_ID, initiator: by });
    expect(events.raised[0]).toMatchObject({ initiator: { id: ROOT.id, name: "root" } });
  });

  it("for no channel is one for each of the scenario's, and its events are about none", async () => {
    const actions: ScenarioAction[] = [{ kind: "record", channelId: null, seconds: 5 }, raiseEvent("here")];
    const { run, recording, events } = setUp([scenario(1, { actions, channelIds: [GATE_ID, YARD_ID] })]);
    await run(1);
    expect(recording.timed.map(({ channelId }) => channelId)).toEqual([GATE_ID, YARD_ID]);
    expect(events.raised[1]).toMatchObject({ channelId: EMPTY_GUID, comment: "here" });
  });

  it("switches an output, which is told in the scenario's name", async () => {
    const output = { kind: "output", channelId: null, output: "relay_1", isOn: true, seconds: 5 } as const;
    const { run, relays, events } = setUp([
      scenario(1, { actions: [output, { ...output, output: "none" }] }),
    ]);
    const { results } = await run(1, { channelId: GATE_ID });
    expect(results.map(({ problem }) => problem)).toEqual([
      undefined,
      expect.stringMatching(/no such output/),
    ]);
    expect(relays.requests).toMatchObject([
      { channelId: GATE_ID, output: "relay_1", isOn: true, seconds: 5 },
    ]);
    expect(events.raised[1]).toMatchObject({
      typeId: EVENT_TYPES.outputSwitched.id,
      comment: "relay_1 on for 5 s",
      initiator: { type: 3, id: idOf(1) },
    });
  });

  it("plays an announcement at each channel, and tells which camera did not listen", async () => {
    const actions = [{ kind: "announcement", channelId: null, announcementId: idOf(90) }] as const;
    const { run, announcements } = setUp([scenario(1, { actions, channelIds: [GATE_ID, YARD_ID] })]);
    announcements.deaf.add(YARD_ID);
    const { results } = await run(1);
    expect(results.map(({ problem }) => problem)).toEqual([undefined, "the camera takes no sound"]);
    expect(announcements.requests).toMatchObject([
      { channelId: GATE_ID, announcementId: idOf(90), by: { type: 3, id: idOf(1) } },
      { channelId: YARD_ID },
    ]);
  });

  it("goes on where an action fails, and tells which and why", async () => {
    const actions: ScenarioAction[] = [
      { kind: "preset", channelId: null, preset: 1 },
      raiseEvent("after it"),
    ];
    const { run, ptz, raised, events } = setUp([scenario(1, { actions })]);
    ptz.failure = new NvrdError("NOT_AVAILABLE", "the camera does not answer");
    const { results } = await run(1);
    expect(results.map(({ problem }) => problem !== undefined)).toEqual([true, false]);
    expect(raised().slice(1)).toEqual([
      expect.stringMatching(/^scenarioFailed Scenario 1: preset: the camera does not answer/),
      "scenarioEvent after it",
      "scenarioEnded Scenario 1: 1 of 2 failed",
    ]);
    expect(events.raised[1]).toMatchObject({ category: 2, channelId: GATE_ID });
  });

  it("gives up a camera that never answers, and then goes on", async () => {
    const actions: ScenarioAction[] = [
      { kind: "preset", channelId: null, preset: 1 },
      raiseEvent("after it"),
    ];
    const { run, ptz, clock } = setUp([scenario(1, { actions })]);
    ptz.held = new Promise(() => undefined);
    const running = run(1);
    await clock.advanceSlowly(20 * SECOND_US);
    const { results } = await running;
    expect(results.map(({ problem }) => problem)).toEqual(["it took longer than 15 s", undefined]);
  });

  it("is refused while the scenario runs, and where too many run", async () => {
    const count = RUNS_AT_ONCE_MAX + 1;
    const actions: ScenarioAction[] = [{ kind: "preset", channelId: null, preset: 1 }];
    const { run, ptz, clock } = setUp(
      Array.from({ length: count }, (_, at) => scenario(at + 1, { actions })),
    );
    ptz.held = new Promise(() => undefined);
    const running = Array.from({ length: RUNS_AT_ONCE_MAX }, (_, at) => run(at + 1));
    await expect(run(1)).rejects.toMatchObject({ code: "CONFLICT", message: /is running/ });
    await expect(run(count)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
    await clock.advanceSlowly(20 * SECOND_US);
    await Promise.all(running);
    ptz.held = undefined;
    await expect(run(1)).resolves.toMatchObject({ results: [{ problem: undefined }] });
  });

  it("must be confirmed where the scenario says so", async () => {
    const { run, raised } = setUp([scenario(1, { needConfirmation: true })]);
    await expect(run(1)).rejects.toMatchObject({ code: "CONFLICT", hint: /Confirmed: true/ });
    expect(raised()).toEqual([]);
    await run(1, { isConfirmed: true });
    expect(raised()).toEqual(["scenarioStarted Scenario 1", "scenarioEnded Scenario 1"]);
  });

  it("does not exist for who sees none of its channels, nor for a channel that is not one of them", async () => {
    const { run } = setUp([
      scenario(1, { channelIds: [GATE_ID, STORE_ID] }),
      scenario(2, { channelIds: [] }),
    ]);
    const user = { ...ROOT, maySee: (id: string) => id === YARD_ID };
    await expect(run(1, { user })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(run(1, { channelId: YARD_ID })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(run(2, { user, channelId: GATE_ID })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(run(2, { user })).resolves.toMatchObject({ results: [] });
    await expect(run(9)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("started by an event", () => {
  it("a scenario runs for the event's channel, with the initiator 2, without a confirmation", async () => {
    const actions: ScenarioAction[] = [{ kind: "record", channelId: null, seconds: 10 }];
    const starts = [onEvent("inputActivated")];
    const { events, recording, raised } = setUp([
      scenario(1, { actions, starts, channelIds: [GATE_ID, YARD_ID], needConfirmation: true }),
    ]);
    events.raise({ typeId: EVENT_TYPES.inputActivated.id, channelId: YARD_ID });
    events.raise({ typeId: EVENT_TYPES.inputActivated.id, channelId: STORE_ID });
    events.raise({ typeId: EVENT_TYPES.inputDeactivated.id, channelId: YARD_ID });
    await settle();
    expect(recording.timed).toEqual([
      { channelId: YARD_ID, seconds: 10, by: { type: 2, id: idOf(1), name: "Scenario 1" } },
    ]);
    expect(raised()).toContain("scenarioStarted Scenario 1: Digital input of camera activated");
  });

  it.each(EVENT_KINDS)(
    "a scenario starts with what a camera tells, by its beginning alone: %s",
    async (kind) => {
      const [began, ended] = seenTypeNames(kind);
      const { events, raised } = setUp([scenario(1, { starts: [onEvent(began)], channelIds: [GATE_ID] })]);
      for (const name of [began, ended]) events.raise({ typeId: EVENT_TYPES[name].id, channelId: GATE_ID });
      await settle();
      const started = `scenarioStarted Scenario 1: ${EVENT_TYPES[began].name}`;
      expect(raised().filter((text) => text.startsWith("scenarioStarted"))).toEqual([started]);
    },
  );

  it("scenarios that start each other end after three in a row", async () => {
    const starts = [onEvent("scenarioEnded", "scenarioFailed")];
    const { run, raised } = setUp([1, 2].map((number) => scenario(number, { starts })));
    await run(1);
    for (let turn = 0; turn < 20; turn += 1) await settle();
    expect(raised().filter((text) => text.startsWith("scenarioStarted")).length).toBeLessThan(10);
    expect(raised().some((text) => /not started: it would be the 4th in a row/.test(text))).toBe(true);
    const count = raised().length;
    for (let turn = 0; turn < 20; turn += 1) await settle();
    expect(raised().length).toBe(count);
  });

  it("an event that another part raises in a scenario's name counts as the scenario's", async () => {
    const { run, events, raised } = setUp([
      scenario(1),
      scenario(2, { starts: [onEvent("recordingStarted")], actions: [raiseEvent("two")] }),
      scenario(3, { starts: [onEvent("scenarioEvent")] }),
    ]);
    await run(1);
    const initiator = { type: 3, id: idOf(1), name: "Scenario 1" } as const;
    events.raise({ typeId: EVENT_TYPES.recordingStarted.id, channelId: GATE_ID, initiator });
    await settle();
    expect(raised().filter((text) => text.startsWith("scenarioStarted"))).toHaveLength(3);
  });

  it("a scenario starts six times a minute at most, and that more were left out is reported once", async () => {
    const { events, clock, raised } = setUp([scenario(1, { starts: [onEvent("motionStarted")] })]);
    const move = async () => {
      events.raise({ typeId: EVENT_TYPES.motionStarted.id, channelId: GATE_ID });
      await settle();
    };
    for (let count = 0; count < 20; count += 1) await move();
    expect(raised().filter((text) => text.startsWith("scenarioStarted"))).toHaveLength(6);
    expect(raised().filter((text) => text.startsWith("scenarioFailed"))).toHaveLength(1);
    clock.advance(61 * SECOND_US);
    await move();
    expect(raised().filter((text) => text.startsWith("scenarioStarted"))).toHaveLength(7);
  });
});

describe("started at a time", () => {
  const at = (minute: number): ScenarioStart => ({ kind: "time", days: ["Monday"], minute });

  it("a scenario runs once in that local minute, with the initiator 4", async () => {
    const actions: ScenarioAction[] = [{ kind: "record", channelId: null, seconds: 10 }];
    const { clock, recording, raised } = setUp([scenario(1, { starts: [at(2)], actions })]);
    await clock.advanceSlowly(300 * SECOND_US, SECOND_US);
    expect(recording.timed).toEqual([
      { channelId: GATE_ID, seconds: 10, by: { type: 4, id: idOf(1), name: "Scenario 1" } },
    ]);
    expect(raised()[0]).toBe("scenarioStarted Scenario 1: Monday 00:02");
  });

  it("that a step of the clock leaves out starts nothing, and a change of the configuration counts at once", async () => {
    const { clock, site, raised, scenarios } = setUp([scenario(1, { starts: [at(2)] })]);
    clock.stepWall(600 * SECOND_US);
    await clock.advanceSlowly(60 * SECOND_US, SECOND_US);
    expect(raised()).toEqual([]);
    await site.change((current) => ({ ...current, userScenarios: [scenario(1, { starts: [at(13)] })] }));
    await clock.advanceSlowly(180 * SECOND_US, SECOND_US);
    expect(raised()[0]).toBe("scenarioStarted Scenario 1: Monday 00:13");
    await site.change((current) => ({ ...current, userScenarios: [] }));
    expect(scenarios.runOf(idOf(1))).toBeUndefined();
    expect(clock.timers).toBe(0);
  });
});
