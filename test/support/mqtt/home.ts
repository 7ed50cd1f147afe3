import { ONVIF_MODEL } from "../../../src/camera/index.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { OnvifCamera } from "../camera/onvif-camera.js";
import { PacedSource, SMALL_CLIP } from "../service/paced-source.js";
import { Service } from "../service/service.js";
import { Mosquitto } from "./brokers.js";

const PASSWORD = "Camera-secret-9";

/** A house: a camera with motion and presets, the recorder, and mosquitto between it and the rest. */
export class MqttHome {
  readonly directory = new TemporaryDirectory("mqtt-home");
  readonly broker: Mosquitto;
  readonly camera: OnvifCamera;
  readonly #sources: PacedSource;
  #service: Service | undefined;

  private constructor(broker: Mosquitto, camera: OnvifCamera, sources: PacedSource) {
    this.broker = broker;
    this.camera = camera;
    this.#sources = sources;
  }

  /** Everything but the recorder runs. */
  static async create(): Promise<MqttHome> {
    const broker = await Mosquitto.create();
    await broker.start();
    const sources = await PacedSource.start(2, SMALL_CLIP);
    const camera = await OnvifCamera.start({
      rtspUrl: ({ token }) => sources.url(token === "profile_2" ? 1 : 0),
      login: "viewer",
      password: PASSWORD,
      ptz: true,
    });
    return new MqttHome(broker, camera, sources);
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error("the recorder is not started");
    return this.#service;
  }

  async startRecorder(): Promise<void> {
    const settings = { mqttUrl: this.broker.url, mqttUser: "root" };
    this.#service = await Service.start({ dataDir: this.directory.join("data"), settings });
  }

  async stopRecorder(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  /** The camera as the channel Gate, whose recording users switch. Returns its id. */
  async addGate(): Promise<string> {
    const { SenderId } = await this.service.json<{ SenderId: string }>("/configex?responsetype=json");
    const gate = {
      Name: "Gate",
      ServerBindingsSettings: { OwnerServerId: SenderId },
      ConnectionSettings: {
        ...{ ModelId: ONVIF_MODEL.id, Hostname: this.camera.address, Login: "viewer", Password: PASSWORD },
        ...{ PtzEnabled: true, IoProcessingEnabled: true },
      },
      ArchiveSettings: { ArchivingMode: "OnlyManual" },
      AnalyzeSettings: {
        MotionDetectorEnabled: true,
        MotionDetectorSettings: {
          BuildInCameraDetectorEnabled: true,
          GenerationOfEventMotionStartAndEndEnabled: true,
        },
      },
    };
    const { CreatedObjectsIds } = await this.service.json<{ CreatedObjectsIds: string[] }>(
      "/configure/channels",
      { method: "POST", body: [gate] },
    );
    return CreatedObjectsIds[0] ?? "";
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
    await this.stopRecorder();
    await this.camera.stop();
    await this.#sources.stop();
    await this.broker.stop();
    this.directory.remove();
  }
}
