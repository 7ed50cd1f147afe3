import { type DeviceModel, deviceModels } from "../../camera/index.js";
import { answerJson, FLAG, GUID, jsonAnswer, listOf, objectOf, type Route, TEXT } from "../../route/index.js";
import type { CameraNeeds } from "./camera-parts.js";

const FLAGS = [
  "AltStreamSupported",
  "MultiChannelServerSupported",
  "DeviceArchiveSupported",
  "PtzSupported",
  "SoundReceivingSupported",
  "SoundTransmittingSupported",
  "IoProcessingEnabledSupported",
];

export const DEVICE_MANUFACTURERS_ROUTE: Route<CameraNeeds> = {
  method: "GET",
  path: "/configure/devicemanufacturers",
  login: "administration",

  describe: {
    topic: "channel",
    summary: "Lists the camera models, by manufacturer, sorted by name",
    text: [
      '"ONVIF device" is any camera that speaks ONVIF, "RTSP/RTP device" any camera by its RTSP addresses. `DeviceArchiveSupported` is true of the models of cameras that are configured and offer recordings of their own. Manufacturers have models that are found by ONVIF, and models with known RTSP paths. An installer\'s file adds more: [models](models.md).',
    ],
    answer: jsonAnswer(
      listOf(
        objectOf({
          Name: TEXT,
          DeviceModels: listOf(
            objectOf({
              Id: GUID,
              Name: TEXT,
              ...Object.fromEntries(FLAGS.map((name) => [name, FLAG])),
              MainVideoStreamFormatsSupported: listOf(TEXT),
              AltVideoStreamFormatsSupported: listOf(TEXT),
              DefaultExternalNetworkPorts: { type: "array" },
            }),
          ),
        }),
      ),
      "The manufacturers.",
    ),
    example: ['curl -fu "$AUTH" "$NVRD/configure/devicemanufacturers"'],
  },
  /** GET /configure/devicemanufacturers: the camera models there are, by manufacturer. */
  endpoint({ needs }) {
    const withArchive = new Set(
      needs.site.current.cameras
        .filter((camera) => needs.cards.isSupported(camera) === true)
        .map(({ connection }) => connection.modelId),
    );
    const byMaker = new Map<string, DeviceModel[]>();
    for (const model of deviceModels()) {
      const models = byMaker.get(model.manufacturer);
      if (models === undefined) byMaker.set(model.manufacturer, [model]);
      else models.push(model);
    }
    return answerJson(
      [...byMaker].map(([name, models]) => ({
        Name: name,
        DeviceModels: models.map((model) => modelRecord(model, withArchive.has(model.id))),
      })),
    );
  },
};

function modelRecord(model: DeviceModel, hasArchive: boolean): Record<string, unknown> {
  return {
    Id: model.id,
    Name: model.name,
    AltStreamSupported: model.altStreamSupported,
    MultiChannelServerSupported: model.multiChannelServerSupported,
    DeviceArchiveSupported: model.deviceArchiveSupported || hasArchive,
    PtzSupported: model.ptzSupported,
    SoundReceivingSupported: model.soundReceivingSupported,
    SoundTransmittingSupported: model.soundTransmittingSupported,
    IoProcessingEnabledSupported: model.ioProcessingSupported,
    MainVideoStreamFormatsSupported: model.mainFormats,
    AltVideoStreamFormatsSupported: model.altFormats,
    DefaultExternalNetworkPorts: model.defaultPorts,
  };
}
