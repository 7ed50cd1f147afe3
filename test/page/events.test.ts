import { beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { notHere } from "../support/base/not-here.js";
import { nowUs, recordedBeyond } from "../support/event/service-events.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../support/page/page-visit.js";

const FACE = EVENT_TYPES.faceRecognized.id;
const PLATE = EVENT_TYPES.plateRecognized.id;
const FIRE = EVENT_TYPES.fireDetected.id;
const HOUR_MS = 3_600_000;
/** More than the list asks for at once. */
const OLDER_EVENTS = 400;

const { browser, recorder } = pageForAllTests({ cameras: ["Gate", "Yard"], recordedUs: 2_000_000 });
beforeAll(async () => {
  const [gate, yard] = recorder.ids;
  const older = Array.from({ length: OLDER_EVENTS }, (_, index) => ({
    EventId: FACE,
    ChannelId: yard,
    Comment: `visitor ${index}`,
    Timestamp: new Date(Date.now() - (index + 1) * 0.2 * HOUR_MS).toISOString(),
  }));
  await recorder.addEvents([
    ...older,
    { EventId: PLATE, ChannelId: gate, plateText: "A123BC77", Comment: "guest" },
    { EventId: FIRE, ChannelId: yard, Comment: "behind the barn" },
  ]);
  // The page asks once for their pictures.
  await recordedBeyond(recorder.service, recorder.ids, nowUs());
});

const rows = (visit: PageVisit) => visit.page.getByRole("list", { name: /Events|События/ });
const row = (visit: PageVisit, text: string | RegExp) =>
  rows(visit).getByRole("listitem").filter({ hasText: text });

describe.skipIf(noBrowser !== undefined)(`the page's events${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are for everybody at $size size, $theme, $language, with a picture of each", (options) =>
    browser.goOn(recorder.origin, { ...options, address: "#/events" }, async (visit) => {
      await visit.logIn();
      await row(visit, "A123BC77").locator("img").waitFor();
      await row(visit, /Fire detected|Обнаружен огонь/)
        .locator("img")
        .waitFor();
      await visit.shot("events");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await row(visit, "A123BC77")
        .getByRole("button", { name: /Details|Подробности/ })
        .click();
      await visit.page.getByRole("dialog").locator("img").waitFor();
      await visit.shot("event details");
      expect(await visit.violations()).toEqual([]);
    }),
  );

  it("have a filter that unfolds on the smallest phone", () =>
    browser.visit(
      recorder.origin,
      {
        size: "phone",
        viewport: { width: 360, height: 740 },
        address: "#/events?period=own",
        language: "ru",
      },
      async (visit) => {
        await visit.logIn();
        await visit.button("Фильтр (1)").click();
        await visit.field("По").fill("2026-01-01T12:00");
        await visit.page.getByText("Нет событий, подходящих под фильтр.").waitFor();
        await visit.shot("events filter");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      },
    ));

  it("fill by themselves, and a click plays five seconds before", () =>
    browser.goOn(recorder.origin, { address: "#/events" }, async (visit) => {
      await visit.logIn();
      await row(visit, "A123BC77").waitFor();
      const timeMs = Date.now();
      const [gate = ""] = recorder.ids;
      const Timestamp = new Date(timeMs).toISOString();
      await recorder.addEvents([{ EventId: PLATE, ChannelId: gate, plateText: "NEW1", Timestamp }]);
      const link = row(visit, "NEW1").getByRole("link");
      const parameters = new URLSearchParams((await link.getAttribute("href"))?.split("?")[1]);
      expect(Object.fromEntries(parameters)).toEqual({ channel: gate, time: `${timeMs - 5000}`, play: "1" });
      await link.click();
      await visit.button("Pause").waitFor();
      await expect
        .poll(() => visit.page.evaluate("document.querySelector('video').currentTime"))
        .toBeGreaterThan(0.3);
    }));

  it("are filtered by camera, kind, type, text and time, which the address keeps", () =>
    browser.goOn(recorder.origin, { address: "#/events" }, async (visit) => {
      await visit.logIn();
      await row(visit, "A123BC77").waitFor();
      await visit.field("Camera").selectOption({ label: "Yard" });
      await expect.poll(() => row(visit, "A123BC77").count()).toBe(0);
      await visit.field("Kind").selectOption({ label: "Alarms" });
      await visit.page.getByText("No earlier event fits the filter.").waitFor();
      expect(await row(visit, /visitor/).count()).toBe(0);
      await row(visit, "behind the barn").waitFor();
      await visit.page.reload();
      await row(visit, "behind the barn").waitFor();
      expect(await visit.field("Kind").inputValue()).toBe("alarm");
      await visit.button("Clear the filter").click();
      await visit.field("Contains").fill("VISITOR 37");
      await expect.poll(() => row(visit, /visitor/).count()).toBe(11);
      await visit.field("Event").selectOption({ label: "License plate recognized" });
      await visit.page.getByText("No event fits the filter.").waitFor();
      await visit.field("Contains").fill("");
      await row(visit, "A123BC77").waitFor();
      await visit.field("Time").selectOption({ label: "Yesterday" });
      await visit.page.getByText("No event fits the filter.").waitFor();
      expect(await visit.violations()).toEqual([]);
    }));

  it("are told in the page's language as far as the recorder wrote them, and found by these words", () =>
    browser.visit(recorder.origin, { address: "#/events", language: "ru" }, async (visit) => {
      await visit.logIn();
      await row(visit, /A123BC77.*guest/).waitFor();
      await visit.field("Содержит").fill("запись идёт ПОСТОЯННО");
      await row(visit, /Запись начата.*запись идёт постоянно/)
        .first()
        .waitFor();
      await visit.field("Список").selectOption({ label: "Действия пользователей" });
      await visit.field("Содержит").fill("камеры Gate, Yard: добавлены");
      await row(visit, /Конфигурация изменена/).waitFor();
      await visit.shot("events in Russian");
    }));

  it("of the list that was chosen while a text was typed are shown", () =>
    browser.visit(recorder.origin, { address: "#/events" }, async (visit) => {
      await visit.logIn();
      await row(visit, /A123BC77.*guest/).waitFor();
      await visit.field("Contains").pressSequentially("Gate, Yard");
      await visit.field("List").selectOption({ label: "What users did" });
      await expect.poll(() => visit.page.evaluate("location.hash")).toMatch(/text=Gate/);
      await row(visit, /Configuration changed/).waitFor();
      expect(await visit.field("List").inputValue()).toBe("users");
    }));

  it("are loaded further back while a person scrolls, with little of them in the document", () =>
    browser.visit(recorder.origin, { size: "phone", address: "#/events" }, async (visit) => {
      await visit.logIn();
      const last = row(visit, `visitor ${OLDER_EVENTS - 1}`);
      await row(visit, "A123BC77").waitFor();
      await expect
        .poll(async () => {
          await visit.page.evaluate("document.querySelector('.event-scroll').scrollBy(0, 5000)");
          return await last.count();
        })
        .toBe(1);
      expect(await rows(visit).getByRole("listitem").count()).toBeLessThan(40);
      await recorder.addEvents([{ EventId: FACE, ChannelId: recorder.ids[0], Comment: "came late" }]);
      await visit.button("1 new event").click();
      await row(visit, "came late").waitFor();
    }));

  it("are read by keys alone", () =>
    browser.visit(recorder.origin, { isNobody: true, address: "#/events" }, async (visit) => {
      const focused = visit.page.locator(":focus");
      await visit.logIn();
      await row(visit, "A123BC77").waitFor();
      await visit.press("/");
      expect(await focused.getAttribute("type")).toBe("search");
      await visit.page.keyboard.type("behind");
      await expect.poll(() => rows(visit).getByRole("listitem").count()).toBe(2);
      await visit.tabTo("link", /behind the barn/, 10);
      await visit.press("i");
      await visit.page.getByRole("dialog", { name: "Fire detected" }).waitFor();
      await visit.press("Escape");
      await visit.button("Clear the filter").press("Enter");
      await row(visit, "A123BC77").waitFor();
      await visit.press("Home", "ArrowDown");
      await expect.poll(() => focused.textContent()).not.toMatch(/undefined/);
      const second = await focused.textContent();
      await visit.press("ArrowDown", "ArrowUp");
      expect(await focused.textContent()).toBe(second);
      for (let steps = 0; steps < 30; steps += 1) await visit.press("ArrowDown");
      await expect.poll(() => focused.textContent()).toMatch(/visitor \d+/);
      await visit.press("Enter");
      await visit.page.waitForURL(/#\/playback/);
    }));

  it("are where a person left them on the way back from a recording", () =>
    browser.goOn(recorder.origin, { address: "#/events" }, async (visit) => {
      await visit.logIn();
      await row(visit, "A123BC77").waitFor();
      const left = row(visit, /visitor 4\d/).first();
      // There is little to scroll until more events have been read, and the longer the tests take, the more lie before.
      await visit.page.evaluate("document.querySelector('.event-scroll').scrollTo(0, 2500)");
      await expect
        .poll(async () => {
          await visit.page.evaluate("document.querySelector('.event-scroll').scrollBy(0, 300)");
          return await left.count();
        })
        .toBe(1);
      const text = await left.textContent();
      await left.getByRole("link").click();
      await visit.page.waitForURL(/#\/playback/);
      await visit.page.goBack();
      await row(visit, text ?? "").waitFor();
      const scrolled = () => visit.page.evaluate("document.querySelector('.event-scroll').scrollTop");
      await expect.poll(scrolled).toBeGreaterThan(2000);
    }));

  it("say that they may not be read, or that the recorder does not answer", () =>
    browser.visit(
      recorder.origin,
      { isNobody: true, address: "#/events", allow: [/status of 403|ERR_FAILED/] },
      async (visit) => {
        const refuse = { status: 403, contentType: "application/json", body: '{"ErrorMessage":"no"}' };
        await visit.page.route("**/archive_events?*", (route) => route.fulfill(refuse));
        await visit.logIn();
        await visit.alert().getByText("You may not read the event log.").waitFor();
        await visit.page.unroute("**/archive_events?*");
        await visit.page.route("**/archive_events?*", (route) => route.abort());
        await visit.page.reload();
        await visit.alert().getByText("The recorder does not answer.").first().waitFor();
        await visit.page.unroute("**/archive_events?*");
        await row(visit, "A123BC77").waitFor();
      },
    ));
});
