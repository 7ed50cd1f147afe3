import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { MessageService, RECEIVERS, TOKENS } from "../../support/alarm/message-services.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";

const PLATE = EVENT_TYPES.plateRecognized.id;

let directory: TemporaryDirectory;
let telegram: MessageService;
let source: PacedSource | undefined;
let service: Service | undefined;

beforeAll(async () => {
  directory = new TemporaryDirectory("alarm-picture");
  telegram = await MessageService.start("Telegram");
});

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  telegram?.stop();
  directory?.remove();
});

it("a message for a service has the picture that was recorded at the event, and a link that plays it", async () => {
  service = await Service.start({ dataDir: directory.join("data") });
  source = await PacedSource.start(1, SMALL_CLIP);
  const [gateId = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  const recorded = async () => (await service?.fragments(gateId))?.length ?? 0;
  await expect.poll(recorded).toBeGreaterThan(0);
  const Webhook = {
    ...{ Form: "Telegram", Url: telegram.base, Secret: TOKENS.Telegram, To: RECEIVERS.Telegram },
    PageUrl: "https://nvr.example/",
  };
  const events = { Events: "Chosen", EventTypeIds: [EVENT_TYPES.fireDetected.id] };
  await service.json("/configure/alarms", {
    method: "POST",
    body: [{ Name: "Phone", Kind: "Webhook", ...events, Webhook }],
  });
  await service.json("/api/events", {
    method: "POST",
    body: { EventId: EVENT_TYPES.fireDetected.id, ChannelId: gateId },
  });
  await expect.poll(() => telegram.arrived.length).toBe(1);
  const [message] = telegram.arrived;
  expect(message?.text).toContain("Fire detected");
  expect(message?.text).toMatch(
    new RegExp(`https://nvr\\.example/#/playback\\?channel=${gateId}&time=\\d{13}&play=1$`),
  );
  expect(message?.picture?.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
  expect(message?.picture?.length).toBeGreaterThan(1000);

  // Of a thing, what is around it.
  const box = { Left: "0,4", Top: "0,4", Width: "0,1", Height: "0,2" };
  await service.json("/configure/alarms", {
    method: "POST",
    body: [{ Name: "Plates", Kind: "Webhook", ...events, EventTypeIds: [PLATE], Webhook }],
  });
  await service.json("/api/events", {
    method: "POST",
    body: { EventId: PLATE, ChannelId: gateId, plateText: "A1", ...box },
  });
  await expect.poll(() => telegram.arrived.length).toBe(2);
  const { width, height } = await sharp(telegram.arrived[1]?.picture).metadata();
  expect(width).toBeCloseTo(SMALL_CLIP.width * 0.3, -1);
  expect(height).toBeCloseTo(SMALL_CLIP.height * 0.6, -1);
});
