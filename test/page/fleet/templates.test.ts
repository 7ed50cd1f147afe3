import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/index.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { RecordersAtHub } from "../../support/fleet/recorders-at-hub.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { LOOKS } from "../../support/page/page-visit.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";
const YARD: Guid = "22222222-0000-4000-8000-0000000000b1";
const TEMPLATES = "#/recorders?view=templates";

const browser = new PageBrowser();
let place: RecordersAtHub;

beforeAll(async () => {
  place = await RecordersAtHub.start({
    cameras: { North: { [GATE]: "Gate" }, South: { [YARD]: "Yard" } },
    ...{ ceiling: "Everything", page: { folder: join(REPOSITORY_ROOT, "build", "page") } },
  });
  const { api } = place.of("North");
  const gate = api.site.current.cameras[0];
  if (gate === undefined) throw new Error("North has no camera");
  await fetch(api.url(`/configure/channels/${GATE}?${ROOT_QUERY}`), {
    method: "PUT",
    body: JSON.stringify({
      ConnectionSettings: { ModelId: gate.connection.modelId },
      ArchiveSettings: { ArchivingMaxDeepnessInDays: 45 },
    }),
  });
});

afterAll(async () => {
  await browser.close();
  await place?.stop();
});

const maxDays = (): number | undefined => place.of("South").api.site.current.cameras[0]?.archive.maxDays;

describe.skipIf(noBrowser !== undefined)(`templates on a hub's page${notHere(noBrowser)}`, () => {
  it("are made, looked at, applied and undone", () =>
    browser.visit(place.hub.url(""), { address: TEMPLATES }, async (visit) => {
      await visit.logIn("root", "secret");
      const { page } = visit;
      await page.getByLabel("Name of the template").fill("Shops");
      await page.getByRole("button", { name: "Make the template" }).click();
      await page.getByRole("checkbox", { name: "South" }).check();
      await page.getByRole("button", { name: "Show what would change" }).click();
      await page.getByRole("row", { name: "Yard Days that are kept at most 30 45" }).waitFor();
      expect(maxDays()).toBe(30);

      await page.getByRole("button", { name: "Change 1 recorder" }).click();
      await page.getByText("changed", { exact: true }).waitFor();
      expect(maxDays()).toBe(45);

      await page.getByRole("button", { name: "Undo at South" }).click();
      await page.getByRole("button", { name: "Undo at South" }).waitFor({ state: "detached" });
      expect(maxDays()).toBe(30);
    }));

  it.each(LOOKS)("are for everybody to see at $size size, $theme, $language", (look) =>
    browser.visit(place.hub.url(""), { ...look, address: TEMPLATES }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByRole("heading", { name: "Shops" }).waitFor();
      await visit.shot("templates");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );
});
