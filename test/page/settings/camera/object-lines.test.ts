import { describe, expect, it } from "vitest";
import { notHere } from "../../../support/base/not-here.js";
import { noBrowser } from "../../../support/page/page-browser.js";
import { pageForAllTests } from "../../../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../../../support/page/page-visit.js";

const { browser, recorder } = pageForAllTests({ cameras: ["Gate"] });

interface Line {
  readonly Name: string;
  readonly X1: number;
  readonly Y1: number;
  readonly X2: number;
  readonly Y2: number;
  readonly Direction: string;
  readonly Kinds: readonly string[] | null;
}

interface Objects {
  readonly Lines: readonly Line[];
  readonly MinSize: number;
  readonly Scores: readonly unknown[];
}

async function objects(): Promise<Objects> {
  const [camera] =
    await recorder.service.json<{ AnalyzeSettings: { ObjectDetectionSettings: Objects } }[]>(
      "/configure/channels",
    );
  if (camera === undefined) throw new Error("there is no camera");
  return camera.AnalyzeSettings.ObjectDetectionSettings;
}

const address = (): string => `#/settings?part=cameras&camera=${recorder.ids[0]}&view=objects`;

async function opened(visit: PageVisit, addLine: string): Promise<void> {
  await visit.logIn();
  await visit.page.getByRole("button", { name: addLine }).waitFor();
}

async function save(visit: PageVisit): Promise<void> {
  const answer = visit.page.waitForResponse((response) => response.request().method() === "PUT");
  await visit.button("Save").click();
  expect((await answer).ok()).toBe(true);
  await visit.page.getByText("Gate is saved.").last().waitFor();
}

describe.skipIf(noBrowser !== undefined)(`lines over a camera's picture${notHere(noBrowser)}`, () => {
  it("are drawn with the mouse, with a direction and for some kinds alone", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit, "Add a line");
      await visit.button("Add a line").click();
      await visit.field("Name of the line").fill("Drive");
      await visit.page.locator(".zone-picture").scrollIntoViewIfNeeded();
      await visit.page.locator(".zone-picture.shaped").waitFor();
      const box = await visit.page.locator(".zone-picture").boundingBox();
      if (box === null) throw new Error("the picture is not shown");
      const go = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
      await visit.page.mouse.move(...go(0.1, 0.3));
      await visit.page.mouse.down();
      await visit.page.mouse.move(...go(0.5, 0.5), { steps: 3 });
      await visit.page.mouse.move(...go(0.9, 0.7));
      await visit.page.mouse.up();
      await visit.field("What counts").selectOption({ label: "one direction, as the arrow shows" });
      const who = visit.page.getByRole("group", { name: "Who crosses it" });
      for (const other of ["bicycles", "cars", "motorcycles", "buses", "trucks", "cats", "dogs"])
        await who.getByLabel(other).uncheck();
      await visit.shot("object-lines");
      await save(visit);
      const [line] = (await objects()).Lines;
      expect(line).toMatchObject({ Name: "Drive", Direction: "LeftToRight", Kinds: ["person"] });
      const ends = [line?.X1, line?.Y1, line?.X2, line?.Y2].map((part) => Math.round((part ?? 0) * 10));
      expect(ends).toEqual([1, 3, 9, 7]);
      expect(await visit.violations()).toEqual([]);
    }));

  it("are moved by keys alone, and not lost without a question", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit, "Add a line");
      await visit.button("Add a line").click();
      await visit.page.locator(".line-end").first().focus();
      await visit.press("ArrowLeft", "ArrowUp");
      await visit.page.evaluate("location.hash = '#/events'");
      await visit.page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
      await visit.page.keyboard.press("Escape");
      await save(visit);
      expect((await objects()).Lines.at(-1)).toMatchObject({ X1: 0.18, Y1: 0.58, X2: 0.8, Y2: 0.6 });
    }));

  it("stand beside sizes and certainty of single kinds, which are saved", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit, "Add a line");
      await visit.page.getByLabel("At least, percent of the picture").fill("0.5");
      await visit.field("Kind").selectOption({ label: "dogs" });
      await visit.button("Add a kind").click();
      const dogs = visit.page.getByRole("group", { name: "dogs", exact: true });
      await dogs.getByLabel("How certain it must be").selectOption({ label: "65 %" });
      await dogs.getByLabel("At most, percent of the picture").fill("20");
      await save(visit);
      expect(await objects()).toMatchObject({
        MinSize: 0.5,
        Scores: [{ Kind: "dog", MinScore: 65, MinSize: 0.5, MaxSize: 20 }],
      });
    }));

  it("are not changed while they are saved, and the field that was left by Enter has the focus again", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit, "Add a line");
      let goOn: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await visit.page.route("**/configure/channels/*", async (route) => {
        await held;
        await route.continue();
      });
      const size = visit.page.getByLabel("At least, percent of the picture").first();
      await size.fill("0.7");
      await size.press("Enter");
      await visit.page.locator("[inert]").waitFor({ state: "attached" });
      await visit.page.keyboard.type("9");
      goOn();
      await visit.page.getByText("Gate is saved.").last().waitFor();
      await expect.poll(() => size.evaluate((field) => field.matches(":focus"))).toBe(true);
      expect([await size.inputValue(), (await objects()).MinSize]).toEqual(["0.7", 0.7]);
    }));

  it("are tried on the last hour before they are saved", () =>
    browser.visit(recorder.origin, { address: address() }, async (visit) => {
      await opened(visit, "Add a line");
      await visit.button("Try it on the last hour").click();
      await visit.page.getByText("In the last hour the recorder saw nothing").waitFor();
    }));

  it("are set up on a narrow phone too", () =>
    browser.visit(
      recorder.origin,
      { ...LOOKS[1], viewport: { width: 360, height: 740 }, address: address() },
      async (visit) => {
        await opened(visit, "Добавить линию");
        await visit.page.locator(".zone-picture").scrollIntoViewIfNeeded();
        await visit.shot("object-lines 360");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      },
    ));
});
