import { describe, expect, it } from "vitest";
import type { PageVisit } from "../../support/page/page-visit.js";
import {
  momentOf,
  type RecordingsWorld,
  spanOf,
  waitForPictures,
} from "../../support/page/recordings-world.js";

/** Longer than a pointer rests before what is under it is fetched, on a busy machine. */
const RESTED_MS = 1500;

/** The orders of the playback that the page has sent. */
function followOrders({ page }: PageVisit): string[] {
  const orders: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => {
      const type = typeof payload === "string" ? (JSON.parse(payload) as { type: string }).type : "";
      if (["seek", "scan", "resume", "pause", "step", "play"].includes(type)) orders.push(type);
    }),
  );
  return orders;
}

/** Moves the pointer to a moment of the timeline, which shows little more than is recorded, and lets it rest there. */
async function restAt(opened: PageVisit, moment: number): Promise<void> {
  const { page } = opened;
  while ((await spanOf(opened)) > 40_000) await opened.press("+");
  const slider = page.getByRole("slider", { name: "Timeline" });
  const from = Number(await slider.getAttribute("aria-valuemin"));
  const box = await slider.boundingBox();
  if (box === null) throw new Error("the timeline is not shown");
  const x = box.x + (box.width * (moment - from)) / (await spanOf(opened));
  await page.mouse.move(x - 5, box.y + box.height / 2);
  await page.mouse.move(x, box.y + box.height / 2);
  await page.waitForTimeout(RESTED_MS);
}

/** How many stretches of pictures each element has. */
const BUFFERED = `[...document.querySelectorAll(".pictures video")].map(({ buffered }) => buffered.length)`;

/** What is under a pointer that rests is fetched before it clicks. */
export function aheadFlows(world: RecordingsWorld): void {
  describe("the moment under a pointer that rests", () => {
    it("is fetched, while what is seen, said and played stays", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        const before = await page.evaluate<number[]>(BUFFERED);
        await restAt(opened, world.recordedMs + 2000);
        await expect
          .poll(async () => {
            const now = await page.evaluate<number[]>(BUFFERED);
            return now.every((count, at) => count > (before[at] ?? 0));
          })
          .toBe(true);
        expect(await momentOf(opened)).toBe(world.recordedMs);
        expect(await page.locator(".moment-time").getAttribute("aria-busy")).not.toBe("true");
        await opened.press("Space");
        await opened.button("Pause").waitFor();
        await opened.press("k");
        await opened.button("Play").waitFor();
        const played = (await momentOf(opened)) - world.recordedMs;
        expect(played).toBeGreaterThanOrEqual(0);
        expect(played).toBeLessThan(1900);
      }));

    it("is shown by a click without a picture that comes then", () =>
      world.visit({}, async (opened) => {
        const { page } = opened;
        await restAt(opened, world.recordedMs + 2000);
        // Whatever the recorder sends from now on is lost.
        await page.evaluate("SourceBuffer.prototype.appendBuffer = () => undefined");
        await page.mouse.down();
        await page.mouse.up();
        const time = page.locator(".moment-time");
        await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs + 500);
        await expect.poll(() => time.getAttribute("aria-busy")).not.toBe("true");
        const said = Date.parse((await time.getAttribute("datetime")) ?? "");
        expect(Math.abs(said - world.recordedMs - 2000)).toBeLessThan(300);
      }));

    it("is gone to by a click without an order, and played from there", () =>
      world.visit({}, async (opened) => {
        const orders = followOrders(opened);
        await opened.page.reload();
        await waitForPictures(opened, world.ids.length);
        await restAt(opened, world.recordedMs + 2000);
        const before = orders.length;
        await opened.page.mouse.down();
        await opened.page.mouse.up();
        await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs + 500);
        expect(orders.slice(before)).toEqual([]);
        await opened.press("Space");
        await opened.button("Pause").waitFor();
        await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs + 3000);
        expect(orders.slice(before)).toEqual(["seek", "resume"]);
      }));

    it("costs nothing while the recording is played", () =>
      world.visit({}, async (opened) => {
        const orders = followOrders(opened);
        await opened.page.reload();
        await waitForPictures(opened, world.ids.length);
        await opened.press("Space");
        await opened.button("Pause").waitFor();
        await restAt(opened, world.recordedMs + 2000);
        expect(orders.filter((type) => type === "seek")).toEqual([]);
        expect(orders).toContain("resume");
      }));
  });
}
