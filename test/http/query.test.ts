import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NvrdError } from "../../src/base/index.js";
import { QUERY_PARAMETERS_MAX, Query } from "../../src/http/query.js";
import { framingFault, normalizeAddress, normalizePath } from "../../src/http/request.js";

const parameterName = fc.stringMatching(/^[a-z][a-z0-9]{0,12}$/);
const parameterValue = fc.string({ unit: "grapheme", maxLength: 40 });

/** Lone surrogates have no UTF-8 form: a client cannot send them. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** Upper case for each character that `mask` says. */
function mixCase(text: string, mask: readonly boolean[]): string {
  return [...text]
    .map((char, index) => (mask[index % (mask.length || 1)] ? char.toUpperCase() : char))
    .join("");
}

describe("Query", () => {
  it("gives back every value that was percent-encoded, whatever the names' case", () => {
    fc.assert(
      fc.property(
        fc.dictionary(parameterName, parameterValue, { maxKeys: 20 }),
        fc.array(fc.boolean(), { minLength: 1 }),
        (values, mask) => {
          const raw = Object.entries(values)
            .map(([name, value]) => `${mixCase(name, mask)}=${encodeURIComponent(wellFormed(value))}`)
            .join("&");
          const query = new Query(raw);
          for (const [name, value] of Object.entries(values)) expect(query.get(name)).toBe(wellFormed(value));
        },
      ),
    );
  });

  it("never throws anything but BAD_REQUEST, whatever it is given", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (raw) => {
        try {
          const query = new Query(raw);
          query.get("a");
          query.time("b");
          query.oneOf("c", ["on", "off"], "off");
        } catch (error) {
          expect(error).toBeInstanceOf(NvrdError);
          expect((error as NvrdError).status).toBe(400);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("reads + and %20 as a blank, %2B as a plus", () => {
    const query = new Query("a=1+2&b=1%202&c=1%2B2");
    expect([query.get("a"), query.get("b"), query.get("c")]).toEqual(["1 2", "1 2", "1+2"]);
  });

  it("ignores a leading ?& and names nobody asks for", () => {
    const query = new Query("?&login=root&amp;password=x&is_ajax=true&&=");
    expect(query.get("login")).toBe("root");
    expect(query.get("password")).toBeUndefined();
  });

  it("takes one parameter sent twice alike, refuses it with two values when it is asked for", () => {
    const query = new Query("a=1&A=1&b=1&B=2");
    expect(query.get("a")).toBe("1");
    expect(() => query.get("b")).toThrow(/twice/);
  });

  it("refuses broken percent escapes and bytes that are no UTF-8", () => {
    for (const raw of ["a=%", "a=%1", "a=%zz", "a=%ff", "%c3%28=1"])
      expect(() => new Query(raw)).toThrow(/escape/);
  });

  it("refuses more parameters than its bound", () => {
    const of = (count: number): string =>
      Array.from({ length: count }, (_, index) => `p${index}=1`).join("&");
    expect(new Query(of(QUERY_PARAMETERS_MAX)).get("p99")).toBe("1");
    expect(() => new Query(of(QUERY_PARAMETERS_MAX + 1))).toThrow(/more than/);
  });

  it("matches enum values in any case and names those it knows otherwise", () => {
    expect(new Query("a=ARCHIVE").oneOf("a", ["realtime", "archive"], "realtime")).toBe("archive");
    expect(new Query("a=").oneOf("a", ["realtime", "archive"], "realtime")).toBe("realtime");
    expect(() => new Query("a=x").oneOf("a", ["realtime", "archive"], "realtime")).toThrow(
      /realtime, archive/,
    );
  });
});

describe("paths and addresses", () => {
  it.each([
    ["//command", "/command"],
    ["/Configure//Channels/", "/configure/channels"],
    ["/%76ideo", "/video"],
    ["/", "/"],
  ])("%s is %s", (url, path) => expect(normalizePath(url)).toBe(path));

  it("refuses control characters and broken escapes in a path", () => {
    expect(() => normalizePath("/a%00b")).toThrow(/control/);
    expect(() => normalizePath("/a%")).toThrow(/escape/);
  });

  it.each([
    ["0000:0000:0000:0000:0000:ffff:c000:0201", "192.0.2.1"],
    ["192.0.2.1", "192.0.2.1"],
    ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
    ["", ""],
  ])("the address %s is %s", (text, address) => expect(normalizeAddress(text)).toBe(address));

  it("sees repeated headers that must stand alone, and lets others repeat", () => {
    expect(
      framingFault([
        ["host", "a"],
        ["host", "a"],
      ]),
    ).toBe("the header host comes twice");
    expect(
      framingFault([
        ["accept", "a"],
        ["accept", "b"],
        ["host", "a"],
      ]),
    ).toBeUndefined();
  });
});
