import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, noteWait, noteWork, takeLongWork } from "../../src/base/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { HeldEvents } from "../../src/service/report/held-events.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { MemoryEventLog } from "../support/event/memory-event-log.js";

let clock: ManualClock;
let lines: string[];
let raised: MemoryEventLog["raised"];
let late: (ms: number) => void;
let events: HeldEvents;
let work: [string, number][];
let waits: [string, number][];

beforeEach(() => {
  clock = new ManualClock();
  lines = [];
  const memory = new MemoryEventLog(clock);
  raised = memory.raised;
  work = [];
  waits = [];
  events = new HeldEvents({
    ...{ clock, events: memory },
    log: createLog({ level: "warn", destination: { write: (line: string) => void lines.push(line) } }),
    lateness: (listener) => {
      late = listener;
      return { clear: () => undefined };
    },
    work: () => ({ work: work.splice(0), waits: waits.splice(0) }),
  });
  events.start();
});
afterEach(() => events.stop());

const hold = (ms: number, done: [string, number][] = [], ended: [string, number][] = []): void => {
  clock.advance(ms);
  work = done;
  waits = ended;
  late(ms);
};

describe("a main thread that was held", () => {
  it("is an event with the time and the work, once it is over", () => {
    hold(2000, [["POST /api/session", 1700]]);
    expect(raised).toEqual([]);
    clock.advance(6000);
    expect(raised).toMatchObject([
      { typeId: EVENT_TYPES.recorderHeld.id, comment: "2.0 of 2.0 s, by POST /api/session (1.7 s)" },
    ]);
    expect(lines.join("\n")).toContain("the main thread was held");
  });

  it("by one thing after the other is one event", () => {
    for (let times = 0; times < 5; times += 1) {
      hold(1500, [["POST /a", 900]]);
      clock.advance(500);
    }
    clock.advance(6000);
    expect(raised).toHaveLength(1);
    expect(raised[0]?.comment).toBe("7.5 of 9.5 s, by POST /a (4.5 s)");
  });

  it("by what nobody noted says so", () => {
    hold(1200);
    clock.advance(6000);
    expect(raised[0]?.comment).toBe("1.2 of 1.2 s, by work that is not known");
  });

  it("by what was done after a wait names what ended meanwhile", () => {
    hold(2000, [["GET /a", 100]], [["POST /configure/import", 2100]]);
    clock.advance(6000);
    expect(raised[0]?.comment).toBe(
      "2.0 of 2.0 s, by GET /a (0.1 s), work that is not known, perhaps POST /configure/import",
    );
  });

  it("by what is known does not name what ended meanwhile", () => {
    hold(2000, [["GET /a", 1500]], [["GET /hls", 60_000]]);
    clock.advance(6000);
    expect(raised[0]?.comment).toBe("2.0 of 2.0 s, by GET /a (1.5 s)");
  });

  it("for a moment is nothing", () => {
    hold(300);
    clock.advance(60_000);
    expect(raised).toEqual([]);
  });

  it("for ever is reported each minute", () => {
    for (let times = 0; times < 90; times += 1) hold(2000);
    expect(raised.length).toBeGreaterThanOrEqual(2);
  });
});

describe("long work", () => {
  it("is noted by its kind, and short work is not", () => {
    takeLongWork();
    noteWork("GET /a", 30);
    noteWork("GET /b", 50);
    noteWork("GET /a", 40);
    noteWork("GET /c", 5);
    expect(takeLongWork().work).toEqual([
      ["GET /a", 70],
      ["GET /b", 50],
    ]);
    expect(takeLongWork()).toEqual({ work: [], waits: [] });
  });

  it("with waits is noted apart", () => {
    takeLongWork();
    noteWait("GET /a", 300);
    noteWait("GET /a", 200);
    noteWait("GET /b", 5);
    expect(takeLongWork()).toEqual({ work: [], waits: [["GET /a", 500]] });
  });

  it("of many kinds is kept as one", () => {
    takeLongWork();
    for (let kind = 0; kind < 100; kind += 1) noteWork(`GET /${kind}`, 30);
    const noted = takeLongWork().work;
    expect(noted).toHaveLength(17);
    expect(noted[0]).toEqual(["other work", 84 * 30]);
  });
});
