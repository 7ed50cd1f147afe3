import { beforeEach, expect, it } from "vitest";
import { AlarmOutbox, COLLECT_MS, WAITING_EVENTS_MAX } from "../../src/alarm/alarm-outbox.js";
import type { AlarmMessage } from "../../src/alarm/index.js";
import { newGuid } from "../../src/base/index.js";
import type { AlarmTarget, LocalClock } from "../../src/site/index.js";
import { alarmEvent, alarmTarget, settle } from "../support/alarm/alarm-samples.js";
import { ManualClock } from "../support/base/manual-clock.js";

const HOUR_MS = 3_600_000;

let clock: ManualClock;
let messages: AlarmMessage[];
let settled: number[];
let troubles: (string | undefined)[];
let refused: number[];
/** What the other side says to a try; undefined: it takes it. */
let answer: () => string | undefined;

beforeEach(() => {
  clock = new ManualClock();
  messages = [];
  settled = [];
  troubles = [];
  refused = [];
  answer = () => undefined;
});

function outboxOf(target: Partial<AlarmTarget> = {}): AlarmOutbox {
  return new AlarmOutbox({
    target: alarmTarget(target),
    server: () => ({ id: newGuid(), name: "Cupboard" }),
    send: async (_, message) => {
      messages.push(message);
      const problem = answer();
      if (problem !== undefined) throw new Error(problem);
    },
    clock,
    onSettled: ({ sequence }) => settled.push(sequence),
    onTrouble: (problem) => troubles.push(problem),
    onRefused: ({ sequence }) => refused.push(sequence),
  });
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

const sequencesOf = ({ events }: AlarmMessage): number[] => events.map(({ sequence }) => sequence);

it("what happens at once is one message", async () => {
  const outbox = outboxOf();
  for (let sequence = 1; sequence <= 3; sequence++) outbox.add(alarmEvent(sequence));
  expect(messages).toEqual([]);
  await pass(COLLECT_MS);
  expect(messages.map(sequencesOf)).toEqual([[1, 2, 3]]);
  expect(settled).toEqual([3]);
});

it("what comes while a message is under way is in the next one", async () => {
  const outbox = outboxOf();
  outbox.add(alarmEvent(1));
  clock.advance(COLLECT_MS);
  outbox.add(alarmEvent(2));
  await settle();
  await pass(COLLECT_MS);
  expect(messages.map(sequencesOf)).toEqual([[1], [2]]);
});

it("events are reported in their order, also those of before a restart that are read late", async () => {
  const outbox = outboxOf();
  for (const sequence of [7, 8, 2, 9, 3]) outbox.add(alarmEvent(sequence));
  await pass(COLLECT_MS);
  expect(messages.map(sequencesOf)).toEqual([[2, 3, 7, 8, 9]]);
});

it("no more messages an hour than allowed, and then one with all that waited", async () => {
  const outbox = outboxOf({ perHourMax: 2 });
  for (let minute = 1; minute <= 30; minute++) {
    outbox.add(alarmEvent(minute));
    await pass(60_000);
  }
  expect(messages.map(sequencesOf)).toEqual([[1], [2]]);
  expect(outbox.state).toMatchObject({ isLimited: true, waitingEvents: 28 });
  await pass(HOUR_MS - 29 * 60_000 + COLLECT_MS);
  expect(messages[2]?.events).toHaveLength(28);
  expect(outbox.state.waitingEvents).toBe(0);
});

it("what is not taken is tried again, with longer and longer pauses, and under the same id", async () => {
  answer = () => "refused";
  const outbox = outboxOf();
  outbox.add(alarmEvent(1));
  await pass(COLLECT_MS);
  expect(outbox.state).toMatchObject({ isFailing: true, problem: "refused" });
  await pass(5_000);
  await pass(10_000);
  expect(messages).toHaveLength(3);
  await pass(19_000);
  expect(messages).toHaveLength(3);
  await pass(1_000);
  expect(messages).toHaveLength(4);
  answer = () => undefined;
  await pass(40_000);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
  expect(settled).toEqual([1]);
  expect(outbox.state).toMatchObject({ isFailing: false, waitingEvents: 0 });
  // Told once each, however many tries there were.
  expect(troubles).toEqual(["refused", undefined]);
});

it("the next message has another id", async () => {
  const outbox = outboxOf();
  for (let sequence = 1; sequence <= 2; sequence++) {
    outbox.add(alarmEvent(sequence));
    await pass(COLLECT_MS);
  }
  expect(new Set(messages.map(({ id }) => id)).size).toBe(2);
});

it("beyond the bound the oldest are left out, and the next message says how many", async () => {
  answer = () => "refused";
  const outbox = outboxOf();
  for (let sequence = 1; sequence <= WAITING_EVENTS_MAX + 7; sequence++) {
    outbox.add(alarmEvent(sequence, { timeUs: clock.nowUs() }));
  }
  expect(outbox.state).toMatchObject({ waitingEvents: WAITING_EVENTS_MAX, omittedEvents: 7 });
  answer = () => undefined;
  await pass(COLLECT_MS);
  expect(messages[0]).toMatchObject({ omittedEvents: 7 });
  expect(messages[0]?.events[0]?.sequence).toBe(8);
  await pass(COLLECT_MS);
  expect(messages[1]).toMatchObject({ omittedEvents: 0 });
});

it("what could not be sent for a day is left out", async () => {
  answer = () => "refused";
  const outbox = outboxOf();
  outbox.add(alarmEvent(1, { timeUs: clock.nowUs() }));
  await pass(25 * HOUR_MS);
  outbox.add(alarmEvent(2, { timeUs: clock.nowUs() }));
  answer = () => undefined;
  await pass(HOUR_MS);
  expect(messages.at(-1)).toMatchObject({ omittedEvents: 1, events: [{ sequence: 2 }] });
});

it("after the stop nothing is sent, and what waited is not settled", async () => {
  const outbox = outboxOf();
  outbox.add(alarmEvent(1));
  await outbox.stop();
  await pass(HOUR_MS);
  expect([messages, settled]).toEqual([[], []]);
});

it("a send that never ends is given up, and the stop does not wait for it", async () => {
  let given: AbortSignal | undefined;
  const outbox = new AlarmOutbox({
    target: alarmTarget(),
    server: () => ({ id: newGuid(), name: "Cupboard" }),
    send: (_, __, signal) => {
      given = signal;
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("late"))),
      );
    },
    clock,
    onSettled: ({ sequence }) => settled.push(sequence),
    onTrouble: (problem) => troubles.push(problem),
    onRefused: ({ sequence }) => refused.push(sequence),
  });
  outbox.add(alarmEvent(1));
  await pass(COLLECT_MS);
  expect(given?.aborted).toBe(false);
  await pass(15_000);
  expect(troubles).toEqual(["late"]);
  await pass(5_000);
  await outbox.stop();
  expect(given?.aborted).toBe(true);
});

const NIGHT = { fromMinute: 22 * 60, toMinute: 6 * 60, areErrorsTold: true };
/** The clock of the tests begins at 23:00 of the recorder. */
const atNight: LocalClock = (timeUs) => ({
  day: "Monday",
  minute: (((23 * 60 + Math.floor((timeUs - startUs) / 60_000_000)) % 1440) + 1440) % 1440,
});
let startUs = 0;

function quietOutbox(areErrorsTold: boolean): AlarmOutbox {
  startUs = clock.nowUs();
  return new AlarmOutbox({
    target: alarmTarget({ quietHours: { ...NIGHT, areErrorsTold } }),
    server: () => ({ id: newGuid(), name: "Cupboard" }),
    send: async (_, message) => void messages.push(message),
    clock,
    local: atNight,
    onSettled: ({ sequence }) => settled.push(sequence),
    onTrouble: (problem) => troubles.push(problem),
    onRefused: ({ sequence }) => refused.push(sequence),
  });
}

it("what happens in quiet hours is one message at their end", async () => {
  const outbox = quietOutbox(true);
  for (let sequence = 1; sequence <= 3; sequence++) {
    outbox.add({ ...alarmEvent(sequence), category: 1 });
    await pass(HOUR_MS);
  }
  expect(messages).toEqual([]);
  expect(outbox.state).toMatchObject({ isQuiet: true, waitingEvents: 3 });
  await pass(4 * HOUR_MS + COLLECT_MS);
  expect(messages.map(sequencesOf)).toEqual([[1, 2, 3]]);
  expect(outbox.state.isQuiet).toBe(false);
});

it("an error is told in quiet hours too, with what waits", async () => {
  const outbox = quietOutbox(true);
  outbox.add({ ...alarmEvent(1), category: 1 });
  await pass(COLLECT_MS);
  expect(messages).toEqual([]);
  outbox.add({ ...alarmEvent(2), category: 2 });
  await pass(COLLECT_MS);
  expect(messages.map(sequencesOf)).toEqual([[1, 2]]);
});

it("an error waits too where that is wanted", async () => {
  const outbox = quietOutbox(false);
  outbox.add({ ...alarmEvent(1), category: 2 });
  await pass(HOUR_MS);
  expect(messages).toEqual([]);
  await pass(6 * HOUR_MS);
  expect(messages.map(sequencesOf)).toEqual([[1]]);
});

it("what happens on a free weekend is one message when the painted hours begin, three days later", async () => {
  const begunUs = clock.nowUs();
  // The clock of the tests begins on Friday at 18:00 of the recorder.
  const local: LocalClock = (timeUs) => {
    const minutes = 18 * 60 + Math.floor((timeUs - begunUs) / 60_000_000);
    const day =
      (["Friday", "Saturday", "Sunday", "Monday"] as const)[Math.floor(minutes / 1440)] ?? "Tuesday";
    return { day, minute: minutes % 1440 };
  };
  const week = { Monday: [{ fromMinute: 480, toMinute: 1080 }] };
  const outbox = new AlarmOutbox({
    target: alarmTarget({ sendingHours: { week, areOthersKept: true, areErrorsTold: false } }),
    server: () => ({ id: newGuid(), name: "Cupboard" }),
    send: async (_, message) => void messages.push(message),
    ...{ clock, local },
    onSettled: ({ sequence }) => settled.push(sequence),
    onTrouble: (problem) => troubles.push(problem),
    onRefused: ({ sequence }) => refused.push(sequence),
  });
  for (let sequence = 1; sequence <= 3; sequence++) {
    outbox.add(alarmEvent(sequence, { timeUs: clock.nowUs() }));
    await pass(20 * HOUR_MS);
  }
  expect(messages).toEqual([]);
  expect(outbox.state).toMatchObject({ isQuiet: true, waitingEvents: 3 });
  await pass(2 * HOUR_MS + COLLECT_MS);
  expect(messages.map(sequencesOf)).toEqual([[1, 2, 3]]);
  expect(messages[0]?.omittedEvents).toBe(0);
});
