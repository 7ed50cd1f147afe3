import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { noProxy, ReverseProxy } from "../support/http/reverse-proxy.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";

/** The page behind a proxy that has the recorder below a path, and takes the path off. */

const missing = noBrowser ?? noProxy("nginx");
const PATH = "/home/nvr";
const CONFIG = `server {
  listen 443 ssl;
  location ${PATH}/ {
    proxy_pass http://127.0.0.1:8080/;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection "upgrade";
  }
}
`;

describe.skipIf(missing !== undefined)(`the page below a path${notHere(missing)}`, () => {
  const browser = new PageBrowser();
  const directory = new TemporaryDirectory("below");
  let service: PageService;
  let proxy: ReverseProxy;

  beforeAll(async () => {
    service = await PageService.start({ cameras: ["Gate"], settings: { trustedProxies: ["127.0.0.1"] } });
    const upstream = Number(new URL(service.origin).port);
    proxy = await ReverseProxy.start("nginx", { directory, upstream, config: CONFIG, plain: true });
  });
  afterAll(async () => {
    await browser.close();
    await proxy?.stop();
    await service?.stop();
    directory.remove();
  });

  it("logs in, shows the wall moving, and asks nothing outside of the path", async () => {
    await browser.visit(`http://127.0.0.1:${proxy.port}${PATH}`, { isNobody: true }, async (visit) => {
      const asked: string[] = [];
      visit.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      visit.page.on("websocket", (socket) => asked.push(new URL(socket.url()).pathname));
      await visit.logIn();
      const shown = visit.page.locator("video").first();
      const second = (): Promise<number> =>
        shown.evaluate((video) => (video as unknown as { currentTime: number }).currentTime);
      await expect.poll(second, { timeout: PATIENCE_MS }).toBeGreaterThan(0.5);
      await visit.page.goto(`http://127.0.0.1:${proxy.port}${PATH}/#/settings?part=maintenance`);
      const file = visit.page.locator("a[download='nvrd-configuration.json']");
      expect(await file.getAttribute("href")).toBe(`${PATH}/api/system/configuration`);
      expect(asked).toContain(`${PATH}/api/live`);
      expect(asked.filter((path) => !path.startsWith(`${PATH}/`))).toEqual([]);
    });
  });
});
