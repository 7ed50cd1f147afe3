import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import type { PageVisit } from "../../support/page/page-visit.js";
import { momentOf, type RecordingsWorld } from "../../support/page/recordings-world.js";

const PLATE = EVENT_TYPES.plateRecognized.id;

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
        await opened.button("Search the picture").click();
        // The panel makes the picture smaller, and takes the focus.
        await opened.button("Start").waitFor();
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
        await opened.button("Search the picture").click();
        await opened.button("Start").waitFor();
        await opened.page.getByRole("application", { name: "Marked part of the picture" }).focus();
        const before = await momentOf(opened);
        await opened.press("ArrowLeft");
        await expect.poll(() => regionOf(opened)).toEqual([25, 25, 50, 50]);
        await opened.press("ArrowLeft", "ArrowDown", "Shift+ArrowRight", "Shift+ArrowUp");
        await expect.poll(() => regionOf(opened)).toEqual([23, 27, 52, 48]);
        expect(await momentOf(opened)).toBe(before);
      }));

    it("marks what it finds, and goes there", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await opened.button("Search the picture").click();
        await opened.field("Left, %").fill("10");
        await opened.field("Width, %").fill("80");
        await opened.button("Start").click();
        await page.getByText("Searched all of it.").waitFor();
        await page.getByRole("complementary").getByRole("listitem").getByRole("button").first().click();
        await expect.poll(() => momentOf(opened)).not.toBe(world.recordedMs);
        await opened.shot("motion-found");
      }));

    it("says how far it is, and is stopped; what was found by then stays, also where it had just ended", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        // The last question is under way when the search is stopped, and arrives when the recorder has forgotten it.
        let isLast = false;
        let forget: () => void = () => undefined;
        const forgotten = new Promise<void>((resolve) => {
          forget = resolve;
        });
        let isAsked: () => void = () => undefined;
        const asked = new Promise<void>((resolve) => {
          isAsked = resolve;
        });
        const mayAsk = async () => {
          if (!isLast) return;
          isAsked();
          await forgotten;
        };
        // The search is over at once; to the page it is under way until it is stopped.
        await page.route("**/api/motionsearch**", async (route) => {
          const method = route.request().method();
          if (method === "GET") await mayAsk();
          const answer = await route.fetch();
          if (method === "DELETE") {
            await route.fulfill({ response: answer });
            forget();
            return;
          }
          const json: Record<string, unknown> = await answer.json();
          await route.fulfill({ response: answer, json: { ...json, State: "running", Progress: 0.4 } });
        });
        await opened.button("Search the picture").click();
        await opened.button("Start").click();
        await page.getByText("Searching, 40 %").waitFor();
        expect(await page.getByRole("progressbar").getAttribute("value")).toBe("40");
        await page.getByRole("complementary").getByRole("listitem").first().waitFor();
        isLast = true;
        await asked;
        await opened.button("Stop").click();
        await page.getByText(/Searched all of it\.|Stopped\./).waitFor();
        await page.getByRole("complementary").getByRole("listitem").first().waitFor();
        expect(await opened.button("Start").isVisible()).toBe(true);
      }));

    it("finds the plates that were read there by a part of their number, with pictures, and goes to them", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        const [ChannelId = ""] = world.ids;
        const background = { width: 8, height: 8, channels: 3, background: "teal" } as const;
        const picture = await sharp({ create: background }).jpeg().toBuffer();
        const find = () => opened.button("Start").click();
        await opened.button("Search the picture").click();
        await opened.field("What").selectOption({ label: "Number plates" });
        await find();
        await page.getByText("The recorder itself reads no number plates").waitFor();
        for (const [plateText, Left] of [
          ["A123BC", 0.1],
          ["A124BC", 0.7],
          ["B777BB", 0.7],
        ] as const)
          await world.box.service.json("/api/events", {
            method: "POST",
            body: {
              ...{ EventId: PLATE, ChannelId, Timestamp: new Date(world.recordedMs + 3000).toISOString() },
              ...{ Left, Top: 0.1, Width: 0.2, Height: 0.6 },
              ...{ plateText, Reliability: 91, ImageBytes: picture.toString("base64") },
            },
          });
        await opened.field("Width, %").fill("50");
        await opened.field("Left, %").fill("50");
        await opened.field("Part of the number").fill("zzz");
        await find();
        await page.getByText("Nothing of the kind was seen there.").waitFor();
        await opened.field("Part of the number").fill("a12");
        await find();
        const found = page.getByRole("complementary").getByRole("listitem").getByRole("button");
        await expect
          .poll(() => found.allInnerTexts())
          .toEqual([expect.stringMatching(/, Number plate A124BC, 91 %$/)]);
        expect(await opened.violations()).toEqual([]);
        await opened.shot("things-found");
        await found.click();
        await expect.poll(() => momentOf(opened)).toBe(world.recordedMs + 1000);
      }));
  });
}
