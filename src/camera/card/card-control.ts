import { type Clock, type Guid, type Log, NvrdError, US_PER_MS } from "../../base/index.js";
import type { SlabPool } from "../../live/index.js";
import {
  type LoginTurn,
  NetworkDialer,
  parseRtspUrl,
  RTSP_TIMEOUTS_DEFAULT,
  RtspFailure,
  RtspReplay,
} from "../../rtsp/index.js";
import { archiveStreamType, type Camera, cameraOptions, type SiteStore } from "../../site/index.js";
import type { DeviceDescription } from "../description/device-description.js";
import type { CameraDevices } from "../device/camera-devices.js";
import { channelNumberOf } from "../device/channel-number.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { profileOf } from "../device/profile-choice.js";
import { connectionOf, recordingTarget } from "../device/stream-address.js";
import { withDevice } from "../device/with-device.js";
import { AddressCorrection } from "../onvif/address-correction.js";
import { readDeviceTime } from "../onvif/device-clock.js";
import { parseDeviceUrl } from "../soap/device-url.js";
import type { SoapClient } from "../soap/soap-client.js";
import { CardDevice } from "./card-device.js";
import { type DeviceRecording, type DeviceSection, recordingsOf } from "./card-recording.js";

const CALL_MS_MAX = 10_000;
const STALL_MS = 10_000;

export interface CardControlOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly devices: Pick<CameraDevices, "described" | "knowledge" | "notes" | "acceptsKey">;
  readonly budgets: LoginBudgets;
  readonly pool: SlabPool;
  readonly clock: Clock;
  readonly log: Log;
}

/** A recording on the camera; times by our clock. */
export interface CardRecording extends DeviceRecording {
  /** Where it is contiguous, as far as the device says; undefined: it does not say. */
  readonly sections: readonly DeviceSection[] | undefined;
}

/** What a camera keeps. */
export interface CardContents {
  /** The camera's clock minus ours; exact to a second, or `isExact`, to some milliseconds. */
  readonly offsetUs: number;
  readonly isExact?: boolean;
  readonly recordings: readonly CardRecording[];
}

export interface CardPlayRequest {
  readonly channelId: Guid;
  readonly recording: string;
  /** By our clock. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly offsetUs: number;
  readonly bytesPerSecondMax: number;
  readonly signal: AbortSignal;
}

/** A recording that is played; its frames have the camera's times. */
export interface CardPlayback {
  /** As `RtspReplay.next`. */
  next(): ReturnType<RtspReplay["next"]>;
  readonly receivedBytes: number;
  close(): void;
}

/** What cameras keep on cards of their own (ONVIF Profile G). */
export interface Cards {
  /** Whether the camera lists the services; undefined while it is not known. */
  isSupported(camera: Camera): boolean | undefined;
  /** Rejects with NvrdError: CONFLICT where access is switched off, NOT_SUPPORTED, NOT_AVAILABLE. */
  contents(channelId: Guid, within: DeviceSection, signal: AbortSignal): Promise<CardContents>;
  /** Rejects as `contents`, and with RtspFailure. */
  play(request: CardPlayRequest): Promise<CardPlayback>;
}

/** Whether the gaps of a camera are to be filled from its card. */
export function fillsFromCard(camera: Camera): boolean {
  const { deviceArchiveEnabled, deviceArchiveSynchronizationEnabled } = cameraOptions(camera).archive;
  return deviceArchiveEnabled && deviceArchiveSynchronizationEnabled;
}

const FREE_TURN: LoginTurn = { accepted: () => undefined, refused: () => undefined, ended: () => undefined };

export class CardControl implements Cards {
  readonly #options: CardControlOptions;

  constructor(options: CardControlOptions) {
    this.#options = options;
  }

  isSupported(camera: Camera): boolean | undefined {
    if (connectionOf(camera) !== "onvif") return false;
    const services = this.#options.devices.described(camera)?.services;
    return services === undefined
      ? undefined
      : services.search !== undefined && services.replay !== undefined;
  }

  async contents(channelId: Guid, within: DeviceSection, signal: AbortSignal): Promise<CardContents> {
    return await this.#withDevice(channelId, signal, async ({ camera, description, client, device }) => {
      const address = description.services.device;
      const url = parseDeviceUrl(address, ["http", "https"]);
      const deviceTime =
        url === undefined ? undefined : await readDeviceTime(client, { url, address, signal });
      const offsetMs = deviceTime?.offsetMs ?? description.clockOffsetMs ?? 0;
      const offsetUs = offsetMs * US_PER_MS;
      const own = recordingsOf(ownerOf(camera, description), await device.recordings(signal));
      if (own === undefined)
        throw new NvrdError(
          "NOT_SUPPORTED",
          "the device does not say which of its recordings are this camera's",
          {
            hint: "",
          },
        );
      const recordings: CardRecording[] = [];
      for (const recording of own) {
        if (recording.fromUs - offsetUs >= within.toUs || recording.toUs - offsetUs <= within.fromUs)
          continue;
        const asked = { fromUs: within.fromUs + offsetUs, toUs: within.toUs + offsetUs };
        const sections = await this.#sections(device, recording, asked, signal);
        recordings.push({
          ...shifted(recording, -offsetUs),
          sections: sections?.map((section) => shifted(section, -offsetUs)),
        });
      }
      return { offsetUs, recordings };
    });
  }

  async play(request: CardPlayRequest): Promise<CardPlayback> {
    const { channelId, recording, offsetUs, bytesPerSecondMax, signal } = request;
    const { pool, clock, log } = this.#options;
    const { camera, url } = await this.#withDevice(
      channelId,
      signal,
      async ({ camera: asked, description, device }) => {
        const reached = parseDeviceUrl(description.services.device, ["http", "https"]);
        const uri = await device.replayUri(recording, signal);
        if (reached === undefined) return { camera: asked, url: uri };
        const { externalPorts } = cameraOptions(asked).connection;
        const corrected = new AddressCorrection({ reached, externalPorts }).rtsp(uri);
        return { camera: asked, url: corrected ?? uri };
      },
    );
    const target = recordingTarget(camera, url);
    if (target.kind !== "address")
      throw new NvrdError(
        "NOT_AVAILABLE",
        target.kind === "lost" ? target.reason : "the camera is being asked",
      );
    const { login, password, device, wantAudio, secureOnly, ipv4Only, redirectsAnywhere } = target.address;
    const turn = await this.#turn({ device, login, password }, signal);
    const replay = new RtspReplay({
      ...{ url: parseRtspUrl(target.address.url), dialer: new NetworkDialer(), pool, clock, log },
      credentials: login === "" && password === "" ? undefined : { user: login, password },
      ...{ secureOnly, ipv4Only, redirectsAnywhere, wantAudio, bytesPerSecondMax },
      verifyCertificate: false,
      digestOnly: this.#options.devices.notes.of(camera)?.streamsTookDigest === true,
      acceptsKey: this.#options.devices.acceptsKey(camera),
      timeouts: RTSP_TIMEOUTS_DEFAULT,
      fromUs: request.fromUs + offsetUs,
      toUs: request.toUs + offsetUs,
      stallMs: STALL_MS,
      signal,
    });
    try {
      await replay.open();
      turn.accepted();
      if (signal.aborted) throw new RtspFailure("stopped", "the playback was stopped");
      return replay;
    } catch (error) {
      replay.close();
      if (error instanceof RtspFailure && error.kind === "unauthorized") turn.refused();
      throw error;
    } finally {
      turn.ended();
    }
  }

  /** A device without this search says only from when to when a recording reaches. */
  async #sections(
    device: CardDevice,
    recording: DeviceRecording,
    asked: DeviceSection,
    signal: AbortSignal,
  ): Promise<readonly DeviceSection[] | undefined> {
    try {
      return await device.sections(recording, asked, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof NvrdError)) throw error;
      this.#options.log.debug(
        { error: error.message },
        "the camera does not list the sections of a recording",
      );
      return undefined;
    }
  }

  async #turn(
    login: { readonly device: string; readonly login: string; readonly password: string },
    signal: AbortSignal,
  ): Promise<LoginTurn> {
    if (login.login === "" && login.password === "") return FREE_TURN;
    const waiting = new AbortController();
    const both = AbortSignal.any([signal, waiting.signal]);
    const gate = this.#options.budgets.sideGate(login);
    const turn = await gate.turn({ signal: both, onRefused: () => waiting.abort() });
    if (turn !== undefined) return turn;
    throw new RtspFailure("unauthorized", "the camera refuses user name or password: correct them");
  }

  async #withDevice<T>(
    channelId: Guid,
    signal: AbortSignal,
    work: (asked: AskedDevice) => Promise<T>,
  ): Promise<T> {
    const camera = this.#camera(channelId);
    const asked = { camera, callTimeoutMs: CALL_MS_MAX, signal };
    return await withDevice(this.#options, asked, (client, description) =>
      work({ camera, description, client, device: new CardDevice(client, description.services) }),
    );
  }

  #camera(channelId: Guid): Camera {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined || camera.disabled)
      throw new NvrdError("NOT_AVAILABLE", "the channel is switched off", { hint: "" });
    if (connectionOf(camera) !== "onvif")
      throw new NvrdError("NOT_SUPPORTED", "only ONVIF cameras are asked for recordings of their own", {
        hint: "",
      });
    if (!cameraOptions(camera).archive.deviceArchiveEnabled)
      throw new NvrdError("CONFLICT", `the camera's own archive is switched off for channel ${camera.name}`, {
        hint: "switch DeviceArchiveEnabled on",
      });
    return camera;
  }
}

interface AskedDevice {
  readonly camera: Camera;
  readonly description: DeviceDescription;
  readonly client: SoapClient;
  readonly device: CardDevice;
}

function ownerOf(camera: Camera, { profiles, videoSources }: DeviceDescription) {
  const profile = profileOf(camera, archiveStreamType(camera), profiles);
  return {
    profileToken: profile?.token,
    videoSourceToken: profile?.videoSourceToken,
    channelNumber: channelNumberOf(camera),
    videoSources: videoSources.length,
  };
}

function shifted<T extends DeviceSection>(section: T, byUs: number): T {
  return { ...section, fromUs: section.fromUs + byUs, toUs: section.toUs + byUs };
}
