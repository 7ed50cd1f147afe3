import { describe, expect, it } from "vitest";
import { type ApiRequest, Query } from "../../src/http/index.js";
import { readExpectedRevision, withRevision } from "../../src/route/collection/expected-revision.js";

/** A request with this `If-Match` and this query. */
function asked(ifMatch?: string, query = ""): ApiRequest {
  return {
    header: (name: string) => (name === "if-match" ? ifMatch : undefined),
    query: new Query(query),
  } as unknown as ApiRequest;
}

describe("the revision that a change is based on", () => {
  it.each([
    ["nothing", undefined, "", undefined],
    ["any", "*", "", undefined],
    ["a bare number", "17", "", 17],
    ["an entity tag", '"17"', "", 17],
    ["a weak one", 'W/"17"', "", 17],
    ["one between spaces", ' "17" ', "", 17],
    ["a parameter", undefined, "revision=18", 18],
    ["a parameter, and any", "*", "revision=18", 18],
    ["both, the same", '"18"', "revision=18", 18],
    ["the first", '"0"', "", 0],
    ["the largest", "9007199254740991", "", Number.MAX_SAFE_INTEGER],
  ])("is read of %s", (_, ifMatch, query, revision) => {
    expect(readExpectedRevision(asked(ifMatch, query))).toBe(revision);
  });

  it.each([
    ["two that differ", '"17"', "revision=18", /differ/],
    ["a word", '"a"', "", /If-Match must be a revision number/],
    ["a tag that does not end", '"17', "", /If-Match/],
    ["a number below none", "-1", "", /If-Match/],
    ["a number that is too large", "9007199254740992", "", /If-Match/],
    ["a number of 17 digits", "10000000000000000", "", /If-Match/],
    ["a list", '"17", "18"', "", /If-Match/],
    ["a parameter of letters", undefined, "revision=x", /revision/],
  ])("is refused where it is %s", (_, ifMatch, query, why) => {
    expect(() => readExpectedRevision(asked(ifMatch, query))).toThrow(why);
  });

  it("is the entity tag of an answer, behind its other headers", () => {
    const answer = withRevision({ status: 200, headers: [["A", "b"]], body: Buffer.from("x") }, 19);
    expect(answer.headers).toEqual([
      ["A", "b"],
      ["ETag", '"19"'],
    ]);
    expect([answer.status, String(answer.body)]).toEqual([200, "x"]);
  });
});
