import { describe, expect, it } from "vitest";
import type { PageVisit } from "../../support/page/page-visit.js";
import { momentOf, PATIENT, type RecordingsWorld } from "../../support/page/recordings-world.js";

/** The region in per cent, as the panel's fields have it. */
async function regionOf(opened: PageVisit): Promise<number[]> {
  const names = ["Left, %", "Top, %", "Width, %", "Height, %"];
  return await Promise.all(names.map(async (name) => Number(await opened.field(name).inputValue())));
}

/** Searches for motion in a part of the picture. */
export function motionSearchFlows(world: RecordingsWorld): void {
  describe("a search for motion", () => {
    it("has a region that is drawn over the picture by a pointer", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await opened.button("Search for motion").click();
        const place = await page
          .getByRole("application", { name: "Marked part of the picture" })
          .boundingBox();
        if (place === null) throw new Error("the region is not shown");
        const at = (x: number, y: number) => [place.x + x * place.width, place.y + y * place.height] as const;
        await page.mouse.move(...at(0.2, 0.3));
        await page.mouse.down();
        await page.mouse.move(...at(0.5, 0.9), { steps: 4 });
        await page.mouse.up();
        expect(await regionOf(opened)).toEqual([20, 30, 30, 60]);
        await opened.shot("motion-region");
      }));

    it("has a region that arrows move and make larger", () =>
      world.visit({}, async (opened) => {
        await opened.button("Search for motion").click();
        await opened.page.getByRole("application", { name: "Marked part of the picture" }).focus();
        const before = await momentOf(opened);
        await opened.press("ArrowLeft");
        expect(await regionOf(opened)).toEqual([25, 25, 50, 50]);
        await opened.press("ArrowLeft", "ArrowDown", "Shift+ArrowRight", "Shift+ArrowUp");
        expect(await regionOf(opened)).toEqual([23, 27, 52, 48]);
        expect(await momentOf(opened)).toBe(before);
      }));

    it("marks what it finds, and goes there", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await opened.button("Search for motion").click();
        await opened.field("Left, %").fill("10");
        await opened.field("Width, %").fill("80");
        await opened.button("Start").click();
        await page.getByText("Searched all of it.").waitFor();
        await page.getByRole("complementary").getByRole("listitem").getByRole("button").first().click();
        await expect.poll(() => momentOf(opened), PATIENT).not.toBe(world.recordedMs);
        await opened.shot("motion-found");
      }));

    it("says how far it is, and is stopped; what was found by then stays, also where it had just ended", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        // The search is over at once; to the page it is under way until it is stopped.
        await page.route("**/api/motionsearch**", async (route) => {
          const answer = await route.fetch();
          if (route.request().method() === "DELETE") return await route.fulfill({ response: answer });
          const json: Record<string, unknown> = await answer.json();
          await route.fulfill({ response: answer, json: { ...json, State: "running", Progress: 0.4 } });
        });
        await opened.button("Search for motion").click();
        await opened.button("Start").click();
        await page.getByText("Searching, 40 %").waitFor();
        expect(await page.getByRole("progressbar").getAttribute("value")).toBe("40");
        await page.getByRole("complementary").getByRole("listitem").first().waitFor();
        await opened.button("Stop").click();
        await page.getByText(/Searched all of it\.|Stopped\./).waitFor();
        await page.getByRole("complementary").getByRole("listitem").first().waitFor();
        expect(await opened.button("Start").isVisible()).toBe(true);
      }));
  });
}
