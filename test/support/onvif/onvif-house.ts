import { ONVIF_MODEL } from "../../../src/camera/index.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { OnvifCamera } from "../camera/onvif-camera.js";
import { until } from "../event/service-events.js";
import { freePorts } from "../service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../service/paced-source.js";
import { ROOT_PASSWORD, Service, type ServiceOptions } from "../service/service.js";
import { ask } from "./soap-questions.js";

const ROOT = { login: "root", password: ROOT_PASSWORD };
const CAMERA_PASSWORD = "Camera-secret-9";

/** Smaller than the first stream's, so that who asks for the largest gets that, whatever rates the recorder has measured by then. */
const SECOND_CLIP = { ...SMALL_CLIP, width: 160, height: 120, kilobitsPerSecond: 200 };

/** Of the user who sees the camera Gate alone, and may use ONVIF. */
export const GUEST = { login: "guest", password: "A guest's sentence" } as const;

/** A house with two cameras and a recorder that is an ONVIF device, for root and for a guest who sees one camera. */
export class OnvifHouse {
  readonly directory: TemporaryDirectory;
  readonly rtspPort: number;
  /** The camera Gate: two streams, PTZ, events. */
  readonly camera: OnvifCamera;
  readonly gateId: string;
  readonly hiddenId: string;
  readonly #sources: readonly PacedSource[];
  readonly #options: ServiceOptions;
  #service: Service;

  private constructor(
    parts: Pick<OnvifHouse, "directory" | "service" | "rtspPort" | "camera" | "gateId" | "hiddenId"> & {
      readonly sources: readonly PacedSource[];
      readonly options: ServiceOptions;
    },
  ) {
    this.directory = parts.directory;
    this.#service = parts.service;
    this.#options = parts.options;
    this.rtspPort = parts.rtspPort;
    this.camera = parts.camera;
    this.gateId = parts.gateId;
    this.hiddenId = parts.hiddenId;
    this.#sources = parts.sources;
  }

  /** `listen`: where the recorder listens; default: on loopback alone. */
  static async create(
    settings: Readonly<Record<string, unknown>> = {},
    listen = "127.0.0.1",
  ): Promise<OnvifHouse> {
    const directory = new TemporaryDirectory("onvif-house");
    const sources = await PacedSource.start(2, SMALL_CLIP);
    const second = await PacedSource.start(1, SECOND_CLIP);
    const camera = await OnvifCamera.start({
      rtspUrl: ({ token }) => (token === "profile_2" ? second : sources).url(0),
      login: "viewer",
      password: CAMERA_PASSWORD,
      ptz: true,
    });
    const [rtspPort = 0] = await freePorts(1);
    const options = {
      dataDir: directory.join("data"),
      listen,
      rtspPort,
      settings: { onvifUsers: ["root", GUEST.login], onvifDiscovery: "off", ...settings },
    };
    const service = await Service.start(options);
    const gateId = await addGate(service, camera);
    const [hiddenId = ""] = await service.addCameras([{ name: "Hidden", url: sources.url(1) }]);
    await addGuest(service, gateId);
    // Its streams are found at the first contact.
    await service.recorded([gateId], 500_000);
    const origin = `http://127.0.0.1:${service.httpPort}`;
    const hasBoth = async () =>
      (await ask(origin, "media_service", "GetProfiles", { login: ROOT })).text.includes(
        `${gateId}_Alternative`,
      );
    await until(service, "both streams of the camera", hasBoth);
    return new OnvifHouse({
      directory,
      service,
      rtspPort,
      camera,
      gateId,
      hiddenId,
      sources: [sources, second],
      options,
    });
  }

  get service(): Service {
    return this.#service;
  }

  /** The recorder goes and comes back, at the same address. */
  async restart(): Promise<void> {
    const { httpPort } = this.#service;
    await this.#service.stop();
    this.#service = await Service.start({ ...this.#options, httpPort });
  }

  get address(): string {
    return `127.0.0.1:${this.service.httpPort}`;
  }

  /** The camera reports motion, or its end. */
  move(isMoving: boolean): void {
    this.camera.emit({
      topic: "tns1:RuleEngine/CellMotionDetector/Motion",
      source: { VideoSourceConfigurationToken: "vsc_1", Rule: "Door" },
      data: { IsMotion: String(isMoving) },
    });
  }

  async close(): Promise<void> {
    await this.service.stop();
    await this.camera.stop();
    for (const source of this.#sources) await source.stop();
    this.directory.remove();
  }
}

async function addGate(service: Service, camera: OnvifCamera): Promise<string> {
  const { SenderId } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  const gate = {
    Name: "Gate",
    ServerBindingsSettings: { OwnerServerId: SenderId },
    ConnectionSettings: {
      ...{ ModelId: ONVIF_MODEL.id, Hostname: camera.address, Login: "viewer", Password: CAMERA_PASSWORD },
      ...{ PtzEnabled: true, IoProcessingEnabled: true },
    },
    AnalyzeSettings: {
      MotionDetectorEnabled: true,
      MotionDetectorSettings: {
        BuildInCameraDetectorEnabled: true,
        GenerationOfEventMotionStartAndEndEnabled: true,
      },
    },
  };
  const { CreatedObjectsIds } = await service.json<{ CreatedObjectsIds: string[] }>("/configure/channels", {
    method: "POST",
    body: [gate],
  });
  return CreatedObjectsIds[0] ?? "";
}

/** A user who sees one camera, and may use ONVIF where the settings allow it. */
export async function addGuest(service: Service, gateId: string): Promise<void> {
  const group = {
    Name: "Guests",
    Rights: { CanPTZ: true, CanReceiveMainStream: true, CanReceiveSound: true },
    ChannelsAccessOptions: { ChannelsRealtimeAllowed: [gateId], ChannelsArchiveAllowed: [gateId] },
  };
  const { CreatedObjectsIds } = await service.json<{ CreatedObjectsIds: string[] }>("/configure/groups", {
    method: "POST",
    body: [group],
  });
  await service.json("/configure/users", {
    method: "POST",
    body: [{ Name: GUEST.login, GroupId: CreatedObjectsIds[0], Password: GUEST.password }],
  });
}
