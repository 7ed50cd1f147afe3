import type { VideoFormatName } from "../../site/index.js";
import type { LoginClock } from "./camera-failure.js";

/**
 * What an ONVIF device reports about itself, read once and checked: plain data. Texts of the device have at most 256 characters
 * and no control characters, and are empty if missing. Addresses are corrected to the host that was reached, and hold no
 * credentials. What could not be read is absent, and a warning says why.
 */
export interface DeviceDescription {
  readonly manufacturer: string;
  readonly model: string;
  readonly firmware: string;
  readonly serial: string;
  readonly hardwareId: string;
  /** The endpoint reference (`urn:uuid:…`, lower case) by which the device is found again; undefined where it has none. */
  readonly identity: string | undefined;
  /** Host that was reached: a name, IPv4, or IPv6 without brackets. */
  readonly host: string;
  readonly services: DeviceServices;
  /** In the device's order; the channel number counts from 1. */
  readonly videoSources: readonly VideoSource[];
  /** Those with video, in the device's order. */
  readonly profiles: readonly DeviceProfile[];
  readonly ptzNodes: readonly PtzNode[];
  readonly events: DeviceEvents;
  /** The device's clock minus ours, milliseconds; undefined if the device does not report its time. */
  readonly clockOffsetMs: number | undefined;
  /** By what it judges the time of a login; absent: by the clock that it reports. */
  readonly loginClock?: LoginClock;
  /** It took the login as a digest, without the password. */
  readonly tookDigest: boolean;
  /** Of its network card; absent where it is not known. */
  readonly mac?: string;
  /** Who read it: our own client, or node-onvif where that could not. */
  readonly readBy: "nvrd" | "node-onvif";
  readonly warnings: readonly DeviceWarning[];
}

/** Addresses (http or https) of the services; absent: the device has none. */
export interface DeviceServices {
  readonly device: string;
  readonly media?: string;
  readonly media2?: string;
  readonly ptz?: string;
  readonly events?: string;
  readonly imaging?: string;
  readonly deviceIo?: string;
  readonly analytics?: string;
  /** Of Profile G: which recordings it keeps, and where they are played. */
  readonly search?: string;
  readonly replay?: string;
}

export interface VideoSource {
  readonly token: string;
  /** 1 for the first source: the channel number of a multi-channel server in the configuration. */
  readonly channelNumber: number;
  /** Pixels; undefined if not reported. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly framesPerSecond: number | undefined;
}

export type DeviceAudioCodec = "G711" | "G726" | "AAC";

export interface DeviceProfile {
  readonly token: string;
  readonly name: string;
  readonly videoSourceToken: string;
  /** Messages of the device name the video source by this token; undefined if not reported. */
  readonly sourceConfigurationToken?: string | undefined;
  /** Of the video source, from 1. */
  readonly channelNumber: number;
  /** Undefined: a codec that nvrd does not know, or that the device does not name; `encoding` says which. */
  readonly codec: VideoFormatName | undefined;
  /** The device's own name for the codec (`H265`, `JPEG`); empty where it names none: the stream says what it is. */
  readonly encoding: string;
  /** Pixels; 0 if not reported. */
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number | undefined;
  /** Frames from key frame to key frame. */
  readonly gopLength: number | undefined;
  /** kbit/s. */
  readonly bitrateLimit: number | undefined;
  /** rtsp:// or rtsps://, without credentials. */
  readonly streamUri: string | undefined;
  /** http:// or https://, without credentials. */
  readonly snapshotUri: string | undefined;
  /** Undefined: no audio, or a codec that nvrd does not know. */
  readonly audioCodec: DeviceAudioCodec | undefined;
  /** The device's own word for the sound's codec, where nvrd does not know that codec. */
  readonly audioEncoding?: string;
  /** Token of the PTZ node that moves what this profile shows. */
  readonly ptzNodeToken: string | undefined;
  readonly hasAnalytics: boolean;
}

/** Whether a profile's stream can be recorded, or at least tried: nobody knows yet what a codec without a name is. */
export function isUsable({ codec, encoding, streamUri }: DeviceProfile): boolean {
  return streamUri !== undefined && (codec !== undefined || encoding === "");
}

export interface PtzNode {
  readonly token: string;
  readonly name: string;
  readonly continuousPanTilt: boolean;
  readonly continuousZoom: boolean;
  readonly absolutePanTilt: boolean;
  readonly absoluteZoom: boolean;
  readonly relativePanTilt: boolean;
  readonly relativeZoom: boolean;
  readonly home: boolean;
  /** Maximum number of presets; 0: none. */
  readonly presetsMax: number;
  readonly auxiliaryCommands: readonly string[];
  /** Ranges of the node's first space of each kind. */
  readonly ranges: PtzRanges;
}

/** How far and how fast a node moves, in its own units; absent if it has no such space. */
export interface PtzRanges {
  readonly continuousPanTilt?: PtzRange;
  readonly continuousZoom?: PtzRange;
  readonly absolutePanTilt?: PtzRange;
  readonly absoluteZoom?: PtzRange;
  readonly relativePanTilt?: PtzRange;
  readonly relativeZoom?: PtzRange;
  /** Translation by the field of view: -1 and 1 are the edges of the picture. */
  readonly fieldOfView?: PtzRange;
}

/** Pan or zoom is `x`, tilt is `y`; -1 to 1 if the node does not report a range. */
export interface PtzRange {
  readonly x: { readonly min: number; readonly max: number };
  readonly y: { readonly min: number; readonly max: number };
  /** URI of the space; empty if the node does not report it. */
  readonly space: string;
}

export type DeviceEvents =
  | { readonly kind: "pull-point" | "base-notification"; readonly address: string }
  | { readonly kind: "none" };

export type DeviceWarningCode =
  /** The clocks differ by more than `CLOCK_OFFSET_WARN_MS`. */
  | "clock-off"
  /** The device names addresses other than where it was reached; they were corrected. */
  | "addresses-corrected"
  /** Something that is not needed to record could not be read. */
  | "incomplete"
  /** A profile without a stream address, or in an unknown codec. */
  | "unusable-profile"
  /** Credentials were sent by Basic authentication over an unencrypted connection, readable for anyone on the network. */
  | "plain-password";

export interface DeviceWarning {
  readonly code: DeviceWarningCode;
  /** For the installer; no secret. */
  readonly message: string;
}

/** The installer is warned if the clocks differ by more than this. */
export const CLOCK_OFFSET_WARN_MS = 60_000;
