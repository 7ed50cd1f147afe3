import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ERRORS, NvrdError } from "../../src/base/index.js";
import { Query } from "../../src/http/query.js";

/** What a request may hold: any moment of a year that two digits can name, in whole seconds. */
const moment = fc.date({
  min: new Date("2000-01-01T00:00:00Z"),
  max: new Date("2099-12-31T23:59:59Z"),
  noInvalidDate: true,
});
const spelling = fc.record({
  mark: fc.constantFrom(".", "-", "/"),
  yearFirst: fc.boolean(),
  shortYear: fc.boolean(),
  padded: fc.boolean(),
  blank: fc.constantFrom("+", "%20", "%2B", "%20%20"),
  colon: fc.constantFrom(":", "%3A", "%3a"),
  fraction: fc.option(fc.stringMatching(/^[0-9]{1,7}$/)),
  point: fc.constantFrom(".", ",", "%2C"),
});
type Spelling = typeof spelling extends fc.Arbitrary<infer T> ? T : never;

/** The time as a program would put it into a query. */
function spell(date: Date, how: Spelling): string {
  const number = (value: number): string => (how.padded ? String(value).padStart(2, "0") : String(value));
  const year = String(date.getUTCFullYear());
  const day = number(date.getUTCDate());
  const month = number(date.getUTCMonth() + 1);
  const dayFirst = [day, month, how.shortYear ? year.slice(2) : year];
  const parts = how.yearFirst ? [year, month, day] : dayFirst;
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(number).join(how.colon);
  const fraction = how.fraction === null ? "" : how.point + how.fraction;
  return `${parts.join(how.mark)}${how.blank}${clock}${fraction}`;
}

describe("a time in a query", () => {
  it("is read in every spelling that programs use, to the microsecond", () => {
    const property = fc.property(moment, spelling, (date, how) => {
      const seconds = Math.floor(date.getTime() / 1000);
      const fractionUs = Math.floor(Number((how.fraction ?? "").padEnd(7, "0")) / 10);
      const query = new Query(`?&FromTime=${spell(date, how)}`);
      expect(query.requireTime("fromtime")).toBe(seconds * 1_000_000 + fractionUs);
    });
    fc.assert(property, { numRuns: 2000 });
  });

  it("is read as .NET writes it in en-US: the month first, AM or PM behind it", () => {
    const blanks = fc.constantFrom("%20", "+", "%E2%80%AF", "%C2%A0");
    const property = fc.property(moment, blanks, fc.boolean(), (date, blank, escaped) => {
      const hours = date.getUTCHours();
      const day = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCFullYear()].join(
        escaped ? "%2F" : "/",
      );
      const minutes = date.toISOString().slice(14, 19).replace(":", "%3A");
      const text = `${day}%20${hours % 12 === 0 ? 12 : hours % 12}:${minutes}${blank}${hours < 12 ? "AM" : "PM"}`;
      expect(new Query(`startTime=${text}`).requireTime("starttime")).toBe(
        Math.floor(date.getTime() / 1000) * 1_000_000,
      );
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it.each([
    ["a day in the month's place", "22/11/2026 1:00:00 PM"],
    ["dots", "11.22.2026 1:00:00 PM"],
    ["dashes", "11-22-2026 1:00:00 PM"],
    ["a short year", "11/22/26 1:00:00 PM"],
    ["the year first", "2026/11/22 1:00:00 PM"],
    ["an hour 13", "11/22/2026 13:00:00 PM"],
    ["an hour 0", "11/22/2026 0:00:00 AM"],
    ["a 31st of November", "11/31/2026 1:00:00 AM"],
    ["no blank", "11/22/2026 1:00:00PM"],
    ["half a word", "11/22/2026 1:00:00 P"],
  ])("with AM or PM is refused with %s", (_what, text) => {
    const refused = catching(() => new Query(`t=${encodeURIComponent(text)}`).time("t"));
    expect(refused.code).toBe("BAD_TIME");
  });

  it("without AM and PM has the day first, whatever divides it", () => {
    expect(new Query("t=11/12/2026+1:00:00").time("t")).toBe(Date.UTC(2026, 11, 11, 1) * 1000);
  });

  it.each([
    ["11/28/2026 16:51:06", "2026-11-28T16:51:06Z"],
    ["1/31/2026 0:00:00.25", "2026-01-31T00:00:00.25Z"],
    ["12/13/2026 09:00:00", "2026-12-13T09:00:00Z"],
    ["13/12/2026 09:00:00", "2026-12-13T09:00:00Z"],
  ])("without AM and PM has the month first where the day cannot be a month: %s", (text, iso) => {
    expect(new Query(`t=${encodeURIComponent(text)}`).time("t")).toBe(Date.parse(iso) * 1000);
  });

  it.each([
    "11.28.2026 16:51:06",
    "11-28-2026 16:51:06",
    "11/28/26 16:51:06",
    "11/31/2026 16:51:06",
    "13/28/2026 16:51:06",
  ])("with a day that no order explains is refused: %s", (text) => {
    expect(catching(() => new Query(`t=${encodeURIComponent(text)}`).time("t")).code).toBe("BAD_TIME");
  });

  it.each([
    ["2026-11-21T09:00:00", "2026-11-21T09:00:00Z"],
    ["2026-11-21T09:00:00Z", "2026-11-21T09:00:00Z"],
    ["2026-11-21T09:00:00.1250000Z", "2026-11-21T09:00:00.125Z"],
    ["2026-11-21T12:00:00%2B03:00", "2026-11-21T09:00:00Z"],
    ["2026-11-21T12:00:00+03:00", "2026-11-21T09:00:00Z"],
    ["2026-11-21T04:00:00-05%3A00", "2026-11-21T09:00:00Z"],
    ["0001-01-01T00:00:00", "1970-01-01T00:00:00Z"],
  ])("is read in ISO 8601: %s", (text, iso) => {
    expect(new Query(`t=${text}`).time("t")).toBe(Date.parse(iso) * 1000);
  });

  it.each(["2026-02-31T09:00:00Z", "2026-11-21T25:00:00Z", "2026-11-21T09:00Z", "2026-11-21T09:00:00 Z"])(
    "in ISO 8601 that is no time is refused: %s",
    (text) => {
      expect(catching(() => new Query(`t=${encodeURIComponent(text)}`).time("t")).code).toBe("BAD_TIME");
    },
  );

  it.each([
    ["a T before the clock", (text: string) => text.replace(/ /, "T")],
    ["nothing before the clock", (text: string) => text.replace(/ /, "")],
    ["two marks", (text: string) => text.replace(".", "-")],
    ["a colon between the date's parts", (text: string) => text.replace(".", ":")],
    ["a Z behind it", (text: string) => `${text}Z`],
    ["an offset behind it", (text: string) => `${text} 03:00`],
    ["no seconds", (text: string) => text.slice(0, -3)],
    ["no clock", (text: string) => text.slice(0, 10)],
    ["no date", (text: string) => text.slice(11)],
    ["a thirteenth month", (text: string) => text.replace(/\.\d\d\./, ".13.")],
    ["an hour too many", (text: string) => text.replace(/ \d\d/, " 24")],
    ["a second too many", (text: string) => text.replace(/\d\d$/, "60")],
    ["an eighth digit of a fraction", (text: string) => `${text}.12345678`],
    ["AM behind it", (text: string) => `${text} AM`],
    ["words around it", (text: string) => `'${text}'`],
  ])("is refused with %s, and told what is accepted", (_what, spoil) => {
    const property = fc.property(moment, (date) => {
      const padded = { mark: ".", yearFirst: false, shortYear: false, padded: true, blank: " ", colon: ":" };
      const text = spoil(spell(date, { ...padded, fraction: null, point: "." } as Spelling));
      const query = new Query(`searchtime=${encodeURIComponent(text)}`);
      const refused = catching(() => query.requireTime("searchtime"));
      expect(refused.code).toBe("BAD_TIME");
      expect(refused.message).toContain('"searchtime"');
      expect(refused.hint).toContain("dd.MM.yyyy HH:mm:ss[.fff]");
    });
    fc.assert(property);
  });

  it("that is no time at all is refused in the same way, whatever it is", () => {
    const property = fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }), (text) => {
      fc.pre(!/^\s*\d/.test(text) && text.trim() !== "");
      const query = new Query(`t=${encodeURIComponent(Buffer.from(text).toString())}`);
      const refused = catching(() => query.time("t"));
      expect([refused.code, refused.hint]).toEqual(["BAD_TIME", ERRORS.BAD_TIME.hint]);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("that is not sent is missing where it must be there, and nothing where it need not", () => {
    for (const raw of ["", "t=", "t"]) {
      expect(new Query(raw).time("t")).toBeUndefined();
      expect(catching(() => new Query(raw).requireTime("t")).code).toBe("BAD_REQUEST");
    }
  });
});

function catching(act: () => unknown): NvrdError {
  try {
    act();
  } catch (error) {
    if (error instanceof NvrdError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
