import { describe, expect, it } from "vitest";
import { notHere } from "../../../support/base/not-here.js";
import { noBrowser } from "../../../support/page/page-browser.js";
import { pageForAllTests } from "../../../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../../../support/page/page-visit.js";

const { browser, recorder } = pageForAllTests({ cameras: ["Gate"] });

interface Zone {
  readonly Name: string;
  readonly Points: readonly { readonly X: number; readonly Y: number }[];
  readonly [member: string]: unknown;
}

interface Analysis {
  readonly MotionDetectorEnabled: boolean;
  readonly MotionDetectorSettings: { readonly Zones: readonly Zone[] | null } | null;
}

async function analysis(): Promise<Analysis> {
  const [camera] = await recorder.service.json<{ AnalyzeSettings: Analysis }[]>("/configure/channels");
  if (camera === undefined) throw new Error("there is no camera");
  return camera.AnalyzeSettings;
}

async function zones(): Promise<readonly Zone[]> {
  return (await analysis()).MotionDetectorSettings?.Zones ?? [];
}

const address = (): string => `#/settings?part=cameras&camera=${recorder.ids[0]}&view=motion`;

async function opened(visit: PageVisit): Promise<void> {
  await visit.logIn();
  const video = visit.page.getByLabel(/^(What Gate shows now|Что сейчас показывает Gate)$/);
  const shown = (): Promise<number> =>
    video.evaluate((element) => (element as { currentTime: number }).currentTime);
  await expect.poll(shown).toBeGreaterThan(0);
}

/** Saves by `act`; what was saved before may still be said. */
async function saved(visit: PageVisit, act: () => Promise<void>): Promise<void> {
  const answer = visit.page.waitForResponse((response) => response.request().method() === "PUT");
  await act();
  expect((await answer).ok()).toBe(true);
  await visit.page.getByText("Gate is saved.").last().waitFor();
}

async function save(visit: PageVisit): Promise<void> {
  await saved(visit, () => visit.button("Save").click());
}

describe.skipIf(noBrowser !== undefined)(`motion in a camera's picture${notHere(noBrowser)}`, () => {
  it("is detected by the recorder in a zone that is drawn with the mouse, and shown as it is seen", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit);
      const detector = visit.field("Motion is detected by");
      const chosen = () => detector.locator("option:checked").textContent();
      expect(await chosen()).toBe("automatic");
      await visit.page.getByText("Motion counts in the whole picture.").waitFor();
      await visit.shot("motion-automatic");
      await visit.button("Add a zone").click();
      expect(await chosen()).toBe("the recorder");
      await visit.field("Name of the zone").fill("Ramp");
      await visit.page.locator(".zone-picture").scrollIntoViewIfNeeded();
      const box = await visit.page.locator(".zone-picture.shaped").boundingBox();
      if (box === null) throw new Error("the picture is not shown");
      await visit.page.mouse.move(box.x + box.width * 0.1, box.y + box.height * 0.1);
      await visit.page.mouse.down();
      await visit.page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5, { steps: 4 });
      await visit.page.mouse.move(box.x + box.width * 0.9, box.y + box.height * 0.9);
      await visit.page.mouse.up();
      await visit.field("Sensitivity").selectOption({ label: "high" });
      await save(visit);
      const [zone] = await zones();
      expect(zone).toMatchObject({ Name: "Ramp", Sensitivity: 80, MinSize: 0.2 });
      const corners = zone?.Points.map(({ X, Y }) => [Math.round(X * 10), Math.round(Y * 10)]);
      expect(corners).toEqual([
        [1, 1],
        [9, 1],
        [9, 9],
        [1, 9],
      ]);
      expect((await analysis()).MotionDetectorEnabled).toBe(true);
      await visit.page.getByText("Something moves now: Ramp.").waitFor();
      await visit.page.locator("rect.moving").first().waitFor();
      await visit.shot("zones");
      expect(await visit.violations()).toEqual([]);
    }));

  it("is looked for in a zone that is moved and sized by keys alone", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit);
      await visit.tabTo("button", "Add a zone");
      await visit.press("Enter");
      await visit.page.locator(".region-box").focus();
      await visit.press("ArrowRight", "ArrowDown", "Shift+ArrowLeft");
      const last = await visit.page.getByLabel("Name of the zone").last().inputValue();
      await visit.tabTo("button", "Save");
      await saved(visit, () => visit.press("Enter"));
      const zone = (await zones()).find(({ Name }) => Name === last);
      expect(zone?.Points[0]).toEqual({ X: 0.27, Y: 0.27 });
      expect(zone?.Points[2]).toEqual({ X: 0.75, Y: 0.77 });
      await visit.button(`Remove ${last}`).click();
      await save(visit);
      await expect.poll(async () => (await zones()).some(({ Name }) => Name === last)).toBe(false);
    }));

  it.each<[string, (visit: PageVisit) => Promise<void>]>([
    ["added", (visit) => visit.button("Add a zone").click()],
    [
      "removed",
      (visit) =>
        visit
          .button(/^Remove /)
          .first()
          .click(),
    ],
    [
      "moved",
      async (visit) => {
        await visit.page.locator(".region-box").focus();
        await visit.press("ArrowRight");
      },
    ],
  ])("is not lost without a question where a zone was %s and not saved", (_what, act) =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit);
      await act(visit);
      await visit.page.evaluate("location.hash = '#/events'");
      await visit.page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    }),
  );

  it("keeps zones of another shape, and what the page does not know of them", async () => {
    const { service, ids } = recorder;
    const [{ ConnectionSettings }] = (await service.json<{ ConnectionSettings: object }[]>(
      "/configure/channels",
    )) as [{ ConnectionSettings: { ModelId: string } }];
    const grid = { Name: "Lawn", Grid: { Columns: 2, Rows: 2, Cells: "0011" }, Colour: "green" };
    const MotionDetectorSettings = { Zones: [grid] };
    await service.json(`/configure/channels/${ids[0]}`, {
      method: "PUT",
      body: {
        ConnectionSettings: { ModelId: ConnectionSettings.ModelId },
        AnalyzeSettings: { MotionDetectorEnabled: true, MotionDetectorSettings },
      },
    });
    await browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit);
      await visit.field("Name of the zone").fill("Grass");
      await save(visit);
      expect(await zones()).toEqual([{ ...grid, Name: "Grass", Sensitivity: 50, MinSize: 0.2 }]);
    });
  });

  it("is set up on a narrow phone too", () =>
    browser.visit(
      recorder.origin,
      { ...LOOKS[1], viewport: { width: 360, height: 740 }, address: address() },
      async (visit) => {
        await opened(visit);
        await visit.page.getByRole("button", { name: "Добавить зону" }).waitFor();
        await visit.page.locator(".zone-picture").scrollIntoViewIfNeeded();
        await visit.shot("zones 360");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      },
    ));
});
