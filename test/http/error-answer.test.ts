import { expect, it } from "vitest";
import { NvrdError } from "../../src/base/index.js";
import { answerError } from "../../src/http/error-answer.js";
import { parseXml } from "../support/camera/parse-xml.js";

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

it("under /onvif it is a SOAP fault, also of a service that stops: clients give up where they get no XML", () => {
  const answer = answerError(new NvrdError("NOT_AVAILABLE", "a < b & c"), "/onvif/event_service.7");
  expect(answer.status).toBe(503);
  expect(answer.headers).toContainEqual(["Content-Type", "application/soap+xml; charset=utf-8"]);
  const fault = parseXml(Buffer.from(answer.body as Uint8Array)).at("Envelope", "Body", "Fault");
  expect(fault?.text("Code", "Value")).toBe("s:Receiver");
  expect(fault?.text("Reason", "Text")).toContain("a < b & c");
  const theirs = answerError(new NvrdError("NOT_FOUND", "no device"), "/onvif/device_service");
  expect(Buffer.from(theirs.body as Uint8Array).toString()).toContain("<s:Value>s:Sender</s:Value>");
});
