import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { type ReadItem, readLiveItems } from "../../support/api/event-items.js";
import { GreedyFile } from "../../support/archive/greedy-file.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";
import {
  eventsOf,
  newEvents,
  nowUs,
  recordedBeyond,
  until,
  WAIT_MS,
} from "../../support/event/service-events.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, checkOffline, Service } from "../../support/service/service.js";

const CAMERAS = 2;
/** More than what the index and the events leave free, with room to work. */
const DISK_BYTES = 256 * 1024 * 1024;
const SEGMENT_SECONDS = 5;
const GOP_US = (SMALL_CLIP.gopFrames / SMALL_CLIP.fps) * 1_000_000;
const TEST_MS = 180_000;

const missing = loopMountMissing("ext4");

let directory: TemporaryDirectory;
let disk: LoopMount;
let greedy: GreedyFile;
let source: PacedSource;
let service: Service;
let ids: string[];
let live = Buffer.alloc(0);

const dataDir = () => disk.mountPoint;
const volume = () => directory.join("volume");
const openFiles = () => readdirSync(`${volume()}/open`).length;
const cameraNames = async () => {
  const { Channels } = await service.json<{ Channels: { Name: string }[] }>("/configex?responsetype=json");
  return Channels.map((channel) => channel.Name).sort();
};

async function start(): Promise<void> {
  const settings = { segmentSeconds: SEGMENT_SECONDS, volumes: [{ path: volume(), reserveBytes: 0 }] };
  service = await Service.start({ dataDir: dataDir(), settings, startTimeoutMs: WAIT_MS });
}

beforeAll(async () => {
  if (missing !== undefined) return;
  directory = new TemporaryDirectory("system-disk-full");
  disk = LoopMount.mount("ext4", directory.path, DISK_BYTES);
  greedy = new GreedyFile(disk.mountPoint);
  source = await PacedSource.start(CAMERAS, SMALL_CLIP);
  await start();
  const stream = await service.open("/event", { timeoutMs: TEST_MS });
  stream.on("data", (chunk: Buffer) => {
    live = Buffer.concat([live, chunk]);
  });
  stream.on("error", () => undefined); // it ends with the service
  ids = await service.addCameras([0, 1].map((at) => ({ name: `Camera ${at}`, url: source.url(at) })));
  await service.recorded(ids, 3 * GOP_US);
});

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  disk?.remove();
  directory?.remove();
});

describe.skipIf(missing !== undefined)(`a service whose system disk is full${notHere(missing)}`, () => {
  let fullUs = 0;

  it("says so on the live event stream, and records on", async () => {
    greedy.take();
    fullUs = nowUs();
    const raised = (type: keyof typeof EVENT_TYPES) =>
      readLiveItems(live).some((item: ReadItem) => item.value("EventId") === EVENT_TYPES[type].id);
    await until(service, "the failing index to be told", () => raised("indexFailing"));
    await until(service, "the failing event log to be told", () => raised("eventLogFailing"));
    await recordedBeyond(service, ids, fullUs + 5 * SEGMENT_SECONDS * 1_000_000);
    expect(service.process.exit).toBeUndefined();
    // Closed segments wait for the index in `open/`, besides the one that is written.
    expect(openFiles()).toBeGreaterThan(2 * CAMERAS);
  });

  it("refuses a change of the configuration with a clear error and keeps what holds", async () => {
    const before = await cameraNames();
    await expect(service.addCameras([{ name: "One too many", url: source.url(0) }])).rejects.toThrow(
      /status 503: .*disk is full/s,
    );
    expect(await cameraNames()).toEqual(before);
  });

  /** What was recorded before the start is not known until the index has room: lists of that time are 503. */
  async function recordsAnew(): Promise<void> {
    const startedUs = nowUs();
    await recordedBeyond(service, ids, startedUs + 2 * GOP_US, startedUs);
    const [id = ""] = ids;
    const before = `/archivefragments?channelid=${id}&fromtime=${apiTime(0)}&totime=${apiTime(startedUs)}`;
    expect((await service.get(before)).status).toBe(503);
  }

  it("starts on it after it was killed, and records", async () => {
    await service.kill();
    await start();
    await recordsAnew();
    expect(await cameraNames()).toEqual(["Camera 0", "Camera 1"]);
    expect(service.log).not.toMatch(/is damaged|moved aside/);
  });

  it("stops in order, and starts again", async () => {
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await start();
    await recordsAnew();
    expect(service.log).not.toMatch(/is damaged|moved aside/);
  });

  it("indexes what waited, keeps the events and takes changes when there is room", async () => {
    // Said again by this run: events of the earlier ones that the disk did not take went with them.
    await until(service, "the failing index", () => /the index cannot (commit|be opened)/.test(service.log));
    greedy.remove();
    await until(service, "the event log to be open", async () => {
      const { status } = await service.get("/archive_events", { method: "POST", body: {} });
      return status === 200;
    });
    await newEvents(service, "indexWorks");
    expect((await eventsOf(service, "indexFailing")).length).toBeGreaterThan(0);
    // What was kept before the disk was full is kept still.
    const [first] = await eventsOf(service, "serviceStarted");
    expect(first).toBeDefined();
    expect((await eventsOf(service, "recordingStarted")).map((event) => event.ChannelName)).toContain(
      "Camera 0",
    );
    await until(service, "closed segments to leave open/", () => openFiles() <= 2 * CAMERAS);
    await service.addCameras([{ name: "There is room", url: source.url(0) }]);
    expect(await cameraNames()).toContain("There is room");
  });

  it("has lost nothing of the recordings but what kill and stop took", async () => {
    for (const id of ids) {
      const fragments = await service.fragments(id);
      // One up to the kill, one up to the stop, one since: the full disk itself is no gap.
      expect(fragments).toHaveLength(3);
      expect(fragments[0]?.fromUs).toBeLessThan(fullUs);
    }
    await service.stop();
    const { exit, text } = await checkOffline(dataDir(), [
      "--deep",
      "--config",
      `${dataDir()}-settings.json`,
    ]);
    expect([exit.code, JSON.parse(text)]).toEqual([0, expect.objectContaining({ problems: [] })]);
  });
});
