import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clipLane } from "../../../src/demo/clip-player.js";
import { H264_CLIP, readClip } from "../../../src/demo/demo-cameras.js";
import { notHere } from "../../support/base/not-here.js";
import { TlsProxy } from "../../support/http/tls-proxy.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { LOOKS } from "../../support/page/page-visit.js";
import { type ClipServer, startClipServer } from "../../support/rtsp/clip-server.js";

const PATIENCE = { timeout: 40_000 };
const ACCEPT = /^(It is my camera: accept|Это моя камера: принять)$/;

const browser = new PageBrowser();
let recorder: PageService;
let camera: ClipServer;
let proxy: TlsProxy;
let id = "";

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  recorder = await PageService.start({ cameras: ["Yard"] });
  camera = await startClipServer([clipLane(await readClip(H264_CLIP))]);
  proxy = await TlsProxy.start(camera.port);
  const url = `rtsps://127.0.0.1:${proxy.port}/clip`;
  [id = ""] = await recorder.service.addCameras([{ name: "Gate", url }]);
  await cause(null);
  proxy.renew("new key");
  proxy.disconnect();
  await cause("certificate-changed");
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await proxy?.stop();
  await camera?.stop();
});

async function cause(wanted: string | null): Promise<void> {
  const isSo = async (): Promise<boolean> => {
    const path = `/api/channels/${id}/status`;
    const { Status, Cause } = await recorder.service.json<{ Status: string; Cause: string | null }>(path);
    return Cause === wanted && (wanted !== null || Status === "Ok");
  };
  await expect.poll(isSo, PATIENCE).toBe(true);
}

describe.skipIf(noBrowser !== undefined)(`a camera with another certificate${notHere(noBrowser)}`, () => {
  const address = (): string => `#/settings?part=cameras&camera=${id}`;

  it.each(LOOKS)("says so, at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, address: address() }, async (visit) => {
      await visit.logIn();
      await visit.page.getByRole("button", { name: ACCEPT }).waitFor(PATIENCE);
      await visit.shot("changed-certificate");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("is connected again once it is accepted", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await visit.logIn();
      await visit.page.getByRole("button", { name: ACCEPT }).click(PATIENCE);
      await visit.page.getByText("The certificate is accepted.").waitFor(PATIENCE);
      await cause(null);
      await visit.page.getByRole("button", { name: ACCEPT }).waitFor({ ...PATIENCE, state: "detached" });
    }));
});
