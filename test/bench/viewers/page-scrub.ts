import type { Browser, Page } from "playwright-core";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { launchChromium } from "../../support/media/chromium.js";
import {
  drawHand,
  type Look,
  lookAt,
  NUMBERED_CLIP,
  PictureTimes,
} from "../../support/page/time-and-picture.js";
import { PacedSource } from "../../support/service/paced-source.js";
import { pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";
import { type Bench, type Figure, percentile } from "../figure.js";

const RECORDED_US = 40_000_000;
const CLICKS = 30;
const QUICK_CLICKS = 12;
const SCRUBBED_MS = 10_000;
const QUICK_SCRUBBED_MS = 4000;
/** To and fro: a hand that is slower comes over fewer key frames a second than are wanted. */
const PASS_MS = 1500;
const CLICK_P95_MS = 150;
const PICTURES_A_SECOND = 25;
/** A picture that is so near to the moment that was clicked is of it: the distance of two key frames. */
const NEAR_MS = (NUMBERED_CLIP.gopFrames / NUMBERED_CLIP.fps) * 1000;
/** One that is so near is the very picture. */
const EXACT_MS = 100;
const WATCHED_MS = 1500;

interface World {
  readonly page: Page;
  readonly times: readonly PictureTimes[];
  readonly fromMs: number;
}

/** How quickly the recordings screen shows the moment that is clicked, and how many pictures a drag along the timeline shows. */
export const pageScrubBench: Bench = {
  name: "page-scrub",
  about:
    "recordings on the page: from a click on the timeline to its picture, and pictures a second while it is dragged",
  async *run({ quick }) {
    const directory = new TemporaryDirectory("bench-scrub");
    const source = await PacedSource.start(4, NUMBERED_CLIP);
    const service = await Service.start({ dataDir: directory.join("data") });
    let browser: Browser | undefined;
    const times: PictureTimes[] = [];
    try {
      const names = ["Gate", "Yard", "Door", "Lane"];
      const ids = await service.addCameras(names.map((name, at) => ({ name, url: source.url(at) })));
      for (const id of ids) times.push(await PictureTimes.follow(service, id));
      const fromMs = Date.now();
      await service.recorded(ids, RECORDED_US, 120_000);
      browser = await launchChromium();
      const page = await loggedIn(browser, service);
      for (const count of [1, 4]) {
        await open(page, service, ids.slice(0, count));
        const world = { page, times: times.slice(0, count), fromMs };
        yield* figures(world, count, quick);
      }
    } finally {
      for (const each of times) each.stop();
      await browser?.close();
      await service.stop();
      await source.stop();
      directory.remove();
    }
  },
};

async function loggedIn(browser: Browser, service: Service): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: 1366, height: 768 },
    locale: "en-GB",
    timezoneId: "UTC",
  });
  await page.goto(`http://127.0.0.1:${service.httpPort}/#/account`);
  await page.getByLabel("Name", { exact: true }).fill("root");
  await page.getByLabel("Password", { exact: true }).fill(ROOT_PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation").first().waitFor();
  return page;
}

/** Opens cameras at what was recorded ten seconds ago, on a timeline that shows little more than the recordings. */
async function open(page: Page, service: Service, ids: readonly string[]): Promise<void> {
  const address = `#/playback?channel=${ids.join(",")}&time=${Date.now() - 10_000}`;
  await page.goto(`http://127.0.0.1:${service.httpPort}/${address}`);
  while ((await shownVideos(page)) < ids.length) await pause(100);
  while ((await spanOf(page)).to - (await spanOf(page)).from > 80_000) await page.keyboard.press("+");
}

function shownVideos(page: Page): Promise<number> {
  return page.evaluate(
    "[...document.querySelectorAll('.pictures video:not(.spare)')].filter((video) => video.readyState >= 2).length",
  );
}

async function spanOf(page: Page): Promise<{ from: number; to: number }> {
  const slider = page.getByRole("slider", { name: "Timeline" });
  const [from, to] = [await slider.getAttribute("aria-valuemin"), await slider.getAttribute("aria-valuemax")];
  return { from: Number(from), to: Number(to) };
}

async function placeOf(page: Page, moment: number): Promise<{ x: number; y: number }> {
  const { from, to } = await spanOf(page);
  const box = await page.getByRole("slider", { name: "Timeline" }).boundingBox();
  if (box === null) throw new Error("the timeline is not shown");
  return { x: box.x + (box.width * (moment - from)) / (to - from), y: box.y + box.height / 2 };
}

async function* figures(world: World, count: number, quick: boolean): AsyncGenerator<Figure> {
  const { page } = world;
  const cameras = count === 1 ? "one camera" : `${count} cameras`;
  const clicks = quick ? QUICK_CLICKS : CLICKS;
  for (const state of ["paused", "playing"] as const) {
    if (state === "playing") await page.getByRole("button", { name: "Play", exact: true }).click();
    const { near, exact } = await clicked(world, clicks);
    if (state === "playing") await page.keyboard.press("k");
    yield {
      name: `${cameras}, ${state}: click to a picture of its group, p95`,
      value: percentile(near, 0.95),
      unit: "ms",
      wanted: { atMost: CLICK_P95_MS },
    };
    yield {
      name: `${cameras}, ${state}: click to the very picture, p50`,
      value: percentile(exact, 0.5),
      unit: "ms",
    };
    yield {
      name: `${cameras}, ${state}: click to the very picture, p95`,
      value: percentile(exact, 0.95),
      unit: "ms",
    };
  }
  const looks = await scrubbed(world, quick ? QUICK_SCRUBBED_MS : SCRUBBED_MS);
  yield {
    name: `${cameras}: pictures a second while the timeline is dragged`,
    value: picturesASecond(looks, count),
    unit: "",
    wanted: { atLeast: PICTURES_A_SECOND },
  };
}

/** How long after each click all cameras showed it. */
async function clicked(
  { page, times, fromMs }: World,
  clicks: number,
): Promise<{ near: number[]; exact: number[] }> {
  const [near, exact]: [number[], number[]] = [[], []];
  for (let click = 0; click < clicks; click += 1) {
    const shown = await spanOf(page);
    const first = Math.max(fromMs + 4000, shown.from);
    const last = Math.min(Date.now() - 6000, shown.to);
    const { x, y } = await placeOf(page, first + Math.random() * (last - first));
    await page.mouse.move(x - 3, y);
    await page.mouse.move(x, y);
    await pause(200);
    const { from, to } = await spanOf(page);
    await page.evaluate(
      "addEventListener('pointerup', () => { window.clickedMs = Date.now(); }, { once: true, capture: true })",
    );
    const watching = lookAt(page, WATCHED_MS);
    await page.mouse.down();
    await page.mouse.up();
    const looks = await watching;
    const clickedMs = await page.evaluate<number>("window.clickedMs");
    const box = await page.getByRole("slider", { name: "Timeline" }).boundingBox();
    const wanted = from + ((x - (box?.x ?? 0)) / (box?.width ?? 1)) * (to - from);
    const after = looks.filter(({ nowMs }) => nowMs >= clickedMs);
    const firstWithin = (ms: number): number =>
      (after.find(({ numbers, nowMs }) =>
        numbers.every((number, camera) => {
          const apart = number === null ? Number.NaN : (times[camera]?.apartMs(number, wanted) ?? Number.NaN);
          return apart <= ms + (nowMs - clickedMs);
        }),
      )?.nowMs ?? clickedMs + WATCHED_MS) - clickedMs;
    near.push(firstWithin(NEAR_MS));
    exact.push(firstWithin(EXACT_MS));
  }
  return { near, exact };
}

/** Draws a hand to and fro over what is recorded. */
async function scrubbed({ page, fromMs }: World, durationMs: number): Promise<Look[]> {
  const shown = await spanOf(page);
  const left = await placeOf(page, Math.max(fromMs + 4000, shown.from));
  const right = await placeOf(page, Math.min(Date.now() - 6000, shown.to));
  await page.mouse.move(left.x, left.y);
  await page.mouse.down();
  const drawn = { durationMs, passMs: PASS_MS, left: left.x, right: right.x, y: left.y };
  // A look with each picture of the screen: fewer could not see as many pictures as are wanted.
  const [looks] = await Promise.all([lookAt(page, durationMs, 0), drawHand(page, drawn)]);
  await page.mouse.up();
  return looks;
}

/** Of the camera that shows fewest. */
function picturesASecond(looks: readonly Look[], count: number): number {
  const spanMs = (looks.at(-1)?.nowMs ?? 0) - (looks[0]?.nowMs ?? 0);
  const changes = Array.from(
    { length: count },
    (_, camera) =>
      looks.filter(({ numbers }, at) => at > 0 && numbers[camera] !== looks[at - 1]?.numbers[camera]).length,
  );
  return (Math.min(...changes) * 1000) / spanMs;
}
