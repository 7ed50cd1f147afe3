import { DEVICE_MODELS, type DeviceModel } from "../camera/index.js";
import { answerJson } from "./answer.js";
import type { EndpointResult } from "./services.js";

/** GET /configure/devicemanufacturers: the camera models there are, by manufacturer. */
export function getDeviceManufacturers(): EndpointResult {
  const names = [...new Set(DEVICE_MODELS.map((model) => model.manufacturer))];
  return answerJson(
    names.map((name) => ({
      Name: name,
      DeviceModels: DEVICE_MODELS.filter((model) => model.manufacturer === name).map(modelRecord),
    })),
  );
}

function modelRecord(model: DeviceModel): Record<string, unknown> {
  return {
    Id: model.id,
    Name: model.name,
    AltStreamSupported: model.altStreamSupported,
    MultiChannelServerSupported: model.multiChannelServerSupported,
    DeviceArchiveSupported: model.deviceArchiveSupported,
    PtzSupported: model.ptzSupported,
    SoundReceivingSupported: model.soundReceivingSupported,
    SoundTransmittingSupported: model.soundTransmittingSupported,
    IoProcessingEnabledSupported: model.ioProcessingSupported,
    MainVideoStreamFormatsSupported: model.mainFormats,
    AltVideoStreamFormatsSupported: model.altFormats,
    DefaultExternalNetworkPorts: model.defaultPorts,
  };
}
