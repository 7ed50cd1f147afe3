import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";
import { waitForPictures } from "../../support/page/recordings-world.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";

const browser = new PageBrowser();
let recorder: PageService;
/** The camera "Barn", which a test switches off. */
let barn: PacedSource;

beforeAll(async () => {
  barn = await PacedSource.start(1, SMALL_CLIP);
  // What is seen is what a test posts, and nothing else.
  recorder = await PageService.start({ cameras: ["Gate", "Yard", "Hall"], isWatched: false });
  await recorder.service.addCameras([{ name: "Barn", url: barn.url(0) }]);
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await barn?.stop();
});

const tile = (visit: PageVisit, name: string) =>
  visit.page.getByRole("list", { name: "Cameras of the wall" }).getByRole("listitem", { name, exact: true });

const happens = (name: keyof typeof EVENT_TYPES, camera: number) =>
  recorder.addEvents([{ EventId: EVENT_TYPES[name].id, ChannelId: recorder.ids[camera] }]);

/** Left, top, width and height of the frame as parts of the picture that lies in its video. */
function partOfPicture({ page }: PageVisit): Promise<readonly number[]> {
  return page.evaluate<readonly number[]>(`(() => {
    const frame = document.querySelector(".seen-box");
    const video = frame?.closest(".tile-box").querySelector("video");
    if (video === undefined) return [];
    const [box, all] = [frame, video].map((element) => element.getBoundingClientRect());
    const scale = Math.min(all.width / video.videoWidth, all.height / video.videoHeight);
    const [width, height] = [video.videoWidth * scale, video.videoHeight * scale];
    const [left, top] = [all.left + (all.width - width) / 2, all.top + (all.height - height) / 2];
    const parts = [(box.left - left) / width, (box.top - top) / height, box.width / width, box.height / height];
    return parts.map((part) => Math.round(part * 100) / 100);
  })()`);
}

/** How wide the second camera's video is drawn. */
function widthOf({ page }: PageVisit): Promise<number> {
  return page.evaluate<number>(
    "document.querySelectorAll('.tile-box video')[1].getBoundingClientRect().width",
  );
}

describe.skipIf(noBrowser !== undefined)(`what happens at cameras${notHere(noBrowser)}`, () => {
  it("is said in words where nothing does", () =>
    browser.visit(recorder.origin, { size: "phone" }, async (visit) => {
      await visit.logIn();
      await visit.button("All cameras").click();
      await visit.button("Where something happens").click();
      await visit.page.getByText("Nothing happens at any camera now.").waitFor();
      await visit.shot("nothing happens");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }));

  it("is marked at their tiles while it is so", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await tile(visit, "Yard").waitFor();
      await happens("faceRecognized", 1);
      await tile(visit, "Yard").getByText("Face", { exact: true }).waitFor();
      await visit.shot("wall with a face");
      expect(await visit.violations()).toEqual([]);
    }));

  it("is framed in their pictures where the viewer wants it, in a zoomed one too", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await tile(visit, "Yard").waitFor();
      await waitForPictures(visit, 4);
      const { id: EventId } = EVENT_TYPES.faceRecognized;
      const place = { Left: "0,25", Top: "0,5", Width: "0,5", Height: "0,25" };
      const post = () => recorder.addEvents([{ EventId, ChannelId: recorder.ids[1], ...place }]);
      const frame = tile(visit, "Yard")
        .getByText("Face", { exact: true })
        .and(visit.page.locator(".seen-box *"));
      await visit.press("b");
      await expect
        .poll(async () => {
          await post();
          return (await frame.count()) > 0 ? await partOfPicture(visit) : [];
        })
        .toEqual([0.25, 0.5, 0.5, 0.25]);
      await visit.shot("wall with a frame");
      expect(await visit.violations()).toEqual([]);
      const middle = await tile(visit, "Yard").boundingBox();
      await visit.page.mouse.move((middle?.x ?? 0) + 90, (middle?.y ?? 0) + 90);
      const width = await widthOf(visit);
      await expect
        .poll(async () => {
          await visit.page.mouse.wheel(0, -100);
          return await widthOf(visit);
        })
        .toBeGreaterThan(1.5 * width);
      await expect
        .poll(async () => [await post(), await partOfPicture(visit)], { timeout: PATIENCE_MS })
        .toEqual([undefined, [0.25, 0.5, 0.5, 0.25]]);
      await visit.press("b");
      await frame.first().waitFor({ state: "detached" });
    }));

  it("brings them to the wall that shows where something happens, and no other camera", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await tile(visit, "Yard").waitFor();
      await visit.press("w");
      await visit.button("Where something happens").click();
      await tile(visit, "Gate").waitFor({ state: "detached" });
      await happens("faceRecognized", 2);
      await tile(visit, "Hall").waitFor();
      await tile(visit, "Gate").waitFor({ state: "detached" });
      await visit.shot("wall where something happens");
      expect(await visit.violations()).toEqual([]);
    }));

  it("is counted of all cameras, also of those that are on no page that is shown", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await tile(visit, "Barn").waitFor();
      await visit.press("l");
      await visit.button("1 tile").click();
      await tile(visit, "Barn").waitFor({ state: "detached" });
      await barn.stop();
      await visit.page.getByRole("status").getByText("1 camera has no picture").waitFor();
    }));

  it("is shown of no camera that was deleted meanwhile", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await tile(visit, "Yard").waitFor();
      await visit.press("w");
      await visit.button("Where something happens").click();
      await happens("faceRecognized", 0);
      await tile(visit, "Gate").waitFor();
      await recorder.service.json(`/configure/channels/${recorder.ids[0]}`, { method: "DELETE" });
      await tile(visit, "Gate").waitFor({ state: "detached" });
    }));
});
