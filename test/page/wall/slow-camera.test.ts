import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { SMALL_CLIP } from "../../support/service/paced-source.js";

/** One picture in four seconds, each of them alone a whole one. */
const SLOW_CLIP = { ...SMALL_CLIP, fps: 0.25, gopFrames: 1, seconds: 32 };

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate"], clip: SLOW_CLIP, isWatched: false });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

const FOLLOW_STANDING = `window.stood = false;
new MutationObserver(() => { window.stood ||= document.body.innerText.includes("stands still"); })
  .observe(document.body, { childList: true, subtree: true, characterData: true })`;

describe.skipIf(noBrowser !== undefined)(
  `a camera of one picture in some seconds${notHere(noBrowser)}`,
  () => {
    it("is not said to stand", () =>
      browser.visit(recorder.origin, {}, async (visit) => {
        const { page } = visit;
        await page.evaluate(FOLLOW_STANDING);
        await visit.logIn();
        const shown = () =>
          page.evaluate<number>(
            "document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames ?? 0",
          );
        await expect.poll(shown).toBeGreaterThan(3);
        expect(await page.evaluate("window.stood")).toBe(false);
      }));
  },
);
