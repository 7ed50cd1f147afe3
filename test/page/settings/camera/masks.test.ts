import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../../src/camera/index.js";
import { notHere } from "../../../support/base/not-here.js";
import { OnvifCamera } from "../../../support/camera/onvif-camera.js";
import { noBrowser, PageBrowser } from "../../../support/page/page-browser.js";
import { PageService } from "../../../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../../../support/page/page-visit.js";

const PASSWORD = "Camera-secret-9";

const browser = new PageBrowser();
let recorder: PageService;
let dome: OnvifCamera;
let id = "";

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate"] });
  const rtspUrl = (): string => recorder.source?.url(0) ?? "";
  const scripted = { rtspUrl, login: "viewer", password: PASSWORD, host: "127.0.0.2" };
  dome = await OnvifCamera.start({ ...scripted, masks: { masksMax: 2, isRectangleOnly: true } });
  const { SenderId } = await recorder.service.json<{ SenderId: string }>("/configex?responsetype=json");
  const ConnectionSettings = {
    ...{ ModelId: ONVIF_MODEL.id, Hostname: dome.address, Login: "viewer", Password: PASSWORD },
  };
  const { CreatedObjectsIds } = await recorder.service.json<{ CreatedObjectsIds: string[] }>(
    "/configure/channels",
    {
      method: "POST",
      body: [{ Name: "Dome", ServerBindingsSettings: { OwnerServerId: SenderId }, ConnectionSettings }],
    },
  );
  id = CreatedObjectsIds[0] ?? "";
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await dome?.stop();
});

const address = (camera: string): string => `#/settings?part=cameras&camera=${camera}&view=masks`;

/** Opens the masks of the camera, again while it is being asked for the first time. */
async function opened(visit: PageVisit): Promise<void> {
  await visit.logIn();
  const add = visit.button(/^(Add a mask|Добавить маску)$/);
  const retry = visit.button(/^(Try again|Повторить)$/);
  await expect
    .poll(async () => {
      if (await retry.isVisible()) await retry.click();
      return await add.isVisible();
    })
    .toBe(true);
}

/** While the camera is being asked for the first time. */
const ALLOWED = [/status of (503|429) .*masks/];

describe.skipIf(noBrowser !== undefined)(`the privacy masks of a camera${notHere(noBrowser)}`, () => {
  it("are drawn on its picture, and are at the camera when they are saved", () =>
    browser.visit(recorder.origin, { address: address(id), allow: ALLOWED }, async (visit) => {
      const { page } = visit;
      await opened(visit);
      await visit.button("Add a mask").click();
      const region = page.getByRole("application", { name: "Place of Mask 1" });
      await region.focus();
      const before = await page.locator(".zone-lines path.chosen").getAttribute("d");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Shift+ArrowRight");
      expect(await page.locator(".zone-lines path.chosen").getAttribute("d")).not.toBe(before);
      await visit.button("Save").click();
      await page.getByText("The camera has these masks now.").waitFor();
      expect(dome.masks.commands).toEqual(["CreateMask mask_1"]);
      await page.getByRole("checkbox", { name: "Mask 1 hides now" }).uncheck();
      await visit.button("Save").click();
      await expect.poll(() => dome.masks.commands).toEqual(["CreateMask mask_1", "SetMask mask_1"]);
      expect(dome.masks.kept.get("mask_1")).toContain("<tr2:Enabled>false</tr2:Enabled>");
      await visit.button("Add a mask").click();
      await page.getByText("The camera takes 2 masks at most.").waitFor();
      await visit.button("Remove Mask 2").click();
      await visit.button("Remove Mask 1").click();
      await visit.button("Save").click();
      await expect.poll(() => dome.masks.kept.size).toBe(0);
    }));

  it.each(LOOKS)("have a screen without faults, at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, address: address(id), allow: ALLOWED }, async (visit) => {
      await opened(visit);
      await visit.button(/^(Add a mask|Добавить маску)$/).click();
      await visit.shot("masks");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("are said not to be there where the camera offers none", () =>
    browser.visit(recorder.origin, { address: address(recorder.ids[0] ?? "") }, async (visit) => {
      await visit.logIn();
      await visit.page.getByText("This camera offers no privacy masks over the network.").waitFor();
    }));
});
