import { type DeviceModel, deviceModels } from "../../camera/index.js";
import { answerJson, type EndpointResult } from "../route/index.js";

/** GET /configure/devicemanufacturers: the camera models there are, by manufacturer. */
export function getDeviceManufacturers(): EndpointResult {
  const byMaker = new Map<string, DeviceModel[]>();
  for (const model of deviceModels()) {
    const models = byMaker.get(model.manufacturer);
    if (models === undefined) byMaker.set(model.manufacturer, [model]);
    else models.push(model);
  }
  return answerJson(
    [...byMaker].map(([name, models]) => ({ Name: name, DeviceModels: models.map(modelRecord) })),
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
