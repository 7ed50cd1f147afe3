import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/index.js";
import { notHere } from "../../support/base/not-here.js";
import { OnvifCamera } from "../../support/camera/onvif-camera.js";
import { ffmpegFilter, tonePcm } from "../../support/media/tone.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

const SCENARIOS = "#/settings?part=scenarios";
const LOGIN = "viewer";
const PASSWORD = "Camera-secret-9";
/** A camera without outputs or positions says so. */
const WITHOUT = /status of (?:400|409|501) .*(?:outputs|ptz)/;

const browser = new PageBrowser();
let recorder: PageService;
let door: OnvifCamera;
let gate = "";
let doorId = "";
let announcement = "";

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  recorder = await PageService.start({ cameras: ["Gate"] });
  gate = recorder.ids[0] ?? "";
  const rtspUrl = (): string => recorder.source?.url(0) ?? "";
  const scripted = { rtspUrl, login: LOGIN, password: PASSWORD, host: "127.0.0.2", ptz: true };
  door = await OnvifCamera.start({ ...scripted, relays: [["lamp"], ["door", 5]] });
  const { SenderId } = await recorder.service.json<{ SenderId: string }>("/configex?responsetype=json");
  const ConnectionSettings = {
    ...{ ModelId: ONVIF_MODEL.id, Hostname: door.address, Login: LOGIN, Password: PASSWORD },
    ...{ IoProcessingEnabled: true, PtzEnabled: true },
  };
  const camera = { Name: "Door", ServerBindingsSettings: { OwnerServerId: SenderId }, ConnectionSettings };
  const { CreatedObjectsIds } = await recorder.service.json<{ CreatedObjectsIds: string[] }>(
    "/configure/channels",
    { method: "POST", body: [camera] },
  );
  doorId = CreatedObjectsIds[0] ?? "";
  const pcm = tonePcm({ frequency: 600, level: 0.5, rate: 8000, seconds: 1 });
  const input = ["-f", "s16le", "-ar", "8000", "-ac", "1", "-i", "pipe:0"];
  const answer = await fetch(`${recorder.origin}/api/announcements?name=Closing`, {
    method: "POST",
    headers: {
      Authorization: `Basic ${Buffer.from(`root:${recorder.password}`).toString("base64")}`,
      "Content-Type": "audio/wav",
    },
    body: new Uint8Array(await ffmpegFilter([...input, "-f", "wav", "pipe:1"], pcm)),
  });
  announcement = ((await answer.json()) as { Id: string }).Id;
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await door?.stop();
});

async function openScenarios(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.heading(/^(Scenarios|Сценарии)$/).waitFor();
}

/** Before the page is opened: it reads the scenarios once. */
async function add(name: string, ...actions: readonly object[]): Promise<void> {
  const body = [{ Name: name, Actions: actions }];
  await recorder.service.json("/configure/userscenarios", { method: "POST", body });
}

/** As the configuration has it. */
async function kept(name: string): Promise<Record<string, unknown> | undefined> {
  const list = await recorder.service.json<Record<string, unknown>[]>("/configure/userscenarios");
  return list.find(({ Name }) => Name === name);
}

const part = (visit: PageVisit, name: string) => visit.page.getByRole("group", { name, exact: true });

describe.skipIf(noBrowser !== undefined)(`scenarios in the settings${notHere(noBrowser)}`, () => {
  it("are written with each kind of action, by the names that the camera has", () =>
    browser.visit(recorder.origin, { address: SCENARIOS, allow: [WITHOUT] }, async (visit) => {
      await openScenarios(visit);
      await visit.page.getByText("There is no scenario yet.").waitFor();
      await visit.button("Add a scenario").click();
      await visit.field("Name").fill("Closing time");
      await part(visit, "Cameras").getByLabel("Gate").check();
      for (let count = 0; count < 6; count += 1) await visit.button("Add an action").click();
      await part(visit, "Action 1").getByLabel("For how many seconds").fill("90");
      await part(visit, "Action 2").getByLabel("What is done").selectOption("Preset");
      await part(visit, "Action 2").getByLabel("Camera").selectOption("Door");
      await part(visit, "Action 2").getByRole("combobox", { name: "Position" }).waitFor();
      await part(visit, "Action 2").getByLabel("Position").selectOption({ index: 1 });
      await part(visit, "Action 3").getByLabel("What is done").selectOption("Output");
      await part(visit, "Action 3").getByLabel("Camera").selectOption("Door");
      await part(visit, "Action 3").getByRole("combobox", { name: "Output" }).waitFor();
      await part(visit, "Action 3").getByRole("combobox", { name: "Output" }).selectOption("lamp");
      await part(visit, "Action 3").getByLabel("For how many seconds").fill("5");
      await part(visit, "Action 4").getByLabel("What is done").selectOption("Announcement");
      const played = part(visit, "Action 4").getByRole("combobox", { name: "Play an announcement" });
      await played.waitFor();
      await played.selectOption("Closing");
      await part(visit, "Action 5").getByLabel("What is done").selectOption("Alarm");
      await part(visit, "Action 5").getByLabel("Text").fill("closed");
      await part(visit, "Action 6").getByLabel("What is done").selectOption("Event");
      await visit.shot("scenario-form");
      expect(await visit.violations()).toEqual([]);
      await visit.button("Save").click();
      await visit.page
        .getByText(
          "Does: Record, Turn to a position, Switch an output, Play an announcement, Raise an alarm, Write an event.",
        )
        .waitFor();
      expect(await kept("Closing time")).toMatchObject({
        NeedConfirmation: false,
        ChannelIds: [gate],
        Actions: [
          { Type: "Record", ChannelId: null, Seconds: 90 },
          { Type: "Preset", ChannelId: doorId },
          { Type: "Output", ChannelId: doorId, Output: "lamp", IsOn: true, Seconds: 5 },
          { Type: "Announcement", ChannelId: null, AnnouncementId: announcement },
          { Type: "Alarm", ChannelId: null, Text: "closed" },
          { Type: "Event", ChannelId: null, Text: "" },
        ],
        Starts: [],
      });
    }));

  it("are started by events and at times, asked about, and put into another order, by the keyboard alone", async () => {
    await add("Night", { Type: "Alarm", Text: "one" }, { Type: "Event", Text: "two" });
    await browser.visit(recorder.origin, { address: SCENARIOS }, async (visit) => {
      await openScenarios(visit);
      await visit.tabTo("button", "Change Night");
      await visit.press("Enter");
      await visit.field("Name").and(visit.page.locator(":focus")).waitFor();
      await visit.tabTo("button", "Do action 2 earlier");
      await visit.press("Enter");
      await visit.tabTo("button", "Start it at a time");
      await visit.press("Enter");
      await part(visit, "Start 1").waitFor();
      await visit.tabTo("button", "Start it by an event");
      await visit.press("Enter");
      await part(visit, "Start 2").waitFor();
      await part(visit, "Start 1").getByLabel("Sunday").focus();
      await visit.press("Space");
      await part(visit, "Start 2").getByRole("checkbox").first().focus();
      await visit.press("Space");
      await visit.tabTo("checkbox", "Ask before a user runs it", 300);
      await visit.press("Space");
      await visit.tabTo("button", "Save");
      await visit.press("Enter");
      await visit.page.getByText(/^Started by: users; Mon, Tue, Wed, Thu, Fri, Sat, 22:00; \S/).waitFor();
      await visit.page.getByText("A user is asked whether to run it.").waitFor();
      const scenario = await kept("Night");
      expect(scenario).toMatchObject({
        NeedConfirmation: true,
        Actions: [{ Text: "two" }, { Text: "one" }],
        Starts: [{ Type: "Schedule", Time: "22:00" }, { Type: "Event" }],
      });
    });
  });

  it("say what is missing before they are saved", () =>
    browser.visit(recorder.origin, { address: SCENARIOS }, async (visit) => {
      await openScenarios(visit);
      await visit.button("Add a scenario").click();
      const alert = visit.page.getByRole("alert");
      await visit.button("Save").click();
      await alert.getByText("It needs a name.").waitFor();
      await visit.field("Name").fill("Empty");
      await visit.button("Save").click();
      await alert.getByText("It does nothing yet: add an action.").waitFor();
      await visit.button("Add an action").click();
      await part(visit, "Action 1").getByLabel("For how many seconds").fill("");
      await visit.button("Save").click();
      await alert.getByText("Action 1 is not complete.").waitFor();
      await part(visit, "Action 1").getByLabel("For how many seconds").fill("5");
      await visit.button("Start it by an event").click();
      await visit.button("Save").click();
      await alert.getByText(/^Start 1 is not complete/).waitFor();
      await visit.button("Leave out start 1").click();
      await visit.button("Save").click();
      await visit.page.getByText("Empty is saved. Who may run scenarios finds it on the wall.").waitFor();
    }));

  it("are not overwritten where somebody else changed the configuration", async () => {
    await add("Shared", { Type: "Alarm", Text: "" });
    await browser.visit(
      recorder.origin,
      { address: SCENARIOS, allow: [/status of 409 .*userscenarios/] },
      async (visit) => {
        await openScenarios(visit);
        await visit.button("Change Shared").click();
        const { Id } = (await kept("Shared")) ?? {};
        await recorder.service.json("/configure/userscenarios", {
          method: "PUT",
          body: [{ Id, NeedConfirmation: true }],
        });
        await visit.field("Name").fill("Mine");
        await visit.button("Save").click();
        await visit.page
          .getByRole("alert")
          .getByText(/meanwhile|changed/i)
          .waitFor();
        expect(await kept("Mine")).toBeUndefined();
      },
    );
  });

  it("are removed at a second press", async () => {
    await add("Old", { Type: "Alarm", Text: "" });
    await browser.visit(recorder.origin, { address: SCENARIOS }, async (visit) => {
      await openScenarios(visit);
      await visit.button("Change Old").click();
      await visit.button("Remove the scenario").click();
      await visit.button("Remove Old for good").click();
      await visit.page.getByText("Old is removed.").waitFor();
      await expect.poll(() => kept("Old")).toBeUndefined();
    });
  });

  it.each(LOOKS)("are for everybody, at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, address: SCENARIOS }, async (visit) => {
      await openScenarios(visit);
      await visit.page.getByRole("article").first().waitFor();
      await visit.shot("scenarios-settings");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.button(/^(Add a scenario|Добавить сценарий)$/).click();
      await visit.button(/^(Add an action|Добавить действие)$/).click();
      await visit.button(/^(Start it at a time|Запускать по времени)$/).click();
      await visit.button(/^(Start it by an event|Запускать по событию)$/).click();
      await visit.shot("scenario-new");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );
});
