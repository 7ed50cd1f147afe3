import { expect, it } from "vitest";
import { NvrdError } from "../../src/base/index.js";
import { answerError } from "../../src/http/error-answer.js";

it("an error that says when to try again is answered with Retry-After, whole seconds rounded up", () => {
  const error = new NvrdError("TOO_MANY_REQUESTS", "too many failed logins", { retryAfterMs: 1500 });
  const answer = answerError(error, "/video");
  expect(answer.status).toBe(429);
  expect(answer.headers).toContainEqual(["Retry-After", "2"]);
});

it("an error that does not is answered without", () => {
  const { headers } = answerError(new NvrdError("NOT_AVAILABLE", "no frame"), "/video");
  expect(headers.map(([name]) => name)).not.toContain("Retry-After");
});
