import { type Clock, type Guid, NvrdError, type StreamType } from "../../base/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import type { DeviceAccess } from "../description/device-access.js";
import { parseDeviceHost, urlHost } from "../description/device-host.js";
import { type CameraDevices, questionOf } from "../device/camera-devices.js";
import { channelNumberOf } from "../device/channel-number.js";
import { attemptLogin } from "../device/login-attempt.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { deviceModel, snapshotPath } from "../device/models.js";
import { profileOf, profilesOfChannel } from "../device/profile-choice.js";
import { connectionOf } from "../device/stream-address.js";
import { fetchSnapshot } from "../onvif/snapshot.js";

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

export interface CameraSnapshotsOptions {
  readonly site: SiteStore;
  readonly devices: CameraDevices;
  readonly budgets: LoginBudgets;
  readonly clock: Clock;
  /** Replaces `fetchSnapshot` in tests. */
  readonly fetch?: typeof fetchSnapshot;
}

/** Snapshots made by cameras: from the ONVIF address, or the path of the model. */
export class CameraSnapshots {
  readonly #options: CameraSnapshotsOptions;

  constructor(options: CameraSnapshotsOptions) {
    this.#options = options;
  }

  /**
   * Fetches the JPEG of a channel's stream from the camera; its content is untrusted. Rejects with NvrdError NOT_SUPPORTED if
   * the camera has none, NOT_AVAILABLE with a message for the installer if fetching fails.
   */
  async snapshot(channelId: Guid, streamType: StreamType, signal: AbortSignal): Promise<Uint8Array> {
    const camera = this.#options.site.current.cameras.find((candidate) => candidate.id === channelId);
    if (camera === undefined || camera.disabled) {
      throw new NvrdError("NOT_AVAILABLE", "the channel is switched off");
    }
    const snapshotUri = this.#uri(camera, streamType);
    if (snapshotUri === undefined) {
      throw new NvrdError("NOT_SUPPORTED", "the camera does not offer snapshots", { hint: "" });
    }
    const { address, login, password, secureOnly, externalPorts } = questionOf(camera);
    const { clock, devices } = this.#options;
    const digestOnly = devices.tookDigest(camera);
    const acceptsKey = devices.acceptsKey(camera);
    const access = { address, login, password, secureOnly, externalPorts, clock, digestOnly, acceptsKey };
    return await this.#fetch(access, snapshotUri, signal);
  }

  async #fetch(access: DeviceAccess, snapshotUri: string, signal: AbortSignal): Promise<Uint8Array> {
    const { budgets, fetch = fetchSnapshot } = this.#options;
    const login = { device: access.address, login: access.login, password: access.password };
    return await attemptLogin(budgets, { login, signal }, () => fetch(access, { snapshotUri }, signal));
  }

  #uri(camera: Camera, streamType: StreamType): string | undefined {
    const connects = connectionOf(camera);
    if (connects === "path") return pathUri(camera);
    if (connects === "url") return undefined;
    const { profiles = [] } = this.#options.devices.knowledge(camera);
    const own = profileOf(camera, streamType, profiles)?.snapshotUri;
    return own ?? profilesOfChannel(camera, profiles).find((profile) => profile.snapshotUri)?.snapshotUri;
  }
}

function pathUri(camera: Camera): string | undefined {
  const model = deviceModel(camera.connection.modelId);
  const path = model === undefined ? undefined : snapshotPath(model, channelNumberOf(camera));
  const { hostname } = camera.connection;
  const host = parseDeviceHost(hostname);
  if (path === undefined || host === undefined) return undefined;
  const { secureOnly, externalPorts } = questionOf(camera);
  const usual = secureOnly ? (model?.ports.https ?? HTTPS_PORT) : (model?.ports.http ?? HTTP_PORT);
  const mapped = externalPorts.find(({ integratedPort }) => integratedPort === usual)?.externalPort ?? usual;
  // The port of a bare address is the RTSP port.
  const port = /^https?:/i.test(hostname.trim()) ? (host.port ?? mapped) : mapped;
  return `${secureOnly ? "https" : "http"}://${urlHost(host.host)}:${port}${path}`;
}
