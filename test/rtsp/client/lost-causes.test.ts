import { describe, expect, test } from "vitest";
import {
  causeOf,
  connectionFailure,
  RtspFailure,
  statusFailure,
} from "../../../src/rtsp/client/rtsp-failure.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { makeSource } from "../../support/rtsp/source-harness.js";

describe("the cause of a lost stream", () => {
  const refused = connectionFailure(Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "camera", false);
  const noTls = connectionFailure(Object.assign(new Error("x"), { code: "EPROTO" }), "camera", true);
  test.each([
    ["a closed port", refused, false, "unreachable"],
    ["a port that closes while frames come", refused, true, "interrupted"],
    ["a failed handshake", noTls, false, "insecure"],
    ["404", statusFailure(404, "Not Found", "DESCRIBE"), false, "no-stream"],
    ["403", statusFailure(403, "Forbidden", "DESCRIBE"), false, "unauthorized"],
    ["453", statusFailure(453, "Not Enough Bandwidth", "SETUP"), false, "no-stream"],
    ["an unknown codec", new RtspFailure("unsupported", "x"), false, "unsupported"],
    ["frames that stop", new RtspFailure("stalled", "x"), true, "interrupted"],
  ] as const)("of %s", (_what, failure, hadFrames, cause) => {
    expect(causeOf(failure.kind, hadFrames)).toBe(cause);
  });
});

describe("before anything is sent", () => {
  const lost = async (options: Parameters<typeof makeSource>[0]) => {
    const harness = makeSource(options);
    harness.source.start();
    await harness.until(() => harness.states.some(({ state }) => state === "lost"), PATIENCE_MS);
    await harness.source.stop();
    return harness.states.find(({ state }) => state === "lost");
  };
  test("an address without TLS is not contacted if only secure connections are allowed", async () => {
    expect(await lost({ url: "rtsp://127.0.0.1:9/", secureOnly: true })).toMatchObject({ cause: "insecure" });
  });
  test("an IPv6 address is not contacted if IPv6 is off", async () => {
    const state = await lost({ url: "rtsp://[::1]:9/", ipv4Only: true });
    expect(state).toMatchObject({ cause: "unreachable", reason: expect.stringContaining("IPv6") });
  });
});

test.each([
  ["rtsp://[::1]:9/", /^\[::1\]:9 refuses the connection: check the port/],
  ["rtsps://127.0.0.1:9/", /^127.0.0.1:9 refuses the secure connection: switch RTSPS on/],
])("a port that nobody listens at is reported with its address: %s", async (url, words) => {
  const harness = makeSource({ url });
  harness.source.start();
  await harness.until(() => harness.states.some(({ state }) => state === "lost"), PATIENCE_MS);
  await harness.source.stop();
  const lost = harness.states.find(({ state }) => state === "lost");
  expect(lost).toMatchObject({ reason: expect.stringMatching(words) });
});
