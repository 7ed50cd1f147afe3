import { describe, expect, it, onTestFinished } from "vitest";
import { EMPTY_GUID, type Guid, newGuid, SystemClock } from "../../src/base/index.js";
import { EVENT_TYPES, type EventInput, type EventLog, type EventQuery } from "../../src/event/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { openEventLog } from "../support/event/event-log-harness.js";
import { MemoryEventLog } from "../support/event/memory-event-log.js";

const CAMERA: Guid = "22222222-0000-4000-8000-000000000001";
const MODULE: Guid = "91baab3e-ef9d-48c6-b803-2e70f4475960";
const LOST = EVENT_TYPES.cameraLost.id;
const BACK = EVENT_TYPES.cameraBack.id;

/** What all that stands for the event log does as the event log does: whoever is tested with it, is tested with less otherwise. */
describe.each<[string, () => Promise<EventLog>]>([
  [
    "the event log on the disk",
    async () => {
      const log = await openEventLog(await temporaryDirectory());
      onTestFinished(() => log.stop());
      return log;
    },
  ],
  ["the event log in memory", async () => new MemoryEventLog(new SystemClock())],
])("%s", (_name, make) => {
  async function logWith(...inputs: readonly EventInput[]): Promise<EventLog> {
    const log = await make();
    for (const input of inputs) log.raise(input);
    return log;
  }

  it("numbers events in the order in which they are raised, and finds them in the order of their times", async () => {
    const log = await make();
    const raised = [30, 10, 20].map((timeUs) => log.raise({ typeId: LOST, timeUs }).sequence);
    expect(raised).toEqual([...raised].sort((a, b) => a - b));
    expect(await times(log)).toEqual([10, 20, 30]);
  });

  it("finds events of one time in the order in which they were raised", async () => {
    const log = await logWith(...["a", "b", "c"].map((comment) => ({ typeId: LOST, timeUs: 5, comment })));
    expect((await found(log)).map(({ comment }) => comment)).toEqual(["a", "b", "c"]);
  });

  it("finds from the first to the last moment of a search, both included", async () => {
    const log = await logWith(...[9, 10, 20, 21].map((timeUs) => ({ typeId: LOST, timeUs })));
    expect(await times(log, { fromUs: 10, toUs: 20 })).toEqual([10, 20]);
  });

  it("answers the first or the last of them, in the order of their times either way", async () => {
    const log = await logWith(...[1, 2, 3, 4].map((timeUs) => ({ typeId: LOST, timeUs })));
    expect(await times(log, { limit: 2, fromBegin: true })).toEqual([1, 2]);
    expect(await times(log, { limit: 2, fromBegin: false })).toEqual([3, 4]);
    expect(await times(log, { limit: 0 })).toEqual([]);
  });

  it("ends a search that is given up, with the reason", async () => {
    const log = await logWith({ typeId: LOST, timeUs: 1 });
    const given = AbortSignal.abort(new Error("given up"));
    await expect(times(log, { signal: given })).rejects.toThrow("given up");
    await expect(times(log, { signal: given, fromBegin: false })).rejects.toThrow("given up");
  });

  it("finds by type, camera, category and who raised it", async () => {
    const initiator = { type: 1, id: newGuid(), name: "root" } as const;
    const log = await logWith(
      { typeId: LOST, timeUs: 1, channelId: CAMERA },
      { typeId: BACK, timeUs: 2, channelId: CAMERA },
      { typeId: EVENT_TYPES.login.id, timeUs: 3, initiator },
    );
    expect(await times(log, { typeIds: new Set([BACK]) })).toEqual([2]);
    expect(await times(log, { typeIds: new Set() })).toEqual([]);
    expect(await times(log, { channelIds: new Set([CAMERA]) })).toEqual([1, 2]);
    expect(await times(log, { channelIds: new Set([EMPTY_GUID]) })).toEqual([3]);
    expect(await times(log, { initiatorTypes: new Set([1 as const]) })).toEqual([3]);
    expect(await times(log, { initiatorIds: new Set([initiator.id]) })).toEqual([3]);
    const { category } = (await found(log))[0] ?? {};
    if (category !== undefined) expect(await times(log, { categories: new Set([category]) })).toContain(1);
  });

  it("finds events of external modules with those of a named one, where that is asked for", async () => {
    const initiator = { type: 8, id: newGuid(), name: "ExternalEvent" } as const;
    const log = await logWith({ typeId: LOST, timeUs: 1 }, { typeId: LOST, timeUs: 2, initiator });
    const initiatorIds = new Set([MODULE]);
    expect(await times(log, { initiatorIds })).toEqual([]);
    expect(await times(log, { initiatorIds, externalModules: true })).toEqual([2]);
  });

  it("tells when events happened, each once", async () => {
    const log = await logWith(...[3, 1, 2].map((timeUs) => ({ typeId: LOST, timeUs, channelId: CAMERA })));
    const seen: number[] = [];
    for await (const { typeId, channelId, timesUs } of log.moments({ fromUs: 2, toUs: 3 })) {
      expect([typeId, channelId]).toEqual([LOST, CAMERA]);
      seen.push(...timesUs);
    }
    expect(seen.sort()).toEqual([2, 3]);
  });

  it("cuts what is too long, and drops a picture that is", async () => {
    const fields = { ImageBytes: "x".repeat(200_000), Plate: "y".repeat(5000), ok: ["z".repeat(5000)] };
    const log = await make();
    const record = log.raise({
      typeId: LOST,
      comment: "c".repeat(5000),
      channelName: "n".repeat(300),
      fields,
    });
    expect([record.comment.length, record.channelName.length]).toEqual([4096, 256]);
    expect(record.fields).toEqual({ Plate: "y".repeat(4096), ok: ["z".repeat(4096)] });
  });

  it.each<[string, EventInput]>([
    ["of an unknown type", { typeId: newGuid() }],
    ["before 1970", { typeId: LOST, timeUs: -1 }],
    ["of half a microsecond", { typeId: LOST, timeUs: 1.5 }],
    ["of a camera that has no id", { typeId: LOST, channelId: "gate" }],
  ])("takes no event %s", async (_what, input) => {
    const log = await make();
    expect(() => log.raise(input)).toThrow(RangeError);
    expect(await found(log)).toEqual([]);
  });

  it("tells listeners at once until they leave, whatever another one does", async () => {
    const log = await make();
    const notified: number[] = [];
    log.onEvent(() => {
      throw new Error("a listener that fails");
    });
    const subscription = log.onEvent(({ timeUs }) => notified.push(timeUs));
    log.raise({ typeId: LOST, timeUs: 1 });
    expect(notified).toEqual([1]);
    subscription.close();
    subscription.close();
    log.raise({ typeId: LOST, timeUs: 2 });
    expect(notified).toEqual([1]);
  });
});

async function found(log: EventLog, query: Partial<EventQuery> = {}) {
  const records = [];
  const whole = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER, limit: 1000, fromBegin: true };
  for await (const batch of log.search({ ...whole, ...query })) records.push(...batch);
  return records;
}

async function times(log: EventLog, query: Partial<EventQuery> = {}): Promise<number[]> {
  return (await found(log, query)).map(({ timeUs }) => timeUs);
}
