import { isIPv6 } from "node:net";
import type { Guid, StreamType } from "../../base/index.js";
import {
  type Camera,
  NEW_CAMERA_OPTIONS,
  SITE_LIMITS,
  type StreamRole,
  type StreamSettings,
} from "../../site/index.js";
import { type DeviceDescription, isUsable } from "../description/device-description.js";
import { parseDeviceHost } from "../description/device-host.js";
import { blankCamera, NO_STREAM } from "./blank-camera.js";
import { modelFor } from "./models.js";
import { chooseProfiles, type ProfileChoice } from "./profile-choice.js";

/** What the installer enters for a device to be added; the rest comes from the device. */
export interface OnvifCameraOptions {
  readonly ownerServerId: Guid;
  /** As in the camera object's Hostname: the host, and the port if it is not the default. */
  readonly hostname: string;
  readonly login: string;
  readonly password: string;
  /** Name of the first channel; the channel number is appended for further channels of the device. */
  readonly name?: string | undefined;
  /** Video sources of the device, from 1; undefined: all. */
  readonly channelNumbers?: readonly number[] | undefined;
  /** Whether audio is received if there is any; true when absent. */
  readonly soundReceivingEnabled?: boolean | undefined;
  /** Whether PTZ is enabled if the camera has it; true when absent. */
  readonly ptzEnabled?: boolean | undefined;
  /** Endpoint reference from discovery, for a device that does not report it over HTTP. */
  readonly identity?: string | undefined;
}

/** The cameras of a device: one per video source with a recordable stream, in the device's order. */
export function camerasOfDevice(description: DeviceDescription, options: OnvifCameraOptions): Camera[] {
  const numbers = channelNumbersOf(description).filter(
    (number) => options.channelNumbers === undefined || options.channelNumbers.includes(number),
  );
  const isServer = description.videoSources.length > 1;
  return numbers.map((number) => cameraOfSource(description, options, { number, isServer }));
}

/** The channel numbers of the video sources with a recordable stream. */
export function channelNumbersOf({ profiles }: Pick<DeviceDescription, "profiles">): number[] {
  const numbers = new Set(profiles.flatMap((profile) => (isUsable(profile) ? [profile.channelNumber] : [])));
  return [...numbers].sort((a, b) => a - b);
}

/** The streams of one video source, up to four: see `chooseProfiles`. Profiles with the same stream address count as one. */
export function streamsOfSource(
  { profiles }: Pick<DeviceDescription, "profiles">,
  channelNumber: number,
): ProfileChoice {
  const addresses = new Set<string>();
  const apart = profiles.filter((profile) => {
    if (profile.channelNumber !== channelNumber || !isUsable(profile)) return false;
    const { streamUri = "" } = profile;
    return !addresses.has(streamUri) && addresses.add(streamUri);
  });
  return chooseProfiles(
    { Main: ANY, Alternative: ANY, SecondAlternative: ANY, ThirdAlternative: ANY },
    apart,
  );
}

const ANY = { enabled: true, format: "H264" } as const;

interface SourcePlace {
  readonly number: number;
  /** Whether the device has more than one source. */
  readonly isServer: boolean;
}

function cameraOfSource(
  description: DeviceDescription,
  options: OnvifCameraOptions,
  { number, isServer }: SourcePlace,
): Camera {
  const { ownerServerId, hostname, login, password } = options;
  const mapping = streamsOfSource(description, number);
  const mapped = Object.values(mapping);
  const hasSound = mapped.some(({ audioCodec }) => audioCodec !== undefined);
  const canMove = mapped.some(({ ptzNodeToken }) => ptzNodeToken !== undefined);
  const identity = description.identity ?? options.identity;
  const blank = blankCamera(ownerServerId);
  return {
    ...blank,
    name: nameOf(description, options, { number, isServer }),
    connection: {
      modelId: modelFor(description.manufacturer, description.model).id,
      hostname,
      login,
      password,
      soundReceivingEnabled: hasSound && (options.soundReceivingEnabled ?? true),
      ptzEnabled: canMove && (options.ptzEnabled ?? true),
      streams: streamSettings(mapping),
      ...(identity === undefined ? {} : { deviceIdentity: identity }),
    },
    kept: {
      ...NEW_CAMERA_OPTIONS,
      connection: {
        ...NEW_CAMERA_OPTIONS.connection,
        ipv6Enabled: isIPv6((parseDeviceHost(hostname)?.host ?? "").split("%")[0] ?? ""),
        multiChannelServerEnabled: isServer,
        multiChannelServerChannelNumber: number,
      },
    },
  };
}

function nameOf(
  { manufacturer, model }: DeviceDescription,
  { name, hostname }: OnvifCameraOptions,
  { number, isServer }: SourcePlace,
): string {
  const base = name?.trim() || `${manufacturer} ${model}`.trim() || hostname;
  const suffix = isServer ? ` ${number}` : "";
  return `${base.slice(0, SITE_LIMITS.nameLengthMax - suffix.length)}${suffix}`;
}

/** All streams are enabled: a stream is connected only while it has subscribers. */
function streamSettings(chosen: ProfileChoice): Record<StreamType, StreamSettings> {
  const hasAlternative = chosen.Alternative !== undefined;
  const settings = (type: StreamType, roles: readonly StreamRole[]): StreamSettings => {
    const profile = chosen[type];
    if (profile === undefined) return NO_STREAM;
    const { codec = NO_STREAM.format, token } = profile;
    return { ...NO_STREAM, enabled: true, format: codec, roles, profileToken: token };
  };
  const small: readonly StreamRole[] = ["VideoAnalysis", "MobileClient"];
  return {
    Main: settings("Main", ["Archive", "DesktopClient", ...(hasAlternative ? [] : small)]),
    Alternative: settings("Alternative", small),
    SecondAlternative: settings("SecondAlternative", []),
    ThirdAlternative: settings("ThirdAlternative", []),
  };
}
