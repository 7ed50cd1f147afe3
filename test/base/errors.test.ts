import { describe, expect, it } from "vitest";
import { ERRORS, errorText, NvrdError } from "../../src/base/index.js";

describe("the catalogue of errors", () => {
  it("gives each code a status and a hint that says what to do", () => {
    for (const [code, { status, hint }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[A-Z_]+$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(hint.length).toBeGreaterThan(10);
    }
  });

  it("gives an NvrdError its code, hint and status, and keeps the cause", () => {
    const cause = new Error("below");
    const error = new NvrdError("CONFLICT", "revision 3 was expected", { cause });
    expect(error).toMatchObject({
      name: "NvrdError",
      code: "CONFLICT",
      status: 409,
      hint: ERRORS.CONFLICT.hint,
      cause,
    });
  });

  it("errorText returns the message of anything thrown", () => {
    expect([new Error("a"), "b", 3, undefined].map(errorText)).toEqual(["a", "b", "3", "undefined"]);
  });
});
