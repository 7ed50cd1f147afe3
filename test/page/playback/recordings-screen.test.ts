import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser } from "../../support/page/page-browser.js";
import type { PageVisit, VisitOptions } from "../../support/page/page-visit.js";
import {
  followNotices,
  momentOf,
  RECORDED_MS,
  RecordingsWorld,
  spanOf,
  waitForPictures,
} from "../../support/page/recordings-world.js";
import { aheadFlows } from "./ahead-flows.js";
import { exportFlows } from "./export-flows.js";
import { keyFlows } from "./key-flows.js";
import { motionSearchFlows } from "./motion-search-flows.js";
import { soundFlows } from "./sound-flows.js";
import { stepFlows } from "./step-flows.js";

/** Event type of a motion that another program reports. */
const MOTION = "00000000-0000-0000-0000-000000000033";

describe.skipIf(noBrowser !== undefined)(`the recordings screen${notHere(noBrowser)}`, () => {
  const world = new RecordingsWorld();
  beforeAll(() => world.start());
  afterAll(() => world.stop());

  const visit = (options: VisitOptions, act: (visit: PageVisit) => Promise<void>, ids?: readonly string[]) =>
    world.visit(options, act, ids);
  const goOn = (options: VisitOptions, act: (visit: PageVisit) => Promise<void>) => world.goOn(options, act);

  const addressAt = (moment: number) => `#/playback?channel=${world.ids.join(",")}&time=${moment}`;

  it("opens cameras at the moment of its address, stands there, and plays by a key", () =>
    goOn({}, async (opened) => {
      const { page } = opened;
      expect(await momentOf(opened)).toBe(world.recordedMs);
      await page.keyboard.press("Space");
      await opened.button("Pause").waitFor();
      await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs + 1000);
      await page.keyboard.press("k");
      await opened.button("Play").waitFor();
      await expect.poll(() => page.url()).toMatch(/channel=[0-9a-f-]{36}(%2C|,)[0-9a-f-]{36}&time=\d{13}$/);
    }));

  it("opens at a time of its address that a person has written", () => {
    const written = new Date(world.recordedMs).toISOString().slice(0, 19);
    const address = `#/playback?channel=${world.ids.join(",")}&time=${written}`;
    return visit({ address }, async (opened) => {
      await expect.poll(() => momentOf(opened)).toBe(world.recordedMs);
    });
  });

  it("plays at once where its address says so", () =>
    goOn(
      { address: `#/playback?channel=${world.ids.join(",")}&time=${world.recordedMs}&play=1` },
      async (opened) => {
        await opened.button("Pause").waitFor();
        await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs + 1000);
      },
    ));

  it("goes to a moment that is typed, and says what it does not understand", () =>
    goOn({}, async (opened) => {
      const { page } = opened;
      await page.keyboard.press("g");
      const field = opened.field("Date and time");
      await field.fill("sometime");
      await field.press("Enter");
      await page.getByText("This is no date and time that the page knows.").waitFor();
      const time = new Date(world.recordedMs + 2000).toISOString();
      await field.fill(time.slice(0, 19).replace("T", " "));
      await field.press("Enter");
      await field.waitFor({ state: "hidden" });
      await expect.poll(() => momentOf(opened)).toBe(world.recordedMs + 2000);
    }));

  it("goes to a day and an hour by two clicks in a calendar that marks what is recorded", () =>
    goOn({}, async (opened) => {
      const { page } = opened;
      await page.getByTitle("Go to a date and time (G)").click();
      const parts = { day: "numeric", month: "long", timeZone: "UTC" } as const;
      const day = new Intl.DateTimeFormat("en-GB", parts).format(world.recordedMs);
      await opened.button(`${day}, has recordings`).click();
      const hour = `${new Date(world.recordedMs).toISOString().slice(11, 13)}:00`;
      await opened.button(`${hour}, has recordings`).click();
      const wanted = Math.floor(world.recordedMs / 3_600_000) * 3_600_000;
      await expect.poll(() => momentOf(opened)).toBe(wanted);
    }));

  it("shows more and less time by wheel and keys, and says what was not recorded, and why", () =>
    goOn({}, async (opened) => {
      const { page } = opened;
      const slider = page.getByRole("slider", { name: "Timeline" });
      const before = await spanOf(opened);
      const place = await slider.boundingBox();
      if (place === null) throw new Error("the timeline is not shown");
      await page.mouse.move(place.x + 10, place.y + 60);
      await page.getByRole("tooltip").getByText("The camera was not recorded yet").waitFor();
      await page.mouse.wheel(0, -600);
      await expect.poll(() => spanOf(opened)).toBeLessThan(before / 2);
      await slider.focus();
      await opened.press("-", "-", "-");
      expect(await spanOf(opened)).toBeGreaterThan(before);
      await page.getByText("What this time has, in words").click();
      await page
        .getByRole("button", { name: /^The camera was not recorded yet, until / })
        .first()
        .waitFor();
    }));

  it("shows less time between two fingers that go apart", () =>
    visit({ size: "phone" }, async (opened) => {
      const { page } = opened;
      const before = await spanOf(opened);
      const place = await page.getByRole("slider", { name: "Timeline" }).boundingBox();
      if (place === null) throw new Error("the timeline is not shown");
      const session = await page.context().newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart?: number) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints:
            apart === undefined
              ? []
              : [-apart, apart].map((by, id) => ({ x: 195 + by, y: place.y + 60, id })),
        });
      await touch("touchStart", 20);
      for (const apart of [40, 60, 80]) await touch("touchMove", apart);
      await touch("touchEnd");
      await expect.poll(() => spanOf(opened)).toBeLessThan(before / 3);
    }));

  it.each([-3, 3])(
    "opens at the recorder's time on a device whose clock is %i hours off, and says that it is",
    (hours) =>
      visit(
        { address: "#/account" },
        async (opened) => {
          const { page } = opened;
          await page.addInitScript(`{ const now = Date.now; Date.now = () => now() + ${hours} * 3600_000; }`);
          await page.goto(`${world.box.origin}/#/playback?channel=${world.ids.join(",")}`);
          await page.reload();
          await waitForPictures(opened, world.ids.length);
          await page
            .getByText(/^This device's clock is 180 minutes (?:behind|ahead of) the recorder's\.$/)
            .waitFor();
          expect(Math.abs((await momentOf(opened)) - Date.now())).toBeLessThan(60_000);
          await opened.button("Play").click();
          await page.keyboard.press("End");
          await page.getByText("This is live now.").waitFor();
        },
        [],
      ),
  );

  it("says a gap of both cameras once in words, and plays over it", () =>
    visit({}, async (opened) => {
      const { page } = opened;
      const notices = await followNotices(opened);
      await opened.press("Shift+ArrowLeft");
      const words = /^The camera was not recorded yet\. Going on at \d\d:\d\d:\d\d\.$/;
      await page.getByRole("figure", { name: "Gate" }).getByText(words).waitFor();
      await page.keyboard.press("Space");
      await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs - RECORDED_MS);
      await expect.poll(notices).toHaveLength(1);
      expect((await notices())[0]).toMatch(words);
      // The service reports the gap again when the playback goes on in it.
      const at = await momentOf(opened);
      await opened.press("Space", "Space");
      await expect.poll(() => momentOf(opened)).toBeGreaterThan(at + 1000);
      expect(await notices()).toHaveLength(1);
    }));

  it("shows its tracks where the system forces its colours", () =>
    visit({}, async (opened) => {
      const { page } = opened;
      await page.emulateMedia({ forcedColors: "active" });
      await page.reload();
      await waitForPictures(opened, world.ids.length);
      const colours = () =>
        page.evaluate<number>(`(() => {
          const canvas = document.querySelector(".timeline-canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(data.buffer)).size;
        })()`);
      await expect.poll(colours).toBeGreaterThan(10);
    }));

  it("goes picture by picture, and on to live at the end", () =>
    goOn({}, async (opened) => {
      const { page } = opened;
      const shown = () => page.evaluate<number>("document.querySelector('video').currentTime");
      const first = await shown();
      await page.keyboard.press(".");
      await expect.poll(shown).toBeGreaterThan(first);
      await page.keyboard.press("End");
      await page.getByText("This is live now.").waitFor();
      const isLive = () => opened.button("Live").getAttribute("aria-pressed");
      await expect.poll(isLive).toBe("true");
    }));

  it("plays fast into live, and backwards to the beginning of the recordings", () =>
    visit({ address: addressAt(Date.now() - 20_000) }, async (opened) => {
      const { page } = opened;
      const notices = await followNotices(opened);
      await opened.field("Speed").selectOption("8");
      await opened.button("Play").click();
      await page.getByText("This is live now.").waitFor();
      const live = Date.now();
      await expect.poll(() => momentOf(opened)).toBeGreaterThan(live);
      expect(await notices()).toEqual(["This is live now."]);
      await opened.press("j", "j", "j", "j");
      await expect.poll(() => momentOf(opened)).toBeLessThan(world.recordedMs);
      await page.getByText("This is the beginning of the recordings.").waitFor();
    }));

  it("goes to the next event by a key, and says when there is none", () =>
    // The recorder itself looks for no motion in the pictures of this camera.
    world.visit(
      {},
      async (opened) => {
        const { page } = opened;
        await world.box.service.json("/api/events", {
          method: "POST",
          body: { EventId: MOTION, ChannelId: world.doorId },
        });
        const happened = Date.now();
        await page.keyboard.press("n");
        await expect.poll(async () => Math.abs((await momentOf(opened)) - happened)).toBeLessThan(3000);
        await page.keyboard.press("n");
        await page.getByText("Nothing happened after this").waitFor();
      },
      [world.doorId],
    ));

  it("has a link that stays selected while it plays, and is that of the moment again when it is left", () =>
    visit({}, async (opened) => {
      await opened.button("Save as a file").click();
      await opened.button("Play").click();
      await expect.poll(() => momentOf(opened)).toBeGreaterThan(world.recordedMs);
      const link = opened.field("Link to this moment");
      await link.click();
      const selected = () =>
        opened.page.evaluate<string>(
          "{ const { value, selectionStart, selectionEnd } = document.activeElement; value.slice(selectionStart, selectionEnd) }",
        );
      const first = await selected();
      const from = await momentOf(opened);
      await expect.poll(() => momentOf(opened)).toBeGreaterThan(from + 1500);
      expect([first, await selected()]).toEqual([await link.inputValue(), await link.inputValue()]);
      await opened.button("Pause").click();
      await expect.poll(() => link.inputValue()).not.toBe(first);
    }));

  it("names a moment, which is then among the events, and has a link to it for others", () =>
    visit({}, async (opened) => {
      const { page } = opened;
      await opened.button("Save as a file").click();
      const link = await opened.field("Link to this moment").inputValue();
      expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/playback\?channel=[0-9a-f-]{36}.*&time=\d{13}$/);
      await opened.field("Name of this moment").fill("the blue van");
      await page.keyboard.press("Enter");
      await page.getByText("the blue van is among the events.").waitFor();
      expect(await opened.violations()).toEqual([]);
      await opened.shot("export-panel");
      await page.goto(`${new URL(page.url()).origin}/#/events`);
      await page.getByText("the blue van").first().waitFor();
    }));

  it("protects a marked time by one press, lists it, and releases it", () =>
    visit({}, async (opened) => {
      const { page } = opened;
      await opened.press("i", "o");
      await opened.button("Protect: For the police").click();
      await page.getByText("Protected.", { exact: true }).waitFor();
      await opened.button("Protected recordings").click();
      const item = page
        .getByRole("complementary")
        .getByRole("listitem")
        .filter({ hasText: "For the police" });
      // Of each camera that is open.
      for (let left = world.ids.length; left > 0; left -= 1) {
        await expect.poll(() => item.count()).toBe(left);
        await item.first().getByRole("button", { name: "Release" }).click();
        await item.getByRole("alert").getByRole("button", { name: "Release" }).click();
      }
      await page.getByText("Nothing is protected.").waitFor();
    }));

  // Behind the others, as files and protections are events, too.
  exportFlows(world);
  aheadFlows(world);
  motionSearchFlows(world);
  stepFlows(world);
  soundFlows(world);
  keyFlows(world);
});
