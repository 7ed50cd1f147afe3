import { isIPv6 } from "node:net";
import type { Guid, StreamType } from "../../base/index.js";
import {
  type Camera,
  DEFAULT_STORED_SETTINGS,
  SITE_LIMITS,
  type StreamRole,
  type StreamSettings,
} from "../../site/index.js";
import type { DeviceDescription, DeviceProfile } from "../description/device-description.js";
import { parseDeviceHost } from "../description/device-host.js";
import { blankCamera, NO_STREAM } from "./blank-camera.js";
import { modelFor } from "./models.js";
import { chooseProfiles, type ProfileChoice } from "./profile-choice.js";

/** What an installer says of a device that is to be added; what is left out the device says itself. */
export interface OnvifCameraOptions {
  readonly ownerServerId: Guid;
  /** As the camera object's Hostname: the host, and a port where it is not the usual one. */
  readonly hostname: string;
  readonly login: string;
  readonly password: string;
  /** Of the first channel; further ones of one device get their number behind it. */
  readonly name?: string | undefined;
  /** Video sources of the device, counted from 1; undefined: all. */
  readonly channelNumbers?: readonly number[] | undefined;
  /** Whether sound is received where there is some; true when absent. */
  readonly soundReceivingEnabled?: boolean | undefined;
  /** Whether the camera may be moved where it can be; true when absent. */
  readonly ptzEnabled?: boolean | undefined;
  /** Endpoint reference that discovery heard, for a device that does not tell it over HTTP. */
  readonly identity?: string | undefined;
}

/** What a device is as cameras: one a video source with a stream that can be recorded, in the device's order. */
export function camerasOfDevice(description: DeviceDescription, options: OnvifCameraOptions): Camera[] {
  const numbers = channelNumbersOf(description).filter(
    (number) => options.channelNumbers === undefined || options.channelNumbers.includes(number),
  );
  const isServer = description.videoSources.length > 1;
  return numbers.map((number) => cameraOfSource(description, options, { number, isServer }));
}

/** The channel numbers of the video sources that have a stream which can be recorded. */
export function channelNumbersOf({ profiles }: Pick<DeviceDescription, "profiles">): number[] {
  const numbers = new Set(profiles.flatMap((profile) => (usable(profile) ? [profile.channelNumber] : [])));
  return [...numbers].sort((a, b) => a - b);
}

/** The streams of one video source, up to four: see `chooseProfiles`. One stream address is one stream. */
export function streamsOfSource(
  { profiles }: Pick<DeviceDescription, "profiles">,
  channelNumber: number,
): ProfileChoice {
  const addresses = new Set<string>();
  const apart = profiles.filter((profile) => {
    if (profile.channelNumber !== channelNumber || !usable(profile)) return false;
    const { streamUri = "" } = profile;
    return !addresses.has(streamUri) && addresses.add(streamUri);
  });
  return chooseProfiles(
    { Main: ANY, Alternative: ANY, SecondAlternative: ANY, ThirdAlternative: ANY },
    apart,
  );
}

const ANY = { enabled: true, format: "H264" } as const;

function usable({ codec, streamUri }: DeviceProfile): boolean {
  return codec !== undefined && streamUri !== undefined;
}

interface SourcePlace {
  readonly number: number;
  /** Whether there are further sources behind the address. */
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
      ...DEFAULT_STORED_SETTINGS,
      connection: {
        ...DEFAULT_STORED_SETTINGS.connection,
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

/** All that there is is on: a stream is connected only while somebody wants it. */
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
