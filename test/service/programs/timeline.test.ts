import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, it } from "vitest";
import type { Timeline, TimelineChannel } from "../../../src/contract/answer/timeline.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { newEvents, until } from "../../support/event/service-events.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";

/** Recordings between the gaps. */
const RECORDED_US = 2_000_000;
/** Of each of the steps of this test. */
const TIMEOUT_MS = 90_000;
const MINUTES_MAX = 10;
/** Longer than the seconds before a recording that are kept for it. */
const GAP_MS = 6_000;

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service;
let port = 0;
let id = "";
/** Where the timeline that is asked for begins. */
let fromUs = 0;

beforeAll(async () => {
  directory = new TemporaryDirectory("timeline");
  [port = 0] = await freePorts(1);
  source = await PacedSource.start(1, SMALL_CLIP, port);
  service = await start();
  fromUs = nowUs() - 60_000_000;
  [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  await service.recorded([id], RECORDED_US, TIMEOUT_MS);
});
afterAll(async () => {
  await service?.stop();
  await source?.stop();
  directory?.remove();
});

function start(httpPort?: number): Promise<Service> {
  const settings = { volumes: [{ path: directory.join("volume") }] };
  const port = httpPort === undefined ? {} : { httpPort };
  return Service.start({ dataDir: directory.join("data"), settings, ...port });
}

function timelinePath(): string {
  return `/api/timeline?channels=${id}&from=${fromUs / 1000}&to=${Date.now()}&steps=4000`;
}

async function timeline(): Promise<TimelineChannel> {
  const answer = await service.json<Timeline>(timelinePath());
  const [channel] = answer.Channels;
  if (channel === undefined) throw new Error("no channel is answered");
  return channel;
}

/** Resolves when the timeline has gaps of these reasons in this order; a busy machine may make more of them. */
async function expectReasons(...reasons: readonly string[]): Promise<void> {
  await until(service, `gaps of the reasons ${reasons.join()}`, async () => {
    const left = [...reasons];
    for (const { Reason } of (await timeline()).Gaps) if (Reason === left[0]) left.shift();
    return left.length === 0;
  });
}

/** Resolves when nothing has been recorded up to now for longer than frames are held back, for this reason. */
async function isGap(reason: string): Promise<void> {
  await until(service, `a gap of the reason ${reason}`, async () => {
    const last = (await timeline()).Gaps.at(-1);
    return last?.Reason === reason && last.To - last.From > GAP_MS && last.To > Date.now() - GAP_MS;
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
  await expectReasons("not-recorded-yet", "camera-lost");

  await setDisabled(true);
  await expectReasons("camera-lost", "switched-off");
  sinceUs = nowUs();
  await setDisabled(false);
  await recordedSince(sinceUs);

  const { httpPort } = service;
  await service.stop();
  sinceUs = nowUs();
  service = await start(httpPort);
  await recordedSince(sinceUs);
  await expectReasons("switched-off", "service-stopped");

  await service.kill();
  sinceUs = nowUs();
  service = await start(httpPort);
  await recordedSince(sinceUs);
  await expectReasons(
    "not-recorded-yet",
    "camera-lost",
    "switched-off",
    "service-stopped",
    "service-crashed",
  );
});

it("tells real gaps by their reasons: no motion, by schedule, not switched on, power cut, disk", {
  timeout: MINUTES_MAX * 60_000,
}, async () => {
  fromUs = nowUs();
  const ways = [
    ["no-motion", { ArchivingMode: "MDandManual", PreMotionDetectionRecSecs: 1 }],
    ["by-schedule", { ArchivingMode: "BySchedule", Schedule: {} }],
    ["not-started", { ArchivingMode: "OnlyManual" }],
  ] as const;
  for (const [reason, settings] of ways) {
    await setArchive(settings);
    await isGap(reason);
    // The recording begins with the seconds before it.
    const sinceUs = nowUs() - (GAP_MS - 1000) * 1000;
    await setArchive({ ArchivingMode: "AlwaysOn", Schedule: null });
    await recordedSince(sinceUs);
  }
  // The present mode and schedule explain none of them.
  await expectReasons("no-motion", "by-schedule", "not-started");

  const { httpPort } = service;
  await service.kill();
  anotherBoot();
  let sinceUs = nowUs();
  service = await start(httpPort);
  await recordedSince(sinceUs);
  await expectReasons("not-started", "power-cut");

  await service.stop();
  const [volume, away] = [directory.join("volume"), directory.join("away")];
  renameSync(volume, away);
  writeFileSync(volume, "no directory");
  service = await start(httpPort);
  // The event log is opened while the service already answers.
  await until(service, "the event log", async () => (await service.get(timelinePath())).status === 200);
  await newEvents(service, "droppingStarted");
  rmSync(volume);
  renameSync(away, volume);
  sinceUs = nowUs();
  await recordedSince(sinceUs);
  await expectReasons("power-cut", "disk");
});

/** The run that was killed began before the machine did, as its note says: that is a power cut. */
function anotherBoot(): void {
  const file = directory.join("data", "restarts.json");
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(bootId, "11111111-2222-4333-8444-555555555555"));
}

async function setArchive(ArchiveSettings: object): Promise<void> {
  const path = `/configure/channels/${id}`;
  const { ConnectionSettings } = await service.json<{ ConnectionSettings: { ModelId: string } }>(path);
  const { ModelId } = ConnectionSettings;
  // What the camera shows moves all the time: nobody sees it.
  const AnalyzeSettings = { MotionDetectorEnabled: false };
  const body = { ConnectionSettings: { ModelId }, ArchiveSettings, AnalyzeSettings };
  await service.json(path, { method: "PUT", body });
}

async function setDisabled(disabled: boolean): Promise<void> {
  const camera = await service.json<object>(`/configure/channels/${id}`);
  await service.json(`/configure/channels/${id}`, { method: "PUT", body: { ...camera, Disabled: disabled } });
}
