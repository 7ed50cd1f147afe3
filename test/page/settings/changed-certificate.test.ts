import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clipLane } from "../../../src/demo/clip-player.js";
import { H264_CLIP, readClip } from "../../../src/demo/demo-cameras.js";
import { notHere } from "../../support/base/not-here.js";
import { TlsProxy } from "../../support/http/tls-proxy.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";
import { type ClipServer, startClipServer } from "../../support/rtsp/clip-server.js";

/** A camera with RTSPS that shows another certificate than at first. */

interface Key {
  readonly Sha256: string;
  readonly Offered: string | null;
}

const browser = new PageBrowser();
let recorder: PageService;
let camera: ClipServer;
let proxy: TlsProxy;
let id: string;

beforeAll(async () => {
  camera = await startClipServer([clipLane(await readClip(H264_CLIP))]);
  proxy = await TlsProxy.start(camera.port);
  recorder = await PageService.start();
  [id = ""] = await recorder.service.addCameras([
    { name: "Gate", url: `rtsps://127.0.0.1:${proxy.port}/clip` },
  ]);
  await recorder.service.recorded([id], 1_000_000);
});

/** The camera has another key than the one that is known, and than the one that it showed last. */
beforeEach(async () => {
  const shownLast = (await known())?.Offered ?? null;
  proxy.renew("new key");
  proxy.disconnect();
  await expect
    .poll(async () => (await known())?.Offered ?? null)
    .toSatisfy((offered: string | null) => offered !== null && offered !== shownLast);
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await proxy?.stop();
  await camera?.stop();
});

async function known(): Promise<Key | undefined> {
  const [first] = await recorder.service.json<Key[]>(`/api/channels/${id}/certificate`);
  return first;
}

async function openCamera(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.page
    .getByRole("heading", { level: 3, name: /^(Another certificate|Другой сертификат)$/ })
    .waitFor();
}

describe.skipIf(noBrowser !== undefined)(`a changed certificate${notHere(noBrowser)}`, () => {
  const address = (): string => `#/settings?part=cameras&camera=${id}`;

  it.each(LOOKS)(
    "is told with both keys and what may be the reason, at $size size, $theme, $language",
    (options) =>
      browser.visit(recorder.origin, { ...options, address: address() }, async (visit) => {
        await openCamera(visit);
        const { Sha256 = "", Offered } = (await known()) ?? {};
        await visit.page.getByText(Sha256).waitFor();
        await visit.page.getByText(Offered ?? "none").waitFor();
        await visit.shot("certificate");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
        await visit.page.goto(`${recorder.origin}/#/settings?part=cameras`);
        await visit.page
          .getByText(/It shows another certificate than before\.|Сертификат не тот, что был раньше\./)
          .waitFor();
        await visit.shot("certificate-list");
      }),
  );

  it("is accepted by the keyboard alone, and the camera is recorded again", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await openCamera(visit);
      const offered = (await known())?.Offered;
      await visit.button("It is my camera: accept").focus();
      await visit.page.keyboard.press("Enter");
      await visit.page.getByText("The certificate is accepted.").waitFor();
      await expect.poll(async () => (await known())?.Sha256).toBe(offered);
      await visit.page.getByText("Is recorded.").waitFor();
      expect(await visit.page.getByRole("heading", { name: "Another certificate" }).count()).toBe(0);
    }));
});
