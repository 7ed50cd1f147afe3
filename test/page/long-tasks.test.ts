import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";
import type { PageVisit } from "../support/page/page-visit.js";
import { taskTimes } from "../support/page/task-times.js";
import { pause } from "../support/service/service.js";

const TILES = 16;
/** Of the configuration; those beyond the tiles send nothing. */
const MANY = 256;
/** What a person feels. */
const TASK_MS_MAX = 100;
/** Fewer tasks than this say that nothing was traced. */
const TASKS_MIN = 50;
const WATCHED_MS = 3000;

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  const cameras = Array.from({ length: TILES }, (_, index) => `Camera ${index + 1}`);
  recorder = await PageService.start({ cameras, isWatched: false, recordedUs: 2_000_000 });
  await recorder.service.addCameras(
    Array.from({ length: MANY - TILES }, (_, index) => ({
      name: `Camera ${TILES + index + 1}`,
      url: `rtsp://192.0.2.${index + 1}:554/stream`,
    })),
  );
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

/** Tiles that show a picture. */
const playing = ({ page }: PageVisit): Promise<number> =>
  page.evaluate(
    "[...document.querySelectorAll('video')].filter((video) => video.getVideoPlaybackQuality().totalVideoFrames > 0).length",
  );

/** Fails where a task of the page's main thread takes too long. */
async function isQuick({ page }: PageVisit, act: () => Promise<void>): Promise<void> {
  const { count, longestMs } = await taskTimes(page, act);
  console.log(`${expect.getState().currentTestName}: longest task ${Math.round(longestMs)} ms of ${count}`);
  expect(count).toBeGreaterThan(TASKS_MIN);
  expect(longestMs).toBeLessThan(TASK_MS_MAX);
}

describe.skipIf(noBrowser !== undefined)(
  `with ${MANY} cameras no task of the page is long${notHere(noBrowser)}`,
  () => {
    it(`while ${TILES} tiles begin, play, are turned over and come back`, () =>
      browser.visit(recorder.origin, {}, async (visit) => {
        await visit.logIn();
        await isQuick(visit, async () => {
          await visit.page.reload();
          await expect.poll(() => playing(visit)).toBe(TILES);
          await pause(WATCHED_MS);
          await visit.press("PageDown");
          await visit.page.getByText("Page 2 of 16").waitFor({ state: "attached" });
          await visit.press("PageUp");
          await expect.poll(() => playing(visit)).toBe(TILES);
        });
      }));

    it("while a camera is looked for among all", () =>
      browser.visit(recorder.origin, {}, async (visit) => {
        await visit.logIn();
        await isQuick(visit, async () => {
          await visit.press("c");
          await visit.field("Find a camera by name or place").fill("camera 241");
          await visit.button(/^Camera 241/).waitFor();
        });
      }));

    it("while the settings of the cameras open, and those of others", () =>
      browser.visit(recorder.origin, {}, async (visit) => {
        await visit.logIn();
        await isQuick(visit, async () => {
          for (const part of ["users", "cameras"]) {
            await visit.page.goto(`${recorder.origin}/#/settings?part=${part}`);
            await pause(WATCHED_MS / 2);
          }
          await visit.page.getByText("Camera 241").first().waitFor({ state: "attached" });
          await pause(WATCHED_MS);
        });
      }));
  },
);
