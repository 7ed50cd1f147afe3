import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { localZoneName } from "../../src/base/index.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { inTimeZone } from "../support/base/time-zone.js";

const directory = new TemporaryDirectory("local-zone");
mkdirSync(directory.join("zoneinfo/Europe"), { recursive: true });
writeFileSync(directory.join("zoneinfo/Europe/Berlin"), "TZif");
writeFileSync(directory.join("zoneinfo/Europe/Nowhere"), "TZif");
symlinkSync("zoneinfo/Europe/Berlin", directory.join("localtime"));

afterAll(() => directory.remove());

describe("the name of the time zone", () => {
  it.each([
    ["a zone's name", "Europe/Moscow", "Europe/Moscow"],
    ["a zone's name with a colon", ":Europe/Berlin", "Europe/Berlin"],
    ["a link to a zone's file", `:${directory.join("localtime")}`, "Europe/Berlin"],
    ["a zone's file", directory.join("zoneinfo/Europe/Berlin"), "Europe/Berlin"],
    ["a file of no known zone", `:${directory.join("zoneinfo/Europe/Nowhere")}`, "UTC"],
    ["a file that is not there", ":/nowhere/localtime", "UTC"],
    ["hours ahead of UTC", "MSK-3", "Etc/GMT-3"],
    ["nothing", "", "UTC"],
    ["a zone that nobody knows", "Europe/Nowhere", "UTC"],
    ["the text that an unset variable may become", "undefined", "UTC"],
  ])("is one that every program knows where TZ is %s", async (_, tz, name) => {
    const answered = await inTimeZone(tz, () => localZoneName());
    expect(answered).toBe(name);
    expect(() => new Intl.DateTimeFormat("en", { timeZone: answered })).not.toThrow();
  });
});
