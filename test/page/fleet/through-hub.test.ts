import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { RecorderAtHub } from "../../support/fleet/recorder-at-hub.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";

const browser = new PageBrowser();
let place: RecorderAtHub;

beforeAll(async () => {
  const page = { folder: join(REPOSITORY_ROOT, "build", "page") };
  place = await RecorderAtHub.start({ page, ceiling: "Look" });
});

afterAll(async () => {
  await browser.close();
  await place?.stop();
});

describe.skipIf(noBrowser !== undefined)(`a recorder's page through its hub${notHere(noBrowser)}`, () => {
  it("shows the recorder's cameras with the login of the hub, and watches them over the hub's live socket", () =>
    browser.visit(place.hub.url(""), { address: "#/recorders" }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByRole("link", { name: "Warehouse" }).click();

      await visit.page.waitForURL((url) => url.pathname === place.below("/"));
      await visit.page.getByText("Gate").first().waitFor();
      await expect.poll(() => place.recorder.streams.live(GATE_ID).atOnce).toBe(1);
      await visit.shot("recorder through hub");

      await visit.page.getByRole("link", { name: "All recorders" }).click();
      await visit.page.getByRole("heading", { name: "Recorders", exact: true }).waitFor();
    }));
});
