import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/index.js";
import { notHere } from "../../support/base/not-here.js";
import { OnvifCamera } from "../../support/camera/onvif-camera.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";

const PASSWORD = "Camera-secret-9";

const browser = new PageBrowser();
let recorder: PageService;
let dome: OnvifCamera;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate"] });
  const { service, source } = recorder;
  const rtspUrl = (): string => source?.url(0) ?? "";
  dome = await OnvifCamera.start({ rtspUrl, login: "viewer", password: PASSWORD, ptz: true });
  const { SenderId } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  const connection = {
    ModelId: ONVIF_MODEL.id,
    Hostname: dome.address,
    Login: "viewer",
    Password: PASSWORD,
    PtzEnabled: true,
  };
  const body = [
    { Name: "Dome", ServerBindingsSettings: { OwnerServerId: SenderId }, ConnectionSettings: connection },
  ];
  await service.json("/configure/channels", { method: "POST", body });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await dome?.stop();
});

const operations = (): string[] => dome.ptzCommands.map(({ operation }) => operation);
const last = (): string | undefined => operations().at(-1);

/** Opens the page with the camera in the panel that moves it. */
async function pilot(visit: PageVisit): Promise<void> {
  await visit.logIn();
  const tile = visit.page.getByRole("listitem", { name: "Dome", exact: true });
  const shown = (): Promise<number> =>
    tile.locator("video").evaluate((video) => (video as { currentTime: number }).currentTime);
  await expect.poll(shown).toBeGreaterThan(0);
  await visit.button("Enlarge Dome").first().click();
  await visit.press("p");
  await visit.button("Home position").waitFor();
  dome.ptzCommands.splice(0);
}

async function holds(visit: PageVisit): Promise<void> {
  await visit.page.keyboard.down("ArrowLeft");
  await expect.poll(last).toBe("ContinuousMove");
}

describe.skipIf(noBrowser !== undefined)(`moving a camera from the page${notHere(noBrowser)}`, () => {
  it("its positions are saved, replaced and removed in the camera's settings", () =>
    browser.visit(recorder.origin, { address: "#/settings?part=cameras" }, async (visit) => {
      await visit.logIn();
      await visit.page.getByRole("link", { name: /^Dome/ }).first().click();
      await visit.heading("Saved positions").waitFor();
      await visit.button("Go there: Yard").click();
      await expect.poll(last).toBe("GotoPreset");
      await visit.field("Name of the new position").fill("Ramp");
      const form = visit.page.locator("form").filter({ hasText: "Saved positions" });
      await form.getByRole("button", { name: "Save", exact: true }).click();
      await visit.button("Save here: Ramp").waitFor();
      await visit.button("Save here: Gate").click();
      await expect.poll(last).toBe("SetPreset");
      await visit.button("Remove Ramp").click();
      await visit.button("Remove Ramp for good").click();
      await expect.poll(() => [...dome.presets.values()]).toEqual(["Gate", "Yard"]);
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.shot("ptz-positions-set");
    }));

  it.each(["desktop", "phone"] as const)("by keys, the pointer, home and presets, at %s size", (size) =>
    browser.visit(recorder.origin, { isNobody: true, size }, async (visit) => {
      await pilot(visit);
      await visit.shot("moving a camera");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await holds(visit);
      expect(dome.ptzCommands.at(-1)?.body).toMatch(/PanTilt x="-0\.5" y="0"/);
      await visit.page.keyboard.up("ArrowLeft");
      await expect.poll(last).toBe("Stop");
      await visit.field("Speed").fill("100");
      await visit.button("Zoom in").hover();
      await visit.page.mouse.down();
      await expect.poll(last).toBe("ContinuousMove");
      expect(dome.ptzCommands.at(-1)?.body).toMatch(/Zoom x="1"/);
      await visit.page.mouse.up();
      await expect.poll(last).toBe("Stop");
      await visit.button("Home position").click();
      await expect.poll(last).toBe("GotoHomePosition");
      await visit.button("Yard").click();
      await expect.poll(last).toBe("GotoPreset");
      expect(dome.ptzCommands.at(-1)?.body).toContain("PresetToken>3<");
    }),
  );

  it.each<[string, (visit: PageVisit) => Promise<unknown>]>([
    ["the window loses the focus", ({ page }) => page.evaluate("window.dispatchEvent(new Event('blur'))")],
    ["the page is hidden", ({ page }) => hide(page)],
    ["another page is opened", ({ page }) => page.goto("about:blank")],
    ["the page is closed", ({ page }) => page.close()],
    ["the panel is closed", ({ page }) => page.keyboard.press("Escape")],
  ])("ends at once when %s", (_, leave) =>
    browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
      await pilot(visit);
      await holds(visit);
      await leave(visit);
      // That is before the recorder's own stop, which comes some seconds later.
      await expect.poll(last, { interval: 20, timeout: 1900 }).toBe("Stop");
    }),
  );
});

/** As a browser does with a tab behind another one. */
function hide(page: PageVisit["page"]): Promise<unknown> {
  return page.evaluate(
    "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))",
  );
}
