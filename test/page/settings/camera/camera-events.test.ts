import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SEEN_KINDS } from "../../../../src/base/index.js";
import { ONVIF_MODEL } from "../../../../src/camera/index.js";
import { notHere } from "../../../support/base/not-here.js";
import { OnvifCamera } from "../../../support/camera/onvif-camera.js";
import { noBrowser, PageBrowser } from "../../../support/page/page-browser.js";
import { PageService } from "../../../support/page/page-service.js";
import { LOOKS } from "../../../support/page/page-visit.js";

const PASSWORD = "Camera-secret-9";
const MESSAGE =
  '<tt:MessageDescription IsProperty="true"><tt:Data><tt:SimpleItemDescription Name="State" Type="xs:boolean"/></tt:Data></tt:MessageDescription>';
const TOPIC_SET =
  `<tns1:VideoSource><MotionAlarm wstop:topic="true">${MESSAGE}</MotionAlarm></tns1:VideoSource>` +
  `<tns1:RuleEngine><LineDetector><Crossed wstop:topic="true"/></LineDetector></tns1:RuleEngine>` +
  `<tns1:Device><Trigger><DigitalInput wstop:topic="true">${MESSAGE}</DigitalInput></Trigger>` +
  `<HardwareFailure><FanFailure wstop:topic="true"/></HardwareFailure></tns1:Device>` +
  `<tns1:Monitoring><ProcessorUsage wstop:topic="true"/></tns1:Monitoring>`;

interface AnalysisOfCamera {
  readonly CameraEventSettings: { readonly Marked: readonly string[]; readonly Recorded: readonly string[] };
}

const browser = new PageBrowser();
let recorder: PageService;
let dome: OnvifCamera;
let id = "";

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate"] });
  const rtspUrl = (): string => recorder.source?.url(0) ?? "";
  const scripted = { rtspUrl, login: "viewer", password: PASSWORD, host: "127.0.0.2" };
  dome = await OnvifCamera.start({ ...scripted, events: "pull-point", topicSet: TOPIC_SET });
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

describe.skipIf(noBrowser !== undefined)(`the events of a camera${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are listed with what becomes of them, at $size size, $theme, $language", (options) =>
    browser.visit(
      recorder.origin,
      {
        ...options,
        viewport: options.size === "phone" ? { width: 360, height: 780 } : { width: 1280, height: 800 },
        address: `#/settings?part=cameras&camera=${id}&view=events`,
        // While the camera is being asked for the first time.
        allow: [/status of 503 .*cameraevents/],
      },
      async (visit) => {
        await visit.logIn();
        const row = (name: RegExp) => visit.page.getByRole("row", { name });
        await row(/VideoSource \/ MotionAlarm/).waitFor();
        expect(await row(/MotionAlarm/).textContent()).toMatch(/Counts as motion|Считается движением/);
        expect(await row(/LineDetector/).textContent()).toMatch(/the rule's name|с именем правила/);
        expect(await row(/LineDetector/).textContent()).toMatch(/line crossed|пересечена линия/i);
        expect(await row(/FanFailure/).textContent()).toMatch(/own words|словами самой/);
        expect(await row(/ProcessorUsage/).textContent()).toMatch(/has no use for it|не нужно/);
        await visit.shot("camera-events");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      },
    ),
  );

  it("of its inputs are used once they are switched on, by the keyboard alone", () =>
    browser.visit(
      recorder.origin,
      { address: `#/settings?part=cameras&camera=${id}&view=events` },
      async (visit) => {
        await visit.logIn();
        const row = visit.page.getByRole("row", { name: /DigitalInput/ });
        await row.getByText("Not used: its inputs are switched off.").waitFor();
        await visit.field("Use the inputs and outputs of the camera").focus();
        await visit.page.keyboard.press("Space");
        await visit.page.keyboard.press("Enter");
        await visit.page.getByText("Dome is saved.").waitFor();
        await row.getByText("An event: a contact closes or opens.").waitFor();
      },
    ));

  it("are chosen by their kinds, and the choice is kept", () =>
    browser.visit(
      recorder.origin,
      { address: `#/settings?part=cameras&camera=${id}&view=events` },
      async (visit) => {
        await visit.logIn();
        await visit.field("Line crossed: Record").waitFor();
        await visit.field("Line crossed: Record").check();
        await visit.page.getByText("More kinds, which it has not named").click();
        await visit.field("Sound heard: Event").uncheck();
        const form = visit.page.locator("form", {
          has: visit.page.getByRole("heading", { name: "What is used" }),
        });
        await form.getByRole("button", { name: "Save" }).click();
        await visit.page.getByText("Dome is saved.").waitFor();
        const { AnalyzeSettings } = await recorder.service.json<{ AnalyzeSettings: AnalysisOfCamera }>(
          `/configure/channels/${id}`,
        );
        const { Marked, Recorded } = AnalyzeSettings.CameraEventSettings;
        expect([Recorded, Marked.includes("sound"), Marked.length]).toEqual([
          ["lineCrossed"],
          false,
          SEEN_KINDS.length - 2,
        ]);
        await visit.page.reload();
        await visit.field("Line crossed: Record").waitFor();
        expect(await visit.field("Line crossed: Record").isChecked()).toBe(true);
      },
    ));

  it("that is known by its stream alone are none", () =>
    browser.visit(
      recorder.origin,
      { address: `#/settings?part=cameras&camera=${recorder.ids[0]}&view=events` },
      async (visit) => {
        await visit.logIn();
        await visit.page.getByText("It offers none.").waitFor();
      },
    ));
});
