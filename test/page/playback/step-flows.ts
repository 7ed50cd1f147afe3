import { describe, expect, it } from "vitest";
import type { PageVisit } from "../../support/page/page-visit.js";
import { numbersTogether } from "../../support/page/picture-clock.js";
import {
  momentOf,
  RECORDED_CLIP,
  type RecordingsWorld,
  spanOf,
} from "../../support/page/recordings-world.js";

const CLIP_PICTURES = RECORDED_CLIP.fps * RECORDED_CLIP.seconds;
const MEASURED_MS = 2000;

/** How many pictures two cameras are apart; both count the pictures of one clip, which begins anew. */
function apart([gate = 0, yard = 0]: readonly number[]): number {
  const by = Math.abs(gate - yard) % CLIP_PICTURES;
  return Math.min(by, CLIP_PICTURES - by);
}

/** How many pictures the cameras are apart at most, in all but the worst tenth: what a busy machine draws late. */
async function mostlyApart({ page }: PageVisit): Promise<number> {
  const all = (await numbersTogether(page, MEASURED_MS)).map(apart).toSorted((one, other) => one - other);
  return all[Math.floor(all.length * 0.9)] ?? Number.POSITIVE_INFINITY;
}

/** The pictures that stand, when they are no longer changed. */
async function standing({ page }: PageVisit): Promise<number[]> {
  let before: number[] | undefined;
  let now: number[] | undefined;
  await expect
    .poll(async () => {
      before = now;
      [now] = await numbersTogether(page, 300).then((all) => all.slice(-1));
      return JSON.stringify(now) === JSON.stringify(before);
    })
    .toBe(true);
  return now ?? [];
}

/** Several cameras show the same moment. The two that are played take pictures half a picture apart. */
export function stepFlows(world: RecordingsWorld): void {
  describe("cameras that are played together", () => {
    it("are in step within a picture: standing, played, after a jump, paused, and picture by picture", () =>
      world.visit({}, async (opened) => {
        expect(apart(await standing(opened))).toBeLessThanOrEqual(1);
        await opened.press("Space");
        await opened.button("Pause").waitFor();
        await expect.poll(() => mostlyApart(opened)).toBeLessThanOrEqual(1);
        await opened.press("ArrowLeft");
        await expect.poll(() => mostlyApart(opened)).toBeLessThanOrEqual(1);
        await opened.press("k");
        await opened.button("Play").waitFor();
        const paused = await standing(opened);
        expect(apart(paused)).toBeLessThanOrEqual(1);
        let now: number[] = [];
        const beyondPaused = async () => {
          now = await standing(opened);
          return ((now[0] ?? 0) - (paused[0] ?? 0) + CLIP_PICTURES) % CLIP_PICTURES;
        };
        await opened.press(".", ".", ".");
        await expect.poll(beyondPaused).toBe(3);
        expect(apart(now)).toBeLessThanOrEqual(1);
        await opened.press(",");
        await expect.poll(beyondPaused).toBe(2);
        expect(apart(now)).toBeLessThanOrEqual(1);
      }));
  });

  it("follow a hand that is drawn along the timeline, say their times, and go on where it lets go", () =>
    world.visit({}, async (opened) => {
      const { page } = opened;
      const slider = page.getByRole("slider", { name: "Timeline" });
      while ((await spanOf(opened)) > 40_000) await opened.press("+");
      await opened.press("Space");
      await opened.button("Pause").waitFor();
      const place = await slider.boundingBox();
      if (place === null) throw new Error("the timeline is not shown");
      // The timeline follows the playback up to the moment in which the hand moves.
      const xOf = async (moment: number): Promise<number> => {
        const from = Number(await slider.getAttribute("aria-valuemin"));
        return place.x + (place.width * (moment - from)) / (await spanOf(opened));
      };
      const y = place.y + place.height / 2;
      await page.mouse.move(await xOf(world.recordedMs), y);
      await page.mouse.down();
      await page.mouse.move((await xOf(world.recordedMs)) - 20, y);
      const said = () =>
        page
          .locator(".moment-time")
          .getAttribute("datetime")
          .then((text) => Date.parse(text ?? ""));
      for (const by of [-1000, -2500, -4000]) {
        const moment = world.recordedMs + by;
        await page.mouse.move(await xOf(moment), y);
        expect(Math.abs((await momentOf(opened)) - moment)).toBeLessThan(1100);
        await expect.poll(async () => Math.abs((await said()) - moment)).toBeLessThan(100);
        await expect.poll(() => page.locator(".moment-time").getAttribute("aria-busy")).toBe("false");
      }
      const rested = await said();
      expect(await spanOf(opened)).toBeLessThan(40_000);
      await page.mouse.up();
      await opened.button("Pause").waitFor();
      await expect.poll(said).toBeGreaterThan(rested + 1000);
    }));

  it("go to the moment of a click on the time that the playhead has", () =>
    world.visit({}, async (opened) => {
      const { page } = opened;
      while ((await spanOf(opened)) > 40_000) await opened.press("+");
      const flag = await page.locator(".timeline-flag").boundingBox();
      if (flag === null) throw new Error("the playhead has no time");
      await page.mouse.click(flag.x + 4, flag.y + flag.height / 2);
      await expect.poll(() => momentOf(opened)).toBeLessThan(world.recordedMs);
      expect(await momentOf(opened)).toBeGreaterThan(world.recordedMs - 3000);
    }));

  it("stay while the timeline is drawn by the right button", () =>
    world.visit({}, async (opened) => {
      const { page } = opened;
      const slider = page.getByRole("slider", { name: "Timeline" });
      const place = await slider.boundingBox();
      if (place === null) throw new Error("the timeline is not shown");
      const from = () => slider.getAttribute("aria-valuemin").then(Number);
      const before = await from();
      await page.mouse.move(place.x + 300, place.y + 40);
      await page.mouse.down({ button: "right" });
      await page.mouse.move(place.x + 400, place.y + 40, { steps: 4 });
      await page.mouse.up({ button: "right" });
      expect(await from()).toBeLessThan(before);
      expect(await momentOf(opened)).toBe(world.recordedMs);
    }));
}
