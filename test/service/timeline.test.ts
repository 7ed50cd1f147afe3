import { afterAll, beforeAll, it } from "vitest";
import type { TimelineAnswer, TimelineChannel } from "../../src/messages/index.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { newEvents, until } from "../support/event/service-events.js";
import { freePorts } from "../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { Service } from "../support/service/service.js";

/** Recordings between the gaps. */
const RECORDED_US = 2_000_000;
/** Of each of the steps of this test. */
const TIMEOUT_MS = 90_000;
const MINUTES_MAX = 10;

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service;
let port = 0;
let id = "";
let beganUs = 0;

beforeAll(async () => {
  directory = new TemporaryDirectory("timeline");
  [port = 0] = await freePorts(1);
  source = await PacedSource.start(1, SMALL_CLIP, port);
  service = await Service.start({ dataDir: directory.join("data") });
  beganUs = nowUs();
  [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  await service.recorded([id], RECORDED_US, TIMEOUT_MS);
});
afterAll(async () => {
  await service?.stop();
  await source?.stop();
  directory?.remove();
});

async function timeline(): Promise<TimelineChannel> {
  const [from, to] = [beganUs / 1000 - 60_000, Date.now()];
  const answer = await service.json<TimelineAnswer>(
    `/api/timeline?channels=${id}&from=${from}&to=${to}&steps=4000`,
  );
  const [channel] = answer.Channels;
  if (channel === undefined) throw new Error("no channel is answered");
  return channel;
}

/** Resolves when the timeline has gaps of these reasons in this order; a busy machine may make more of them. */
async function tells(...reasons: readonly string[]): Promise<void> {
  await until(service, `gaps of the reasons ${reasons.join()}`, async () => {
    const left = [...reasons];
    for (const { Reason } of (await timeline()).Gaps) if (Reason === left[0]) left.shift();
    return left.length === 0;
  });
}

async function recordedSince(sinceUs: number): Promise<void> {
  await service.recorded([id], RECORDED_US, TIMEOUT_MS, sinceUs);
}

function nowUs(): number {
  return Date.now() * 1000;
}

it("tells real gaps by their reasons: not added, lost, switched off, stopped, killed", {
  timeout: MINUTES_MAX * 60_000,
}, async () => {
  await source.stop();
  await newEvents(service, "cameraLost");
  let sinceUs = nowUs();
  source = await PacedSource.start(1, SMALL_CLIP, port);
  await recordedSince(sinceUs);
  await tells("not-recorded-yet", "camera-lost");

  await setDisabled(true);
  await tells("camera-lost", "switched-off");
  sinceUs = nowUs();
  await setDisabled(false);
  await recordedSince(sinceUs);

  const { dataDir, httpPort } = service;
  await service.stop();
  sinceUs = nowUs();
  service = await Service.start({ dataDir, httpPort });
  await recordedSince(sinceUs);
  await tells("switched-off", "service-stopped");

  await service.kill();
  sinceUs = nowUs();
  service = await Service.start({ dataDir, httpPort });
  await recordedSince(sinceUs);
  await tells("not-recorded-yet", "camera-lost", "switched-off", "service-stopped", "service-crashed");
});

async function setDisabled(disabled: boolean): Promise<void> {
  const camera = await service.json<object>(`/configure/channels/${id}`);
  await service.json(`/configure/channels/${id}`, { method: "PUT", body: { ...camera, Disabled: disabled } });
}
