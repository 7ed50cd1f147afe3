import { describe, expect, test } from "vitest";
import { createLog } from "../../../src/base/index.js";
import {
  ASK_AGAIN_MS,
  CameraFailure,
  CameraStreams,
  type DeviceDescription,
  DeviceSetup,
  deviceModels,
  type InspectDevice,
  ONVIF_MODEL,
  type StreamAddress,
  type StreamSource,
} from "../../../src/camera/index.js";
import type { LiveStream } from "../../../src/live/index.js";
import { type Camera, type ConnectionOptions, DEFAULT_CAMERA_OPTIONS } from "../../../src/site/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { description, IDENTITY, profile, SMALL } from "../../support/camera/device-description.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const SECOND_US = 1_000_000;
const RECORDING = { fromGop: false, atOnce: false };

class FakeSource implements StreamSource {
  isOn = false;
  constructor(
    readonly address: StreamAddress,
    readonly stream: LiveStream,
  ) {}
  start(): void {
    this.isOn = true;
  }
  async stop(): Promise<void> {
    this.isOn = false;
  }
}

interface CameraChange extends Partial<Camera["connection"]> {
  readonly alternative?: Partial<Camera["connection"]["streams"]["Alternative"]>;
  readonly main?: Partial<Camera["connection"]["streams"]["Main"]>;
  readonly kept?: Partial<ConnectionOptions>;
}

function onvifCamera({ alternative, main, kept, ...change }: CameraChange = {}): Camera {
  const base = testCamera();
  const { streams } = base.connection;
  return {
    ...base,
    kept: { ...DEFAULT_CAMERA_OPTIONS, connection: { ...DEFAULT_CAMERA_OPTIONS.connection, ...kept } },
    connection: {
      ...base.connection,
      modelId: ONVIF_MODEL.id,
      hostname: "192.0.2.7",
      ...change,
      streams: {
        ...streams,
        Main: { ...streams.Main, ...main },
        Alternative: {
          ...streams.Alternative,
          ...(alternative === undefined ? {} : { enabled: true, ...alternative }),
        },
      },
    },
  };
}

const TWO = [profile("small", SMALL), profile("big")];

/** What the device answers: changed by a test while it goes on. */
type Answer = () => DeviceDescription | CameraFailure;

function setUp(cameras: readonly Camera[], answer: Answer, dataDir?: string) {
  const site = new MemorySite(cameras);
  const clock = new SimulatedClock();
  const log = createLog({ level: "silent" });
  const sources: FakeSource[] = [];
  const asked: string[] = [];
  const inspect: InspectDevice = async ({ address }) => {
    asked.push(address);
    const given = answer();
    if (given instanceof CameraFailure) throw given;
    return given;
  };
  const parts = { site, clock, log, inspect, ...(dataDir === undefined ? {} : { dataDir }) };
  const { devices, memory } = testDevices(parts);
  if (dataDir !== undefined) memory.start();
  const createSource = (address: StreamAddress, stream: LiveStream): FakeSource => {
    const source = new FakeSource(address, stream);
    sources.push(source);
    return source;
  };
  const streams = new CameraStreams({ site, devices, createSource, clock, log });
  const setup = new DeviceSetup({ site, devices, clock, log });
  setup.start();
  streams.start();
  for (const camera of cameras) {
    for (const type of ["Main", "Alternative"] as const) {
      streams.stream(camera.id, type)?.subscribe({ onFrame: () => undefined }, RECORDING);
    }
  }
  const connected = (): string[] => sources.filter(({ isOn }) => isOn).map(({ address }) => address.url);
  return { site, clock, sources, asked, streams, setup, memory, connected };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function later(clock: SimulatedClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(SECOND_US);
    await settle();
  }
}

describe("an ONVIF camera", () => {
  test("is asked once for all its streams, and each is connected where it says", async () => {
    const { asked, connected } = setUp([onvifCamera({ alternative: {} })], () => description(TWO));
    await settle();
    expect(asked).toEqual(["192.0.2.7"]);
    expect(connected()).toEqual(["rtsp://192.0.2.7/big", "rtsp://192.0.2.7/small"]);
  });

  test("with several sources is several cameras behind one question", async () => {
    const second = profile("second", { channelNumber: 2 });
    const cameras = [1, 2].map((multiChannelServerChannelNumber) =>
      onvifCamera({ kept: { multiChannelServerEnabled: true, multiChannelServerChannelNumber } }),
    );
    const { asked, connected } = setUp(cameras, () => description([...TWO, second]));
    await settle();
    expect(asked).toHaveLength(1);
    expect(connected()).toEqual(["rtsp://192.0.2.7/big", "rtsp://192.0.2.7/second"]);
  });

  test("that does not answer is lost with the device's reason, and recorded when it does", async () => {
    let answer: ReturnType<Answer> = new CameraFailure("unreachable", "192.0.2.7 cannot be reached");
    const camera = onvifCamera();
    const { clock, streams, connected } = setUp([camera], () => answer);
    await settle();
    const state = () => streams.stream(camera.id, "Main")?.state;
    expect(state()).toEqual({ state: "lost", cause: "unreachable", reason: "192.0.2.7 cannot be reached" });
    answer = description(TWO);
    await later(clock, 15);
    expect(connected()).toEqual(["rtsp://192.0.2.7/big"]);
  });

  test.each([
    ["not-activated", "not-activated"],
    ["locked", "unauthorized"],
    ["insecure", "insecure"],
    ["not-onvif", "no-stream"],
  ] as const)("whose device fails as %s is lost as %s", async (kind, cause) => {
    const camera = onvifCamera();
    const { streams } = setUp([camera], () => new CameraFailure(kind, "why"));
    await settle();
    expect(streams.stream(camera.id, "Main")?.state).toEqual({ state: "lost", cause, reason: "why" });
  });

  test("that has no profile left for a stream says so, and its other stream is connected", async () => {
    const camera = onvifCamera({ alternative: {} });
    const { streams, connected } = setUp([camera], () => description([profile("big")]));
    await settle();
    expect(connected()).toEqual(["rtsp://192.0.2.7/big"]);
    expect(streams.stream(camera.id, "Alternative")?.state).toMatchObject({
      state: "lost",
      cause: "no-stream",
    });
  });

  test.each([
    "rtsp://192.0.2.7:99999/",
    "http://192.0.2.7/",
    "rtsp:///",
    `rtsp://192.0.2.7/${"x".repeat(5000)}`,
  ])("that gives an address which is none is lost, and nothing else happens", async (streamUri) => {
    const camera = onvifCamera();
    const { streams, sources } = setUp([camera], () => description([profile("big", { streamUri })]));
    await settle();
    expect(streams.stream(camera.id, "Main")?.state).toMatchObject({ state: "lost", cause: "no-stream" });
    expect(sources).toEqual([]);
  });

  test("is asked again when its stream is gone, and only the stream that moved is connected anew", async () => {
    let profiles = TWO;
    const camera = onvifCamera({ alternative: {} });
    const { clock, asked, sources, streams, connected } = setUp([camera], () => description(profiles));
    await settle();
    profiles = [profile("small", SMALL), profile("big", { streamUri: "rtsp://192.0.2.7/moved" })];
    const lost = { state: "lost", reason: "no stream at this address", cause: "no-stream" } as const;
    streams.stream(camera.id, "Main")?.setState(lost);
    await later(clock, ASK_AGAIN_MS / 1000 + 1);
    expect(asked).toHaveLength(2);
    expect(connected()).toEqual(["rtsp://192.0.2.7/small", "rtsp://192.0.2.7/moved"]);
    expect(sources).toHaveLength(3);
  });

  test("is asked again while its stream stays lost, for the same reason too, each time later", async () => {
    const camera = onvifCamera();
    let path = "old";
    const answer = (): DeviceDescription =>
      description([profile("big", { streamUri: `rtsp://192.0.2.7/${path}` })]);
    const { clock, streams, asked, connected } = setUp([camera], answer);
    await later(clock, 1);
    const stream = streams.stream(camera.id, "Main");
    const gone = (): void => stream?.setState({ state: "lost", reason: "404", cause: "no-stream" });
    for (let second = 0; second < 600; second += 1) {
      gone();
      await later(clock, 1);
    }
    // After 30, 60, 120, 240 s.
    expect(asked.length).toBeGreaterThanOrEqual(4);
    expect(asked.length).toBeLessThanOrEqual(6);
    path = "new";
    for (let second = 0; second < 600 && !connected().join().includes("new"); second += 1) {
      gone();
      await later(clock, 1);
    }
    expect(connected()).toEqual(["rtsp://192.0.2.7/new"]);
  });

  test("that gives no stream address any more keeps the one that it gave", async () => {
    let streamUri: string | undefined = "rtsp://192.0.2.7/one";
    const camera = onvifCamera();
    const { clock, streams, asked, connected } = setUp([camera], () =>
      description([profile("big", { streamUri })]),
    );
    await later(clock, 1);
    streamUri = undefined;
    streams.stream(camera.id, "Main")?.setState({ state: "lost", reason: "gone", cause: "interrupted" });
    await later(clock, 40);
    expect(asked.length).toBeGreaterThan(1);
    expect(connected()).toEqual(["rtsp://192.0.2.7/one"]);
  });

  test("with a wrong password is asked once in the first minute, by device and streams together", async () => {
    const camera = onvifCamera({ login: "viewer", password: "wrong", alternative: {} });
    const refusal = new CameraFailure("unauthorized", "the camera refuses user name or password");
    const { clock, asked, site } = setUp([camera], () => refusal);
    await later(clock, 59);
    expect(asked).toHaveLength(1);
    await site.setCameras([{ ...camera, connection: { ...camera.connection, password: "another" } }]);
    await settle();
    expect(asked).toHaveLength(2);
  });

  describe("whose device fails what needs a login, without a reason", () => {
    const unclear = new CameraFailure("login-unclear", "check user and password", { loginTries: 2 });
    const LOGIN = { login: "viewer", password: "Camera-secret-4" };

    test("is asked twice in the first minutes, and then each twenty", async () => {
      const camera = onvifCamera(LOGIN);
      const { clock, asked, streams } = setUp([camera], () => unclear);
      await later(clock, 119);
      expect(asked).toHaveLength(1);
      expect(streams.stream(camera.id, "Main")?.state).toMatchObject({ cause: "unauthorized" });
      await later(clock, 600);
      expect(asked).toHaveLength(2);
    });

    test("and took the login before, is asked again soon: it may be starting", async () => {
      let answer: ReturnType<Answer> = description(TWO);
      const camera = onvifCamera(LOGIN);
      const { clock, asked, streams } = setUp([camera], () => answer);
      await settle();
      answer = unclear;
      streams
        .stream(camera.id, "Main")
        ?.setState({ state: "lost", reason: "refuses the connection", cause: "unreachable" });
      await later(clock, ASK_AGAIN_MS / 1000 + 10);
      expect(asked.length).toBeGreaterThanOrEqual(3);
    });
  });

  test("is written down as its device shows it", async () => {
    const camera = onvifCamera({ findStreams: true });
    const { clock, site, setup } = setUp([camera], () => description(TWO));
    await later(clock, 2);
    await setup.stop();
    const [{ connection } = camera] = site.current.cameras;
    expect(connection.deviceIdentity).toBe(IDENTITY);
    expect(connection.streams.Alternative).toMatchObject({ enabled: true, profileToken: "small" });
    expect(site.current.revision).toBe(2);
  });
});

describe("settings", () => {
  const urlWith = async (change: CameraChange, profiles = TWO): Promise<readonly string[]> => {
    const { connected } = setUp([onvifCamera(change)], () => description(profiles));
    await settle();
    return connected();
  };

  test("stream parameters go into the query of the address, or replace it whole", async () => {
    const asked = profile("big", { streamUri: "rtsp://192.0.2.7/live?profile=1" });
    expect(await urlWith({ main: { additionalParams: "fps=5&x=1" } })).toEqual([
      "rtsp://192.0.2.7/big?fps=5&x=1",
    ]);
    expect(await urlWith({ main: { additionalParams: "?fps=5" } }, [asked])).toEqual([
      "rtsp://192.0.2.7/live?profile=1&fps=5",
    ]);
    expect(await urlWith({ main: { additionalParams: "rtsp://192.0.2.9/x" } })).toEqual([
      "rtsp://192.0.2.9/x",
    ]);
  });

  test("a secure connection takes rtsps:// as the device says, else the same path at the port for it", async () => {
    const kept = { secureConnectionOnly: true };
    const secure = profile("big", { streamUri: "rtsps://192.0.2.7:443/s" });
    expect(await urlWith({ kept }, [secure])).toEqual(["rtsps://192.0.2.7:443/s"]);
    expect(await urlWith({ kept })).toEqual(["rtsps://192.0.2.7:322/big"]);
    expect(
      await urlWith({ kept: { ...kept, externalPorts: [{ integratedPort: 322, externalPort: 10322 }] } }),
    ).toEqual(["rtsps://192.0.2.7:10322/big"]);
  });

  test("a path model is connected without ONVIF, by channel, at the port a router maps", async () => {
    const model = deviceModels().find((one) => one.manufacturer === "Dahua" && one.connection === "path");
    const kept = {
      multiChannelServerEnabled: true,
      multiChannelServerChannelNumber: 3,
      externalPorts: [{ integratedPort: 554, externalPort: 5554 }],
    };
    const camera = onvifCamera({ modelId: model?.id ?? "", hostname: "cam.local", kept, alternative: {} });
    const { asked, connected } = setUp([camera], () => description([]));
    await settle();
    expect(asked).toEqual([]);
    expect(connected()).toEqual([
      "rtsp://cam.local:5554/cam/realmonitor?channel=3&subtype=0",
      "rtsp://cam.local:5554/cam/realmonitor?channel=3&subtype=1",
    ]);
  });

  test("an address without TLS is not connected where only secure connections are allowed", async () => {
    const base = testCamera();
    const kept = { ...DEFAULT_CAMERA_OPTIONS.connection, secureConnectionOnly: true };
    const camera = { ...base, kept: { ...DEFAULT_CAMERA_OPTIONS, connection: kept } };
    const { streams, connected } = setUp([camera], () => description([]));
    await settle();
    expect(connected()).toEqual([]);
    expect(streams.stream(camera.id, "Main")?.state).toMatchObject({ state: "lost", cause: "insecure" });
  });

  test("IPv6 is a part of the address, off unless it is switched on", async () => {
    const [off, on] = [onvifCamera(), onvifCamera({ kept: { ipv6Enabled: true } })];
    const { sources } = setUp([off, on], () => description(TWO));
    await settle();
    expect(sources.map(({ address }) => address.ipv4Only)).toEqual([true, false]);
  });
});

test("after a restart a camera is connected at once where it was, and asked later", async () => {
  const directory = await temporaryDirectory();
  const camera = onvifCamera();
  const first = setUp([camera], () => description(TWO), directory);
  await settle();
  await first.streams.stop();
  await first.memory.stop();
  const second = setUp([camera], () => new CameraFailure("unreachable", "away"), directory);
  await settle();
  expect(second.connected()).toEqual(["rtsp://192.0.2.7/big"]);
  expect(second.asked).toEqual([]);
  await later(second.clock, 6);
  expect(second.asked).toHaveLength(1);
  expect(second.connected()).toEqual(["rtsp://192.0.2.7/big"]);
});
