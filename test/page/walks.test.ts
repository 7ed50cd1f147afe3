import { describe, expect, it } from "vitest";
import { forAllTests } from "../support/base/for-tests.js";
import { notHere } from "../support/base/not-here.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import type { PageVisit } from "../support/page/page-visit.js";
import { Walk } from "../support/page/walk.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";

const { browser, recorder } = pageForAllTests({ cameras: ["Gate", "Yard"], recordedUs: 6_000_000 });
/** A camera that is not added yet. */
const shed = forAllTests(() => PacedSource.start(1, SMALL_CLIP));

/** Each task begins on the wall, after the login. */
function walk(task: string, steps: (walk: Walk, visit: PageVisit) => Promise<void>): Promise<void> {
  return browser.visit(recorder.origin, {}, async (visit) => {
    await visit.logIn();
    const taken = new Walk(visit.page);
    await steps(taken, visit);
    taken.log(task);
  });
}

/** How many pictures move on. */
const moving = (visit: PageVisit) => () =>
  visit.page.evaluate<number>(
    "[...document.querySelectorAll('video')].filter((video) => video.videoWidth > 0 && video.currentTime > 0.2).length",
  );

describe.skipIf(noBrowser !== undefined)(
  `an owner's tasks by roles and names alone${notHere(noBrowser)}`,
  () => {
    it("watch live", () =>
      walk("watch live", async (taken, visit) => {
        for (const name of ["Gate", "Yard"]) await taken.hears("listitem", name);
        await expect.poll(moving(visit)).toBe(2);
      }));

    it("enlarge a camera, and see all again", () =>
      walk("enlarge one", async (taken) => {
        await taken.press("button", "Enlarge Yard");
        await taken.the("listitem", "Gate").waitFor({ state: "hidden" });
        await taken.press("button", "Show all cameras");
        await taken.hears("listitem", "Gate");
      }));

    it("open screens, and begin at their titles", () =>
      walk("open screens", async (taken, visit) => {
        for (const name of ["Recordings", "Review", "Events", "Settings", "Account", "Live"]) {
          await taken.press("link", name);
          const focused = () => visit.page.evaluate<string>("document.activeElement.tagName");
          await expect.poll(focused, { message: name }).toBe("H1");
        }
      }));

    it("find a minute of the recordings and play it", () =>
      walk("find a minute and play it", async (taken, visit) => {
        await taken.press("link", "Recordings");
        await taken.press("button", /\d\d:\d\d:\d\d$/);
        await taken.type("textbox", "Date and time", "-2s");
        await visit.press("Enter");
        await taken.press("button", "Play");
        await taken.hears("button", "Pause");
        await expect.poll(moving(visit)).toBeGreaterThan(0);
      }));

    it("save a piece of the recordings as a file", () =>
      walk("export", async (taken, visit) => {
        await taken.press("link", "Recordings");
        await taken.press("button", "Save as a file");
        const [download] = await Promise.all([
          visit.page.waitForEvent("download"),
          taken.press("button", "Make file"),
        ]);
        expect(download.suggestedFilename()).toMatch(/\.mp4$/);
      }));

    it("add a camera", () =>
      walk("add a camera", async (taken) => {
        await taken.press("link", "Settings");
        await taken.press("link", "Add cameras");
        await taken.unfold("Add by the address of the stream (RTSP)");
        await taken.type("textbox", "Name", "Shed");
        await taken.type("textbox", "Address of the stream", shed.url(0));
        await taken.press("button", "Add the camera");
        await taken.hears("heading", "Shed");
        await taken.press("link", "Live");
        await taken.hears("listitem", "Shed");
      }));

    it("add a user", () =>
      walk("add a user", async (taken) => {
        await taken.press("link", "Settings");
        await taken.press("link", "Users");
        await taken.press("button", "Add a user");
        await taken.type("textbox", "Name", "neighbour");
        await taken.type("textbox", "Password", "a long sentence of words");
        await taken.choose("Group", "Only what I choose below");
        await taken.press("checkbox", "Live: Yard");
        await taken.press("button", "Save");
        await taken.hears("button", "Change neighbour");
      }));

    it("look at what is wrong", () =>
      walk("look at what is wrong", async (taken) => {
        await taken.press("link", "Settings");
        await taken.press("link", "System");
        await taken.hearsWords("status", /The recorder is well|needs attention|Recordings are lost/);
      }));
  },
);
