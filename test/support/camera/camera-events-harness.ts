import { createLog } from "../../../src/base/index.js";
import {
  type CameraEvent,
  CameraEvents,
  inspectDevice,
  NotificationConsumer,
  ONVIF_MODEL,
} from "../../../src/camera/index.js";
import { type Camera, DEFAULT_CAMERA_OPTIONS, type DetectorOptions } from "../../../src/site/index.js";
import { until } from "../api/api-harness.js";
import { ManualClock } from "../base/manual-clock.js";
import { MemorySite, testCamera } from "../site/memory-site.js";
import { testDevices } from "./camera-devices.js";
import { OnvifCamera, type OnvifCameraOptions } from "./onvif-camera.js";

/** The clock of the recorder goes so much faster than the real one: a minute takes one and a half seconds. */
const STEP_MS = 200;
const STEP_REAL_MS = 5;

const CELL_MOTION = {
  topic: "tns1:RuleEngine/CellMotionDetector/Motion",
  source: { VideoSourceConfigurationToken: "vsc_1", VideoAnalyticsConfigurationToken: "an", Rule: "Door" },
};
const GLOBAL_CHANGE = {
  topic: "tns1:VideoSource/GlobalSceneChange/ImagingService",
  source: { Source: "source_1" },
};
const TAMPER = { topic: "tns1:RuleEngine/TamperDetector/Tamper", source: { Rule: "Lens" } };
const INPUT = { topic: "tns1:Device/Trigger/DigitalInput", source: { InputToken: "DI_1" } };
export const moving = (on: boolean) => ({ ...CELL_MOTION, data: { IsMotion: String(on) } });
export const changed = (on: boolean) => ({ ...GLOBAL_CHANGE, data: { State: on ? "1" : "0" } });
export const tampered = (on: boolean) => ({ ...TAMPER, data: { IsTamper: String(on) } });
export const input = (on: boolean) => ({ ...INPUT, data: { LogicalState: String(on) } });

const cleanups: (() => unknown)[] = [];

/** Stops all that was started; for `afterEach`. */
export async function endCameraEvents(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export const DETECTOR: DetectorOptions = {
  cameraDetectorEnabled: true,
  startAndEndEventsEnabled: false,
  independentFramesOnly: false,
  customFrameRateEnabled: false,
  customFrameRate: 0,
  zonesJson: null,
};

function channel(
  device: OnvifCamera,
  number: number,
  options: { taken: boolean; password: string; secureOnly: boolean },
): Camera {
  const camera = testCamera({ name: `Channel ${number}` });
  const { connection, analyze } = DEFAULT_CAMERA_OPTIONS;
  return {
    ...camera,
    connection: {
      ...camera.connection,
      modelId: ONVIF_MODEL.id,
      hostname: device.address,
      login: "admin",
      password: options.password,
    },
    kept: {
      ...DEFAULT_CAMERA_OPTIONS,
      connection: {
        ...connection,
        secureConnectionOnly: options.secureOnly,
        ioProcessingEnabled: options.taken,
        multiChannelServerEnabled: true,
        multiChannelServerChannelNumber: number,
      },
      analyze: { ...analyze, motionDetector: options.taken ? DETECTOR : null },
    },
  };
}

export interface StartOptions extends OnvifCameraOptions {
  readonly given?: string;
  readonly channels?: number;
  readonly taken?: boolean;
  readonly secureOnly?: boolean;
  /** The setting; default: any port. */
  readonly cameraEventPort?: number;
}

/** The events of one scripted device, taken by a recorder whose clock goes faster. */
export async function startCameraEvents(options: StartOptions = {}) {
  const device = await OnvifCamera.start(options);
  cleanups.push(() => device.stop());
  device.pullPoints.waitMsMax = 20;
  const clock = new ManualClock();
  const logged: string[] = [];
  const log = createLog({ level: "info", destination: { write: (line) => void logged.push(line) } });
  const { taken = true, secureOnly = false, given: password = "Secret#1", channels = 1 } = options;
  const cameras = Array.from({ length: channels }, (_, at) =>
    channel(device, at + 1, { taken, password, secureOnly }),
  );
  const site = new MemorySite(cameras);
  const { devices, budgets } = testDevices({
    site,
    clock,
    log,
    inspect: ({ ipv4Only: _, ...access }) => inspectDevice(access),
  });
  cleanups.push(() => devices.stop());
  const consumer = new NotificationConsumer({ port: options.cameraEventPort ?? 0, log });
  const events = new CameraEvents({ site, devices, budgets, consumer, clock, random: () => 0, log });
  const reported: CameraEvent[] = [];
  const forgotten: string[] = [];
  const known: string[] = [];
  const gone: string[] = [];
  events.start({
    report: (event) => reported.push(event),
    know: (_, kind) => known.push(kind),
    forgetMotion: (id) => forgotten.push(id),
    forget: (id) => gone.push(id),
  });
  devices.follow(site.current);
  const [first] = cameras;
  if (first !== undefined)
    await until("the device to be known", () => devices.inspection(first)?.description !== undefined);
  const timer = setInterval(() => clock.advance(STEP_MS), STEP_REAL_MS);
  cleanups.push(() => clearInterval(timer));
  cleanups.push(() => events.stop());
  const words = (): string[] =>
    reported.map(({ channelId, kind, name, active, detail }) => {
      const number = cameras.findIndex(({ id }) => id === channelId) + 1;
      const state = active === undefined ? "happened" : active ? "on" : "off";
      return `${number} ${kind} ${name} ${state}${detail === "" ? "" : ` (${detail})`}`;
    });
  const received = (): number => logged.filter((line) => line.includes("are received")).length;
  const asked = (operation: string): number => device.calls.filter((call) => call.endsWith(operation)).length;
  const pass = async (ms: number): Promise<void> => {
    const endUs = clock.monotonicUs() + ms * 1000;
    await until(`${ms} ms to pass`, () => clock.monotonicUs() >= endUs);
  };
  return {
    device,
    clock,
    site,
    events,
    reported,
    words,
    known,
    gone,
    forgotten,
    logged,
    received,
    asked,
    pass,
    cameras,
  };
}
