// Own process: a whole recorder that looks for objects at four cameras.
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { MessageService, RECEIVERS, TOKENS } from "../support/alarm/message-services.js";
import { forAllTests } from "../support/base/for-tests.js";
import { notHere } from "../support/base/not-here.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import type { PageVisit } from "../support/page/page-visit.js";
import { Service } from "../support/service/service.js";
import { noWeights } from "../support/sight/no-weights.js";

const LAPTOP = { width: 1366, height: 768 };
const CAMERA = "Street H.264";
/** People walk there all the time, and the machine does other things too. */
const WALK_MS = 8 * PATIENCE_MS;
/** Begun while a card's picture is asked for, which is recorded a moment later. */
const NOT_RECORDED_YET = /status of 404 .*\/api\/(?:findings\/[^/]+\/picture|strip)\?/;

const browser = new PageBrowser();
const directory = forAllTests(() => new TemporaryDirectory("sees-persons"));
const missing = noBrowser ?? noWeights;
let service: Service | undefined;
let ntfy: MessageService | undefined;

afterAll(async () => {
  await browser.close();
  await service?.stop();
  ntfy?.stop();
});

const cards = (visit: PageVisit) => visit.page.locator(".review-card");
const titles = (visit: PageVisit) => visit.page.locator(".review-card .review-title").allTextContents();
const places = (visit: PageVisit) => visit.page.locator(".review-card .review-place").allTextContents();

/** Pictures that have come, of how many cards. */
async function pictured(visit: PageVisit): Promise<readonly [number, number]> {
  const shown = await visit.page.evaluate<number>(
    "[...document.querySelectorAll('.review-card')].filter((card) => card.querySelector('.moving') || card.querySelector('img')?.naturalWidth > 0).length",
  );
  return [shown, await cards(visit).count()];
}

async function drawZone(visit: PageVisit): Promise<void> {
  const picture = visit.page.locator(".zone-picture");
  await picture.scrollIntoViewIfNeeded();
  await visit.page.locator(".zone-picture.shaped").waitFor();
  const box = await picture.boundingBox();
  if (box === null) throw new Error("the picture is not shown");
  await visit.page.mouse.move(box.x + box.width * 0.02, box.y + box.height * 0.02);
  await visit.page.mouse.down();
  await visit.page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5, { steps: 4 });
  await visit.page.mouse.move(box.x + box.width * 0.98, box.y + box.height * 0.98);
  await visit.page.mouse.up();
}

describe.skipIf(missing !== undefined)(`an owner of a recorder that sees persons${notHere(missing)}`, () => {
  it("finds them in the review, draws a zone, gets a message with a picture, and finds them by words", {
    timeout: 2 * WALK_MS,
  }, async () => {
    ntfy = await MessageService.start("Ntfy");
    service = await Service.start({ dataDir: directory.join("data"), command: "demo" });
    const origin = `http://127.0.0.1:${service.httpPort}`;
    const allow = [NOT_RECORDED_YET];
    const looked = { viewport: LAPTOP, allow, address: "#/review" };
    await browser.visit(origin, looked, async (visit) => {
      await visit.logIn();
      await expect.poll(() => cards(visit).count(), { timeout: WALK_MS }).toBeGreaterThan(2);
      await visit.field("What").selectOption({ label: "Persons" });
      await expect
        .poll(async () => new Set(await titles(visit)), { timeout: WALK_MS })
        .toEqual(new Set(["Person"]));
      await expect
        .poll(
          async () => {
            const [shown, of] = await pictured(visit);
            return of > 2 && shown === of;
          },
          { timeout: WALK_MS },
        )
        .toBe(true);
      await visit.shot("sees-persons-review");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);

      await visit.page.getByRole("link", { name: "Settings" }).first().click();
      await visit.page.getByRole("link", { name: CAMERA, exact: true }).first().click();
      await visit.page.getByRole("link", { name: "Motion" }).first().click();
      await visit.button("Add a zone").click();
      await visit.field("Name of the zone").fill("Square");
      await drawZone(visit);
      // Until somebody has crossed this camera's picture too.
      const tried = visit.page.getByRole("status").filter({ hasText: "Would have been found" });
      const tryIt = async () => {
        await visit.button("Try it on the last hour").click();
        return await tried.count();
      };
      await expect.poll(tryIt, { timeout: WALK_MS }).toBeGreaterThan(0);
      await visit.shot("sees-persons-zone");
      await visit.button("Save").click();
      await visit.page.getByText(`${CAMERA} is saved.`).last().waitFor();

      await visit.page.goto(`${origin}/#/settings?part=alarms`);
      await visit.button("Add a receiver").click();
      await visit.field("Name").fill("Phone");
      await visit.field("How").selectOption({ label: "ntfy" });
      await visit.field("Server").fill(ntfy?.base ?? "");
      await visit.field(/^Access token/).fill(TOKENS.Ntfy);
      await visit.field("Topic").fill(RECEIVERS.Ntfy);
      await visit.field("Events").selectOption("Chosen");
      await visit.page.getByRole("checkbox", { name: "Person detected", exact: true }).check();
      await visit.shot("sees-persons-alarm");
      await visit.button("Save").click();
      await expect.poll(() => ntfy?.arrived.length, { timeout: WALK_MS }).toBeGreaterThan(0);
      const [message] = ntfy?.arrived ?? [];
      expect(`${message?.title} ${message?.text}`).toContain("Person detected");
      const { width = 0, height = 0 } = await sharp(message?.picture).metadata();
      expect([width > 60, width < 640 && height < 480]).toEqual([true, true]);

      await visit.page.goto(`${origin}/#/review?all=1`);
      await visit.field("Search").fill(`person, ${CAMERA}, today`);
      await expect
        .poll(async () => new Set([...(await titles(visit)), ...(await places(visit))]), { timeout: WALK_MS })
        .toEqual(new Set(["Person", `${CAMERA} · Square`, CAMERA]));
      await visit.field("Search").fill(`person, ${CAMERA}, yesterday`);
      await visit.page.getByText("Nothing fits the filter.").waitFor();
    });
    await browser.visit(origin, { size: "phone", allow, address: "#/review?kind=person" }, async (visit) => {
      await visit.logIn();
      await expect.poll(async () => (await pictured(visit))[0], { timeout: WALK_MS }).toBeGreaterThan(2);
      await visit.shot("sees-persons-phone");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    });
  });
});
