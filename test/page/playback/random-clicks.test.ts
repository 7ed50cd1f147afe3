import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";
import { spanOf, waitForPictures } from "../../support/page/recordings-world.js";
import {
  drawHand,
  type Look,
  lookAt,
  NUMBERED_CLIP,
  PictureTimes,
} from "../../support/page/time-and-picture.js";

/** How long each is clicked; `npm run torture -- page` has ten minutes in all. */
const MINUTES = Number(process.env.NVRD_TEST_PAGE_CLICK_MINUTES ?? 0.25);
const IS_TORTURE = process.env.NVRD_TEST_PAGE_CLICK_MINUTES !== undefined;
const CLICK_MS_MIN = 1000;
const CLICK_MS_MAX = 2500;
const SLOWER = 6;
/** So many looks to each one that finds a picture whose time is said: a slow processor has it seldom before the next click. */
const LOOKS_MAX = { 1: 3, [SLOWER]: 12 } as const;
/** A picture that a busy machine draws late is so far from the time that is said at most, at speed 1. */
const APART_MS = 400;
/** Of a hundred pictures so many may be farther off, while the page and the test read them in turn; none by much. */
const OFF_PERCENT = 3;
const APART_MS_MAX = 1500;
/** So many of the clicks go to any place of the timeline, recorded or not. */
const ANYWHERE_PART = 0.1;
/** Longest halt, with a new place to be read and decoded, on a busy machine. */
const HALT_MS_MAX = 6000;
/** A hand that is drawn goes over so much of the recording with each picture of the screen: one that is slower sees the very pictures. */
const JUMP_MS = 700;
/** In each of so long it goes there and back several times, on a screen that is busy too. */
const DRAWN_MS = 3000;
/** What a hand sees of a camera is so wide at least, pixels. */
const WIDTH_MIN = 320;
/** Longer than any test. */
const DRAWN_MS_MAX = 3_600_000;
/** How many cameras are played at once. */
const COUNTS = IS_TORTURE ? [1, 4] : [1];
const CASES = ([1, SLOWER] as const).flatMap((slower) => COUNTS.map((count) => ({ count, slower })));

const browser = new PageBrowser();
let box: PageService;
let taken: PictureTimes[];
let recordedFromMs: number;

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  const cameras = ["Gate", "Yard", "Door", "Lane"].slice(0, Math.max(...COUNTS));
  box = await PageService.start({ cameras, clip: NUMBERED_CLIP });
  taken = await Promise.all(box.ids.map((id) => PictureTimes.follow(box.service, id)));
  recordedFromMs = Date.now();
  await box.service.recorded(box.ids, 20_000_000);
});

afterAll(async () => {
  for (const times of taken ?? []) times.stop();
  await browser.close();
  await box?.stop();
});

/** How far each picture was from the time that was said of it. */
function apart(looks: readonly Look[]): number[] {
  return looks
    .filter(({ isAwaited }) => !isAwaited)
    .flatMap(({ numbers, saidMs, speed }) =>
      numbers.flatMap((number, camera) =>
        number === null ? [] : [(taken[camera]?.apartMs(number, saidMs) ?? 0) / Math.max(1, Math.abs(speed))],
      ),
    );
}

/** The longest time in which no other picture was seen. */
function longestHaltMs(looks: readonly Look[]): number {
  let longest = 0;
  let before: { nowMs: number; numbers: string } | undefined;
  for (const { nowMs, numbers } of looks) {
    const now = JSON.stringify(numbers);
    if (before?.numbers !== now) before = { nowMs, numbers: now };
    else longest = Math.max(longest, nowMs - before.nowMs);
  }
  return longest;
}

/** Where on the timeline a moment is, of those that it shows; most of them are recorded. */
async function placeOfRandomMoment(visit: PageVisit): Promise<{ x: number; y: number }> {
  const slider = visit.page.getByRole("slider", { name: "Timeline" });
  const [from, to] = [
    Number(await slider.getAttribute("aria-valuemin")),
    Number(await slider.getAttribute("aria-valuemax")),
  ];
  const isAnywhere = Math.random() < ANYWHERE_PART;
  const first = isAnywhere ? from : Math.max(from, recordedFromMs);
  const last = Math.max(first, isAnywhere ? to : Math.min(to, Date.now()));
  const box = await slider.boundingBox();
  if (box === null) throw new Error("the timeline is not shown");
  const part = (first + Math.random() * (last - first) - from) / (to - from);
  return { x: box.x + box.width * Math.min(Math.max(part, 0.01), 0.99), y: box.y + box.height / 2 };
}

/** The first and the last place of the timeline that has recordings. */
async function recordedPlaces(
  visit: PageVisit,
): Promise<{ left: number; right: number; y: number; lengthMs: number }> {
  const slider = visit.page.getByRole("slider", { name: "Timeline" });
  const [from, to] = [
    Number(await slider.getAttribute("aria-valuemin")),
    Number(await slider.getAttribute("aria-valuemax")),
  ];
  const box = await slider.boundingBox();
  if (box === null) throw new Error("the timeline is not shown");
  const xOf = (moment: number): number => box.x + (box.width * (moment - from)) / (to - from);
  const [first, last] = [Math.max(from, recordedFromMs + 4000), Math.min(to, Date.now() - 6000)];
  return { left: xOf(first), right: xOf(last), y: box.y + box.height / 2, lengthMs: last - first };
}

const COUNT_SEEKS = `{
  window.seeks = 0;
  for (const video of document.querySelectorAll(".pictures video:not(.spare)")) video.onseeking = () => (window.seeks += 1);
}`;

async function clickAtRandom(visit: PageVisit, slower: number): Promise<Look[]> {
  const { page } = visit;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
  while ((await spanOf(visit)) > 2 * (Date.now() - recordedFromMs)) await page.keyboard.press("+");
  await visit.button("Play").click();
  const looks: Look[] = [];
  const end = performance.now() + MINUTES * 60_000;
  while (performance.now() < end) {
    const { x, y } = await placeOfRandomMoment(visit);
    await page.mouse.click(x, y);
    looks.push(...(await lookAt(page, CLICK_MS_MIN + Math.random() * (CLICK_MS_MAX - CLICK_MS_MIN))));
  }
  return looks;
}

/** What a hand does with recordings: most of it where they stand, so that what is under the pointer is fetched before a click. */
const ACTS: readonly ((visit: PageVisit) => Promise<unknown>)[] = [
  async (visit) => {
    const { x, y } = await placeOfRandomMoment(visit);
    await visit.page.mouse.click(x, y);
  },
  async (visit) => {
    const { x, y } = await placeOfRandomMoment(visit);
    await visit.page.mouse.move(x, y);
    await visit.page.waitForTimeout(Math.random() * 400);
    if (Math.random() < 0.5) await visit.page.mouse.click(x, y);
  },
  ({ page }) => page.keyboard.press("."),
  ({ page }) => page.keyboard.press(","),
  ({ page }) => page.keyboard.press("ArrowLeft"),
  ({ page }) => page.keyboard.press("Space"),
];

async function actAtRandom(visit: PageVisit): Promise<Look[]> {
  const { page } = visit;
  while ((await spanOf(visit)) > 2 * (Date.now() - recordedFromMs)) await page.keyboard.press("+");
  const looks: Look[] = [];
  const end = performance.now() + MINUTES * 60_000;
  while (performance.now() < end) {
    await ACTS[Math.floor(Math.random() * ACTS.length)]?.(visit);
    looks.push(...(await lookAt(page, 200 + Math.random() * 800)));
  }
  return looks;
}

describe.skipIf(noBrowser !== undefined)(`recordings that are clicked at random${notHere(noBrowser)}`, () => {
  it.each(CASES)(
    "say the time of their picture and go on, $count at a $slower times slower processor",
    ({ count, slower }) => {
      const ids = box.ids.slice(0, count).join(",");
      const address = `#/playback?channel=${ids}&time=${Date.now() - 10_000}`;
      return browser.visit(box.origin, { address }, async (visit) => {
        await visit.logIn();
        await waitForPictures(visit, count);
        const looks = await clickAtRandom(visit, slower);
        const off = apart(looks);
        expect(off.length, "pictures whose time is said").toBeGreaterThan(looks.length / LOOKS_MAX[slower]);
        expect(Math.max(...off)).toBeLessThan(APART_MS_MAX);
        const far = off.filter((ms) => ms > APART_MS).length;
        expect((far / off.length) * 100, `far of ${off.length} pictures`).toBeLessThanOrEqual(OFF_PERCENT);
        expect(longestHaltMs(looks)).toBeLessThan(HALT_MS_MAX);
      });
    },
    300_000 + MINUTES * 60_000,
  );

  it.each(COUNTS)(
    "say the time of their picture while they stand, are stepped, looked at ahead and played, %i",
    (count) => {
      const ids = box.ids.slice(0, count).join(",");
      const address = `#/playback?channel=${ids}&time=${Date.now() - 10_000}`;
      return browser.visit(box.origin, { address }, async (visit) => {
        await visit.logIn();
        await waitForPictures(visit, count);
        const looks = await actAtRandom(visit);
        const off = apart(looks);
        expect(off.length, "pictures whose time is said").toBeGreaterThan(looks.length / 3);
        expect(Math.max(...off)).toBeLessThan(APART_MS_MAX);
        const far = off.filter((ms) => ms > APART_MS).length;
        expect((far / off.length) * 100, `far of ${off.length} pictures`).toBeLessThanOrEqual(OFF_PERCENT);
        // It ends where it is told to go, and shows it.
        const { x, y } = await placeOfRandomMoment(visit);
        await visit.page.mouse.click(x, y);
        const isAwaited = async () => (await lookAt(visit.page, 100)).at(-1)?.isAwaited;
        await expect.poll(isAwaited).toBe(false);
      });
    },
    300_000 + MINUTES * 60_000,
  );

  it.each(COUNTS)(
    "say the time of each picture that a hand is drawn over, and decode it once, %i",
    (count) => {
      const ids = box.ids.slice(0, count).join(",");
      const address = `#/playback?channel=${ids}&time=${Date.now() - 10_000}`;
      return browser.visit(box.origin, { address }, async (visit) => {
        await visit.logIn();
        await waitForPictures(visit, count);
        const { page } = visit;
        while ((await spanOf(visit)) > 2 * (Date.now() - recordedFromMs)) await page.keyboard.press("+");
        const { left, right, y, lengthMs } = await recordedPlaces(visit);
        await page.mouse.move((left + right) / 2, y);
        await page.mouse.down();
        // A hand that stops is shown the very pictures: this one does not, until it lets go.
        const drawing = drawHand(page, {
          durationMs: DRAWN_MS_MAX,
          places: Math.floor(lengthMs / JUMP_MS),
          left,
          right,
          y,
        });
        // Where the test has failed meanwhile, the page is gone: that is said by what failed.
        drawing.catch(() => undefined);
        const each: Look[] = [];
        const another = async () => {
          await page.evaluate(COUNT_SEEKS);
          const looks = await lookAt(page, DRAWN_MS);
          each.push(...looks);
          const pictures = new Set(looks.map(({ numbers }) => numbers[0])).size;
          const awaited = looks.filter(({ isAwaited }) => isAwaited).length;
          return { seeks: await page.evaluate<number>("window.seeks"), awaited, areMany: pictures > 4 };
        };
        // What was decoded on the way is shown again without another seek.
        await expect.poll(another).toEqual({ seeks: 0, awaited: 0, areMany: true });
        const widths = await page.evaluate<number[]>(
          "[...document.querySelectorAll('.picture-video canvas')].map(({ width }) => width)",
        );
        expect(Math.min(...widths)).toBeGreaterThanOrEqual(WIDTH_MIN);
        const off = apart(each);
        expect(off.length).toBeGreaterThan(each.length / 3);
        const far = off.filter((ms) => ms > APART_MS).length;
        expect((far / off.length) * 100, `far of ${off.length} pictures`).toBeLessThanOrEqual(OFF_PERCENT);
        await page.evaluate("window.handRests = true");
        await drawing;
        await page.mouse.up();
        // The very picture takes the place of the one that was drawn.
        await expect.poll(() => page.locator(".picture-video canvas").count()).toBe(0);
        const isAwaited = async () => (await lookAt(page, 100)).at(-1)?.isAwaited;
        await expect.poll(isAwaited).toBe(false);
      });
    },
  );
});
