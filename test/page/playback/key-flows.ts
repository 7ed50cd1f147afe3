import { describe, expect, it } from "vitest";
import { type RecordingsWorld, spanOf } from "../../support/page/recordings-world.js";

const DAY_MS = 86_400_000;

/** The recordings screen without a pointer, and how much time it shows. */
export function keyFlows(world: RecordingsWorld): void {
  describe("by keys alone", () => {
    it("each panel is opened, used and left, and the focus is always seen and comes back", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        for (const name of ["Search the picture", "Protected recordings", "Save as a file"]) {
          await opened.tabTo("button", name);
          await opened.press("Enter");
          await expect.poll(() => page.locator(":focus").textContent()).toBe(name);
          await opened.press("Escape");
          const focused = page.getByRole("button", { name }).and(page.locator(":focus"));
          await focused.waitFor();
        }
        await opened.press("Enter");
        // The files that were made before are on the way, each with its buttons.
        await opened.tabTo("slider", "Beginning", 200);
        await opened.press("ArrowLeft");
        await opened.tabTo("button", "Make file");
        const download = page.waitForEvent("download");
        await opened.press("Enter");
        expect((await download).suggestedFilename()).toMatch(/^Gate .*\.mp4$/);
      }));

    it("everything that Tab reaches is seen to have the focus", () =>
      world.goOn({}, async (opened) => {
        for (const screen of ["Live", "Recordings", "Events", "Account"]) {
          await opened.screen(screen);
          await opened.page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
          const unseen: string[] = [];
          for (let steps = 0; steps < 40; steps += 1) {
            await opened.press("Tab");
            const found = await opened.page.evaluate<string | null>(UNSEEN);
            if (found !== null) unseen.push(found);
          }
          expect(unseen, screen).toEqual([]);
        }
      }));
  });

  describe("the timeline", () => {
    it("shows from more than a month to a second, by wheel and by keys", () =>
      world.goOn({}, async (opened) => {
        const { page } = opened;
        const slider = page.getByRole("slider", { name: "Timeline" });
        const place = await slider.boundingBox();
        if (place === null) throw new Error("the timeline is not shown");
        await page.mouse.move(place.x + place.width / 2, place.y + 60);
        for (let turns = 0; turns < 12; turns += 1) await page.mouse.wheel(0, 600);
        await expect.poll(() => spanOf(opened)).toBeGreaterThan(31 * DAY_MS);
        await opened.shot("timeline month");
        for (let turns = 0; turns < 24; turns += 1) await page.mouse.wheel(0, -600);
        await expect.poll(() => spanOf(opened)).toBeLessThanOrEqual(2000);
        const middle = async () => {
          const [from, to] = [
            await slider.getAttribute("aria-valuemin"),
            await slider.getAttribute("aria-valuemax"),
          ];
          return new Date((Number(from) + Number(to)) / 2).toISOString().slice(11, 18);
        };
        // What is said is of the time that is under the pointer now.
        await page
          .getByRole("tooltip")
          .getByText(await middle())
          .waitFor();
        await opened.shot("timeline second");
        for (let steps = 0; steps < 30 && (await spanOf(opened)) < 31 * DAY_MS; steps += 1)
          await opened.press("-");
        expect(await spanOf(opened)).toBeGreaterThan(31 * DAY_MS);
        for (let steps = 0; steps < 30 && (await spanOf(opened)) > 2000; steps += 1) await opened.press("+");
        expect(await spanOf(opened)).toBeLessThanOrEqual(2000);
      }));
  });
}

/** What has the focus where that cannot be seen; null where it can. */
const UNSEEN = `(() => {
  const element = document.activeElement;
  // A title that has the focus because its screen was opened is not reached by Tab.
  if (element === null || element === document.body || element.tabIndex < 0) return null;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const { width, height, bottom, right } = element.getBoundingClientRect();
  const isMarked = (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  const isThere = width > 0 && height > 0 && bottom > 0 && right > 0;
  return isMarked && isThere ? null : element.outerHTML.slice(0, 120);
})()`;
