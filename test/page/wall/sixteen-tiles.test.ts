import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { type PageVisit, SCREENSHOTS } from "../../support/page/page-visit.js";
import { SMALL_CLIP } from "../../support/service/paced-source.js";
import { pause } from "../../support/service/service.js";

/** How long it is watched; not at all in `npm test`. */
const MINUTES = Number(process.env.NVRD_TEST_PAGE_MINUTES ?? 0);
const reason = noBrowser ?? (MINUTES > 0 ? undefined : "npm run torture -- page");
const TILES = 16;
const MINUTE_MS = 60_000;
/** What one minute's look may differ from another's, bytes: buffers that are just full, or just empty. */
const HEAP_GROWTH_MAX = 3 * 1024 * 1024;
/** What the recorder's memory may differ between two minutes, KiB: its caches fill, and V8 collects when it likes. */
const RECORDER_GROWTH_MAX_KIB = 32 * 1024;
/** Each tile shows at least so many of its 25 pictures a second: half of them, on a machine that decodes sixteen by software. */
const PICTURES_A_SECOND_MIN = 12;

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  if (reason !== undefined) return;
  const cameras = Array.from({ length: TILES }, (_, index) => `Camera ${index + 1}`);
  recorder = await PageService.start({ cameras, clip: SMALL_CLIP, recordedUs: 2_000_000 });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

/** Bytes that the page's scripts hold, after what nobody holds was given back. */
async function heapOf({ page }: PageVisit): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return usedSize;
  } finally {
    await session.detach();
  }
}

/** What the recorder's process holds in memory. */
function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** How much more the least of the second half is than that of the first. */
function growthOf(values: readonly number[]): number {
  const half = Math.ceil(values.length / 2);
  return Math.min(...values.slice(-half)) - Math.min(...values.slice(0, half));
}

/** Pictures that each tile has shown so far. */
const picturesOf = ({ page }: PageVisit): Promise<number[]> =>
  page.evaluate(
    "[...document.querySelectorAll('video')].map((video) => video.getVideoPlaybackQuality().totalVideoFrames)",
  );

describe.skipIf(reason !== undefined)(`sixteen live tiles${notHere(reason)}`, () => {
  it(
    `play for ${MINUTES} minutes without a stall, and the page's memory does not grow`,
    () =>
      browser.visit(recorder.origin, {}, async (visit) => {
        await visit.logIn();
        await expect
          .poll(async () => (await picturesOf(visit)).filter((count) => count > 0).length)
          .toBe(TILES);
        await pause(MINUTE_MS);
        const heaps: number[] = [];
        const recorderKib: number[] = [];
        const slowest: number[] = [];
        let before = await picturesOf(visit);
        for (let minute = 0; minute < MINUTES; minute += 1) {
          await pause(MINUTE_MS);
          heaps.push(await heapOf(visit));
          recorderKib.push(residentKib(recorder.service.process.pid));
          const now = await picturesOf(visit);
          const shown = now.map((count, tile) => count - (before[tile] ?? 0));
          slowest.push(Math.min(...shown));
          expect(slowest.at(-1), `minute ${minute + 1}`).toBeGreaterThan(60 * PICTURES_A_SECOND_MIN);
          before = now;
        }
        await visit.shot("sixteen tiles");
        const figures = { heapBytes: heaps, recorderKib, slowestTile: slowest };
        writeFileSync(join(SCREENSHOTS, "sixteen-tiles.json"), JSON.stringify(figures));
        expect(growthOf(heaps), `heaps: ${heaps.join(", ")}`).toBeLessThan(HEAP_GROWTH_MAX);
        expect(growthOf(recorderKib), `recorder, KiB: ${recorderKib.join(", ")}`).toBeLessThan(
          RECORDER_GROWTH_MAX_KIB,
        );
      }),
    (MINUTES + 5) * MINUTE_MS,
  );
});
