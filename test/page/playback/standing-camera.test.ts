import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";
import { waitForPictures } from "../../support/page/recordings-world.js";

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate", "Yard"], recordedUs: 6_000_000 });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

interface Played {
  readonly type: "play";
  readonly watches: readonly { readonly id: number; readonly channel: string }[];
}

/** The first two playbacks send no picture of a channel; those after them send all. What was asked for. */
async function holdBack(visit: PageVisit, channel: string | undefined): Promise<readonly Played[]> {
  const played: Played[] = [];
  const heldBack = new Set<number>();
  await visit.page.routeWebSocket(/\/api\/live/, (page) => {
    const service = page.connectToServer();
    page.onMessage((text) => {
      const message = JSON.parse(String(text)) as { readonly type: string };
      if (message.type === "play") played.push(message as Played);
      service.send(text);
    });
    service.onMessage((message) => {
      if (typeof message === "string") {
        const { type, id, feed } = JSON.parse(message) as { type: string; id: number; feed: number };
        const orders = played.slice(0, 2).flatMap(({ watches }) => watches);
        const isHeldBack = orders.some((watch) => watch.channel === channel && watch.id === id);
        if (type === "stream" && isHeldBack) heldBack.add(feed);
      } else if (heldBack.has(message.readUInt32BE(4))) return;
      page.send(message);
    });
  });
  return played;
}

describe.skipIf(noBrowser !== undefined)(`a camera of several that are played${notHere(noBrowser)}`, () => {
  it("is said to stand where no picture of it comes, and begins anew, while the others keep theirs", () =>
    browser.visit(recorder.origin, { address: "#/account" }, async (visit) => {
      await visit.logIn();
      const { page } = visit;
      const played = await holdBack(visit, recorder.ids[1]);
      await page.goto(
        `${recorder.origin}/#/playback?channel=${recorder.ids.join(",")}&time=${Date.now() - 3000}`,
      );
      await page.reload();
      await page.getByRole("status").getByText("The picture stands still. It begins anew.").waitFor();
      const gate = () => page.evaluate<string>("document.querySelector('video[aria-label=Gate]').src");
      const before = await gate();
      await visit.shot("a camera stands");
      await expect.poll(() => played.length).toBe(3);
      await waitForPictures(visit, 2);
      expect(await gate()).toBe(before);
      await page.getByText("The picture stands still.").waitFor({ state: "detached" });
    }));
});
