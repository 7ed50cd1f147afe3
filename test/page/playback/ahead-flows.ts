import { describe, expect, it } from "vitest";
import type { PageVisit } from "../../support/page/page-visit.js";
import {
  momentOf,
  type RecordingsWorld,
  spanOf,
  waitForPictures,
} from "../../support/page/recordings-world.js";

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

/** Where a moment is on the timeline, which shows little more than is recorded. */
async function placeOf(
  opened: PageVisit,
  moment: number,
): Promise<{ readonly x: number; readonly y: number }> {
  const { page } = opened;
  while ((await spanOf(opened)) > 40_000) await opened.press("+");
  const slider = page.getByRole("slider", { name: "Timeline" });
  const from = Number(await slider.getAttribute("aria-valuemin"));
  const box = await slider.boundingBox();
  if (box === null) throw new Error("the timeline is not shown");
  return { x: box.x + (box.width * (moment - from)) / (await spanOf(opened)), y: box.y + box.height / 2 };
}

/** Moves the pointer to a moment of the timeline, and lets it rest there. */
async function restAt(opened: PageVisit, moment: number): Promise<void> {
  const { x, y } = await placeOf(opened, moment);
  await opened.page.mouse.move(x - 5, y);
  await opened.page.mouse.move(x, y);
}

/** How many elements behind those that are seen show a picture. */
const READY = `[...document.querySelectorAll(".pictures video.spare")].filter(
  (video) => video.readyState >= 2 && !video.seeking && video.currentTime > 0).length`;

/** The pictures of what the pointer rests on are decoded. */
async function isReady({ page }: PageVisit, count: number): Promise<void> {
  await expect.poll(() => page.evaluate<number>(READY)).toBe(count);
}

async function click({ page }: PageVisit): Promise<void> {
  await page.mouse.down();
  await page.mouse.up();
}

/** The time of the pictures that are seen, when it is not awaited. */
async function saidMs({ page }: PageVisit): Promise<number> {
  const time = page.locator(".moment-time");
  await expect.poll(() => time.getAttribute("aria-busy")).not.toBe("true");
  return Date.parse((await time.getAttribute("datetime")) ?? "");
}

/** Keeps the times of pictures as they are said. */
const KEEP_SAID = `(() => {
  const time = document.querySelector(".moment-time");
  globalThis.said = [];
  const keep = () => {
    if (time.getAttribute("aria-busy") !== "true") said.push(Date.parse(time.getAttribute("datetime")));
  };
  new MutationObserver(keep).observe(time, { attributes: true });
})()`;

/** How far the nearest of these times is from a moment, in milliseconds. */
function nearest(times: readonly number[], moment: number): number {
  return Math.min(...times.map((time) => Math.abs(time - moment)));
}

/** Slower than a busy machine. */
async function playSlowly(opened: PageVisit): Promise<void> {
  await opened.page.locator(".speed").selectOption("0.25");
  await opened.press("Space");
  await opened.button("Pause").waitFor();
}

/** What is under a pointer that rests is decoded before it clicks. */
export function aheadFlows(world: RecordingsWorld): void {
  const { length: count } = ["Gate", "Yard"];

  describe("the moment under a pointer that rests", () => {
    it("is decoded, while what is seen, said and played stays", () =>
      world.visit({}, async (opened) => {
        await restAt(opened, world.recordedMs + 2000);
        await isReady(opened, count);
        expect(await momentOf(opened)).toBe(world.recordedMs);
        expect(await opened.page.locator(".moment-time").getAttribute("aria-busy")).not.toBe("true");
        await opened.press("Space");
        await opened.button("Pause").waitFor();
        await opened.press("k");
        await opened.button("Play").waitFor();
        const played = (await momentOf(opened)) - world.recordedMs;
        expect(played).toBeGreaterThanOrEqual(0);
        expect(played).toBeLessThan(1900);
      }));

    it.each(["stands", "plays"])(
      "is shown by a click without a picture that comes then, while it %s",
      (how) =>
        world.visit({}, async (opened) => {
          if (how === "plays") await playSlowly(opened);
          await restAt(opened, world.recordedMs + 2000);
          await isReady(opened, count);
          // Whatever the recorder sends from now on is lost.
          await opened.page.evaluate("SourceBuffer.prototype.appendBuffer = () => undefined");
          await opened.page.evaluate(KEEP_SAID);
          await click(opened);
          // What plays has gone on by the time a busy machine looks.
          await expect
            .poll(async () => nearest(await opened.page.evaluate<number[]>("said"), world.recordedMs + 2000))
            .toBeLessThan(300);
        }),
    );

    it("is gone to by a click without a seek, and played from there", () =>
      world.visit({}, async (opened) => {
        const orders = followOrders(opened);
        await opened.page.reload();
        await waitForPictures(opened, count);
        await restAt(opened, world.recordedMs + 2000);
        await isReady(opened, count);
        const before = orders.length;
        await click(opened);
        await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs + 500);
        expect(orders.slice(before)).toEqual(["pause"]);
        await opened.press("Space");
        await opened.button("Pause").waitFor();
        await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs + 3000);
        // What follows is of what the timeline brings below the pointer as it moves on.
        expect(orders.slice(before, before + 2)).toEqual(["pause", "resume"]);
      }));

    it("is decoded while a finger is down there, and shown when it lifts", () =>
      world.visit({ size: "phone" }, async (opened) => {
        const place = await placeOf(opened, world.recordedMs + 2000);
        const session = await opened.page.context().newCDPSession(opened.page);
        const touch = (type: "touchStart" | "touchEnd", touchPoints: (typeof place)[]) =>
          session.send("Input.dispatchTouchEvent", { type, touchPoints });
        await touch("touchStart", [place]);
        await isReady(opened, count);
        await opened.page.evaluate("SourceBuffer.prototype.appendBuffer = () => undefined");
        await touch("touchEnd", []);
        await expect
          .poll(async () => Math.abs((await saidMs(opened)) - world.recordedMs - 2000))
          .toBeLessThan(300);
      }));

    it("is played on from by a click while the recording is played, and the other way round", () =>
      world.visit({}, async (opened) => {
        await playSlowly(opened);
        for (const at of [3000, 1000, 2000]) {
          await restAt(opened, world.recordedMs + at);
          await isReady(opened, count);
          await click(opened);
          await expect
            .poll(async () => Math.abs((await saidMs(opened)) - world.recordedMs - at))
            .toBeLessThan(900);
          await expect.poll(() => saidMs(opened)).toBeGreaterThan(world.recordedMs + at + 400);
        }
      }));
  });
}
