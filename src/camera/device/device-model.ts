import type { Guid, StreamType } from "../../base/index.js";
import type { VideoFormatName } from "../../site/index.js";

/** How the streams of a model are found. */
export type ModelConnection =
  /** Hostname and VideoAdditionalParams are whole URLs. */
  | "url"
  /** Asked of the device by ONVIF. */
  | "onvif"
  /** By the paths that the catalogue knows. */
  | "path";

/** What a port of a device is for. */
export type PortUse = "http" | "https" | "onvif" | "rtsp" | "rtsps";

/** A camera model that a channel can be given. */
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
  /** The ports as the device leaves the factory; `onvif` where it differs from `http`. */
  readonly ports: Readonly<Partial<Record<PortUse, number>>>;
  /** Path and query of each stream, with `{channel}`, `{channel0}`, `{channel2}` and `{codec}` (see `streamPath`). */
  readonly paths: Readonly<Partial<Record<StreamType, string>>>;
  /** What `{codec}` stands for. */
  readonly codecWords: Readonly<Partial<Record<VideoFormatName, string>>>;
  /** Path and query of a JPEG over HTTP. */
  readonly snapshotPath: string | undefined;
  /** What an installer should know of it. */
  readonly notes: string;
}
