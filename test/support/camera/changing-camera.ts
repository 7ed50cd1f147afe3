import { type Clock, createLog, newGuid, SystemClock } from "../../../src/base/index.js";
import { type Clip, ClipPlayer, clipLane } from "../../../src/demo/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { LiveStream } from "../../../src/live/index.js";
import { answeringAddresses, DiscoveryResponder } from "../../../src/onvif/index.js";
import { LiveMount, RtspServer } from "../../../src/rtsp/server/index.js";
import { MAIN_PROFILE, OnvifCamera, type OnvifCameraOptions, type ScriptedProfile } from "./onvif-camera.js";

const log = createLog({ level: "silent" });
/** Of the cameras' login. */
export const CAMERA_LOGIN = { login: "viewer", password: "Camera-secret-5" } as const;
const ENCODINGS = new Map<Codec, ScriptedProfile["encoding"]>([
  [Codec.H264, "H264"],
  [Codec.H265, "H265"],
  [Codec.MJPEG, "JPEG"],
]);

export interface ChangingCameraOptions {
  /** An address of 127.0.0.0/8. */
  readonly host: string;
  readonly uuid: string;
  readonly clip: Clip;
  /** The camera's clock less the machine's, milliseconds. */
  readonly clockOffsetMs?: number;
}

/** A camera with ONVIF, RTSP and discovery on loopback that can boot as another: place, clock, codec and resolution change. */
export class ChangingCamera {
  #options: ChangingCameraOptions;
  #onvif: OnvifCamera | undefined;
  #rtsp: RtspServer | undefined;
  #rtspPort = 0;
  #player: ClipPlayer | undefined;
  #responder: DiscoveryResponder | undefined;

  constructor(options: ChangingCameraOptions) {
    this.#options = options;
  }

  /** The device behind it: what was asked, what was refused. */
  get onvif(): OnvifCamera {
    if (this.#onvif === undefined) throw new Error("the camera has not booted yet");
    return this.#onvif;
  }

  /** Boots; with the ports it had before. */
  async boot(change: Partial<ChangingCameraOptions> = {}): Promise<void> {
    this.#options = { ...this.#options, ...change };
    const { host, uuid, clip, clockOffsetMs = 0 } = this.#options;
    const clock = shiftedClock(clockOffsetMs);
    const stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
    const lane = clipLane(clip);
    const mount = new LiveMount({ title: "Camera", stream, fromGop: false, formats: [lane.format] });
    this.#rtsp = new RtspServer({
      listen: host,
      port: this.#rtspPort,
      mounts: new Map([["/main", mount]]),
      credentials: { user: CAMERA_LOGIN.login, password: CAMERA_LOGIN.password },
      clock,
      log,
    });
    this.#rtspPort = (await this.#rtsp.start()).port;
    this.#player = new ClipPlayer({ stream, lanes: [lane], clock });
    this.#player.start();
    await this.#bootOnvif({ host, uuid, clockOffsetMs, clip });
    const announced = {
      identity: this.onvif.identity,
      scopes: ["onvif://www.onvif.org/name/Changing"],
      serviceUrl: () => `http://${this.onvif.address}/onvif/device_service`,
    };
    this.#responder = new DiscoveryResponder({
      addresses: () => answeringAddresses(host),
      devices: () => [announced],
      random: Math.random,
      ...{ clock, log },
    });
    await this.#responder.start();
  }

  /** Power is gone: connections end, ports close. */
  async powerOff(): Promise<void> {
    this.#player?.stop();
    await this.#rtsp?.stop();
    await this.#onvif?.stop();
    await this.#responder?.stop();
    this.#responder = undefined;
  }

  async #bootOnvif({ host, uuid, clockOffsetMs, clip }: Required<ChangingCameraOptions>): Promise<void> {
    const { width, height, framesPerSecond } = clip;
    const encoding = ENCODINGS.get(clip.codec) ?? "H264";
    const { audio: _sound, ...silent } = MAIN_PROFILE;
    const options: OnvifCameraOptions = {
      ...CAMERA_LOGIN,
      host,
      uuid,
      clockOffsetMs,
      auth: "token",
      rtspUrl: `rtsp://${host}:${this.#rtspPort}/main`,
      profiles: [{ ...silent, encoding, width, height, framesPerSecond }],
      ...(this.#onvif === undefined ? {} : { port: this.#onvif.port }),
    };
    this.#onvif = await OnvifCamera.start(options);
  }
}

/** The machine's clock, shown `offsetMs` later. */
function shiftedClock(offsetMs: number): Clock {
  const clock = new SystemClock();
  return {
    nowUs: () => clock.nowUs() + offsetMs * 1000,
    monotonicUs: () => clock.monotonicUs(),
    setTimeout: (work, delayMs) => clock.setTimeout(work, delayMs),
    setInterval: (work, periodMs) => clock.setInterval(work, periodMs),
  };
}
