import { describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { isJournal, JournalLog, journalEntry } from "../../../src/host/systemd/index.js";

/** Reads the journal's native protocol, as systemd documents it. */
function fieldsOf(entry: Uint8Array): Record<string, string> {
  const bytes = Buffer.from(entry);
  const fields: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\n", at);
    const line = bytes.toString("utf8", at, end);
    const equals = line.indexOf("=");
    if (equals >= 0) {
      fields[line.slice(0, equals)] = line.slice(equals + 1);
      at = end + 1;
    } else {
      const length = Number(bytes.readBigUInt64LE(end + 1));
      fields[line] = bytes.toString("utf8", end + 9, end + 9 + length);
      expect(bytes[end + 9 + length]).toBe(10);
      at = end + 10 + length;
    }
  }
  return fields;
}

/** A log whose lines are taken as the journal would get them; `status` is what sending answers. */
function bench() {
  const sent: Record<string, string>[] = [];
  const state = { status: 0 };
  const send = (_address: string, data: Uint8Array) => {
    if (state.status === 0) sent.push(fieldsOf(data));
    return state.status;
  };
  const log = createLog({ level: "trace", destination: new JournalLog({ send }) });
  return { log, sent, state };
}

describe("the log in the journal", () => {
  it.each([
    ["fatal", "2"],
    ["error", "3"],
    ["warn", "4"],
    ["info", "6"],
    ["debug", "7"],
    ["trace", "7"],
  ] as const)("has %s with priority %s", (level, priority) => {
    const { log, sent } = bench();
    log[level]("something");
    expect(sent).toEqual([{ MESSAGE: "something", PRIORITY: priority, SYSLOG_IDENTIFIER: "nvrd" }]);
  });

  it("has a line's members as fields, and behind its text", () => {
    const { log, sent } = bench();
    log.warn({ channelId: "c1", retryMs: 500 }, "the camera is lost");
    expect(sent[0]).toEqual({
      MESSAGE: "the camera is lost (channelId=c1 retryMs=500)",
      PRIORITY: "4",
      SYSLOG_IDENTIFIER: "nvrd",
      NVRD_CHANNEL_ID: "c1",
      NVRD_RETRY_MS: "500",
    });
  });

  it("keeps line breaks in a value inside that value", () => {
    const { log, sent } = bench();
    log.error({ error: "first\nPRIORITY=0\nthird" }, "two\nlines");
    expect(sent[0]?.NVRD_ERROR).toBe("first\nPRIORITY=0\nthird");
    expect(sent[0]?.PRIORITY).toBe("3");
    expect(sent[0]?.MESSAGE).toContain("two\nlines");
  });

  it("has no secret", () => {
    const { log, sent } = bench();
    log.info({ password: "hunter2", camera: { password: "hunter3" } }, "x");
    expect(JSON.stringify(sent)).not.toMatch(/hunter/);
  });

  it("bounds what one line takes", () => {
    const members = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`m${at}`, "y".repeat(10_000)]),
    );
    const entry = journalEntry(JSON.stringify({ level: 30, ...members, msg: "x".repeat(100_000) }));
    expect(entry.length).toBeLessThan(150_000);
  });

  it("takes a line that is no JSON as a message", () => {
    expect(fieldsOf(journalEntry("panic\n"))).toEqual({
      MESSAGE: "panic",
      PRIORITY: "6",
      SYSLOG_IDENTIFIER: "nvrd",
    });
  });

  it("leaves lines out while journald does not take them, and says how many before the next", () => {
    const { log, sent, state } = bench();
    state.status = 11;
    log.info("one");
    log.info("two");
    state.status = 0;
    log.info("three");
    expect(sent.map((fields) => fields.MESSAGE)).toEqual(["log lines were dropped (lost=2)", "three"]);
    expect(sent[0]?.PRIORITY).toBe("4");
  });
});

describe("a descriptor that the journal reads", () => {
  it("is the one that JOURNAL_STREAM names", async () => {
    const { fstatSync } = await import("node:fs");
    const { dev, ino } = fstatSync(1, { bigint: true });
    expect(isJournal(1, `${dev}:${ino}`)).toBe(true);
    expect(isJournal(1, `${dev}:${ino + 1n}`)).toBe(false);
    expect(isJournal(1, undefined)).toBe(false);
    expect(isJournal(1_000_000, `${dev}:${ino}`)).toBe(false);
  });
});
