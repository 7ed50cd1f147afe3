import { existsSync, symlinkSync, unlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localZoneName } from "../../src/base/index.js";
import { notHere } from "../support/base/not-here.js";
import { inTimeZone } from "../support/base/time-zone.js";

const BERLIN = "/usr/share/zoneinfo/Europe/Berlin";
/** Short and of letters: Node takes a long path in TZ, or one with digits, for UTC, and computes with that too. */
const LINK = `/tmp/zone${[...`${process.pid}`].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;

async function expectZone(tz: string, name: string): Promise<void> {
  const answered = await inTimeZone(tz, () => localZoneName());
  expect(answered).toBe(name);
  expect(() => new Intl.DateTimeFormat("en", { timeZone: answered })).not.toThrow();
}

describe("the name of the time zone is one that every program knows", () => {
  it.each([
    ["a zone's name", "Europe/Moscow", "Europe/Moscow"],
    ["a zone's name with a colon", ":Europe/Berlin", "Europe/Berlin"],
    ["a file that is not there", ":/nowhere/localtime", "UTC"],
    ["hours ahead of UTC", "MSK-3", "Etc/GMT-3"],
    ["a rule", "CET-1CEST,M3.5.0,M10.5.0/3", "UTC"],
    ["nothing", "", "UTC"],
    ["a zone that nobody knows", "Europe/Nowhere", "UTC"],
    ["the text that an unset variable may become", "undefined", "UTC"],
  ])("where TZ is %s", (_, tz, name) => expectZone(tz, name));
});

const noFiles = existsSync(BERLIN) ? undefined : "no time zones on this machine";

describe.skipIf(noFiles !== undefined)(`the name of the time zone${notHere(noFiles)}`, () => {
  beforeAll(() => symlinkSync(BERLIN, LINK));
  afterAll(() => unlinkSync(LINK));

  it("is that of the file in TZ", () => expectZone(BERLIN, "Europe/Berlin"));

  it("is that of the file behind the link in TZ, as with :/etc/localtime", () =>
    expectZone(`:${LINK}`, "Europe/Berlin"));
});
