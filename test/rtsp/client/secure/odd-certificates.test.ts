import { afterEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../support/base/temporary-directory.js";
import { ODD_CERTIFICATES } from "../../../support/http/odd-certificates.js";
import { TlsProxy } from "../../../support/http/tls-proxy.js";
import { cameraAnswers, ScriptedRtspServer } from "../../../support/rtsp/scripted-rtsp-server.js";
import { makeSource } from "../../../support/rtsp/source-harness.js";
import { TunnelFront } from "../../../support/rtsp/tunnel-front.js";

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

const WEAK = { ciphers: "DEFAULT:@SECLEVEL=0", minVersion: "TLSv1" } as const;
const CERTIFICATES = Object.entries(ODD_CERTIFICATES);

/** Resolves when pictures come; rejects where they do not. Answers the keys that were asked about. */
async function receive(url: string): Promise<string[]> {
  const keys: string[] = [];
  const harness = makeSource({ url, acceptsKey: (_port, { sha256 }) => keys.push(sha256) > 0 });
  open.push(harness.source);
  harness.source.start();
  await harness.until(() => harness.frames.length >= 3);
  return keys;
}

describe("a camera with a certificate", () => {
  test.each(CERTIFICATES)("%s is received over RTSPS by its key", async (_what, make) => {
    const camera = await new ScriptedRtspServer(cameraAnswers()).start();
    const proxy = await TlsProxy.start(camera.port, { ...WEAK, ...make(await temporaryDirectory()) });
    open.push(camera, proxy);
    const keys = await receive(`rtsps://127.0.0.1:${proxy.port}/live`);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test.each(CERTIFICATES)("%s is received through HTTPS", async (_what, make) => {
    const camera = await new ScriptedRtspServer(cameraAnswers()).start();
    const tls = { ...WEAK, ...make(await temporaryDirectory()) };
    const front = await TunnelFront.start(camera.port, { tls });
    open.push(camera, front);
    expect((await receive(front.url)).length).toBeGreaterThan(0);
  });
});
