import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { TlsProxy } from "../../../support/http/tls-proxy.js";
import { cameraAnswers, ScriptedRtspServer } from "../../../support/rtsp/scripted-rtsp-server.js";
import { lastReason, makeSource, type SourceHarness } from "../../../support/rtsp/source-harness.js";

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

function source(port: number): SourceHarness {
  const harness = makeSource({ url: `rtsps://127.0.0.1:${port}/live` });
  open.push(harness.source);
  harness.source.start();
  return harness;
}

test.each([
  ["TLS 1.3 alone", { minVersion: "TLSv1.3" }],
  ["TLS 1.1 alone", { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT:@SECLEVEL=0" }],
  ["TLS 1.0 alone", { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT:@SECLEVEL=0" }],
  ["TLS 1.2 with keys by RSA and CBC alone", { maxVersion: "TLSv1.2", ciphers: "AES256-SHA:@SECLEVEL=0" }],
  [
    "TLS 1.2 with Diffie-Hellman over numbers alone",
    { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES256-SHA:@SECLEVEL=0", dhparam: "auto" },
  ],
] as const)("a camera that knows %s is received", async (_what, rules) => {
  const camera = await new ScriptedRtspServer(cameraAnswers()).start();
  const proxy = await TlsProxy.start(camera.port, rules);
  open.push(camera, proxy);
  const harness = source(proxy.port);
  await harness.until(() => harness.frames.length > 0);
});

/** TLS 1.2 with AES128-SHA and without extensions, thus without that of RFC 5746, and a fatal alert. */
const OLD_HELLO = Buffer.concat([
  Buffer.from("160303002a02000026", "hex"),
  Buffer.from("0303", "hex"),
  Buffer.alloc(32, 7),
  Buffer.from("00002f00", "hex"),
  Buffer.from("15030300020228", "hex"),
]);

test("a camera that knows nothing of secure renegotiation (RFC 5746) is gone on with", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.write(OLD_HELLO));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({ stop: async () => void server.close() });
  const harness = source((server.address() as AddressInfo).port);
  await harness.until(() => lastReason(harness) !== "");
  // What ends the handshake is the camera's alert, not the recorder.
  expect(lastReason(harness)).toMatch(/ALERT_HANDSHAKE_FAILURE/);
});
