import type { Guid, StreamType } from "../../base/index.js";
import type { VideoFormatName } from "../../site/index.js";

/** How the streams of a model are found. */
export type ModelConnection =
  /** Hostname and VideoAdditionalParams are complete URLs. */
  | "url"
  /** The device is asked over ONVIF. */
  | "onvif"
  /** From the paths in the catalogue. */
  | "path";

/** What a port of a device is for. */
export type PortUse = "http" | "https" | "onvif" | "rtsp" | "rtsps";

/** A camera model that can be selected for a channel. */
export interface DeviceModel {
  readonly id: Guid;
  readonly manufacturer: string;
  readonly name: string;
  readonly connection: ModelConnection;
  readonly altStreamSupported: boolean;
  readonly multiChannelServerSupported: boolean;
  readonly deviceArchiveSupported: boolean;
  readonly ptzSupported: boolean;
  readonly soundReceivingSupported: boolean;
  readonly soundTransmittingSupported: boolean;
  readonly ioProcessingSupported: boolean;
  readonly mainFormats: readonly VideoFormatName[];
  readonly altFormats: readonly VideoFormatName[];
  /** The ports of `ports`, each once, ascending. */
  readonly defaultPorts: readonly number[];
  /** The factory-default ports; `onvif` only where it differs from `http`. */
  readonly ports: Readonly<Partial<Record<PortUse, number>>>;
  /** Path and query of each stream, with `{channel}`, `{channel0}`, `{channel2}` and `{codec}` (see `streamPath`). */
  readonly paths: Readonly<Partial<Record<StreamType, string>>>;
  /** The replacement for `{codec}`. */
  readonly codecWords: Readonly<Partial<Record<VideoFormatName, string>>>;
  /** Path and query of a JPEG over HTTP. */
  readonly snapshotPath: string | undefined;
  /** Notes for the installer. */
  readonly notes: string;
}
