import { chmodSync, writeFileSync } from "node:fs";
import { ONVIF_MODEL } from "../../../src/camera/index.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { inNamespace, NetworkLan } from "../camera/network-lan.js";
import { Mosquitto } from "../mqtt/brokers.js";
import { addGuest, GUEST, OnvifHouse } from "../onvif/onvif-house.js";
import { GstTalkCamera } from "../rtsp/gst-talk-camera.js";
import { freePorts } from "./background-process.js";
import { PROGRAM } from "./program.js";
import { checkOffline, Service } from "./service.js";

const EVERYWHERE = "0.0.0.0";
/** The recorder that has the camera: its host in both networks. */
const NEAR_HOST = 2;
/** The recorder that has the first one as its camera. */
const FAR_HOST = 3;
/** Short ones, so that what was recorded is soon in the index. */
const SEGMENT_SECONDS = 5;

/** A recorder on a host of its own, which has one camera. */
export interface Neighbour {
  readonly service: Service;
  readonly dataDir: string;
  /** Its id. */
  readonly id: string;
  /** The channel of its camera. */
  readonly channelId: string;
}

/**
 * A camera with a card and a loudspeaker, a recorder `near` that records it, a recorder `far` that records the first one, and
 * mosquitto. The camera is in one network with the first recorder; everything else is in another one.
 */
export class Neighbours {
  readonly directory: TemporaryDirectory;
  /** The camera: a recorder's ONVIF device. */
  readonly camera: OnvifHouse;
  readonly loudspeaker: GstTalkCamera;
  readonly broker: Mosquitto;
  readonly near: Neighbour;
  readonly far: Neighbour;
  /** At the first recorder: the camera's loudspeaker. */
  readonly loudspeakerId: string;
  readonly #cameras: NetworkLan;
  readonly #close: () => Promise<void>;

  private constructor(
    parts: Omit<Neighbours, "cut" | "mend" | "stopRecorders" | "check" | "close"> & {
      readonly cameras: NetworkLan;
      readonly close: () => Promise<void>;
    },
  ) {
    this.directory = parts.directory;
    this.camera = parts.camera;
    this.loudspeaker = parts.loudspeaker;
    this.broker = parts.broker;
    this.near = parts.near;
    this.far = parts.far;
    this.loudspeakerId = parts.loudspeakerId;
    this.#cameras = parts.cameras;
    this.#close = parts.close;
  }

  /** Resolves when both recorders record. */
  static async start(): Promise<Neighbours> {
    const ends: (() => unknown)[] = [];
    const close = async (): Promise<void> => {
      for (const end of ends.splice(0).reverse()) await end();
    };
    const parting = <T>(part: T, end: (part: T) => unknown): T => {
      ends.push(() => end(part));
      return part;
    };
    try {
      const directory = parting(new TemporaryDirectory("neighbours"), (it) => it.remove());
      const cameras = parting(new NetworkLan(), (it) => it.close());
      const recorders = parting(new NetworkLan(), (it) => it.close());
      const nearHost = cameras.host(NEAR_HOST);
      recorders.join(nearHost, NEAR_HOST);
      const farHost = recorders.host(FAR_HOST);
      const settings = { segmentSeconds: SEGMENT_SECONDS };
      const camera = parting(await OnvifHouse.create(settings, EVERYWHERE), (it) => it.close());
      const loudspeaker = parting(await GstTalkCamera.start(cameras.plain(1)), (it) => it.stop());
      const broker = await Mosquitto.create({ address: recorders.plain(1) });
      await broker.start();
      parting(broker, (it) => it.stop());
      const recorder = async (name: string, host: string, number: number) => {
        const program = startingIn(host, directory.join(`start-${name}`));
        const [rtspPort = 0] = await freePorts(1);
        const service = await Service.start({
          ...{ dataDir: directory.join(name), program, listen: EVERYWHERE, rtspPort },
          address: recorders.plain(number),
          settings: {
            ...{ ...settings, volumes: [{ path: directory.join(`${name}-volume`) }] },
            ...{ mqttUrl: broker.url, mqttUser: "root" },
            ...{ onvifUsers: [GUEST.login], onvifDiscovery: "off" },
          },
        });
        return parting(service, (it) => it.stop());
      };
      const nearService = await recorder("near", nearHost, NEAR_HOST);
      const farService = await recorder("far", farHost, FAR_HOST);
      const near = await recording(nearService, `${cameras.plain(1)}:${camera.service.httpPort}`);
      const speaker = { name: "Loudspeaker", url: loudspeaker.url("pcmu"), soundVolume: 100 };
      const [loudspeakerId = ""] = await nearService.addCameras([
        { ...speaker, format: "MJPEG", archivingDisabled: true },
      ]);
      await addGuest(nearService, near.channelId);
      const far = await recording(farService, `${nearService.address}:${nearService.httpPort}`);
      const parts = { directory, camera, loudspeaker, broker, near, far, loudspeakerId };
      return new Neighbours({ ...parts, cameras, close });
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Pulls the cable between the camera's network and the first recorder. */
  cut(): void {
    this.#cameras.cut(NEAR_HOST);
  }

  mend(): void {
    this.#cameras.mend(NEAR_HOST);
  }

  async stopRecorders(): Promise<void> {
    await this.far.service.stop();
    await this.near.service.stop();
  }

  /** What `nvrd check` says of a recorder that is stopped. */
  check({ dataDir }: Neighbour): ReturnType<typeof checkOffline> {
    return checkOffline(dataDir, ["--config", `${dataDir}-settings.json`]);
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** A program that starts the service on a host. */
export function startingIn(namespace: string, file: string): string {
  writeFileSync(file, `#!/bin/sh\nexec nsenter ${inNamespace(namespace, [PROGRAM]).join(" ")} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Adds an ONVIF device as the recorder's camera, with its motion and its card, and waits until it is recorded. */
async function recording(service: Service, hostname: string): Promise<Neighbour> {
  const { SenderId: id } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  const camera = {
    Name: "Gate",
    ServerBindingsSettings: { OwnerServerId: id },
    ConnectionSettings: {
      ...{ ModelId: ONVIF_MODEL.id, Hostname: hostname, Login: GUEST.login, Password: GUEST.password },
      IoProcessingEnabled: true,
    },
    AnalyzeSettings: {
      MotionDetectorEnabled: true,
      MotionDetectorSettings: {
        BuildInCameraDetectorEnabled: true,
        GenerationOfEventMotionStartAndEndEnabled: true,
      },
    },
    ArchiveSettings: {
      ...{ ArchivingMode: "AlwaysOn", DeviceArchiveEnabled: true },
      DeviceArchiveAutoSynchronizationEnabled: true,
    },
  };
  const { CreatedObjectsIds } = await service.json<{ CreatedObjectsIds: string[] }>("/configure/channels", {
    method: "POST",
    body: [camera],
  });
  const [channelId = ""] = CreatedObjectsIds;
  await service.recorded([channelId], 2_000_000);
  return { service, dataDir: service.dataDir, id, channelId };
}
