import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { keepGuidePicture, WRITES_PICTURES } from "../support/page/guide-picture.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import type { PageVisit } from "../support/page/page-visit.js";
import { pause, Service } from "../support/service/service.js";

/** NVRD_WRITE_PICTURES=1 makes the pictures of docs/guide/page.md and away.md anew, from the demo's cameras. */
const reason = noBrowser ?? (WRITES_PICTURES ? undefined : "NVRD_WRITE_PICTURES=1");
const RECORDED_US = 90_000_000;

const browser = new PageBrowser();
let directory: TemporaryDirectory;
let service: Service;
let ids: string[];

beforeAll(async () => {
  if (reason !== undefined) return;
  directory = new TemporaryDirectory("pictures");
  service = await Service.start({ dataDir: directory.join("data"), command: "demo" });
  const { Channels } = await service.json<{ Channels: { Id: string; Name: string }[] }>(
    "/configex?responsetype=json",
  );
  ids = Channels.map(({ Id }) => Id);
  await service.recorded(ids, RECORDED_US, 200_000);
});

afterAll(async () => {
  await browser.close();
  await service?.stop();
  directory?.remove();
});

const moving = (visit: PageVisit) => () =>
  visit.page.evaluate<number>(
    "[...document.querySelectorAll('video')].filter((video) => video.videoWidth > 0).length",
  );

describe.skipIf(reason !== undefined)(`the pictures of the guide${notHere(reason)}`, () => {
  const viewport = { width: 1200, height: 750 };

  it("show the wall", () =>
    browser.visit(origin(), { viewport, theme: "dark" }, async (visit) => {
      await visit.logIn();
      await expect.poll(moving(visit)).toBeGreaterThan(2);
      await pause(5000);
      await keepGuidePicture(visit, "wall");
    }));

  it("show recordings", () =>
    browser.visit(origin(), { viewport }, async (visit) => {
      await visit.logIn();
      const time = Date.now() - 60_000;
      await visit.page.goto(`${origin()}/#/playback?channel=${ids[1]},${ids[2]}&time=${time}`);
      await expect.poll(moving(visit)).toBe(2);
      for (let step = 0; step < 6; step += 1) await visit.press("+");
      await pause(5000);
      await keepGuidePicture(visit, "playback");
    }));

  it("show events", () =>
    browser.visit(origin(), { viewport }, async (visit) => {
      const { motionDetected, plateRecognized, faceRecognized } = EVENT_TYPES;
      const event = (type: { id: string }, camera: number, secondsAgo: number, members: object) => ({
        EventId: type.id,
        ChannelId: ids[camera],
        Timestamp: new Date(Date.now() - secondsAgo * 1000).toISOString(),
        ...members,
      });
      const body = [
        event(motionDetected, 0, 62, { Comment: "Crossing" }),
        event(plateRecognized, 2, 51, { plateText: "A123BC77", carbrand: "Volvo", Comment: "guest" }),
        event(faceRecognized, 3, 40, { lastName: "Petrova", firstName: "Anna" }),
        event(motionDetected, 2, 33, { Comment: "Crossing" }),
        event(motionDetected, 0, 21, { Comment: "Pavement" }),
        event(plateRecognized, 0, 9, { plateText: "K702EX199", Comment: "unknown" }),
      ];
      await service.json("/api/events", { method: "POST", body });
      await visit.logIn();
      await visit.screen("Events");
      const seen = () => visit.page.locator(".event-picture img").count();
      await expect.poll(seen).toBeGreaterThan(5);
      await pause(1000);
      await keepGuidePicture(visit, "events");
    }));

  it("show what happened since somebody last looked", () =>
    browser.visit(origin(), { viewport, address: "#/review" }, async (visit) => {
      await visit.logIn();
      const shown = () =>
        visit.page.evaluate<number>(
          "[...document.querySelectorAll('.review-picture img')].filter((img) => img.naturalWidth > 0).length",
        );
      await expect.poll(shown).toBeGreaterThan(2);
      await pause(1000);
      await keepGuidePicture(visit, "review");
    }));

  it("show a storage off the box", async () => {
    const store = await new ScriptedStore().start();
    const endpoint = `http://127.0.0.1:${store.port}`;
    const target = {
      ...{ Name: "Cellar", Endpoint: endpoint, Bucket: "recordings", Prefix: "gate/", KeepDays: 90 },
      ...{ AccessKeyId: "AKIDEXAMPLE", SecretAccessKey: "secret", Content: "Everything", From: "Oldest" },
    };
    await service.json("/configure/away", { method: "POST", body: [target] });
    try {
      await browser.visit(origin(), { viewport, address: "#/settings?part=away" }, async (visit) => {
        // The port of the store of these tests would be another one in each picture.
        await visit.page.route("**/configure/away", async (route) => {
          const response = await route.fetch();
          const body = (await response.text()).replaceAll(endpoint, "https://s3.example");
          await route.fulfill({ response, body });
        });
        await visit.logIn();
        await visit.page.getByText("All is sent.").waitFor({ timeout: 60_000 });
        await visit.button("Try it: Cellar").click();
        await visit.page.getByText("It takes recordings and gives them back.").waitFor();
        await visit.field("Price for a GB and month").fill("0.02");
        await keepGuidePicture(visit, "away");
      });
    } finally {
      store.stop();
    }
  });
});

function origin(): string {
  return `http://127.0.0.1:${service.httpPort}`;
}
