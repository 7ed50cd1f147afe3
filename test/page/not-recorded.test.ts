import type { Response } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { notHere } from "../support/base/not-here.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import type { PageVisit } from "../support/page/page-visit.js";

/** A port that no camera answers on (RFC 863). */
const DEAD_URL = "rtsp://127.0.0.1:9/camera";

const { browser, recorder } = pageForAllTests();
beforeAll(async () => {
  const [id] = await recorder.service.addCameras([{ name: "Gate", url: DEAD_URL }]);
  const EventId = EVENT_TYPES.plateRecognized.id;
  await recorder.addEvents([{ EventId, ChannelId: id, plateText: "A123BC77" }]);
});

/** Every answer that is no picture, by the path that was asked for. */
function answersWithoutPicture(visit: PageVisit): string[] {
  const answers: string[] = [];
  visit.page.on("response", (response: Response) => {
    const { pathname } = new URL(response.url());
    if (/\/(?:site|strip|picture)$/.test(pathname))
      answers.push(`${response.status()} ${pathname.replace(/[\da-f-]{36}[\d-]*/, "ID")}`);
  });
  return answers;
}

/** A picture that is not there is nothing wrong: the browser would write an error for each 4xx, and `visit` fails with it. */
describe.skipIf(noBrowser !== undefined)(`a camera that was never recorded${notHere(noBrowser)}`, () => {
  it("has events without a picture", () =>
    browser.visit(recorder.origin, { address: "#/events" }, async (visit) => {
      const answers = answersWithoutPicture(visit);
      await visit.logIn();
      await visit.page.getByText("A123BC77").first().waitFor();
      await expect.poll(() => answers).toContain("204 /site");
    }));

  it("has cards in the review that say so, still and moving", () =>
    browser.visit(recorder.origin, { address: "#/review" }, async (visit) => {
      const answers = answersWithoutPicture(visit);
      await visit.logIn();
      const card = visit.page.locator(".review-card").filter({ hasText: "A123BC77" });
      await card.locator(".missing").waitFor();
      await card.hover();
      await expect.poll(() => answers).toContain("204 /api/strip");
      expect(answers).toContain("204 /api/findings/ID/picture");
    }));

  it("has a sign in place of its last picture in the settings", () =>
    browser.visit(recorder.origin, { address: "#/settings?part=cameras" }, async (visit) => {
      const answers = answersWithoutPicture(visit);
      await visit.logIn();
      await expect.poll(() => answers).toContain("204 /site");
      await visit.page.locator(".camera-picture[role=img]").waitFor();
    }));
});
