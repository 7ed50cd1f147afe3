import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";
import { waitForPictures } from "../../support/page/recordings-world.js";

const browser = new PageBrowser();
let box: PageService;

beforeAll(async () => {
  if (noBrowser === undefined)
    box = await PageService.start({ cameras: ["Gate", "Yard"], recordedUs: 6_000_000 });
});

afterAll(async () => {
  await browser.close();
  await box?.stop();
});

/** How many times as large as it is the first picture is drawn. */
function scaleOf({ page }: PageVisit): Promise<number> {
  return page.evaluate<number>(
    "new DOMMatrix(getComputedStyle(document.querySelector('.picture-video, video')).transform).a",
  );
}

/** How far to the right the first picture is moved, pixels. */
function leftOf({ page }: PageVisit): Promise<number> {
  return page.evaluate<number>(
    "new DOMMatrix(getComputedStyle(document.querySelector('.picture-video, video')).transform).e",
  );
}

/** The middle of the first picture. */
async function middleOf({ page }: PageVisit): Promise<{ x: number; y: number }> {
  const place = await page.locator(".tile-box, .picture").first().boundingBox();
  if (place === null) throw new Error("no picture is shown");
  return { x: place.x + place.width / 2, y: place.y + place.height / 2 };
}

/** Two fingers go apart over the first picture. */
async function pinch(visit: PageVisit): Promise<void> {
  const { x, y } = await middleOf(visit);
  const session = await visit.page.context().newCDPSession(visit.page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart?: number) =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: apart === undefined ? [] : [-apart, apart].map((by, id) => ({ x: x + by, y, id })),
    });
  await touch("touchStart", 20);
  for (const apart of [30, 40, 60]) await touch("touchMove", apart);
  await touch("touchEnd");
}

const recordings = () => `#/playback?channel=${box.ids[0]}&time=${Date.now() - 3000}`;

describe.skipIf(noBrowser !== undefined)(`zoom into pictures${notHere(noBrowser)}`, () => {
  it.each([
    { where: "live", address: () => "#/wall", button: "Enlarge Gate" },
    { where: "recorded", address: recordings, button: undefined },
  ])("by wheel, moved by a drag, and back by its map: $where", ({ address }) =>
    browser.visit(box.origin, { address: address() }, async (visit) => {
      await visit.logIn();
      const { page } = visit;
      await page.locator("video").first().waitFor({ state: "attached" });
      // The picture may be there before it follows the wheel, and before it has its place.
      await expect
        .poll(async () => {
          if ((await scaleOf(visit)) > 1) return await scaleOf(visit);
          const { x, y } = await middleOf(visit);
          await page.mouse.move(x, y);
          await page.mouse.wheel(0, -500);
          return await scaleOf(visit);
        })
        .toBeGreaterThan(2);
      const { x, y } = await middleOf(visit);
      await page.mouse.move(x, y);
      const before = await leftOf(visit);
      await page.mouse.down();
      await page.mouse.move(x + 60, y + 10, { steps: 3 });
      await page.mouse.up();
      await expect.poll(async () => (await leftOf(visit)) - before).toBeCloseTo(60, 0);
      await page.getByRole("button", { name: /^Show the whole picture/ }).click();
      await expect.poll(() => scaleOf(visit)).toBe(1);
    }),
  );

  it("that follows no mouse whose button was let go elsewhere", () =>
    browser.visit(box.origin, { address: recordings() }, async (visit) => {
      await visit.logIn();
      await waitForPictures(visit, 1);
      const { mouse } = visit.page;
      const { x, y } = await middleOf(visit);
      await mouse.move(x, y);
      await mouse.down();
      await mouse.move(2, 2, { steps: 3 });
      await mouse.up();
      await mouse.move(x, y, { steps: 3 });
      await mouse.wheel(0, -500);
      await expect.poll(() => scaleOf(visit)).toBeGreaterThan(2);
      const before = await leftOf(visit);
      await mouse.move(x + 60, y + 10, { steps: 3 });
      expect(await leftOf(visit)).toBe(before);
    }));

  it("by a double click in an enlarged tile and in a recording, by two fingers on a phone, and by keys in the map", async () => {
    await browser.visit(box.origin, { address: recordings() }, async (visit) => {
      await visit.logIn();
      await waitForPictures(visit, 1);
      const { x, y } = await middleOf(visit);
      await visit.page.mouse.dblclick(x, y);
      await expect.poll(() => scaleOf(visit)).toBe(2.5);
      await visit.page.getByRole("button", { name: /^Show the whole picture/ }).focus();
      await visit.press("+");
      await expect.poll(() => scaleOf(visit)).toBeGreaterThan(3);
      await visit.press("Escape");
      await expect.poll(() => scaleOf(visit)).toBe(1);
    });
    await browser.visit(box.origin, { size: "phone", address: recordings() }, async (visit) => {
      await visit.logIn();
      await waitForPictures(visit, 1);
      await pinch(visit);
      await expect.poll(() => scaleOf(visit)).toBeGreaterThan(2);
      await visit.shot("zoomed on a phone");
    });
    await browser.visit(box.origin, { address: "#/wall" }, async (visit) => {
      await visit.logIn();
      await visit.button("Enlarge Gate").first().dblclick();
      const { x, y } = await middleOf(visit);
      await visit.page.mouse.dblclick(x + 100, y);
      await expect.poll(() => scaleOf(visit)).toBe(2.5);
      await visit.shot("zoomed tile");
    });
  });
});
