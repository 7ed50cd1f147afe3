import { expect, test } from "vitest";
import type { ArchiveAccess } from "../../../src/archive/segment/types.js";
import type { StreamType } from "../../../src/base/kinds/stream-type.js";
import { createLog } from "../../../src/base/log/log.js";
import type { Guid } from "../../../src/base/value/guid.js";
import { CameraStreams } from "../../../src/camera/stream/camera-streams.js";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { ManualSwitches } from "../../../src/recording/manual-switches.js";
import { MotionStates } from "../../../src/recording/motion/motion-states.js";
import { Recorder } from "../../../src/recording/recorder.js";
import { EventSources } from "../../../src/service/report/event-sources.js";
import { CONFIRM_MS } from "../../../src/service/report/steady-state.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { noDevices } from "../../support/camera/camera-devices.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";
import { syntheticFrame } from "../../support/media/synthetic-frames.js";
import { NotingArchive } from "../../support/recording/recorder-harness.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const log = createLog({ level: "silent" });

/** The parts of a recorder that follow the configuration, each made before the one it depends on. */
function madeBackwards() {
  const clock = new SimulatedClock();
  const site = new MemorySite();
  const archive = new NotingArchive();
  const events = new MemoryEventLog(clock);
  const motion = new MotionStates(clock);
  const manual = new ManualSwitches({ dataDir: "/nonexistent", log });
  const later: { streams?: CameraStreams } = {};
  const stream = (channelId: Guid, streamType: StreamType) => later.streams?.stream(channelId, streamType);
  const shared = { site, streams: { stream }, clock, log };
  const sources = new EventSources({ ...shared, events, noteReported: () => undefined });
  const recorder = new Recorder({ ...shared, archive: archive as unknown as ArchiveAccess, motion, manual });
  const devices = noDevices({ site, clock, log });
  const createSource = () => ({ start: () => undefined, stop: async () => undefined });
  const cameras = new CameraStreams({ site, clock, log, devices, createSource });
  later.streams = cameras;
  cameras.start();
  manual.start();
  recorder.start();
  sources.start();
  const stop = async (): Promise<void> => {
    sources.stop();
    await recorder.stop();
    await cameras.stop();
  };
  return { clock, site, archive, events, cameras, stop };
}

const parts = forEachTest(() => madeBackwards());

test("a recorder made before the streams records a camera that is added", async () => {
  const { site, cameras, archive } = parts;
  const camera = testCamera();
  await site.setCameras([camera]);
  cameras.stream(camera.id, "Main")?.publish(syntheticFrame({ decodeTimeUs: 1, key: true }));
  expect(archive.notes).toEqual(["Main video 1"]);
});

test("events made before the streams tell that a camera that is added is lost", async () => {
  const { site, cameras, events, clock } = parts;
  const camera = testCamera();
  await site.setCameras([camera]);
  cameras.stream(camera.id, "Main")?.setState({ state: "lost", reason: "no route to host" });
  clock.advance(CONFIRM_MS * 1000);
  expect(events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.cameraLost.id)).toHaveLength(1);
});
