import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VisionServer } from "../../support/analysis/vision-server.js";
import { notHere } from "../../support/base/not-here.js";
import { makeCertificate } from "../../support/http/certificate.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";

const ANALYSERS = "#/settings?part=analysers";
const BOX = { x_min: 10, y_min: 10, x_max: 60, y_max: 90 };
const browser = new PageBrowser();
let recorder: PageService;
let server: VisionServer;

beforeAll(async () => {
  server = await VisionServer.start();
  server.answer = ({ path }) => [
    { ...BOX, confidence: 0.87, ...(path.endsWith("alpr") ? { plate: "A123BC" } : { label: "person" }) },
  ];
  recorder = await PageService.start({ cameras: ["Gate", "Yard"] });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await server?.close();
});

async function openAnalysers(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.heading(/^(Analysers|Анализаторы)$/).waitFor();
}

/** The configuration as it is kept. */
async function kept(name: string): Promise<Record<string, unknown> | undefined> {
  const list = (await recorder.service.json("/configure/analysers")) as Record<string, unknown>[];
  return list.find(({ Name }) => Name === name);
}

describe.skipIf(noBrowser !== undefined)(`the analysers of the recorder${notHere(noBrowser)}`, () => {
  it("get an address and a key, and a picture as a test that shows what they saw", () =>
    browser.goOn(recorder.origin, { address: ANALYSERS }, async (visit) => {
      await openAnalysers(visit);
      await visit.page.getByText("Nobody looks at the pictures yet.").waitFor();
      await visit.button("Add an analyser").click();
      await visit.field("Name").fill("Workshop");
      await visit.field("Address").fill(server.url);
      await visit.page.getByLabel("Key", { exact: true }).fill("a key of mine");
      await visit.field("Number plates").check();
      await visit.field("How sure it must be, %").fill("70");
      expect(await visit.violations()).toEqual([]);
      await visit.shot("analyser-form");
      await visit.button("Save").click();
      await visit.button("Send a picture: Workshop").click();
      await visit.page.getByText("person 87 %, A123BC 87 %").waitFor();
      await visit.page.getByRole("img", { name: "The picture that was sent" }).waitFor();
      expect(server.requests.at(-1)?.fields.get("api_key")).toBe("a key of mine");
      expect(await visit.violations()).toEqual([]);
      await visit.shot("analyser-tested");
      expect(await kept("Workshop")).toMatchObject({
        MinConfidence: 70,
        Vision: { Url: server.url, ApiKey: null, Objects: true, Plates: true, Faces: false },
      });
    }));

  it("are trusted by the authority that is chosen as a file", () =>
    browser.goOn(recorder.origin, { address: ANALYSERS }, async (visit) => {
      const tls = await makeCertificate();
      const sealed = await VisionServer.start(0, tls);
      sealed.answer = () => [{ ...BOX, confidence: 0.5, label: "dog" }];
      await openAnalysers(visit);
      await visit.button("Add an analyser").click();
      await visit.field("Name").fill("Sealed");
      await visit.field("Address").fill(sealed.url);
      const file = { name: "own.pem", mimeType: "application/x-pem-file", buffer: Buffer.from(tls.cert) };
      await visit.field("Authority of its certificate").setInputFiles(file);
      await visit.button("Trust the usual authorities").waitFor();
      expect(await visit.violations()).toEqual([]);
      await visit.button("Save").click();
      await visit.button("Send a picture: Sealed").click();
      await visit.page.getByText("dog 50 %").waitFor();
      await sealed.close();
    }));

  it("say why where they do not answer as they should", () =>
    browser.goOn(recorder.origin, { address: ANALYSERS }, async (visit) => {
      const broken = await VisionServer.start();
      broken.answer = () => ({ status: 500, body: "no" });
      const vision = { Url: broken.url };
      const body = [{ Name: "Broken", Kind: "Vision", IsEnabled: false, Vision: vision }];
      await recorder.service.json("/configure/analysers", { method: "POST", body });
      await openAnalysers(visit);
      await visit.button("Send a picture: Broken").click();
      await visit.page.getByText(/500/).waitFor();
      await broken.close();
    }));

  it("are Frigate with its names of cameras, by keys alone, and keep the sizes that programs gave", () =>
    browser.goOn(recorder.origin, { address: ANALYSERS }, async (visit) => {
      const [gate = ""] = recorder.ids;
      const Cameras = [{ Name: "front", ChannelId: gate, Width: 640, Height: 360 }];
      const body = [{ Name: "Frigate", Kind: "Frigate", Frigate: { Cameras } }];
      await recorder.service.json("/configure/analysers", { method: "POST", body });
      await openAnalysers(visit);
      await visit.tabTo("button", "Change Frigate");
      await visit.press("Enter");
      await visit.field("Name").and(visit.page.locator(":focus")).waitFor();
      await visit.tabTo("textbox", "Gate");
      await visit.page.keyboard.type("front_door");
      await visit.tabTo("textbox", "Yard");
      await visit.page.keyboard.type("yard");
      await visit.press("Enter");
      await expect
        .poll(() => kept("Frigate"))
        .toMatchObject({
          Frigate: {
            Cameras: [
              { Name: "front_door", ChannelId: gate, Width: 640, Height: 360 },
              { Name: "yard", ChannelId: recorder.ids[1], Width: 1280, Height: 720 },
            ],
          },
        });
    }));

  it("look at the cameras that say so in their settings, in Russian on a phone too", () =>
    browser.visit(
      recorder.origin,
      { address: "#/settings?part=cameras", language: "ru", size: "phone" },
      async (visit) => {
        await visit.logIn();
        await visit.page.getByRole("link", { name: "Gate", exact: true }).click();
        await visit.field("Искать людей, машины и другое").check();
        await visit.field("Распознавать лица").check();
        await visit.button("Сохранить").click();
        const settings = async () => {
          const list = (await recorder.service.json("/configure/channels")) as {
            readonly Id: string;
            readonly AnalyzeSettings: object;
          }[];
          return list.find(({ Id }) => Id === recorder.ids[0])?.AnalyzeSettings;
        };
        await expect
          .poll(settings)
          .toMatchObject({ InteractiveSearchEnabled: true, FaceDetectorEnabled: true });
      },
    ));
});
