import type { Guid } from "../base/index.js";
import type { VideoFormatName } from "../site/index.js";

/** A camera model that a channel can be given (rest-api.md, Device manufacturer record). */
export interface DeviceModel {
  readonly id: Guid;
  readonly manufacturer: string;
  readonly name: string;
  readonly altStreamSupported: boolean;
  readonly multiChannelServerSupported: boolean;
  readonly deviceArchiveSupported: boolean;
  readonly ptzSupported: boolean;
  readonly soundReceivingSupported: boolean;
  readonly soundTransmittingSupported: boolean;
  readonly ioProcessingSupported: boolean;
  readonly mainFormats: readonly VideoFormatName[];
  readonly altFormats: readonly VideoFormatName[];
  readonly defaultPorts: readonly number[];
}

const ALL_FORMATS: readonly VideoFormatName[] = ["MJPEG", "MPEG4_Part2", "H264", "Hevc"];

/** Any device by its RTSP addresses: the hostname is the main stream's whole URL. */
export const RTSP_MODEL: DeviceModel = {
  id: "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01",
  manufacturer: "RTSP/RTP device",
  name: "RTSP/RTP device",
  altStreamSupported: true,
  multiChannelServerSupported: false,
  deviceArchiveSupported: false,
  ptzSupported: false,
  soundReceivingSupported: true,
  soundTransmittingSupported: false,
  ioProcessingSupported: false,
  mainFormats: ALL_FORMATS,
  altFormats: ALL_FORMATS,
  defaultPorts: [],
};

export const DEVICE_MODELS: readonly DeviceModel[] = [RTSP_MODEL];

/** The model of an id; undefined when there is none. */
export function deviceModel(id: Guid): DeviceModel | undefined {
  return DEVICE_MODELS.find((model) => model.id === id);
}
