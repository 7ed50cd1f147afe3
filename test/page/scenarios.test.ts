import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { eventsOf } from "../support/event/service-events.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";

const browser = new PageBrowser();
const RUN = "scenarioStarted";
let recorder: PageService;
let channelId: string;

async function addScenario(
  name: string,
  actions: readonly object[],
  NeedConfirmation = false,
): Promise<void> {
  const body = [{ Name: name, NeedConfirmation, Actions: actions }];
  await recorder.service.json("/configure/userscenarios", { method: "POST", body });
}

describe.skipIf(noBrowser !== undefined)(`scenarios on the wall${notHere(noBrowser)}`, () => {
  beforeAll(async () => {
    recorder = await PageService.start({ cameras: ["Gate"] });
    const { Channels } = await recorder.service.json<{ Channels: { Id: string }[] }>(
      "/configex?responsetype=json",
    );
    channelId = Channels[0]?.Id ?? "";
  });

  afterAll(async () => {
    await browser.close();
    await recorder?.stop();
  });

  it("are not offered where there are none", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await visit.button("Layout").waitFor();
      expect(await visit.button("Scenarios").count()).toBe(0);
    }));

  it.each(["desktop", "phone"] as const)("run by a press, after a question where they want it (%s)", (size) =>
    browser.visit(recorder.origin, { isNobody: true, size }, async (visit) => {
      const { page } = visit;
      if (size === "desktop") {
        await addScenario("Closing time", [{ Type: "Alarm", Text: "closed" }]);
        await addScenario("Close the gate", [{ Type: "Alarm", Text: "shut" }], true);
        await addScenario("Look at the gate", [{ Type: "Preset", ChannelId: channelId, Preset: 1 }]);
      }
      await visit.logIn();
      const before = (await eventsOf(recorder.service, RUN)).length;
      await visit.button("Scenarios").click();
      expect(await visit.violations()).toEqual([]);
      await visit.keepPicture("scenarios");
      await visit.button("Closing time").click();
      await page.getByText("The scenario “Closing time” has run.").waitFor();
      await page.locator("button[aria-expanded=false]:focus").waitFor();
      await visit.press("Enter");
      await visit.button("Close the gate").click();
      await visit.button("Cancel").click();
      await visit.button("Scenarios").click();
      await visit.button("Close the gate").click();
      await visit.button("Run").click();
      await page.getByText("The scenario “Close the gate” has run.").waitFor();
      await visit.button("Scenarios").click();
      await visit.button("Look at the gate").click();
      await page.getByText(/The scenario “Look at the gate” did not do everything: ./).waitFor();
      await expect.poll(async () => (await eventsOf(recorder.service, RUN)).length).toBe(before + 3);
    }),
  );
});
