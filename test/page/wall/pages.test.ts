import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";

const NAMES = ["Gate", "Yard", "Hall", "Barn", "Lane"];

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: NAMES });
  const [, yard, , barn] = recorder.ids;
  await recorder.service.json("/configure/securityobjects", {
    method: "POST",
    body: [{ Name: "Farm", ChildChannels: [yard, barn] }],
  });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

const shown = (visit: PageVisit): Promise<(string | null)[]> =>
  visit.page
    .getByRole("list", { name: "Cameras of the wall" })
    .getByRole("listitem")
    .evaluateAll((items: { getAttribute(name: string): string | null }[]) =>
      items.map((item) => item.getAttribute("aria-label")),
    );

const tile = (visit: PageVisit, name: string) =>
  visit.page.getByRole("list", { name: "Cameras of the wall" }).getByRole("listitem", { name, exact: true });

async function isThere(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await tile(visit, "Lane").waitFor();
}

/** Where a tile lies: its left and right edge, and its upper one. */
async function edges(visit: PageVisit, name: string): Promise<{ x: number; right: number; y: number }> {
  const box = await tile(visit, name).boundingBox();
  if (box === null) throw new Error(`${name} cannot be seen`);
  return { x: box.x, right: box.x + box.width, y: box.y };
}

describe.skipIf(noBrowser !== undefined)(`a wall of any size${notHere(noBrowser)}`, () => {
  it("shows five cameras in two rows, the second in the middle, and none is empty", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await isThere(visit);
      expect(await shown(visit)).toEqual(NAMES);
      const rows = async () =>
        new Set(await Promise.all(NAMES.map(async (name) => (await edges(visit, name)).y)));
      await expect.poll(async () => (await rows()).size).toBe(2);
      const [gate, hall] = [await edges(visit, "Gate"), await edges(visit, "Hall")];
      const [barn, lane] = [await edges(visit, "Barn"), await edges(visit, "Lane")];
      expect(barn.y).toBeGreaterThan(gate.y);
      expect(Math.abs(barn.x - gate.x - (hall.right - lane.right))).toBeLessThan(3);
      await visit.shot("wall of five");
    }));

  it("has its cameras on pages, goes through them by keys and buttons, and is the same after it was loaded again", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await isThere(visit);
      await visit.press("l");
      await visit.button("2 tiles").click();
      await expect.poll(() => shown(visit)).toEqual(["Gate", "Yard"]);
      await visit.page.getByText("Page 1 of 3").waitFor({ state: "attached" });
      await visit.press("PageDown");
      await expect.poll(() => shown(visit)).toEqual(["Hall", "Barn"]);
      await visit.button("Next page").click();
      await expect.poll(() => shown(visit)).toEqual(["Lane", "Tile 2"]);
      expect(await visit.violations()).toEqual([]);
      await visit.shot("wall with pages");
      await visit.press("PageDown", "PageUp", "PageUp");
      await expect.poll(() => shown(visit)).toEqual(["Hall", "Barn"]);
      await visit.page.reload();
      await expect.poll(() => shown(visit)).toEqual(["Gate", "Yard"]);
    }));

  it("changes its pages by itself after the seconds that were chosen, and waits while a camera is enlarged", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.page.clock.install();
      await isThere(visit);
      await visit.press("l");
      await visit.button("2 tiles").click();
      await visit.press("l");
      await visit.field("The next page comes").selectOption("After 10 seconds");
      await visit.press("Escape");
      await visit.button("Pages change after 10 seconds").waitFor();
      await visit.page.clock.runFor(10_100);
      await expect.poll(() => shown(visit)).toEqual(["Hall", "Barn"]);
      await visit.button("Enlarge Hall").first().dblclick();
      await visit.page.clock.runFor(60_000);
      // The others are behind it.
      expect(await shown(visit)).toEqual(["Hall"]);
      await visit.press("Escape");
      await visit.page.clock.runFor(10_100);
      await expect.poll(() => shown(visit)).toEqual(["Lane", "Tile 2"]);
      await visit.button("Pages change after 10 seconds").click();
      await visit.page.clock.runFor(60_000);
      expect(await shown(visit)).toEqual(["Lane", "Tile 2"]);
    }));

  it("shows the cameras of a group of the configuration", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await isThere(visit);
      await visit.press("w");
      await visit.button("Farm").click();
      await expect.poll(() => shown(visit)).toEqual(["Yard", "Barn"]);
      await visit.page.reload();
      await expect.poll(() => shown(visit)).toEqual(["Yard", "Barn"]);
      await visit.button("Farm").waitFor();
    }));

  it("finds cameras by name and by place", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await isThere(visit);
      await visit.press("c");
      const list = visit.page.getByRole("complementary", { name: "Cameras to show" });
      const found = () =>
        list
          .getByRole("listitem")
          .evaluateAll((items: { textContent: string | null }[]) =>
            items.map((item) => item.textContent?.replace("on the wall", "")),
          );
      await list.getByRole("heading", { name: "Farm" }).waitFor();
      await visit.field("Find a camera by name or place").fill("farm");
      expect(await found()).toEqual(["Yard", "Barn"]);
      await visit.field("Find a camera by name or place").fill("far ba");
      expect(await found()).toEqual(["Barn"]);
      await visit.field("Find a camera by name or place").fill("nowhere");
      await list.getByText("No camera has that in its name or place.").waitFor();
      expect(await visit.violations()).toEqual([]);
    }));

  it("lets pictures fill their tiles where the owner wants it, also after it was saved and opened", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await isThere(visit);
      const objectFit = () =>
        visit.page.evaluate<string>("getComputedStyle(document.querySelector('.tiles video')).objectFit");
      expect(await objectFit()).toBe("contain");
      await visit.press("l");
      await visit.page.getByRole("checkbox", { name: "Pictures fill their tiles" }).check();
      await expect.poll(objectFit).toBe("cover");
      await visit.press("Escape", "w");
      await visit.button("Save this wall…").click();
      await visit.field("Name of the wall").fill("Filled");
      await visit.button("Save").click();
      await visit.page.getByText("The wall “Filled” is saved.").waitFor();
      await visit.press("l");
      await visit.page.getByRole("checkbox", { name: "Pictures fill their tiles" }).uncheck();
      await expect.poll(objectFit).toBe("contain");
      await visit.press("Escape", "w");
      await visit.page.getByRole("region", { name: "Saved walls" }).getByText("Filled").click();
      await expect.poll(objectFit).toBe("cover");
    }));

  it("gives back a camera that was taken off it, by the notice and by a key", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await isThere(visit);
      await tile(visit, "Gate").hover();
      await visit.button("More for Gate").click();
      const menu = visit.page.getByRole("group", { name: "More for Gate" });
      await menu.waitFor();
      expect(await visit.violations()).toEqual([]);
      await visit.shot("tile menu");
      await menu.getByRole("button", { name: "Take the camera off the wall" }).click();

      await expect.poll(() => shown(visit)).toEqual(["Tile 1", ...NAMES.slice(1)]);
      await visit.button("Undo").click();
      await expect.poll(() => shown(visit)).toEqual(NAMES);
      await visit.press("ArrowRight", "Delete");
      await expect.poll(() => shown(visit)).toEqual(["Gate", "Tile 2", ...NAMES.slice(2)]);
      await visit.press("z");
      await expect.poll(() => shown(visit)).toEqual(NAMES);
    }));

  it("undoes by a notice what the notice tells, and before it what was changed since", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      // Notices stay.
      await visit.page.clock.install();
      await isThere(visit);
      await visit.press("Delete", "ArrowRight", "Delete");
      await expect.poll(() => shown(visit)).toEqual(["Tile 1", "Tile 2", ...NAMES.slice(2)]);
      await visit.button("Undo").click();
      await expect.poll(() => shown(visit)).toEqual(["Tile 1", ...NAMES.slice(1)]);
      await visit.button("Undo").click();
      await expect.poll(() => shown(visit)).toEqual(NAMES);
    }));

  it("closes an enlarged camera by its X, and by the browser's back, which leaves the screen then", () =>
    browser.visit(recorder.origin, { address: "#/account" }, async (visit) => {
      await visit.logIn();
      await visit.screen("Live");
      await tile(visit, "Lane").waitFor();
      for (const close of [
        () => tile(visit, "Yard").getByRole("button", { name: "Show all cameras" }).last().click(),
        () => visit.page.goBack(),
      ]) {
        await visit.button("Enlarge Yard").first().dblclick();
        await tile(visit, "Gate").waitFor({ state: "hidden" });
        await tile(visit, "Yard").hover();
        await close();
        await tile(visit, "Gate").waitFor();
      }
      await visit.press("c");
      await visit.field("Find a camera by name or place").waitFor();
      await visit.page.goBack();
      await visit.field("Find a camera by name or place").waitFor({ state: "hidden" });
      await tile(visit, "Gate").waitFor();
      await visit.page.goBack();
      await visit.page.waitForURL(/#\/account/);
    }));

  it("is one stop of Tab at the chosen tile and one at its controls, with arrows within", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await isThere(visit);
      await visit.press("ArrowRight");
      const focused = () => visit.page.evaluate<string>("document.activeElement.getAttribute('aria-label')");
      await expect.poll(focused).toBe("Enlarge Yard");
      await visit.press("Tab");
      expect(await focused()).toBe("Full quality");
      await visit.press("ArrowRight");
      expect(await focused()).toBe("Sound on");
      await visit.press("End", "ArrowLeft");
      expect(await focused()).toBe("More for Yard");
      await visit.press("Enter");
      await visit.page.getByRole("group", { name: "More for Yard" }).waitFor();
      await visit.press("Escape");
      await expect.poll(focused).toBe("More for Yard");
      await visit.press("Tab");
      expect(await visit.page.evaluate("document.activeElement.closest('.tiles')")).toBeNull();
    }));
});

/** A site of many cameras: all but the first five are known to the page alone, and send nothing. */
const MANY = 256;

describe.skipIf(noBrowser !== undefined)(`a wall of ${MANY} cameras${notHere(noBrowser)}`, () => {
  it("watches those of its page alone, and finds one among all", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await manyCameras(visit);
      const watched = new Set<string>();
      visit.page.on("websocket", (socket) =>
        socket.on("framesent", ({ payload }) => {
          const message = JSON.parse(String(payload)) as { type: string; channel: string };
          if (message.type === "watch") watched.add(message.channel);
        }),
      );
      // What was sent before these cameras were there does not count.
      await visit.page.reload();
      watched.clear();
      await visit.logIn();
      await visit.page.evaluate(WATCH_TASKS);
      await visit.page.getByText("Page 1 of 16").waitFor({ state: "attached" });
      await expect.poll(() => watched.size).toBe(16);
      await visit.press("PageDown");
      await expect.poll(async () => (await shown(visit))[0]).toBe("Camera 17");
      await expect.poll(() => watched.size).toBe(32);
      await visit.press("c");
      await visit.field("Find a camera by name or place").fill("camera 241");
      await visit.button(/^Camera 241/).click();
      await expect.poll(async () => (await shown(visit))[0]).toBe("Camera 241");
      const longest = await visit.page.evaluate<number>("Math.max(0, ...window.longTasks)");
      console.log(`longest task of the page with ${MANY} cameras: ${Math.round(longest)} ms`);
    }));
});

const WATCH_TASKS = `window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ entryTypes: ["longtask"] })`;

async function manyCameras(visit: PageVisit): Promise<void> {
  await visit.page.route(/\/configex/, async (route) => {
    const answer = await route.fetch();
    const site = (await answer.json()) as { Channels: { Id: string; Name: string }[] };
    const [first] = site.Channels;
    const Channels = Array.from({ length: MANY }, (_, index) => ({
      ...(site.Channels[index] ?? first),
      ...{ Name: `Camera ${index + 1}` },
      ...(index < site.Channels.length
        ? {}
        : { Id: `33333333-0000-4000-8000-${String(index).padStart(12, "0")}` }),
    }));
    await route.fulfill({ json: { ...site, Channels } });
  });
}
