import { expect, test } from "vitest";
import { createLog } from "../../../src/base/index.js";
import {
  CameraNotes,
  CameraStreams,
  SOURCE_LINGER_MS,
  type StreamAddress,
  type StreamSource,
} from "../../../src/camera/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import type { FrameSink } from "../../../src/live/index.js";
import type { Camera } from "../../../src/site/index.js";
import { liveFrame } from "../../support/api/api-frames.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { noDevices } from "../../support/camera/camera-devices.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const LINGER_US = SOURCE_LINGER_MS * 1000;
const SINK: FrameSink = { onFrame: () => undefined };
const RECORDING = { fromGop: false, atOnce: false };

class FakeSource implements StreamSource {
  state: "made" | "started" | "stopped" = "made";
  constructor(readonly address: StreamAddress) {}
  start(): void {
    this.state = "started";
  }
  async stop(): Promise<void> {
    this.state = "stopped";
  }
}

function setUp(cameras: readonly Camera[]) {
  const site = new MemorySite(cameras);
  const clock = new SimulatedClock();
  const log = createLog({ level: "silent" });
  const sources: FakeSource[] = [];
  const devices = noDevices({ site, clock, log });
  const streams = new CameraStreams({
    site,
    clock,
    log,
    devices,
    createSource: (address) => {
      const source = new FakeSource(address);
      sources.push(source);
      return source;
    },
  });
  streams.start();
  return { site, clock, sources, streams, notes: devices.notes };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("what a stream is, is learned from its frames, without a new revision, and kept over a restart", async () => {
  const camera = testCamera();
  const { site, streams, notes } = setUp([camera]);
  const stream = streams.stream(camera.id, "Main");
  const { revision } = site.current;
  expect(notes.formatOf(camera, "Main")).toBeUndefined();
  stream?.publish(liveFrame(0, { codec: Codec.H265, key: true }));
  stream?.publish(liveFrame(1, { codec: Codec.H265 }));
  expect(notes.formatOf(camera, "Main")).toBe("Hevc");
  const { formatsRevision } = notes;
  stream?.publish(liveFrame(2, { codec: Codec.MPEG4, key: true }));
  expect(notes.formatOf(camera, "Main")).toBe("MPEG4_Part2");
  expect([notes.formatsRevision > formatsRevision, site.current.revision]).toEqual([true, revision]);
});

test("what was learned of cameras is read again, and at another address it does not count", async () => {
  const dataDir = await temporaryDirectory();
  const clock = new SimulatedClock();
  const log = createLog({ level: "silent" });
  const camera = testCamera();
  const before = new CameraNotes({ dataDir, clock, log });
  before.learnFormat(camera, "Main", "Hevc");
  before.learn(camera, { streamsTookDigest: true });
  await before.stop();
  const after = new CameraNotes({ dataDir, clock, log });
  after.start();
  expect(after.of(camera)).toMatchObject({ formats: { Main: "Hevc" }, streamsTookDigest: true });
  const moved = { ...camera, connection: { ...camera.connection, hostname: "rtsp://192.0.2.99/x" } };
  expect(after.formatOf(moved, "Main")).toBeUndefined();
});

test("a stream nobody subscribes to is not connected", async () => {
  const { sources } = setUp([testCamera()]);
  await settle();
  expect(sources).toEqual([]);
});

test("the first subscriber connects the source, the last one's leaving disconnects it after the linger", async () => {
  const camera = testCamera();
  const { clock, sources, streams } = setUp([camera]);
  const subscription = streams.stream(camera.id, "Main")?.subscribe(SINK, RECORDING);
  await settle();
  expect(sources.map((source) => source.state)).toEqual(["started"]);
  subscription?.close();
  clock.advance(LINGER_US - 1000);
  await settle();
  expect(sources[0]?.state).toBe("started");
  clock.advance(2000);
  await settle();
  expect(sources[0]?.state).toBe("stopped");
});

test("a viewer who comes back within the linger finds the same connection", async () => {
  const camera = testCamera();
  const { clock, sources, streams } = setUp([camera]);
  const stream = streams.stream(camera.id, "Main");
  stream?.subscribe(SINK, RECORDING).close();
  clock.advance(LINGER_US / 2);
  stream?.subscribe(SINK, RECORDING);
  clock.advance(LINGER_US * 2);
  await settle();
  expect(sources.map((source) => source.state)).toEqual(["started"]);
});

test("a changed address reconnects that camera and no other", async () => {
  const [one, other] = [testCamera(), testCamera()];
  const { site, sources, streams } = setUp([one, other]);
  streams.stream(one.id, "Main")?.subscribe(SINK, RECORDING);
  streams.stream(other.id, "Main")?.subscribe(SINK, RECORDING);
  await settle();
  await site.setCameras([
    { ...one, connection: { ...one.connection, hostname: "rtsp://127.0.0.1:9/new" } },
    other,
  ]);
  await settle();
  expect(sources.map((source) => [source.address.url, source.state])).toEqual([
    ["rtsp://127.0.0.1:9/main", "stopped"],
    ["rtsp://127.0.0.1:9/main", "started"],
    ["rtsp://127.0.0.1:9/new", "started"],
  ]);
});

test("a renamed camera keeps its connection", async () => {
  const camera = testCamera();
  const { site, sources, streams } = setUp([camera]);
  streams.stream(camera.id, "Main")?.subscribe(SINK, RECORDING);
  await site.setCameras([{ ...camera, name: "Gate" }]);
  await settle();
  expect(sources.map((source) => source.state)).toEqual(["started"]);
});

test("a disabled camera has no streams and its source is stopped", async () => {
  const camera = testCamera();
  const { site, sources, streams } = setUp([camera]);
  streams.stream(camera.id, "Main")?.subscribe(SINK, RECORDING);
  await settle();
  await site.setCameras([{ ...camera, disabled: true }]);
  await settle();
  expect(streams.stream(camera.id, "Main")).toBeUndefined();
  expect(sources[0]?.state).toBe("stopped");
});

test("a further stream is found at the URL in its VideoAdditionalParams", async () => {
  const base = testCamera();
  const camera: Camera = {
    ...base,
    connection: {
      ...base.connection,
      streams: {
        ...base.connection.streams,
        Alternative: {
          ...base.connection.streams.Alternative,
          enabled: true,
          additionalParams: "rtsp://127.0.0.1:9/sub",
        },
      },
    },
  };
  const { sources, streams } = setUp([camera]);
  streams.stream(camera.id, "Alternative")?.subscribe(SINK, RECORDING);
  await settle();
  expect(sources.map((source) => source.address.url)).toEqual(["rtsp://127.0.0.1:9/sub"]);
});

test("stopping closes every source and leaves no timer", async () => {
  const camera = testCamera();
  const { clock, sources, streams } = setUp([camera]);
  streams.stream(camera.id, "Main")?.subscribe(SINK, RECORDING).close();
  await settle();
  await streams.stop();
  expect(sources[0]?.state).toBe("stopped");
  expect(clock.timers).toBe(0);
});
