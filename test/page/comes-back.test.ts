import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { notHere } from "../support/base/not-here.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import type { PageVisit } from "../support/page/page-visit.js";
import { momentOf } from "../support/page/recordings-world.js";

const BANNER = "The recorder does not answer.";
/** What a browser writes while nobody answers, and for a picture of a time that a recorder that has just started does not know yet. */
const LOST = [
  /status of 503 .*\/(?:site\?|api\/archive\/former)/,
  /ERR_CONNECTION_|ERR_NETWORK|ERR_INTERNET|ERR_EMPTY|ERR_INCOMPLETE|WebSocket connection|ERR_ABORTED/,
];
const SCREENS = ["wall", "playback", "events", "account"] as const;
type ScreenName = (typeof SCREENS)[number];

/** Against hanging alone: four pages play at once. */
const LONG_MS = 300_000;

const { browser, recorder } = pageForAllTests({ cameras: ["Gate"], recordedUs: 6_000_000 });

/** Opens a page for each screen at once; `act` has them by name. None of them is loaded again meanwhile. */
async function withScreens(act: (screens: Record<ScreenName, PageVisit>) => Promise<void>): Promise<void> {
  const addresses: Record<ScreenName, string> = {
    wall: "#/wall",
    playback: `#/playback?time=${Date.now() - 5000}&play=1`,
    events: "#/events",
    account: "#/account",
  };
  const open = async (rest: readonly ScreenName[], opened: Partial<Record<ScreenName, PageVisit>>) => {
    const [name, ...others] = rest;
    if (name === undefined) return await act(opened as Record<ScreenName, PageVisit>);
    await browser.visit(recorder.origin, { address: addresses[name], allow: LOST }, async (visit) => {
      await visit.logIn();
      await visit.page.evaluate("window.isSame = true");
      await open(others, { ...opened, [name]: visit });
      expect(await visit.page.evaluate("window.isSame"), `${name} was not loaded again`).toBe(true);
    });
  };
  await open(SCREENS, {});
}

/** Pictures go on: the element's time is another one than before. */
async function expectMoving({ page }: PageVisit): Promise<void> {
  const now = () => page.evaluate<number>("document.querySelector('video')?.currentTime ?? 0");
  const before = await now();
  await expect.poll(now).not.toBe(before);
}

async function expectBack({ wall, playback, events, account }: Record<ScreenName, PageVisit>): Promise<void> {
  const comment = `came back ${Date.now()}`;
  await recorder.addEvents([
    { EventId: EVENT_TYPES.fireDetected.id, ChannelId: recorder.ids[0], Comment: comment },
  ]);
  await events.page.getByText(comment).waitFor();
  for (const visit of [wall, playback, events, account])
    await visit.page.getByRole("alert").getByText(BANNER).waitFor({ state: "detached" });
  await expectMoving(wall);
  await playback.page.getByText("The connection to the recorder is lost.").waitFor({ state: "detached" });
  const before = await momentOf(playback);
  await expect.poll(() => momentOf(playback)).toBeGreaterThan(before);
  await account.page.getByText("This browser", { exact: true }).waitFor();
}

describe.skipIf(noBrowser !== undefined)(`a page that is open${notHere(noBrowser)}`, () => {
  it(
    "goes on by itself on each screen after the service was killed and started again",
    { timeout: LONG_MS },
    () =>
      withScreens(async (screens) => {
        await expectMoving(screens.wall);
        await expectMoving(screens.playback);
        await recorder.down("kill");
        const { account, ...others } = screens;
        for (const visit of Object.values(others))
          await visit.page.getByRole("alert").getByText(BANNER).first().waitFor();
        // Who goes to a screen that was never shown meanwhile finds it there afterwards.
        await account.screen("Events");
        await account.page.getByRole("alert").getByText(BANNER).first().waitFor();
        await account.screen("Account");
        await screens.wall.shot("recorder down wall");
        await account.shot("recorder down account");
        await recorder.up();
        await expectBack(screens);
      }),
  );

  it(
    "says on each screen that a recorder stands whose connections are still there, before any of them fails, and goes on with it",
    { timeout: LONG_MS },
    () =>
      withScreens(async (screens) => {
        await expectMoving(screens.wall);
        await expectMoving(screens.playback);
        const failed: string[] = [];
        for (const { page } of Object.values(screens))
          page.on("requestfailed", (request) => {
            // Whether anybody is there is asked with a limit of its own, and again.
            if (!request.url().endsWith("/api/session?anonymous=true")) failed.push(request.url());
          });
        recorder.service.process.signal("SIGSTOP");
        try {
          for (const { page } of Object.values(screens))
            await page.getByRole("alert").getByText(BANNER).first().waitFor();
          await screens.wall.page
            .getByText(/^No connection to the recorder since/)
            .first()
            .waitFor();
          expect(failed).toEqual([]);
        } finally {
          recorder.service.process.signal("SIGCONT");
        }
        await expectBack(screens);
      }),
  );

  it(
    "goes on by itself when the network is lost and found, and when the device has slept",
    { timeout: LONG_MS },
    () =>
      withScreens(async (screens) => {
        await expectMoving(screens.wall);
        for (const { page } of Object.values(screens)) await page.context().setOffline(true);
        await screens.events.page.getByRole("alert").getByText(BANNER).first().waitFor();
        for (const { page } of Object.values(screens)) await page.context().setOffline(false);
        await expectBack(screens);
        // A device that slept has a clock that jumped, and connections of which nobody hears again.
        for (const { page } of Object.values(screens))
          await page.evaluate("{ const now = Date.now; Date.now = () => now() + 3600_000 }");
        await expectBack(screens);
      }),
  );
});
