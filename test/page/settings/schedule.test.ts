import { describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser } from "../../support/page/page-browser.js";
import { pageForAllTests } from "../../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

const { browser, recorder } = pageForAllTests({ cameras: ["Gate"] });

interface Archive {
  readonly ArchivingMode: string;
  readonly Schedule: Readonly<Record<string, readonly { From: string; To: string }[]>> | null;
}

async function archive(): Promise<Archive> {
  const [camera] = await recorder.service.json<{ ArchiveSettings: Archive }[]>("/configure/channels");
  if (camera === undefined) throw new Error("there is no camera");
  return camera.ArchiveSettings;
}

const address = (): string => `#/settings?part=cameras&camera=${recorder.ids[0]}&view=schedule`;
const cell = (visit: PageVisit, name: string) => visit.page.getByRole("gridcell", { name });

async function opened(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.page.getByRole("grid").waitFor();
  await visit.button(/^(Nothing|Ничего)$/).click();
}

/** Draws with the mouse from one half hour to another. */
async function paint(visit: PageVisit, from: string, to: string): Promise<void> {
  await cell(visit, from).hover();
  await visit.page.mouse.down();
  await cell(visit, to).hover();
  await visit.page.mouse.up();
}

async function save(visit: PageVisit): Promise<void> {
  await visit.button(/^(Save|Сохранить)$/).click();
  await visit.page.getByText(/^(Gate is saved\.|Сохранено: Gate\.)$/).waitFor();
}

describe.skipIf(noBrowser !== undefined)(`the schedule of a camera${notHere(noBrowser)}`, () => {
  it("is painted with the mouse, a day copied to others, and is followed from then on", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit);
      await paint(visit, "Monday 08:00 to 08:30", "Monday 17:30 to 18:00");
      await paint(visit, "Monday 12:00 to 12:30", "Monday 12:30 to 13:00");
      await visit.field("As").selectOption({ label: "Monday" });
      await visit.field("Tuesday too").check();
      await visit.field("Friday too").check();
      await visit.button("Copy").click();
      await visit.shot("schedule");
      expect(await visit.violations()).toEqual([]);
      await save(visit);
      const hours = [
        { From: "08:00", To: "12:00" },
        { From: "13:00", To: "18:00" },
      ];
      expect(await archive()).toMatchObject({
        ArchivingMode: "BySchedule",
        Schedule: { Monday: hours, Tuesday: hours, Friday: hours },
      });
      await visit.page.getByText(/Record by this schedule/).waitFor({ state: "detached" });
    }));

  it("is painted with a finger on a narrow phone, where the hours run downwards", () =>
    browser.visit(
      recorder.origin,
      { ...LOOKS[1], viewport: { width: 360, height: 740 }, address: address() },
      async (visit) => {
        await opened(visit);
        await visit.shot("schedule 360");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
        const middle = async (name: string): Promise<{ x: number; y: number }> => {
          const box = await cell(visit, name).boundingBox();
          if (box === null) throw new Error(`${name} is not shown`);
          return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        };
        await cell(visit, "Суббота, с 02:00 до 02:30").scrollIntoViewIfNeeded();
        const [from, to] = [
          await middle("Суббота, с 00:00 до 00:30"),
          await middle("Воскресенье, с 02:00 до 02:30"),
        ];
        const touch = await visit.page.context().newCDPSession(visit.page);
        const send = (type: string, touchPoints: object[]) =>
          touch.send("Input.dispatchTouchEvent", { type, touchPoints } as never);
        await send("touchStart", [from]);
        for (const part of [0.3, 0.6, 1])
          await send("touchMove", [
            { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part },
          ]);
        await send("touchEnd", []);
        await save(visit);
        const { Schedule } = await archive();
        const night = [{ From: "00:00", To: "02:30" }];
        expect(Schedule).toEqual({ Saturday: night, Sunday: night });
      },
    ));

  it("is painted by keys alone", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit);
      await visit.tabTo("gridcell", "Monday 00:00 to 00:30");
      await visit.press("ArrowDown", "ArrowDown", "ArrowRight", "Space");
      await visit.press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown");
      await visit.press("End", "Space");
      expect(await cell(visit, "Wednesday 00:30 to 01:00").getAttribute("aria-selected")).toBe("true");
      await visit.tabTo("button", "Save");
      await visit.press("Enter");
      await visit.page.getByText("Gate is saved.").waitFor();
      expect((await archive()).Schedule).toEqual({
        Wednesday: [{ From: "00:30", To: "02:00" }],
        Thursday: [
          { From: "01:30", To: "02:00" },
          { From: "23:30", To: "24:00" },
        ],
      });
    }));
});
