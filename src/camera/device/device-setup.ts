import {
  type Clock,
  type ClockTimer,
  eachStream,
  errorText,
  type Log,
  STREAM_TYPES,
  type StreamType,
} from "../../base/index.js";
import type { Camera, SiteStore, StreamSettings } from "../../site/index.js";
import type { DeviceDescription, DeviceProfile } from "../description/device-description.js";
import type { CameraDevices } from "./camera-devices.js";
import { chooseProfiles, type ProfileChoice, profilesOfChannel } from "./profile-choice.js";

/** Devices that answer within this time are saved in one change of the configuration. */
const GATHER_MS = 1000;
const IDENTITY_LENGTH_MAX = 256;
const TOKEN_LENGTH_MAX = 256;
const NAMES_LISTED_MAX = 3;

/**
 * Completes a camera with what its device reported: its identity, and for each stream without a profile the chosen profile and
 * its codec. A camera that was added by its address alone gets the streams that the device offers, up to four. Returns the same
 * object if there is nothing to add.
 */
export function cameraOfDevice(
  camera: Camera,
  device: Pick<DeviceDescription, "identity" | "profiles">,
): Camera {
  const { findStreams, ...connection } = camera.connection;
  const profiles = profilesOfChannel(camera, device.profiles);
  const before = findStreams === true ? allStreams(connection.streams) : connection.streams;
  const chosen = chooseProfiles(before, profiles);
  const hasNews = STREAM_TYPES.some((type) => isNews(connection.streams[type], chosen[type]));
  const { identity } = device;
  const isNamed = identity !== undefined && identity.length <= IDENTITY_LENGTH_MAX;
  const getsIdentity = isNamed && connection.deviceIdentity === undefined;
  const isFound = findStreams === true && chosen.Main !== undefined;
  if (!hasNews && !getsIdentity && !isFound) return camera;
  const streams = withProfiles(connection.streams, chosen);
  return {
    ...camera,
    connection: {
      ...connection,
      ...(findStreams === true && !isFound ? { findStreams } : {}),
      ...(getsIdentity ? { deviceIdentity: identity } : {}),
      streams: isFound ? withRoles(streams) : streams,
    },
  };
}

type Streams = Readonly<Record<StreamType, StreamSettings>>;

function allStreams(streams: Streams): Streams {
  return eachStream((type) => ({ ...streams[type], enabled: true }));
}

/** A profile that is already set is kept, whatever the device reports now: the installer may have chosen it. */
function isNews(settings: StreamSettings, profile: DeviceProfile | undefined): boolean {
  return (
    profile !== undefined && settings.profileToken === undefined && profile.token.length <= TOKEN_LENGTH_MAX
  );
}

function withProfiles(streams: Streams, chosen: ProfileChoice): Streams {
  return eachStream((type) => {
    const settings = streams[type];
    const profile = chosen[type];
    if (profile === undefined || !isNews(settings, profile)) return settings;
    const format = profile.codec ?? settings.format;
    return { ...settings, enabled: true, format, profileToken: profile.token };
  });
}

/** Analysis and mobile clients use the smaller stream, unless it already has roles. */
function withRoles(streams: Streams): Streams {
  const { Main, Alternative } = streams;
  if (!Alternative.enabled || Alternative.roles.length > 0 || Main.roles.length < 4) return streams;
  return {
    ...streams,
    Main: { ...Main, roles: ["Archive", "DesktopClient"] },
    Alternative: { ...Alternative, roles: ["VideoAnalysis", "MobileClient"] },
  };
}

export interface DeviceSetupOptions {
  readonly site: SiteStore;
  readonly devices: CameraDevices;
  readonly clock: Clock;
  readonly log: Log;
}

/** Saves in the configuration what devices report on first contact. */
export class DeviceSetup {
  readonly #options: DeviceSetupOptions;
  #timer: ClockTimer | undefined;
  #writing: Promise<void> = Promise.resolve();
  #running = false;

  constructor(options: DeviceSetupOptions) {
    this.#options = options;
    options.devices.onChange(() => this.#gather());
  }

  start(): void {
    this.#running = true;
  }

  /** Resolves when all writes have ended. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#timer?.clear();
    this.#timer = undefined;
    await this.#writing;
  }

  #gather(): void {
    if (!this.#running) return;
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write();
    }, GATHER_MS);
  }

  async #write(): Promise<void> {
    const { site, log } = this.#options;
    const names: string[] = [];
    try {
      await site.change(
        (current) => {
          names.length = 0;
          const cameras = current.cameras.map((camera) => {
            const changed = this.#setUp(camera);
            if (changed !== camera) names.push(camera.name);
            return changed;
          });
          return names.length === 0 ? current : { ...current, cameras };
        },
        { summary: () => `as found at the device: ${namesText(names)}` },
      );
    } catch (error) {
      // A full system disk: the streams are chosen again at each start until this can be written.
      log.warn({ error: errorText(error) }, "the streams of cameras cannot be saved");
    }
  }

  #setUp(camera: Camera): Camera {
    const description = this.#options.devices.described(camera);
    return description === undefined ? camera : cameraOfDevice(camera, description);
  }
}

function namesText(names: readonly string[]): string {
  return names.length > NAMES_LISTED_MAX ? `${names.length} cameras` : `camera ${names.join(", ")}`;
}
