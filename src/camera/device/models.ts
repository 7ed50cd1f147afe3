import type { Guid, StreamType } from "../../base/index.js";
import type { VideoFormatName } from "../../site/index.js";
import type { DeviceModel } from "./device-model.js";
import { type ModelCatalogue, type ModelWarning, readCatalogue, readExtension } from "./model-catalogue.js";

const ONVIF_MODEL_ID = "7d0b6f0e-31c4-4f0f-9a52-8c1d7be3a901";
const RTSP_MODEL_ID = "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01";

let catalogue: ModelCatalogue = readCatalogue();

/** Any device by its RTSP addresses; the hostname is the complete URL of the main stream. */
export const RTSP_MODEL: DeviceModel = builtIn(RTSP_MODEL_ID);
/** Any device that speaks ONVIF; the hostname is its address. */
export const ONVIF_MODEL: DeviceModel = builtIn(ONVIF_MODEL_ID);

/** All models, by manufacturer, including the generic ones. */
export function deviceModels(): readonly DeviceModel[] {
  return catalogue.models;
}

/** The model with this id; undefined if there is none. */
export function deviceModel(id: Guid): DeviceModel | undefined {
  return catalogue.byId.get(id);
}

/**
 * The model for a device found over ONVIF, by the manufacturer and model it reports: the first matching pattern of the
 * manufacturer. "ONVIF device" for an unknown device, and for models that cannot be reached over ONVIF.
 */
export function modelFor(manufacturer: string, model: string): DeviceModel {
  const found = catalogue.match(manufacturer, model);
  return found?.connection === "onvif" ? found : ONVIF_MODEL;
}

/**
 * Adds the models of an installer's file (docs/ref/models.md); an entry with a known id replaces that model. Must be called
 * before models are looked up. Returns the fault of the file, if any; the whole file is ignored then.
 */
export function extendModels(text: string): ModelWarning | undefined {
  const extended = readExtension(catalogue, text);
  if ("problem" in extended) return extended;
  catalogue = extended;
  return undefined;
}

/**
 * Path and query of a model's stream; undefined when it has none. `{channel}` counts from 1, `{channel0}` from 0,
 * `{channel2}` from 01; `{codec}` is the model's name for the format.
 */
export function streamPath(
  model: DeviceModel,
  streamType: StreamType,
  { channel, format }: { readonly channel: number; readonly format: VideoFormatName },
): string | undefined {
  const template = model.paths[streamType];
  return template === undefined ? undefined : fillPath(template, channel, model.codecWords[format] ?? "");
}

/** Path and query of a model's JPEG; undefined when it has none. */
export function snapshotPath(model: DeviceModel, channel: number): string | undefined {
  return model.snapshotPath === undefined ? undefined : fillPath(model.snapshotPath, channel, "");
}

function fillPath(template: string, channel: number, codec: string): string {
  return template
    .replaceAll("{channel}", String(channel))
    .replaceAll("{channel0}", String(Math.max(0, channel - 1)))
    .replaceAll("{channel2}", String(channel).padStart(2, "0"))
    .replaceAll("{codec}", codec);
}

function builtIn(id: Guid): DeviceModel {
  const model = catalogue.byId.get(id);
  if (model === undefined) throw new Error(`the catalogue of camera models lacks ${id}`);
  return model;
}
