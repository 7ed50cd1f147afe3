import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  alarmTarget,
  alarmTargetTexts,
  changed,
  eventSelection,
  MAIL_PORTS,
  mail,
  SYSLOG_PORTS,
  sendingHours,
  shownWeek,
  syslog,
  without,
} from "../../src/contract/index.js";
import {
  notesOf,
  readerOf,
  readerOfValue,
  storedEntries,
  storedValue,
} from "../../src/contract/reading/index.js";
import { schemaOf, schemaOfBody } from "../../src/route/index.js";

const refusals = (schema: v.GenericSchema, value: unknown): readonly string[] =>
  (v.safeParse(schema, value).issues ?? []).map(
    ({ path, message }) => `${path?.map(({ key }) => key).join(".")}: ${message}`,
  );

/** The contract with another limit, and what is made of it. */
function withFacility(max: number) {
  const members = { ...syslog, Facility: { ...syslog.Facility, max } };
  const resource = { ...alarmTarget, Syslog: { ...alarmTarget.Syslog, members } };
  return { reader: readerOf(resource), kept: v.strictObject(storedEntries(members)) };
}

describe("a limit of an alarm target", () => {
  it("is what a body is read by, what is kept, and what is described", () => {
    const { reader, kept } = withFacility(7);
    expect(refusals(reader, { Syslog: { Facility: 7 } })).toEqual([]);
    expect(refusals(reader, { Syslog: { Facility: 8 } })).toEqual([
      "Syslog.Facility: accepted: a whole number 0 to 7",
    ]);
    const stored = { host: "box", port: 514, transport: "udp", facility: 7 };
    expect(v.is(kept, stored)).toBe(true);
    expect(v.is(kept, { ...stored, facility: 8 })).toBe(false);
    const described = schemaOfBody(reader).properties?.Syslog?.properties?.Facility;
    expect(described).toMatchObject({ minimum: 0, maximum: 7 });
  });

  it("has a port for each way, which its text names", () => {
    expect(Object.keys(MAIL_PORTS).sort()).toEqual([...mail.Security.of].sort());
    expect(Object.keys(SYSLOG_PORTS).sort()).toEqual([...syslog.Transport.of].sort());
    for (const port of Object.values(MAIL_PORTS))
      expect(alarmTargetTexts["Mail.Port"]).toContain(String(port));
    for (const port of Object.values(SYSLOG_PORTS))
      expect(alarmTargetTexts["Syslog.Port"]).toContain(String(port));
  });

  it("is kept with the defaults of the contract, and words with a small first letter", () => {
    const given = { Host: "mail", Sender: "a@b.c", Recipients: ["d@e.f"] };
    expect(changed(without(mail, "Port", "Password"), given)).toEqual({
      ...{ host: "mail", security: "startTls", login: "", sender: "a@b.c", recipients: ["d@e.f"] },
    });
  });

  it("says in its description what is usual", () => {
    const notes = notesOf(alarmTarget, alarmTargetTexts);
    expect(notes["QuietHours.From"]).toMatchObject({ default: "22:00" });
    expect(notes["Mail.Security"]).toEqual({ default: "StartTls" });
    expect(notes["Mail.Login"]).toBeUndefined();
  });
});

describe("a week of a body", () => {
  const reader = readerOfValue(sendingHours.Week);

  it("has ranges by day, with members in any case", () => {
    const week = { Monday: [{ from: "08:00", TO: "24:00" }] };
    expect(v.parse(reader, week)).toEqual({ Monday: [{ From: "08:00", To: "24:00" }] });
  });

  it.each([
    ["a misspelled day", { monday: [] }, "monday: accepted: days with their hours"],
    ["a range without its end", { Monday: [{ From: "08:00" }] }, "Monday.0.To: accepted: an object"],
    [
      "a time that is none",
      { Friday: [{ From: "8:00", To: "09:00" }] },
      "Friday.0.From: accepted: a time of day such as 22:00",
    ],
    ["a text", "Monday", "accepted: days with their hours"],
  ])("is refused with %s", (_what, week, message) => {
    expect(refusals(reader, week).join()).toContain(message);
  });

  it("has at most 48 ranges a day, on the wire and as it is kept", () => {
    const times = (count: number) => Array.from({ length: count }, (_, at) => at * 2);
    const kept = (count: number) => ({
      Sunday: times(count).map((fromMinute) => ({ fromMinute, toMinute: fromMinute + 1 })),
    });
    expect(refusals(reader, shownWeek(kept(48)))).toEqual([]);
    expect(refusals(reader, shownWeek(kept(49)))).toEqual(["Sunday: accepted: at most 48 ranges of a day"]);
    expect(v.is(storedValue(sendingHours.Week), kept(48))).toBe(true);
    expect(v.is(storedValue(sendingHours.Week), kept(49))).toBe(false);
  });
});

it("an answer describes a week and times as what they are, and names no defaults", () => {
  const { QuietHours, SendingHours, RecorderEvents } = eventSelection;
  expect(schemaOf(SendingHours).properties?.Week).toMatchObject({
    title: "SendingWeek",
    type: ["object", "null"],
  });
  expect(schemaOf(SendingHours).properties?.Otherwise).toEqual({ type: "string", enum: ["Later", "Never"] });
  expect(schemaOf(QuietHours).properties?.From).toEqual({ type: "string" });
  expect(schemaOf(RecorderEvents)).toEqual({ type: "boolean" });
});
