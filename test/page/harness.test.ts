import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { sharedChromium } from "../support/media/chromium.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";

/** A page with a fault that axe-core knows, behind a policy that forbids scripts from elsewhere and inline. */
const FAULTY = `<!doctype html><html lang="en"><title>Faulty</title><main><h1>Faulty</h1>
<button type="button"></button><p id="wide">x</p></main></html>`;

const browser = new PageBrowser();
let server: Server;
let origin: string;
let lateTries = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    // The recorder is not there yet: Chromium says ERR_EMPTY_RESPONSE.
    if (request.url === "/?late") lateTries += 1;
    if (request.url === "/?late" && lateTries < 3) {
      request.socket.destroy();
      return;
    }
    const policy = "default-src 'self'; require-trusted-types-for 'script'";
    response.setHeader("Content-Type", "text/html");
    response.setHeader("Content-Security-Policy", policy);
    if (request.url === "/interrupted.js") response.setHeader("Content-Type", "text/javascript");
    const answers: Record<string, string> = {
      "/?inline": `${FAULTY}<script>1</script>`,
      "/?interrupted": `${FAULTY}<script src="/interrupted.js"></script>`,
      "/interrupted.js": 'console.error("Failed to load resource: net::ERR_NETWORK_CHANGED")',
    };
    response.end(answers[request.url ?? ""] ?? FAULTY);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

describe.skipIf(noBrowser !== undefined)(`a visit of the page${notHere(noBrowser)}`, () => {
  it("names what axe-core finds, under the strictest policy", () =>
    browser.visit(origin, {}, async (visit) => {
      expect(await visit.violations()).toEqual([
        expect.stringContaining("button-name | Buttons must have discernible text"),
      ]);
    }));

  it("fails when the page breaks its policy", async () => {
    const visit = browser.visit(origin, { address: "?inline" }, async () => undefined);
    await expect(visit).rejects.toThrow(/what the page did wrong/);
  });

  it("is repeated when it fails while the machine's network changes, which other tests do to it", async () => {
    let visits = 0;
    await browser.visit(origin, { address: "?interrupted" }, async (visit) => {
      visits += 1;
      await expect.poll(() => visit.networkChanged).toBe(true);
      expect(visits).toBe(2);
    });
  });

  it("is begun again when the service answers a while later", () =>
    browser.visit(origin, { address: "?late" }, async (visit) => {
      expect(await visit.page.title()).toBe("Faulty");
      expect(visit.problems).toEqual([]);
    }));

  it("has a browser anew where the last one has died", async () => {
    await (await sharedChromium()).close();
    await browser.visit(origin, {}, async (visit) => {
      expect(await visit.page.title()).toBe("Faulty");
    });
  });

  it("fails for what is wrong in each visit, whatever the network does", async () => {
    const visit = browser.visit(origin, { address: "?interrupted" }, async (each) => {
      await expect.poll(() => each.networkChanged).toBe(true);
      throw new Error("the page is wrong");
    });
    await expect(visit).rejects.toThrow("the page is wrong");
  });

  it("tells whether the page is wider than a phone", () =>
    browser.visit(origin, { size: "phone" }, async (visit) => {
      expect(await visit.isTooWide()).toBe(false);
      await visit.page.evaluate("document.getElementById('wide').style.width = '2000px'");
      expect(await visit.isTooWide()).toBe(true);
    }));
});
