import { describe, expect, it } from "vitest";
import { REQUEST_BYTES_MAX } from "../../src/onvif/soap/soap-request.js";
import { forEachTest } from "../support/base/for-tests.js";
import { ALICE, MemoryDevice } from "../support/onvif/memory-device.js";
import { question } from "../support/onvif/soap-questions.js";

const bench = forEachTest(() => MemoryDevice.create());

const TIME = question("http://www.onvif.org/ver10/device/wsdl", "GetSystemDateAndTime");

describe("a request that is no question", () => {
  it.each([
    ["nothing", ""],
    ["no XML", "GET / HTTP/1.1"],
    ["another document", "<a/>"],
    ["no operation", TIME.replace(/<m:Get[^>]*><\/m:[^>]*>/, "")],
    ["cut off", TIME.slice(0, -10)],
    ["a document type", `<!DOCTYPE a [<!ENTITY b "c">]>${TIME}`],
    ["too deep", `${"<a>".repeat(1000)}${"</a>".repeat(1000)}`],
    ["too many attributes", `<a ${"b='' ".repeat(5000)}/>`],
    ["bytes", "\u0000\u0001\u0002<\u0000"],
  ])("%s is answered with WellFormed", async (_what, text) => {
    expect(await bench.send("device_service", text)).toMatchObject({ status: 400, fault: "WellFormed" });
  });

  it("is refused unread where it is too large", async () => {
    const large = TIME.replace("<s:Header>", `<s:Header>${" ".repeat(REQUEST_BYTES_MAX)}`);
    expect(await bench.send("device_service", large)).toMatchObject({ status: 413, fault: "WellFormed" });
  });

  it("costs its sender, and others are answered", async () => {
    const bomb = `<a>${"<b/>".repeat(8000)}</a>`;
    let answered = 0;
    for (let count = 0; count < 60; count += 1)
      void bench.send("device_service", bomb, { address: "192.0.2.66" }).then(({ fault }) => {
        expect(fault).toBe("WellFormed");
        answered += 1;
      });
    expect((await bench.send("device_service", TIME)).status).toBe(200);
    expect(answered).toBeLessThan(60);
    await bench.clock.advanceSlowly(60_000_000, 500_000, () => answered === 60);
    expect(answered).toBe(60);
  });
});

it("names from outside come back escaped, or not at all", async () => {
  const token = "&lt;/tt:Uri&gt;&amp;&quot;";
  const content = `<m:ProfileToken>${token}</m:ProfileToken>`;
  const answer = await bench.ask("media_service", "GetStreamUri", { login: ALICE, content });
  expect(answer.fault).toBe("InvalidArgVal/NoProfile");
  expect(answer.text).not.toContain("</tt:Uri>");
  for (const host of ['evil"><x', "a b", "", "x".repeat(300), "host:1:2"]) {
    const { status, text } = await bench.ask("device_service", "GetServices", { host });
    expect(status, host).toBe(400);
    expect(text).not.toContain("<x");
  }
});

it("what is not served is the fault ActionNotSupported", async () => {
  for (const [service, operation] of [
    ["device_service", "GetUsers"],
    ["device_service", "SystemReboot"],
    ["media_service", "CreateProfile"],
    ["ptz_service", "SetHomePosition"],
    ["ptz_service", "SendAuxiliaryCommand"],
    ["recording_service", "CreateRecording"],
  ] as const)
    expect(await bench.ask(service, operation, { login: ALICE }), operation).toMatchObject({
      status: 500,
      fault: "ActionNotSupported",
    });
  expect((await bench.ask("imaging_service", "GetStatus", { namespace: "x" })).status).toBe(404);
});
