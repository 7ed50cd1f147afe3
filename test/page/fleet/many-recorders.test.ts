import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/index.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { RecordersAtHub } from "../../support/fleet/recorders-at-hub.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";
const YARD: Guid = "22222222-0000-4000-8000-0000000000b1";
const NORTH_HALL: Guid = "22222222-0000-4000-8000-0000000000a2";
const SOUTH_HALL: Guid = "22222222-0000-4000-8000-0000000000b2";

const browser = new PageBrowser();
let place: RecordersAtHub;

beforeAll(async () => {
  place = await RecordersAtHub.start({
    cameras: {
      North: { [GATE]: "Gate", [NORTH_HALL]: "Hall" },
      South: { [YARD]: "Yard", [SOUTH_HALL]: "Hall" },
    },
    page: { folder: join(REPOSITORY_ROOT, "build", "page") },
  });
});

afterAll(async () => {
  await browser.close();
  await place?.stop();
});

const streams = (name: string, id: Guid) => place.of(name).api.streams.live(id);

describe.skipIf(noBrowser !== undefined)(`the page of a hub${notHere(noBrowser)}`, () => {
  it("shows cameras of several recorders on one wall, over one connection", () =>
    browser.visit(place.hub.url(""), {}, async (visit) => {
      const sockets: string[] = [];
      visit.page.on("websocket", (socket) => sockets.push(socket.url()));
      await visit.logIn("root", "secret");
      for (const name of ["Gate", "Yard"])
        await visit.page.getByText(name, { exact: true }).first().waitFor();

      await expect.poll(() => [streams("North", GATE).atOnce, streams("South", YARD).atOnce]).toEqual([1, 1]);
      expect(sockets).toHaveLength(1);
      await visit.shot("wall of many recorders");
    }));

  it("tells cameras of one name apart by their recorders", () =>
    browser.visit(place.hub.url(""), {}, async (visit) => {
      await visit.logIn("root", "secret");
      for (const name of ["Hall · North", "Hall · South"])
        await visit.page.getByText(name, { exact: true }).first().waitFor();
    }));

  it("has a group of cameras for each recorder", () =>
    browser.visit(place.hub.url(""), {}, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.button("All cameras").click();
      for (const name of ["North", "South"])
        await visit.page.getByText(name, { exact: true }).locator("visible=true").waitFor();
    }));

  it("plays recordings of several recorders over one timeline", () =>
    browser.visit(place.hub.url(""), { address: `#/playback?channel=${GATE},${YARD}` }, async (visit) => {
      await visit.logIn("root", "secret");
      for (const name of ["Gate", "Yard"])
        await visit.page.getByText(name, { exact: true }).locator("visible=true").first().waitFor();
      await visit.page
        .getByText(/^The camera was not recorded yet/)
        .nth(1)
        .waitFor();
      await visit.shot("playback of many recorders");
    }));
});
