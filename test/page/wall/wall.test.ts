import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";

const browser = new PageBrowser();
let recorder: PageService;
/** The camera "Barn", which a test switches off and on. */
let barn: PacedSource;

beforeAll(async () => {
  barn = await PacedSource.start(1, SMALL_CLIP);
  recorder = await PageService.start({ cameras: ["Gate", "Yard", "Hall"] });
  const { service } = recorder;
  await service.addCameras([{ name: "Barn", url: barn.url(0) }]);
  const [gate] = recorder.ids;
  const groups = [
    {
      Name: "Guards",
      Rights: { CanReceiveMainStream: true },
      ChannelsAccessOptions: { ChannelsRealtimeAllowed: [gate] },
    },
    { Name: "Nobody" },
  ];
  const { CreatedObjectsIds: ids } = await service.json<{ CreatedObjectsIds: string[] }>(
    "/configure/groups",
    { method: "POST", body: groups },
  );
  const users = ["guard", "nobody"].map((Name, index) => ({
    Name,
    GroupId: ids[index],
    Password: "Guards-word-1",
  }));
  await service.json("/configure/users", { method: "POST", body: users });
  const doors = { Name: "Doors", GridType: "GridType2", ChannelIds: recorder.ids.slice(0, 2) };
  await service.json("/configure/views", { method: "POST", body: [doors] });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await barn?.stop();
});

const tile = (visit: PageVisit, name: string | RegExp) =>
  visit.page
    .getByRole("list", { name: /Cameras of the wall|Камеры на экране/ })
    .getByRole("listitem", { name, exact: true });

/** Waits until the camera's picture moves on. */
async function plays(visit: PageVisit, name: string): Promise<void> {
  const video = tile(visit, name).locator("video");
  const seconds = (): Promise<number> =>
    video.evaluate((element) => (element as unknown as { currentTime: number }).currentTime);
  await expect.poll(seconds).toBeGreaterThan(0);
  const before = await seconds();
  await expect.poll(seconds).toBeGreaterThan(before + 0.2);
}

const shown = (visit: PageVisit): Promise<(string | null)[]> =>
  visit.page
    .getByRole("list", { name: "Cameras of the wall" })
    .getByRole("listitem")
    .evaluateAll((items: { getAttribute(name: string): string | null }[]) =>
      items.map((item) => item.getAttribute("aria-label")),
    );

describe.skipIf(noBrowser !== undefined)(`the page's wall${notHere(noBrowser)}`, () => {
  it.each([
    { size: "desktop", theme: "light", language: "en" },
    { size: "phone", viewport: { width: 360, height: 740 }, theme: "dark", language: "ru" },
  ] as const)("shows every camera live at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, options, async (visit) => {
      await visit.logIn();
      for (const name of ["Gate", "Yard"]) await plays(visit, name);
      await visit.shot("wall");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("gives the focus back when its list of cameras is closed by a key", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await visit.tabTo("button", /^Cameras$/);
      await visit.press("Enter");
      await visit.field("Find a camera by name or place").waitFor();
      await visit.press("Escape");
      await expect
        .poll(() => visit.button("Cameras").and(visit.page.locator(":focus")).count())
        .toBeGreaterThan(0);
    }));

  it("has a list of cameras that a key closes also where the focus is elsewhere", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await visit.button("Cameras").click();
      const field = visit.field("Find a camera by name or place");
      await field.waitFor();
      await expect.poll(() => field.and(visit.page.locator(":focus")).count()).toBe(1);
      await field.blur();
      await visit.press("Escape");
      await field.waitFor({ state: "detached" });
    }));

  it("is changed by keys alone, and is the same after the page was loaded again", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await plays(visit, "Gate");
      await visit.press("l");
      await visit.tabTo("button", "6 tiles");
      await visit.press("Enter");
      expect(await shown(visit)).toEqual(["Gate", "Yard", "Hall", "Barn", "Tile 5", "Tile 6"]);
      await visit.press("ArrowRight", "Delete");
      expect(await shown(visit)).toEqual(["Gate", "Tile 2", "Hall", "Barn", "Tile 5", "Tile 6"]);
      await visit.press("c");
      await visit.page.keyboard.type("bar");
      await visit.tabTo("button", "Barn");
      await visit.press("Enter", "Escape");
      expect((await shown(visit)).slice(0, 4)).toEqual(["Gate", "Barn", "Hall", "Barn"]);
      expect(await visit.violations()).toEqual([]);
      await visit.page.reload();
      await plays(visit, "Hall");
      expect((await shown(visit)).slice(0, 4)).toEqual(["Gate", "Barn", "Hall", "Barn"]);
      await visit.press("w");
      await visit.button("All cameras").last().click();
      expect(await shown(visit)).toEqual(["Gate", "Yard", "Hall", "Barn"]);
    }));

  it("takes cameras by the pointer: from the list into a tile, and from a tile into another", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await plays(visit, "Gate");
      await visit.press("c");
      await drag(visit, visit.page.getByRole("complementary").getByText("Hall"), tile(visit, "Gate"));
      expect((await shown(visit)).slice(0, 3)).toEqual(["Hall", "Yard", "Hall"]);
      await drag(visit, tile(visit, "Hall").first(), tile(visit, "Yard"));
      expect((await shown(visit)).slice(0, 3)).toEqual(["Yard", "Hall", "Hall"]);
    }));

  it("takes cameras by a finger on a tablet: from the list by their grips, and from a tile into any other", () =>
    browser.visit(
      recorder.origin,
      { viewport: { width: 1024, height: 768 }, isTouched: true },
      async (visit) => {
        await visit.logIn();
        await plays(visit, "Gate");
        await visit.press("c");
        await visit.dragByFinger(
          visit.page.getByRole("complementary").getByRole("button", { name: "Hall" }).locator(".grip"),
          tile(visit, "Gate"),
        );
        expect((await shown(visit)).slice(0, 3)).toEqual(["Hall", "Yard", "Hall"]);
        await visit.dragByFinger(tile(visit, "Hall").first(), tile(visit, "Yard"));
        expect((await shown(visit)).slice(0, 3)).toEqual(["Yard", "Hall", "Hall"]);
        await visit.dragByFinger(tile(visit, "Yard"), tile(visit, "Barn"));
        expect(await shown(visit)).toEqual(["Barn", "Hall", "Hall", "Yard"]);
      },
    ));

  it("fills the screen with cameras alone, and comes back by the same key", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await plays(visit, "Gate");
      const isWhole = () => visit.page.evaluate<boolean>("document.fullscreenElement !== null");
      const links = visit.page.getByRole("link", { name: "Events" });
      await visit.press("f");
      await expect.poll(isWhole).toBe(true);
      await expect.poll(() => links.isVisible()).toBe(false);
      await plays(visit, "Yard");
      await visit.press("f");
      await expect.poll(isWhole).toBe(false);
      await links.waitFor();
    }));

  it("has 36 tiles, and stays usable with them", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await plays(visit, "Gate");
      await visit.press("l");
      await visit.button("36 tiles").click();
      await expect.poll(async () => (await shown(visit)).length).toBe(36);
      for (const name of ["Gate", "Barn"]) await plays(visit, name);
      const boxes = await visit.page
        .getByRole("list", { name: "Cameras of the wall" })
        .getByRole("listitem")
        .all();
      const last = await boxes.at(-1)?.boundingBox();
      expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(900);
      await visit.shot("wall of 36");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }));

  it("is arranged freely by the pointer and by keys, saved under a name, opened again and deleted", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await plays(visit, "Gate");
      await visit.press("l");
      await visit.button("Arrange freely").click();
      const corner = visit.button("Resize Gate");
      await drag(visit, corner, visit.button("Move Barn"));
      const wide = (await visit.button("Move Gate").boundingBox())?.width ?? 0;
      await visit.press("Shift+ArrowLeft");
      await expect
        .poll(async () => (await visit.button("Move Gate").boundingBox())?.width)
        .toBeLessThan(wide);
      expect(await visit.violations()).toEqual([]);
      await visit.shot("wall arranged");
      await visit.button("Done").click();
      const size = await tile(visit, "Gate").boundingBox();
      await visit.press("w");
      await visit.button("Save this wall…").click();
      await visit.field("Name of the wall").fill("Evening");
      await visit.button("Save").click();
      await visit.button("Saved walls").or(visit.button("Evening")).first().waitFor();
      await visit.press("w");
      await visit.page.getByRole("region", { name: "Saved walls" }).getByText("Doors").click();
      await expect.poll(() => shown(visit)).toEqual(["Gate", "Yard"]);
      await visit.press("[", "]", "]");
      await expect.poll(() => tile(visit, "Gate").boundingBox()).toEqual(size);
      await visit.press("w");
      await visit.button("Delete the wall “Evening”").click();
      await visit.button("Remove").click();
      await visit.page.getByText("The wall “Evening” is deleted.").waitFor();
    }));

  it("enlarges a tile, shows its delay, saves a still and leads to its recordings", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await plays(visit, "Gate");
      await visit.press("d");
      await tile(visit, "Gate")
        .getByText(/^Delay [\d.]+\sm?s/)
        .waitFor();
      await tile(visit, "Gate").getByText("320 × 240, H.264, main stream").waitFor();
      await visit.button("Enlarge Yard").first().dblclick();
      await expect.poll(() => tile(visit, "Gate").isVisible()).toBe(false);
      await plays(visit, "Yard");
      const [download] = await Promise.all([visit.page.waitForEvent("download"), visit.press("s")]);
      expect(download.suggestedFilename()).toMatch(/^Yard \d{4}-\d\d-\d\d \d\d-\d\d-\d\d\.\d{3}\.jpg$/);
      await visit.press("Escape");
      await tile(visit, "Gate").waitFor();
      await visit.press("r");
      await visit.page.waitForURL(/#\/playback\?channel=/);
    }));

  it("says since when a camera does not answer, and shows it again by itself", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await plays(visit, "Barn");
      await barn.stop();
      await tile(visit, "Barn")
        .getByText(/The camera does not answer since \d\d:\d\d/)
        .waitFor();
      await visit.page.getByRole("status").getByText("1 camera has no picture").waitFor();
      await visit.shot("wall with a lost camera");
      expect(await visit.violations()).toEqual([]);
      barn = await PacedSource.start(1, SMALL_CLIP, barn.port);
      await expect
        .poll(() =>
          tile(visit, "Barn")
            .getByText(/does not answer/)
            .count(),
        )
        .toBe(0);
      await plays(visit, "Barn");
    }));

  it("lists its keys by ?", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await plays(visit, "Gate");
      await visit.press("?");
      const list = visit.page.getByRole("dialog");
      for (const words of ["Full screen", "Next saved wall", "Sound of the tile on or off", "Camera list"])
        await list.getByText(words, { exact: true }).waitFor();
      expect(await visit.violations()).toEqual([]);
    }));

  it("opens saved walls for everybody, with the cameras that they may watch, and lets administrators alone save", () =>
    browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
      await visit.logIn("guard", "Guards-word-1");
      await plays(visit, "Gate");
      expect(await shown(visit)).toEqual(["Gate"]);
      await visit.press("w");
      expect(await visit.button("Save this wall…").count()).toBe(0);
      await visit.button("Doors").click();
      await expect.poll(() => shown(visit)).toEqual(["Gate", "Tile 2"]);
    }));

  it("says what to do where no camera may be watched", () =>
    browser.visit(recorder.origin, { size: "phone" }, async (visit) => {
      await visit.logIn("nobody", "Guards-word-1");
      await visit.heading(/No cameras|No camera is shared/).waitFor();
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }));

  it("shows one camera after the other on a phone, by touch alone", () =>
    browser.visit(recorder.origin, { size: "phone" }, async (visit) => {
      await visit.logIn();
      await plays(visit, "Gate");
      await visit.button("Enlarge Gate").first().tap();
      await tile(visit, "Gate").getByRole("button", { name: "Enlarge Gate" }).last().tap();
      await expect.poll(() => tile(visit, "Yard").isVisible()).toBe(false);
      expect(await visit.violations()).toEqual([]);
      await visit.button("Show all cameras").last().tap();
      await tile(visit, "Yard").waitFor();
    }));

  it("moves a camera while a key or the pointer is held, stops at release, and goes to saved positions", () =>
    browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
      const orders = await movableCameras(visit);
      await visit.logIn();
      await plays(visit, "Gate");
      await visit.press("p");
      await visit.page.getByRole("region", { name: "Moving the camera" }).getByText("Gate post").waitFor();
      expect(await visit.violations()).toEqual([]);
      await visit.page.keyboard.down("ArrowLeft");
      await expect.poll(() => orders.at(-1)).toBe("startmove -50 0");
      await visit.page.keyboard.up("ArrowLeft");
      await expect.poll(() => orders.at(-1)).toBe("stop");
      await visit.button("Zoom in").hover();
      await visit.page.mouse.down();
      await expect.poll(() => orders.at(-1)).toBe("startzoom 50");
      await visit.page.mouse.up();
      await expect.poll(() => orders.at(-1)).toBe("stop");
      await visit.press("2");
      await expect.poll(() => orders.at(-1)).toBe("gotopreset 7");
      await visit.button("Home position").click();
      await expect.poll(() => orders.at(-1)).toBe("gotopreset 1");
      await visit.press("Escape");
      await tile(visit, "Yard").waitFor();
    }));

  it("shows the smaller stream in a small tile and the main stream in one tap, without an interruption", async () => {
    const wide = await PacedSource.start(1, { ...SMALL_CLIP, width: 640, height: 480 });
    try {
      const [small] = recorder.ids;
      const { service, source } = recorder;
      const url = { url: wide.url(0), alternativeUrl: source?.url(recorder.ids.indexOf(small ?? "")) ?? "" };
      await service.addCameras([{ name: "Lane", ...url }]);
      await browser.visit(recorder.origin, {}, async (visit) => {
        await visit.logIn();
        await plays(visit, "Gate");
        await visit.press("d", "l");
        await visit.button("36 tiles").click();
        await tile(visit, "Lane").getByText("320 × 240, H.264, second stream").waitFor();
        await plays(visit, "Lane");
        const address = () => tile(visit, "Lane").locator("video").getAttribute("src");
        const before = await address();
        await visit.button("Enlarge Lane").first().click();
        await visit.press("h");
        await tile(visit, "Lane").getByText("640 × 480, H.264, main stream").waitFor();
        await plays(visit, "Lane");
        await visit.press("h");
        await tile(visit, "Lane").getByText("320 × 240, H.264, second stream").waitFor();
        await plays(visit, "Lane");
        expect(await address()).toBe(before);
      });
    } finally {
      await wide.stop();
    }
  });
});

/** Lets the page believe that all cameras can be moved; answers the orders that it then sends. */
async function movableCameras(visit: PageVisit): Promise<string[]> {
  const orders: string[] = [];
  await visit.page.route(/\/configex/, async (route) => {
    const answer = await route.fetch();
    const site = (await answer.json()) as { Channels: object[] };
    await route.fulfill({
      json: { ...site, Channels: site.Channels.map((channel) => ({ ...channel, IsPtzOn: true })) },
    });
  });
  const Presets = [
    { Index: 1, Name: "Home" },
    { Index: 7, Name: "Gate post" },
  ];
  await visit.page.route(/\/ptz\?/, async (route) => {
    const { searchParams: query } = new URL(route.request().url());
    const numbers = ["panspeed", "tiltspeed", "speed", "index"].flatMap((name) => query.get(name) ?? []);
    orders.push([query.get("command"), ...numbers].join(" "));
    await route.fulfill({ json: { PanTilt: true, Zoom: true, MoveTo: false, AutoFocus: false, Presets } });
  });
  return orders;
}

/** Presses in the middle of one, moves, and lets go in the middle of the other. */
async function drag(
  visit: PageVisit,
  from: ReturnType<typeof tile>,
  to: ReturnType<typeof tile>,
): Promise<void> {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (start === null || end === null) throw new Error("one of the two cannot be seen");
  const { mouse } = visit.page;
  await mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await mouse.down();
  await mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 5 });
  await mouse.up();
}
